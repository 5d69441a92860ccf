//! Which worker has claimed which facts in the feed of this run, and which of them wait: what a
//! newcomer claims is told to others once its first claims have been shown.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use sprig_proto::WorkerId;

/// Which worker has claimed which facts since the coordinator started. Older facts have no author
/// here, and wait for nothing.
#[derive(Debug, Default)]
pub(crate) struct Authors {
    /// The latest stretches of facts of one author, in their order.
    stretches: VecDeque<Stretch>,
    /// The stretches that wait, by their first sequence numbers.
    waiting: BTreeMap<u64, Waiting>,
    /// The first sequence numbers of these, by the name that claims them.
    names: BTreeMap<Arc<str>, Vec<u64>>,
    /// The names whose first claims have been shown; `None` where claims are not looked at, and
    /// none wait.
    admitted: Option<HashSet<Arc<str>>>,
    /// What has waited and is told now, in that order. Subscribers have passed over it.
    told: Vec<Stretch>,
}

/// Facts of one author, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stretch {
    pub(crate) range: Range<u64>,
    pub(crate) worker: WorkerId,
}

/// A stretch that no other worker is told yet.
#[derive(Clone, Debug)]
struct Waiting {
    end: u64,
    worker: WorkerId,
    /// The name that claims them.
    name: Arc<str>,
    /// The other names that have reported one of them, and take it for written down.
    seconds: BTreeSet<Arc<str>>,
}

/// How many stretches have a known author. Older facts are told to their authors as well, which does
/// no harm.
const KEPT: usize = 1 << 17;

/// Most names that are remembered for a stretch. Where there are more, any worker may know it.
const SECONDS: usize = 16;

impl Authors {
    /// No claims yet. `checked` says whether claims are looked at.
    pub(crate) fn new(checked: bool) -> Self {
        Self { admitted: checked.then(HashSet::new), ..Self::default() }
    }

    fn is_newcomer(&self, name: &str) -> bool {
        self.admitted.as_ref().is_some_and(|admitted| !admitted.contains(name))
    }

    /// Remembers that `worker`, by this name, has claimed the facts of this range, which comes
    /// after all others. Only those wait that `may_wait`: of others no samples are taken, so that no
    /// claim of theirs would ever end it.
    pub(crate) fn note(&mut self, range: Range<u64>, worker: WorkerId, name: &str, may_wait: bool) {
        if range.is_empty() {
            return;
        }
        match self.stretches.back_mut() {
            Some(last) if last.worker == worker && last.range.end == range.start => {
                last.range.end = range.end;
            }
            _ => self.stretches.push_back(Stretch { range: range.clone(), worker }),
        }
        if self.stretches.len() > KEPT {
            self.stretches.pop_front();
        }
        if !may_wait || !self.is_newcomer(name) {
            return;
        }
        if let Some(mut last) = self.waiting.last_entry() {
            let last = last.get_mut();
            if last.end == range.start && last.worker == worker && *last.name == *name {
                last.end = range.end;
                return;
            }
        }
        let known = self.names.get_key_value(name).map(|(known, _)| Arc::clone(known));
        let name = known.unwrap_or_else(|| name.into());
        self.names.entry(Arc::clone(&name)).or_default().push(range.start);
        let waiting = Waiting { end: range.end, worker, name, seconds: BTreeSet::new() };
        self.waiting.insert(range.start, waiting);
    }

    /// The stretch around a number that waits.
    fn around(&self, sequence: u64) -> Option<(u64, &Waiting)> {
        let (&start, waiting) = self.waiting.range(..=sequence).next_back()?;
        (sequence < waiting.end).then_some((start, waiting))
    }

    /// The stretches that overlap with a range and hold `worker`'s own facts, from `forgotten` on, as far
    /// as their author is known.
    pub(crate) fn own(
        &self,
        worker: WorkerId,
        forgotten: u64,
        range: &Range<u64>,
    ) -> Vec<Range<u64>> {
        let first = self.stretches.partition_point(|it| it.range.end <= range.start);
        let here = self.stretches.range(first..).take_while(|it| it.range.start < range.end);
        let own = here.filter(|it| it.worker == worker).map(|it| it.range.clone());
        own.map(|it| it.start.max(forgotten)..it.end).filter(|it| !it.is_empty()).collect()
    }

    /// The stretches that overlap with a range and wait, but for `worker`'s own.
    pub(crate) fn waiting(&self, worker: WorkerId, range: &Range<u64>) -> Vec<Range<u64>> {
        let from = self.around(range.start).map_or(range.start, |(start, _)| start);
        let waiting = self.waiting.range(from..range.end.max(from));
        let others = waiting.filter(|(_, it)| it.worker != worker);
        others.map(|(&start, it)| start..it.end).collect()
    }

