//! Certificates as commands read, check and write them.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use anyhow::{Context, anyhow, bail};
use sprig_certificate::{Claim, Fact, Form, Header, Loss, Play, Reader, Writer};
use sprig_engine::{Nimber, Position};
use sprig_oracle::proof::{Checker, Facts, misere};

/// A certificate in memory.
pub struct Certificate {
    /// The file, for messages.
    name: String,
    /// What it says of itself.
    pub header: Header,
    /// The lines of its facts, as written.
    lines: Vec<(u64, String)>,
}

/// What a check looked at.
pub struct Checked {
    /// Options of positions that were looked at.
    pub options: u64,
    /// Most lives of a certified land.
    pub lives: u32,
    /// In misère play, what was found out of lands that stand for their trees.
    pub base: Option<CheckedBase>,
}

/// What a check found out of a base.
#[derive(serde::Serialize)]
pub struct CheckedBase {
    /// The position whose game tree it is.
    pub position: String,
    /// Lands in its game tree.
    pub lands: u64,
    /// Their different trees, without factor 1.
    pub trees: u64,
    /// Facts with lands that are not among them.
    pub facts_with_lands: u64,
}

/// The base found last: most certificates of misère play name the same, and to find it takes longer than to check them.
#[derive(Default)]
pub struct Bases(Option<(Position, misere::Base)>);

impl Bases {
    /// The base of a position; whoever takes it brings it back.
    fn take(
        &mut self,
        position: &Position,
        threads: usize,
        done: impl Fn(u64, u64) -> bool,
    ) -> Result<misere::Base, misere::NoBase> {
        match self.0.take() {
            Some((known, base)) if known == *position => Ok(base),
            _ => misere::Base::of(position, |work| on_all(threads, work), done),
        }
    }

    fn bring_back(&mut self, position: &Position, base: misere::Base) {
        self.0 = Some((position.clone(), base));
    }
}

/// Does the same work on all threads at once: it is shared out by itself.
fn on_all(threads: usize, work: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

/// How a check is done.
pub struct Manner<'a> {
    /// Threads that check.
    pub threads: usize,
    /// Whether a base may take hours.
    pub large_base: bool,
    /// Raised to stop.
    pub stop: &'a AtomicBool,
}

/// Most lives of a base that is found without being asked for: those of six spots.
const BASE_LIVES: usize = 18;

/// How far a check has come.
pub enum Step {
    /// Lands of the base that were looked at, and known.
    Base(u64, u64),
    /// Facts.
    Fact(u64),
}

