//! A thread that ends the process when a part of it stands still, so that its supervisor starts it
//! again.
//!
//! The parts of a coordinator wait for each other: one that stands still stops the cluster without
//! a word. Long work says that it goes on by counting steps ([`Watched`]); a part that is busy and
//! counts no step for too long stands still.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use sprig_domain::Game;
use sprig_engine::Watched;
use sprig_search::step::Key;
use sprig_store::{Event, EventKind, Kind, Store};
use tracing::error;

use crate::record;

/// Exit code of a process that its watchdog has ended: it may be started again (`EX_TEMPFAIL`).
pub const STANDS_STILL: i32 = 75;

/// How long the end of the process may take.
const CUT: Duration = Duration::from_secs(5);

/// Looks of the watchdog in the time that a part may stand still. A process that was suspended is
/// not ended at its first look.
const LOOKS: u32 = 8;

/// A part of the coordinator, as the watchdog sees it.
#[derive(Debug)]
pub(crate) struct Part {
    name: &'static str,
    pub(crate) watched: Arc<Watched>,
    is_busy: AtomicBool,
}

/// As long as this lives, its part is busy.
pub(crate) struct Busy<'a>(&'a Part);

impl Part {
    pub(crate) fn new(name: &'static str) -> Arc<Self> {
        Arc::new(Self { name, watched: Arc::default(), is_busy: AtomicBool::new(false) })
    }

    /// The part counts as busy until what this returns is dropped.
    pub(crate) fn busy(&self) -> Busy<'_> {
        self.watched.step();
        self.is_busy.store(true, Relaxed);
        Busy(self)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.is_busy.store(false, Relaxed);
    }
}

/// Looks at the parts until `closed` is closed. Calls `bark` with the first that stands still for
/// `patience`, and ends.
pub(crate) fn watch(
    parts: &[Arc<Part>],
    patience: Duration,
    closed: &Receiver<()>,
    bark: impl FnOnce(&Part),
) {
    let mut still = vec![(0, 0); parts.len()];
    while let Err(RecvTimeoutError::Timeout) = closed.recv_timeout(patience / LOOKS) {
        for (part, (steps, looks)) in parts.iter().zip(&mut still) {
            let now = part.watched.steps();
            let moves = now != *steps || !part.is_busy.load(Relaxed);
            (*steps, *looks) = (now, if moves { 0 } else { *looks + 1 });
            if *looks >= LOOKS {
                return bark(part);
            }
        }
    }
}

/// Ends the process because a part stands still. Claims that are inspected just now are taken out
/// first: the next process would stand still at them again.
pub(crate) fn end_process(part: &Part, patience: Duration, store: &Store) {
    let seconds = patience.as_secs_f64();
    error!(part = part.name, seconds, "a part of the coordinator stands still; the process ends");
    // If even the end of the process stands still, it is cut short.
    let (_in_work, end) = channel::<()>();
    let cut = std::thread::Builder::new().spawn(move || {
        let _ = end.recv_timeout(CUT);
        std::process::abort();
    });
    take_out(&part.watched.lands(), store);
    drop(cut);
    #[allow(clippy::disallowed_methods, reason = "main waits for what stands still")]
    std::process::exit(STANDS_STILL);
}

/// Takes claims about the nimbers of lands out of the facts, and writes down why.
fn take_out(lands: &[Key], store: &Store) {
    if lands.is_empty() {
        return;
    }
    // The land does not show its game. What is true in another game is found again.
    let claims = |land: &Key| Game::ALL.map(|game| (game, Kind::Nimber, land.clone()));
    let subjects: Vec<_> = lands.iter().flat_map(claims).collect();
    let detail = format!("{} claims: the auditor stood still at them", lands.len());
    let event = Event { time: record::time(), kind: EventKind::Withdrawn, detail };
    match store.withdraw(&subjects, &[event], &[]) {
        Ok(withdrawn) => error!(withdrawn, "claims that cannot be checked are withdrawn"),
        Err(why) => error!("claims that cannot be checked could not be withdrawn: {why}"),
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "threads that stand still are what is tested")]
mod tests {
    use std::process::Command;
    use std::sync::mpsc::{Sender, channel};
    use std::time::Instant;

    use sprig_engine::{CanonicalPosition, Nimber, Position};
    use sprig_search::step::Inspector;
    use sprig_store::{Batch, Contribution, Fact, Provenance, Secret, Source};

    use super::*;

