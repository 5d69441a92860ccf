//! Start numbers: what is expected of a node before it is searched.
//!
//! A [`Prior`] counts how many nodes of one land beside trees of some class were won and lost, by
//! features of the land; it begins with what is known of normal play, whose heaps are the firm
//! classes. For each land, what is known of its own nodes is added. The numbers of a node follow
//! from the probability that it is lost ([`Numbers::start`]). No proof rests on a guess.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use sprig_search::{Numbers, Prior};

use super::genus::{CLASSES, FIRM_CLASSES};

/// The start numbers of a node whose first land has its children listed are divided by this: to
/// work on it costs no generation.
const LISTED: f32 = 2.0;
/// What is expected of sums of trees weighs as much as this many counts.
const LEAN: f32 = 4.0;
/// A land that was lost beside trees of a class is likelier, by this factor, to be lost beside
/// other trees of that class.
const LOST: f32 = 30.0;
/// A land that was won beside trees of a class is likelier, by this factor, to be lost beside other
/// trees of that class.
const WON: f32 = 0.05;

/// Probabilities of a loss beside trees of each class.
pub(crate) type Chances = [f32; CLASSES];

pub(crate) struct Guesses {
    pub lands: Prior<CLASSES>,
    /// Sums of trees alone that were won and lost.
    trees: [[AtomicU32; 2]; CLASSES],
}

impl Guesses {
    /// Guesses that tell `cells` cells apart, and begin with this knowledge of lands.
    pub fn new(cells: usize, knowledge: &[u8]) -> Self {
        Self { lands: Prior::new(knowledge, cells), trees: Default::default() }
    }

    /// Learns the outcome of a sum of trees.
    pub fn learn_trees(&self, class: usize, lost: bool) {
        self.trees[class][usize::from(lost)].fetch_add(1, Relaxed);
    }

    /// The probability that a sum of trees is lost.
    pub fn trees(&self, class: usize) -> f32 {
        let [won, lost] = self.trees[class].each_ref().map(|count| count.load(Relaxed) as f32);
        let expected = 0.3 / (1 << (class % FIRM_CLASSES)) as f32;
        (lost + LEAN * expected) / (won + lost + LEAN)
    }

    /// The probability that a land of `cell` is lost beside trees of `class`, if no more is known
    /// of it.
    #[inline]
    pub fn loss(&self, cell: u32, class: usize) -> f32 {
        f32::from_bits(self.lands.guesses(cell)[class].load(Relaxed) as u32)
    }

    /// The probabilities for a land of `cell` of which `known` is known.
    pub fn chances(&self, cell: u32, known: Known) -> Chances {
        let guesses = self.lands.guesses(cell);
        let before = std::array::from_fn(|i| f32::from_bits(guesses[i].load(Relaxed) as u32));
        known.weigh(before)
    }
}

/// What the decided nodes of one land alone say of it: two bits for each class of the trees beside
/// it, and two more.
///
/// ```text
/// bits  0 ..  9   won beside trees of this class
///      10 .. 19   lost
///            20   some node with the land, alone or not, has a record
///            21   .. and is lost
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Known(pub u32);

impl Known {
    /// Says that a record of the land exists.
    pub const SEEN: Self = Self(1 << (2 * CLASSES));
    /// Says that the land alone is lost.
    pub const LOST: Self = Self(2 << (2 * CLASSES));

    /// Says that a node with trees of `class` was decided.
    pub fn decided(class: usize, lost: bool) -> Self {
        Self(1 << if lost { CLASSES + class } else { class })
    }

    #[inline]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it says anything of outcomes.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 & (Self::SEEN.0 - 1) == 0
    }

    /// What is expected with this knowledge, from what was expected without. The firm classes
    /// exclude each other, as nimbers do: if one becomes less likely, the others become likelier.
    fn weigh(self, mut chances: Chances) -> Chances {
        let sum = |chances: &Chances| chances[..FIRM_CLASSES].iter().sum::<f32>();
        let others = (1.0 - sum(&chances)).max(0.0) + 0.02;
        for (class, chance) in chances.iter_mut().enumerate() {
            if self.has(Self::decided(class, false)) {
                *chance *= WON;
            }
            if self.has(Self::decided(class, true)) {
                *chance *= LOST;
            }
        }
        let all = others + sum(&chances);
        chances[..FIRM_CLASSES].iter_mut().for_each(|chance| *chance /= all);
        chances
    }
}

/// The probabilities for the sum of two lands beside trees of each firm class, taking the lands for
/// games with nimbers.
pub(crate) fn sum(a: &Chances, b: &Chances) -> Chances {
    std::array::from_fn(|class| match class {
        0..FIRM_CLASSES => (0..FIRM_CLASSES).map(|heap| a[heap] * b[heap ^ class]).sum(),
        _ => 0.0,
    })
}

/// The start numbers of a node that is lost with probability `loss` and lasts `moves` moves.
/// `listed` says whether the children of its first land are listed.
#[inline]
pub(crate) fn numbers(loss: f32, moves: u32, listed: bool) -> Numbers {
    let share = if listed { 1.0 / LISTED } else { 1.0 };
    Numbers::start(loss.clamp(0.001, 0.999), moves as f32, share, ln)
}

/// The logarithm to about two digits, from the parts of the float.
#[inline]
fn ln(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let m = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000) - 1.0;
    std::f32::consts::LN_2 * (exponent as f32 + m * (1.3465 - 0.3465 * m))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_a_land_shifts_what_is_expected() {
        let before: Chances = std::array::from_fn(|class| 0.2 / (1 + class) as f32);
        let after = |known: Known| known.weigh(before);
        let lost = after(Known::decided(2, true));
        assert!(lost[2] > 0.5 && lost[0] < before[0] && lost[7] < before[7]);
        assert_eq!(lost[8..], before[8..], "fickle sums are not like heaps");
        let won = after(Known::decided(2, false));
        assert!(won[2] < before[2] / 10.0 && won[0] > before[0]);
        assert!(after(Known::decided(9, true))[9] > 2.0 * before[9]);
        assert!(Known::SEEN.is_empty() && !Known::decided(9, true).is_empty());
        assert!(!Known::decided(9, true).has(Known::SEEN));
    }

    #[test]
    fn sums_of_lands_go_by_nim_sums() {
        let sure = |heap: usize| std::array::from_fn(|class| f32::from(class == heap));
        assert_eq!(sum(&sure(3), &sure(5)), sure(6));
    }

    #[test]
    fn start_numbers_grow_with_work_and_doubt() {
        let even = numbers(0.5, 20, false);
        let likely = numbers(0.9, 20, false);
        assert!(likely.disproof < even.disproof && likely.proof > even.proof);
        assert!(numbers(0.5, 20, true).proof < even.proof);
        assert!(numbers(0.5, 10, false).proof < even.proof);
    }
}
