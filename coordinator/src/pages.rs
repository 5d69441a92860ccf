//! Facts that were read for one of those that follow them, and are kept for the others: all of them
//! want the end of the log, and to look up each fact is many times as much work as to send it.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sprig_proto::limits;
use sprig_store::{Sequence, StoredFact};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many read facts at once, first come, first served.
const READERS: usize = 2;
/// How many facts are kept, some 100 bytes each.
const KEPT: usize = 1 << 17;
/// How many pages are kept.
const PAGES: usize = 1 << 13;

/// Grows when what was read before may stand no more.
pub(crate) type Version = (u64, u64);

/// The facts of a stretch of the log.
#[derive(Debug)]
pub(crate) struct Page {
    /// Their sequence numbers.
    pub(crate) range: Range<u64>,
    /// Those that stand, in their order.
    facts: Vec<StoredFact>,
}

impl Page {
    /// A page of what was read from the beginning of `range` on. If that is fewer than `most` facts,
    /// there are no more of them.
    fn new(range: Range<u64>, most: usize, mut facts: Vec<StoredFact>) -> Self {
        let last = facts.last().filter(|_| facts.len() == most);
        let until = last.map_or(range.end, |last| range.end.min(last.sequence.0 + 1));
        // Where facts have gone, what was read reaches further than was asked for.
        facts.truncate(facts.partition_point(|fact| fact.sequence.0 < until));
        Self { range: range.start..until, facts }
    }

    /// Its facts in this range.
    pub(crate) fn within(&self, range: &Range<u64>) -> &[StoredFact] {
        let below = |end: u64| self.facts.partition_point(|fact| fact.sequence.0 < end);
        let (from, until) = (below(range.start), below(range.end));
        &self.facts[from..until.max(from)]
    }
}

/// The pages that were read last.
#[derive(Debug)]
pub(crate) struct Pages {
    turns: Arc<Semaphore>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// That of the database when they were read.
    version: Version,
    /// By their first sequence numbers. They do not overlap.
    pages: BTreeMap<u64, Arc<Page>>,
    /// The first numbers in the order in which the pages came.
    order: VecDeque<u64>,
    facts: usize,
}

/// A turn to read a page. When many follow, each would have a thread else, and what has to be
/// written would wait behind all of them.
pub(crate) struct Turn {
    pages: Arc<Pages>,
    /// Where the next page begins that is kept.
    next: u64,
    _permit: OwnedSemaphorePermit,
}

impl Turn {
    /// Reads the facts of a range, or the first of them, and keeps them for others if the database
    /// has a `version`: that of now. All numbers of the range have been given to facts: it would be
    /// noted of others that there is nothing.
    ///
    /// # Errors
    /// Those of `read`, which reads facts from a number on, but no more than it is told.
    pub(crate) fn read<E>(
        self,
        range: Range<u64>,
        version: Option<Version>,
        read: impl FnOnce(Sequence, usize) -> Result<Vec<StoredFact>, E>,
    ) -> Result<Arc<Page>, E> {
        let range = range.start..range.end.min(self.next);
        // What is told late comes in many short stretches.
        let all = usize::try_from(range.end - range.start).unwrap_or(limits::FACTS);
        let most = all.min(limits::FACTS);
        let facts = read(Sequence(range.start), most)?;
        let page = Arc::new(Page::new(range, most, facts));
        if let Some(version) = version {
            self.pages.keep(&page, version);
        }
        Ok(page)
    }
}

/// What there is of a page.
pub(crate) enum Found {
    /// It was read before.
    Page(Arc<Page>),
    /// It is to be read.
    Turn(Turn),
}

impl Pages {
    pub(crate) fn new() -> Self {
        Self { turns: Arc::new(Semaphore::new(READERS)), kept: Mutex::default() }
    }

    /// The page that holds number `from`, or a turn to read it.
    ///
    /// # Panics
    /// Never: turns are not closed.
    pub(crate) async fn find(self: &Arc<Self>, from: u64, version: impl Fn() -> Version) -> Found {
        if let Some(page) = self.kept(version()).page(from) {
            return Found::Page(page);
        }
        let permit = Arc::clone(&self.turns).acquire_owned().await;
        let permit = permit.expect("turns are never closed");
        // Another may have read it meanwhile.
        let kept = self.kept(version());
        match kept.page(from) {
            Some(page) => Found::Page(page),
            None => {
                let next = kept.pages.range(from..).next().map_or(u64::MAX, |(&start, _)| start);
                Found::Turn(Turn { pages: Arc::clone(self), next, _permit: permit })
            }
        }
    }

    /// Keeps a page for others. `version` is that of the database before it was read.
    fn keep(&self, page: &Arc<Page>, version: Version) {
        let mut kept = self.kept(version);
        if kept.version == version && kept.has_room_for(page) {
            kept.add(Arc::clone(page));
        }
    }

    /// The pages, without those of an older version.
    fn kept(&self, version: Version) -> MutexGuard<'_, Kept> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.version < version {
            *kept = Kept { version, ..Kept::default() };
        }
        kept
    }
}

impl Kept {
    fn page(&self, from: u64) -> Option<Arc<Page>> {
        let (_, page) = self.pages.range(..=from).next_back()?;
        page.range.contains(&from).then(|| Arc::clone(page))
    }

    /// Whether no other page has something of this one.
    fn has_room_for(&self, page: &Page) -> bool {
        let before = self.pages.range(..page.range.end).next_back();
        !page.range.is_empty()
            && before.is_none_or(|(_, other)| other.range.end <= page.range.start)
    }

