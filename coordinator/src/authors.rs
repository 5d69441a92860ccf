//! Whose facts are whose in the feed of this run, and which of them wait: what a newcomer claims is told to others once
//! its first claims have been shown.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use sprig_proto::WorkerId;

/// Who has claimed which facts since the coordinator started. What is older has no author here, and waits for nothing.
#[derive(Debug, Default)]
pub(crate) struct Authors {
    /// By the first sequence number.
    stretches: BTreeMap<u64, Stretch>,
    /// Every name that has claimed something, once.
    names: HashSet<Arc<str>>,
    /// Whose first claims have been shown, in that order; none where nobody looks at claims, and nobody's wait.
    admitted: Option<Vec<Arc<str>>>,
    /// Stretches that wait.
    waiting: usize,
}

/// Facts of one author, one after the other.
#[derive(Debug)]
struct Stretch {
    end: u64,
    worker: WorkerId,
    name: Arc<str>,
    /// Nobody else is told yet.
    waits: bool,
    /// Somebody else has reported one of them, too, and takes it for written down.
    seconded: bool,
}

impl Authors {
    /// Nobody has claimed anything yet; `checked`: claims are looked at.
    pub(crate) fn new(checked: bool) -> Self {
        Self { admitted: checked.then(Vec::new), ..Self::default() }
    }

    /// Remembers who has claimed the facts of this range, which comes after all others.
    pub(crate) fn note(&mut self, range: Range<u64>, worker: WorkerId, name: &str) {
        if range.is_empty() {
            return;
        }
        if let Some(mut last) = self.stretches.last_entry() {
            let last = last.get_mut();
            if last.end == range.start && last.worker == worker && *last.name == *name {
                last.end = range.end;
                return;
            }
        }
        let known = self.names.get(name).cloned();
        let name = known.unwrap_or_else(|| {
            let name: Arc<str> = name.into();
            self.names.insert(Arc::clone(&name));
            name
        });
        let waits = self.admitted.as_ref().is_some_and(|admitted| !admitted.contains(&name));
        self.waiting += usize::from(waits);
        let stretch = Stretch { end: range.end, worker, name, waits, seconded: false };
        self.stretches.insert(range.start, stretch);
    }

    fn stretch(&self, sequence: u64) -> Option<&Stretch> {
        let (_, stretch) = self.stretches.range(..=sequence).next_back()?;
        (sequence < stretch.end).then_some(stretch)
    }

    /// The end of the stretch of `worker`'s own facts that `sequence` lies in.
    pub(crate) fn own(&self, worker: WorkerId, sequence: u64) -> Option<u64> {
        let stretch = self.stretch(sequence)?;
        (stretch.worker == worker).then_some(stretch.end)
    }

    /// The end of the stretch of a newcomer's facts that `sequence` lies in: its author alone knows them.
    pub(crate) fn waiting(&self, sequence: u64) -> Option<u64> {
        let stretch = self.stretch(sequence)?;
        stretch.waits.then_some(stretch.end)
    }

    /// Whether anybody's facts wait.
    pub(crate) fn any_waits(&self) -> bool {
        self.waiting > 0
    }

    /// `worker` has reported the fact `sequence`, which was there already.
    pub(crate) fn second(&mut self, sequence: u64, worker: WorkerId) {
        if let Some((_, stretch)) = self.stretches.range_mut(..=sequence).next_back()
            && sequence < stretch.end
            && stretch.worker != worker
        {
            stretch.seconded = true;
        }
    }

    /// Whether nobody but its author knows the fact `sequence`, or takes it for written down.
    pub(crate) fn is_secret(&self, sequence: u64) -> bool {
        self.stretch(sequence).is_some_and(|stretch| stretch.waits && !stretch.seconded)
    }

    /// The first claims of `name` have been shown: from now on its facts are told, those before it too. Whether that is new.
    pub(crate) fn admit(&mut self, name: &str) -> bool {
        let Some(admitted) = &mut self.admitted else { return false };
        if admitted.iter().any(|known| **known == *name) {
            return false;
        }
        admitted.push(name.into());
        let of_name = self.stretches.values_mut().filter(|stretch| *stretch.name == *name);
        for stretch in of_name {
            self.waiting -= usize::from(std::mem::take(&mut stretch.waits));
        }
        true
    }

    /// How many have been admitted.
    pub(crate) fn admissions(&self) -> usize {
        self.admitted.as_ref().map_or(0, Vec::len)
    }

    /// The facts below `sequence` of those who have been admitted since there were `seen` of them: who follows has passed over
    /// them.
    pub(crate) fn told_late(&self, seen: usize, sequence: u64) -> Vec<Range<u64>> {
        let Some(new) = self.admitted.as_ref().and_then(|admitted| admitted.get(seen..)) else {
            return Vec::new();
        };
        if new.is_empty() {
            return Vec::new();
        }
        let before = self.stretches.range(..sequence);
        let of_them = before.filter(|(_, stretch)| new.contains(&stretch.name));
        of_them.map(|(&start, stretch)| start..stretch.end.min(sequence)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: WorkerId = WorkerId(1);
    const B: WorkerId = WorkerId(2);

    #[test]
    fn own_facts_are_known_by_range() {
        let mut authors = Authors::new(false);
        authors.note(0..3, A, "a");
        authors.note(3..5, A, "a");
        authors.note(6..9, B, "b");
        authors.note(9..9, A, "a");
        let own = |worker, numbers: [u64; 5]| numbers.map(|n| authors.own(worker, n));
        assert_eq!(own(A, [0, 2, 4, 5, 7]), [Some(5), Some(5), Some(5), None, None]);
        assert_eq!(own(B, [4, 5, 6, 8, 9]), [None, None, Some(9), Some(9), None]);
        assert!((0..10).all(|n| authors.waiting(n).is_none()), "nobody looks at claims");
    }

    #[test]
    fn what_a_newcomer_claims_waits_and_is_told_late() {
        let mut authors = Authors::new(true);
        authors.note(2..4, A, "a");
        authors.note(4..6, B, "b");
        authors.note(6..9, A, "a");
        assert_eq!([1, 2, 5, 8].map(|n| authors.waiting(n)), [None, Some(4), Some(6), Some(9)]);
        assert!(authors.admit("a") && !authors.admit("a"));
        assert_eq!([2, 5, 8].map(|n| authors.waiting(n)), [None, Some(6), None]);
        assert_eq!(authors.told_late(0, 8), [2..4, 6..8]);
        assert_eq!(authors.told_late(1, 8), []);
        // What somebody else has reported, too, is no secret, though it waits.
        assert!(authors.any_waits() && authors.is_secret(5) && !authors.is_secret(3));
        authors.second(5, B);
        assert!(authors.is_secret(5), "he knows his own");
        authors.second(5, A);
        assert!(!authors.is_secret(4) && authors.waiting(4).is_some());
        // Nobody waits twice.
        authors.note(9..11, A, "a");
        assert_eq!(authors.waiting(10), None);
        assert_eq!(authors.admissions(), 1);
    }
}
