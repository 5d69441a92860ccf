//! One step of a proof: a fact, from the others.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use sprig_engine::{Nimber, Position};

use super::facts::Facts;
use super::land::{Land, TooManyMoves};
use super::name::Name;

/// How many won couples a checker remembers.
const MAX_WON: usize = 1 << 20;

/// Why a step is not proved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// What is written is not one land.
    #[error("this is not one land; it reduces to `{0}`")]
    NotOneLand(Position),
    /// An option has the very nimber the land is said to have.
    #[error("the move to `{0}` leads to the same nimber, so the land cannot have it")]
    SameNimber(Position),
    /// An option may have the nimber the land is said to have.
    #[error(
        "the move to `{0}` is not answered: neither are all its lands certified, nor does a move from there lead to certified \
         lands of nim-sum {1}"
    )]
    Unanswered(Position, Nimber),
    /// A smaller nimber is not shown to be too small.
    #[error("no move leads to certified lands of nim-sum {0}, so the nimber may be {0}")]
    TooLarge(Nimber),
    /// The claim about the position does not follow.
    #[error("{0}")]
    Claim(&'static str),
    /// A land has too many options.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
    /// It was told to stop before this was found out.
    #[error("the check was stopped here")]
    Stopped,
}

/// Checks facts by other facts; one per thread.
pub struct Checker<'a> {
    facts: &'a Facts,
    /// Couples that were won: a name of a land, and a nimber it does not have.
    won: HashSet<(Name, Nimber)>,
    /// Options looked at.
    options: u64,
    stop: Option<&'a AtomicBool>,
}

/// A sum of reduced lands, as far as facts tell.
struct Sum {
    /// The certified lands.
    known: Vec<Land>,
    /// Their nim-sum.
    nimber: Nimber,
    /// The others, of which no two are isomorphic: A + A has nimber 0.
    open: Vec<(Name, Land)>,
}

impl<'a> Checker<'a> {
    /// A checker of steps that rest on `facts`.
    #[must_use]
    pub fn new(facts: &'a Facts) -> Self {
        Self { facts, won: HashSet::new(), options: 0, stop: None }
    }

    /// The same; but it stops when it is told to.
    #[must_use]
    pub fn until(self, stop: &'a AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Relaxed))
    }

    /// How many options of positions have been looked at so far.
    #[must_use]
    pub fn options(&self) -> u64 {
        self.options
    }

