//! Lists of children.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::{CHILDREN, LandId, Lands, NAMELESS};
use crate::arena::Chunk;

/// The children of a land whose values were open when it was expanded.
///
/// Children whose nimber `v` was known are not listed: that `v` is impossible for the land says all there is to say.
/// Known lands of a sum are folded into a heap, and equal lands cancel.
pub(crate) struct Children<'a> {
    /// Children that are one land.
    pub singles: &'a [AtomicU32],
    /// Children that are a sum: a word `lands | heap << 16`, then the lands.
    sums: &'a [AtomicU32],
}

impl<'a> Children<'a> {
    /// All lands in the list.
    pub fn lands(&self) -> impl Iterator<Item = &'a AtomicU32> {
        self.singles.iter().chain(self.sums().flat_map(|(_, lands)| lands))
    }

    /// The sums: the heap of the known part, and the lands.
    pub fn sums(&self) -> impl Iterator<Item = (u8, &'a [AtomicU32])> {
        let mut rest = self.sums;
        std::iter::from_fn(move || {
            let (header, tail) = rest.split_first()?;
            let header = header.load(Relaxed);
            let (lands, tail) = tail.split_at((header & 0xffff) as usize);
            rest = tail;
            Some(((header >> 16) as u8, lands))
        })
    }
}

/// The header word of a sum of `lands` lands beside a heap.
pub(crate) fn sum_header(lands: usize, heap: u8) -> u32 {
    lands as u32 | u32::from(heap) << 16
}

impl Lands {
    /// The list of children, if the land was expanded.
    #[inline]
    pub fn children(&self, land: LandId) -> Option<Children<'_>> {
        let place = self.arena.word(land.0 + CHILDREN).load(Acquire);
        (place > NAMELESS).then(|| {
            let header = self.arena.words(place, 2);
            let (singles, sums) = (header[0].load(Relaxed), header[1].load(Relaxed));
            let words = self.arena.words(place, 2 + (singles + sums) as usize);
            Children {
                singles: &words[2..2 + singles as usize],
                sums: &words[2 + singles as usize..],
            }
        })
    }

    /// Publishes the list of children of a land; `false` when there is no room. See [`Children`] for the layout of `sums`.
    pub fn set_children(
        &self,
        land: LandId,
        singles: impl ExactSizeIterator<Item = LandId>,
        sums: &[u32],
        chunk: &mut Chunk,
    ) -> bool {
        let count = singles.len();
        let words = 2 + count + sums.len();
        let Some(place) = self.arena.take(chunk, words) else { return false };
        let record = self.arena.words(place, words);
        record[0].store(count as u32, Relaxed);
        record[1].store(sums.len() as u32, Relaxed);
        let singles = singles.map(|land| land.0);
        for (word, value) in record[2..].iter().zip(singles.chain(sums.iter().copied())) {
            word.store(value, Relaxed);
        }
        self.arena.word(land.0 + CHILDREN).store(place, Release);
        true
    }
}
