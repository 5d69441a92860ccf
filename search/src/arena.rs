//! One growing array of atomic words, in which everything the search remembers is laid out.
//!
//! Words are handed out once and never moved or freed; [`crate::collect`] starts a new arena instead. All accesses
//! are atomic, so threads share it without locks: a record is complete before its place is published with `Release`
//! in another word, and read with `Acquire` from there.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Words of a segment: 1 MiB.
const SEGMENT: usize = 1 << 18;
/// A place is a 32-bit number of a word, which bounds an arena to 16 GiB.
const SEGMENTS: usize = (1 << 32) / SEGMENT;
/// Words a thread takes at once.
const CHUNK: usize = 1 << 12;

/// The place of a word in an [`Arena`]. Place 0 is never handed out and stands for "nothing yet".
pub(crate) type Place = u32;

pub(crate) struct Arena {
    segments: Vec<OnceLock<Box<[AtomicU32]>>>,
    next: AtomicUsize,
}

/// A thread's own piece of an arena.
#[derive(Default)]
pub(crate) struct Chunk {
    next: usize,
    end: usize,
}

impl Arena {
    pub fn new() -> Self {
        let segments = (0..SEGMENTS).map(|_| OnceLock::new()).collect();
        Self { segments, next: AtomicUsize::new(CHUNK) }
    }

    /// The word at `place`, which must have been handed out.
    #[inline]
    pub fn word(&self, place: Place) -> &AtomicU32 {
        let place = place as usize;
        &self.segment(place / SEGMENT)[place % SEGMENT]
    }

    /// `words` consecutive words from `place` on; they never cross a segment.
    #[inline]
    pub fn words(&self, place: Place, words: usize) -> &[AtomicU32] {
        let place = place as usize;
        &self.segment(place / SEGMENT)[place % SEGMENT..][..words]
    }

    #[inline]
    fn segment(&self, number: usize) -> &[AtomicU32] {
        self.segments[number].get().expect("words are read after they were handed out")
    }

    /// Hands out `words` consecutive zero words; `None` when the arena is full, or for more than a segment.
    pub fn take(&self, chunk: &mut Chunk, words: usize) -> Option<Place> {
        if words > SEGMENT {
            return None;
        }
        if chunk.next + words > chunk.end {
            self.refill(chunk, words)?;
        }
        let place = chunk.next;
        chunk.next += words;
        Some(place as Place)
    }

    /// Takes back the words handed out last, if they were never published.
    pub fn give_back(&self, chunk: &mut Chunk, words: usize) {
        chunk.next -= words;
        for word in self.words(chunk.next as Place, words) {
            word.store(0, Ordering::Relaxed);
        }
    }

    fn refill(&self, chunk: &mut Chunk, words: usize) -> Option<()> {
        let size = words.next_multiple_of(CHUNK);
        loop {
            let start = self.next.fetch_add(size, Ordering::Relaxed);
            let end = start + size;
            if end > SEGMENTS * SEGMENT {
                return None;
            }
            // A piece that would cross a segment is left unused; the next one begins in the new segment.
            if start / SEGMENT == (end - 1) / SEGMENT {
                self.segments[start / SEGMENT]
                    .get_or_init(|| (0..SEGMENT).map(|_| AtomicU32::new(0)).collect());
                *chunk = Chunk { next: start, end };
                return Some(());
            }
        }
    }

    /// Bytes taken by segments in use.
    pub fn bytes(&self) -> usize {
        self.next.load(Ordering::Relaxed).div_ceil(SEGMENT) * SEGMENT * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_disjoint_and_zero() {
        let arena = Arena::new();
        let mut chunks = [Chunk::default(), Chunk::default()];
        let mut seen = std::collections::HashSet::new();
        for i in 0..2_000 {
            let words = 1 + i * 37 % 900;
            let place = arena.take(&mut chunks[i % 2], words).expect("the arena has room");
            for (k, word) in arena.words(place, words).iter().enumerate() {
                assert_eq!(word.swap(1, Ordering::Relaxed), 0);
                assert!(seen.insert(place as usize + k));
            }
        }
        assert!(!seen.contains(&0));
    }

    #[test]
    fn words_given_back_are_zero_again() {
        let arena = Arena::new();
        let mut chunk = Chunk::default();
        let place = arena.take(&mut chunk, 5).expect("the arena has room");
        arena.word(place + 2).store(7, Ordering::Relaxed);
        arena.give_back(&mut chunk, 5);
        assert_eq!(arena.take(&mut chunk, 5), Some(place));
        assert_eq!(arena.word(place + 2).load(Ordering::Relaxed), 0);
    }
}
