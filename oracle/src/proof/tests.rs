//! The rules of a proof against the card procedure.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use sprig_certificate::Reader;
use sprig_engine::{Nimber, Position, notation};

use super::finder::Finder;
use super::index::Index;
use super::land::{Spot, to_written};
use super::lands::Lands;
use super::name::{Name, Namer};
use super::open::Open;
use super::options::Moves;
use super::plain::all_options;
use super::reduce::lands_of;
use super::sketch::sketch;
use super::{Checker, Facts, Flaw, Refused};
use crate::{Key, Table, Values, child_keys, key};

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % limit
    }

    /// A position after some random moves.
    fn position(&mut self, spots: u32) -> Position {
        let mut table = Table::start(spots);
        for _ in 0..=self.below(2 * spots as usize) {
            let mut options = Vec::new();
            table.for_each_option(|_, option| options.push(option.reduced()));
            if options.is_empty() {
                break;
            }
            table = options.swap_remove(self.below(options.len()));
        }
        table.to_position()
    }
}

fn read(text: &str) -> Position {
    notation::read(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn nimber(value: u64) -> Nimber {
    Nimber::new(value).expect("in range")
}

/// The options as the quick rules make them.
fn options(position: &Position) -> BTreeSet<Key> {
    let mut options = BTreeSet::new();
    // Regions of three lives have their moves only after reduction.
    let lands = lands_of(position).expect("small");
    for (i, land) in lands.iter().enumerate() {
        let others = lands[..i].iter().chain(&lands[i + 1..]).map(|land| to_written(land));
        Moves::default().visit(
            land,
            |_| true,
            |option| {
                let option = option.iter().map(|(_, land)| to_written(land)).chain(others.clone());
                options.insert(key(&Position(option.collect())));
                true
            },
        );
    }
    options
}

/// The names of lands, sorted.
fn named<'l>(namer: &mut Namer, lands: impl Iterator<Item = &'l [Spot]>) -> Vec<Name> {
    let mut names: Vec<Name> = lands.map(|land| namer.least_name(land)).collect();
    names.sort();
    names
}

/// Asserts that the options of a land are those of the plain listing, with the sketches that
/// they should have, and that exactly
/// those are left out that are not wanted. Returns how many different ones there are.
fn assert_options(land: &[Spot], moves: &mut Moves) -> usize {
    let namer = &mut Namer::default();
    let written = to_written(land);
    let mut plain = BTreeSet::new();
    all_options(land, |option| {
        plain.insert(named(namer, option.lands()));
        true
    });
    let mut options = BTreeSet::new();
    moves.visit(
        land,
        |_| true,
        |option| {
            for (sketched, land) in option.iter() {
                assert_eq!(sketched, sketch(land), "{} of {written}", to_written(land));
            }
            options.insert(named(namer, option.iter().map(|(_, land)| land)));
            true
        },
    );
    assert!(options == plain, "{} and {} options of {written}", options.len(), plain.len());
    for half in 0..2 {
        let is_wanted = |sketches: &[u64]| sketches.iter().all(|sketch| sketch >> 7 & 1 == half);
        let mut visited = BTreeSet::new();
        moves.visit(land, is_wanted, |option| {
            visited.insert(named(namer, option.iter().map(|(_, land)| land)));
            true
        });
        let wanted = options.iter().filter(|option| {
            is_wanted(&option.iter().map(|land| sketch(land)).collect::<Vec<_>>())
        });
        assert!(visited.iter().eq(wanted), "{written}");
    }
    options.len()
}

#[test]
fn options_are_those_of_the_plain_listing() {
    let (mut moves, mut count) = (Moves::default(), 0);
    for key in crate::tree(&Position::start(4)) {
        for land in lands_of(key.position()).expect("small") {
            count += assert_options(&land, &mut moves);
        }
    }
    // Lands of long games, by random moves of the plain listing.
    for seed in 0..300 {
        let mut random = Random(seed);
        let mut land = lands_of(&Position::start(4 + seed as usize % 12)).expect("small").remove(0);
        loop {
            count += assert_options(&land, &mut moves);
            let (mut next, mut ways) = (Vec::new(), 0);
            all_options(&land, |option| {
                ways += 1;
                if let Some(longest) = option.lands().max_by_key(|land| land.len())
                    && random.below(ways) == 0
                {
                    next = longest.to_vec();
                }
                true
            });
            if next.is_empty() {
                break;
            }
            land = next;
        }
    }
    assert!(count > 50_000, "{count} options");
}

/// The names of the lands of a position, sorted.
fn names(position: &Position) -> Vec<Name> {
    let lands = lands_of(position).expect("small");
    named(&mut Namer::default(), lands.iter().map(Vec::as_slice))
}

#[test]
fn options_are_those_of_the_card_procedure() {
    let tree = crate::tree(&Position::start(4));
    for key in &tree {
        assert_eq!(options(key.position()), child_keys(key.position()), "{key}");
    }
    for seed in 0..300 {
        let position = Random(seed).position(5 + seed as u32 % 5);
        assert_eq!(options(&position), child_keys(&position), "{position}");
    }
}

#[test]
fn names_are_equal_exactly_for_isomorphic_lands() {
    let mut lands = BTreeSet::new();
    let mut all = BTreeSet::new();
    for key in crate::tree(&Position::start(4)) {
        lands.extend(key.position().0.iter().cloned());
        all.extend(names(key.position()));
    }
    assert_eq!((lands.len(), all.len()), (1_188, 1_188));
    // Isomorphic wordings: every way to begin and to read the positions that the card procedure
    // comes upon.
    for seed in 0..300 {
        let mut table = Table::of(&Random(seed).position(5 + seed as u32 % 5));
        let mut options = Vec::new();
        table.for_each_option(|_, option| options.push(option));
        for option in options {
            table = option.reduced();
            let position = table.to_position();
            assert_eq!(names(&position), names(key(&position).position()), "{position}");
            // A land is found in every wording.
            let (mut index, mut namer) = (Index::default(), Namer::default());
            for land in lands_of(&position).expect("small") {
                if index.find(&mut namer, &land).is_none() {
                    let tint = namer.tint(&land);
                    let name = namer.name(&land);
                    index.insert(tint, &name, ());
                }
            }
            let different = BTreeSet::from_iter(names(&position)).len();
            assert_eq!(index.len(), different, "{position}");
            for land in lands_of(key(&position).position()).expect("small") {
                assert!(index.may_have(sketch(&land)), "{position}");
                assert!(index.find(&mut namer, &land).is_some(), "{position}");
            }
        }
    }
}

/// An open land has one number in every wording, and no other land has it.
#[test]
fn open_lands_are_told_apart() {
    let (open, mut namer) = (Open::<u8>::default(), Namer::default());
    // Two finders, which remember different wordings.
    let mut finders = [Finder::default(), Finder::default()];
    let (mut numbers, mut moves) = (BTreeMap::new(), Moves::default());
    for seed in 0..60 {
        let finder = &mut finders[seed as usize % 2];
        for land in lands_of(&Random(seed).position(6)).expect("small") {
            let mut number = |option: &Lands| {
                for (sketch, land) in option.iter() {
                    let number = open.number(finder, sketch, land);
                    let name = namer.least_name(land);
                    let first = *numbers.entry(name).or_insert(number);
                    assert_eq!(first, number, "{}", to_written(land));
                }
                true
            };
            moves.visit(&land, |_| true, &mut number);
        }
    }
    let different = BTreeSet::from_iter(numbers.values()).len();
    assert_eq!((numbers.len(), open.len()), (different, different));
    assert!(different > 200, "{different} lands");
}

/// The facts of a certificate that ships with the program.
fn shipped(name: &str) -> Vec<sprig_certificate::Fact> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificates/normal").join(name);
    let mut reader = Reader::open(File::open(path).expect("it ships")).expect("a certificate");
    let mut facts = Vec::new();
    while let Some(entry) = reader.next_entry().expect("it is whole") {
        facts.push(entry.text.parse().expect("a fact"));
    }
    facts
}

