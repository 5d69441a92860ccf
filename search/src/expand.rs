//! One expansion: the children of a land, as far as they are needed.
//!
//! While children are generated, only those that may decide the couple are named: the filter of what is known tells by their
//! sketches. Most expansions end with such a child. If none decides, the children that have waited are listed, and those of which
//! nothing is known remain nameless.

use std::ops::ControlFlow;

use crate::filter::{Filter, Nimbers, Sketch};
use crate::game::{Game, Moves};
use crate::lands::{LandId, sum_header};
use crate::namer::Namer;
use crate::tables::{Leave, Tables};
use crate::walk::Couple;

/// About so many bytes of children wait at most.
const MOST_WAITING: usize = if cfg!(test) { 1 << 6 } else { 1 << 16 };

/// A thread's tools for expansions.
pub(crate) struct Expander<G: Game> {
    moves: G::Moves,
    key: Vec<u8>,
    waiting: Waiting,
    brood: Brood,
}

/// What an expansion has shown.
pub(crate) struct Expansion {
    /// Children generated.
    pub children: u64,
    /// Nimbers of children, one bit each: none of them is the land's.
    pub values: u64,
    /// Whether one of them decides the couple. Otherwise the others are to be [published](Expander::publish).
    pub is_decided: bool,
}

impl<G: Game> Expander<G> {
    pub fn new(game: &G) -> Self {
        let (waiting, brood) = (Waiting::default(), Brood::default());
        Self { moves: game.moves(), key: Vec::new(), waiting, brood }
    }

    /// Generates the children of the land of `couple`, and stops at the first that decides the couple.
    pub fn expand(
        &mut self,
        tables: &Tables,
        namer: &mut Namer<G>,
        Couple { land, heap }: Couple,
    ) -> Result<Expansion, Leave> {
        let Self { moves, key, waiting, brood } = self;
        let filter = tables.lands.filter();
        tables.lands.key(land, key);
        filter.add(tables.lands.sketch(land));
        waiting.clear();
        brood.clear();
        let mut generated = 0;
        let flow = moves.children(key, |lands| {
            generated += 1;
            waiting.push(lands);
            let decides = if waiting.last().may_decide(heap, filter) {
                let nimber = brood.take_in(tables, namer, waiting.last());
                waiting.pop();
                nimber.map(|nimber| nimber == Some(heap))
            } else if waiting.bytes.len() > MOST_WAITING {
                brood.list_all(tables, namer, waiting, heap)
            } else {
                Ok(false)
            };
            match decides {
                Ok(false) => ControlFlow::Continue(()),
                decides => ControlFlow::Break(decides),
            }
        });
        let is_decided = match flow.map_err(Leave::TooManyMoves)? {
            ControlFlow::Break(decides) => decides?,
            ControlFlow::Continue(()) => brood.list_all(tables, namer, waiting, heap)?,
        };
        Ok(Expansion { children: generated, values: brood.values, is_decided })
    }

    /// Shows everybody the list of the children generated last. The nimbers of children that are not listed, as they are known,
    /// must have been excluded for the land before: who sees the list relies on it.
    pub fn publish(
        &mut self,
        tables: &Tables,
        namer: &mut Namer<G>,
        land: LandId,
    ) -> Result<(), Leave> {
        self.brood.publish(tables, land, namer).then_some(()).ok_or_else(|| tables.no_room())
    }
}

/// Children that have been generated and not looked at.
#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    lands: Vec<RawLand>,
    /// Where the lands of each child begin.
    children: Vec<usize>,
}

/// Where the bytes of a land begin, and its sketch.
#[derive(Clone, Copy)]
struct RawLand {
    start: usize,
    sketch: Sketch,
}

impl Waiting {
    fn clear(&mut self) {
        self.bytes.clear();
        self.lands.clear();
        self.children.clear();
    }

    fn push(&mut self, lands: &mut dyn Iterator<Item = (&[u8], u64)>) {
        self.children.push(self.lands.len());
        for (land, sketch) in lands {
            let sketch = Sketch::of(sketch);
            self.lands.push(RawLand { start: self.bytes.len(), sketch });
            self.bytes.extend_from_slice(land);
        }
    }

    /// One of the children.
    fn child(&self, child: usize) -> Child<'_> {
        let end = self.children.get(child + 1).copied().unwrap_or(self.lands.len());
        let bytes = self.lands.get(end).map_or(self.bytes.len(), |next| next.start);
        Child { bytes: &self.bytes[..bytes], lands: &self.lands[self.children[child]..end] }
    }

    /// The last child.
    fn last(&self) -> Child<'_> {
        self.child(self.children.len() - 1)
    }

    /// Drops the last child.
    fn pop(&mut self) {
        let first = self.children.pop().expect("a child waits");
        if let Some(land) = self.lands.get(first) {
            self.bytes.truncate(land.start);
        }
        self.lands.truncate(first);
    }
}

