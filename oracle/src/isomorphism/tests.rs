use super::*;
use sprig_engine::notation;

fn position(text: &str) -> Position {
    notation::read(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn isomorphic_positions_have_one_key() {
    for (a, b) in [
        ("0*2.AB|AB", "CA|0.AC.0"),
        ("1ab2ba", "2xy1yx"),
        // A boundary rotated.
        ("12.1abc1cba", "1cba1abc.21"),
        // One region mirrored, the other not.
        ("0.ABCD|1.ABCD", "0.ABCD|1.ADCB"),
        ("0+1a1a", "1a1a+0"),
    ] {
        assert_eq!(Key::of(&position(a)), Key::of(&position(b)), "{a} {b}");
    }
}

#[test]
fn different_positions_have_different_keys() {
    for (a, b) in [
        ("0.AB|AB", "1.AB|AB"),
        // One boundary of a region alone may not be mirrored.
        ("12ABC.12DEF|ABC|DEF", "12ABC.21FED|ABC|DEF"),
        ("0.ABCD|1.ABCD", "0.ABCD|1.ACBD"),
        ("0+0", "0"),
    ] {
        let (a, b) = (Key::of(&position(a)), Key::of(&position(b)));
        assert_ne!(a, b);
    }
}

/// The least arranged land over all permutations of the letters, without colours.
fn by_all_permutations(land: &Land, names: &mut Colours, free: &mut Vec<u16>) -> Land {
    let letters = names.len() + free.len();
    if names.len() == letters {
        return arranged(land, names);
    }
    let namings = (0..free.len()).map(|i| {
        let name = free.remove(i);
        names.push(name);
        let least = by_all_permutations(land, names, free);
        names.pop();
        free.insert(i, name);
        least
    });
    namings.min().expect("a name is free")
}

#[test]
fn colours_lose_and_invent_nothing() {
    // Over the tree of the 4-spot game: colouring the letters first gives the same classes as
    // trying everything.
    let mut all_ways = BTreeMap::new();
    for key in crate::tree(&Position::start(4)) {
        for land in &key.position().0 {
            let letters = land.occurrences().filter(|o| matches!(o.2, Spot::Letter(_))).count() / 2;
            if letters > 6 {
                continue;
            }
            let mut names = (0..letters).map(|n| u16::try_from(n).expect("small")).collect();
            let least = by_all_permutations(land, &mut Vec::new(), &mut names);
            assert_eq!(canonical(&least), *land);
            assert_eq!(all_ways.entry(least).or_insert_with(|| land.clone()), land);
        }
    }
    assert!(all_ways.len() > 1_000);
}
