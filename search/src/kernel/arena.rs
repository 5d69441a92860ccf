//! One growing array of atomic words, in which everything the search remembers is laid out.
//!
//! Words are handed out once and never moved or freed; a collection starts a new arena instead. All
//! accesses are atomic, so threads share it without locks: a record is complete before its place is
//! published with `Release` in another word, from which it is read with `Acquire`.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::sync::{AtomicU32, AtomicUsize, Mutex, Ordering, reset};

/// Words of a segment: 1 MiB. The tests of this crate have small ones, so that arenas are full at
/// once.
const SEGMENT: usize = if cfg!(loom) {
    1 << 8
} else if cfg!(test) {
    1 << 12
} else {
    1 << 18
};
/// Bytes of a segment.
pub const SEGMENT_BYTES: usize = SEGMENT * 4;
/// Words that places tell apart where each word has one: 16 GiB. In the tests of this crate they are
/// 256 KiB, so that larger arenas are common, also such that are always full.
const PLACES: usize = if cfg!(test) { 1 << 16 } else { 1 << 32 };
/// The most words from one place to the next, as a binary logarithm: an arena ends at 512 GiB.
const MOST_SHIFT: u32 = 5;
const MOST_SEGMENTS: usize = (PLACES / SEGMENT) << MOST_SHIFT;
/// Words a thread takes at once.
const CHUNK: usize = SEGMENT >> if cfg!(loom) { 3 } else { 6 };

/// The place of a record in an [`Arena`]: the number of its first word, divided by a power of two
/// that is larger the more memory the arena may have. 0 stands for "nothing yet".
pub type Place = u32;

/// Segments by which an arena may be ahead of the one that is handed over to it: records that
/// belong together are gathered, and the rest of a segment may stay unused.
const AHEAD: usize = 2;
/// Bytes of these segments.
pub const AHEAD_BYTES: usize = AHEAD * SEGMENT_BYTES;

/// Why the lock of the free segments is never poisoned.
const FREE: &str = "no thread panics with the free segments in hand";

/// The length is part of the type, so that a place in it needs no check.
type Segment = Box<[AtomicU32; SEGMENT]>;

/// A growing array of atomic words; see above.
pub struct Arena {
    segments: Vec<OnceLock<Segment>>,
    next: AtomicUsize,
    pool: Arc<Pool>,
    /// The segments before this one were handed over to a successor.
    handed_over: usize,
    /// The binary logarithm of the number of words from one place to the next.
    shift: u32,
    /// Records begin at multiples of so many places.
    multiple: usize,
}

/// The memory of an arena, or of several that share it.
struct Pool {
    /// Segments that are not in use; their words may hold anything. Segments that were taken from
    /// the system are used again, and given back by [`Arena::allow`] alone. So the memory taken
    /// does not depend on the allocator.
    free: Mutex<Vec<Segment>>,
    /// Segments taken from the system, in use or free. Changed with `free` in hand.
    taken: AtomicUsize,
    /// The most segments that may be taken. Changed while no thread uses the arenas.
    most: AtomicUsize,
}

/// A thread's own piece of an arena.
#[derive(Default)]
pub struct Chunk {
    next: usize,
    end: usize,
}

impl Arena {
    /// An arena of at most `bytes` bytes, of which the places are multiples of `multiple`, a power
    /// of two.
    pub fn new(bytes: usize, multiple: usize) -> Self {
        let most = (bytes / SEGMENT_BYTES).min(MOST_SEGMENTS);
        let shift = (most * SEGMENT).div_ceil(PLACES).next_power_of_two().trailing_zeros();
        assert!(multiple << shift <= CHUNK, "a record may begin where a thread's piece does");
        let pool = Pool {
            free: Mutex::new(Vec::new()),
            taken: AtomicUsize::new(0),
            most: AtomicUsize::new(most),
        };
        Self {
            segments: Self::segments(most),
            // No record begins at place 0.
            next: AtomicUsize::new(CHUNK),
            pool: Arc::new(pool),
            handed_over: 0,
            shift,
            multiple,
        }
    }

    fn segments(count: usize) -> Vec<OnceLock<Segment>> {
        (0..count).map(|_| OnceLock::new()).collect()
    }

    /// An empty arena that shares the memory of this one: what both hold is bounded together, and
    /// memory that one of them leaves can be used by the other.
    pub fn beside(&self) -> Self {
        Self {
            segments: Self::segments(self.segments.len()),
            next: AtomicUsize::new(CHUNK),
            pool: Arc::clone(&self.pool),
            handed_over: 0,
            ..*self
        }
    }

