//! `sprig cards`: Sprouts with playing cards, step by step.

use std::process::ExitCode;

use anyhow::{Context, anyhow, ensure};
use clap::Args;
use serde::Serialize;
use sprig_hoey::List;
use sprig_oracle::{Cut, Move, Table};
use sprig_records::MAX_SPOTS;

use super::cards_needed;
use crate::failure::{Usage, quote};
use crate::output::{self, Answer, Format};

const EXAMPLES: &str = "\
Examples:
  sprig cards 2 --moves                  every first move of 2 spots, with the table after it
  sprig cards 2 'J 1 1 0 2 0' 'D 1 1 1 3' --steps
                                         two moves, step by step
  sprig cards 1,3,2,3 'D 1 1 1 3'        from a table on
  sprig cards 1 'D 1 1 0 1' 'D 1 1 0 2' --misere
                                         a whole game, and who has won it if the last player loses
  sprig cards 3 --games 1500             how many cards and rows do random games need?

A table is a full boundary list: `,` between the cards of a stack from top to bottom, `;` between stacks, `/` between
rows. Moves name rows and stacks by their numbers from 1, and how many cards to cut:
  J ROW A CUT B CUT                      joins stacks A and B
  D ROW STACK CUT TAKE [OTHER ..]        divides a stack: TAKE cards go to a new row, and the OTHER stacks with them";

/// Most moves that are listed.
const MOST_MOVES: u64 = 100_000;

/// Most spots of random games. With more, to choose the first move alone takes a second.
const MAX_GAME: u32 = 10;

/// Play Sprouts with playing cards: rows of stacks for regions of boundaries
///
/// Follows the procedure of J. Purinton (2006): equal cards are occurrences of one spot; a move cuts, plays twins and
/// puts stacks together, and is illegal when a step of it is not possible.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Cards {
    /// The table: a number of spots, or a full boundary list
    #[arg(value_name = "N|LIST")]
    table: String,
    /// The moves to make, each in quotes
    #[arg(value_name = "MOVE")]
    made: Vec<String>,
    /// Show the table after every step of the procedure
    #[arg(long)]
    steps: bool,
    /// List the legal moves of the last table, or say who has won
    #[arg(long)]
    moves: bool,
    /// The player who moves last loses: when no move is left, say so
    #[arg(long)]
    misere: bool,
    /// Play random games to their ends and tell how many different cards, rows and moves they had; for 1 to 10 spots
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["made", "steps", "moves", "misere"],
        value_parser = clap::value_parser!(u32).range(1..))]
    games: Option<u32>,
    /// The same number gives the same games [default: another one every time]
    #[arg(long, value_name = "NUMBER", requires = "games")]
    seed: Option<u64>,
    #[command(flatten)]
    format: Format,
}

/// Where the cards lie. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Laid {
    /// The last table.
    table: String,
    position: String,
    /// The moves.
    played: Vec<Played>,
    /// The legal moves, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<Legal>>,
    /// Who has won, if that or moves were asked for and no move is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<Winner>,
    #[serde(skip)]
    shows_steps: bool,
    #[serde(skip)]
    misere: bool,
}

/// Who has won a game that is over: the `first` or the `second` player; `previous`, who moved last,
/// or `next`, who cannot move, if the game did not begin with a number of spots.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Winner {
    /// The player who moved last.
    normal: &'static str,
    /// The other one.
    misere: &'static str,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Played {
    #[serde(rename = "move")]
    made: String,
    /// The table after each step of the procedure; none for a step that is skipped.
    steps: Vec<Option<String>>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Legal {
    #[serde(rename = "move")]
    made: String,
    /// The table after it.
    table: String,
}

impl Answer for Laid {
    fn text(&self) -> String {
        let mut text = String::new();
        for Played { made, steps } in self.played.iter().filter(|_| self.shows_steps) {
            text += &format!("{made}\n");
            for (number, table) in (1..).zip(steps) {
                text += &format!("   {number}. {}\n", table.as_deref().unwrap_or("(skipped)"));
            }
        }
        if !self.shows_steps || self.played.is_empty() {
            text += &format!("{}\n", self.table);
        }
        for Legal { made, table } in self.moves.iter().flatten() {
            text += &format!("{made}\t{table}\n");
        }
        text + &self.winner.as_ref().map_or_else(String::new, |winner| winner.text(self.misere))
    }

    fn line(&self) -> String {
        self.table.clone()
    }
}

impl Winner {
    /// The winner after as many moves as were made.
    fn of(is_whole_game: bool, made: usize) -> Self {
        let [normal, misere] = match (is_whole_game, made % 2 == 1) {
            (false, _) => ["previous", "next"],
            (true, true) => ["first", "second"],
            (true, false) => ["second", "first"],
        };
        Self { normal, misere }
    }

    fn text(&self, is_misere: bool) -> String {
        let Self { normal, misere } = self;
        match is_misere {
            true => format!(
                "the game is over: the {normal} player moved last and has lost; the {misere} player has won\n"
            ),
            false => format!(
                "the game is over: the {normal} player moved last and has won; in misère play the \
                 {misere} player has won\n"
            ),
        }
    }
}

