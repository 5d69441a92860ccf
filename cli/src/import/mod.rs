//! Takes files of facts into a database, believing only what was checked.
//!
//! First all files are read, canonized and sorted, in bounded memory: a file that is no file of facts changes nothing.
//! Then the claims are checked, those about lands with few lives first, so that what a claim rests on has been checked
//! before it. What was checked is committed as it comes; an import that is cut short has left true facts behind, and the
//! next one goes on from them.

pub mod check;
mod gather;
mod keeper;
mod lookup;
mod losses;
mod nimbers;
mod node;
mod progress;
mod rcts;
mod report;
mod search;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use sprig_store::Store;

use crate::failure::Interrupted;

pub use check::Check;
use gather::Place;
pub use report::Report;

/// How to import.
pub struct Plan {
    /// The files; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// Which claims to check.
    pub check: Check,
    /// Expansions that a search may take where a claim does not follow from others.
    pub expansions: u64,
    /// Threads that check.
    pub threads: usize,
    /// Bytes that sorting may take, and searching.
    pub memory: usize,
    /// Raised when a person wishes to stop.
    pub stop: Arc<AtomicBool>,
}

impl Plan {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// # Errors
    /// [`Interrupted`] when a person wishes to stop.
    fn go_on(&self) -> anyhow::Result<()> {
        let kept = "what was checked is kept, the same command goes on from there";
        if self.is_stopped() { Err(Interrupted::new(kept.to_owned()).into()) } else { Ok(()) }
    }

    /// A place in the files, for people.
    fn place(&self, number: u64) -> String {
        let Place { file, line } = Place::of(number);
        format!("{}, line {line}", gather::name(&self.files[file]))
    }
}

/// Reads every file, then asks for the database and takes in what is true.
///
/// # Errors
/// When a file cannot be read or holds something else, or the database fails.
pub fn import<'a>(
    plan: &'a Plan,
    database: impl FnOnce() -> anyhow::Result<Arc<Store>>,
) -> anyhow::Result<Report<'a>> {
    let begin = Instant::now();
    let gathered = gather::gather(plan)?;
    let mut report = Report::new(plan, gathered.lines, begin);
    let rcts = gathered.rcts.build(plan)?;
    let store = database()?;
    nimbers::check(plan, &store, gathered.nimbers, &mut report)?;
    let has_losses = !gathered.losses.is_empty();
    let (base, trees) = rcts.check(plan, &store, has_losses, &mut report)?;
    gathered.losses.check(plan, &store, base, &trees, &mut report)?;
    report.end();
    Ok(report)
}
