//! A game against the program. The address holds all of the game, so that going back in the browser
//! takes moves back.

use std::sync::Arc;

use sprig_ask::Valued;
use sprig_domain::{Outcome, Play};
use sprig_engine::paper::Paper;
use sprig_engine::{CanonicalPosition, Position};
use sprig_records::{Player, fresh_spots, head, told};

use crate::answer::Answer;
use crate::asked::{Asked, for_form, of_form, play};
use crate::explorer::Explorer;
use crate::problem::{Kind, Problem};
use crate::target::{Target, encode};

/// Most moves that are tried to find one that leads to a given position.
const TRIED: usize = 5_000;

/// Most moves of a game in an address.
const MOVES: usize = 200;

/// A game as its address gives it.
#[derive(Clone)]
pub(crate) struct Game {
    /// The position where the game begins, in canonical form.
    pub(crate) start: String,
    pub(crate) play: Play,
    /// Whether the visitor makes the first move.
    pub(crate) is_first: bool,
    /// The moves made so far. Each is the number of a canonical child in their order.
    pub(crate) moves: Vec<usize>,
    pub(crate) hints: bool,
}

/// How far a game has come.
pub(crate) struct Stand {
    /// The moves made, each in words of the position before it, with the position after it.
    pub(crate) history: Vec<Made>,
    pub(crate) asked: Asked,
    pub(crate) answer: Arc<Answer>,
}

/// A move that was made.
pub(crate) struct Made {
    pub(crate) words: String,
    pub(crate) child: String,
}

impl Game {
    /// Reads a game from its address. None where the address names no position to begin with.
    pub(crate) async fn of(explorer: &Explorer, target: &Target) -> Result<Option<Self>, Problem> {
        target.only(&["start", "play", "first", "moves", "hints"])?;
        let Some(start) = target.value("start") else { return Ok(None) };
        let start = explorer.read(&of_form(start)).await?.to_string();
        let numbers = target.value("moves").unwrap_or("").split('.').filter(|n| !n.is_empty());
        let moves: Result<Vec<usize>, _> = numbers.take(MOVES + 1).map(str::parse).collect();
        let moves = moves.ok().filter(|moves| moves.len() <= MOVES).ok_or_else(unplayed)?;
        Ok(Some(Self {
            start,
            play: play(target)?,
            is_first: target.word("first", &[("you", true), ("sprig", false)])?,
            moves,
            hints: target.word("hints", &[("off", false), ("on", true)])?,
        }))
    }

    /// The address of the page of the game.
    pub(crate) fn href(&self) -> String {
        format!("/play?{}", self.query())
    }

    /// The address of the record of the game.
    pub(crate) fn record(&self) -> String {
        format!("/play/record?{}", self.query())
    }

    fn query(&self) -> String {
        let moves: Vec<_> = self.moves.iter().map(usize::to_string).collect();
        format!(
            "start={}&play={}&first={}&hints={}&moves={}",
            encode(&for_form(&self.start)).replace('+', "%2B"),
            self.play.name(),
            if self.is_first { "you" } else { "sprig" },
            if self.hints { "on" } else { "off" },
            moves.join(".")
        )
    }

