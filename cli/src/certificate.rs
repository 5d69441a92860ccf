//! Certificates as commands read, check and write them.

use std::fs::File;
use std::io::Read;
use std::path::Path;
#[cfg(feature = "coordinator")]
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use anyhow::{Context, anyhow};
use sprig_certificate::{Claim, Fact, Header, Reader};
use sprig_engine::Nimber;
use sprig_oracle::proof::{Checker, Facts};

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

    /// The facts.
    ///
    /// # Errors
    /// The line that is none.
    pub fn facts(&self) -> impl Iterator<Item = anyhow::Result<Fact>> + '_ {
        self.lines.iter().map(|line| self.fact(line))
    }

    fn fact(&self, (number, text): &(u64, String)) -> anyhow::Result<Fact> {
        text.parse().map_err(|error: String| self.wrong(*number, text, error))
    }

    fn wrong(&self, line: u64, text: &str, why: impl std::fmt::Display) -> anyhow::Error {
        anyhow!("{}, line {line}, `{text}`: {why}", self.name)
    }

    /// Checks every step with the oracle, on `threads` threads. `done` is told how many steps are.
    ///
    /// # Errors
    /// The first step that is wrong, or the claim if it does not follow.
    pub fn check(&self, threads: usize, done: impl Fn(u64) + Sync) -> anyhow::Result<Checked> {
        let mut facts = Facts::default();
        let mut lives = 0;
        for line in &self.lines {
            let fact = self.fact(line)?;
            lives = lives.max(fact.land.0.iter().map(|land| land.lives()).sum());
            let added = facts.add(&fact.land, fact.nimber);
            added.map_err(|why| self.wrong(line.0, &line.1, why))?;
        }
        let mut checker = Checker::new(&facts);
        let position = &self.header.position;
        let follows = match self.header.claim {
            Claim::Win => checker.check_win(position),
            Claim::Loss => checker.check_nimber(position, Nimber::ZERO),
            Claim::Nimber(nimber) => checker.check_nimber(position, nimber),
        };
        follows.map_err(|why| {
            anyhow!("{}, claim `{}` about `{position}`: {why}", self.name, self.header.claim)
        })?;
        let options = AtomicU64::new(checker.options());
        let next = AtomicUsize::new(0);
        // The place of the first step found to be wrong, and why it is.
        let first: Mutex<Option<(usize, anyhow::Error)>> = Mutex::new(None);
        let work = || {
            let mut checker = Checker::new(&facts);
            loop {
                let place = next.fetch_add(1, Relaxed);
                let Some(line) = self.lines.get(place) else { break };
                let checked = self.fact(line).and_then(|fact| {
                    let checked = checker.check(&fact.land, fact.nimber);
                    checked.map_err(|why| self.wrong(line.0, &line.1, why))
                });
                if let Err(error) = checked {
                    let mut first = first.lock().expect("nobody panics with it");
                    if first.as_ref().is_none_or(|&(other, _)| place < other) {
                        *first = Some((place, error));
                    }
                    // Steps before this one are in work or done.
                    next.store(self.lines.len(), Relaxed);
                    break;
                }
                done(place as u64 + 1);
            }
            options.fetch_add(checker.options(), Relaxed);
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
        match first.into_inner().expect("nobody panics with it") {
            Some((_, error)) => Err(error),
            None => Ok(Checked { options: options.into_inner(), lives }),
        }
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

/// Where a file is written before it gets its name, so that no half a file has it.
#[cfg(feature = "coordinator")]
pub fn draft(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}
