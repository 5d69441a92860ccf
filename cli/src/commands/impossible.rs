//! `sprig impossible`: the card game Impossible!, judged, advised and played.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Subcommand};
use serde::Serialize;
use sprig_impossible::{
    Advised, Answer as Verdict, Card, Colourings, Core, Deal, HAND, MAX_ROWS, Reason, Row, Table,
    advise, read_cards, read_table,
};

use crate::commands::impossible_match::{Ending, Matching};
use crate::commands::impossible_play::Play;
use crate::failure::Usage;
use crate::output::{self, Answer, Format};
use crate::table::table;
use crate::text::read;

const EXAMPLES: &str = "\
Examples:
  echo 'R3 B3 R0 / B0 R3 B2' | sprig impossible check -
                                         can the challenge be met, and how?
  sprig impossible check rows.txt --json
  sprig impossible deal --rows 6 --seed 1
                                         rows from the top of a shuffled deck
  sprig impossible advise --hand 'R1 B1 R2 B5 RK BN R0' --table rows.txt
                                         which row to play
  sprig impossible play                  play against it
  sprig impossible ends                  when do tables become impossible?

Cards are R (red) or B (black) and the value: 1 2 3 4 5 6 7 8 9 0 (ten) N (knave) Q K.
A row is three cards; rows end with the line or with `/`.";

/// Impossible!: lay rows of cards until a challenge cannot be met
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Impossible {
    #[command(subcommand)]
    question: Question,
}

#[derive(Subcommand)]
enum Question {
    Check(Check),
    Deal(Dealing),
    Advise(Advice),
    Match(Matching),
    Ends(Ending),
    Play(Play),
}

impl Impossible {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.question {
            Question::Check(check) => check.run(),
            Question::Deal(deal) => deal.run(),
            Question::Advise(advice) => advice.run(),
            Question::Match(matching) => matching.run(),
            Question::Ends(ends) => ends.run(),
            Question::Play(play) => play.run(),
        }
    }
}

