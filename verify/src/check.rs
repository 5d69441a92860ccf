//! Every step of a certificate, done by the oracle.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use sprig_certificate::{Claim, Fact, Game, Loss, Play};
use sprig_engine::{Nimber, Position};
use sprig_oracle::Rules;
use sprig_oracle::proof::{Checker, Facts, Ready, misere};

use crate::{Certificate, VerifyError};

/// Most lives of a land of a base for which no permission is needed: those of six spots.
const BASE_LIVES: usize = 18;

/// Lines that are read at a time.
const CHUNK: usize = 1 << 12;

/// Does the same work on all threads that there are, and returns when all are done. The work
/// divides itself among them.
pub type Crew<'a> = &'a (dyn Fn(&(dyn Fn() + Sync)) + Sync);

/// How a check is done.
pub struct Manner<'a> {
    /// The threads that check.
    pub crew: Crew<'a>,
    /// Whether a base may take hours.
    pub large_base: bool,
    /// The flag that is raised to stop.
    pub stop: &'a AtomicBool,
}

/// How far a check has come.
pub enum Step {
    /// Lands of the base that were looked at, and known.
    Base(u64, u64),
    /// Facts that were checked.
    Fact(u64),
}

/// What a check looked at.
pub struct Checked {
    /// Options of positions that were looked at.
    pub options: u64,
    /// Most lives of a certified land.
    pub lives: u32,
    /// In misère play, what was found out about the lands that stand for their trees.
    pub base: Option<CheckedBase>,
}

/// What a check found out of a base.
pub struct CheckedBase {
    /// The position whose game tree it is.
    pub position: String,
    /// Lands in its game tree.
    pub lands: u64,
    /// Their different trees, without factor 1.
    pub trees: u64,
    /// Facts with lands that are not in the base.
    pub facts_with_lands: u64,
}

/// The base found last: most certificates of misère play name the same one, and finding it takes
/// longer than checking them.
#[derive(Default)]
pub struct Bases(Option<(Rules, Position, misere::Base)>);

impl Bases {
    /// Takes the base of a position in a game. The caller must put it back.
    fn take(
        &mut self,
        rules: Rules,
        position: &Position,
        crew: Crew<'_>,
        done: impl Fn(u64, u64) -> bool,
    ) -> Result<misere::Base, misere::NoBase> {
        match self.0.take() {
            Some((of, known, base)) if of == rules && known == *position => Ok(base),
            _ => misere::Base::by(rules, position, crew, done),
        }
    }

    fn bring_back(&mut self, rules: Rules, position: &Position, base: misere::Base) {
        self.0 = Some((rules, position.clone(), base));
    }
}

/// The oracle's name for a game.
fn rules(game: Game) -> Rules {
    match game {
        Game::Sprouts => Rules::Sprouts,
        Game::BlackAndWhite => Rules::BlackAndWhite,
    }
}

impl Certificate {
    /// Checks every step with the oracle. `done` is told how far the check has come. In misère play
    /// the base is taken from `bases` if the previous certificate named the same one.
    ///
    /// # Errors
    /// The first step that is wrong, or the claim if it does not follow.
    pub fn check(
        &self,
        bases: &mut Bases,
        manner: &Manner<'_>,
        done: impl Fn(Step) + Sync,
    ) -> Result<Checked, VerifyError> {
        let rules = rules(self.header.game);
        self.check_surfaces(rules)?;
        match &self.header.play {
            Play::Normal => self.check_nimbers(manner, done),
            Play::Misere { base } => {
                let lives = misere::Base::lives(base);
                if lives > BASE_LIVES && !manner.large_base {
                    return Err(VerifyError::LargeBase { base: base.clone(), lives });
                }
                let trees = bases.take(rules, base, manner.crew, |looked, met| {
                    done(Step::Base(looked, met));
                    !manner.stop.load(Relaxed)
                });
                let trees = trees.map_err(|why| VerifyError::base(base, why))?;
                let mut losses = misere::Losses::new(trees);
                let checked = self.check_losses(base, &mut losses, manner, done);
                bases.bring_back(rules, base, losses.into_base());
                checked
            }
        }
    }

    /// Refuses positions that the game does not have. The oracle has no moves for them.
    fn check_surfaces(&self, rules: Rules) -> Result<(), VerifyError> {
        if rules == Rules::Sprouts {
            return Ok(());
        }
        let why = || format!("{} is played on the sphere alone", self.header.game);
        if !rules.have(&self.header.position) {
            return Err(VerifyError::claim(&self.header, why()));
        }
        let line = |place: usize| {
            let (line, text) = &self.lines[place];
            VerifyError::line(*line, text, why())
        };
        match &self.header.play {
            Play::Normal => self.facts().enumerate().try_for_each(|(place, fact)| {
                if rules.have(&fact?.land) { Ok(()) } else { Err(line(place)) }
            }),
            Play::Misere { base } if !rules.have(base) => Err(VerifyError::base(base, why())),
            Play::Misere { .. } => self.losses().enumerate().try_for_each(|(place, loss)| {
                let loss = loss?;
                let all = std::iter::once(&loss.lands).chain(&loss.sums);
                if all.into_iter().all(|position| rules.have(position)) {
                    Ok(())
                } else {
                    Err(line(place))
                }
            }),
        }
    }

