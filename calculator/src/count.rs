//! How many reduced canonical trees there are of little height, exactly, also where they are too
//! many to be listed.

use std::collections::BTreeMap;
use std::fmt;

use sprig_domain::Outcome;
use sprig_trees::{Forest, Tree};

use crate::census::rcts;

/// The greatest height up to which RCTs are counted. It takes those of height up to 4 and a bit for
/// each of their 2^22 sets.
pub const HIGHEST_COUNTED: u16 = 6;

/// A sum of powers of two, some of them negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// How many times each power stands in the sum, never 0.
    powers: BTreeMap<u32, i64>,
}

impl Count {
    /// How many RCTs have a height up to `height` (the exact value is in J. Conway, *On Numbers and
    /// Games*, p. 140).
    ///
    /// Of the sets of lower RCTs those are no RCT that reduce to a smaller one. Each has exactly one
    /// reducer, so they are counted by reducers, which are two moves lower. The proof is in
    /// `docs/misere.md`.
    ///
    /// # Panics
    /// When `height` is above [`HIGHEST_COUNTED`].
    #[must_use]
    pub fn of_rcts(height: u16) -> Self {
        assert!(height <= HIGHEST_COUNTED, "memory has room for the sets up to this height");
        // Of height 0 and 1 there are 0 and 1, and no set reduces.
        let Some(two_lower) = height.checked_sub(2) else {
            return Self::of([(1, height.into())]);
        };
        let sets = Sets::of(&mut Forest::default(), two_lower);
        let all = sets.irreducible().count() as u32;
        let mut powers = vec![(1, all)];
        for reducer in 0..sets.trees.len() {
            let [wins, losses] = sets.with_option(reducer);
            // Without a reversible move nothing is reduced; and `0` is a reducer of wins alone,
            // which have a loss among their options.
            let none = if sets.trees[reducer] == Tree::ZERO { wins } else { 0 };
            powers.extend([(-1, wins + losses), (1, none)]);
        }
        Self::of(powers)
    }

    fn of(terms: impl IntoIterator<Item = (i64, u32)>) -> Self {
        let mut powers = BTreeMap::new();
        for (many, power) in terms {
            *powers.entry(power).or_insert(0) += many;
        }
        powers.retain(|_, many| *many != 0);
        Self { powers }
    }

    /// How many times each power of two stands in the sum, the largest power first.
    #[must_use]
    pub fn terms(&self) -> Vec<(i64, u32)> {
        self.powers.iter().rev().map(|(&power, &many)| (many, power)).collect()
    }

    /// The number itself, if it is below 2^63.
    #[must_use]
    pub fn small(&self) -> Option<u64> {
        let terms = self.powers.iter();
        let values =
            terms.map(|(&power, &many)| 1_i128.checked_shl(power)?.checked_mul(many.into()));
        let sum = values.sum::<Option<i128>>()?;
        u64::try_from(sum).ok().filter(|_| self.powers.keys().all(|&power| power < 63))
    }

    /// How many decimal digits the number has, and the first ones of them, for a number whose
    /// largest power is far above the next one.
    ///
    /// # Panics
    /// When it is not, or when the digits are too close to others to be told in this way.
    #[must_use]
    pub fn decimal(&self) -> (u64, String) {
        let terms = self.terms();
        let (many, power) = terms[0];
        assert!(many == 1 && terms.get(1).is_none_or(|next| next.1 + 100 < power));
        // The rest changes the logarithm by less than 2^-100, and rounding by some 1e-9.
        let log = f64::from(power) * std::f64::consts::LOG10_2;
        let first = 10_f64.powf(log.fract() + 3.0);
        assert!((1e-3..1.0 - 1e-3).contains(&first.fract()), "{first} is too close to others");
        (log as u64 + 1, (first as u64).to_string())
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.small() {
            return write!(f, "{number}");
        }
        for (place, (many, power)) in self.terms().into_iter().enumerate() {
            let sign = match (place, many < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            match (many.unsigned_abs(), power) {
                (many, 0) => write!(f, "{sign}{many}")?,
                (1, power) => write!(f, "{sign}2^{power}")?,
                (many, power) => write!(f, "{sign}{many}*2^{power}")?,
            }
        }
        Ok(())
    }
}

/// All sets of the RCTs of some height. A set is a number: bit `i` is the tree `i`.
struct Sets {
    trees: Vec<Tree>,
    /// Those of the trees that are losses.
    losses: usize,
    /// Of each set, whether it reduces.
    reduces: Vec<bool>,
}

impl Sets {
    fn of(forest: &mut Forest, height: u16) -> Self {
        let trees = rcts(forest, height);
        let place = |tree| trees.iter().position(|&other| other == tree).expect("it is lower");
        let options: Vec<usize> = trees
            .iter()
            .map(|&tree| forest.options(tree).fold(0, |set, option| set | 1 << place(option)))
            .collect();
        let bits = |holds: &dyn Fn(usize) -> bool| {
            (0..trees.len()).filter(|&tree| holds(tree)).fold(0, |set, tree| set | 1 << tree)
        };
        let losses = bits(&|tree| forest.outcome(trees[tree]) == Outcome::Loss);
        let mut reduces = vec![false; 1 << trees.len()];
        for (reducer, &kept) in options.iter().enumerate() {
            let reversible: usize = bits(&|tree| options[tree] >> reducer & 1 == 1);
            // Every part of the reversible moves but the empty one.
            let mut part = reversible;
            while part > 0 {
                reduces[kept | part] |= kept > 0 || part & losses > 0;
                part = (part - 1) & reversible;
            }
        }
        Self { trees, losses, reduces }
    }

    /// The sets that are RCTs.
    fn irreducible(&self) -> impl Iterator<Item = usize> {
        (0..self.reduces.len()).filter(|&set| !self.reduces[set])
    }

    /// How many RCTs among the sets have this tree as an option: wins and losses.
    fn with_option(&self, tree: usize) -> [u32; 2] {
        let mut found = [0, 0];
        for set in self.irreducible().filter(|set| set >> tree & 1 == 1) {
            found[usize::from(set & self.losses == 0)] += 1;
        }
        found
    }
}
