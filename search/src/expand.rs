//! One expansion: the children of a land, as far as they are needed.
//!
//! While children are generated, only those that may decide the couple get a name: the filter of
//! what is known tells by their sketches. Most expansions end with such a child. If no child
//! decides the couple, the children that have waited are listed. Those of which nothing is known
//! remain nameless: they are made again by the same move when they are needed ([`Expander::name`]).

use std::ops::{ControlFlow, Range};

use sprig_domain::cancel;

use crate::couples::Couple;
use crate::filter::{Filter, Nimbers, Sketch};
use crate::game::{Game, Moves, TooMany};
use crate::lands::{LandId, Listed, Nameless, write_sums};
use crate::namer::Namer;
use crate::tables::{Leave, Tables};

/// The most bytes of children that wait, about.
const MOST_WAITING: usize = if cfg!(test) { 1 << 6 } else { 1 << 16 };

/// A thread's tools for expansions.
pub(crate) struct Expander<G: Game> {
    moves: G::Moves,
    key: Vec<u8>,
    waiting: Waiting,
    found: Children,
}

/// What an expansion has shown.
pub(crate) struct Expansion {
    /// Children generated.
    pub children: u64,
    /// Nimbers of children, one bit each: none of them is the land's.
    pub values: u64,
    /// Whether a child decides the couple. If not, the children are to be
    /// [published](Expander::publish).
    pub is_decided: bool,
}

impl<G: Game> Expander<G> {
    pub fn new(game: &G) -> Self {
        let (waiting, found) = (Waiting::default(), Children::default());
        Self { moves: game.moves(), key: Vec::new(), waiting, found }
    }

    /// Generates the children of the land of `couple`, and stops at the first that decides the
    /// couple.
    pub fn expand(
        &mut self,
        tables: &Tables,
        namer: &mut Namer<G>,
        Couple { land, heap }: Couple,
    ) -> Result<Expansion, Leave> {
        let Self { moves, key, waiting, found } = self;
        let filter = tables.lands.filter();
        tables.lands.key(land, key);
        filter.add(tables.lands.sketch(land));
        waiting.clear();
        found.clear();
        let mut generated = 0;
        let flow = moves.children(key, |way, lands| {
            generated += 1;
            waiting.push(way, lands);
            let decides = if waiting.last().may_decide(heap, filter) {
                let nimber = found.take_in(tables, namer, waiting.last());
                waiting.pop();
                nimber.map(|nimber| nimber == Some(heap))
            } else if waiting.bytes.len() > MOST_WAITING {
                found.list_all(tables, namer, waiting, heap)
            } else {
                Ok(false)
            };
            match decides {
                Ok(false) => ControlFlow::Continue(()),
                decides => ControlFlow::Break(decides),
            }
        });
        let is_decided = match flow.map_err(|TooMany| Leave::TooManyMoves)? {
            ControlFlow::Break(decides) => decides?,
            ControlFlow::Continue(()) => found.list_all(tables, namer, waiting, heap)?,
        };
        Ok(Expansion { children: generated, values: found.values, is_decided })
    }

    /// Shows all threads the list of the children generated last. Children with known nimbers are
    /// not listed. These nimbers must have been excluded for the land before: a thread that sees
    /// the list relies on it.
    pub fn publish(
        &mut self,
        tables: &Tables,
        namer: &mut Namer<G>,
        land: LandId,
    ) -> Result<(), Leave> {
        self.found.publish(tables, land, namer).then_some(()).ok_or_else(|| tables.no_room())
    }

    /// Finds or adds a nameless child of a land.
    pub fn name(
        &mut self,
        tables: &Tables,
        namer: &mut Namer<G>,
        land: LandId,
        child: Nameless,
    ) -> Result<LandId, Leave> {
        let Self { moves, key, .. } = self;
        tables.lands.key(land, key);
        let named = moves.child(key, child.way, |lands| {
            let mut alike = lands.filter(|&(_, sketch)| Sketch::of(sketch) == child.sketch);
            alike.next().map(|(raw, _)| namer.intern(tables, raw, child.sketch))
        });
        named.flatten().expect("a land has the same moves whenever it is asked")
    }
}

