//! What does not change a land must not change its canonical form: names, rotations, orders, and
//! the direction in which a region is read.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use crate::common::{arbitrary, played, reword};
use fastrand::Rng;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sprig_engine::{CanonicalPosition, Canonizer, Effort, Generator, Position, sketch};

/// Positions of random games from 2 to 9 spots.
static PLAYED: LazyLock<Vec<CanonicalPosition>> = LazyLock::new(|| played(3_000));

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
        for seed in 0..100 {
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