impl Cards {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(games) = self.games {
            let spots = read_spots(&self.table, MAX_GAME)?;
            return cards_needed::run(spots, games, self.seed, &self.format);
        }
        let mut table = read_table(&self.table)?;
        let mut played = Vec::new();
        for (number, text) in (1..).zip(&self.made) {
            let about = || format!("move {number} {}", quote(text));
            let made = read_move(text).map_err(|what| Usage(format!("{}: {what}", about())))?;
            let all = if matches!(made, Move::Joining { .. }) { 5 } else { 6 };
            let mut steps = vec![None; all];
            table = table
                .play_watched(&made, |step, table| {
                    steps[step as usize - 1] = Some(table.to_string())
                })
                .with_context(about)?;
            played.push(Played { made: write_move(&made), steps });
        }
        let listed = (self.moves || self.misere).then(|| legal(&table));
        let is_over = matches!(&listed, Some(Ok(moves)) if moves.is_empty());
        let moves = listed.filter(|_| self.moves).transpose()?;
        let winner = is_over.then(|| Winner::of(is_number(&self.table), played.len()));
        let laid = Laid {
            position: table.to_position().to_string(),
            played,
            moves,
            winner,
            misere: self.misere,
            table: table.to_string(),
            shows_steps: self.steps,
        };
        output::answer(&self.format, &laid)
    }
}

fn wrong(text: &str, what: &str) -> Usage {
    Usage(format!("table {}: {what}", quote(text)))
}

fn read_spots(text: &str, most: u32) -> Result<u32, Usage> {
    let spots = text.parse().ok().filter(|spots| (1..=most).contains(spots));
    spots.ok_or_else(|| wrong(text, &format!("a game has 1 to {most} spots")))
}

/// Whether a text is a number, of spots.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn read_table(text: &str) -> anyhow::Result<Table> {
    let wrong = |what: String| wrong(text, &what);
    if is_number(text) {
        return Ok(Table::start(read_spots(text, MAX_SPOTS)?));
    }
    let list: List = text.parse().map_err(|error| wrong(format!("{error}")))?;
    list.check().map_err(|error| wrong(format!("{error}")))?;
    text.parse().map_err(|error| wrong(format!("{error}")).into())
}

/// Reads a move.
fn read_move(text: &str) -> Result<Move, String> {
    let mut words = text.split_whitespace();
    let kind = words.next().unwrap_or_default();
    let numbers: Result<Vec<usize>, _> = words.map(str::parse).collect();
    let numbers = numbers.map_err(|_| format!("behind `{kind}` stand whole numbers"))?;
    let index = |number: usize| {
        number.checked_sub(1).ok_or_else(|| "rows and stacks are counted from 1".to_owned())
    };
    match (kind, &numbers[..]) {
        ("J" | "j", &[row, a, cut, b, other]) => Ok(Move::Joining {
            row: index(row)?,
            a: Cut { stack: index(a)?, cards: cut },
            b: Cut { stack: index(b)?, cards: other },
        }),
        ("D" | "d", [row, stack, cards, take, along @ ..]) => {
            let along: Result<Vec<usize>, _> = along.iter().map(|&stack| index(stack)).collect();
            let mut along = along?;
            along.sort_unstable();
            let stack = Cut { stack: index(*stack)?, cards: *cards };
            Ok(Move::Dividing { row: index(*row)?, stack, take: *take, along })
        }
        ("J" | "j", _) => Err("write `J ROW A CUT B CUT`, as in `J 1 1 0 2 0`".to_owned()),
        ("D" | "d", _) => {
            Err("write `D ROW STACK CUT TAKE OTHER ..`, as in `D 1 1 0 1 2`".to_owned())
        }
        _ => Err("a move begins with `J` (joins two stacks) or `D` (divides one)".to_owned()),
    }
}

/// The text of a move, as [`read_move`] reads it.
fn write_move(made: &Move) -> String {
    match made {
        Move::Joining { row, a, b } => {
            format!("J {} {} {} {} {}", row + 1, a.stack + 1, a.cards, b.stack + 1, b.cards)
        }
        Move::Dividing { row, stack, take, along } => {
            let along: String = along.iter().map(|other| format!(" {}", other + 1)).collect();
            format!("D {} {} {} {take}{along}", row + 1, stack.stack + 1, stack.cards)
        }
    }
}

fn legal(table: &Table) -> anyhow::Result<Vec<Legal>> {
    let ways = table.rows().iter().map(|row| {
        let cards: u64 = row.iter().map(|stack| stack.len() as u64).sum();
        let sides = 1_u64.checked_shl(row.len() as u32 - 1).unwrap_or(u64::MAX);
        cards.saturating_mul(cards).saturating_mul(sides)
    });
    let ways = ways.fold(0, u64::saturating_add);
    ensure!(
        ways <= MOST_MOVES,
        anyhow!(
            "there may be {ways} moves, more than {MOST_MOVES}; ask `sprig children` for what they lead to"
        )
    );
    let mut moves = Vec::new();
    table.for_each_option(|made, table| {
        moves.push(Legal { made: write_move(made), table: table.to_string() });
    });
    Ok(moves)
}