/// What the moves of a land reach, as the plain listing has it, without any sketch.
fn plainly_reached(land: &[Spot], facts: &BTreeMap<Name, Nimber>, namer: &mut Namer) -> u64 {
    let mut reached = 0;
    all_options(land, |option| {
        let (mut sum, mut others) = (Nimber::ZERO, BTreeSet::new());
        for name in named(namer, option.lands()) {
            match facts.get(&name) {
                Some(nimber) => sum = sum.nim_sum(*nimber),
                None if others.remove(&name) => {}
                None => drop(others.insert(name)),
            }
        }
        reached |= u64::from(others.is_empty()) << sum.get();
        true
    });
    reached
}

#[test]
fn no_answer_is_passed_over() {
    let (mut facts, mut by_name, mut namer) = (Facts::default(), BTreeMap::new(), Namer::default());
    let mut lands = Vec::new();
    for fact in shipped("12.cert") {
        facts.add(&fact.land, fact.nimber).expect("listed once");
        let land = lands_of(&fact.land).expect("small").remove(0);
        by_name.insert(namer.least_name(&land), fact.nimber);
        lands.push(land);
    }
    let checker = Checker::new(&facts);
    let mut count = 0;
    for land in &lands {
        let mut options = BTreeSet::new();
        all_options(land, |option| {
            options.extend(named(&mut namer, option.lands()));
            true
        });
        for open in options.iter().filter(|name| !by_name.contains_key(*name)) {
            let plain = plainly_reached(open, &by_name, &mut namer);
            let written = Position(vec![to_written(open)]);
            for goal in 0..6 {
                // The sum with a heap is won if a move in the land reaches the size of the heap.
                let reaches = checker.reaches_nimber(&written, nimber(goal));
                assert_eq!(reaches, plain >> goal & 1 == 1, "{written} {goal}");
            }
            count += 1;
        }
    }
    assert!(count > 1_000, "{count} lands");
}

