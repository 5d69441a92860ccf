//! A game of Pousse as its address gives it, and the values of its moves.

use std::sync::Arc;
use std::time::Duration;

use sprig_pousse::{
    Analyst, Board, Choice, Configuration, Game, Insertion, MAX_SOLVED, Plain, Player, Repeat,
    Solver,
};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::problem::{Kind, Problem};
use crate::target::Target;

/// Most moves of a game in an address.
const MOVES: usize = 400;

/// How long a page waits for the values of moves. The first visitor of the largest board needs half
/// of this time.
const PATIENCE: Duration = Duration::from_secs(8);

/// After this many expansions a solver is replaced by a new one. It takes some 80 MB by then.
const KEPT: u64 = 4_000_000;

/// What a visitor asks about: a game from the empty board, and whose moves the visitor makes.
#[derive(Clone)]
pub(crate) struct Visit {
    pub(crate) size: usize,
    /// The visitor's colour against Sprig. None for a visitor who looks at the moves of both.
    pub(crate) side: Option<Player>,
    pub(crate) moves: Vec<Insertion>,
    /// Whether values are shown in a game against Sprig.
    pub(crate) hints: bool,
}

impl Visit {
    /// Reads a visit and makes its moves. None where the address names no size of a board.
    pub(crate) fn of(target: &Target) -> Result<Option<(Self, Game)>, Problem> {
        target.only(&["size", "side", "moves", "hints"])?;
        if target.value("size").is_none() {
            return Ok(None);
        }
        let size = target.number("size", 1..=MAX_SOLVED, MAX_SOLVED)?;
        let sides = [("both", None), ("x", Some(Player::X)), ("o", Some(Player::O))];
        let side = target.word("side", &sides)?;
        let hints = target.word("hints", &[("off", false), ("on", true)])?;
        let mut visit = Self { size, side, moves: Vec::new(), hints };
        let start = Configuration { board: Board::empty(size), to_move: Player::X };
        let mut game = Game::new(start, Repeat::Player);
        let is_between = |c: char| c.is_whitespace() || c == '.' || c == ',';
        let words = target.value("moves").unwrap_or("").split(is_between);
        for (number, word) in (1..).zip(words.filter(|word| !word.is_empty())) {
            let wrong = |what: String, remedy: &str| {
                Problem::new(Kind::BadParameter, format!("move {number}: {what}"), remedy)
            };
            if number > MOVES {
                let what = format!("a game has at most {MOVES} moves here");
                return Err(wrong(what, "`sprig pousse best` takes longer ones"));
            }
            let insertion = Insertion::read(word, size).map_err(|error| {
                wrong(error.to_string(), "write moves with blanks, as in L1 T2")
            })?;
            if let Some(ending) = game.ending() {
                let what = format!("`{insertion}` comes after the end: {ending}");
                return Err(wrong(what, "take it and all after it out"));
            }
            game.play(insertion);
            visit.moves.push(insertion);
        }
        Ok(Some((visit, game)))
    }

    /// The address of the page of the visit.
    pub(crate) fn href(&self) -> String {
        let side = match self.side {
            None => "both",
            Some(Player::X) => "x",
            Some(Player::O) => "o",
        };
        let hints = if self.hints { "&hints=on" } else { "" };
        format!("/pousse?size={}&side={side}{hints}&moves={}", self.size, self.words("."))
    }

    /// The address where the record of the game is judged.
    pub(crate) fn record(&self) -> String {
        format!("/pousse/record?record={}+{}+QUIT", self.size, self.words("+"))
    }

    fn words(&self, between: &str) -> String {
        let words: Vec<String> = self.moves.iter().map(ToString::to_string).collect();
        words.join(between)
    }

    /// The visit after another move.
    pub(crate) fn with(&self, insertion: Insertion) -> Self {
        let mut visit = self.clone();
        visit.moves.push(insertion);
        visit
    }

    /// The visit before the visitor's latest move, if the visitor has made one.
    pub(crate) fn before(&self) -> Option<Self> {
        let is_own = |number: usize| match self.side {
            None => true,
            Some(Player::X) => number.is_multiple_of(2),
            Some(Player::O) => !number.is_multiple_of(2),
        };
        let latest = (0..self.moves.len()).rev().find(|&number| is_own(number))?;
        let mut visit = self.clone();
        visit.moves.truncate(latest);
        Some(visit)
    }

    /// Whether the visitor makes the moves of this player.
    pub(crate) fn makes(&self, player: Player) -> bool {
        self.side.is_none_or(|side| side == player)
    }
}

/// What is known of boards, by their size. One thread at a time works on each.
#[derive(Default)]
pub(crate) struct Analysts([Arc<Mutex<Option<Analyst>>>; MAX_SOLVED]);

impl Analysts {
    /// All moves of a game that goes on, with their values. None as long as the values are worked
    /// out.
    pub(crate) async fn choices(&self, game: &Game) -> Option<Vec<Choice>> {
        let (game, size) = (game.clone(), game.now().board.size());
        let analyst = Arc::clone(&self.0[size - 1]);
        let values = async {
            let mut analyst = analyst.lock_owned().await;
            // The task runs to its end after the request has given up, so that the next visitor
            // need not wait.
            let task = tokio::task::spawn_blocking(move || {
                let fresh = || Analyst { solver: solver(size), plain: Plain::new(size) };
                let analyst = analyst.get_or_insert_with(fresh);
                if analyst.solver.expansions() > KEPT {
                    analyst.solver = solver(size);
                }
                analyst.choices(&game)
            });
            task.await
        };
        match timeout(PATIENCE, values).await {
            Ok(Ok(choices)) => Some(choices),
            Ok(Err(panic)) => {
                tracing::error!("values of Pousse failed: {panic}");
                None
            }
            Err(_) => None,
        }
    }
}

fn solver(size: usize) -> Solver {
    Solver::new(size, Repeat::Player)
}
