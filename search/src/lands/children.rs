//! Lists of children.

use crate::kernel::sync::AtomicU32;
use crate::kernel::sync::Ordering::{Acquire, Relaxed, Release};

use sprig_engine::Nimber;

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
/// word 0      how large the parts are (see [`Head`]), in most lists in one word
///      1 ..   children that are one land (see [`Lot`])
///        ..   children that are sums, in runs: a word that says what the sums of a run have in
///             common and how many they are (see [`Run`]), and the lands of each (see [`Lot`])
/// ```
pub(crate) struct Children<'a> {
    /// Children that are one land.
    pub singles: Lot<'a>,
    sums: &'a [AtomicU32],
}

/// How large the parts of a list are: the named lands and the nameless ones of those children that
/// are one land, and the words of the sums.
///
/// They stand in one word, `named | nameless << 10 | sums << 21`, if they fit; or else in three
/// words of their own, after a word of ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Head {
    named: u32,
    nameless: u32,
    sums: u32,
}

impl Head {
    /// Bits for the number of named lands, and for the number of nameless ones.
    const BITS: [u32; 2] = [10, 11];

    /// The words of the head.
    fn words(self) -> impl ExactSizeIterator<Item = u32> {
        let [named, nameless] = Self::BITS;
        let word = self.named | self.nameless << named | self.sums << (named + nameless);
        let all = [u32::MAX, self.named, self.nameless, self.sums];
        let fits = Self::of_word(word) == self && word != u32::MAX;
        let words = if fits { [word, 0, 0, 0] } else { all };
        words.into_iter().take(if fits { 1 } else { all.len() })
    }

    fn of_word(word: u32) -> Self {
        let [named, nameless] = Self::BITS;
        Self {
            named: word & ((1 << named) - 1),
            nameless: word >> named & ((1 << nameless) - 1),
            sums: word >> (named + nameless),
        }
    }

    /// Reads the head of a list, whose words are found by `word`, and how many words it has.
    #[inline]
    fn read(word: impl Fn(usize) -> u32) -> (Self, usize) {
        match word(0) {
            u32::MAX => (Self { named: word(1), nameless: word(2), sums: word(3) }, 4),
            one => (Self::of_word(one), 1),
        }
    }

    /// Words of the list after the head.
    fn rest(self) -> usize {
        (self.named + 2 * self.nameless + self.sums) as usize
    }
}

/// Sums one after the other that have equal heaps, and as many lands with a name and without.
///
/// In one word, `named | nameless << 10 | heap << 20 | (sums - 1) << 26`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    named: u32,
    nameless: u32,
    heap: u8,
    sums: u32,
}

impl Run {
    /// Bits for the number of named lands, and for the number of nameless ones.
    const COUNT: u32 = 10;
    /// Where the heap begins, which is the nimber of known lands.
    const HEAP: u32 = 2 * Self::COUNT;
    /// Where the number of sums begins.
    const SUMS: u32 = Self::HEAP + (Nimber::LIMIT - 1).count_ones();
    /// The most sums of a run.
    const MOST: u32 = 1 << (u32::BITS - Self::SUMS);

    /// One sum, beside this heap.
    fn of(heap: u8, lands: &[Listed]) -> Self {
        let named = lands.iter().filter(|land| matches!(land, Listed::Named(_))).count();
        let counts = [named, lands.len() - named].map(|count| count as u32);
        assert!(counts.iter().all(|count| count >> Self::COUNT == 0), "a child has fewer lands");
        Self { named: counts[0], nameless: counts[1], heap, sums: 1 }
    }

    fn word(self) -> u32 {
        let Self { named, nameless, heap, sums } = self;
        let heap = u32::from(heap) << Self::HEAP;
        named | nameless << Self::COUNT | heap | (sums - 1) << Self::SUMS
    }