/// Say whether a challenge can be met: which cards to turn, or the fewest rows that make it
/// impossible
///
/// Decided as 2-SAT, in time proportional to the number of rows. Says also how many of the 3^N ways to turn over one
/// card in each of N rows meet the challenge.
#[derive(Args)]
struct Check {
    /// The rows; `-` for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Checked {
    /// The challenge.
    challenge: &'static str,
    /// The rows of cards; or how many, or their numbers.
    rows: usize,
    /// Of the 8192 ways to name a colour for every value, those that meet the challenge.
    colourings: u32,
    /// Of the ways to turn over one card in each row, those that meet the challenge.
    ways: u64,
    /// All ways to turn over one card in each row, 3^N for N rows.
    all_ways: u64,
    /// The card to turn in each row, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<Vec<usize>>,
    /// The fewest rows that are impossible alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    core: Option<CheckedCore>,
    #[serde(skip)]
    words: String,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct CheckedCore {
    /// The numbers of the rows, from 1.
    rows: Vec<usize>,
    /// A value that can have neither colour in them.
    value: String,
    /// Why it cannot be red, step by step.
    not_red: Vec<Step>,
    /// Why it cannot be black, step by step.
    not_black: Vec<Step>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Step {
    /// The row.
    row: usize,
    /// The card that cannot be meant.
    wrong: String,
    /// The card that must be.
    right: String,
}

impl Answer for Checked {
    fn text(&self) -> String {
        let Self { challenge, rows, ways, all_ways, words, .. } = self;
        let counted = match (rows, ways) {
            (0, _) => String::new(),
            (_, 0) => format!(
                "none of the {all_ways} ways to turn over one card in each row meets the challenge\n"
            ),
            (_, 1) => format!(
                "1 of the {all_ways} ways to turn over one card in each row meets the challenge\n"
            ),
            _ => format!(
                "{ways} of the {all_ways} ways to turn over one card in each row meet the challenge\n"
            ),
        };
        format!("{challenge}\n{words}{counted}")
    }

    fn line(&self) -> String {
        self.challenge.to_owned()
    }
}

impl Check {
    fn run(self) -> anyhow::Result<ExitCode> {
        let rows = self.table()?;
        output::answer(&self.format, &checked(&rows))
    }

    fn table(&self) -> anyhow::Result<Table> {
        let (name, text) = read(&self.file)?;
        Ok(table_in(&text, name)?)
    }
}

/// The table in a file. A row that is none is wrong usage, as a wrong position is.
fn table_in(text: &str, name: String) -> Result<Table, Usage> {
    read_table(text).context(name).map_err(Usage::of)
}

fn checked(rows: &Table) -> Checked {
    let (count, colourings) = (rows.rows().len(), Colourings::of(rows).count());
    let answer = rows.challenge();
    let words = in_words(rows, &answer);
    let (challenge, turn, core) = match answer {
        Verdict::Possible(turned) => {
            ("possible", Some(turned.iter().map(|card| card + 1).collect()), None)
        }
        Verdict::Impossible(core) => ("impossible", None, Some(core.into())),
    };
    let (ways, all_ways) = (rows.ways(), rows.all_ways());
    Checked { challenge, rows: count, colourings, ways, all_ways, turn, core, words }
}

/// Says how the challenge is met, or why it is not.
pub(super) fn in_words(rows: &Table, answer: &Verdict) -> String {
    match answer {
        Verdict::Possible(turned) => {
            let line = |(number, (row, &card)): (usize, (&Row, &usize))| {
                format!("row {}: turn card {}, {}\n", number + 1, card + 1, row[card])
            };
            rows.rows().iter().zip(turned).enumerate().map(line).collect()
        }
        Verdict::Impossible(core) => core_in_words(rows, core),
    }
}

fn core_in_words(rows: &Table, core: &Core) -> String {
    let mut text = "these rows are impossible alone, and no fewer are:\n".to_owned();
    for &number in &core.rows {
        let [a, b, c] = rows.rows()[number];
        text += &format!("  row {}: {a} {b} {c}\n", number + 1);
    }
    text += &format!("value {} can stay with neither colour:\n", core.value);
    for chain in [&core.not_red, &core.not_black] {
        for Reason { row, wrong, right } in chain {
            text += &format!(
                "  row {}: if {wrong} goes, {right} stays, so {} is {}\n",
                row + 1,
                right.value,
                right.colour
            );
        }
        let last = chain[chain.len() - 1].right;
        text += &format!("  so {} cannot be {}\n", core.value, last.colour.other());
    }
    text
}

impl From<Core> for CheckedCore {
    fn from(core: Core) -> Self {
        let step = |Reason { row, wrong, right }: Reason| Step {
            row: row + 1,
            wrong: wrong.to_string(),
            right: right.to_string(),
        };
        Self {
            rows: core.rows.iter().map(|row| row + 1).collect(),
            value: core.value.to_string(),
            not_red: core.not_red.into_iter().map(step).collect(),
            not_black: core.not_black.into_iter().map(step).collect(),
        }
    }
}

/// A seed of random numbers.
#[derive(Args)]
pub(super) struct Seed {
    /// The same number gives the same cards [default: another one every time]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

impl Seed {
    /// A source of random numbers, and its seed.
    pub(super) fn random(&self) -> (fastrand::Rng, u64) {
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
        (fastrand::Rng::with_seed(seed), seed)
    }
}

/// Deal two hands, or rows for `check`, from a shuffled deck
#[derive(Args)]
struct Dealing {
    /// Deal rows of three cards instead of hands, 1 to 17
    #[arg(long, value_name = "ROWS")]
    rows: Option<usize>,
    #[command(flatten)]
    seed: Seed,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Dealt {
    seed: u64,
    /// The rows of cards; or how many, or their numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<String>>,
    /// The cards of both players.
    #[serde(skip_serializing_if = "Option::is_none")]
    hands: Option<[String; 2]>,
    /// The cards in the order in which they are drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    deck: Option<String>,
}

impl Answer for Dealt {
    fn text(&self) -> String {
        let mut text = format!("# seed {}\n", self.seed);
        for row in self.rows.iter().flatten() {
            text += &format!("{row}\n");
        }
        for (number, hand) in self.hands.iter().flatten().enumerate() {
            text += &format!("hand {}  {hand}\n", number + 1);
        }
        text + &self.deck.iter().map(|deck| format!("deck    {deck}\n")).collect::<String>()
    }

    fn line(&self) -> String {
        self.seed.to_string()
    }
}

/// Cards with blanks between them.
pub(super) fn written<'a>(cards: impl IntoIterator<Item = &'a Card>) -> String {
    cards.into_iter().map(Card::to_string).collect::<Vec<_>>().join(" ")
}

impl Dealing {
    fn run(self) -> anyhow::Result<ExitCode> {
        let (mut random, seed) = self.seed.random();
        let dealt = if let Some(rows) = self.rows {
            if !(1..=MAX_ROWS).contains(&rows) {
                let what = format!("a deck has cards for 1 to {MAX_ROWS} rows, not {rows}");
                return Err(Usage(what).into());
            }
            let rows = Deal::table(rows, &mut random).rows().iter().map(written).collect();
            Dealt { seed, rows: Some(rows), hands: None, deck: None }
        } else {
            let deal = Deal::new(&mut random);
            let hands = deal.hands.each_ref().map(written);
            Dealt {
                seed,
                rows: None,
                hands: Some(hands),
                deck: Some(written(deal.deck.iter().rev())),
            }
        };
        output::answer(&self.format, &dealt)
    }
}

/// Say which row of a hand to play
///
/// Safe rows first, those after which a challenge can be met; of these the one that leaves the
/// fewest colourings. Ties are broken by dealing the unseen cards at random.
#[derive(Args)]
struct Advice {
    /// The cards in the hand, 3 to 7
    #[arg(long, value_name = "CARDS")]
    hand: String,
    /// The rows on the table; `-` for standard input [default: none]
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    #[command(flatten)]
    seed: Seed,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Advising {
    /// The row to lay; none if there is none.
    play: Option<String>,
    /// Rows that cannot lose.
    safe: usize,
    /// The rows of cards; or how many, or their numbers.
    rows: Vec<AdvisedRow>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct AdvisedRow {
    /// The row.
    row: String,
    /// The challenge.
    challenge: &'static str,
    /// Colourings that are left.
    colourings: u32,
}

impl Answer for Advising {
    fn text(&self) -> String {
        let rows = self.rows.iter();
        let rows =
            rows.map(|of| [of.row.clone(), of.challenge.to_owned(), of.colourings.to_string()]);
        let play = match &self.play {
            Some(row) => format!("play {row}"),
            None => "no row is safe: every challenge after it can be won".to_owned(),
        };
        format!("{play}\n\n{}", table(["ROW", "CHALLENGE", "COLOURINGS"], &[], rows))
    }

    fn line(&self) -> String {
        self.play.clone().unwrap_or_default()
    }
}

impl Advice {
    fn run(self) -> anyhow::Result<ExitCode> {
        let rows = match &self.table {
            Some(path) => {
                let (name, text) = read(path)?;
                table_in(&text, name)?
            }
            None => Table::default(),
        };
        let hand = read_cards(&self.hand, &rows).context("--hand").map_err(Usage::of)?;
        if !(3..=HAND).contains(&hand.len()) {
            let what = "a hand from which a row is played has 3 to";
            return Err(Usage(format!("--hand has {} cards; {what} {HAND}", hand.len())).into());
        }
        let advised = advise(&rows, &hand, &mut self.seed.random().0);
        let safe = advised.iter().filter(|of| of.colourings > 0).count();
        let row = |of: &Advised| AdvisedRow {
            row: written(&of.row),
            challenge: if of.colourings > 0 { "possible" } else { "impossible" },
            colourings: of.colourings,
        };
        let rows: Vec<AdvisedRow> = advised.iter().map(row).collect();
        let play = rows.first().filter(|_| safe > 0).map(|best| best.row.clone());
        output::answer(&self.format, &Advising { play, safe, rows })
    }
}