    /// An empty arena that uses the memory of this one again as it is handed over
    /// ([`Self::hand_over`]). It may take up to `AHEAD` segments more, to begin with.
    pub fn successor(&mut self) -> Self {
        let Pool { free, taken, most } = &*self.pool;
        let ahead = AHEAD.saturating_sub(free.lock().expect(FREE).len());
        most.fetch_max(taken.load(Ordering::Relaxed) + ahead, Ordering::Relaxed);
        self.beside()
    }

    /// Gives the segments before `place` back to the pool, for a successor. These words must not be
    /// read any more; see [`Self::holds`].
    pub fn hand_over(&mut self, place: Place) {
        let end = (self.index(place) / SEGMENT).min(self.segments.len());
        let gone = self.segments.get_mut(self.handed_over..end).unwrap_or_default();
        self.pool.free.lock().expect(FREE).extend(gone.iter_mut().filter_map(OnceLock::take));
        self.handed_over = self.handed_over.max(end);
    }

    /// Whether the record at `place` has not been handed over.
    pub fn holds(&self, place: Place) -> bool {
        self.segments[self.index(place) / SEGMENT].get().is_some()
    }

    /// Word `number` of the record at `place`, which must have been handed out.
    #[inline]
    pub fn word(&self, place: Place, number: usize) -> &AtomicU32 {
        let index = self.index(place) + number;
        &self.segment(index / SEGMENT)[index % SEGMENT]
    }

    /// These words of the record at `place`; a record never crosses a segment.
    #[inline]
    pub fn words(&self, place: Place, Range { start, end }: Range<usize>) -> &[AtomicU32] {
        let first = self.index(place);
        &self.segment(first / SEGMENT)[first % SEGMENT + start..first % SEGMENT + end]
    }

    /// The number of the word at `place`.
    #[inline]
    fn index(&self, place: Place) -> usize {
        (place as usize) << self.shift
    }

    #[inline]
    fn segment(&self, number: usize) -> &[AtomicU32; SEGMENT] {
        self.segments[number].get().expect("words are read after they were handed out")
    }

    /// Words that a record of `words` words takes.
    #[inline]
    pub fn taken_by(&self, words: usize) -> usize {
        words.next_multiple_of(self.multiple << self.shift)
    }

    /// Places up to the end of the last segment in use.
    pub fn places(&self) -> usize {
        (self.bytes() / size_of::<AtomicU32>()) >> self.shift
    }

    /// Hands out the place of a record of `words` zero words; `None` when the arena is full, or for
    /// more than a segment.
    #[inline]
    pub fn take(&self, chunk: &mut Chunk, words: usize) -> Option<Place> {
        let words = self.taken_by(words);
        if words > SEGMENT {
            return None;
        }
        if chunk.next + words > chunk.end {
            self.refill(chunk, words)?;
        }
        let index = chunk.next;
        chunk.next += words;
        Some((index >> self.shift) as Place)
    }

    /// Publishes `place` in `word`, if that holds `before`, a place or 0.
    ///
    /// # Errors
    /// What another thread has published there.
    pub fn replace(&self, word: &AtomicU32, before: Place, place: Place) -> Result<(), Place> {
        let (published, read) = (Ordering::AcqRel, Ordering::Acquire);
        word.compare_exchange(before, place, published, read).map(drop)
    }

    /// Takes back the record of `words` words that was handed out last, if it was never published.
    pub fn give_back(&self, chunk: &mut Chunk, words: usize) {
        chunk.next -= self.taken_by(words);
        for word in self.words((chunk.next >> self.shift) as Place, 0..words) {
            word.store(0, Ordering::Relaxed);
        }
    }

    fn refill(&self, chunk: &mut Chunk, words: usize) -> Option<()> {
        let size = words.next_multiple_of(CHUNK);
        loop {
            let start = self.next.fetch_add(size, Ordering::Relaxed);
            let end = start + size;
            let segment = self.segments.get((end - 1) / SEGMENT)?;
            // A piece that would cross into the next segment is left unused: one of those after it does not.
            if start / SEGMENT == (end - 1) / SEGMENT {
                if segment.get().is_none() {
                    self.furnish(segment)?;
                }
                *chunk = Chunk { next: start, end };
                return Some(());
            }
        }
    }

    /// Puts zeros where a segment will be, unless another thread has done so.
    fn furnish(&self, segment: &OnceLock<Segment>) -> Option<()> {
        let Pool { free, taken, most } = &*self.pool;
        let mut free = free.lock().expect(FREE);
        if segment.get().is_some() {
            return Some(());
        }
        let words = match free.pop() {
            Some(mut words) => {
                words.iter_mut().for_each(|word| reset(word, 0));
                words
            }
            None if taken.load(Ordering::Relaxed) >= most.load(Ordering::Relaxed) => return None,
            None => {
                taken.fetch_add(1, Ordering::Relaxed);
                let words: Box<[AtomicU32]> = (0..SEGMENT).map(|_| AtomicU32::new(0)).collect();
                words.try_into().expect("the length is that of a segment")
            }
        };
        segment.set(words).expect("only who holds the free segments furnishes");
        Some(())
    }

