//! Union-find: numbers that belong together, with signs.

/// Disjoint sets of the numbers from 0, each number with a sign relative to the others of its set.
pub(crate) struct Union {
    parents: Vec<usize>,
    /// Whether a number has the other sign than its parent.
    turned: Vec<bool>,
}

impl Union {
    /// Every number in a set of its own.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count).collect(), turned: vec![false; count] }
    }

    /// The number that stands for the set, and whether `number` has the other sign.
    pub fn find(&self, mut number: usize) -> (usize, bool) {
        let mut turned = false;
        while self.parents[number] != number {
            turned ^= self.turned[number];
            number = self.parents[number];
        }
        (number, turned)
    }

    /// The number that stands for the set.
    pub fn root(&self, number: usize) -> usize {
        self.find(number).0
    }

    /// Puts two numbers of equal sign together.
    pub fn join(&mut self, one: usize, other: usize) -> bool {
        self.relate(one, other, false)
    }

    /// Puts two numbers together, of opposite signs if `opposite`. Returns `false` when that
    /// contradicts what is known.
    pub fn relate(&mut self, one: usize, other: usize, opposite: bool) -> bool {
        let ((one, first), (other, second)) = (self.find(one), self.find(other));
        let turned = first ^ second ^ opposite;
        if one == other {
            return !turned;
        }
        self.parents[one.max(other)] = one.min(other);
        self.turned[one.max(other)] = turned;
        true
    }
}
