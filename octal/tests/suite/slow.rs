//! The rules a second time, slow and obvious: every move of every sum is played.

use std::collections::{BTreeSet, HashMap};

/// Heaps of the game, then Nim heaps.
pub type Place = (Vec<usize>, Vec<usize>);

/// A game by the digits of its code, the first one before the point.
pub struct Slow {
    digits: Vec<usize>,
    nimbers: HashMap<Vec<usize>, usize>,
    wins: HashMap<Place, bool>,
}

impl Slow {
    pub fn new(digits: &[usize]) -> Self {
        Self { digits: digits.to_vec(), nimbers: HashMap::new(), wins: HashMap::new() }
    }

    /// The code as people write it.
    pub fn code(&self) -> String {
        let digits: Vec<String> = self.digits.iter().map(usize::to_string).collect();
        format!("{}.{}", digits[0], digits[1..].concat())
    }

    /// What a move leaves of a heap: up to two heaps.
    pub fn options(&self, heap: usize) -> BTreeSet<Vec<usize>> {
        let mut options = BTreeSet::new();
        for (taken, digit) in self.digits.iter().enumerate() {
            let Some(left) = heap.checked_sub(taken) else { break };
            if digit % 2 == 1 && left == 0 {
                options.insert(Vec::new());
            }
            if digit / 2 % 2 == 1 && left != 0 {
                options.insert(vec![left]);
            }
            if digit / 4 % 2 == 1 {
                for one in 1..left {
                    options.insert(vec![one, left - one]);
                }
            }
        }
        options
    }

    /// All positions that a move in one of the heaps leads to, with their heaps sorted.
    fn moves(&self, heaps: &[usize]) -> Vec<Vec<usize>> {
        let mut moves = Vec::new();
        for (place, &heap) in heaps.iter().enumerate() {
            for option in self.options(heap) {
                let mut after = heaps.to_vec();
                after.remove(place);
                after.extend(option);
                after.sort_unstable();
                moves.push(after);
            }
        }
        moves
    }

    /// The nimber of a sum, by the moves of the whole sum.
    pub fn nimber(&mut self, heaps: &[usize]) -> usize {
        if let Some(&known) = self.nimbers.get(heaps) {
            return known;
        }
        let met: BTreeSet<usize> =
            self.moves(heaps).iter().map(|after| self.nimber(after)).collect();
        let mex = (0..).find(|nimber| !met.contains(nimber)).expect("finitely many moves");
        self.nimbers.insert(heaps.to_vec(), mex);
        mex
    }

    /// Whether the player to move wins heaps of the game beside Nim heaps in misère play.
    pub fn wins(&mut self, heaps: &[usize], nim: &[usize]) -> bool {
        let place = (heaps.to_vec(), nim.to_vec());
        if let Some(&known) = self.wins.get(&place) {
            return known;
        }
        let mut after: Vec<Place> =
            self.moves(heaps).into_iter().map(|heaps| (heaps, nim.to_vec())).collect();
        for (place, &heap) in nim.iter().enumerate() {
            for left in 0..heap {
                let mut nim = nim.to_vec();
                nim.remove(place);
                nim.extend((left > 0).then_some(left));
                nim.sort_unstable();
                after.push((heaps.to_vec(), nim));
            }
        }
        let wins = after.is_empty() || after.iter().any(|(heaps, nim)| !self.wins(heaps, nim));
        self.wins.insert(place, wins);
        wins
    }

    /// The nimber in misère play of a sum beside this many heaps of 2: the size of the Nim heap
    /// that makes it a loss.
    pub fn misere_nimber(&mut self, heaps: &[usize], twos: usize) -> usize {
        let nim = |size: usize| {
            let mut nim = vec![2; twos];
            nim.extend((size > 0).then_some(size));
            nim.sort_unstable();
            nim
        };
        (0..).find(|&size| !self.wins(heaps, &nim(size))).expect("some heap does")
    }
}

/// The digits of all codes with this many digits after the point.
pub fn all(after: u32) -> impl Iterator<Item = Vec<usize>> {
    [0, 4].into_iter().flat_map(move |first| {
        (0..8usize.pow(after)).map(move |number| {
            let digit = |place: u32| number / 8usize.pow(place) % 8;
            std::iter::once(first).chain((0..after).rev().map(digit)).collect()
        })
    })
}

/// All sums of heaps of up to this size, with this many heaps, sorted.
pub fn sums(largest: usize, count: usize) -> Vec<Vec<usize>> {
    let mut sums = vec![Vec::new()];
    for _ in 0..count {
        let longer = sums.iter().flat_map(|sum: &Vec<usize>| {
            let first = sum.last().copied().unwrap_or(1);
            (first..=largest).map(move |heap| [&sum[..], &[heap]].concat())
        });
        sums = longer.collect();
    }
    sums
}
