//! Writes random games with the strict writer, reads them back, and says in one line of JSON what
//! came out.
//!
//! `cargo run --release -p sprig-records --example round_trips -- 500 [SEED]`

use std::process::ExitCode;

use sprig_engine::CanonicalPosition;
use sprig_oracle::{Move, Table};
use sprig_records::{Dialect, parse, replay, write};

/// What was seen.
#[derive(Default)]
struct Seen {
    moves: usize,
    finished: usize,
    /// Records that could not be written, not be read, or were read as another game or as several.
    unwritten: usize,
    unread: usize,
    different: usize,
}

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (Ok(records), Ok(seed)) =
        (numbers.next().unwrap_or(Ok(500)), numbers.next().unwrap_or(Ok(0)))
    else {
        eprintln!("round_trips: give a number of records, and a seed if you like");
        return ExitCode::from(2);
    };
    let mut seen = Seen::default();
    for record in 0..records {
        round_trip(&mut fastrand::Rng::with_seed(seed + record), &mut seen);
    }
    let Seen { moves, finished, unwritten, unread, different } = seen;
    println!(
        "{{\"records\":{records},\"seed\":{seed},\"moves\":{moves},\"finished\":{finished},\"unwritten\":{unwritten},\
         \"unread\":{unread},\"different\":{different}}}"
    );
    ExitCode::from(u8::from(unwritten + unread + different > 0))
}

fn round_trip(random: &mut fastrand::Rng, seen: &mut Seen) {
    let spots = random.u32(2..=7);
    let most = random.usize(2..=3 * spots as usize);
    let (moves, tables) = game(random, spots, most);
    seen.moves += moves.len();
    let positions: Vec<_> = tables.iter().map(position).collect();
    seen.finished += usize::from(positions[moves.len()].lands().is_empty());
    let Ok(text) = write(spots, random.bool(), &[], &moves) else {
        seen.unwritten += 1;
        return;
    };
    let read = parse(&text).and_then(|records| replay(&records[0], Dialect::Strict));
    let Ok(read) = read else {
        seen.unread += 1;
        return;
    };
    let same = read.readings.cheapest().tables().iter().map(position).eq(positions);
    seen.different += usize::from(!same || read.readings.classes().len() != 1);
}

/// A random game of at most `most` moves: its moves, and the table after each.
fn game(random: &mut fastrand::Rng, spots: u32, most: usize) -> (Vec<Move>, Vec<Table>) {
    let (mut moves, mut tables) = (Vec::new(), vec![Table::start(spots)]);
    while moves.len() < most {
        let mut options = Vec::new();
        tables[moves.len()].for_each_option(|made, table| options.push((made.clone(), table)));
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
