//! Takes files of facts into a database, and believes only what was checked.
//!
//! First all files are read, canonized and sorted, in bounded memory. A file that holds no facts
//! changes nothing. Then the claims are checked, those about lands with few lives first, by the law
//! of all claims ([`sprig_audit`]). Checked facts are committed as they come. An import that is cut
//! short has left true facts behind, and the next one goes on from them.

mod certificates;
pub mod check;
mod gather;
mod judge;
mod losses;
mod nimbers;
mod progress;
mod rcts;
mod report;

use std::num::{NonZero, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use sprig_engine::Watched;
use sprig_store::{Source, Store};

use crate::failure::Interrupted;

pub use check::Check;
use gather::Place;
pub use gather::name;
use judge::Told;
pub use report::Report;

/// How to import.
pub struct Plan {
    /// The files; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// What messages call them.
    pub names: Vec<String>,
    /// Which claims to check.
    pub check: Check,
    /// Expansions that a search may take for a claim that does not follow from others.
    pub expansions: u64,
    /// Threads that check.
    pub threads: NonZeroUsize,
    /// Bytes that sorting and searching may take.
    pub memory: usize,
    /// Set when a person wishes to stop.
    pub stop: Arc<Watched>,
}

impl Plan {
    /// # Errors
    /// [`Interrupted`] when a person wishes to stop.
    fn go_on(&self) -> anyhow::Result<()> {
        let kept = "what was checked is kept, the same command goes on from there";
        if self.stop.is_stopped() { Err(Interrupted::new(kept.to_owned()).into()) } else { Ok(()) }
    }

    /// The name of a place in the files, for people.
    fn place(&self, number: u64) -> String {
        let Place { file, line } = Place::of(number);
        format!("{}, line {line}", self.names[file])
    }

    /// The plan of the audit that checks the claims.
    fn audit(&self) -> sprig_audit::Plan<'_> {
        let files: Vec<_> = self.files.iter().map(|path| name(path)).collect();
        let worker = format!("import of {}", files.join(", "));
        let build = env!("CARGO_PKG_VERSION").to_owned();
        sprig_audit::Plan {
            source: Source { worker, build },
            threads: self.threads,
            memory: self.memory,
            nodes: self.memory,
            longest: None,
            environment: sprig_audit::Environment::default(),
            watched: &self.stop,
        }
    }
}

/// The time that a person gives.
pub struct Time {
    begun: Instant,
    seconds: Option<NonZero<u64>>,
}

impl Time {
    /// So many seconds from now on, or any time.
    pub fn begin(seconds: Option<NonZero<u64>>) -> Self {
        Self { begun: Instant::now(), seconds }
    }

    /// The error of work that was told to stop. If its time is over, nobody has interrupted it.
    pub fn blame(&self, error: anyhow::Error) -> anyhow::Error {
        let time = self.seconds.map(|seconds| Duration::from_secs(seconds.get()));
        let is_over = time.is_some_and(|time| self.begun.elapsed() >= time);
        match error.downcast::<Interrupted>() {
            Ok(Interrupted { message, .. }) if is_over => {
                anyhow!("its time is over (--max-seconds); {message}")
            }
            Ok(interrupted) => interrupted.into(),
            Err(error) => error,
        }
    }
}

/// Reads every file, then opens the database and takes in the facts that are true.
///
/// # Errors
/// When a file cannot be read or holds something else, or the database fails.
pub fn import<'a>(
    plan: &'a Plan,
    database: impl FnOnce() -> anyhow::Result<Arc<Store>>,
) -> anyhow::Result<Report<'a>> {
    let begin = Instant::now();
    let gathered = gather::gather(plan)?;
    let rcts = gathered.rcts.build(plan)?;
    let store = database()?;
    let told = Told::new(plan, Report::new(plan, gathered.lines, begin));
    nimbers::check(plan, &store, gathered.nimbers, &told)?;
    let has_losses = !gathered.losses.is_empty();
    let (base, trees) = rcts.check(plan, &store, has_losses, &told)?;
    gathered.losses.check(plan, &store, base, &trees, &told)?;
    Ok(told.end())
}
