//! Random games, written by the strict writer and read back.

use sprig_engine::{CanonicalPosition, Land, Nimber};
use sprig_oracle::{Move, Outcome, Table, misere_outcome, nimber};
use sprig_records::{Dialect, Ending, Readings, lengths, parse, replay, write};

/// A random game of at most `most` moves on full tables: its moves, and the table after each.
fn game(random: &mut fastrand::Rng, spots: u32, most: usize) -> (Vec<Move>, Vec<Table>) {
    let (mut moves, mut tables) = (Vec::new(), vec![Table::start(spots)]);
    while moves.len() < most {
        let mut options = Vec::new();
        tables[tables.len() - 1].for_each_option(|made, table| options.push((made.clone(), table)));
        if options.is_empty() {
            break;
        }
        let (made, table) = options.swap_remove(random.usize(..options.len()));
        moves.push(made);
        tables.push(table);
    }
    (moves, tables)
}

fn position(table: &Table) -> CanonicalPosition {
    CanonicalPosition::of(&table.to_position())
}

/// Whether the engine knows a move from one position to another. A region of two or three lives is
/// written in one way, which may lose a child. Then there is another child that differs from it in
/// small lands of the same worth.
fn is_child(after: &CanonicalPosition, before: &CanonicalPosition) -> bool {
    let children = before.children().expect("few moves");
    let equals = |child| worth(child, after).is_some_and(|w| worth(after, child) == Some(w));
    children.contains(after) || children.iter().any(equals)
}

/// The nimber, and the outcome of misère play, of the lands of `a` that `b` does not have, if they
/// are small.
fn worth(a: &CanonicalPosition, b: &CanonicalPosition) -> Option<(Nimber, Outcome)> {
    let (mut own, mut others) = (a.lands().to_vec(), b.lands().to_vec());
    own.retain(|land| match others.iter().position(|other| other == land) {
        Some(same) => {
            others.swap_remove(same);
            false
        }
        None => true,
    });
    let rest = CanonicalPosition::from_lands(own).to_position();
    let lives: u32 = rest.0.iter().map(Land::lives).sum();
    (lives < 10).then(|| (nimber(&rest).expect("small"), misere_outcome(&rest)))
}

/// Writes a game, reads it back, and compares every position on the way.
fn round_trip(seed: u64) -> usize {
    let mut random = fastrand::Rng::with_seed(seed);
    let spots = random.u32(2..=6);
    let most = random.usize(2..=3 * spots as usize);
    let (moves, tables) = game(&mut random, spots, most);
    let text = write(spots, random.bool(), &[], &moves)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}: {}", tables[tables.len() - 1]));
    let record = &parse(&text).expect(&text)[0];
    assert_eq!(record.moves.len(), moves.len(), "{text}");
    let replayed = replay(record, Dialect::Strict).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(replayed.readings.classes().len(), 1, "{text}");
    let read: Vec<_> = replayed.readings.cheapest().tables().iter().map(position).collect();
    let played: Vec<_> = tables.iter().map(position).collect();
    assert_eq!(read, played, "seed {seed}: {text}");
    for pair in read.windows(2) {
        assert!(is_child(&pair[1], &pair[0]), "{text}: {} to {}", pair[0], pair[1]);
    }
    // The game is also among the readings in the lenient dialect.
    let lenient = replay(record, Dialect::Lenient).unwrap_or_else(|e| panic!("{text}: {e}"));
    let classes = lenient.readings.classes();
    assert!(classes.iter().any(|(_, class)| *class == read[read.len() - 1]), "{text}");
    check_end(tables.last().expect("a start"), spots, moves.len(), &text);
    moves.len()
}

fn check_end(table: &Table, spots: u32, moves: usize, text: &str) {
    let moves = u32::try_from(moves).expect("few");
    let bounds = lengths(table, spots, moves);
    assert!(bounds.start() <= bounds.end(), "{text}: {bounds:?}");
    if position(table).lands().is_empty() {
        let Ending { survivors, pharisees } = Ending::of(table);
        assert_eq!(survivors.len() as u32, 3 * spots - moves, "{text}");
        assert_eq!(4 * (moves - 2 * spots), pharisees.len() as u32, "{text}: {pharisees:?}");
        assert_eq!(bounds, moves..=moves, "{text}");
    }
}

#[test]
fn generated_records_are_read_back_to_one_position() {
    let moves: usize = (0..500).map(round_trip).sum();
    assert!(moves > 2500, "{moves}");
}

#[test]
fn bounds_of_the_length_hold_for_every_game_from_there() {
    for seed in 0..100 {
        let mut random = fastrand::Rng::with_seed(seed);
        let spots = random.u32(1..=5);
        let (moves, tables) = game(&mut random, spots, usize::MAX);
        for (made, table) in tables.iter().enumerate() {
            let bounds = lengths(table, spots, u32::try_from(made).expect("few"));
            let length = u32::try_from(moves.len()).expect("few");
            assert!(bounds.contains(&length), "seed {seed}, {table}: {bounds:?}, {length}");
        }
    }
}

#[test]
fn the_four_moves_of_the_ant_differ() {
    let drawings = ["6(8)7", "6!(8)!7", "6(8)!7", "6!(8)7"].map(|last| {
        let text = format!("5+ 1(6)2 3(7)4 {last}");
        let record = parse(&text).expect("a record").remove(0);
        let replayed = replay(&record, Dialect::Strict).expect("legal");
        replayed.readings.cheapest().table().to_string()
    });
    let different: std::collections::BTreeSet<_> = drawings.iter().collect();
    assert_eq!(different.len(), 4, "{drawings:?}");
    let start = Readings::start(5, Dialect::Strict);
    assert_eq!(start.classes().len(), 1);
}

/// The procedure of cards says that 3N + 1 different cards and 2N + 1 rows are enough. From 3 spots
/// on, the cards are not enough: each move takes one, and there are up to 3N - 1 moves.
#[test]
fn games_need_up_to_4n_minus_1_cards_and_2n_plus_1_rows() {
    // Spots, games, the cards and rows that they need, and lengths, as another program has seen
    // them.
    for (spots, games, cards, rows, lengths) in
        [(1, 5, 3, 3, 2..=2), (3, 1_500, 11, 7, 6..=8), (5, 60, 19, 11, 10..=14)]
    {
        let (mut most_cards, mut most_rows) = (0, 0);
        for seed in 0..games {
            let (moves, tables) = game(&mut fastrand::Rng::with_seed(seed), spots, usize::MAX);
            assert!(lengths.contains(&moves.len()), "{spots} spots, seed {seed}: {}", moves.len());
            let last = tables.last().expect("a start");
            most_cards = most_cards.max(last.degrees().count());
            most_rows =
                most_rows.max(tables.iter().map(|table| table.rows().len()).max().expect("one"));
        }
        assert!(
            most_cards <= cards && most_rows <= rows,
            "{spots} spots: {most_cards}, {most_rows}"
        );
        if spots < 5 {
            assert_eq!((most_cards, most_rows), (cards, rows), "{spots} spots");
        }
    }
}
