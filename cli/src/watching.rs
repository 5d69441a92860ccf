//! Long work that is counted: how far it is, how fast it goes, and whether a person wishes to stop
//! it.

use std::cell::OnceCell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::failure::Interrupted;
use crate::progress::{Progress, counted};
use crate::stop::Stop;

/// Pause between two looks at the work. Before the first look there is no output, and Ctrl-C ends
/// the process at once.
const LOOK: Duration = Duration::from_millis(200);

/// Stack of the thread, as large as that of the main thread, as games are walked by recursion.
const STACK: usize = 8 << 20;

/// The count of a command's work, and the wish to stop it.
pub struct Watching {
    /// What is counted, in words: `positions looked at`.
    counted: &'static str,
    /// The total, if it is known.
    all: Option<u64>,
    done: Arc<AtomicU64>,
    /// None until the work takes long enough to listen.
    stop: OnceCell<Arc<AtomicBool>>,
}

impl Watching {
    /// Work that counts something.
    pub fn new(counted: &'static str) -> Self {
        Self { counted, all: None, done: Arc::default(), stop: OnceCell::new() }
    }

    /// The same work with a known total.
    pub fn of(self, all: u64) -> Self {
        Self { all: Some(all), ..self }
    }

    /// The counter that the work increases.
    pub fn done(&self) -> Arc<AtomicU64> {
        self.done.clone()
    }

    /// Begins to listen for the wish to stop. A caller does so early if it needs the flag before
    /// the work begins.
    ///
    /// # Errors
    /// When the system does not let the process listen.
    pub fn listen(&self) -> io::Result<&AtomicBool> {
        if let Some(stop) = self.stop.get() {
            return Ok(stop);
        }
        let stop = Stop::flag(None)?;
        Ok(self.stop.get_or_init(|| stop))
    }

    /// Whether a person wishes to stop, as far as the command has listened.
    pub fn is_stopped(&self) -> bool {
        self.stop.get().is_some_and(|stop| stop.load(Relaxed))
    }

    /// Does work about something on a thread of its own, so that the work need not look for the
    /// wish to stop. After such a wish the thread is left alone, and ends with the process.
    ///
    /// # Errors
    /// [`Interrupted`], with the count and the text of `known`; or the system's, when it gives no
    /// thread.
    pub fn over<T: Send + 'static>(
        &self,
        about: &str,
        work: impl FnOnce() -> T + Send + 'static,
        known: impl FnOnce() -> String,
    ) -> anyhow::Result<T> {
        self.done.store(0, Relaxed);
        let (found, waits) = channel();
        let thread = thread::Builder::new().name("work".into()).stack_size(STACK);
        let thread = thread.spawn(move || {
            // After a wish to stop no thread receives the result.
            let _ = found.send(work());
        })?;
        let mut progress: Option<Progress> = None;
        loop {
            match waits.recv_timeout(LOOK) {
                Ok(found) => return Ok(found),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let done = self.done.load(Relaxed);
            if self.listen()?.load(Relaxed) {
                let counted = counted(done, self.all, self.counted);
                return Err(Interrupted::new(format!("{counted}; {}", known())).into());
            }
            let progress = progress.get_or_insert_with(|| Progress::start(about));
            progress.show_count(done, self.all, self.counted);
        }
        // The work has panicked, so this thread panics with the same words.
        match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("it sends what it finds"),
        }
    }
}
