//! Random games from a printed seed.

#![allow(dead_code, reason = "every test file uses a part of this")]

use sprig_engine::{Boundary, Land, Letter, Position, Region, Spot};
use sprig_oracle::Table;

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers in every run.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit).expect("a small number"))
            .expect("a small number")
    }

    /// The table after one of the legal moves, or `None` if the game is over.
    pub fn option(&mut self, table: &Table) -> Option<Table> {
        let mut options = Vec::new();
        table.for_each_option(|_, option| options.push(option));
        if options.is_empty() { None } else { Some(options.swap_remove(self.below(options.len()))) }
    }

    /// A position after some random moves, at least one, from the start position with `spots`
    /// spots.
    pub fn position(&mut self, spots: u32) -> Position {
        let mut table = Table::start(spots);
        for _ in 0..=self.below(2 * spots as usize) {
            match self.option(&table) {
                Some(option) => table = option.reduced(),
                None => break,
            }
        }
        table.to_position()
    }

    /// A small land with spots and letters anywhere, not from a drawing.
    pub fn land(&mut self) -> Land {
        let regions = 1 + self.below(4);
        let mut land: Vec<Vec<Vec<Spot>>> =
            (0..regions).map(|_| vec![Vec::new(); 1 + self.below(3)]).collect();
        for letter in 0..u16::try_from(self.below(8)).expect("below 8") {
            let letter = Spot::Letter(Letter(letter));
            let (region, other) = (self.below(regions), self.below(regions));
            let boundary = self.below(land[region].len());
            self.insert(&mut land[region][boundary], letter);
            // On the sphere no letter lies on two boundaries of one region.
            let twin = if other == region { boundary } else { self.below(land[other].len()) };
            self.insert(&mut land[other][twin], letter);
        }
        for _ in 0..self.below(5) {
            let region = self.below(regions);
            let boundary = self.below(land[region].len());
            let spot = [Spot::One, Spot::Two][self.below(2)];
            self.insert(&mut land[region][boundary], spot);
        }
        // A spot of degree 0 is alone, so it stands for a boundary with nothing else.
        let region = |region: Vec<Vec<Spot>>| {
            let fill = |b: Vec<Spot>| Boundary(if b.is_empty() { vec![Spot::Zero] } else { b });
            Region::spherical(region.into_iter().map(fill).collect())
        };
        Land(land.into_iter().map(region).collect())
    }

    fn insert(&mut self, boundary: &mut Vec<Spot>, spot: Spot) {
        boundary.insert(self.below(boundary.len() + 1), spot);
    }
}
