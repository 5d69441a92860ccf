//! Lands that are not of the sphere: what they become, and what can become of them.

use std::collections::{BTreeSet, HashMap};

use sprig_engine::{CanonicalLand, CanonicalPosition, Canonizer, Effort, Generator, Nimber, mex};

fn canonical(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse().unwrap_or_else(|e| panic!("{text}: {e}")))
}

#[test]
fn positions_are_reduced() {
    for (text, reduced) in [
        ("0@1", "0"),
        ("22@1", "22"),
        ("0*2@0", "0*2"),
        ("0*2@5", "0*2@4"),
        ("A.A", "!"),
        ("0.A.A@-1", "0.A.A@-1"),
        ("2z.1z", "2z.1z"),
        ("1z.z", "12"),
        ("AB.AB", "zy.zy"),
        ("0*2.zz@2", "0*2.2@2"),
        ("0*2@1|A|A", "0*2@1"),
    ] {
        assert_eq!(canonical(text).to_string(), canonical(reduced).to_string(), "{text}");
    }
    assert_eq!(canonical("0*2@1+0*2").to_string(), "0*2+0*2@1");
    assert_eq!(canonical("0*2+0@1"), canonical("0@-3+0*2"));
}

#[test]
fn mirrors_are_told_apart_where_there_is_a_left_hand() {
    let turned = |surface: &str| {
        let [one, other] =
            [format!("12ABC.12DEF{surface}|ABC|DEF"), format!("12ABC.21FED{surface}|ABC|DEF")];
        canonical(&one) == canonical(&other)
    };
    assert!(!turned("") && !turned("@1") && !turned("@2"));
    assert!(turned("@-1") && turned("@-2"));
}

#[test]
fn moves_are_those_of_the_rules() {
    let found = |text: &str| -> BTreeSet<CanonicalPosition> {
        canonical(text).children().expect("few").into_iter().collect()
    };
    let expected = |texts: &[&str]| texts.iter().map(|text| canonical(text)).collect();
    // A curve between the spots; one around a spot, with the handle on either side; one along the
    // handle.
    let torus = ["1a1a@1", "0.AB|AB@1", "0.AB@1|AB", "0.zy.zy", "0.AB|AB"];
    assert_eq!(found("0*2@1"), expected(&torus));
    // The same curves with the cross-cap, and one through it.
    assert_eq!(found("0*2@-1"), expected(&["1a1a@-1", "0.AB@-1|AB", "0.AB|AB", "0.abab"]));
    // Along both cross-caps of a Klein bottle a curve has two sides again.
    let klein = ["1a1a@-2", "0.AB@-2|AB", "0.AB@-1|AB", "0.AB|AB", "0.abab@-1", "0.zy.zy"];
    assert_eq!(found("0*2@-2"), expected(&klein));
}

#[derive(Default)]
struct Nimbers(HashMap<CanonicalLand, Nimber>);

impl Nimbers {
    fn of(&mut self, position: &CanonicalPosition) -> Nimber {
        position.lands().iter().fold(Nimber::ZERO, |sum, land| sum.nim_sum(self.of_land(land)))
    }

    fn of_land(&mut self, land: &CanonicalLand) -> Nimber {
        if let Some(&known) = self.0.get(land) {
            return known;
        }
        let children = land.children().expect("a small land");
        let nimber = mex(children.iter().map(|child| self.of(child)).collect::<Vec<_>>());
        let nimber = nimber.expect("a small nimber");
        self.0.insert(land.clone(), nimber);
        nimber
    }
}

#[test]
fn reference_positions_have_their_nimbers() {
    let mut nimbers = Nimbers::default();
    let text = include_str!("../../../testdata/variants/surfaces_positions.tsv");
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let position = fields.next().expect("a position");
        let nimber = fields.next().expect("a nimber").parse().expect("a number");
        assert_eq!(nimbers.of(&canonical(position)).get(), nimber, "{position}");
        count += 1;
    }
    assert!(count > 300, "{count}");
}

#[test]
fn a_child_is_made_again_from_its_number() {
    let (mut generator, mut again) = (Generator::default(), Generator::default());
    let mut canonizer = Canonizer::new(Effort::Exact);
    for text in ["0*2@1", "0*2@-2", "1a1a.0@-1", "0.zy.zy", "0.AB@-3|2AB"] {
        let position = canonical(text);
        let key = position.lands()[0].key();
        let mut made = Vec::new();
        let flow = generator.children(key, |lands| {
            made.push((lands.way(), lands.iter().map(<[u8]>::to_vec).collect::<Vec<_>>()));
            std::ops::ControlFlow::<()>::Continue(())
        });
        assert!(flow.expect("few ways").is_continue());
        assert!(
            made.len() as u64 <= position.ways(),
            "{text}: {} of {}",
            made.len(),
            position.ways()
        );
        for (way, lands) in made {
            let child = again.child(key, way).expect("there is such a move");
            assert!(child.iter().eq(lands.iter().map(Vec::as_slice)), "{text}, {way}");
            for (land, sketch) in child.sketched() {
                let key = canonizer.key(land).to_vec();
                assert_eq!(sprig_engine::sketch(&key), sketch, "{text}, {way}");
                assert!(CanonicalLand::from_key(&key).is_ok(), "{text}, {way}");
            }
        }
        assert!(again.child(key, u32::MAX).is_none());
    }
}