    /// Whether the fact `sequence` waits.
    pub(crate) fn waits(&self, sequence: u64) -> bool {
        self.around(sequence).is_some()
    }

    /// Whether any facts wait.
    pub(crate) fn any_waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// `worker`, by this name, has reported the fact `sequence`, which was there already. If that
    /// worker is no newcomer, the fact is told.
    pub(crate) fn second(&mut self, sequence: u64, worker: WorkerId, name: &str) {
        let is_newcomer = self.is_newcomer(name);
        let Some((start, waiting)) = self.around(sequence) else { return };
        if waiting.worker == worker {
            return;
        }
        let Some(mut first) = self.waiting.remove(&start) else { return };
        if first.seconds.len() <= SECONDS {
            first.seconds.insert(name.into());
        }
        if is_newcomer {
            self.waiting.insert(start, first);
            return;
        }
        let starts = self.names.get_mut(&first.name);
        let starts = starts.expect("a name that waits has its stretches");
        starts.retain(|&known| known != start);
        for range in [start..sequence, sequence + 1..first.end] {
            if !range.is_empty() {
                starts.push(range.start);
                self.waiting.insert(range.start, Waiting { end: range.end, ..first.clone() });
            }
        }
        if starts.is_empty() {
            self.names.remove(&first.name);
        }
        let range = sequence..sequence + 1;
        self.told.push(Stretch { range, worker: first.worker });
    }

    /// The names that know the fact `sequence`, or take it for written down, since they have
    /// reported it. `None` if it was told to others.
    pub(crate) fn knowers(&self, sequence: u64) -> Option<Vec<Arc<str>>> {
        let (_, Waiting { name, seconds, .. }) = self.around(sequence)?;
        let author = Arc::clone(name);
        (seconds.len() <= SECONDS).then(|| seconds.iter().cloned().chain([author]).collect())
    }

    /// The first claims of `name` have been shown: from now on its facts are told, those before it
    /// too. Returns whether that is new.
    pub(crate) fn admit(&mut self, name: &str) -> bool {
        let Some(admitted) = &mut self.admitted else { return false };
        let is_new = admitted.insert(name.into());
        if let Some(starts) = self.names.remove(name) {
            self.tell(starts);
        }
        is_new
    }

    /// Every claim has been looked at: what is left is verified, and is told.
    pub(crate) fn release(&mut self) {
        for (_, starts) in std::mem::take(&mut self.names) {
            self.tell(starts);
        }
    }

    fn tell(&mut self, starts: Vec<u64>) {
        for start in starts {
            if let Some(Waiting { end, worker, .. }) = self.waiting.remove(&start) {
                self.told.push(Stretch { range: start..end, worker });
            }
        }
    }

    /// How much has waited and is told now.
    pub(crate) fn told(&self) -> usize {
        self.told.len()
    }

