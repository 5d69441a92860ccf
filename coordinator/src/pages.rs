//! Facts that were read and encoded for one of those that follow them, and are kept for the others: all
//! of them want the end of the log, and that is many times as much work as to send a fact.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZero;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sprig_proto::limits;
use sprig_store::{Sequence, StoredFact};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::told::{Told, encoded, size};

/// How many messages are put together at once, on as many of the threads that serve all callers: at
/// least one of several is left for leases, which would wait behind the messages for all followers.
const TURNS: usize = 2;
/// How many facts are kept, most of them some 30 bytes and what stands beside them.
const KEPT: usize = 1 << 17;
/// Bytes of the messages that are kept, and of those of a page: trees and lost nodes may be large.
const BYTES: usize = 64 << 20;
const PAGE_BYTES: usize = 4 << 20;
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
    facts: Vec<Told>,
    /// Bytes of their messages.
    bytes: usize,
}

impl Page {
    /// A page of what was read from the beginning of `range` on. If that is fewer than `most` facts,
    /// there are no more of them.
    fn new(range: Range<u64>, most: usize, mut facts: Vec<StoredFact>) -> Self {
        let last = facts.last().filter(|_| facts.len() == most);
        let mut until = last.map_or(range.end, |last| range.end.min(last.sequence.0 + 1));
        let mut bytes = 0;
        let too_many = |fact: &StoredFact| {
            bytes += size(&fact.fact);
            bytes > PAGE_BYTES
        };
        if let Some(place) = facts.iter().position(too_many) {
            until = until.min(facts[place.max(1)..].first().map_or(until, |it| it.sequence.0));
        }
        // Where facts have gone, what was read reaches further than was asked for.
        facts.truncate(facts.partition_point(|fact| fact.sequence.0 < until));
        let facts = encoded(facts);
        let bytes = facts.iter().map(|fact| fact.message.len()).sum();
        Self { range: range.start..until, facts, bytes }
    }

    /// Its facts in this range.
    pub(crate) fn within(&self, range: &Range<u64>) -> &[Told] {
        let below = |end: u64| self.facts.partition_point(|fact| fact.sequence < end);
        let (from, until) = (below(range.start), below(range.end));
        &self.facts[from..until.max(from)]
    }
}

/// A turn to put a message together. It ends when this is dropped.
pub(crate) type Turn = OwnedSemaphorePermit;

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
    bytes: usize,
}

impl Pages {
    /// No pages yet, where this many threads serve all callers.
    pub(crate) fn new(threads: NonZero<usize>) -> Self {
        let turns = Arc::new(Semaphore::new(TURNS.min(threads.get() - 1).max(1)));
        Self { turns, kept: Mutex::default() }
    }

    /// Waits for a turn to put a message together, first come, first served.
    ///
    /// # Panics
    /// Never: turns are not closed.
    pub(crate) async fn turn(&self) -> Turn {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        turn.expect("turns are never closed")
    }

    /// The page that holds a number, if one is kept.
    pub(crate) fn find(&self, number: u64, version: Version) -> Option<Arc<Page>> {
        self.kept(version).find(number).ok()
    }