    fn add(&mut self, page: Arc<Page>) {
        self.facts += page.facts.len();
        self.order.push_back(page.range.start);
        self.pages.insert(page.range.start, page);
        while self.facts > KEPT || self.order.len() > PAGES {
            let oldest = self.order.pop_front().and_then(|start| self.pages.remove(&start));
            let Some(oldest) = oldest else { return };
            self.facts -= oldest.facts.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use sprig_domain::Game;
    use sprig_engine::Nimber;
    use sprig_store::{
        Batch, Contribution, Fact, Kind, Provenance, Sequence, Source, Store, UnixMillis,
    };

    use super::*;

    /// A database of `count` claims.
    fn claims(count: u8) -> Store {
        let store = Store::in_memory().expect("memory suffices");
        commit(&store, 0..count);
        store
    }

    fn commit(store: &Store, subjects: Range<u8>) {
        let source = Source { worker: "ada".into(), build: "test".into() };
        let provenance = Provenance { source, job: None, time: UnixMillis(0) };
        let facts = subjects.map(|subject| Fact {
            status: sprig_store::Status::Claimed,
            ..Fact::nimber(&[subject], Nimber::ZERO)
        });
        let contribution = Contribution { provenance, facts: facts.collect(), exclusions: vec![] };
        let batch = Batch { contributions: vec![contribution], ..Batch::default() };
        store.commit(&batch).expect("committed");
    }

    /// The numbers of the facts of this range, or of the first of them, and whether they were kept.
    async fn read(pages: &Arc<Pages>, store: &Store, range: Range<u64>) -> (Vec<u64>, bool) {
        let version = || (0, store.gone());
        let (page, was_kept) = match pages.find(range.start, version).await {
            Found::Page(page) => (page, true),
            Found::Turn(turn) => {
                let read = |from, most| store.facts_from(from, most);
                (turn.read(range.clone(), Some(version()), read).expect("read"), false)
            }
        };
        let until = page.range.end.min(range.end);
        let facts = page.within(&(range.start..until));
        (facts.iter().map(|fact| fact.sequence.0).collect(), was_kept)
    }

    #[tokio::test]
    async fn what_one_has_read_the_others_find() {
        let (store, pages) = (claims(9), Arc::new(Pages::new()));
        assert_eq!(read(&pages, &store, 4..8).await, (vec![4, 5, 6, 7], false));
        assert_eq!(read(&pages, &store, 4..8).await, (vec![4, 5, 6, 7], true));
        assert_eq!(read(&pages, &store, 6..9).await, (vec![6, 7], true));
        // A page ends where the next one begins.
        assert_eq!(read(&pages, &store, 1..9).await, (vec![1, 2, 3], false));
        assert_eq!(read(&pages, &store, 8..9).await, (vec![8], false));
        commit(&store, 9..11);
        assert_eq!(read(&pages, &store, 9..11).await, (vec![9, 10], false));
        assert_eq!(read(&pages, &store, 10..11).await, (vec![10], true));
    }

    #[test]
    fn a_page_ends_with_the_last_fact_that_a_message_had_room_for() {
        let store = claims(9);
        let page = |range: Range<u64>, most| {
            let facts = store.facts_from(Sequence(range.start), most).expect("read");
            let page = Page::new(range, most, facts);
            (page.range, page.facts.len())
        };
        assert_eq!(page(2..9, 3), (2..5, 3));
        assert_eq!(page(2..9, 7), (2..9, 7));
        assert_eq!(page(2..9, 8), (2..9, 7));
        // Not all of these numbers are there yet.
        assert_eq!(page(2..12, 8), (2..12, 7));
        let gone = [3, 4].map(|n: u8| (Game::Sprouts, Kind::Nimber, [n].into()));
        assert_eq!(store.withdraw(&gone, &[], &[]).expect("withdrawn"), 2);
        assert_eq!(page(2..5, 3), (2..5, 1));
        assert_eq!(page(2..9, 3), (2..7, 3));
    }

    #[tokio::test]
    async fn what_was_withdrawn_is_told_to_nobody() {
        let (store, pages) = (claims(6), Arc::new(Pages::new()));
        let version = || (0, store.gone());
        assert_eq!(read(&pages, &store, 0..3).await, (vec![0, 1, 2], false));
        let Found::Turn(late) = pages.find(3, version).await else { panic!("it was not read") };
        let subjects = [1, 4].map(|n: u8| (Game::Sprouts, Kind::Nimber, [n].into()));
        // This reads before claims are withdrawn, and ends afterwards.
        let late = late.read(3..6, Some(version()), |from, most| {
            let facts = store.facts_from(from, most);
            assert_eq!(store.withdraw(&subjects, &[], &[]).expect("withdrawn"), 2);
            drop(pages.kept(version()));
            facts
        });
        assert_eq!(late.expect("read").facts.len(), 3);
        assert_eq!(read(&pages, &store, 0..3).await, (vec![0, 2], false));
        assert_eq!(read(&pages, &store, 3..6).await, (vec![3, 5], false));
        assert_eq!(read(&pages, &store, 4..6).await, (vec![5], true));
    }

    #[tokio::test]
    async fn the_oldest_pages_go() {
        let (store, pages) = (claims(1), Pages::new());
        let facts = store.facts_from(Sequence(0), 1).expect("read");
        for number in 0..=PAGES as u64 {
            let mut facts = facts.clone();
            facts[0].sequence = Sequence(number);
            pages.keep(&Arc::new(Page::new(number..number + 1, 1, facts)), (0, 0));
        }
        let kept = pages.kept((0, 0));
        assert_eq!((kept.order.len(), kept.pages.len(), kept.facts), (PAGES, PAGES, PAGES));
        assert!(kept.page(0).is_none() && kept.page(1).is_some());
    }
}
