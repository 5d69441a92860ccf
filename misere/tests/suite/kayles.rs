//! Another game in misère play: Kayles, by the one file that gives its rules for normal play.

use std::sync::Mutex;

use sprig_domain::Outcome;
use sprig_misere::{Limits, Observer, OutcomeError, Search, Sum};
use sprig_search::{Question, Verdict};
use sprig_trees::{Base, Forest, Sums, Tree};

#[expect(dead_code, reason = "what it prints is not tested")]
#[path = "../../../search/examples/kayles.rs"]
mod rules;
use rules::Kayles;

const LIMITS: Limits = Limits { memory: 256 << 20, threads: 1 };

/// Rows of pins as lands.
fn lands(rows: &[u8]) -> Vec<&[u8]> {
    rows.chunks(1).collect()
}

/// A base with the trees of rows of up to `pins` pins.
fn base(pins: u8) -> Base<Kayles> {
    let mut base = Base::new(Kayles);
    for row in 1..=pins {
        base.tree(&[&[row]]).expect("a row has few moves");
    }
    base
}

fn search(pins: u8, threads: usize) -> Search<Kayles> {
    Search::taught(&base(pins), Limits { threads, ..LIMITS }, &[])
}

fn outcome(search: &Search<Kayles>, rows: &[u8]) -> Outcome {
    search.outcome(&lands(rows), &()).expect("it fits").expect("nobody says stop")
}

