//! What a search guesses of a couple it has visited.

use crate::kernel::sync::AtomicU32;
use crate::kernel::sync::Ordering::Relaxed;

use crate::kernel::numbers::Numbers;

/// The node of a couple: its numbers, and how many walks are busy with it.
///
/// ```text
/// word 0   proof number; 0: it was never visited
///      1   disproof number
///      2   walks that are busy below it (10 bits), the heap of the couple (6 bits),
///          the round in which it got its numbers (16 bits)
/// ```
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    pub words: &'a [AtomicU32; 3],
    /// The present round. Only its low half counts.
    pub round: &'a AtomicU32,
}

/// The part of a node's last word that counts walks. Where there are more, some are not counted.
const BUSY: u32 = (1 << HEAP) - 1;
/// The first bit of the heap in the last word, and that of the round.
const HEAP: u32 = 10;
const ROUND: u32 = 16;
/// The part of a round that is compared.
const COMPARED: u32 = u32::MAX >> ROUND;

impl Node<'_> {
    /// Makes this the node of a couple with `heap`. Nobody else sees it yet.
    pub fn begin(self, heap: u8) {
        assert!(u32::from(heap) < 1 << (ROUND - HEAP), "nimbers are smaller");
        self.words[2].store(u32::from(heap) << HEAP, Relaxed);
    }

    /// The heap of the couple.
    #[inline]
    pub fn heap(self) -> u8 {
        ((self.words[2].load(Relaxed) & COMPARED) >> HEAP) as u8
    }

    /// The couple's numbers, if it was visited in this round.
    #[inline]
    pub fn numbers(self) -> Option<Numbers> {
        let [proof, disproof, last] = self.words.each_ref().map(|word| word.load(Relaxed));
        let fresh = last >> ROUND == self.round.load(Relaxed) & COMPARED;
        (proof != 0 && fresh).then_some(Numbers { proof, disproof })
    }

    /// Gives it numbers. The proof number must not be 0.
    pub fn set(self, numbers: Numbers) {
        self.words[0].store(numbers.proof, Relaxed);
        self.words[1].store(numbers.disproof, Relaxed);
        let round = self.round.load(Relaxed) << ROUND;
        if self.words[2].load(Relaxed) & !COMPARED != round {
            self.change(|last| last & COMPARED | round);
        }
    }

    /// How many walks are busy below it.
    pub fn busy(self) -> u32 {
        self.words[2].load(Relaxed) & BUSY
    }

    /// Notes that a walk begins below it.
    pub fn enter(self) {
        self.change(|last| if last & BUSY == BUSY { last } else { last + 1 });
    }

    /// Notes that a walk below it has ended.
    pub fn leave(self) {
        self.change(|last| if last & BUSY == 0 { last } else { last - 1 });
    }

    fn change(self, change: impl Fn(u32) -> u32) {
        let _ = self.words[2].fetch_update(Relaxed, Relaxed, |last| Some(change(last)));
    }
}
