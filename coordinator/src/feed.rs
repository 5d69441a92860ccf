//! The order in which facts were committed, for those that follow it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sprig_proto::WorkerId;
use tokio::sync::Notify;

use crate::authors::{Authors, Stretch};
use crate::gather;

/// How many facts there are, and which worker they came from in this run of the coordinator. So no
/// worker is sent its own facts, or those of a newcomer.
#[derive(Debug)]
pub(crate) struct Feed {
    /// Facts whose commit has been acknowledged to the machine; `None` when the coordinator has
    /// stopped.
    total: Mutex<Option<u64>>,
    /// Wakes the subscribers, in the order in which they came. With a random order, which a `watch`
    /// has, simulations could not be repeated.
    news: Notify,
    /// There is a lock because three threads meet here for a moment.
    authors: Mutex<Authors>,
    /// Each subscriber holds a clone.
    subscribers: Arc<()>,
    /// Workers that need not be told anything until they have work.
    resting: Mutex<BTreeSet<WorkerId>>,
    /// Wakes their streams when it is time.
    woken: Notify,
}

/// A subscriber of the feed, as long as this is held.
pub(crate) struct Subscriber {
    _counted: Arc<()>,
}

impl Feed {
    /// Counts one more subscriber.
    pub(crate) fn subscribe(&self) -> Subscriber {
        Subscriber { _counted: self.subscribers.clone() }
    }

    /// How long each subscriber gathers new facts before it sends them on. Those that rest send
    /// none.
    pub(crate) fn gather(&self) -> Duration {
        let subscribers = Arc::strong_count(&self.subscribers) - 1;
        gather::before_news(subscribers.saturating_sub(self.resting().len()))
    }

    fn resting(&self) -> MutexGuard<'_, BTreeSet<WorkerId>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// These workers, and no others, need not be told anything now.
    pub(crate) fn rest(&self, workers: BTreeSet<WorkerId>) {
        *self.resting() = workers;
        self.woken.notify_waiters();
    }

    /// Waits while a worker rests.
    pub(crate) async fn awake(&self, worker: WorkerId) {
        loop {
            let woken = self.woken.notified();
            tokio::pin!(woken);
            // From here on nothing is missed.
            woken.as_mut().enable();
            if !self.resting().contains(&worker) {
                return;
            }
            woken.await;
        }
    }

    /// A feed of `total` facts. `checked` says whether the first claims of newcomers are looked at
    /// before others are told of them.
    pub(crate) fn new(total: u64, checked: bool) -> Self {
        let (total, news) = (Mutex::new(Some(total)), Notify::new());
        let authors = Mutex::new(Authors::new(checked));
        let (resting, woken) = (Mutex::default(), Notify::new());
        Self { total, news, authors, subscribers: Arc::default(), resting, woken }
    }

    /// Remembers that `worker`, by this name, claims the facts of this range, which comes after all
    /// others; `may_wait` if claims among them are looked at.
    pub(crate) fn note(&self, range: Range<u64>, worker: WorkerId, name: &str, may_wait: bool) {
        self.authors().note(range, worker, name, may_wait);
    }

    /// `worker`, by this name, has reported these facts, which were there already.
    pub(crate) fn second(&self, known: impl Iterator<Item = u64>, worker: WorkerId, name: &str) {
        let mut authors = self.authors();
        if !authors.any_waits() {
            return;
        }
        let before = authors.told();
        known.for_each(|sequence| authors.second(sequence, worker, name));
        let is_news = authors.told() > before;
        drop(authors);
        if is_news {
            self.news.notify_waiters();
        }
    }

    /// Whether the fact `sequence` is told to nobody but its author yet.
    pub(crate) fn waits(&self, sequence: u64) -> bool {
        self.authors().waits(sequence)
    }

    /// The names that know the fact `sequence`, or take it for written down, since they have
    /// reported it. `None` if it was told to others.
    pub(crate) fn knowers(&self, sequence: u64) -> Option<Vec<Arc<str>>> {
        self.authors().knowers(sequence)
    }

    /// Tells the facts of `name` to others from now on. Returns whether that is new.
    pub(crate) fn admit(&self, name: &str) -> bool {
        let is_new = self.authors().admit(name);
        if is_new {
            tracing::debug!(name, "its facts are told to others");
            self.news.notify_waiters();
        }
        is_new
    }

    /// Tells everything that has waited: every claim has been looked at.
    pub(crate) fn release(&self) {
        self.authors().release();
        self.news.notify_waiters();
    }

    /// How much has waited and is told now.
    pub(crate) fn told(&self) -> usize {
        self.authors().told()
    }

    /// The parts of what was told late that lie below `sequence`, from number `seen` on, and how much
    /// was told late until now.
    pub(crate) fn told_late(&self, seen: usize, sequence: u64) -> (Vec<Stretch>, usize) {
        let authors = self.authors();
        (authors.told_late(seen, sequence), authors.told())
    }

    /// Who has claimed what. All others wait while this is held.
    pub(crate) fn authors(&self) -> MutexGuard<'_, Authors> {
        self.authors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn publish(&self, total: u64) {
        self.set(Some(total));
    }

    /// Ends all streams of facts.
    pub(crate) fn close(&self) {
        self.rest(BTreeSet::new());
        self.set(None);
    }

    fn set(&self, total: Option<u64>) {
        *self.total.lock().unwrap_or_else(PoisonError::into_inner) = total;
        self.news.notify_waiters();
    }

    /// How many facts there are; `None` when the coordinator has stopped.
    pub(crate) fn total(&self) -> Option<u64> {
        *self.total.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there are more or fewer facts than `seen`, or more was told late than `told`.
    pub(crate) async fn changed(&self, seen: u64, told: usize) {
        loop {
            let news = self.news.notified();
            tokio::pin!(news);
            // From here on nothing is missed.
            news.as_mut().enable();
            if self.total() != Some(seen) || self.told() > told {
                return;
            }
            news.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    #[test]
    fn the_more_follow_the_longer_each_gathers() {
        let feed = Feed::new(0, false);
        let _one = feed.subscribe();
        assert_eq!(feed.gather(), Duration::from_millis(10));
        let mut others: Vec<Subscriber> = (1..40).map(|_| feed.subscribe()).collect();
        assert_eq!(feed.gather(), Duration::from_millis(40));
        others.extend((0..1_000).map(|_| feed.subscribe()));
        assert_eq!(feed.gather(), Duration::from_secs(1));
        feed.rest((0..990).map(WorkerId).collect());
        assert_eq!(feed.gather(), Duration::from_millis(50));
        drop(others);
        assert_eq!(feed.gather(), Duration::from_millis(10));
    }

    #[tokio::test]
    async fn a_stream_rests_until_its_worker_has_work() {
        let feed = Feed::new(0, false);
        let (idle, busy) = (WorkerId(1), WorkerId(2));
        feed.rest(BTreeSet::from([idle]));
        feed.awake(busy).await;
        let mut rests = Box::pin(feed.awake(idle));
        assert!(timeout(Duration::ZERO, &mut rests).await.is_err());
        feed.publish(7);
        feed.rest(BTreeSet::from([idle, WorkerId(3)]));
        assert!(timeout(Duration::ZERO, &mut rests).await.is_err());
        feed.rest(BTreeSet::from([WorkerId(3)]));
        rests.await;
        // When the coordinator stops no stream rests.
        let mut rests = Box::pin(feed.awake(WorkerId(3)));
        assert!(timeout(Duration::ZERO, &mut rests).await.is_err());
        feed.close();
        rests.await;
    }
}
