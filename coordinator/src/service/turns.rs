//! Turns for long work: a fixed number at once in all, and half as many for each caller, so that no
//! caller waits behind all that another one asks for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The turns of one kind of work.
#[derive(Clone)]
pub(crate) struct Turns(Arc<Shared>);

struct Shared {
    all: Arc<Semaphore>,
    /// How many of these a caller may have.
    each: usize,
    /// The turns of the callers that have some or wait for one, by account.
    callers: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// A turn; it ends when it is dropped.
pub(crate) struct Turn {
    _of_all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl Turns {
    /// `all` turns at once, at most half of them for one caller.
    pub(crate) fn new(all: usize) -> Self {
        let each = all.div_ceil(2);
        Self(Arc::new(Shared {
            all: Arc::new(Semaphore::new(all)),
            each,
            callers: Mutex::default(),
        }))
    }

    /// The next turn of an account; it waits among its own first, and then among the first of the
    /// others.
    pub(crate) async fn next(&self, account: &str) -> Turn {
        let closed = "turns are never closed";
        let own = self.of(account).acquire_owned().await.expect(closed);
        let of_all = Arc::clone(&self.0.all).acquire_owned().await.expect(closed);
        Turn { _of_all: of_all, _own: own }
    }

    fn of(&self, account: &str) -> Arc<Semaphore> {
        let mut callers = self.0.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = callers.get(account).and_then(Weak::upgrade) {
            return turns;
        }
        // A caller that has gone leaves nothing behind.
        callers.retain(|_, turns| turns.strong_count() > 0);
        let turns = Arc::new(Semaphore::new(self.0.each));
        callers.insert(account.to_owned(), Arc::downgrade(&turns));
        turns
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn who_asks_for_much_waits_for_himself() {
        let turns = Turns::new(4);
        let held = [turns.next("greedy").await, turns.next("greedy").await];
        let soon = Duration::from_millis(20);
        assert!(timeout(soon, turns.next("greedy")).await.is_err());
        let others = [turns.next("one").await, turns.next("another").await];
        assert!(timeout(soon, turns.next("third")).await.is_err(), "all are taken");
        drop(others);
        drop(turns.next("third").await);
        drop(held);
        drop(turns.next("greedy").await);
        assert_eq!(turns.0.callers.lock().expect("nobody panics").len(), 1);
    }
}
