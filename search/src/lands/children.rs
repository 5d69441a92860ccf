//! Lists of children.

use crate::kernel::sync::AtomicU32;
use crate::kernel::sync::Ordering::{Acquire, Relaxed, Release};

use super::{CHILDREN, LandId, Lands, Nameless};
use crate::kernel::arena::Chunk;

/// A land as it stands in a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Listed {
    Named(LandId),
    Nameless(Nameless),
}

/// Some lands of a list: the places of those with a name, then two words for each land that came
/// without one: its sketch, and its [word](Nameless::word), which is replaced by a place when the
/// land gets a name.
#[derive(Clone, Copy)]
pub(crate) struct Lot<'a> {
    named: &'a [AtomicU32],
    nameless: &'a [[AtomicU32; 2]],
}

/// The children of a land whose values were open when it was expanded.
///
/// Children whose nimber `v` was known are not listed: it is enough that `v` is impossible for the
/// land. Known lands of a sum are folded into a heap, and equal lands cancel.
///
/// ```text
/// word 0      words of the sums
///      1 ..   children that are one land: how many have a name, how many have none,
///             and these lands (see [`Lot`])
///        ..   children that are a sum, each: a word `named | nameless << 12 | heap << 24`,
///             and its lands
/// ```
pub(crate) struct Children<'a> {
    /// Children that are one land.
    pub singles: Lot<'a>,
    sums: &'a [AtomicU32],
}

/// Bits for the number of named lands of a sum, and bits for the number of its other lands.
const COUNT: u32 = 12;

impl<'a> Lot<'a> {
    /// Splits off the first lands of `words`, and returns the words after them, too.
    fn split(words: &'a [AtomicU32], named: usize, nameless: usize) -> (Self, &'a [AtomicU32]) {
        let (named, rest) = words.split_at(named);
        let (nameless, rest) = rest.split_at(2 * nameless);
        (Self { named, nameless: nameless.as_chunks().0 }, rest)
    }

    /// The lands that had a name when they were listed.
    #[inline]
    pub fn named(self) -> impl Iterator<Item = LandId> + Clone + 'a {
        self.named.iter().map(|place| LandId(place.load(Relaxed)))
    }

    /// The lands that had no name, with their sketches.
    #[inline]
    pub fn nameless(self) -> impl Iterator<Item = (u32, Listed)> + Clone + 'a {
        self.nameless.iter().map(|[sketch, word]| {
            let sketch = sketch.load(Relaxed);
            (sketch, Listed::of(sketch, word.load(Acquire)))
        })
    }

    /// All lands.
    #[inline]
    pub fn lands(self) -> impl Iterator<Item = Listed> + Clone + 'a {
        self.named().map(Listed::Named).chain(self.nameless().map(|(_, land)| land))
    }

    /// Gives a land its name.
    fn name(self, land: Nameless, name: LandId) {
        for [sketch, word] in self.nameless {
            if sketch.load(Relaxed) == land.sketch.0 && word.load(Relaxed) == land.word() {
                word.store(name.0, Release);
            }
        }
    }
}

impl<'a> Children<'a> {
    /// The sums: the heap of the known part, and the lands.
    pub fn sums(&self) -> impl Iterator<Item = (u8, Lot<'a>)> {
        let mut rest = self.sums;
        std::iter::from_fn(move || {
            let (header, tail) = rest.split_first()?;
            let header = header.load(Relaxed);
            let count = |bits: u32| (bits & ((1 << COUNT) - 1)) as usize;
            let (lands, tail) = Lot::split(tail, count(header), count(header >> COUNT));
            rest = tail;
            Some(((header >> (2 * COUNT)) as u8, lands))
        })
    }

    /// All lands, child by child.
    fn lots(&self) -> impl Iterator<Item = Lot<'a>> {
        std::iter::once(self.singles).chain(self.sums().map(|(_, lands)| lands))
    }

    /// The lands that have no name.
    pub fn nameless(&self) -> impl Iterator<Item = Nameless> {
        self.lots().flat_map(Lot::nameless).filter_map(|(_, land)| match land {
            Listed::Named(_) => None,
            Listed::Nameless(land) => Some(land),
        })
    }

    /// Gives a land its name.
    pub fn name(&self, land: Nameless, name: LandId) {
        self.lots().for_each(|lands| lands.name(land, name));
    }
}

/// Writes the lands of a sum beside a heap at the end of `out`. Lands with a name come first.
pub(crate) fn write_sum(heap: u8, lands: impl Iterator<Item = Listed> + Clone, out: &mut Vec<u32>) {
    let start = out.len();
    out.push(0);
    let mut counts = [0u32; 2];
    for land in lands {
        match land {
            Listed::Named(land) => {
                out.push(land.0);
                counts[0] += 1;
            }
            Listed::Nameless(land) => {
                out.extend([land.sketch.0, land.word()]);
                counts[1] += 1;
            }
        }
    }
    // A key is shorter than that.
    assert!(counts.iter().all(|&count| count < 1 << COUNT), "a child has fewer lands");
    out[start] = counts[0] | counts[1] << COUNT | u32::from(heap) << (2 * COUNT);
}

impl Lands {
    /// The list of children, if the land was expanded.
    #[inline]
    pub fn children(&self, land: LandId) -> Option<Children<'_>> {
        let place = self.records.arena.word(land.0 + CHILDREN).load(Acquire);
        (place != 0).then(|| {
            let header = self.records.arena.words(place, 3);
            let [sums, named, nameless] = std::array::from_fn(|i| header[i].load(Relaxed) as usize);
            let words = self.records.arena.words(place, 3 + named + 2 * nameless + sums);
            let (singles, sums) = Lot::split(&words[3..], named, nameless);
            Children { singles, sums }
        })
    }

    /// Publishes the list of children of a land; `false` when there is no room. `sums` are those of
    /// [`write_sum`].
    pub fn set_children(
        &self,
        land: LandId,
        named: &[LandId],
        nameless: impl ExactSizeIterator<Item = Nameless>,
        sums: &[u32],
        chunk: &mut Chunk,
    ) -> bool {
        let count = nameless.len();
        let words = 3 + named.len() + 2 * count + sums.len();
        let Some(place) = self.take(chunk, words) else { return false };
        let header = [sums.len(), named.len(), count].map(|count| count as u32);
        let nameless = nameless.flat_map(|land| [land.sketch.0, land.word()]);
        let values = header.into_iter().chain(named.iter().map(|land| land.0)).chain(nameless);
        let record = self.records.arena.words(place, words);
        for (word, value) in record.iter().zip(values.chain(sums.iter().copied())) {
            word.store(value, Relaxed);
        }
        self.records.arena.word(land.0 + CHILDREN).store(place, Release);
        true
    }
}
