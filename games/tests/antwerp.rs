//! Antwerp Sprouts against reference values, and against drawings by the card procedure with a
//! colour for every numbered card.

mod common;

use std::collections::{BTreeMap, HashMap};

use common::rows;
use sprig_games::antwerp::{Player, Position, Solver, Temper, read};
use sprig_games::partizan::{Class, Fraction};
use sprig_oracle::{Card, Cut, Move, Table};

#[test]
fn the_reference_is_met() {
    let mut solvers = [Temper::Cold, Temper::Hot].map(Solver::new);
    let mut seen = 0;
    for row in rows("variants.tsv").iter().filter(|row| row[0].starts_with("antwerp")) {
        let solver = &mut solvers[usize::from(row[0] == "antwerp-hot")];
        let start = Position::start(row[1].parse().expect("a number"));
        let class = solver.class(&start, row[2] == "misere").expect("small");
        // The start is its own negative.
        let expected = if row[3] == "win" { Class::Next } else { Class::Previous };
        assert_eq!(class, expected, "{row:?}");
        seen += 1;
    }
    assert!(seen >= 6);
}

/// The colour of each card: W, b or r.
type Colours = BTreeMap<Card, char>;

/// Every drawing after a move of a player: the card procedure, where the ends have a colour that
/// the player may use.
fn options(
    table: &Table,
    colours: &Colours,
    player: Player,
    temper: Temper,
) -> Vec<(Table, Colours)> {
    let own = if player == Player::Left { 'b' } else { 'r' };
    let other = if player == Player::Left { 'r' } else { 'b' };
    let placed = if temper == Temper::Hot { own } else { other };
    let mut found = Vec::new();
    table.for_each_option(|played, after| {
        let card = |row: usize, cut: Cut, further: usize| {
            let stack = &table.rows()[row][cut.stack];
            stack[(cut.cards + further) % stack.len()]
        };
        let ends = match *played {
            Move::Joining { row, a, b } => [card(row, a, 0), card(row, b, 0)],
            // From the top to the last card taken.
            Move::Dividing { row, stack, take, .. } => {
                [card(row, stack, 0), card(row, stack, take - 1)]
            }
        };
        if ends.iter().any(|end| ![own, 'W'].contains(&colours[end])) {
            return;
        }
        let mut colours = colours.clone();
        for (card, _) in after.degrees() {
            colours.entry(card).or_insert(placed);
        }
        found.push((after, colours));
    });
    found
}

fn wins(
    table: Table,
    colours: Colours,
    player: Player,
    temper: Temper,
    misere: bool,
    memo: &mut HashMap<(String, bool), bool>,
) -> bool {
    let cards = table.degrees().map(|(card, degree)| format!("{degree}{}", colours[&card]));
    let key = format!("{table} {} {player:?}", cards.collect::<Vec<_>>().join(" "));
    if let Some(&known) = memo.get(&(key.clone(), misere)) {
        return known;
    }
    let options = options(&table, &colours, player, temper);
    let wins = (misere && options.is_empty())
        || options
            .into_iter()
            .any(|(table, colours)| !wins(table, colours, player.other(), temper, misere, memo));
    memo.insert((key, misere), wins);
    wins
}

#[test]
fn drawings_by_hand_agree() {
    for temper in [Temper::Cold, Temper::Hot] {
        let (mut solver, mut memo) = (Solver::new(temper), HashMap::new());
        for colours in ["W", "b", "r", "WW", "Wb", "Wr", "bb", "br", "rr", "WWb"] {
            let spots: Vec<String> = colours.chars().map(|c| format!("0{c}")).collect();
            let position = read(&spots.join(".")).expect("a position");
            let table = Table::start(colours.len() as u32);
            let colours: Colours = (1..).zip(colours.chars()).collect();
            for player in [Player::Left, Player::Right] {
                for misere in [false, true] {
                    let (table, cards) = (table.clone(), colours.clone());
                    let by_hand = wins(table, cards, player, temper, misere, &mut memo);
                    let found = solver.wins(&position, player, misere).expect("small");
                    let what = format!("{position} {} {player:?} misere {misere}", temper.name());
                    assert_eq!(found, by_hand, "{what}");
                }
            }
        }
    }
}

#[test]
fn values_say_who_wins() {
    for temper in [Temper::Cold, Temper::Hot] {
        let mut solver = Solver::new(temper);
        let mut seen = 0;
        for text in [
            "!",
            "0W",
            "0b",
            "0r",
            "1W.1W",
            "1b.1W",
            "1b.1r.0W",
            "0W.1b",
            "2bA1W|2bA1r",
            "0b.0r",
            "0W*2",
            "1W1b.1r",
            "2rA.0b|2rA.1W",
            "2rA2bB|2rA2bB",
            "0W+0b",
            "1W.1b+1r.1r",
        ] {
            let position = read(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let worth = solver.worth(&position).expect("small");
            let class = solver.class(&position, false).expect("small");
            assert_eq!(solver.values().class(worth.value), Ok(class), "{text}");
            seen += 1;
        }
        assert_eq!(seen, 16);
    }
}

/// All small cold values are numbers, or numbers and a star, as in Col: what was found once.
#[test]
fn small_starts_have_their_values() {
    let mut cold = Solver::new(Temper::Cold);
    for spots in 1..=3 {
        let worth = cold.worth(&Position::start(spots)).expect("small");
        let (number, nimber) = cold.values().number_and_nimber(worth.value).expect("cold");
        assert!(number == Fraction { numerator: 0, denominator: 1 } && nimber == 0, "{spots}");
    }
    let mut hot = Solver::new(Temper::Hot);
    for spots in 1..=2 {
        let worth = hot.worth(&Position::start(spots)).expect("small");
        // The game is its own negative.
        assert_eq!(worth.heat.mean.numerator, 0, "{spots}");
        assert!(worth.heat.temperature.numerator >= 0, "{spots}");
    }
}

#[test]
fn positions_are_read_and_written() {
    for (text, written) in [
        ("!", "!"),
        ("3", "0W*3"),
        ("0W.0w", "0W*2"),
        ("1b", "1b"),
        ("2r", "!"),
        // Neither player can join a blue life to a red one.
        ("2r.2b", "!"),
        ("0W.2bA2bA", "0W.2b"),
        ("2rA1W|2rA1W", "2rA1W|2rA1W"),
    ] {
        let position = read(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let again = read(&position.to_string()).unwrap_or_else(|e| panic!("{position}: {e}"));
        assert_eq!(position, again, "{text}");
        let expected = read(written).expect(written);
        assert_eq!(position, expected, "{text}: {position}");
    }
}

#[test]
fn bad_texts_are_refused_with_their_place() {
    for (text, column, part) in [
        ("", 1, "should be a spot"),
        ("0", 1, "from 1 to 20"),
        ("99", 1, "from 1 to 20"),
        ("0x", 2, "a colour"),
        ("3W", 1, "0, 1 or 2 curve ends"),
        ("0W1b", 1, "stands alone"),
        ("0W.", 4, "should be a spot"),
        ("0W*0", 4, "from 1 to 20"),
        ("0W,1b", 3, "`,` stands where"),
        ("2rA", 1, "stands 1 times"),
        ("2rA.2rA", 1, "two boundaries of one region"),
        ("2rA|2bA", 1, "two colours"),
        ("1rA|1rA", 1, "2 curve ends"),
        ("2rA*2", 4, "several times"),
        ("0W*20.0W*20", 1, "lives"),
        ("0é", 2, "a colour"),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(error.column, column, "{text}: {error}");
        assert!(error.what.contains(part), "{text}: {error}");
    }
}
