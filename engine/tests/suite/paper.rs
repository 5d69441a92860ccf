//! Moves with a witness: what is drawn agrees with the canonical form.

use std::collections::{BTreeSet, HashMap};

use crate::common::{arbitrary, played, reword};
use fastrand::Rng;
use sprig_engine::paper::{Course, Illegal, Paper, Place, Unclear, Witness};
use sprig_engine::{Budget, CanonicalPosition, Generator, Position, Surface, Unlisted};

fn paper(text: &str) -> Paper {
    Paper::of(&text.parse().expect("a position"))
}

/// Game trees by their children: equal numbers for equal trees.
#[derive(Default)]
struct Trees {
    numbers: HashMap<BTreeSet<usize>, usize>,
    known: HashMap<CanonicalPosition, usize>,
}

impl Trees {
    fn of(&mut self, position: &CanonicalPosition) -> usize {
        if let Some(&known) = self.known.get(position) {
            return known;
        }
        let children = position.children().expect("a small position");
        let options: BTreeSet<usize> = children.iter().map(|child| self.of(child)).collect();
        let next = self.numbers.len();
        let number = *self.numbers.entry(options).or_insert(next);
        self.known.insert(position.clone(), number);
        number
    }
}

/// Checks the moves of a written position. Returns how many of them lead not to the child, but to a
/// position like it.
fn check(position: &Position, trees: &mut Trees) -> usize {
    let paper = Paper::of(position);
    assert_eq!(paper.position(), named_in_order(position), "{position}");
    let canonical = CanonicalPosition::of(position);
    let moves = paper.moves(&mut Budget::default()).expect("a small position");
    let children: Vec<_> = moves.iter().map(|found| found.child.clone()).collect();
    assert_eq!(children, canonical.children().expect("a small position"), "{position}");
    let mut alike = 0;
    // Whole game trees of these take a moment.
    let is_small = canonical.lands().iter().map(|land| land.lives()).sum::<u32>() <= 9;
    for found in &moves {
        let words = paper.words(&found.witness);
        let after = paper.play(&found.witness).expect("legal");
        assert_eq!(after.canonical(), found.drawn, "{position}: {words}");
        let spots: BTreeSet<_> =
            paper.regions().nth(found.witness.region).expect("a region").iter().flatten().collect();
        let lives: u32 = spots.iter().map(|&&spot| 3 - u32::from(paper.degree(spot))).sum();
        if found.drawn != found.child {
            assert!(lives <= 3, "{position}: {words} is {}, not {}", found.drawn, found.child);
            if is_small {
                assert_eq!(trees.of(&found.drawn), trees.of(&found.child), "{position}: {words}");
            }
            alike += 1;
        }
        // The numbers of the spots say which move it is.
        let numbers = paper.numbers(&found.witness);
        let (region, regions) = (found.witness.region + 1, paper.regions().count());
        let closing = format!(" in region {region}");
        assert!(regions > 1 || !numbers.ends_with(&closing), "{position}: {numbers}");
        let meant = paper.meant(&numbers).unwrap_or_else(|e| panic!("{position}: {numbers}: {e}"));
        let is_it = |meant: &Witness| {
            *meant == found.witness || paper.play(meant).expect("legal").canonical() == found.drawn
        };
        assert!(meant.iter().any(is_it), "{position}: {numbers}");
        for meant in meant {
            let drawn = paper.play(&meant).expect("legal").canonical();
            let tree = |position: &CanonicalPosition, trees: &mut Trees| trees.of(position);
            if is_small {
                let number = tree(&drawn, trees);
                assert!(children.iter().any(|c| tree(c, trees) == number), "{position}: {numbers}");
            }
        }
    }
    alike
}

/// The same position with its letters in the order of the text, as reading gives them.
fn named_in_order(position: &Position) -> Position {
    position.to_string().parse().expect("what is printed can be read")
}

