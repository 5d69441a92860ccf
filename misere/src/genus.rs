//! What the genus of trees says about their sums (`docs/misere.md`, "Tame sums").

use sprig_trees::{Forest, Tree};

/// The genus of every tree of a forest without its factor 1, in a byte: the nimber, and two flags.
pub(crate) struct Genera(Vec<u8>);

const NIMBER: u8 = 0x3f;
const FIRM: u8 = 0x40;
const WILD: u8 = 0x80;

/// The sum of some trees, as far as their genera tell.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mix(u8);

/// Classes of sums of trees, for guessing: firm with nimber 0 to 7 (wild ones included), fickle
/// with nimber 0 or 1.
pub(crate) const CLASSES: usize = 10;
/// How many of these classes are firm.
pub(crate) const FIRM_CLASSES: usize = 8;

impl Mix {
    /// The sum of no trees, with the factor 1 if `one`.
    pub fn of_one(one: bool) -> Self {
        Self(one.into())
    }

    /// Whether the sum is a loss, where that follows from the genera: in a sum of tame games.
    #[inline]
    pub fn is_loss(self) -> Option<bool> {
        let nimber = self.0 & NIMBER;
        match self.0 & (FIRM | WILD) {
            0 => Some(nimber == 1),
            FIRM => Some(nimber == 0),
            _ => None,
        }
    }

    /// The class of the sum.
    #[inline]
    pub fn class(self) -> usize {
        let nimber = usize::from(self.0 & NIMBER);
        if self.0 & (FIRM | WILD) == 0 {
            FIRM_CLASSES + (nimber & 1)
        } else {
            nimber.min(FIRM_CLASSES - 1)
        }
    }
}

impl Genera {
    /// The genera of all trees of the forest.
    pub fn of(forest: &Forest) -> Self {
        let mut genera = Self(Vec::with_capacity(forest.len()));
        for base in 0..forest.len() as u32 {
            let genus = genera.next(forest, Tree::of_word(base << 1));
            genera.0.push(genus);
        }
        genera
    }

    /// Adds a tree, given by its number, to a sum.
    #[inline]
    pub fn add(&self, mix: Mix, base: u32) -> Mix {
        let genus = self.0[base as usize];
        Mix((mix.0 ^ genus) & NIMBER | (mix.0 | genus) & (FIRM | WILD))
    }

    /// The genus of a tree without factor 1 whose options have theirs.
    fn next(&self, forest: &Forest, tree: Tree) -> u8 {
        let (mut plus, mut minus, mut wild) = (0u64, 0u64, false);
        for tree in forest.options(tree) {
            let genus = self.0[tree.number() as usize];
            let nimber = genus & NIMBER ^ u8::from(tree.has_factor());
            wild |= genus & WILD != 0;
            plus |= 1 << nimber;
            minus |= 1 << if genus & FIRM != 0 { nimber } else { nimber ^ 1 };
        }
        let plus = (!plus).trailing_zeros() as u8;
        let minus = if tree == Tree::ZERO { 1 } else { (!minus).trailing_zeros() as u8 };
        assert!(plus <= NIMBER, "no tree of this size has so many options");
        match (wild, plus, minus) {
            (false, 0, 1) | (false, 1, 0) => plus,
            (false, plus, minus) if plus == minus => FIRM | plus,
            _ => WILD | plus,
        }
    }
}
