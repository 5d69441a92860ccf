//! `sprig cards N --games COUNT`: how many cards random games need.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use sprig_oracle::Table;

use crate::output::{self, Answer, Format};
use crate::watching::Watching;

/// What random games have needed at most. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema, Clone, Default)]
pub struct Needed {
    /// Spots of the start position.
    spots: u32,
    seed: u64,
    /// Games that were played.
    games: u32,
    /// Most different cards on the table.
    cards: usize,
    /// As many are enough for every game: 4N - 1.
    cards_enough: u32,
    /// Most rows on the table.
    rows: usize,
    /// As many are enough for every game: 2N + 1.
    rows_enough: u32,
    /// How many moves games had.
    lengths: BTreeSet<u32>,
}

impl Answer for Needed {
    fn text(&self) -> String {
        let Self { spots, seed, games, cards, cards_enough, rows, rows_enough, lengths } = self;
        let lengths: Vec<String> = lengths.iter().map(u32::to_string).collect();
        format!(
            "cards  {cards} different ones at most; {cards_enough} are enough for {spots} spots\n\
             rows   {rows} at most; {rows_enough} are enough\n\
             moves  {}\ngames  {games}\nseed   {seed}\n",
            lengths.join(" ")
        )
    }

    fn line(&self) -> String {
        self.cards.to_string()
    }
}

impl Needed {
    /// The counts before the first game.
    fn of(spots: u32, seed: u64) -> Self {
        // No game has more than 3N - 1 moves, each with a new card, and each part of the drawing
        // keeps a survivor.
        let (cards_enough, rows_enough) = (4 * spots - 1, 2 * spots + 1);
        Self { spots, seed, cards_enough, rows_enough, ..Self::default() }
    }

    /// Plays a game to its end, move by move, and counts its cards.
    fn play(&mut self, random: &mut fastrand::Rng) {
        let (mut table, mut moves) = (Table::start(self.spots), 0);
        while let Some(after) = any_option(&table, random) {
            (table, moves) = (after, moves + 1);
        }
        // Cards are never taken from the table, so it is fullest at the end.
        self.cards = self.cards.max(table.degrees().count());
        self.rows = self.rows.max(table.rows().len());
        self.lengths.insert(moves);
        self.games += 1;
    }
}

/// Plays `games` games, and prints the cards that they needed.
pub fn run(spots: u32, games: u32, seed: Option<u64>, format: &Format) -> anyhow::Result<ExitCode> {
    let seed = seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
    let mut random = fastrand::Rng::with_seed(seed);
    let watching = Watching::new("games").of(games.into());
    let needed = Arc::new(Mutex::new(Needed::of(spots, seed)));
    let (played, counter): (_, Arc<AtomicU64>) = (needed.clone(), watching.done());
    let seen = || needed.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let work = move || {
        for _ in 0..games {
            // The lock is held during a whole game, so that other threads do not see half of it.
            played.lock().unwrap_or_else(PoisonError::into_inner).play(&mut random);
            counter.fetch_add(1, Relaxed);
        }
    };
    let so_far = || {
        let Needed { cards, rows, .. } = seen();
        format!("they needed {cards} different cards and {rows} rows at most")
    };
    watching.over(&format!("cards for {spots} spots"), work, so_far)?;
    output::answer(format, &seen())
}

/// The table after one of the legal moves. All moves are equally likely.
fn any_option(table: &Table, random: &mut fastrand::Rng) -> Option<Table> {
    let (mut met, mut chosen) = (0_u64, None);
    table.for_each_option(|_, after| {
        met += 1;
        if random.u64(..met) == 0 {
            chosen = Some(after);
        }
    });
    chosen
}