    /// Watches with this patience. Tells which part stood still, and when.
    fn watching(
        parts: Vec<Arc<Part>>,
        patience: Duration,
    ) -> (Sender<()>, std::thread::JoinHandle<Option<&'static str>>) {
        let (close, closed) = channel();
        let thread = std::thread::spawn(move || {
            let mut found = None;
            watch(&parts, patience, &closed, |part| found = Some(part.name));
            found
        });
        (close, thread)
    }

    #[test]
    fn a_part_that_stands_still_is_found_and_others_are_not() {
        let patience = Duration::from_millis(400);
        let [idle, moving, stuck] = ["idle", "moving", "stuck"].map(Part::new);
        let parts = vec![Arc::clone(&idle), Arc::clone(&moving), Arc::clone(&stuck)];
        let (_close, dog) = watching(parts, patience);
        let _moving = moving.busy();
        let begun = Instant::now();
        while begun.elapsed() < 3 * patience {
            moving.watched.step();
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!dog.is_finished(), "work that goes on is let alone, however long it takes");
        let _stuck = stuck.busy();
        let mut waited = 0;
        while !dog.is_finished() && waited < 10_000 {
            moving.watched.step();
            std::thread::sleep(Duration::from_millis(5));
            waited += 5;
        }
        assert_eq!(dog.join().expect("no panic"), Some("stuck"));
    }

    #[test]
    fn the_watchdog_ends_with_the_coordinator() {
        let (close, dog) = watching(vec![Part::new("any")], Duration::from_secs(600));
        drop(close);
        assert_eq!(dog.join().expect("no panic"), None);
    }

    /// Environment variable with the database of a process that stands still.
    const FOLDER: &str = "SPRIG_TEST_STANDS_STILL";

    /// What the next test runs as a process of its own.
    #[test]
    fn stands_still_where_it_is_told_to() {
        let Some(folder) = std::env::var_os(FOLDER) else { return };
        let store = Store::open(folder.as_ref(), &Secret::new(SECRET)).expect("a database");
        let part = Part::new("auditor");
        let auditor = Arc::clone(&part);
        std::thread::spawn(move || {
            let _busy = auditor.busy();
            let land = land("0*4");
            let mut inspector = Inspector::default().watched(Arc::clone(&auditor.watched));
            let known = &mut |_: &[u8]| -> Result<Option<Nimber>, ()> {
                loop {
                    std::thread::park();
                }
            };
            inspector.inspect(&land, Nimber::ZERO, known)
        });
        let (_open, closed) = channel();
        let patience = Duration::from_millis(500);
        watch(&[part], patience, &closed, |part| end_process(part, patience, &store));
    }

    #[test]
    fn a_process_whose_auditor_stands_still_ends_with_its_code_and_without_the_claim() {
        let folder = tempfile::tempdir().expect("a folder");
        claim(&Store::open(folder.path(), &Secret::new(SECRET)).expect("a database"));
        let program = std::env::current_exe().expect("this program");
        let test = "watchdog::tests::stands_still_where_it_is_told_to";
        let begun = Instant::now();
        let ended =
            Command::new(program).args(["--exact", test]).env(FOLDER, folder.path()).output();
        let ended = ended.expect("it starts");
        assert_eq!(ended.status.code(), Some(STANDS_STILL), "{ended:?}");
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
        let store = Store::open(folder.path(), &Secret::new(SECRET)).expect("a database");
        assert_eq!(store.nimber(&land("0*4")).expect("read"), None);
        assert_eq!(store.nimber(&land("0*3")).expect("read"), Some(Nimber::ZERO));
    }

    const SECRET: [u8; Secret::BYTES] = [7; Secret::BYTES];

    fn land(text: &str) -> Key {
        let position: Position = text.parse().expect("a position");
        CanonicalPosition::of(&position).lands()[0].key().into()
    }

    /// Writes two claims.
    fn claim(store: &Store) {
        let source = Source { worker: "w".into(), build: "b".into() };
        let provenance = Provenance { source, job: None, time: record::time() };
        let facts = ["0*3", "0*4"].map(|text| Fact::nimber(&land(text), Nimber::ZERO)).into();
        let contribution = Contribution { provenance, facts, exclusions: Vec::new() };
        let batch = Batch { contributions: vec![contribution], ..Batch::default() };
        store.commit(&batch).expect("written");
    }

    /// A claim at which an auditor stood still is not there for the next one.
    #[test]
    fn a_claim_at_which_the_auditor_stood_still_is_taken_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path(), &Secret::random()).expect("a database");
        claim(&store);
        take_out(&[land("0*4")], &store);
        assert_eq!(store.nimber(&land("0*4")).expect("read"), None);
        assert_eq!(store.nimber(&land("0*3")).expect("read"), Some(Nimber::ZERO));
    }
}
