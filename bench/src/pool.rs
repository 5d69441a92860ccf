//! The lands that micro-benchmarks work on: from random games, the same in every run and, as long
//! as the canonical form stays what it is, for every version of the engine.

use fastrand::Rng;
use sprig_engine::{
    Boundary, CanonicalLand, CanonicalPosition, Land, Letter, Position, Region, Spot,
};

/// The number of names that letters are drawn from. Games of few spots never need more.
const NAMES: u16 = 64;

/// `count` lands with at least 6 lives, from random games that begin with 8 to 13 spots.
///
/// They are written at random, as a canonizer meets them: regions, boundaries, rotations,
/// directions and names mixed.
pub fn lands(count: usize) -> Vec<Land> {
    let mut choices = Rng::with_seed(1);
    let mut pool = Vec::new();
    while pool.len() < count {
        let mut land = start(8 + choices.usize(..6));
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
fn play(land: &CanonicalLand, choices: &mut Rng) -> Option<CanonicalLand> {
    let mut children = land.children().expect("games of few spots have few moves");
    if children.is_empty() {
        return None;
    }
    let child = children.swap_remove(choices.usize(..children.len()));
    child.lands().iter().max_by_key(|land| land.lives()).filter(|land| land.lives() >= 6).cloned()
}

/// The same land, written in another way.
fn reworded(mut land: Land, choices: &mut Rng) -> Land {
    let mut names: Vec<u16> = (0..NAMES).collect();
    choices.shuffle(&mut names);
    for Region(boundaries, _) in &mut land.0 {
        let mirrored = choices.bool();
        for Boundary(spots) in boundaries.iter_mut() {
            if mirrored {
                spots.reverse();
            }
            let by = choices.usize(..spots.len());
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
