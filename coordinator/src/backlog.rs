//! What waits for the database. Workers are heard as fast as their messages are written, and no
//! faster. The rest waits in the network, where each worker waits for itself. If it waited in
//! memory, one worker could fill that, and all others would wait behind it.

use std::sync::atomic::{AtomicUsize, Ordering};

use sprig_proto::limits::ORDERS;
use tokio::sync::Notify;

/// How many orders wait for the writer, and messages for the end of a suspension.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    waiting: AtomicUsize,
    fell: Notify,
}

impl Backlog {
    /// One more waits.
    pub(crate) fn add(&self) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
    }

    /// `count` of them wait no more.
    pub(crate) fn done(&self, count: usize) {
        if count > 0 {
            self.waiting.fetch_sub(count, Ordering::AcqRel);
            self.fell.notify_waiters();
        }
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Returns when there is room. All that have waited go on together, one message each.
    pub(crate) async fn room(&self) {
        loop {
            // Made before the count is read, so that a fall in between is not missed.
            let fell = self.fell.notified();
            if self.waiting.load(Ordering::Acquire) < ORDERS {
                return;
            }
            fell.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn who_comes_to_a_full_one_waits_until_it_falls() {
        let backlog = Arc::new(Backlog::default());
        (1..ORDERS).for_each(|_| backlog.add());
        backlog.room().await;
        backlog.add();
        assert!(timeout(Duration::from_millis(20), backlog.room()).await.is_err());
        let waiting: Vec<_> = (0..3)
            .map(|_| {
                let backlog = Arc::clone(&backlog);
                tokio::spawn(async move { backlog.room().await })
            })
            .collect();
        tokio::task::yield_now().await;
        backlog.done(1);
        for waiting in waiting {
            waiting.await.expect("it goes on");
        }
    }
}
