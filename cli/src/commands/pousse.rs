//! `sprig pousse`: the game of Pousse, judged, solved and played.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, anyhow, bail, ensure};
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use sprig_ask::plural;
use sprig_pousse::{
    Analyst, Board, Choice, Configuration, Game, Insertion, MAX_SIZE, MAX_SOLVED, Plain, Player,
    Reason, Record, Repeat, Solver, Value, check,
};

use super::pousse_play::Play;
use crate::failure::Usage;
use crate::output::{self, Answer, Format};
use crate::table::table;
use crate::text::read;

const EXAMPLES: &str = "\
Examples:
  printf '2\\nT1\\nB2\\nL2\\nQUIT\\n' | sprig pousse judge
                                         who won a game, and by which rule?
  sprig pousse solve 4                   who wins 4 x 4, with a checked proof
  sprig pousse best 4 L1 T2 B3           what is every move worth after these?
  sprig pousse best X.../..../..../....  the same for a board, whatever was before
  sprig pousse play                      play against it

Moves are L, R, T or B (from the left, right, top, bottom) and the row or column,
from 1 at the top left.
Boards are rows from the top with `/` between them; X, O and . for an empty square.";

/// Pousse: push markers into rows and columns; more straights of one's own win
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Pousse {
    #[command(subcommand)]
    question: Question,
}

#[derive(Subcommand)]
enum Question {
    Judge(Judge),
    Solve(Solve),
    Best(Best),
    Play(Play),
}

/// Replay a record and name the rule that ended the game
///
/// A record is what the contest of 1998 read: the size of the board, the moves, QUIT, with blanks
/// or line ends between them.
#[derive(Args)]
struct Judge {
    /// The record; `-` for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    #[command(flatten)]
    rule: Rule,
    #[command(flatten)]
    format: Format,
}

/// Prove who wins, and check the proof by the rules alone
#[derive(Args)]
struct Solve {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    format: Format,
}

/// Value every move: win or loss, in how many moves, or only by repetition
#[derive(Args)]
struct Best {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    format: Format,
}

/// What a repetition is.
#[derive(Args)]
pub(super) struct Rule {
    /// What must not be repeated: the board with the player to move, as the contest's judges ruled,
    /// or the board alone
    #[arg(long, value_enum, default_value = "player", value_name = "WHAT")]
    repeat: Repeated,
}

#[derive(Clone, Copy, ValueEnum)]
enum Repeated {
    Player,
    Board,
}

impl Rule {
    pub(super) fn repeat(&self) -> Repeat {
        match self.repeat {
            Repeated::Player => Repeat::Player,
            Repeated::Board => Repeat::Board,
        }
    }

    fn name(&self) -> &'static str {
        match self.repeat {
            Repeated::Player => "player",
            Repeated::Board => "board",
        }
    }
}

/// A game somewhere on its way.
#[derive(Args)]
struct Place {
    /// The size of the board (1 to 4) or a board, then the moves made on it
    #[arg(value_name = "N|BOARD MOVES", default_value = "4")]
    words: Vec<String>,
    /// Who is to move on the board (X or O), where its markers do not tell
    #[arg(long, value_enum, ignore_case = true, value_name = "PLAYER")]
    to_move: Option<Mover>,
    #[command(flatten)]
    rule: Rule,
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "UPPER")]
enum Mover {
    X,
    O,
}

impl Place {
    /// The game, and what is known of its past. A text that cannot be meant is wrong usage.
    fn asked(&self) -> anyhow::Result<(Game, &'static str)> {
        Ok(self.read().map_err(Usage::of)?)
    }