/// Children that have been generated and not looked at.
#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    lands: Vec<RawLand>,
    /// For each child, the way that leads to it, and where its lands begin.
    children: Vec<(u32, usize)>,
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

    fn push(&mut self, way: u32, lands: &mut dyn Iterator<Item = (&[u8], u64)>) {
        self.children.push((way, self.lands.len()));
        for (land, sketch) in lands {
            let sketch = Sketch::of(sketch);
            self.lands.push(RawLand { start: self.bytes.len(), sketch });
            self.bytes.extend_from_slice(land);
        }
    }

    /// One of the children.
    fn child(&self, child: usize) -> Child<'_> {
        let (way, start) = self.children[child];
        let end = self.children.get(child + 1).map_or(self.lands.len(), |&(_, next)| next);
        let bytes = self.lands.get(end).map_or(self.bytes.len(), |next| next.start);
        Child { way, bytes: &self.bytes[..bytes], lands: &self.lands[start..end] }
    }

    /// The last child.
    fn last(&self) -> Child<'_> {
        self.child(self.children.len() - 1)
    }

    /// Drops the last child.
    fn pop(&mut self) {
        let (_, first) = self.children.pop().expect("a child waits");
        if let Some(land) = self.lands.get(first) {
            self.bytes.truncate(land.start);
        }
        self.lands.truncate(first);
    }
}

/// A child that was generated: its lands, up to the end of the bytes.
#[derive(Clone, Copy)]
struct Child<'a> {
    way: u32,
    bytes: &'a [u8],
    lands: &'a [RawLand],
}

impl<'a> Child<'a> {
    fn lands(self) -> impl Iterator<Item = (&'a [u8], Sketch)> {
        self.ranges().map(move |(range, sketch)| (&self.bytes[range], sketch))
    }

    /// Where the bytes of each land are, and its sketch.
    fn ranges(self) -> impl Iterator<Item = (Range<usize>, Sketch)> {
        let ends = self.lands.iter().skip(1).map(|next| next.start).chain([self.bytes.len()]);
        self.lands.iter().zip(ends).map(|(land, end)| (land.start..end, land.sketch))
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
struct Children {
    /// Nimbers of children, one bit each.
    values: u64,
    /// Children that are one land with a name.
    named: Vec<LandId>,
    /// Children that are one nameless land, each after the way to the first that looks the same.
    nameless: Vec<(u32, Nameless)>,
    /// Sums: the heap, and where the lands are in `lands`.
    sums: Vec<(u8, Range<usize>)>,
    lands: Vec<Listed>,
    /// Those lands of the child that is being taken in that have a name.
    ids: Vec<u32>,
    /// Nameless lands that were met, each once, by their bytes.
    met: Met,
    /// The sums as they are listed.
    written: Vec<u32>,
}

impl Children {
    fn clear(&mut self) {
        self.values = 0;
        self.named.clear();
        self.nameless.clear();
        self.sums.clear();
        self.lands.clear();
        self.met.clear();
    }

    /// Takes a child in under the names of its lands. Returns its nimber, if it is known.
    fn take_in<G: Game>(
        &mut self,
        tables: &Tables,
        namer: &mut Namer<G>,
        child: Child,
    ) -> Result<Option<u8>, Leave> {
        self.ids.clear();
        let (mut known, start) = (0, self.lands.len());
        for (raw, sketch) in child.lands() {
            self.add(tables, namer.intern(tables, raw, sketch)?, &mut known);
        }
        Ok(self.sort_in(start, known))
    }

    /// Takes in all children that wait. Returns whether one of them has the nimber `heap`, which
    /// another thread may have found out meanwhile, and stops there.
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
        self.met.clear();
        Ok(false)
    }

    /// Takes a child in whose lands stay nameless as far as nothing is known of them.
    fn list<G: Game>(
        &mut self,
        tables: &Tables,
        namer: &mut Namer<G>,
        child: Child,
    ) -> Result<Option<u8>, Leave> {
        // Lands of one child that look the same may cancel, and a nameless land is told from the
        // others by its sketch.
        if child.has_likes() || child.way >= Nameless::WAYS {
            return self.take_in(tables, namer, child);
        }
        self.ids.clear();
        let (mut known, start) = (0, self.lands.len());
        for (range, sketch) in child.ranges() {
            let raw = &child.bytes[range.clone()];
            if tables.lands.filter().may_know(sketch) {
                self.add(tables, namer.intern(tables, raw, sketch)?, &mut known);
            } else {
                let land = self.met.find(child, range, sketch, || namer.cell(tables, raw));
                self.lands.push(Listed::Nameless(land));
            }
        }
        Ok(self.sort_in(start, known))
    }

    #[inline]
    fn add(&mut self, tables: &Tables, land: LandId, known: &mut u8) {
        match tables.lands.possible(land).known() {
            Some(nimber) => *known ^= nimber,
            None => self.ids.push(land.0),
        }
    }

    /// Sorts in the child whose open lands are in `ids` and, if they are nameless, in `lands` from
    /// `start` on. Returns its nimber, if it is known.
    fn sort_in(&mut self, start: usize, known: u8) -> Option<u8> {
        cancel(&mut self.ids);
        match (&self.ids[..], &self.lands[start..]) {
            ([], []) => {
                self.values |= 1 << known;
                return Some(known);
            }
            (&[single], []) if known == 0 => self.named.push(LandId(single)),
            (&[], &[Listed::Nameless(single)]) if known == 0 => {
                self.nameless.push((0, single));
                self.lands.truncate(start);
            }
            _ => {
                self.lands.extend(self.ids.iter().map(|&land| Listed::Named(LandId(land))));
                self.sums.push((known, start..self.lands.len()));
            }
        }
        None
    }

    /// Lists the open children of a land, each once; `false` when there is no room.
    fn publish<G: Game>(&mut self, tables: &Tables, land: LandId, namer: &mut Namer<G>) -> bool {
        self.named.sort_unstable();
        self.named.dedup();
        self.arrange();
        let unnamed = self.write_sums() + self.nameless.len();
        let Self { named, nameless, written, .. } = self;
        let nameless = nameless.iter().map(|&(_, land)| land);
        let listed = tables.lands.set_children(land, named, nameless, written, &mut namer.chunk);
        tables.lands.count_nameless(if listed { unnamed } else { 0 });
        listed
    }

    /// Arranges nameless children in the order in which they were generated, but puts those that
    /// look the same right after the first of them.
    fn arrange(&mut self) {
        let nameless = &mut self.nameless;
        nameless.sort_unstable_by_key(|(_, land)| (land.sketch, land.way));
        nameless.dedup();
        for alike in nameless.chunk_by_mut(|(_, a), (_, b)| a.sketch == b.sketch) {
            let first = alike[0].1.way;
            alike.iter_mut().for_each(|(lead, _)| *lead = first);
        }
        nameless.sort_unstable_by_key(|&(lead, land)| (lead, land.sketch, land.way));
    }

    /// Writes the sums, each once. Returns how many nameless lands they have.
    fn write_sums(&mut self) -> usize {
        let Self { sums, lands, written, .. } = self;
        let order = |land: &Listed| match *land {
            Listed::Named(land) => (None, land.0),
            Listed::Nameless(land) => (Some(land.sketch), land.way),
        };
        for (_, range) in &*sums {
            lands[range.clone()].sort_unstable_by_key(order);
        }
        sums.sort_unstable_by(|(heap, a), (other, b)| {
            let lands = |range: &Range<usize>| lands[range.clone()].iter().map(order);
            heap.cmp(other).then_with(|| lands(a).cmp(lands(b)))
        });
        sums.dedup_by(|(heap, a), (other, b)| {
            heap == other && lands[a.clone()] == lands[b.clone()]
        });
        let sums = sums.iter().map(|(heap, range)| (*heap, &lands[range.clone()]));
        write_sums(sums.clone(), written);
        let lands = sums.flat_map(|(_, lands)| lands);
        lands.filter(|land| matches!(land, Listed::Nameless(_))).count()
    }
}

/// Nameless lands of children that wait, so that each is listed once.
#[derive(Default)]
struct Met {
    lands: Vec<(Nameless, Range<usize>)>,
    /// Open addressing with linear probing, by sketches. A slot has the number of a land, from 1
    /// on. There are as many slots as a power of two, or none.
    slots: Vec<u32>,
}

impl Met {
    fn clear(&mut self) {
        if !self.lands.is_empty() {
            self.lands.clear();
            self.slots.fill(0);
        }
    }

