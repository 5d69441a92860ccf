//! Proof and disproof numbers (Allis, van der Meulen and van den Herik 1994).

/// Estimated work that is left to prove a node won (`proof`) or lost (`disproof`). 0 is a proof,
/// [`Numbers::INFINITE`] that there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// Work left to prove a win.
    pub proof: u32,
    /// Work left to prove a loss.
    pub disproof: u32,
}

impl Numbers {
    /// Larger than every finite number; twice this number still fits in a word.
    pub const INFINITE: u32 = 1 << 30;
    /// The numbers of a node whose options cannot be listed. They are larger than all other finite
    /// numbers, and prove nothing. Eleven binary digits hold them exactly, so that tables may round
    /// numbers to eleven digits.
    pub const DEAR: Self = {
        let largest = Self::INFINITE - (Self::INFINITE >> 11);
        Self { proof: largest, disproof: largest }
    };

    /// The start numbers of a node that is lost with probability `loss` and will last about `moves`
    /// moves, before it is searched: `(1 + moves)^1.5 (1 - ln P)`, where P is the probability of
    /// what is to be proved. `share` is the part of the usual work that it takes, and `ln` the
    /// logarithm.
    #[inline]
    pub fn start(loss: f32, moves: f32, share: f32, ln: impl Fn(f32) -> f32) -> Self {
        let moves = 1.0 + moves;
        let work = UNIT * share * moves * moves.sqrt();
        Self {
            proof: (work * (1.0 - ln(1.0 - loss))) as u32,
            disproof: (work * (1.0 - ln(loss))) as u32,
        }
    }
}

/// Start numbers are multiples of this, so that small differences show.
const UNIT: f32 = 4.0;

/// The disproof number of a node: the player to move must be refuted in every child.
///
/// The plain sum counts work that children share once for each of them. The *weak* form takes the
/// largest proof number and a quarter of the others (`docs/performance.md`).
#[derive(Clone, Copy, Default, Debug)]
pub struct WeakSum {
    largest: u32,
    sum: u64,
}

impl WeakSum {
    /// The proof numbers of all children but the largest are divided by this.
    const DISCOUNT: u64 = 4;

    /// Takes in the proof number of one child.
    #[inline]
    pub fn add(&mut self, proof: u32) {
        self.largest = self.largest.max(proof);
        self.sum += u64::from(proof);
    }

    /// The disproof number of the node.
    #[inline]
    pub fn value(self) -> u32 {
        let others = (self.sum - u64::from(self.largest)) / Self::DISCOUNT;
        (u64::from(self.largest) + others).min(u64::from(Numbers::DEAR.disproof)) as u32
    }

    /// The least proof number of one child for which the value reaches `bound`. That child has
    /// `proof` now, and `largest_other` is the largest among the others.
    pub fn bound_for(self, proof: u32, largest_other: u32, bound: u32) -> u32 {
        let (others, bound) = (self.sum - u64::from(proof), u64::from(bound));
        let m = u64::from(largest_other);
        // The bound is reached while the child is not the largest, or only when it is.
        let equal = m + others / Self::DISCOUNT;
        let least = if bound <= equal {
            (bound.saturating_sub(m) * Self::DISCOUNT).saturating_sub(others - m)
        } else {
            bound - others / Self::DISCOUNT
        };
        least.min(u64::from(Numbers::INFINITE)) as u32
    }
}

/// `number` and a tenth of it: a node is left for its sibling only when it has become clearly worse
/// (Pawlewicz and Lew 2007).
#[inline]
pub fn slack(number: u32) -> u32 {
    (number + number / 10 + 1).min(Numbers::INFINITE)
}
