//! `sprig play`: a game against a person.

use std::io::{BufRead, IsTerminal, Lines, StdinLock};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use sprig_domain::{Outcome, Play as Rules, Ruleset};
use sprig_engine::paper::{Number, Paper, Reached, Witness};
use sprig_engine::{Budget, CanonicalPosition};

use crate::failure::escaped;
use crate::output::{self, Format};
use crate::play::{Choice, Game, Made, Mind, Opinion, Player, Said};
use crate::positions::OnePosition;
use crate::table::table;
use crate::variant::Variant;

const EXAMPLES: &str = "\
Examples:
  sprig play 5                           you begin, against the best play it knows
  sprig play 7 --second --level 6        it begins, and errs in four of ten moves
  sprig play 6 --misere                  who cannot move wins
  sprig play 5 --variant black-and-white where the new spot may be left out: `1-2, without a spot`
  sprig play '0*2.AB|AB' --db facts      from any position, with what a database knows
  sprig play 4 --record game.txt         keeps the game as a record, which `sprig replay` reads
  sprig play 4 --record game.jsonl       keeps it as JSON Lines
  printf '1-2\\n' | sprig play 3 --json   for programs: moves in, an object a line out";

/// The help on what a person can type.
const HELP: &str = "\
1-4                a curve from spot 1 to spot 4; the new spot gets the next number
3-3 around 1, 5    a curve from spot 3 to itself with spots 1 and 5 on one side
12                 the move with this number in the list; a position names the move that leads to it
m, v               the moves, with numbers; with what they are worth (`m all`, `v all`: also long lists)
h                  a hint: a good move
u                  take your last move back, and the answer to it
s                  show the position again
r, q               resign; leave
";

/// Longest list of moves that is shown, unless a person asks for all.
const SHOWN: usize = 60;

/// The level at which the program makes no mistakes on purpose.
const PERFECT: u8 = 10;

/// Play against a person
///
/// A number is a number of spots here, also 1, 2 and 12. Spots have numbers, and keep them: draw the game beside it. It knows what a database says and what it finds in a moment, and says so
/// where it does not know who wins. Below level 10 it errs on purpose, where there is a losing move: at level 7 in three of ten moves.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Play {
    #[command(flatten)]
    position: OnePosition,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    #[command(flatten)]
    variant: Variant,
    /// Let Sprig begin
    #[arg(long)]
    second: bool,
    /// From 0 to 10: it makes a losing move, where there is one, with a chance of (10 - LEVEL) in 10
    #[arg(long, value_name = "LEVEL", default_value_t = PERFECT,
        value_parser = clap::value_parser!(u8).range(..=i64::from(PERFECT)))]
    level: u8,
    /// The same number gives the same errors [default: another one every time]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Seconds for an answer where it must search
    #[arg(long, value_name = "SECONDS", default_value = "1")]
    seconds: NonZero<u16>,
    /// Folder of a database to look into
    #[cfg(feature = "coordinator")]
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
    /// Keep the game in a new file: FILE.txt as the World Game of Sprouts Association writes games, else as JSON Lines
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// What happens, as programs see it.
#[derive(Serialize, schemars::JsonSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event<'a> {
    Start {
        game: &'static str,
        play: &'static str,
        position: &'a str,
        /// Who moves first.
        first: Player,
        /// Of ten moves, how many it gives away where it can.
        level: u8,
        seed: u64,
    },
    /// The position, and who is to move in it.
    Turn {
        /// Who is to move.
        player: Player,
        position: &'a str,
        /// The spots by region and boundary.
        regions: Vec<&'a [Vec<Number>]>,
        /// How many moves there are, or were made.
        moves: usize,
    },
    /// A move. What Sprig thinks of its own is told.
    Move {
        #[serde(flatten)]
        made: &'a Made,
        /// What Sprig thinks of its own move.
        #[serde(skip_serializing_if = "Option::is_none")]
        opinion: Option<&'static str>,
    },
    Moves {
        /// How many moves there are, or were made.
        moves: Vec<Listed>,
    },
    Hint {
        #[serde(flatten)]
        hint: Listed,
    },
    Undo {
        /// How many moves there are, or were made.
        moves: usize,
    },
    Refused {
        /// Why it was refused, with the remedy.
        message: &'a str,
    },
    Help {
        /// What can be typed.
        text: &'a str,
    },
    End {
        /// How many moves there are, or were made.
        moves: usize,
        /// Who has won; none while the game is open.
        winner: Option<Player>,
        /// Whether a player has resigned.
        resigned: bool,
    },
}