    /// The game as the World Game of Sprouts Association writes it. Only the positions of the game
    /// are known, so the record shows one of the drawings that lead to them.
    pub(crate) async fn written(&self, explorer: &Explorer) -> Result<String, Problem> {
        if explorer.game() != sprig_domain::Game::Sprouts {
            let detail = format!("a record of the association knows no {}", explorer.game());
            let remedy = "`sprig play --record FILE.jsonl` keeps such a game";
            return Err(Problem::new(Kind::NotFound, detail, remedy));
        }
        let stand = self.stand(explorer).await?;
        let (game, is_over) =
            (self.clone(), stand.answer.moves.as_ref().is_some_and(Vec::is_empty));
        explorer
            .work(move |_| {
                let start = CanonicalPosition::of(&read(&game.start)?);
                let spots = fresh_spots(&start).ok_or_else(|| {
                    let detail =
                        format!("the game begins with `{start}`, and a record with fresh spots");
                    Problem::new(Kind::NotFound, detail, "begin a game with a number of spots")
                })?;
                let positions =
                    stand.history.iter().map(|made| Ok(CanonicalPosition::of(&read(&made.child)?)));
                let positions = positions.collect::<Result<Vec<_>, Problem>>()?;
                let moves = told(spots, &positions, TRIED)
                    .map_err(|error| Problem::too_dear(error.to_string(), "sprig play --record"))?;
                let names = if game.is_first { ["Visitor", "Sprig"] } else { ["Sprig", "Visitor"] };
                let players = names.map(|name| Player { name: name.to_owned(), inviting: false });
                let mut parts = vec![head(spots, game.play == Play::Misere, &players)];
                parts.extend(moves.iter().map(ToString::to_string));
                if is_over {
                    let mover_wins = at_the_end(game.play) == Outcome::Win;
                    let first_moves = positions.len().is_multiple_of(2);
                    parts.push(if mover_wins == first_moves { "I" } else { "II" }.to_owned());
                }
                Ok(parts.join(" ") + "\n")
            })
            .await
    }

    /// The game after another move.
    pub(crate) fn with(&self, number: usize) -> Self {
        let mut game = self.clone();
        game.moves.push(number);
        game
    }

    /// The game before the visitor's latest move, if the visitor has made one.
    pub(crate) fn before(&self) -> Option<Self> {
        let own = usize::from(!self.is_first);
        let latest = (0..self.moves.len()).rev().find(|number| number % 2 == own)?;
        let mut game = self.clone();
        game.moves.truncate(latest);
        Some(game)
    }

    /// Whether the visitor is to move.
    pub(crate) fn is_visitors(&self) -> bool {
        self.moves.len().is_multiple_of(2) == self.is_first
    }

    /// Makes all moves of the game.
    pub(crate) async fn stand(&self, explorer: &Explorer) -> Result<Stand, Problem> {
        let (mut asked, mut answer) = explorer.position(&self.start, self.play).await?;
        let mut history = Vec::new();
        for &number in &self.moves {
            let moves = in_order(listed(&answer)?);
            let valued = moves.get(number).ok_or_else(unplayed)?;
            let child = valued.reached.child.clone();
            let words = asked.paper.words(&valued.reached.witness);
            history.push(Made { words, child: child.to_string() });
            // Words and pictures both refer to the canonical form.
            let paper = Paper::of(&child.to_position());
            asked = Asked { typed: child.to_string(), paper, canonical: child, ..asked };
            answer = explorer.answer(&asked).await?;
        }
        Ok(Stand { history, asked, answer })
    }
}

impl Stand {
    /// The moves with their numbers, in their order.
    pub(crate) fn moves(&self) -> Result<Vec<(usize, &Valued)>, Problem> {
        Ok(in_order(listed(&self.answer)?).into_iter().enumerate().collect())
    }

    /// The number of the best move, if a move is left.
    pub(crate) fn best(&self) -> Result<Option<usize>, Problem> {
        let listed = listed(&self.answer)?;
        let Some(best) = listed.first() else { return Ok(None) };
        Ok(in_order(listed).iter().position(|valued| valued.reached.child == best.reached.child))
    }
}

/// The outcome for the player to move when no move is left.
pub(crate) fn at_the_end(play: Play) -> Outcome {
    Outcome::from(play == Play::Misere)
}

/// The moves in an order that does not depend on what is known.
fn in_order(moves: &[Valued]) -> Vec<&Valued> {
    let mut moves: Vec<_> = moves.iter().collect();
    moves.sort_by(|a, b| a.reached.child.cmp(&b.reached.child));
    moves
}

fn listed(answer: &Answer) -> Result<&[Valued], Problem> {
    let dear = || Problem::too_dear("there are too many moves to list", "sprig play");
    answer.moves.as_deref().ok_or_else(dear)
}

/// Reads a position that this program wrote.
fn read(text: &str) -> Result<Position, Problem> {
    text.parse().map_err(|_| unplayed())
}

fn unplayed() -> Problem {
    Problem::new(
        Kind::BadParameter,
        "`moves` is no game from this start position",
        "begin again at /play",
    )
}