    /// Finds or adds a land of `child` with these bytes and this sketch: the first that has the
    /// same bytes. The cell is asked for if no land looks the same.
    fn find(
        &mut self,
        child: Child,
        range: Range<usize>,
        sketch: Sketch,
        cell: impl FnOnce() -> u32,
    ) -> Nameless {
        if 2 * self.lands.len() >= self.slots.len() {
            self.grow();
        }
        let (raw, mut like) = (&child.bytes[range.clone()], None);
        let mut at = self.slot(sketch);
        while let Some(number) = self.slots[at].checked_sub(1) {
            let (land, other) = &self.lands[number as usize];
            if land.sketch == sketch {
                if &child.bytes[other.clone()] == raw {
                    return *land;
                }
                like = Some(land.cell);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        let land = Nameless { sketch, cell: like.unwrap_or_else(cell), way: child.way };
        self.lands.push((land, range));
        self.slots[at] = self.lands.len() as u32;
        land
    }

    fn slot(&self, Sketch(sketch): Sketch) -> usize {
        sketch as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        self.slots = vec![0; (2 * self.slots.len()).max(1 << 7)];
        for number in 0..self.lands.len() {
            let mut at = self.slot(self.lands[number].0.sketch);
            while self.slots[at] != 0 {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = number as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(children: &[&[&str]]) -> Waiting {
        let mut waiting = Waiting::default();
        for child in children {
            let lands = child.iter().map(|land| land.as_bytes());
            waiting.push(0, &mut lands.map(|land| (land, u64::from(land[0]) << 32)));
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
        // Lands that look alike may be equal, and then they cancel, so that it does not matter that
        // they are unknown.
        assert!(may_decide(&["u1", "u1"], 0));
    }
}