    /// The facts of a range, or the first of them. `read` reads facts from a number on, but no more
    /// than it is told, if they are not kept. They are kept from then on if the database has a
    /// `version`: that of now. All numbers of the range have been given to facts: it would be noted
    /// of others that there is nothing.
    ///
    /// # Errors
    /// Those of `read`.
    pub(crate) fn page<E>(
        &self,
        range: Range<u64>,
        version: Option<Version>,
        read: impl FnOnce(Sequence, usize) -> Result<Vec<StoredFact>, E>,
    ) -> Result<Arc<Page>, E> {
        let end = match version.map(|version| self.kept(version).find(range.start)) {
            Some(Ok(page)) => return Ok(page),
            Some(Err(next)) => range.end.min(next),
            None => range.end,
        };
        // What is told late comes in many short stretches.
        let all = usize::try_from(end - range.start).unwrap_or(limits::FACTS);
        let most = all.min(limits::FACTS);
        let facts = read(Sequence(range.start), most)?;
        let page = Arc::new(Page::new(range.start..end, most, facts));
        if let Some(version) = version {
            let mut kept = self.kept(version);
            if kept.version == version && kept.has_room_for(&page) {
                kept.add(Arc::clone(&page));
            }
        }
        Ok(page)
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
    /// The page that holds a number, or else the number where the next page begins.
    fn find(&self, from: u64) -> Result<Arc<Page>, u64> {
        match self.pages.range(..=from).next_back() {
            Some((_, page)) if page.range.contains(&from) => Ok(Arc::clone(page)),
            _ => Err(self.pages.range(from..).next().map_or(u64::MAX, |(&start, _)| start)),
        }
    }

    /// Whether no other page has something of this one.
    fn has_room_for(&self, page: &Page) -> bool {
        let before = self.pages.range(..page.range.end).next_back();
        !page.range.is_empty()
            && before.is_none_or(|(_, other)| other.range.end <= page.range.start)
    }

    fn add(&mut self, page: Arc<Page>) {
        (self.facts, self.bytes) = (self.facts + page.facts.len(), self.bytes + page.bytes);
        self.order.push_back(page.range.start);
        self.pages.insert(page.range.start, page);
        while self.facts > KEPT || self.bytes > BYTES || self.order.len() > PAGES {
            let oldest = self.order.pop_front().and_then(|start| self.pages.remove(&start));
            let Some(oldest) = oldest else { return };
            (self.facts, self.bytes) = (self.facts - oldest.facts.len(), self.bytes - oldest.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use sprig_domain::{Game, TreeKey};
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
    fn read(pages: &Pages, store: &Store, range: Range<u64>) -> (Vec<u64>, bool) {
        let mut was_kept = true;
        let page = pages.page(range.clone(), Some((0, store.gone())), |from, most| {
            was_kept = false;
            store.facts_from(from, most)
        });
        let page = page.expect("read");
        let until = page.range.end.min(range.end);
        let facts = page.within(&(range.start..until));
        (facts.iter().map(|fact| fact.sequence).collect(), was_kept)
    }

    #[test]
    fn what_one_has_read_the_others_find() {
        let (store, pages) = (claims(9), Pages::new(NonZero::<usize>::MIN));
        assert_eq!(read(&pages, &store, 4..8), (vec![4, 5, 6, 7], false));
        assert_eq!(read(&pages, &store, 4..8), (vec![4, 5, 6, 7], true));
        assert_eq!(read(&pages, &store, 6..9), (vec![6, 7], true));
        // A page ends where the next one begins.
        assert_eq!(read(&pages, &store, 1..9), (vec![1, 2, 3], false));
        assert_eq!(read(&pages, &store, 8..9), (vec![8], false));
        commit(&store, 9..11);
        assert_eq!(read(&pages, &store, 9..11), (vec![9, 10], false));
        assert_eq!(read(&pages, &store, 10..11), (vec![10], true));
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

    #[test]
    fn what_was_withdrawn_is_told_to_nobody() {
        let (store, pages) = (claims(6), Pages::new(NonZero::<usize>::MIN));
        let version = || (0, store.gone());
        assert_eq!(read(&pages, &store, 0..3), (vec![0, 1, 2], false));
        let subjects = [1, 4].map(|n: u8| (Game::Sprouts, Kind::Nimber, [n].into()));
        // One has read before claims are withdrawn, and wants to keep that afterwards.
        let late = pages.page(3..6, Some(version()), |from, most| {
            let facts = store.facts_from(from, most);
            assert_eq!(store.withdraw(&subjects, &[], &[]).expect("withdrawn"), 2);
            drop(pages.kept(version()));
            facts
        });
        assert_eq!(late.expect("read").facts.len(), 3);
        assert_eq!(read(&pages, &store, 0..3), (vec![0, 2], false));
        assert_eq!(read(&pages, &store, 3..6), (vec![3, 5], false));
        assert_eq!(read(&pages, &store, 4..6), (vec![5], true));
    }

    #[test]
    fn a_page_of_large_facts_ends_sooner() {
        // The largest that a message may hold.
        let options = vec![TreeKey::from_bytes([7; 16]); limits::OPTIONS];
        let tree = Fact::tree(TreeKey::from_bytes([9; 16]), options);
        let each = size(&tree);
        let facts = |count: u64| {
            let stored = |number| StoredFact { sequence: Sequence(number), fact: tree.clone() };
            (0..count).map(stored).collect()
        };
        let most = (PAGE_BYTES / each) as u64;
        let page = Page::new(0..99, limits::FACTS, facts(99));
        assert_eq!((page.range.clone(), page.facts.len() as u64), (0..most, most));
        assert!(page.bytes >= page.facts.len() * each);
        assert_eq!(Page::new(0..2, limits::FACTS, facts(2)).range, 0..2);
        let pages = Pages::new(NonZero::<usize>::MIN);
        for number in 0..400 {
            let fact = StoredFact { sequence: Sequence(number), fact: tree.clone() };
            let page = pages.page::<()>(number..number + 1, Some((0, 0)), |_, _| Ok(vec![fact]));
            page.expect("read");
        }
        let kept = pages.kept((0, 0));
        assert!(kept.bytes <= BYTES && kept.pages.len() < 400 && kept.pages.len() > 100);
    }

    #[test]
    fn the_oldest_pages_go() {
        let (store, pages) = (claims(1), Pages::new(NonZero::<usize>::MIN));
        let fact = store.facts_from(Sequence(0), 1).expect("read").remove(0);
        for number in 0..=PAGES as u64 {
            let fact = StoredFact { sequence: Sequence(number), ..fact.clone() };
            let page = pages.page::<()>(number..number + 1, Some((0, 0)), |_, _| Ok(vec![fact]));
            page.expect("read");
        }
        let kept = pages.kept((0, 0));
        assert_eq!((kept.order.len(), kept.pages.len(), kept.facts), (PAGES, PAGES, PAGES));
        assert!(kept.find(0).is_err() && kept.find(1).is_ok());
    }
}
