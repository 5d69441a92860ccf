//! The lands that micro-benchmarks work on: from random games, the same in every run and, as long as the canonical form
//! stays what it is, for every version of the engine.

use sprig_engine::{
    Boundary, CanonicalLand, CanonicalPosition, Land, Letter, Position, Region, Spot,
};

/// A stream of choices (SplitMix64; Steele, Lea and Flood 2014).
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * bound as u128) >> 64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// Letters are named out of so many; games of few spots never need more.
const NAMES: u16 = 64;

/// `count` lands with at least 6 lives, from random games that begin with 8 to 13 spots.
///
/// They are worded at random, as a canonizer meets them: regions, boundaries, rotations, directions and names mixed.
pub fn lands(count: usize) -> Vec<Land> {
    let mut choices = Choices(1);
    let mut pool = Vec::new();
    while pool.len() < count {
        let mut land = start(8 + choices.below(6));
        while let Some(next) = play(&land, &mut choices) {
            land = next;
            pool.push(reworded(land.to_land(), &mut choices));
        }
    }
    choices.shuffle(&mut pool);
    pool.truncate(count);
    pool
}

fn start(spots: usize) -> CanonicalLand {
    CanonicalPosition::of(&Position::start(spots)).lands()[0].clone()
}

/// The land with the most lives after a random move, if it is not yet too small.
fn play(land: &CanonicalLand, choices: &mut Choices) -> Option<CanonicalLand> {
    let mut children = land.children().expect("games of few spots have few moves");
    if children.is_empty() {
        return None;
    }
    let child = children.swap_remove(choices.below(children.len()));
    child.lands().iter().max_by_key(|land| land.lives()).filter(|land| land.lives() >= 6).cloned()
}

/// The same land in other words.
fn reworded(mut land: Land, choices: &mut Choices) -> Land {
    let mut names: Vec<u16> = (0..NAMES).collect();
    choices.shuffle(&mut names);
    for Region(boundaries) in &mut land.0 {
        let mirrored = choices.below(2) == 1;
        for Boundary(spots) in boundaries.iter_mut() {
            if mirrored {
                spots.reverse();
            }
            let by = choices.below(spots.len());
            spots.rotate_left(by);
            for spot in spots {
                if let Spot::Letter(Letter(name)) = spot {
                    *name = names[usize::from(*name)];
                }
            }
        }
        choices.shuffle(boundaries);
    }
    choices.shuffle(&mut land.0);
    land
}
