//! What does not change a land must not change its canonical form: names, rotations, orders, and the direction in which
//! a region is read.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use fastrand::Rng;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sprig_engine::{
    Boundary, CanonicalPosition, Canonizer, Effort, Generator, Land, Letter, Position, Region,
    Spot, sketch,
};

/// Positions of random games from 2 to 9 spots.
static PLAYED: LazyLock<Vec<CanonicalPosition>> = LazyLock::new(|| {
    let mut choices = Rng::with_seed(7);
    let mut played = Vec::new();
    while played.len() < 3_000 {
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
});

/// Any land at all, reachable or not.
fn arbitrary(choices: &mut Rng) -> Land {
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

/// The same position in other words.
fn reword(position: &Position, choices: &mut Rng) -> Position {
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

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(100_000))]

    #[test]
    fn played_positions_keep_their_canonical_form(pick in any::<prop::sample::Index>(), seed: u64) {
        let canonical = pick.get(&PLAYED);
        let reworded = reword(&canonical.to_position(), &mut Rng::with_seed(seed));
        prop_assert_eq!(&CanonicalPosition::of(&reworded), canonical, "{}", reworded);
    }

    #[test]
    fn arbitrary_lands_keep_their_canonical_form(seed: u64) {
        let mut choices = Rng::with_seed(seed);
        let lands = [arbitrary(&mut choices)];
        let position = Position(lands.into_iter().filter(|land| !land.0.is_empty()).collect());
        let canonical = CanonicalPosition::of(&position);
        let reworded = reword(&position, &mut choices);
        prop_assert_eq!(CanonicalPosition::of(&reworded), canonical.clone(), "{} {}", position, reworded);
        // The canonical form is a position like any other, and its own canonical form.
        prop_assert_eq!(CanonicalPosition::of(&canonical.to_position()), canonical);
        let text = position.to_string();
        prop_assert_eq!(text.parse::<Position>().map(|p| p.to_string()), Ok(text));
    }
}

/// Lands with many letters that look alike: refinement alone ranks none of them.
#[test]
fn symmetric_lands_keep_their_canonical_form() {
    for text in [
        "ABC|ABC",
        "2A.2B.2C.2D|2A.2B.2C.2D",
        "0.A.B.C.D.E.F|0.A.B.C.D.E.F",
        "22AB|22BC|22CD|22DE|22EF|22FA",
        "2A2B2C2D|2A2B2C2D",
        "ABCD|AE.BF.CG.DH|EFGH",
        "AB.CD.EF.GH|AB.CD.EF.GH",
        "ABCDEF|ADBECF",
        "2A.2B.2C|2A.2D.2E|2B.2D.2F|2C.2E.2F",
        "1A1B1C1D1E1F1G1H|1A1C1E1G1B1D1F1H",
    ] {
        let position: Position = text.parse().expect("well-formed");
        let canonical = CanonicalPosition::of(&position);
        for seed in 0..500 {
            let reworded = reword(&position, &mut Rng::with_seed(seed));
            assert_eq!(CanonicalPosition::of(&reworded), canonical, "{text} {reworded}");
        }
    }
}

#[test]
fn a_sketch_needs_no_canonical_form() {
    let (mut moves, mut keys) = (Generator::default(), Canonizer::new(Effort::Exact));
    let (mut lands, mut sketches) = (HashSet::new(), HashSet::new());
    for land in PLAYED.iter().flat_map(CanonicalPosition::lands) {
        let visited = moves.children(land.key(), |child| {
            for (raw, sketched) in child.sketched() {
                let key = keys.key(raw);
                assert_eq!(sketch(raw), sketch(key), "{raw:?} {key:?}");
                assert_eq!(sketched, sketch(raw), "{raw:?}");
                lands.insert(key.to_vec());
                sketches.insert(sketched);
            }
            ControlFlow::<()>::Continue(())
        });
        let _ = visited.expect("small lands have few moves");
    }
    assert!(sketches.len() * 8 > lands.len(), "{} of {}", sketches.len(), lands.len());
}