#[test]
fn each_child_of_a_played_position_has_a_witness() {
    let (mut choices, mut trees, mut alike) = (Rng::with_seed(1), Trees::default(), 0);
    for (number, canonical) in played(1_500).iter().enumerate() {
        // As the position is printed, and as it is written in another way.
        let printed = canonical.to_position();
        let position = if number % 2 == 0 { printed } else { reword(&printed, &mut choices) };
        alike += check(&position, &mut trees);
    }
    assert!(alike > 0, "regions of three lives are among them");
}

#[test]
fn each_child_of_any_land_has_a_witness() {
    let mut trees = Trees::default();
    for seed in 0..1_000 {
        let mut choices = Rng::with_seed(seed);
        let lands = (0..1 + seed % 2).map(|_| arbitrary(&mut choices));
        let lands: Vec<_> = lands.filter(|land| !land.0.is_empty() && land.lives() < 14).collect();
        check(&Position(lands), &mut trees);
    }
}

#[test]
fn whole_games_are_played_on_paper() {
    for seed in 0..150 {
        let mut choices = Rng::with_seed(seed);
        let spots = 2 + choices.usize(..8);
        let mut paper = Paper::of(&Position::start(spots));
        let mut length = 0;
        loop {
            let moves = paper.moves(&mut Budget::default()).expect("a small position");
            if moves.is_empty() {
                break;
            }
            let found = &moves[choices.usize(..moves.len())];
            paper = paper.play(&found.witness).expect("legal");
            assert_eq!(paper.canonical(), found.drawn);
            assert_eq!(paper.next_number() as usize, spots + length + 2);
            length += 1;
        }
        assert!((2 * spots..3 * spots).contains(&length), "{spots} spots, {length} moves");
    }
}

#[test]
fn words_are_those_of_the_text() {
    let all = |text: &str| -> Vec<String> {
        let paper = paper(text);
        let moves = paper.moves(&mut Budget::default()).expect("few moves");
        moves.iter().map(|found| paper.words(&found.witness)).collect()
    };
    let mut words = all("0*3");
    words.sort();
    assert_eq!(words, ["[0]", "[0] around 0", "[0]-[0]"]);
    // A closed curve with two fresh spots on one side and one on the other: the names are those of
    // the text, not of the canonical form.
    let words = all("0.BA|0*2.BA");
    for expected in ["region 1: [0]-[A]B", "region 2: [A][B] around 0", "region 2: [0]-[0]"] {
        assert!(words.iter().any(|word| word == expected), "{expected}: {words:?}");
    }
    assert!(all("22+0*2").iter().any(|word| word.starts_with("region 2: ")));
}