/// A move in a list.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Listed {
    /// Its number in the list.
    number: usize,
    #[serde(rename = "move")]
    numbers: String,
    /// Where it leads, in its canonical form.
    child: String,
    /// What it does for who makes it, if that was asked for and is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'static str>,
    /// Moves that are left after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<u32>,
}

/// A game between a person and the program.
struct Table {
    game: Game,
    mind: Mind,
    random: fastrand::Rng,
    rules: Ruleset,
    level: u8,
    json: bool,
    lines: Lines<StdinLock<'static>>,
    /// The moves of the position, in the order of their text.
    moves: Vec<Reached>,
}

impl Play {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (_, position) = self.position.read_spots()?;
        self.variant.check(&CanonicalPosition::of(&position))?;
        let play = if self.misere { Rules::Misere } else { Rules::Normal };
        let rules = Ruleset { game: self.variant.game(), play };
        let mind = Mind::new(rules, Duration::from_secs(self.seconds.get().into()));
        #[cfg(feature = "coordinator")]
        let reader = self.db.as_deref().map(crate::database::read_to_answer).transpose()?;
        #[cfg(feature = "coordinator")]
        let mind = mind.reading(reader.map(|reader| reader.of(rules.game)));
        let first = if self.second { Player::Sprig } else { Player::Person };
        let paper = Paper::of(&position);
        let moves = listed(rules.game, &paper)?;
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
        let game = Game::new(rules, first, paper, self.record)?;
        let mut table = Table {
            game,
            mind,
            random: fastrand::Rng::with_seed(seed),
            rules,
            level: self.level,
            json: self.format.json,
            lines: std::io::stdin().lock().lines(),
            moves,
        };
        table.greet(first, seed)?;
        table.play()?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The moves on paper, in the order of the text.
fn listed(game: sprig_domain::Game, paper: &Paper) -> anyhow::Result<Vec<Reached>> {
    let moves = game.moves(paper, &mut Budget::default());
    let mut moves = moves.context("cannot list the moves of this position")?;
    moves.sort_by(|a, b| a.witness.cmp(&b.witness));
    Ok(moves)
}

impl Table {
    fn greet(&self, first: Player, seed: u64) -> anyhow::Result<()> {
        let position = self.game.paper().position().to_string();
        let Ruleset { game, play: rules } = self.rules;
        let (play, level) = (rules.name(), self.level);
        let goal = match rules {
            Rules::Normal => "who cannot move loses",
            Rules::Misere => "who cannot move wins",
        };
        let begins = if first == Player::Person { "You begin" } else { "I begin" };
        let said = match game {
            sprig_domain::Game::Sprouts => "",
            sprig_domain::Game::BlackAndWhite => {
                " The new spot may be left out: `1-2, without a spot`."
            }
        };
        let mut text = format!("{position}: {goal}.{said} {begins}; `?` says what can be said.\n");
        if level < PERFECT {
            let errors = PERFECT - level;
            text += &format!(
                "At level {level} I make a losing move, where there is one, in {errors} of 10 moves (seed {seed}).\n"
            );
        }
        self.say(
            &Event::Start { game: game.name(), play, position: &position, first, level, seed },
            &text,
        )
    }

