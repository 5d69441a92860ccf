//! What the workers of a job tell each other: heavy couples they have left, and what they found on them.
//!
//! All workers of a job search its whole goal, each with tables of its own, and the board makes them one search: see
//! `docs/decisions/0003-scheduling.md`. Notes guide; no answer rests on one, so they are kept in memory only and may be
//! lost.

use std::collections::VecDeque;

use sprig_proto::{WorkerId, limits};
use sprig_search::Note;

/// Notes that are kept for those who join later.
const KEPT: usize = 4096;

/// The latest notes of a job, numbered from 0.
#[derive(Debug, Default)]
pub(super) struct Board {
    notes: VecDeque<(WorkerId, Note)>,
    /// Number of the first note that is kept.
    first: u64,
}

impl Board {
    /// Pins up what a worker has found.
    pub(super) fn pin(&mut self, worker: WorkerId, notes: Vec<Note>) {
        self.notes.extend(notes.into_iter().map(|note| (worker, note)));
        let gone = self.notes.len().saturating_sub(KEPT);
        self.notes.drain(..gone);
        self.first += gone as u64;
    }

    /// What others than `worker` have pinned up, from number `next` on, as much as a message may hold; and the number to go on
    /// with.
    pub(super) fn read(&self, worker: WorkerId, next: u64) -> (Vec<Note>, u64) {
        let skip = usize::try_from(next.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let (mut notes, mut next) = (Vec::new(), next.max(self.first));
        for (author, note) in self.notes.iter().skip(skip) {
            if notes.len() == limits::NOTES {
                break;
            }
            next += 1;
            if *author != worker {
                notes.push(note.clone());
            }
        }
        (notes, next)
    }
}

#[cfg(test)]
mod tests {
    use sprig_engine::{CanonicalPosition, Nimber, Position};
    use sprig_search::Couple;

    use super::*;

    fn note(proof: usize) -> Note {
        let land = CanonicalPosition::of(&Position::start(2)).lands()[0].clone();
        let couple = Couple { land, heap: Nimber::ZERO };
        Note { couple, proof: u32::try_from(proof).expect("small"), disproof: 1 }
    }

    #[test]
    fn everybody_reads_the_notes_of_the_others_once() {
        let (a, b) = (WorkerId(1), WorkerId(2));
        let mut board = Board::default();
        board.pin(a, vec![note(1), note(2)]);
        board.pin(b, vec![note(3)]);
        assert_eq!(board.read(a, 0), (vec![note(3)], 3));
        assert_eq!(board.read(b, 0), (vec![note(1), note(2)], 3));
        assert_eq!(board.read(b, 3), (Vec::new(), 3));
        board.pin(a, vec![note(4)]);
        assert_eq!(board.read(b, 3), (vec![note(4)], 4));
    }

    #[test]
    fn old_notes_go_and_messages_stay_small() {
        let (a, b) = (WorkerId(1), WorkerId(2));
        let mut board = Board::default();
        board.pin(a, (0..KEPT + 10).map(note).collect());
        let (mut read, mut next) = (Vec::new(), 0);
        loop {
            let (notes, after) = board.read(b, next);
            assert!(notes.len() <= limits::NOTES);
            if notes.is_empty() {
                break;
            }
            (read, next) = ([read, notes].concat(), after);
        }
        assert_eq!(read, (10..KEPT + 10).map(note).collect::<Vec<_>>());
    }
}
