//! The order in which facts were committed, for those who follow it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sprig_proto::WorkerId;
use tokio::sync::Notify;

/// How many facts there are, and which of them came from whom in this run of the coordinator, so that nobody is sent
/// his own.
#[derive(Debug)]
pub(crate) struct Feed {
    /// Facts whose commit has been acknowledged to the machine; none when the coordinator has stopped.
    total: Mutex<Option<u64>>,
    /// Wakes those who follow, in the order in which they came: one that wakes them in a random order (as a `watch` does) would
    /// make simulations that cannot be repeated.
    news: Notify,
    /// Ranges of sequence numbers by their first; a lock because two threads meet here for a moment.
    authors: Mutex<BTreeMap<u64, (u64, WorkerId)>>,
    /// Each who follows holds one.
    subscribers: Arc<()>,
}

/// One who follows the feed, while it is held.
pub(crate) struct Subscriber {
    of: Arc<()>,
}

impl Subscriber {
    /// How long this follower gathers new facts before it sends them on. Facts that come late are proved twice; messages
    /// cost the coordinator. So the wait grows with the followers: all of them send 1,000 messages a second, until a
    /// hundred follow.
    pub(crate) fn gather(&self) -> Duration {
        let all = Arc::strong_count(&self.of) - 1;
        Duration::from_millis(all.clamp(10, 100) as u64)
    }
}

impl Feed {
    /// Counts one more who follows.
    pub(crate) fn subscribe(&self) -> Subscriber {
        Subscriber { of: self.subscribers.clone() }
    }

    pub(crate) fn new(total: u64) -> Self {
        let (total, news) = (Mutex::new(Some(total)), Notify::new());
        Self { total, news, authors: Mutex::default(), subscribers: Arc::default() }
    }

    /// Remembers who proved the facts of a commit, if it was one worker alone.
    pub(crate) fn note(&self, range: Range<u64>, author: Option<WorkerId>) {
        let Some(author) = author.filter(|_| !range.is_empty()) else { return };
        let mut authors = self.authors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut last) = authors.last_entry() {
            let (end, by) = last.get_mut();
            if *end == range.start && *by == author {
                *end = range.end;
                return;
            }
        }
        authors.insert(range.start, (range.end, author));
    }

    /// The end of the range of `worker`'s own facts that `sequence` lies in.
    pub(crate) fn own(&self, worker: WorkerId, sequence: u64) -> Option<u64> {
        let authors = self.authors.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, &(end, author)) = authors.range(..=sequence).next_back()?;
        (author == worker && sequence < end).then_some(end)
    }

    pub(crate) fn publish(&self, total: u64) {
        self.set(Some(total));
    }

    /// Ends all streams of facts.
    pub(crate) fn close(&self) {
        self.set(None);
    }

    fn set(&self, total: Option<u64>) {
        *self.total.lock().unwrap_or_else(PoisonError::into_inner) = total;
        self.news.notify_waiters();
    }

    /// How many facts there are; none when the coordinator has stopped.
    pub(crate) fn total(&self) -> Option<u64> {
        *self.total.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there are more or fewer than `seen`.
    pub(crate) async fn changed(&self, seen: u64) {
        loop {
            let news = self.news.notified();
            tokio::pin!(news);
            // From here on nothing is missed.
            news.as_mut().enable();
            if self.total() != Some(seen) {
                return;
            }
            news.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_follow_the_longer_each_gathers() {
        let feed = Feed::new(0);
        let one = feed.subscribe();
        assert_eq!(one.gather(), Duration::from_millis(10));
        let mut others: Vec<Subscriber> = (1..40).map(|_| feed.subscribe()).collect();
        assert_eq!(one.gather(), Duration::from_millis(40));
        others.extend((0..1_000).map(|_| feed.subscribe()));
        assert_eq!(one.gather(), Duration::from_millis(100));
        drop(others);
        assert_eq!(one.gather(), Duration::from_millis(10));
    }

    #[test]
    fn own_facts_are_known_by_range() {
        let feed = Feed::new(0);
        let (a, b) = (WorkerId(1), WorkerId(2));
        feed.note(0..3, Some(a));
        feed.note(3..5, Some(a));
        feed.note(5..6, None);
        feed.note(6..9, Some(b));
        feed.note(9..9, Some(a));
        assert_eq!(
            [0, 2, 4, 5, 7].map(|n| feed.own(a, n)),
            [Some(5), Some(5), Some(5), None, None]
        );
        assert_eq!([4, 5, 6, 8, 9].map(|n| feed.own(b, n)), [None, None, Some(9), Some(9), None]);
    }
}
