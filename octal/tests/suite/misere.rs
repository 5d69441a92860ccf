//! Misère play: outcomes, genera and trees.

use sprig_calculator::Genera;
use sprig_domain::Outcome;
use sprig_misere::{Limits, Search};
use sprig_octal::{Code, SmallHeaps, land};

use crate::slow::{Slow, all, sums};

const LIMITS: Limits = Limits { memory: 64 << 20, threads: 1 };

fn small(code: &str, most: u32) -> SmallHeaps {
    let code: Code = code.parse().unwrap_or_else(|error| panic!("{code}: {error}"));
    SmallHeaps::up_to(&code, most, || true)
}

fn searched(search: &Search<Code>, heaps: &[usize]) -> Outcome {
    let lands: Vec<[u8; 4]> = heaps.iter().map(|&heap| land(heap as u32)).collect();
    let lands: Vec<&[u8]> = lands.iter().map(|land| &land[..]).collect();
    search.outcome(&lands, &()).expect("it fits").expect("nobody says stop")
}

/// Every move of every sum is played.
#[test]
fn trees_win_as_all_games_do() {
    for digits in all(2) {
        let mut slow = Slow::new(&digits);
        let mut small = small(&slow.code(), 9);
        for sum in sums(9, 1).into_iter().chain(sums(6, 2)).chain(sums(4, 3)) {
            let heaps: Vec<u32> = sum.iter().map(|&heap| heap as u32).collect();
            let tree = small.tree(&heaps).expect("it is small");
            let expected = Outcome::from(slow.wins(&sum, &[]));
            assert_eq!(small.forest().outcome(tree), expected, "{}, {sum:?}", slow.code());
        }
    }
}

#[test]
fn the_search_wins_as_all_games_do() {
    for digits in all(2).step_by(3).chain(all(3).step_by(41)) {
        let mut slow = Slow::new(&digits);
        for most in [0, 4] {
            let small = small(&slow.code(), most);
            let search = Search::taught(small.base(), LIMITS, &[]);
            for sum in sums(9, 1).into_iter().chain(sums(6, 2)).chain(sums(4, 3)) {
                let expected = Outcome::from(slow.wins(&sum, &[]));
                let what = format!("{}, {sum:?}, trees to {most}", slow.code());
                assert_eq!(searched(&search, &sum), expected, "{what}");
            }
        }
    }
}

/// Nimbers in misère play are looked for as the Nim heaps beside which the sum is lost.
#[test]
fn genera_are_those_of_sums_with_nim_heaps() {
    let mut wild = 0;
    for digits in all(2).step_by(5) {
        let mut slow = Slow::new(&digits);
        let mut small = small(&slow.code(), 7);
        let mut genera = Genera::default();
        for sum in sums(7, 1).into_iter().chain(sums(4, 2)) {
            let heaps: Vec<u32> = sum.iter().map(|&heap| heap as u32).collect();
            let tree = small.tree(&heaps).expect("it is small");
            let genus = genera.of(small.forest(), tree);
            let what = format!("{}, {sum:?}: {genus}", slow.code());
            assert_eq!(genus.normal as usize, slow.nimber(&sum), "{what}");
            let turn = genus.misere.len() - 2;
            for twos in 0..=(turn + 3).max(4) {
                let place = if twos < turn { twos } else { turn + (twos - turn) % 2 };
                let found = genus.misere[place] as usize;
                assert_eq!(found, slow.misere_nimber(&sum, twos), "{what}, {twos} heaps of 2");
            }
            wild += usize::from(genus.misere[0] != genus.normal && genus.normal > 1);
        }
    }
    assert!(wild > 0, "all are as in Nim");
}

/// The genera of rows of Kayles (Berlekamp, Conway and Guy, *Winning Ways*, chapter 13), and the
/// trees of those that are no Nim heaps.
#[test]
fn kayles_has_its_genera_and_trees() {
    let genera =
        ["1^031", "2^20", "3^31", "1^031", "4^146", "3^31", "2^20", "1^13", "4^046", "2^20"];
    let mut kayles = small("0.77", 10);
    let mut known = Genera::default();
    for (heap, genus) in (1..).zip(genera) {
        let tree = kayles.tree(&[heap]).expect("it is small");
        assert_eq!(known.of(kayles.forest(), tree).to_string(), genus, "a row of {heap}");
    }
    for (heap, text) in [(0, "0"), (1, "1"), (2, "2"), (3, "3"), (4, "1")] {
        let tree = kayles.tree(&[heap]).expect("it is small");
        assert_eq!(kayles.forest().nested(tree, 80).as_deref(), Some(text), "a row of {heap}");
    }
    let empty = kayles.tree(&[]).expect("it is small");
    assert_eq!(known.of(kayles.forest(), empty).to_string(), "0^120");
}

/// Single rows that are lost, by the solution of W. Sibert and J. Conway (*Mathematical Kayles*,
/// 1992).
#[test]
fn few_rows_of_kayles_are_lost() {
    let kayles = small("0.77", 10);
    let search = Search::taught(kayles.base(), LIMITS, &[]);
    let lost = |&heap: &usize| searched(&search, &[heap]) == Outcome::Loss;
    assert_eq!((0..=30).filter(lost).collect::<Vec<_>>(), [1, 4, 9, 12, 20]);
}

/// Large heaps of Nim have nimbers that no search takes from trees.
#[test]
fn nim_is_searched_beyond_its_trees() {
    let mut nim = small("0.3..", 200);
    assert!(nim.tree(&[60]).is_some() && nim.tree(&[70]).is_none());
    let search = Search::taught(nim.base(), LIMITS, &[]);
    for (heaps, outcome) in [
        (&[70][..], Outcome::Win),
        (&[70, 70], Outcome::Loss),
        (&[1, 70, 71], Outcome::Loss),
        (&[2, 70, 71], Outcome::Win),
        (&[1], Outcome::Loss),
        (&[1, 1], Outcome::Win),
    ] {
        assert_eq!(searched(&search, heaps), outcome, "{heaps:?}");
    }
}

/// Three tokens at most are taken: all heaps are Nim heaps up to 3, and none is too large.
#[test]
fn small_trees_have_no_end() {
    let mut game = small("0.333", 3_000);
    for (heap, text) in [(2_999, "3"), (3_000, "0"), (2_001, "1")] {
        let tree = game.tree(&[heap]).expect("it is small");
        assert_eq!(game.forest().nested(tree, 80).as_deref(), Some(text), "a heap of {heap}");
    }
}

#[test]
fn whoever_says_stop_gets_fewer_trees() {
    let code: Code = "0.77".parse().expect("a code");
    let mut none = SmallHeaps::up_to(&code, 10, || false);
    assert!(none.tree(&[1]).is_none() && none.tree(&[0]).is_some());
}
