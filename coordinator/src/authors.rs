//! Which worker has claimed which facts in the feed of this run, and which of them wait: what a
//! newcomer claims is told to others once its first claims have been shown.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use sprig_proto::WorkerId;

/// Which worker has claimed which facts since the coordinator started. Older facts have no author
/// here, and wait for nothing.
#[derive(Debug, Default)]
pub(crate) struct Authors {
    /// The stretches, by their first sequence numbers.
    stretches: BTreeMap<u64, Stretch>,
    /// The first sequence numbers of the stretches that wait, by the name that claims them.
    waiting: BTreeMap<Arc<str>, Vec<u64>>,
    /// The names whose first claims have been shown; `None` where claims are not looked at, and
    /// none wait.
    admitted: Option<HashSet<Arc<str>>>,
    /// What has waited and is told now, in that order. Subscribers have passed over it.
    told: Vec<Range<u64>>,
}

/// Facts of one author, one after the other.
#[derive(Debug)]
struct Stretch {
    end: u64,
    worker: WorkerId,
    /// The name that claims them, while no other worker is told.
    waits: Option<Arc<str>>,
    /// The other names that have reported one of them, and take it for written down.
    seconds: BTreeSet<Arc<str>>,
}

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
    /// after all others.
    pub(crate) fn note(&mut self, range: Range<u64>, worker: WorkerId, name: &str) {
        if range.is_empty() {
            return;
        }
        let is_newcomer = self.is_newcomer(name);
        if let Some(mut last) = self.stretches.last_entry() {
            let last = last.get_mut();
            let same = if is_newcomer {
                last.waits.as_deref() == Some(name)
            } else {
                last.waits.is_none()
            };
            if last.end == range.start && last.worker == worker && same {
                last.end = range.end;
                return;
            }
        }
        let waits = is_newcomer.then(|| {
            let known = self.waiting.get_key_value(name).map(|(known, _)| Arc::clone(known));
            let name = known.unwrap_or_else(|| name.into());
            self.waiting.entry(Arc::clone(&name)).or_default().push(range.start);
            name
        });
        let stretch = Stretch { end: range.end, worker, waits, seconds: BTreeSet::new() };
        self.stretches.insert(range.start, stretch);
    }

    fn stretch(&self, sequence: u64) -> Option<(u64, &Stretch)> {
        let (&start, stretch) = self.stretches.range(..=sequence).next_back()?;
        (sequence < stretch.end).then_some((start, stretch))
    }

    /// The end of the stretch around `sequence`, and whether it is `worker`'s own. `None` if it is
    /// another's, unless a newcomer's facts stand there.
    pub(crate) fn untold(&self, worker: WorkerId, sequence: u64) -> Option<(u64, bool)> {
        let (_, stretch) = self.stretch(sequence)?;
        let own = stretch.worker == worker;
        (own || stretch.waits.is_some()).then_some((stretch.end, own))
    }

    /// Where the stretch around `sequence` ends or, if there is none, where the next one begins;
    /// `None` if there is none either.
    pub(crate) fn border(&self, sequence: u64) -> Option<u64> {
        let around = self.stretch(sequence).map(|(_, stretch)| stretch.end);
        around.or_else(|| self.stretches.range(sequence..).next().map(|(&start, _)| start))
    }

    /// Whether any facts wait.
    pub(crate) fn any_waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// `worker`, by this name, has reported the fact `sequence`, which was there already. If that
    /// worker is no newcomer, the fact is told.
    pub(crate) fn second(&mut self, sequence: u64, worker: WorkerId, name: &str) {
        let is_newcomer = self.is_newcomer(name);
        let Some((start, stretch)) = self.stretch(sequence) else { return };
        if stretch.worker == worker || stretch.waits.is_none() {
            return;
        }
        let Some(mut first) = self.stretches.remove(&start) else { return };
        if first.seconds.len() <= SECONDS {
            first.seconds.insert(name.into());
        }
        if is_newcomer {
            self.stretches.insert(start, first);
            return;
        }
        let Stretch { end, worker: author, waits, seconds } = first;
        let others = waits.as_ref().and_then(|name| self.waiting.get_mut(name));
        let Some(starts) = others else { return };
        starts.retain(|&known| known != start);
        for (range, waits) in [
            (start..sequence, &waits),
            (sequence..sequence + 1, &None),
            (sequence + 1..end, &waits),
        ] {
            if range.is_empty() {
                continue;
            }
            if waits.is_some() {
                starts.push(range.start);
            }
            let (waits, seconds) = (waits.clone(), seconds.clone());
            let stretch = Stretch { end: range.end, worker: author, waits, seconds };
            self.stretches.insert(range.start, stretch);
        }
        if starts.is_empty()
            && let Some(name) = waits
        {
            self.waiting.remove(&name);
        }
        self.told.push(sequence..sequence + 1);
    }

    /// The names that know the fact `sequence`, or take it for written down, since they have
    /// reported it. `None` if it was told to others.
    pub(crate) fn knowers(&self, sequence: u64) -> Option<Vec<Arc<str>>> {
        let (_, Stretch { waits, seconds, .. }) = self.stretch(sequence)?;
        let author = waits.clone()?;
        (seconds.len() <= SECONDS).then(|| seconds.iter().cloned().chain([author]).collect())
    }

    /// The first claims of `name` have been shown: from now on its facts are told, those before it
    /// too. Returns whether that is new.
    pub(crate) fn admit(&mut self, name: &str) -> bool {
        let Some(admitted) = &mut self.admitted else { return false };
        let is_new = admitted.insert(name.into());
        if let Some(starts) = self.waiting.remove(name) {
            self.tell(starts);
        }
        is_new
    }

    /// Every claim has been looked at: what is left is verified, and is told.
    pub(crate) fn release(&mut self) {
        for (_, starts) in std::mem::take(&mut self.waiting) {
            self.tell(starts);
        }
    }

    fn tell(&mut self, starts: Vec<u64>) {
        for start in starts {
            if let Some(stretch) = self.stretches.get_mut(&start) {
                stretch.waits = None;
                self.told.push(start..stretch.end);
            }
        }
    }

    /// How much has waited and is told now.
    pub(crate) fn told(&self) -> usize {
        self.told.len()
    }

    /// The ranges of what was told late that lie below `sequence`, from number `seen` on.
    pub(crate) fn told_late(&self, seen: usize, sequence: u64) -> Vec<Range<u64>> {
        let late = self.told.get(seen..).unwrap_or_default().iter();
        let late = late.filter(|range| range.start < sequence);
        late.map(|range| range.start..range.end.min(sequence)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: WorkerId = WorkerId(1);
    const B: WorkerId = WorkerId(2);
    const NOBODY: WorkerId = WorkerId(9);

    fn waiting(authors: &Authors, sequence: u64) -> Option<u64> {
        authors.untold(NOBODY, sequence).map(|(end, own)| {
            assert!(!own);
            end
        })
    }

    #[test]
    fn own_facts_are_known_by_range() {
        let mut authors = Authors::new(false);
        authors.note(0..3, A, "a");
        authors.note(3..5, A, "a");
        authors.note(6..9, B, "b");
        authors.note(9..9, A, "a");
        let borders = [0, 4, 5, 6, 9].map(|n| authors.border(n));
        assert_eq!(borders, [Some(5), Some(5), Some(6), Some(9), None]);
        let own = |worker, numbers: [u64; 5]| numbers.map(|n| authors.untold(worker, n));
        let end = |end| Some((end, true));
        assert_eq!(own(A, [0, 2, 4, 5, 7]), [end(5), end(5), end(5), None, None]);
        assert_eq!(own(B, [4, 5, 6, 8, 9]), [None, None, end(9), end(9), None]);
        assert!((0..10).all(|n| waiting(&authors, n).is_none()), "nobody looks at claims");
    }

    #[test]
    fn what_a_newcomer_claims_waits_and_is_told_late() {
        let mut authors = Authors::new(true);
        authors.note(2..4, A, "a");
        authors.note(4..6, B, "b");
        authors.note(6..9, A, "a");
        assert_eq!([1, 2, 5, 8].map(|n| waiting(&authors, n)), [None, Some(4), Some(6), Some(9)]);
        assert!(authors.admit("a") && !authors.admit("a"));
        assert_eq!([2, 5, 8].map(|n| waiting(&authors, n)), [None, Some(6), None]);
        assert_eq!(authors.told_late(0, 8), [2..4, 6..8]);
        assert_eq!((authors.told_late(2, 8), authors.told()), (vec![], 2));
        // No name waits twice.
        authors.note(9..11, A, "a");
        assert_eq!(waiting(&authors, 10), None);
        // Every claim has been looked at.
        authors.release();
        assert_eq!((waiting(&authors, 5), authors.any_waits()), (None, false));
        assert_eq!(authors.told_late(2, 9), vec![4..6]);
    }

    #[test]
    fn what_another_has_reported_too_is_no_secret() {
        let mut authors = Authors::new(true);
        authors.note(0..5, B, "b");
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
        assert_eq!(authors.told_late(0, 9), vec![2..3]);
        for sequence in [0, 1, 4, 3] {
            authors.second(sequence, A, "a");
        }
        assert!(!authors.any_waits() && (0..5).all(|n| waiting(&authors, n).is_none()));
        assert_eq!(authors.untold(B, 4), Some((5, true)));
        // Where too many have reported it, their names are not kept.
        authors.note(5..6, B, "c");
        for name in 0..=SECONDS {
            assert!(knowers(&authors, 5).is_some());
            authors.second(5, A, &format!("newcomer {name}"));
        }
        assert_eq!((knowers(&authors, 5), waiting(&authors, 5)), (None, Some(6)));
    }
}