    fn read(&self) -> anyhow::Result<(Game, &'static str)> {
        let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
        let is_move = |word: &String| Insertion::read(word, MAX_SIZE).is_ok();
        let (board, moves, history) = match &self.words[..] {
            [first, moves @ ..] if is_number(first) => {
                let size = first.parse().unwrap_or(usize::MAX);
                check_size(size)?;
                (Board::empty(size), moves, "all moves")
            }
            moves @ [first, ..] if is_move(first) => (Board::empty(MAX_SOLVED), moves, "all moves"),
            [first, moves @ ..] => {
                let board: Board = first.parse().with_context(|| format!("board `{first}`"))?;
                check_size(board.size())?;
                (board, moves, "none: what was before this board is left out")
            }
            [] => bail!("give the size of the board, or a board"),
        };
        let given = self.to_move.map(|mover| match mover {
            Mover::X => Player::X,
            Mover::O => Player::O,
        });
        let to_move = given.or_else(|| board.implied_turn());
        // If the markers do not tell who is to move, the check is the same for both players.
        board.check(to_move.unwrap_or(Player::X)).with_context(|| format!("board `{board}`"))?;
        let to_move = to_move.ok_or_else(|| {
            anyhow!("board `{board}` does not tell who is to move: add --to-move X or O")
        })?;
        let size = board.size();
        let mut game = Game::new(Configuration { board, to_move }, self.rule.repeat());
        for (number, word) in moves.iter().enumerate() {
            let at = || format!("move {}", number + 1);
            let insertion = Insertion::read(word, size).with_context(at)?;
            if let Some(ending) = game.ending() {
                return Err(anyhow!(
                    "`{word}` comes after the end: {ending} with the move before; take it out"
                )
                .context(at()));
            }
            game.play(insertion);
        }
        if let Some(ending) = game.ending() {
            bail!("the game is over: {ending}; take back a move to ask about it");
        }
        Ok((game, history))
    }
}

/// Refuses sizes that cannot be solved.
pub(super) fn check_size(size: usize) -> anyhow::Result<()> {
    ensure!(
        (1..=MAX_SOLVED).contains(&size),
        "boards from 1 x 1 to {MAX_SOLVED} x {MAX_SOLVED} are solved; `sprig pousse judge` takes games on up to {MAX_SIZE} x {MAX_SIZE}"
    );
    Ok(())
}

impl Pousse {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.question {
            Question::Judge(judge) => judge.run(),
            Question::Solve(solve) => solve.run(),
            Question::Best(best) => best.run(),
            Question::Play(play) => play.run(),
        }
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Judged {
    size: usize,
    /// Moves of the record; or every move with its value.
    moves: usize,
    board: String,
    /// The result, in words.
    result: String,
    winner: Option<String>,
    /// Why.
    reason: Option<&'static str>,
}

impl Answer for Judged {
    fn text(&self) -> String {
        format!("result  {}\nmoves   {}\nboard   {}\n", self.result, self.moves, self.board)
    }