    /// From now on, all arenas that share the memory take at most `bytes` from the system, or what
    /// they use. What has been taken beyond that and is not in use is given back.
    pub fn allow(&mut self, bytes: usize) {
        let Pool { free, taken, most } = &*self.pool;
        let bound = bytes / SEGMENT_BYTES;
        most.store(bound, Ordering::Relaxed);
        let mut free = free.lock().expect(FREE);
        while taken.load(Ordering::Relaxed) > bound && free.pop().is_some() {
            taken.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Bytes of the segments in use.
    pub fn bytes(&self) -> usize {
        let segments = self.next.load(Ordering::Relaxed).div_ceil(SEGMENT);
        segments.min(self.segments.len()) * SEGMENT_BYTES
    }

    /// Bytes of all segments that may be in use at once.
    pub fn capacity(&self) -> usize {
        self.segments.len().min(self.pool.most.load(Ordering::Relaxed)) * SEGMENT_BYTES
    }

    /// Bytes taken from the system, in use or not.
    pub fn taken(&self) -> usize {
        self.pool.taken.load(Ordering::Relaxed) * SEGMENT_BYTES
    }
}

/// Gives what the arena held to the arenas that share its memory.
impl Drop for Arena {
    fn drop(&mut self) {
        if let Ok(mut free) = self.pool.free.lock() {
            free.extend(self.segments.iter_mut().filter_map(OnceLock::take));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_disjoint_and_zero() {
        let arena = Arena::new(64 << 20, 1);
        let mut chunks = [Chunk::default(), Chunk::default()];
        for i in 0..2_000 {
            let words = 1 + i * 37 % 900;
            let place = arena.take(&mut chunks[i % 2], words).expect("the arena has room");
            assert_ne!(place, 0);
            for word in arena.words(place, 0..words) {
                assert_eq!(word.swap(1, Ordering::Relaxed), 0);
            }
        }
    }

    #[test]
    fn an_arena_may_have_more_words_than_places() {
        for (bytes, multiple) in [(1, 1), (1, 2), (4, 1), (4, 2), (32, 1)] {
            let bytes = bytes * 4 * PLACES;
            let arena = Arena::new(bytes, multiple);
            let mut chunk = Chunk::default();
            let mut places = Vec::new();
            while let Some(place) = arena.take(&mut chunk, 500) {
                assert_eq!(place as usize % multiple, 0);
                let record = arena.words(place, 0..500);
                assert!(record.iter().all(|word| word.swap(place, Ordering::Relaxed) == 0));
                places.push(place);
            }
            for &place in &places {
                let record = arena.words(place, 0..500);
                assert!(record.iter().all(|word| word.load(Ordering::Relaxed) == place));
            }
            assert!(places.is_sorted());
            assert!(places.len() * 2_000 > bytes / 4 * 3, "most of {bytes} bytes are used");
            assert!(arena.places() <= PLACES);
        }
    }

    #[test]
    fn arenas_that_share_their_memory_hold_no_more_together() {
        let most = 8 * SEGMENT_BYTES;
        let one = Arena::new(most, 1);
        let other = one.beside();
        let fill = |arena: &Arena| {
            let mut chunk = Chunk::default();
            std::iter::from_fn(|| arena.take(&mut chunk, SEGMENT / 2)).take(5).count()
        };
        // Of pieces of half a segment, only one fits into a first segment, after the words that are
        // never handed out.
        assert_eq!((fill(&one), fill(&other)), (5, 3));
        assert_eq!(one.taken(), most);
        drop(other);
        let mut third = one.beside();
        assert_eq!(fill(&third), 3, "what one leaves is there for the others");
        assert_eq!(one.taken(), most);
        third.allow(most + SEGMENT_BYTES);
        assert_eq!(fill(&third), 1);
        drop(third);
        one.beside().allow(6 * SEGMENT_BYTES);
        assert_eq!((one.taken(), fill(&one)), (6 * SEGMENT_BYTES, 1));
    }

    #[test]
    fn words_given_back_are_zero_again() {
        let arena = Arena::new(64 << 20, 1);
        let mut chunk = Chunk::default();
        let place = arena.take(&mut chunk, 5).expect("the arena has room");
        arena.word(place, 2).store(7, Ordering::Relaxed);
        arena.give_back(&mut chunk, 5);
        assert_eq!(arena.take(&mut chunk, 5), Some(place));
        assert_eq!(arena.word(place, 2).load(Ordering::Relaxed), 0);
    }
}