    fn check_nimbers(
        &self,
        &Manner { crew, stop, .. }: &Manner<'_>,
        done: impl Fn(Step) + Sync,
    ) -> Result<Checked, VerifyError> {
        let mut facts = Facts::default();
        let mut lives = 0;
        let read = |text: &str| {
            let fact: Fact = text.parse()?;
            let land = Ready::of(&fact.land).map_err(|why| why.to_string())?;
            Ok((land, fact.nimber, fact.land.0.iter().map(|land| land.lives()).sum()))
        };
        self.take_in(crew, read, |(land, nimber, its_lives)| {
            lives = lives.max(its_lives);
            facts.add_ready(&land, nimber).map_err(|why| why.to_string())
        })?;
        let checker = Checker::by(rules(self.header.game), &facts).until(stop);
        let position = &self.header.position;
        let follows = match self.header.claim {
            Claim::Win => checker.check_win(position),
            Claim::Loss => checker.check_nimber(position, Nimber::ZERO),
            Claim::Nimber(nimber) => checker.check_nimber(position, nimber),
        };
        follows.map_err(|why| VerifyError::claim(&self.header, why))?;
        self.each_step(crew, done, |place| checker.check_fact(place).map_err(|e| e.to_string()))?;
        Ok(Checked { options: checker.options(), lives, base: None })
    }

    fn check_losses(
        &self,
        base: &Position,
        losses: &mut misere::Losses,
        &Manner { crew, stop, .. }: &Manner<'_>,
        done: impl Fn(Step) + Sync,
    ) -> Result<Checked, VerifyError> {
        let mut base = CheckedBase {
            position: base.to_string(),
            lands: losses.base().lands(),
            trees: losses.base().trees(),
            facts_with_lands: 0,
        };
        let read = |text: &str| {
            let loss: Loss = text.parse()?;
            let lands = Ready::of(&loss.lands).map_err(|why| why.to_string())?;
            Ok((lands, loss.sums))
        };
        self.take_in(crew, read, |(lands, sums)| {
            losses.add_ready(&lands, &sums).map_err(|why| why.to_string())
        })?;
        base.facts_with_lands = losses.with_lands();
        let losses = &*losses;
        let checker = misere::Checker::new(losses).until(stop);
        let follows = match self.header.claim {
            Claim::Win => checker.check_win(&self.header.position),
            Claim::Loss => checker.check_loss(&self.header.position),
            Claim::Nimber(_) => Err(misere::Flaw::Claim("there are no nimbers in misère play")),
        };
        follows.map_err(|why| VerifyError::claim(&self.header, why))?;
        self.each_step(crew, done, |place| checker.check(place).map_err(|e| e.to_string()))?;
        Ok(Checked { options: checker.options(), lives: losses.lives(), base: Some(base) })
    }

    /// Reads all lines, many at a time, and takes in what they say, in their order.
    fn take_in<T: Send>(
        &self,
        crew: Crew<'_>,
        read: impl Fn(&str) -> Result<T, String> + Sync,
        mut take: impl FnMut(T) -> Result<(), String>,
    ) -> Result<(), VerifyError> {
        for lines in self.lines.chunks(CHUNK) {
            let next = AtomicUsize::new(0);
            let said: Vec<Mutex<Option<Result<T, String>>>> =
                lines.iter().map(|_| Mutex::new(None)).collect();
            crew(&|| {
                loop {
                    let place = next.fetch_add(1, Relaxed);
                    let Some((_, text)) = lines.get(place) else { break };
                    let line = read(text);
                    *said[place].lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
                }
            });
            for ((line, text), said) in lines.iter().zip(said) {
                let said = said.into_inner().unwrap_or_else(PoisonError::into_inner);
                let taken = said.expect("the crew reads all lines").and_then(&mut take);
                taken.map_err(|why| VerifyError::line(*line, text, why))?;
            }
        }
        Ok(())
    }

    /// Does the steps of all lines. `check` does that of the line at an index.
    fn each_step(
        &self,
        crew: Crew<'_>,
        done: impl Fn(Step) + Sync,
        check: impl Fn(usize) -> Result<(), String> + Sync,
    ) -> Result<(), VerifyError> {
        let next = AtomicUsize::new(0);
        // The index of the first step that was found to be wrong, and why.
        let first: Mutex<Option<(usize, VerifyError)>> = Mutex::new(None);
        crew(&|| {
            loop {
                let place = next.fetch_add(1, Relaxed);
                let Some((line, text)) = self.lines.get(place) else { break };
                if let Err(why) = check(place) {
                    let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                    if first.as_ref().is_none_or(|&(other, _)| place < other) {
                        *first = Some((place, VerifyError::line(*line, text, why)));
                    }
                    // Steps before this one are being done, or are done.
                    next.store(self.lines.len(), Relaxed);
                    break;
                }
                done(Step::Fact(place as u64 + 1));
            }
        });
        let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.map_or(Ok(()), |(_, error)| Err(error))
    }
}
