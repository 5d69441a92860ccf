//! Outcomes against brute force by the oracle, which shares no rule, canonical form or value with
//! this crate.

use sprig_domain::Outcome;
use sprig_engine::Position;
use sprig_oracle::Values;
use sprig_trees::{Base, Sums};

use crate::common::rct;

fn expected(values: &mut Values, position: &Position) -> Outcome {
    match values.misere_outcome(position) {
        sprig_oracle::Outcome::Win => Outcome::Win,
        sprig_oracle::Outcome::Loss => Outcome::Loss,
    }
}

/// Every position of these trees, alone.
#[test]
fn outcomes_are_those_of_the_oracle() {
    let (mut base, mut values) = (Base::default(), Values::default());
    for text in ["0*3", "0*2.12", "0.AB|1.AB", "1AB.CD|CD|AB", "2a2a.1"] {
        for key in sprig_oracle::tree(&text.parse().expect("a position")) {
            let tree = rct(&mut base, &key.position().to_string());
            let outcome = base.forest().outcome(tree);
            assert_eq!(outcome, expected(&mut values, key.position()), "{}", key.position());
        }
    }
}

/// Sums of two positions, by their trees.
#[test]
fn outcomes_of_sums_are_those_of_the_oracle() {
    let texts = [
        "0",
        "0*2",
        "0*2.AB|AB",
        "22",
        "2ab2ba",
        "ABC|ABD|CE|DE",
        "1ABC|ABC",
        "0.2",
        "12.2",
        "0*2.A|0.A",
    ];
    let (mut base, mut values, mut sums) = (Base::default(), Values::default(), Sums::default());
    for (i, a) in texts.iter().enumerate() {
        for b in &texts[..=i] {
            let [x, y] = [a, b].map(|text| rct(&mut base, text));
            let sum = sums.add(base.forest_mut(), x, y);
            let both = format!("{a}+{b}");
            assert_eq!(
                base.forest().outcome(sum),
                expected(&mut values, &both.parse().expect("a sum")),
                "{both}"
            );
            assert_eq!(sum, rct(&mut base, &both), "{both}");
        }
    }
}