    fn line(&self) -> String {
        self.result.clone()
    }
}

impl Judge {
    fn run(self) -> anyhow::Result<ExitCode> {
        let (name, text) = read(&self.file)?;
        let record = Record::read(&text, self.rule.repeat()).context(name).map_err(Usage::of)?;
        let game = record.game;
        let ending = game.ending();
        let unfinished = || format!("unfinished: {} is to move", game.now().to_move);
        let judged = Judged {
            size: game.now().board.size(),
            moves: game.moves(),
            board: game.now().board.to_string(),
            result: ending.map_or_else(unfinished, |ending| ending.to_string()),
            winner: ending.map(|ending| ending.winner.to_string()),
            reason: ending.map(|ending| match ending.reason {
                Reason::Straights(_) => "straights",
                Reason::Repetition => "repetition",
            }),
        };
        output::answer(&self.format, &judged)
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Solved {
    size: usize,
    board: String,
    to_move: String,
    repeat: &'static str,
    history: &'static str,
    outcome: &'static str,
    winner: String,
    expansions: u64,
    proof: Proof,
    seconds: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Proof {
    checked: bool,
    /// Positions with the winner to move.
    advised: u64,
    /// Positions with the loser to move, each with all its moves.
    tried: u64,
}

impl Answer for Solved {
    fn text(&self) -> String {
        let Self { board, to_move, outcome, winner, history, expansions, proof, seconds, .. } =
            self;
        format!(
            "outcome     {outcome} for {to_move}, the player to move: {winner} wins\n\
             board       {board}\n\
             history     {history}\n\
             proof       checked: {} positions of the winner, all moves in {} of the loser\n\
             expansions  {expansions}\n\
             seconds     {seconds:.2}\n",
            proof.advised, proof.tried
        )
    }

    fn line(&self) -> String {
        self.outcome.to_owned()
    }
}

fn outcome(win: bool) -> &'static str {
    if win { "win" } else { "loss" }
}

impl Solve {
    fn run(self) -> anyhow::Result<ExitCode> {
        let (game, history) = self.place.asked()?;
        let start = Instant::now();
        let Configuration { board, to_move } = game.now();
        let mut solver = Solver::new(board.size(), game.repeat());
        let winner = solver.winner(&game);
        let checked = check(&game, winner, |game| solver.winning_move(game))
            .context("the proof is wrong; please report this")?;
        let solved = Solved {
            size: board.size(),
            board: board.to_string(),
            to_move: to_move.to_string(),
            repeat: self.place.rule.name(),
            history,
            outcome: outcome(winner == *to_move),
            winner: winner.to_string(),
            expansions: solver.expansions(),
            proof: Proof { checked: true, advised: checked.advised, tried: checked.tried },
            seconds: (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
        };
        output::answer(&self.format, &solved)
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Valued {
    size: usize,
    board: String,
    to_move: String,
    repeat: &'static str,
    history: &'static str,
    outcome: &'static str,
    /// The value without earlier positions.
    #[serde(flatten)]
    plain: PlainValue,
    /// Moves of the record; or every move with its value.
    moves: Vec<ValuedMove>,
}

/// Without the rule of repetition.
#[derive(Serialize, schemars::JsonSchema)]
pub struct PlainValue {
    /// The value without earlier positions.
    plain: &'static str,
    /// Moves until the end; 0 if there is none.
    plies: u8,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct ValuedMove {
    #[serde(rename = "move")]
    insertion: String,
    outcome: &'static str,
    /// The value without earlier positions.
    #[serde(flatten)]
    plain: PlainValue,
    board: String,
    /// How the game ends there, if it does.
    ending: Option<String>,
    #[serde(skip)]
    how: String,
}

impl From<Value> for PlainValue {
    fn from(value: Value) -> Self {
        let (plain, plies) = match value {
            Value::Win(plies) => ("win", plies),
            Value::Loss(plies) => ("loss", plies),
            Value::Cycle => ("cycle", 0),
        };
        Self { plain, plies }
    }
}

impl From<Choice> for ValuedMove {
    fn from(choice: Choice) -> Self {
        let ending = choice.after.ending().map(|ending| ending.to_string());
        let how = match (&ending, choice.plies()) {
            (Some(ending), _) => ending.clone(),
            (None, Some(plies)) => format!("in {}", plural(plies, "move")),
            (None, None) => "only by repetition".to_owned(),
        };
        Self {
            insertion: choice.insertion.to_string(),
            outcome: outcome(choice.wins),
            plain: choice.plain.into(),
            board: choice.after.now().board.to_string(),
            ending,
            how,
        }
    }
}

impl Answer for Valued {
    fn text(&self) -> String {
        let Self { board, to_move, history, outcome, plain, .. } = self;
        let rows = self.moves.iter().map(|choice| {
            [choice.insertion.clone(), choice.outcome.to_owned(), choice.how.clone()]
        });
        let plain = match plain.plies {
            0 => "neither player can force the end".to_owned(),
            plies => format!("{} in {}", plain.plain, plural(plies, "move")),
        };
        format!(
            "outcome  {outcome} for {to_move}, the player to move\nboard    {board}\nhistory  {history}\n\
             without the rule of repetition: {plain}\n\n{}",
            table(["MOVE", "OUTCOME", "HOW"], &[], rows)
        )
    }

    fn line(&self) -> String {
        self.moves.first().map_or(String::new(), |choice| choice.insertion.clone())
    }
}

pub(super) fn analyst(size: usize, repeat: Repeat) -> Analyst {
    Analyst { solver: Solver::new(size, repeat), plain: Plain::new(size) }
}

impl Best {
    fn run(self) -> anyhow::Result<ExitCode> {
        let (game, history) = self.place.asked()?;
        let Configuration { board, to_move } = game.now();
        let mut analyst = analyst(board.size(), game.repeat());
        let choices = analyst.choices(&game);
        let valued = Valued {
            size: board.size(),
            board: board.to_string(),
            to_move: to_move.to_string(),
            repeat: self.place.rule.name(),
            history,
            outcome: outcome(choices.iter().any(|choice| choice.wins)),
            plain: analyst.plain.value(game.now()).into(),
            moves: choices.into_iter().map(ValuedMove::from).collect(),
        };
        output::answer(&self.format, &valued)
    }
}
