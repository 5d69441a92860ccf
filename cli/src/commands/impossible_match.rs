//! `sprig impossible match` and `sprig impossible ends`: many games, and what came of them.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_impossible::{Ends, LAST_ROW, Layers, Match, play_match};

use crate::commands::impossible::Seed;
use crate::output::{self, Answer, Format};
use crate::table::table;

/// Let the advice play against a player who lays any safe row
#[derive(Args)]
pub(super) struct Matching {
    /// How many games
    #[arg(long, value_name = "GAMES", default_value = "2000", value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    #[command(flatten)]
    seed: Seed,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Matched {
    seed: u64,
    /// Games that were played.
    games: u32,
    /// Games that were won.
    won: u32,
    /// The same in percent.
    won_percent: f64,
    /// Rows that a game had, on average.
    mean_rows: f64,
}

impl Answer for Matched {
    fn text(&self) -> String {
        let Self { seed, games, won, won_percent, mean_rows } = self;
        format!(
            "games  {games}\nwon    {won} ({won_percent} %)\nrows   {mean_rows} on the table in the end, on average\nseed   {seed}\n"
        )
    }

    fn line(&self) -> String {
        self.won_percent.to_string()
    }
}

impl Matching {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (mut random, seed) = self.seed.random();
        let Match { games, won, rows } = play_match(self.games, &mut random);
        let won_percent = rounded(100.0 * f64::from(won) / f64::from(games));
        let mean_rows = rounded(f64::from(rows) / f64::from(games));
        output::answer(&self.format, &Matched { seed, games, won, won_percent, mean_rows })
    }
}

/// Say at which row tables become impossible: rows off a shuffled deck, and games
///
/// A game is of two players who both lay any safe row of their hands, or both the advised one, for as long as they have
/// a safe row.
#[derive(Args)]
pub(super) struct Ending {
    /// How many tables of each kind
    #[arg(long, value_name = "GAMES", default_value = "2000", value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    #[command(flatten)]
    seed: Seed,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Ended {
    seed: u64,
    /// Tables of each kind.
    games: u32,
    /// The row at which a table becomes impossible, on average: rows off a shuffled deck.
    mean_deck: f64,
    /// The same of games between players who lay any safe row.
    mean_safe: f64,
    /// The same of games between advised players.
    mean_advised: f64,
    /// How many tables became impossible at each row.
    ends: Vec<EndedAt>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct EndedAt {
    /// The number of the row.
    row: usize,
    /// Tables of rows off a shuffled deck.
    deck: u32,
    /// Games between players who lay any safe row.
    safe: u32,
    /// Games between advised players.
    advised: u32,
}

/// A bar of this many signs stands for half of the tables.
const HALF: u32 = 20;

impl Answer for Ended {
    fn text(&self) -> String {
        let Self { seed, games, mean_deck, mean_safe, mean_advised, ends } = self;
        let bar = |count: u32| {
            let percent = 100.0 * f64::from(count) / f64::from(*games);
            let signs = f64::from(2 * HALF) * f64::from(count) / f64::from(*games);
            format!("{percent:4.1} {}", "#".repeat(signs.round() as usize)).trim_end().to_owned()
        };
        let rows =
            ends.iter().map(|of| [of.row.to_string(), bar(of.deck), bar(of.safe), bar(of.advised)]);
        let means = [mean_deck, mean_safe, mean_advised].map(f64::to_string);
        let [deck, safe, advised] = means;
        let rows = rows.chain([["mean".to_owned(), deck, safe, advised]]);
        let rows = table(["ROW", "DECK", "SAFE ROWS", "ADVISED"], &[], rows);
        format!(
            "Of 100 tables, how many become impossible at a row: rows off the deck, and games between players who\n\
             lay any safe row, or the advised one.\n\n{rows}\ngames  {games} of each kind\nseed   {seed}\n"
        )
    }

    fn line(&self) -> String {
        self.mean_deck.to_string()
    }
}

impl Ending {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (mut random, seed) = self.seed.random();
        let games = self.games;
        let [deck, safe, advised] = [Layers::Deck, Layers::Safe, Layers::Advised]
            .map(|layers| Ends::of(layers, games, &mut random));
        let at =
            |row| EndedAt { row, deck: deck.at(row), safe: safe.at(row), advised: advised.at(row) };
        let [mean_deck, mean_safe, mean_advised] =
            [&deck, &safe, &advised].map(|ends| rounded(ends.mean()));
        let ends = (1..=LAST_ROW).map(at).collect();
        output::answer(
            &self.format,
            &Ended { seed, games, mean_deck, mean_safe, mean_advised, ends },
        )
    }
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