    /// Plays until the game ends or a person leaves.
    fn play(&mut self) -> anyhow::Result<()> {
        loop {
            if self.moves.is_empty() {
                return self.end();
            }
            let goes_on = match self.game.player() {
                Player::Person => self.ask()?,
                Player::Sprig => self.answer().map(|()| true)?,
            };
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Lets a person move. False if the person leaves.
    fn ask(&mut self) -> anyhow::Result<bool> {
        self.show()?;
        loop {
            if !self.json && std::io::stdin().is_terminal() {
                prompt!("Your move: ");
            }
            let Some(line) = self.lines.next() else {
                let end = "The game is left open.\n";
                self.game.end(None, false)?;
                let moves = self.game.moves();
                self.say(&Event::End { moves, winner: None, resigned: false }, end)?;
                return Ok(false);
            };
            let line = match line {
                Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                    "\u{fffd}".to_owned()
                }
                line => line.context("cannot read from standard input")?,
            };
            match Said::read(&line) {
                Said::Move(words) => match Said::witness(&words, self.game.paper(), &self.moves) {
                    Ok(witness) => return self.make(witness, None).map(|()| true),
                    Err(refusal) => self.refuse(&refusal.to_string())?,
                },
                Said::Moves { all, values } => self.list(all, values)?,
                Said::Hint => self.hint()?,
                Said::Undo => {
                    let moves = self.game.undo()?;
                    if moves == 0 {
                        self.refuse("there is no move of yours to take back")?;
                        continue;
                    }
                    self.moves = listed(self.rules.game, self.game.paper())?;
                    self.say(&Event::Undo { moves }, &format!("{moves} taken back.\n"))?;
                    self.show()?;
                }
                Said::Show => self.show()?,
                Said::Help => self.say(&Event::Help { text: HELP }, HELP)?,
                Said::Resign => {
                    let (moves, winner) = (self.game.moves(), Some(Player::Sprig));
                    self.game.end(winner, true)?;
                    let event = Event::End { moves, winner, resigned: true };
                    self.say(&event, "You resign: I win.\n")?;
                    return Ok(false);
                }
                Said::Quit => {
                    self.game.end(None, false)?;
                    let event =
                        Event::End { moves: self.game.moves(), winner: None, resigned: false };
                    self.say(&event, "The game is left open.\n")?;
                    return Ok(false);
                }
            }
        }
    }

    /// Makes a move of the program.
    fn answer(&mut self) -> anyhow::Result<()> {
        let errs = self.random.u8(..PERFECT) >= self.level;
        let position = self.game.paper().canonical();
        let opinions = self.mind.opinions(&position, &self.moves, errs);
        let worse = errs.then(|| Mind::worse(&opinions, &mut self.random)).flatten();
        let choice = worse.or_else(|| Mind::best(&self.moves, &opinions));
        let Choice { at, opinion } = choice.context("there is a move")?;
        let witness = self.moves[at].witness.clone();
        self.make(witness, Some(opinion))
    }

    /// Makes a move, and tells the person.
    fn make(&mut self, witness: Witness, opinion: Option<Opinion>) -> anyhow::Result<()> {
        let by = self.game.player();
        let made = self.game.make(witness)?;
        self.moves = listed(self.rules.game, self.game.paper())?;
        let who = if by == Player::Person { "You" } else { "I" };
        let mut text = format!("{:>3}. {who}: {}\n", self.game.moves(), made.say());
        if opinion.is_some_and(|opinion| opinion.outcome.is_none()) {
            text += "     I do not know who wins here; I play what looks best.\n";
        }
        let opinion = opinion.map(|opinion| value(&opinion));
        self.say(&Event::Move { made: &made, opinion }, &text)
    }

    fn end(&self) -> anyhow::Result<()> {
        let to_move = self.game.player();
        let (winner, rule, has) = match self.rules.play {
            Rules::Normal => (to_move.other(), "who made the last move wins", "lost"),
            Rules::Misere => (to_move, "who made the last move loses", "won"),
        };
        let wins = if winner == Player::Person { "you win" } else { "I win" };
        let moves = self.game.moves();
        self.game.end(Some(winner), false)?;
        let text = match moves {
            0 => format!(
                "No move is left: the game is over before it begins, and who is to move has {has}. So {wins}.\n"
            ),
            _ => format!("No move is left after {moves}: {rule}. So {wins}.\n"),
        };
        self.say(&Event::End { moves, winner: Some(winner), resigned: false }, &text)
    }

    /// Shows the position, and its regions with their spots.
    fn show(&self) -> anyhow::Result<()> {
        let paper = self.game.paper();
        let position = paper.position().to_string();
        let mut text = format!("\n{position}\n");
        for (boundaries, number) in paper.regions().zip(1..) {
            let walks = boundaries.iter().map(|walk| {
                let spots: Vec<_> = walk.iter().map(Number::to_string).collect();
                if walk.len() > 1 { format!("({})", spots.join(" ")) } else { spots.join(" ") }
            });
            text += &format!("  region {number}:  {}\n", walks.collect::<Vec<_>>().join("  "));
        }
        let regions = paper.regions().collect();
        let (player, moves) = (self.game.player(), self.moves.len());
        self.say(&Event::Turn { player, position: &position, regions, moves }, &text)
    }

    fn list(&mut self, all: bool, values: bool) -> anyhow::Result<()> {
        let opinions = values.then(|| self.opinions());
        let listed = (0..self.moves.len())
            .map(|at| self.listed(at, opinions.as_ref().map(|opinions| &opinions[at])));
        let moves: Vec<Listed> = listed.collect();
        let shown = if all { moves.len() } else { SHOWN };
        let rows = moves.iter().take(shown).map(|listed| {
            let left = listed.left.map_or_else(|| "-".to_owned(), |left| left.to_string());
            let value = listed.value.unwrap_or("-").to_owned();
            [listed.number.to_string(), listed.numbers.clone(), value, left, listed.child.clone()]
        });
        let mut text = if values {
            table(["", "MOVE", "VALUE", "LEFT", "LEADS TO"], &[], rows)
        } else {
            let rows = rows.map(|[number, numbers, _, _, child]| [number, numbers, child]);
            table(["", "MOVE", "LEADS TO"], &[], rows)
        };
        if moves.len() > shown {
            let command = if values { "v" } else { "m" };
            text += &format!("{} more; `{command} all` shows them\n", moves.len() - shown);
        }
        self.say(&Event::Moves { moves }, &text)
    }

    fn hint(&mut self) -> anyhow::Result<()> {
        let opinions = self.opinions();
        let choice = Mind::best(&self.moves, &opinions).context("there is a move")?;
        let hint = self.listed(choice.at, Some(&choice.opinion));
        let worth = match hint.value {
            Some("wins") => "wins",
            Some("loses") => "loses, as every move does",
            _ => "may be good; I do not know who wins here",
        };
        let text = format!("{} {worth} (move {}).\n", hint.numbers, hint.number);
        self.say(&Event::Hint { hint }, &text)
    }

    fn opinions(&mut self) -> Vec<Opinion> {
        let position = self.game.paper().canonical();
        self.mind.opinions(&position, &self.moves, true)
    }

    fn listed(&self, at: usize, opinion: Option<&Opinion>) -> Listed {
        let found = &self.moves[at];
        Listed {
            number: at + 1,
            numbers: self.game.paper().numbers(&found.witness),
            child: found.child.to_string(),
            value: opinion.map(value),
            left: opinion.and_then(|opinion| opinion.length),
        }
    }

    fn refuse(&self, message: &str) -> anyhow::Result<()> {
        let message = escaped(message);
        self.say(&Event::Refused { message: &message }, &format!("{message}\n"))
    }

    /// Prints an event, in words or as an object.
    fn say(&self, event: &Event<'_>, text: &str) -> anyhow::Result<()> {
        output::print(if self.json { output::json(event)? } else { text.to_owned() })
    }
}

/// What a move does for the player who makes it.
fn value(opinion: &Opinion) -> &'static str {
    match opinion.outcome {
        Some(Outcome::Loss) => "wins",
        Some(Outcome::Win) => "loses",
        None => "unknown",
    }
}
