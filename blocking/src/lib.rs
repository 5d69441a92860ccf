//! The one seam for work that blocks or takes long: on threads, or in simulated time on one.
//!
//! A [`Hand`] does such work step by step. The loop around its steps stands here, once for each of
//! the two worlds. So a simulation runs the very steps of production, and a seed that decides the
//! pauses before them decides everything.

mod hand;

use std::fmt;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinError;

pub use hand::{Hand, Tell};

/// How long a step of the work of this name takes in a simulation, asked before each.
pub type Pace = dyn Fn(&'static str) -> Duration + Send + Sync;

/// Where what blocks is done.
#[derive(Clone)]
pub enum Blocking {
    /// On threads, so that nothing else waits for it.
    Threads,
    /// After a pause, on the one thread of a simulation, so that the seed alone decides the order
    /// of events. Work that is in its pause when the process crashes is never done.
    Simulated(Arc<Pace>),
}

/// A hand at work that its owner may end.
#[derive(Debug)]
pub struct Running(Option<Thread>);

#[derive(Debug)]
struct Thread {
    handle: JoinHandle<()>,
    /// Closed when the thread has ended. The lock is only there so that it can be shared; one
    /// thread waits.
    ended: Mutex<Receiver<()>>,
}

impl Blocking {
    /// Does this work once, away from the threads that serve all callers.
    ///
    /// # Errors
    /// When the work has panicked.
    pub async fn call<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        match self {
            Self::Threads => tokio::task::spawn_blocking(work).await,
            Self::Simulated(pace) => {
                tokio::time::sleep(pace(name)).await;
                Ok(work())
            }
        }
    }

    /// Starts a hand. It ends after its last order when all senders are gone, or when it has broken
    /// off. The end of the process does not wait for it.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub fn start<H: Hand>(
        &self,
        name: &'static str,
        hand: H,
        orders: mpsc::UnboundedReceiver<H::Order>,
        news: mpsc::Sender<H::News>,
    ) -> io::Result<Running> {
        match self {
            Self::Threads => {
                let (ends, ended): (Sender<()>, _) = channel();
                let handle = std::thread::Builder::new().name(name.into()).spawn(move || {
                    let _ends = ends;
                    hand::work(hand, orders, &news);
                })?;
                Ok(Running(Some(Thread { handle, ended: Mutex::new(ended) })))
            }
            Self::Simulated(pace) => {
                let pace = Arc::clone(pace);
                tokio::spawn(async move { hand::rehearse(hand, orders, news, name, &*pace).await });
                Ok(Running(None))
            }
        }
    }

    /// As for [`Self::start`], but the end of the runtime waits for this hand, even if no owner
    /// does.
    pub fn keep<H: Hand>(
        &self,
        name: &'static str,
        hand: H,
        orders: mpsc::UnboundedReceiver<H::Order>,
        news: mpsc::Sender<H::News>,
    ) -> tokio::task::JoinHandle<()> {
        match self {
            Self::Threads => tokio::task::spawn_blocking(move || hand::work(hand, orders, &news)),
            Self::Simulated(pace) => {
                let pace = Arc::clone(pace);
                tokio::spawn(async move { hand::rehearse(hand, orders, news, name, &*pace).await })
            }
        }
    }
}

impl Running {
    /// Blocks until the hand has ended, for at most `patience`. Returns whether it has. A simulated
    /// hand ends by itself, and is not waited for.
    #[must_use]
    pub fn ends_within(self, patience: Duration) -> bool {
        let Some(Thread { handle, ended }) = self.0 else { return true };
        let ended = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        if ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
            return false;
        }
        // A panic of it was printed.
        let _ = handle.join();
        true
    }
}

impl fmt::Debug for Blocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Threads => "Threads",
            Self::Simulated(_) => "Simulated",
        })
    }
}