/// A child that was generated: its lands, up to the end of the bytes.
#[derive(Clone, Copy)]
struct Child<'a> {
    bytes: &'a [u8],
    lands: &'a [RawLand],
}

impl<'a> Child<'a> {
    fn lands(self) -> impl Iterator<Item = (&'a [u8], Sketch)> {
        let ends = self.lands.iter().skip(1).map(|next| next.start).chain([self.bytes.len()]);
        self.lands
            .iter()
            .zip(ends)
            .map(move |(land, end)| (&self.bytes[land.start..end], land.sketch))
    }

    /// Whether two lands look the same: they may be equal and cancel each other.
    fn has_likes(self) -> bool {
        let sketches = |range: &'a [RawLand]| range.iter().map(|land| land.sketch);
        (1..self.lands.len()).any(|i| sketches(&self.lands[..i]).any(|s| s == self.lands[i].sketch))
    }

    /// Whether the child may be known to have the nimber `heap`.
    fn may_decide(self, heap: u8, filter: &Filter) -> bool {
        if let [land] = self.lands {
            return filter.may_have(land.sketch, heap);
        }
        let nimbers = self.lands.iter().map(|land| filter.nimbers(land.sketch));
        nimbers.fold(Nimbers::ZERO, Nimbers::plus).may_be(heap) || self.has_likes()
    }
}

/// The children of a land, sorted into those that are known and those that are open.
#[derive(Default)]
struct Brood {
    /// Nimbers of children, one bit each.
    values: u64,
    /// Children that are one land.
    singles: Vec<Single>,
    /// The same, each once, as they will be listed: after the first of those that look alike.
    arranged: Vec<(LandId, LandId)>,
    /// Sums: header and lands, one after the other.
    sums: Vec<u32>,
    /// Lands of the child that is being taken in.
    ids: Vec<u32>,
}

impl Brood {
    fn clear(&mut self) {
        self.values = 0;
        self.singles.clear();
        self.sums.clear();
    }

    /// Takes a child in under the names of its lands; returns its nimber, if it is known.
    fn take_in<G: Game>(
        &mut self,
        tables: &Tables,
        namer: &mut Namer<G>,
        child: Child,
    ) -> Result<Option<u8>, Leave> {
        self.ids.clear();
        let mut known = 0;
        for (raw, sketch) in child.lands() {
            self.add(tables, namer.intern(tables, raw, sketch)?, &mut known);
        }
        Ok(self.sort_in(tables, known))
    }

    /// Takes in all children that wait; tells whether one of them has the nimber `heap`, as another thread may have found out
    /// meanwhile, and stops there.
    fn list_all<G: Game>(
        &mut self,
        tables: &Tables,
        namer: &mut Namer<G>,
        waiting: &mut Waiting,
        heap: u8,
    ) -> Result<bool, Leave> {
        for child in 0..waiting.children.len() {
            if self.list(tables, namer, waiting.child(child))? == Some(heap) {
                return Ok(true);
            }
        }
        waiting.clear();
        Ok(false)
    }

    /// Takes a child in whose lands stay nameless as far as nothing is known of them.
    fn list<G: Game>(
        &mut self,
        tables: &Tables,
        namer: &mut Namer<G>,
        child: Child,
    ) -> Result<Option<u8>, Leave> {
        if child.has_likes() || !tables.lands.spares_names() {
            return self.take_in(tables, namer, child);
        }
        self.ids.clear();
        let mut known = 0;
        for (raw, sketch) in child.lands() {
            self.add(tables, namer.find(tables, raw, sketch)?, &mut known);
        }
        Ok(self.sort_in(tables, known))
    }

    #[inline]
    fn add(&mut self, tables: &Tables, land: LandId, known: &mut u8) {
        match tables.lands.possible(land).known() {
            Some(nimber) => *known ^= nimber,
            None => self.ids.push(land.0),
        }
    }

    /// Puts the child whose open lands are in `ids` where it belongs; returns its nimber, if it is known.
    fn sort_in(&mut self, tables: &Tables, known: u8) -> Option<u8> {
        cancel_pairs(&mut self.ids);
        match self.ids[..] {
            [] => {
                self.values |= 1 << known;
                return Some(known);
            }
            [single] if known == 0 => self.singles.push(order(tables, LandId(single))),
            _ => {
                self.ids.sort_unstable_by_key(|&land| order(tables, LandId(land)));
                self.sums.push(sum_header(self.ids.len(), known));
                self.sums.extend_from_slice(&self.ids);
            }
        }
        None
    }