    /// The parts of what was told late that lie below `sequence`, from number `seen` on.
    pub(crate) fn told_late(&self, seen: usize, sequence: u64) -> Vec<Stretch> {
        let late = self.told.get(seen..).unwrap_or_default().iter();
        let late = late.filter(|late| late.range.start < sequence);
        let below = |late: &Stretch| late.range.start..late.range.end.min(sequence);
        late.map(|late| Stretch { range: below(late), worker: late.worker }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: WorkerId = WorkerId(1);
    const B: WorkerId = WorkerId(2);
    const NOBODY: WorkerId = WorkerId(9);

    fn waiting(authors: &Authors, sequence: u64) -> Option<u64> {
        let untold = authors.waiting(NOBODY, &(sequence..sequence + 1));
        assert!(untold.len() <= 1, "{untold:?}");
        untold.first().map(|untold| untold.end)
    }

    fn own(
        authors: &Authors,
        worker: WorkerId,
        forgotten: u64,
        range: Range<u64>,
    ) -> Vec<(u64, u64)> {
        let own = authors.own(worker, forgotten, &range).into_iter();
        own.map(|it| (it.start, it.end)).collect()
    }

    #[test]
    fn own_facts_are_known_by_range() {
        let mut authors = Authors::new(false);
        authors.note(0..3, A, "a", true);
        authors.note(3..5, A, "a", true);
        authors.note(6..9, B, "b", true);
        authors.note(9..9, A, "a", true);
        authors.note(9..12, A, "a", true);
        assert_eq!(own(&authors, A, 0, 0..12), [(0, 5), (9, 12)]);
        assert_eq!(own(&authors, A, 0, 4..10), [(0, 5), (9, 12)]);
        assert_eq!(own(&authors, A, 4, 0..12), [(4, 5), (9, 12)]);
        assert_eq!(own(&authors, A, 5, 0..12), [(9, 12)]);
        assert_eq!(own(&authors, A, 0, 5..9), []);
        assert_eq!(own(&authors, B, 0, 0..12), [(6, 9)]);
        assert!((0..12).all(|n| waiting(&authors, n).is_none()), "nobody looks at claims");
    }

    #[test]
    fn the_authors_of_old_facts_are_not_kept() {
        let mut authors = Authors::new(false);
        for n in 0..=KEPT as u64 {
            authors.note(n..n + 1, if n % 2 == 0 { A } else { B }, "name", true);
        }
        assert_eq!(authors.stretches.len(), KEPT);
        assert_eq!(own(&authors, A, 0, 0..3), [(2, 3)]);
    }

    #[test]
    fn what_a_newcomer_claims_waits_and_is_told_late() {
        let mut authors = Authors::new(true);
        authors.note(2..4, A, "a", true);
        authors.note(4..6, B, "b", true);
        authors.note(6..9, A, "a", true);
        assert_eq!([1, 2, 5, 8].map(|n| waiting(&authors, n)), [None, Some(4), Some(6), Some(9)]);
        assert!(authors.admit("a") && !authors.admit("a"));
        assert_eq!([2, 5, 8].map(|n| waiting(&authors, n)), [None, Some(6), None]);
        let late = |range, worker| Stretch { range, worker };
        assert_eq!(authors.told_late(0, 8), [late(2..4, A), late(6..8, A)]);
        assert_eq!((authors.told_late(2, 8), authors.told()), (vec![], 2));
        // No name waits twice.
        authors.note(9..11, A, "a", true);
        assert_eq!(waiting(&authors, 10), None);
        // Every claim has been looked at.
        authors.release();
        assert_eq!((waiting(&authors, 5), authors.any_waits()), (None, false));
        assert_eq!(authors.told_late(2, 9), [late(4..6, B)]);
    }

    #[test]
    fn facts_of_which_no_samples_are_taken_wait_for_nothing() {
        let mut authors = Authors::new(true);
        for n in 0..9 {
            authors.note(n..n + 1, if n % 2 == 0 { A } else { B }, "misère", false);
        }
        assert!(!authors.any_waits() && authors.names.is_empty());
        assert_eq!(own(&authors, A, 0, 0..3), [(0, 1), (2, 3)]);
        authors.note(9..10, A, "misère", true);
        assert!(authors.waits(9) && !authors.waits(8));
        authors.admit("misère");
        assert_eq!(authors.told_late(0, 10), [Stretch { range: 9..10, worker: A }]);
    }

    #[test]
    fn what_another_has_reported_too_is_no_secret() {
        let mut authors = Authors::new(true);
        authors.note(0..5, B, "b", true);
        authors.second(1, B, "b");
        let knowers = |authors: &Authors, sequence| {
            let names = authors.knowers(sequence)?;
            Some(names.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(knowers(&authors, 1), Some(vec!["b".to_owned()]), "he knows his own");
        // It was reported by another newcomer, too: it waits, and is no secret.
        authors.second(1, A, "a");
        assert_eq!(knowers(&authors, 3), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(waiting(&authors, 3), Some(5));
        // It was reported by one that is no newcomer: it is told, and the others wait.
        authors.admit("a");
        authors.second(2, A, "a");
        assert_eq!([1, 2, 3].map(|n| waiting(&authors, n)), [Some(2), None, Some(5)]);
        assert_eq!(knowers(&authors, 2), None);
        assert_eq!(authors.told_late(0, 9), [Stretch { range: 2..3, worker: B }]);
        for sequence in [0, 1, 4, 3] {
            authors.second(sequence, A, "a");
        }
        assert!(!authors.any_waits() && (0..5).all(|n| waiting(&authors, n).is_none()));
        assert_eq!(own(&authors, B, 0, 4..5), [(0, 5)]);
        // Where too many have reported it, their names are not kept.
        authors.note(5..6, B, "c", true);
        for name in 0..=SECONDS {
            assert!(knowers(&authors, 5).is_some());
            authors.second(5, A, &format!("newcomer {name}"));
        }
        assert_eq!((knowers(&authors, 5), waiting(&authors, 5)), (None, Some(6)));
        assert!(authors.waits(5), "many names are no proof");
    }
}