impl Certificate {
    /// Reads a certificate; its checksum is found to be right.
    ///
    /// # Errors
    /// When the file cannot be read, or is no certificate.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let source: Box<dyn Read> = if path == Path::new("-") {
            Box::new(std::io::stdin())
        } else {
            Box::new(File::open(path).with_context(|| format!("cannot open the file {name}"))?)
        };
        let read = || {
            let mut reader = Reader::open(source)?;
            let mut lines = Vec::new();
            while let Some(entry) = reader.next_entry()? {
                lines.push((entry.line, entry.text));
            }
            Ok((reader.header().clone(), lines))
        };
        let (header, lines) = read()
            .map_err(|error: sprig_certificate::CertificateError| anyhow!("{name}: {error}"))?;
        Ok(Self { name, header, lines })
    }

    /// The facts of normal play.
    ///
    /// # Errors
    /// The line that is none.
    pub fn facts(&self) -> impl Iterator<Item = anyhow::Result<Fact>> + '_ {
        self.lines.iter().map(|line| self.fact(line))
    }

    fn fact(&self, (number, text): &(u64, String)) -> anyhow::Result<Fact> {
        text.parse().map_err(|error: String| self.wrong(*number, text, error))
    }

    /// The facts of misère play.
    ///
    /// # Errors
    /// The line that is none.
    pub fn losses(&self) -> impl Iterator<Item = anyhow::Result<Loss>> + '_ {
        let loss = |text: &str| text.parse::<Loss>();
        self.lines
            .iter()
            .map(move |(number, text)| loss(text).map_err(|error| self.wrong(*number, text, error)))
    }

    /// The certificate as a file, each of its lines found to be a fact.
    ///
    /// # Errors
    /// The line that is none.
    pub fn written(&self, form: Form) -> anyhow::Result<Vec<u8>> {
        match self.header.play {
            Play::Normal => self.facts().try_for_each(|fact| fact.map(|_| ()))?,
            Play::Misere { .. } => self.losses().try_for_each(|loss| loss.map(|_| ()))?,
        }
        let mut writer = Writer::new(&self.header, form, Vec::new())?;
        self.lines.iter().try_for_each(|(_, line)| writer.line(line))?;
        Ok(writer.finish()?)
    }

    fn wrong(&self, line: u64, text: &str, why: impl std::fmt::Display) -> anyhow::Error {
        anyhow!("{}, line {line}, `{text}`: {why}", self.name)
    }

    /// Checks every step with the oracle. `done` is told how far that is. In misère play the base is taken from `bases` if the
    /// certificate before named the same.
    ///
    /// # Errors
    /// The first step that is wrong, or the claim if it does not follow.
    pub fn check(
        &self,
        bases: &mut Bases,
        manner: &Manner<'_>,
        done: impl Fn(Step) + Sync,
    ) -> anyhow::Result<Checked> {
        match &self.header.play {
            Play::Normal => self.check_nimbers(manner, done),
            Play::Misere { base } => {
                let lives = misere::Base::lives(base);
                if lives > BASE_LIVES && !manner.large_base {
                    bail!(
                        "{}, `base {base}`: it has a land of {lives} lives. To find the trees of all that it can become \
                         takes minutes of CPU time for 18 lives, and some 15 times as long for every three more; \
                         --large-base allows it",
                        self.name
                    );
                }
                let trees = bases.take(base, manner.threads, |looked, met| {
                    done(Step::Base(looked, met));
                    !manner.stop.load(Relaxed)
                });
                let trees = trees.map_err(|why| anyhow!("{}, `base {base}`: {why}", self.name))?;
                let mut losses = misere::Losses::new(trees);
                let checked = self.check_losses(base, &mut losses, manner, done);
                bases.bring_back(base, losses.into_base());
                checked
            }
        }
    }

    fn check_nimbers(
        &self,
        &Manner { threads, stop, .. }: &Manner<'_>,
        done: impl Fn(Step) + Sync,
    ) -> anyhow::Result<Checked> {
        let mut facts = Facts::default();
        let mut lives = 0;
        for (line, fact) in self.lines.iter().zip(self.facts()) {
            let fact = fact?;
            lives = lives.max(fact.land.0.iter().map(|land| land.lives()).sum());
            let added = facts.add(&fact.land, fact.nimber);
            added.map_err(|why| self.wrong(line.0, &line.1, why))?;
        }
        let checker = Checker::new(&facts).until(stop);
        let position = &self.header.position;
        let follows = match self.header.claim {
            Claim::Win => checker.check_win(position),
            Claim::Loss => checker.check_nimber(position, Nimber::ZERO),
            Claim::Nimber(nimber) => checker.check_nimber(position, nimber),
        };
        follows.map_err(|why| self.not_claimed(why))?;
        self.each_step(threads, done, |place| Ok(checker.check_fact(place)?))?;
        Ok(Checked { options: checker.options(), lives, base: None })
    }

    fn check_losses(
        &self,
        base: &Position,
        losses: &mut misere::Losses,
        &Manner { threads, stop, .. }: &Manner<'_>,
        done: impl Fn(Step) + Sync,
    ) -> anyhow::Result<Checked> {
        let mut base = CheckedBase {
            position: base.to_string(),
            lands: losses.base().lands(),
            trees: losses.base().trees(),
            facts_with_lands: 0,
        };
        for (line, loss) in self.lines.iter().zip(self.losses()) {
            let loss = loss?;
            let added = losses.add(&loss.lands, &loss.sums);
            added.map_err(|why| self.wrong(line.0, &line.1, why))?;
        }
        base.facts_with_lands = losses.with_lands();
        let losses = &*losses;
        let checker = misere::Checker::new(losses).until(stop);
        let follows = match self.header.claim {
            Claim::Win => checker.check_win(&self.header.position),
            Claim::Loss => checker.check_loss(&self.header.position),
            Claim::Nimber(_) => Err(misere::Flaw::Claim("there are no nimbers in misère play")),
        };
        follows.map_err(|why| self.not_claimed(why))?;
        self.each_step(threads, done, |place| Ok(checker.check(place)?))?;
        Ok(Checked { options: checker.options(), lives: losses.lives(), base: Some(base) })
    }

    fn not_claimed(&self, why: impl std::fmt::Display) -> anyhow::Error {
        let Header { position, claim, .. } = &self.header;
        anyhow!("{}, claim `{claim}` about `{position}`: {why}", self.name)
    }

    /// Does the steps of all lines; `check` does the one of the line at a place.
    fn each_step(
        &self,
        threads: usize,
        done: impl Fn(Step) + Sync,
        check: impl Fn(usize) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<()> {
        let next = AtomicUsize::new(0);
        // The place of the first step found to be wrong, and why it is.
        let first: Mutex<Option<(usize, anyhow::Error)>> = Mutex::new(None);
        let work = || {
            loop {
                let place = next.fetch_add(1, Relaxed);
                let Some((line, text)) = self.lines.get(place) else { break };
                if let Err(why) = check(place) {
                    let mut first = first.lock().expect("nobody panics with it");
                    if first.as_ref().is_none_or(|&(other, _)| place < other) {
                        *first = Some((place, self.wrong(*line, text, why)));
                    }
                    // Steps before this one are in work or done.
                    next.store(self.lines.len(), Relaxed);
                    break;
                }
                done(Step::Fact(place as u64 + 1));
            }
        };
        on_all(threads, &work);
        first.into_inner().expect("nobody panics with it").map_or(Ok(()), |(_, error)| Err(error))
    }
}

/// What a certificate proves, in words.
pub fn in_words(header: &Header) -> String {
    match header.claim {
        Claim::Win => "win for the player to move".to_owned(),
        Claim::Loss => "loss for the player to move".to_owned(),
        Claim::Nimber(nimber) => format!("nimber {nimber}"),
    }
}