#[test]
fn numbers_say_which_move_is_meant() {
    let start = paper("0*5");
    let play = |paper: &Paper, text: &str| {
        let meant = paper.meant(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        paper.play(&meant[0]).expect("legal")
    };
    let joined = play(&start, "1-4");
    assert_eq!(
        joined.regions().next().map(<[_]>::to_vec),
        Some(vec![vec![6, 1, 6, 4], vec![2], vec![3], vec![5]])
    );
    let looped = play(&joined, "2 to 2 around 3");
    assert_eq!(looped.regions().count(), 2);
    assert_eq!(looped.canonical(), play(&joined, "2(7)2 [1, 4-6]").canonical());
    for (text, column) in
        [("", 1), ("1", 2), ("1-", 3), ("1-4 x", 5), ("1(6 4", 5), ("1-4 around", 11)]
    {
        assert_eq!(start.meant(text), Err(Unclear::Grammar(column)), "{text}");
    }
    assert_eq!(start.meant("1-9"), Err(Unclear::NoSpot { column: 3, number: 9 }));
    assert_eq!(
        start.meant("1-99999999999999999999"),
        Err(Unclear::NoSpot { column: 3, number: u64::MAX })
    );
    assert_eq!(start.meant("1(7)2"), Err(Unclear::NewSpot { column: 3, number: 7, next: 6 }));
    assert_eq!(start.meant("1-2 around 3"), Err(Unclear::NoSide { from: 1, to: 2 }));
    assert_eq!(joined.meant("6-6"), Err(Unclear::OneLife(6)));
    // Spot 6 is on both sides, whether or not that is said.
    for text in ["1-4 around 2", "1-4 around 2, 6", "1-4"] {
        assert!(matches!(joined.meant(text), Ok(meant) if !meant.is_empty()), "{text}");
    }
    // A closed curve has two sides, and either may be meant.
    let curve = paper("AB.0|AB.0*2");
    assert_eq!(curve.meant("1-2").map(|meant| meant.len()), Ok(4));
    for (text, region) in [("1-2 in region 1", 0), ("1-2 around 4 IN REGION 2", 1)] {
        let meant = curve.meant(text).expect("there is such a move");
        assert!(meant.iter().all(|witness| witness.region == region), "{text}: {meant:?}");
        assert!(curve.numbers(&meant[0]).ends_with(&format!(" in region {}", region + 1)));
    }
    assert_eq!(curve.meant("1-2 in region 3"), Err(Unclear::NoRegion { column: 15, number: 3 }));
    assert_eq!(curve.meant("1-2 in"), Err(Unclear::Grammar(7)));
    let ring = paper("1212.0");
    assert_eq!(ring.meant("1-3"), Err(Unclear::Sides { from: 1, to: 3, example: "2".into() }));
    assert_eq!(ring.meant("1-3 around 2").map(|meant| meant.len()), Ok(1));
    assert_ne!(ring.meant("1-3 around 2"), ring.meant("1-3 around 2, 5"));
    let apart = looped.meant("3-5");
    assert_eq!(apart, Err(Unclear::Apart(3, 5)));
}

/// Checks the moves of a position on another surface.
fn check_on_surface(position: &CanonicalPosition) {
    let paper = Paper::of(&position.to_position());
    assert_eq!(paper.canonical(), *position);
    let moves = paper.moves(&mut Budget::default()).expect("a small position");
    let children: Vec<_> = moves.iter().map(|found| found.child.clone()).collect();
    assert_eq!(children, position.children().expect("a small position"), "{position}");
    let mut words = BTreeSet::new();
    for found in &moves {
        let told = paper.words(&found.witness);
        let after = paper.play(&found.witness).expect("legal").canonical();
        assert_eq!(after, found.drawn, "{position}: {told}");
        assert!(words.insert(told.clone()), "{position}: {told} is told twice");
        let numbers = paper.numbers(&found.witness);
        let meant = paper.meant(&numbers).unwrap_or_else(|e| panic!("{position}: {numbers}: {e}"));
        let leads_there = |meant: &Witness| paper.play(meant).expect("legal").canonical() == after;
        assert!(meant.iter().any(leads_there), "{position}: {numbers}");
    }
}

#[test]
fn each_child_on_another_surface_has_a_witness() {
    let mut choices = Rng::with_seed(4);
    for genus in [1, 2, -1, -2, -3, -4] {
        for _ in 0..12 {
            let surface = Surface::new(genus).expect("a surface");
            let mut position = CanonicalPosition::of(&Position::start_on(3, surface));
            loop {
                check_on_surface(&position);
                let children = position.children().expect("a small position");
                let Some(next) = choices.choice(children) else { break };
                position = next;
            }
        }
    }
}

#[test]
fn each_child_of_black_and_white_has_a_witness() {
    let (mut bare, mut generator) = (0, Generator::with_optional_spot());
    for position in played(200) {
        let paper = Paper::of(&position.to_position());
        let moves = paper.moves_black_and_white(&mut Budget::default()).expect("a small position");
        let found: Vec<_> = moves.iter().map(|found| found.child.clone()).collect();
        let children = position.children_by(&mut generator, &mut Budget::default());
        assert_eq!(found, children.expect("a small position"), "{position}");
        for found in &moves {
            let after = paper.play(&found.witness).expect("legal").canonical();
            assert_eq!(after, found.drawn, "{position}");
            bare += usize::from(found.witness.is_bare);
            // Its words in numbers of spots are understood, with the new spot or without it.
            let numbers = paper.numbers(&found.witness);
            let meant = paper.meant(&numbers).unwrap_or_else(|e| panic!("{numbers}: {e}"));
            let is_it = |meant: &Witness| {
                meant.is_bare == found.witness.is_bare
                    && paper.play(meant).expect("legal").canonical() == found.drawn
            };
            assert!(meant.iter().any(is_it), "{position}: {numbers}");
        }
    }
    assert!(bare > 200);
}

#[test]
fn curves_on_other_surfaces_have_words() {
    let told = |text: &str| -> BTreeSet<String> {
        let paper = paper(text);
        let moves = paper.moves(&mut Budget::default()).expect("a small position");
        moves.iter().map(|found| paper.words(&found.witness)).collect()
    };
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    assert_eq!(
        told("0*2@1"),
        words(&["[0]-[0]", "[0]", "[0], with a handle", "[0], through a handle"])
    );
    assert_eq!(
        told("0*2@-2"),
        words(&[
            "[0]-[0]",
            "[0]",
            "[0], with a cross-cap",
            "[0], with 2 cross-caps",
            "[0], through a cross-cap",
            "[0], through two cross-caps",
        ])
    );
    let torus = paper("0*2@1");
    assert_eq!(torus.meant("1-1, through a handle").map(|meant| meant.len()), Ok(1));
    assert_eq!(
        torus.meant("1-1, through a cross-cap"),
        Err(Unclear::Manner { from: 1, to: 1, manner: "through a cross-cap".to_owned() })
    );
    let place = Place { boundary: 0, spot: 0 };
    let over = |course| Witness { course, ..Witness::plain(0, [place; 2], Vec::new()) };
    let left = |genus| Surface::new(genus).expect("a surface");
    for course in [
        Course::Crossed,
        Course::Open { is_one_sided: true, left: left(0), turned: Vec::new() },
        Course::Open { is_one_sided: false, left: left(1), turned: Vec::new() },
        Course::Open { is_one_sided: false, left: left(0), turned: vec![1] },
        Course::Shared { surfaces: [left(1), left(1)], turned: Vec::new() },
        Course::Shared { surfaces: [left(-1), left(1)], turned: Vec::new() },
    ] {
        assert_eq!(torus.play(&over(course)), Err(Illegal::Course));
    }
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let start = paper("0*2.12");
    let place = |boundary, spot| Place { boundary, spot };
    let curve = |ends, along: &[usize]| Witness::plain(0, ends, along.to_vec());
    let loops = [place(2, 1), place(2, 1)];
    assert_eq!(start.play(&curve(loops, &[])), Err(Illegal::Dead(4)));
    let nowhere = [place(0, 0), place(3, 0)];
    assert_eq!(start.play(&curve(nowhere, &[])), Err(Illegal::Nowhere));
    let join = [place(0, 0), place(1, 0)];
    assert_eq!(start.play(&curve(join, &[2])), Err(Illegal::Along));
    let divide = [place(2, 0), place(2, 1)];
    for along in [&[2][..], &[3], &[1, 0], &[0, 0]] {
        assert_eq!(start.play(&curve(divide, along)), Err(Illegal::Along), "{along:?}");
    }
    assert!(start.play(&curve(divide, &[0, 1])).is_ok());
}

#[test]
fn a_listing_keeps_to_its_budget() {
    let start = paper("0*8.12.112");
    let ways = start.canonical().ways();
    let list = |mut budget: Budget<'_>| start.moves(&mut budget).map(|moves| moves.len());
    let refused = Unlisted::TooMany { ways, allowed: ways - 1 };
    assert_eq!(list(Budget::new(ways - 1, 1 << 30)), Err(refused));
    assert_eq!(list(Budget::new(ways, 1 << 8)), Err(Unlisted::TooLarge(1 << 8)));
    assert!(list(Budget::new(ways, 1 << 30)).is_ok());
    let stop = std::sync::atomic::AtomicBool::new(true);
    assert_eq!(list(Budget::new(ways, 1 << 30).until(&stop)), Err(Unlisted::Stopped));
    let many = (0..24).map(|i| format!("{}{}", "1".repeat(i % 5), "2".repeat(2 + i / 5)));
    let poison = paper(&many.collect::<Vec<_>>().join("."));
    assert!(matches!(poison.moves(&mut Budget::default()), Err(Unlisted::TooManyMoves(_))));
}