/// All lands of the game with four spots, with their nimbers.
fn all_facts() -> Vec<(Position, Nimber)> {
    let mut values = Values::default();
    let lands: BTreeSet<_> =
        crate::tree(&Position::start(4)).iter().flat_map(|key| key.position().0.clone()).collect();
    let mut facts: Vec<_> = lands
        .into_iter()
        .map(|land| Position(vec![land]))
        .map(|land| (land.clone(), values.nimber(&land).expect("small")))
        .collect();
    facts.sort_by_key(|(land, _)| land.0[0].lives());
    facts
}

#[test]
fn true_facts_follow_from_all_others() {
    let mut facts = Facts::default();
    let all = all_facts();
    all.iter().for_each(|(land, nimber)| facts.add(land, *nimber).expect("listed once"));
    let checker = Checker::new(&facts);
    for (land, value) in &all {
        assert_eq!(checker.check(land, *value), Ok(()), "{land}");
        for wrong in (0..6).map(nimber).filter(|wrong| wrong != value) {
            assert!(checker.check(land, wrong).is_err(), "{land} {wrong}");
        }
    }
    assert_eq!(checker.check_win(&read("0*4")), Ok(()));
    assert_eq!(checker.check_nimber(&read("0*4"), nimber(1)), Ok(()));
    assert_eq!(checker.check_nimber(&read("0*4+0*3"), nimber(0)), Ok(()));
    assert!(checker.check_win(&read("0*2")).is_err());
    assert!(checker.check_win(&read("0*4+0*4")).is_err());
    assert!(checker.check_nimber(&read("0*4"), nimber(0)).is_err());
}

#[test]
fn spots_are_never_miscounted() {
    // In 16 bits, 65,539 spots look like three. No text has that many, but a caller may.
    let mut many = read("0*3");
    many.0[0].0[0].0.resize((1 << 16) + 3, sprig_engine::Boundary(vec![sprig_engine::Spot::Zero]));
    let mut facts = Facts::default();
    for (land, value) in all_facts() {
        facts.add(&land, value).expect("listed once");
    }
    let checker = Checker::new(&facts);
    assert_eq!(checker.check_nimber(&read("0*3"), nimber(1)), Ok(()));
    assert!(matches!(checker.check_nimber(&many, nimber(1)), Err(Flaw::TooManyMoves(_))));
    assert!(matches!(checker.check_win(&many), Err(Flaw::TooManyMoves(_))));
    assert!(matches!(facts.add(&many, nimber(1)), Err(Refused::TooManyMoves(_))));
}

#[test]
fn flaws_say_what_is_wrong() {
    let facts = |facts: &[(&str, u64)]| {
        let mut all = Facts::default();
        facts.iter().for_each(|&(land, n)| all.add(&read(land), nimber(n)).expect("one land"));
        all
    };
    let check = |f: &[(&str, u64)], land, n| Checker::new(&facts(f)).check(&read(land), nimber(n));
    assert_eq!(check(&[], "0", 0), Ok(()));
    assert!(matches!(check(&[], "22", 2), Err(Flaw::TooLarge(_))));
    assert!(matches!(check(&[], "22", 0), Err(Flaw::SameNimber(_))));
    assert_eq!(check(&[], "22", 1), Ok(()));
    assert!(matches!(check(&[], "0*2", 0), Err(Flaw::Unanswered(..))));
    assert!(matches!(check(&[], "0+0", 0), Err(Flaw::NotOneLand(_))));
    let mut twice = facts(&[("0.AB|AB", 1)]);
    assert_eq!(twice.add(&read("BA|0.BA"), nimber(1)), Err(Refused::Repeated(1)));
    assert!(matches!(twice.add(&read("2"), nimber(0)), Err(Refused::NotOneLand(_))));
}
