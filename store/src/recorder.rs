//! The thread that writes down, now and then, how much there is at least.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::StoreError;
use crate::directory::Head;
use crate::job::UnixMillis;
use crate::least::Least;

/// How long facts may be on disk before the record says so.
const PERIOD: Duration = Duration::from_secs(10);

/// Keeps the record of one database.
pub(crate) struct Recorder {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    dir: PathBuf,
    state: Mutex<State>,
    wake: Condvar,
}

struct State {
    least: Least,
    /// Whether facts have come that the file does not count.
    is_behind: bool,
    ends: bool,
}

impl Recorder {
    /// Writes that the database is open, and begins to listen.
    pub(crate) fn start(dir: PathBuf, least: Least) -> Result<Self, StoreError> {
        let failed = |e| StoreError::from_io(&dir, &e);
        let state = Mutex::new(State { least, is_behind: false, ends: false });
        let shared = Arc::new(Shared { dir: dir.clone(), state, wake: Condvar::new() });
        shared.write(false)?;
        let writer = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("recorder".into());
        let thread = Some(thread.spawn(move || writer.work()).map_err(failed)?);
        Ok(Self { shared, thread })
    }

    /// Notes what is on disk by now.
    pub(crate) fn note(&self, facts: u64, writes: u64) {
        let mut state = self.shared.lock();
        (state.least.facts, state.least.writes) = (facts, writes);
        if !std::mem::replace(&mut state.is_behind, true) {
            self.shared.wake.notify_all();
        }
    }

    /// Writes the record now.
    pub(crate) fn write(&self) -> Result<(), StoreError> {
        self.shared.write(false)
    }

    /// Ends the thread. Writes the last record if everything `is_well`.
    pub(crate) fn end(mut self, is_well: bool) -> Result<(), StoreError> {
        self.join();
        if is_well { self.shared.write(true) } else { Ok(()) }
    }

    fn join(&mut self) {
        self.shared.lock().ends = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            // The thread does not panic. If it did, the record is old, which is safe.
            let _ = thread.join();
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.join();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            let news = self.wake.wait_while(state, |state| !state.is_behind && !state.ends);
            state = news.unwrap_or_else(PoisonError::into_inner);
            let more = self.wake.wait_timeout_while(state, PERIOD, |state| !state.ends);
            (state, _) = more.unwrap_or_else(PoisonError::into_inner);
            if state.ends {
                return;
            }
            drop(state);
            if let Err(error) = self.write(false) {
                // What is on disk is safe; the record will count it the next time.
                tracing::warn!("{error}");
            }
            state = self.lock();
        }
    }

    fn write(&self, ended: bool) -> Result<(), StoreError> {
        let least = {
            let mut state = self.lock();
            state.is_behind = false;
            state.least.clone()
        };
        let (time, head) = (UnixMillis::now(), Some(Head::read(&self.dir)?));
        let written = Least { time, ended, head, ..least }.write(&self.dir);
        if written.is_err() {
            self.lock().is_behind = true;
        }
        written
    }
}
