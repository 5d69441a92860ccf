//! Antwerp Sprouts against reference values, and against drawings by the card procedure with a
//! colour for every numbered card.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::common::{Random, rows};
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

/// What all texts of isomorphic positions have in common: the least of them, over all names of
/// spots and all mirrored regions. Slow, and for positions that the solver has written in two ways.
fn class(position: &Position) -> Vec<Vec<String>> {
    let text = position.to_string();
    let mut names: Vec<char> = text.chars().filter(|c| ('A'..'W').contains(c)).collect();
    names.sort_unstable();
    names.dedup();
    let mut least: Option<Vec<Vec<String>>> = None;
    for_each_order(&mut names.clone(), 0, &mut |order| {
        let mut regions: Vec<Vec<String>> =
            text.split(['|', '+']).map(|region| least_region(region, &names, order)).collect();
        regions.sort_unstable();
        if least.as_ref().is_none_or(|least| regions < *least) {
            least = Some(regions);
        }
    });
    least.expect("there is an order")
}

fn for_each_order(order: &mut Vec<char>, from: usize, visit: &mut impl FnMut(&[char])) {
    if from >= order.len() {
        return visit(order);
    }
    for i in from..order.len() {
        order.swap(from, i);
        for_each_order(order, from + 1, visit);
        order.swap(from, i);
    }
}

/// The boundaries of a region, each turned to where it reads least, in the better of both
/// directions.
fn least_region(region: &str, names: &[char], order: &[char]) -> Vec<String> {
    let renamed = |c| names.iter().position(|&name| name == c).map_or(c, |at| order[at]);
    let mut walks: Vec<Vec<String>> = Vec::new();
    for boundary in region.split('.') {
        let (boundary, times) = boundary.split_once('*').unwrap_or((boundary, "1"));
        let mut walk: Vec<String> = Vec::new();
        for c in boundary.chars() {
            match walk.last_mut() {
                Some(spot) if !c.is_ascii_digit() => spot.push(renamed(c)),
                _ => walk.push(c.to_string()),
            }
        }
        walks.extend(std::iter::repeat_n(walk, times.parse().expect("a number")));
    }
    let turned = |walk: &Vec<String>| {
        let turns = (0..walk.len()).map(|i| [&walk[i..], &walk[..i]].concat().concat());
        turns.min().unwrap_or_default()
    };
    let mut ahead: Vec<String> = walks.iter().map(turned).collect();
    ahead.sort_unstable();
    walks.iter_mut().for_each(|walk| walk.reverse());
    let mut back: Vec<String> = walks.iter().map(turned).collect();
    back.sort_unstable();
    ahead.min(back)
}

/// Checks that two sets hold isomorphic positions.
fn check_alike(found: &BTreeSet<Position>, drawn: &BTreeSet<Position>, what: &str) {
    let only = |one: &BTreeSet<Position>, other: &BTreeSet<Position>| -> BTreeSet<_> {
        one.difference(other).map(class).collect()
    };
    let (alone, drawn_alone) = (only(found, drawn), only(drawn, found));
    let mut odd: Vec<_> = alone.symmetric_difference(&drawn_alone).collect();
    if !odd.is_empty() {
        // What is written in two ways on one side may be written in one of them on the other.
        let common: BTreeSet<_> = found.intersection(drawn).map(class).collect();
        odd.retain(|class| !common.contains(*class));
    }
    assert!(odd.is_empty(), "{what}: these are moves on one side alone: {odd:?}");
}

/// A drawing as text: dead spots are left out, and spots that are passed twice get a letter.
fn written(table: &Table, colours: &Colours) -> String {
    let degrees: BTreeMap<Card, u8> = table.degrees().collect();
    let mut letters = BTreeMap::new();
    let mut regions = Vec::new();
    for row in table.rows() {
        let mut boundaries = Vec::new();
        for stack in row {
            let mut boundary = String::new();
            for card in stack.iter().filter(|card| degrees[card] < 3) {
                boundary += &format!("{}{}", degrees[card], colours[card]);
                if degrees[card] == 2 {
                    let letter = u8::try_from(letters.len()).expect("few spots");
                    boundary.push(char::from(b'A' + *letters.entry(*card).or_insert(letter)));
                }
            }
            boundaries.push(boundary);
        }
        boundaries.retain(|boundary| !boundary.is_empty());
        if !boundaries.is_empty() {
            regions.push(boundaries.join("."));
        }
    }
    if regions.is_empty() { "!".to_owned() } else { regions.join("|") }
}

fn position(table: &Table, colours: &Colours) -> Position {
    let text = written(table, colours);
    read(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn a_thousand_random_positions_of_each_game_have_the_moves_of_their_drawings() {
    for temper in [Temper::Cold, Temper::Hot] {
        let mut solver = Solver::new(temper);
        let mut random = Random(temper as u64);
        let mut met = BTreeSet::new();
        while met.len() < 1_000 {
            let spots = 2 + random.below(2);
            let mut table = Table::start(spots as u32);
            let mut colours: Colours = (1..=spots as Card)
                .map(|card| (card, ['W', 'W', 'b', 'r'][random.below(4)]))
                .collect();
            loop {
                let now = position(&table, &colours);
                let [left, right] = [Player::Left, Player::Right]
                    .map(|player| options(&table, &colours, player, temper));
                if met.insert(now.clone()) && met.len() <= 1_000 {
                    for (player, options) in [(Player::Left, &left), (Player::Right, &right)] {
                        let drawn: BTreeSet<Position> = options
                            .iter()
                            .map(|(table, colours)| position(table, colours))
                            .collect();
                        let found = solver.moves(&now, player).expect("small");
                        let what = format!("{} {now}, drawn as {table}: {player:?}", temper.name());
                        check_alike(&found, &drawn, &what);
                    }
                }
                let mut all = [left, right].concat();
                if all.is_empty() {
                    break;
                }
                (table, colours) = all.swap_remove(random.below(all.len()));
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