    #[inline]
    fn of_word(word: u32) -> Self {
        let count = |word: u32| word & ((1 << Self::COUNT) - 1);
        let heap = word >> Self::HEAP & (Nimber::LIMIT as u32 - 1);
        Self {
            named: count(word),
            nameless: count(word >> Self::COUNT),
            heap: heap as u8,
            sums: (word >> Self::SUMS) + 1,
        }
    }
}

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
        let mut run = Run { named: 0, nameless: 0, heap: 0, sums: 0 };
        std::iter::from_fn(move || {
            if run.sums == 0 {
                let (word, tail) = rest.split_first()?;
                (run, rest) = (Run::of_word(word.load(Relaxed)), tail);
            }
            run.sums -= 1;
            let lands;
            (lands, rest) = Lot::split(rest, run.named as usize, run.nameless as usize);
            Some((run.heap, lands))
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

/// Writes sums into `out`, which is emptied before: for each the heap beside it, and its lands, of
/// which those with a name come first.
pub(crate) fn write_sums<'s>(sums: impl Iterator<Item = (u8, &'s [Listed])>, out: &mut Vec<u32>) {
    out.clear();
    let mut last: Option<(usize, Run)> = None;
    for (heap, lands) in sums {
        let one = Run::of(heap, lands);
        match &mut last {
            Some((at, run)) if (Run { sums: 1, ..*run }) == one && run.sums < Run::MOST => {
                run.sums += 1;
                out[*at] = run.word();
            }
            _ => {
                last = Some((out.len(), one));
                out.push(one.word());
            }
        }
        for land in lands {
            match *land {
                Listed::Named(land) => out.push(land.0),
                Listed::Nameless(land) => out.extend([land.sketch.0, land.word()]),
            }
        }
    }
}

impl Lands {
    /// The list of children, if the land was expanded.
    #[inline]
    pub fn children(&self, land: LandId) -> Option<Children<'_>> {
        let place = self.records.arena.word(land.0, CHILDREN).load(Acquire);
        (place != 0).then(|| {
            let (head, start) = Head::read(|i| self.records.arena.word(place, i).load(Relaxed));
            let words = self.records.arena.words(place, start..start + head.rest());
            let (singles, sums) = Lot::split(words, head.named as usize, head.nameless as usize);
            Children { singles, sums }
        })
    }

    /// Publishes the list of children of a land; `false` when there is no room. `sums` are those of
    /// [`write_sums`].
    pub fn set_children(
        &self,
        land: LandId,
        named: &[LandId],
        nameless: impl ExactSizeIterator<Item = Nameless>,
        sums: &[u32],
        chunk: &mut Chunk,
    ) -> bool {
        let sizes = [named.len(), nameless.len(), sums.len()];
        let [named_lands, nameless_lands, sum_words] = sizes.map(|size| size as u32);
        let head = Head { named: named_lands, nameless: nameless_lands, sums: sum_words };
        let words = head.words().len() + head.rest();
        let Some(place) = self.records.arena.take(chunk, words) else { return false };
        let nameless = nameless.flat_map(|land| [land.sketch.0, land.word()]);
        let values = head.words().chain(named.iter().map(|land| land.0)).chain(nameless);
        let record = self.records.arena.words(place, 0..words);
        for (word, value) in record.iter().zip(values.chain(sums.iter().copied())) {
            word.store(value, Relaxed);
        }
        self.records.arena.word(land.0, CHILDREN).store(place, Release);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Sketch;

    #[test]
    fn a_head_has_one_word_unless_a_part_is_large() {
        let sizes = [0, 1, 1023, 1024, 2047, 2048, u32::MAX];
        for named in sizes {
            for nameless in sizes {
                for sums in sizes {
                    let head = Head { named, nameless, sums };
                    let words: Vec<u32> = head.words().collect();
                    let (read, length) = Head::read(|i| words[i]);
                    assert_eq!((read, length), (head, words.len()));
                    let is_small = named < 1024 && nameless < 2048 && sums < 2047;
                    assert!(words.len() == 1 || !is_small, "{head:?}");
                }
            }
        }
    }

    #[test]
    fn sums_are_read_as_they_were_written() {
        let named = |place| Listed::Named(LandId(place));
        let nameless =
            |way| Listed::Nameless(Nameless { sketch: Sketch(u32::MAX - way), cell: 3 * way, way });
        let shapes: [&[Listed]; 4] = [
            &[named(2), nameless(5)],
            &[nameless(6), nameless(7)],
            &[named(4), named(4), nameless(1)],
            &[named(8)],
        ];
        let long = vec![named(10); (1 << Run::COUNT) - 1];
        let alike = std::iter::repeat_n((0, shapes[0]), 2 * Run::MOST as usize + 1);
        let sums: Vec<(u8, &[Listed])> = alike
            .chain((0..Nimber::LIMIT).flat_map(|heap| shapes.map(|lands| (heap, lands))))
            .chain([(63, &long[..]), (63, &long[..])])
            .collect();
        let mut words = vec![7];
        write_sums(sums.iter().copied(), &mut words);
        let words: Vec<AtomicU32> = words.into_iter().map(AtomicU32::new).collect();
        let (singles, sums_read) = Lot::split(&words, 0, 0);
        let read = Children { singles, sums: sums_read };
        let read: Vec<(u8, Vec<Listed>)> =
            read.sums().map(|(heap, lot)| (heap, lot.lands().collect())).collect();
        assert!(read.iter().map(|(heap, lands)| (*heap, &lands[..])).eq(sums));
    }
}