    /// Lists the open children of a land, each once; `false` when there is no room.
    fn publish<G: Game>(&mut self, tables: &Tables, land: LandId, namer: &mut Namer<G>) -> bool {
        tables.lands.count_nameless(std::mem::take(&mut namer.nameless));
        self.arrange();
        let singles = self.arranged.iter().map(|&(_, land)| land);
        let sums = without_repeats(tables, &self.sums);
        tables.lands.set_children(land, singles, &sums, &mut namer.chunk)
    }

    /// Arranges the children that are one land in the order of their places, but nameless ones that look the same right after
    /// the first of these.
    fn arrange(&mut self) {
        let Self { singles, arranged, .. } = self;
        singles.sort_unstable();
        singles.dedup();
        arranged.clear();
        for alike in singles.chunk_by(|(a, _), (b, _)| a.is_some() && a == b) {
            arranged.extend(alike.iter().map(|&(_, land)| (alike[0].1, land)));
        }
        arranged.sort_unstable();
    }
}

/// A land with what it looks like, if it is nameless.
type Single = (Option<Sketch>, LandId);

/// An order of lands in which nameless ones that look the same stand together.
fn order(tables: &Tables, land: LandId) -> Single {
    (tables.lands.nameless(land), land)
}

/// Removes equal lands in pairs: in normal play A + A has nimber 0. Leaves the lands sorted.
fn cancel_pairs(ids: &mut Vec<u32>) {
    if ids.len() < 2 {
        return;
    }
    ids.sort_unstable();
    let mut kept = 0;
    for i in 0..ids.len() {
        if kept > 0 && ids[kept - 1] == ids[i] {
            kept -= 1;
        } else {
            ids[kept] = ids[i];
            kept += 1;
        }
    }
    ids.truncate(kept);
}

/// The same sums, each once.
fn without_repeats(tables: &Tables, sums: &[u32]) -> Vec<u32> {
    let mut list = Vec::new();
    let mut rest = sums;
    while let Some(&header) = rest.first() {
        let (sum, tail) = rest.split_at(1 + (header & 0xffff) as usize);
        list.push(sum);
        rest = tail;
    }
    let place = |&land: &u32| order(tables, LandId(land));
    list.sort_unstable_by(|a, b| {
        let lands = || a[1..].iter().map(place).cmp(b[1..].iter().map(place));
        a[0].cmp(&b[0]).then_with(lands)
    });
    list.dedup();
    list.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(children: &[&[&str]]) -> Waiting {
        let mut waiting = Waiting::default();
        for child in children {
            let lands = child.iter().map(|land| land.as_bytes());
            waiting.push(&mut lands.map(|land| (land, u64::from(land[0]) << 32)));
        }
        waiting
    }

    #[test]
    fn children_wait_as_they_came() {
        let children: [&[&str]; 5] = [&["ab", "c"], &[], &["d"], &[], &["xyz", "u", "vw"]];
        let mut waiting = waiting(&children);
        let texts = |child: Child| -> Vec<String> {
            child.lands().map(|(raw, _)| String::from_utf8_lossy(raw).into_owned()).collect()
        };
        for (i, child) in children.iter().enumerate() {
            assert_eq!(texts(waiting.child(i)), *child);
        }
        for child in children.iter().rev() {
            assert_eq!(texts(waiting.last()), *child);
            waiting.pop();
        }
        assert!(waiting.bytes.is_empty() && waiting.lands.is_empty());
    }

    #[test]
    fn a_child_may_decide_if_its_lands_may_add_up() {
        let filter = Filter::new(1 << 12);
        for (land, nimber) in [(b'a', 1), (b'b', 3), (b'c', 0)] {
            filter.add_nimber(Sketch(land.into()), nimber);
        }
        let may_decide = |child: &[&str], heap| waiting(&[child]).last().may_decide(heap, &filter);
        assert!(may_decide(&["ax"], 1) && !may_decide(&["ax"], 2) && !may_decide(&["u"], 1));
        assert!(may_decide(&["a", "b"], 2) && !may_decide(&["a", "b"], 3));
        assert!(!may_decide(&["a", "u"], 1));
        assert!(may_decide(&[], 0) && !may_decide(&[], 1));
        // Lands that look alike may be equal, and then it does not matter that they are unknown.
        assert!(may_decide(&["u1", "u1"], 0));
    }
}