/// A set of positions of the solution: single rows, then rows of which an even number comes from
/// each of these, and rows of which an odd number does.
type Family = (&'static [u8], &'static [&'static [u8]], &'static [&'static [u8]]);

/// Lost in normal play, won in misère play.
const WON: [Family; 3] = [
    (&[], &[&[5], &[4, 1]], &[]),
    (&[], &[&[17, 12, 9], &[20, 4, 1]], &[]),
    (&[25], &[&[17, 12, 9]], &[&[20, 4, 1]]),
];
/// Won in normal play, lost in misère play.
const LOST: [Family; 6] = [
    (&[], &[], &[&[5], &[4, 1]]),
    (&[], &[&[5]], &[&[4, 1]]),
    (&[], &[&[4, 1]], &[&[9]]),
    (&[12], &[&[4, 1]], &[]),
    (&[], &[&[17, 12, 9]], &[&[20, 4, 1]]),
    (&[25], &[], &[&[9], &[4, 1]]),
];

fn is_in(rows: &[u8], (singles, even, odd): Family) -> bool {
    let mut left = rows.to_vec();
    for single in singles {
        let Some(at) = left.iter().position(|row| row == single) else { return false };
        left.remove(at);
    }
    let is_even = |set: &&[u8]| left.iter().filter(|row| set.contains(row)).count() % 2 == 0;
    left.iter().all(|row| even.iter().chain(odd).any(|set| set.contains(row)))
        && even.iter().all(is_even)
        && !odd.iter().any(is_even)
}

/// The solution of Kayles in misère play (Sibert and Conway, Mathematical Kayles, International
/// Journal of Game Theory 20, 1992): it is played as in normal play, but for these families.
fn solution(rows: &[u8], nimbers: &[u8]) -> Outcome {
    let normal = rows.iter().fold(0, |sum, &row| sum ^ nimbers[usize::from(row)]) == 0;
    let lost = normal && !WON.iter().any(|&family| is_in(rows, family))
        || LOST.iter().any(|&family| is_in(rows, family));
    if lost { Outcome::Loss } else { Outcome::Win }
}

/// The nimbers of rows, by the search of normal play, from the same rules.
fn nimbers(most: u8) -> Vec<u8> {
    let search = sprig_search::Search::new(Kayles, LIMITS);
    let nimber = |pins| match search.solve(&[&[pins]], Question::Nimber, u64::MAX, &()) {
        Ok(Verdict::Nimber(nimber)) => nimber.get(),
        other => panic!("{other:?}"),
    };
    (0..=most).map(nimber).collect()
}

/// Some sums of rows: all of one row, and of two and three with few pins, and those that the
/// families name.
fn sums() -> Vec<Vec<u8>> {
    let mut sums: Vec<Vec<u8>> = (1..=40).map(|row| vec![row]).collect();
    for a in 1..=18 {
        sums.extend((1..=a).map(|b| vec![a, b]));
        sums.extend((1..=a.min(8)).flat_map(|b| (1..=b.min(5)).map(move |c| vec![a, b, c])));
    }
    sums.extend([vec![25, 20], vec![25, 9, 4], vec![25, 17, 9, 1], vec![17, 12, 20, 4]]);
    sums
}

#[test]
fn kayles_is_won_and_lost_as_its_solution_says() {
    let nimbers = nimbers(40);
    let (mut counted, mut differ) = (0, 0);
    for (pins, threads) in [(0, 1), (9, 1), (12, 2)] {
        let search = search(pins, threads);
        for rows in sums() {
            let expected = solution(&rows, &nimbers);
            assert_eq!(outcome(&search, &rows), expected, "{rows:?} with trees to {pins}");
            let normal = rows.iter().fold(0, |sum, &row| sum ^ nimbers[usize::from(row)]) == 0;
            differ += usize::from(normal != (expected == Outcome::Loss));
            counted += 1;
        }
    }
    assert!(counted > 900 && differ > 30, "{differ} of {counted} differ from normal play");
}

/// The nimber of a tree in misère play: that of the heap beside which it is lost.
fn misere_nimber(forest: &Forest, tree: Tree) -> u32 {
    if tree == Tree::ZERO {
        return 1;
    }
    let nimbers = forest.options(tree).map(|option| 1u64 << misere_nimber(forest, option));
    (!nimbers.fold(0, |all, nimber| all | nimber)).trailing_zeros()
}

/// The genus: the nimber in normal play, then those in misère play beside 0, 1, 2, .. heaps of two
/// (Conway, On Numbers and Games, chapter 12). Those of rows of 5 and 9 are the first that no Nim
/// heaps have (Berlekamp, Conway and Guy, Winning Ways, chapter 13).
#[test]
fn rows_have_their_genus() {
    let mut base = base(10);
    let (nimbers, two) = (nimbers(10), base.tree(&[&[2]]).expect("few moves"));
    let genera =
        ["1^031", "2^20", "3^31", "1^031", "4^146", "3^31", "2^20", "1^13", "4^046", "2^20"];
    for (row, genus) in (1..).zip(genera) {
        let mut tree = base.tree(&[&[row]]).expect("few moves");
        let mut found = format!("{}^", nimbers[usize::from(row)]);
        for _ in 2..genus.len() {
            found += &misere_nimber(base.forest(), tree).to_string();
            tree = Sums::default().add(base.forest_mut(), tree, two);
        }
        assert_eq!(found, genus, "a row of {row}");
    }
}

/// Trees of rows are told once, whatever the order, and the search uses them.
#[test]
fn trees_come_from_the_rules() {
    let mut base = Base::new(Kayles);
    let eight = base.tree(&[&[8]]).expect("few moves");
    let both = base.tree(&[&[8], &[3]]).expect("few moves");
    let mut sums = Sums::default();
    let three = base.rct(&[3]).expect("it came with eight");
    assert_eq!(sums.add(base.forest_mut(), eight, three), both);
    // Rows of one, two and three pins are Nim heaps.
    for row in 1..=3 {
        let tree = base.rct(&[row]).expect("it came with eight");
        assert_eq!(base.forest().heap(tree), Some(row.into()));
    }
    assert_eq!(base.progress().known, 8, "rows of 1 to 8");
}

/// Keeps the sums that were proved lost.
#[derive(Default)]
struct Keeper(Mutex<Vec<Sum>>);

impl Observer<Sum> for Keeper {
    fn proved(&self, sum: Sum) {
        self.0.lock().expect("no thread panics").push(sum);
    }
}

#[test]
fn lost_sums_are_told_and_taken_in() {
    let (first, keeper) = (search(6, 1), Keeper::default());
    let rows = [21, 14];
    let outcome = first.outcome(&lands(&rows), &keeper).expect("it fits").expect("it ends");
    let told = keeper.0.into_inner().expect("no thread panics");
    assert!(told.len() > 10);
    let second = search(6, 1);
    assert_eq!(second.learn_sums(told.clone()), Ok(told.len() as u64));
    assert_eq!(second.outcome(&lands(&rows), &()), Ok(Some(outcome)));
    assert!(second.figures().expansions < first.figures().expansions / 4);
    // What is won is not taken for lost.
    assert_eq!(second.outcome(&[&[12], &[1]], &()), Ok(Some(Outcome::Win)));
    let won = Sum { lands: vec![[12].into(), [1].into()], one: false, trees: Vec::new() };
    assert!(matches!(second.learn_sums([won]), Err(OutcomeError::Refuted { .. })));
}

/// Rows without pins are none, and who is to move with nothing left has won.
#[test]
fn empty_rows_are_the_end() {
    let mut base = base(0);
    base.tree(&[&[0], &[3]]).expect("few moves");
    for search in [search(0, 1), search(3, 1), Search::taught(&base, LIMITS, &[])] {
        for (rows, expected) in [
            (&[][..], Outcome::Win),
            (&[0], Outcome::Win),
            (&[0, 0], Outcome::Win),
            (&[1], Outcome::Loss),
            (&[0, 1], Outcome::Loss),
            (&[0, 2], Outcome::Win),
        ] {
            assert_eq!(outcome(&search, rows), expected, "{rows:?}");
        }
    }
}