    /// Checks that a land has a nimber, if all facts about positions that can follow are true.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check(&mut self, written: &Position, nimber: Nimber) -> Result<(), Flaw> {
        let land = Land::one(written).map_err(Flaw::NotOneLand)?;
        land.manageable()?;
        let mut reached = 0u64;
        let mut seen = HashSet::new();
        let mut flaw = None;
        land.all_options(|option| {
            let sum = self.sum(option);
            if sum.open.is_empty() {
                reached |= 1 << sum.nimber.get();
                if sum.nimber == nimber {
                    flaw = Some(Flaw::SameNimber(sum.into_written()));
                }
            } else {
                let names: Vec<Name> = sum.open.iter().map(|(name, _)| name.clone()).collect();
                if seen.insert((names, sum.nimber)) && !self.is_answered(&sum, nimber) {
                    flaw = Some(Flaw::Unanswered(sum.into_written(), nimber));
                }
            }
            flaw.is_none() && !self.is_stopped()
        });
        match flaw {
            _ if self.is_stopped() => Err(Flaw::Stopped),
            Some(flaw) => Err(flaw),
            None => match (0..nimber.get()).find(|smaller| reached >> smaller & 1 == 0) {
                Some(smaller) => {
                    Err(Flaw::TooLarge(Nimber::new(smaller.into()).expect("smaller than a nimber")))
                }
                None => Ok(()),
            },
        }
    }

    /// Checks that a position has a nimber, if all facts are true.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check_nimber(&mut self, written: &Position, nimber: Nimber) -> Result<(), Flaw> {
        let sum = self.sum(Land::of(written));
        if !sum.open.is_empty() {
            return Err(Flaw::Claim("not all lands of the position are certified"));
        }
        if sum.nimber != nimber {
            return Err(Flaw::Claim("the certified lands of the position have another nim-sum"));
        }
        Ok(())
    }

    /// Checks that a position is won, if all facts are true.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check_win(&mut self, written: &Position) -> Result<(), Flaw> {
        let sum = self.sum(Land::of(written));
        let won = match sum.open[..] {
            [] => sum.nimber != Nimber::ZERO,
            _ => self.is_answered(&sum, Nimber::ZERO),
        };
        if self.is_stopped() {
            return Err(Flaw::Stopped);
        }
        if won { Ok(()) } else { Err(Flaw::Claim("no move leads to certified lands of nim-sum 0")) }
    }

    /// Whether some move leads from a sum with open lands to certified lands with the nim-sum `goal`: then `goal` is not the
    /// nimber of the sum.
    fn is_answered(&mut self, sum: &Sum, goal: Nimber) -> bool {
        let heap = goal.nim_sum(sum.nimber);
        if let [(name, land)] = &sum.open[..] {
            let couple = (name.clone(), heap);
            if self.won.contains(&couple) {
                return true;
            }
            if self.has_option(land, &[], heap) {
                if self.won.len() == MAX_WON {
                    self.won.clear();
                }
                self.won.insert(couple);
                return true;
            }
        } else {
            for (i, (_, land)) in sum.open.iter().enumerate() {
                let others = sum.open[..i].iter().chain(&sum.open[i + 1..]);
                let others: Vec<&Name> = others.map(|(name, _)| name).collect();
                if self.has_option(land, &others, heap) {
                    return true;
                }
            }
        }
        // A move in a certified land may make twins of all that is open.
        let open: Vec<&Name> = sum.open.iter().map(|(name, _)| name).collect();
        sum.known.iter().any(|land| {
            let nimber = self.facts.nimber(land).expect("it is certified");
            self.has_option(land, &open, heap.nim_sum(nimber))
        })
    }

    /// Whether a land has an option that consists of certified lands with the nim-sum `goal`, and of the lands `twins`.
    fn has_option(&mut self, land: &Land, twins: &[&Name], goal: Nimber) -> bool {
        if land.manageable().is_err() {
            return false;
        }
        let mut found = false;
        land.all_options(|option| {
            let lands = option.reduced();
            self.options += 1;
            // Most options have a land that nobody certified, and no twins are asked for.
            let mut nimber = Nimber::ZERO;
            let mut open = Vec::new();
            for land in &lands {
                match self.facts.nimber(land) {
                    Some(certified) => nimber = nimber.nim_sum(certified),
                    None if twins.is_empty() && lands.len() == 1 => return !self.is_stopped(),
                    None => open.push(land.name()),
                }
            }
            cancel(&mut open, |name| name);
            // Both are free of pairs, so that equally many are the same if all are there.
            let twinned =
                open.len() == twins.len() && open.iter().all(|name| twins.contains(&name));
            found = nimber == goal && twinned;
            !found && !self.is_stopped()
        });
        found
    }

    fn sum(&mut self, option: Land) -> Sum {
        self.options += 1;
        let mut sum = Sum { known: Vec::new(), nimber: Nimber::ZERO, open: Vec::new() };
        for land in option.reduced() {
            match self.facts.nimber(&land) {
                Some(nimber) => {
                    sum.nimber = sum.nimber.nim_sum(nimber);
                    sum.known.push(land);
                }
                None => sum.open.push((land.name(), land)),
            }
        }
        cancel(&mut sum.open, |(name, _)| name);
        sum
    }
}

impl Sum {
    fn into_written(self) -> Position {
        let lands = self.known.iter().chain(self.open.iter().map(|(_, land)| land));
        Position(lands.map(Land::to_written).collect())
    }
}

/// Sorts and drops pairs of things with equal names.
fn cancel<T>(things: &mut Vec<T>, name: impl Fn(&T) -> &Name) {
    things.sort_by(|a, b| name(a).cmp(name(b)));
    let mut left: Vec<T> = Vec::with_capacity(things.len());
    for thing in things.drain(..) {
        match left.last() {
            Some(last) if name(last) == name(&thing) => {
                left.pop();
            }
            _ => left.push(thing),
        }
    }
    *things = left;
}
