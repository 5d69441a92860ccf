//! Positions to try things with.
#![allow(dead_code, reason = "each test file uses its part")]

use fastrand::Rng;
use sprig_engine::{Boundary, CanonicalPosition, Land, Letter, Position, Region, Spot};

/// At least `count` positions of random games from 2 to 9 spots.
pub fn played(count: usize) -> Vec<CanonicalPosition> {
    let mut choices = Rng::with_seed(7);
    let mut played = Vec::new();
    while played.len() < count {
        let mut position = CanonicalPosition::of(&Position::start(2 + choices.usize(..8)));
        loop {
            let mut children = position.children().expect("small positions have few moves");
            if children.is_empty() {
                break;
            }
            position = children.swap_remove(choices.usize(..children.len()));
            played.push(position.clone());
        }
    }
    played
}

/// Any land at all, reachable or not.
pub fn arbitrary(choices: &mut Rng) -> Land {
    let mut land = Land::default();
    for _ in 0..1 + choices.usize(..5) {
        let mut region = Region::default();
        for _ in 0..choices.usize(..3) {
            region.0.push(Boundary(vec![Spot::Zero]));
        }
        for _ in 0..1 + choices.usize(..3) {
            let spots = (0..choices.usize(..3)).map(|_| [Spot::One, Spot::Two][choices.usize(..2)]);
            region.0.push(Boundary(spots.collect()));
        }
        land.0.push(region);
    }
    for letter in 0..choices.usize(..9) {
        let mut places =
            [choices.usize(..land.0.len()), choices.usize(..land.0.len())].map(|r| (r, None));
        if places[0].0 == places[1].0 {
            let boundary = Some(longer(&land.0[places[0].0], choices));
            places = places.map(|(r, _)| (r, boundary));
        }
        for (r, boundary) in places {
            let boundary = boundary.unwrap_or_else(|| longer(&land.0[r], choices));
            let spots = &mut land.0[r].0[boundary].0;
            let at = choices.usize(..spots.len() + 1);
            spots.insert(at, Spot::Letter(Letter(letter as u16)));
        }
    }
    for region in &mut land.0 {
        region.0.retain(|boundary| !boundary.0.is_empty());
    }
    land.0.retain(|region| !region.0.is_empty());
    land
}

/// A boundary of a region that is not an isolated `0`.
fn longer(region: &Region, choices: &mut Rng) -> usize {
    let zeros = region.0.iter().take_while(|b| b.0 == [Spot::Zero]).count();
    zeros + choices.usize(..region.0.len() - zeros)
}

/// The same position, written in another way.
pub fn reword(position: &Position, choices: &mut Rng) -> Position {
    let mut position = position.clone();
    choices.shuffle(&mut position.0);
    for land in &mut position.0 {
        let mut names: Vec<u16> = (0..240).collect();
        choices.shuffle(&mut names);
        choices.shuffle(&mut land.0);
        for region in &mut land.0 {
            let mirrored = choices.bool();
            choices.shuffle(&mut region.0);
            for boundary in &mut region.0 {
                if mirrored {
                    boundary.0.reverse();
                }
                let turn = choices.usize(..boundary.0.len());
                boundary.0.rotate_left(turn);
                for spot in &mut boundary.0 {
                    if let Spot::Letter(Letter(letter)) = spot {
                        *letter = names[usize::from(*letter)];
                    }
                }
            }
        }
    }
    position
}
