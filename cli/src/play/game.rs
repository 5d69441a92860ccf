//! A game between a person and the program, and its record.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use sprig_ask::Curve;
use sprig_domain::Ruleset;
use sprig_engine::paper::{Number, Paper, Witness};

use crate::draft;
use crate::failure::Usage;
use crate::output;
use crate::play::written;

/// Who plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Player {
    Person,
    Sprig,
}

impl Player {
    pub fn other(self) -> Self {
        match self {
            Self::Person => Self::Sprig,
            Self::Sprig => Self::Person,
        }
    }
}

/// A move that was made.
struct Turn {
    by: Player,
    before: Paper,
    witness: Witness,
}

/// A game so far.
pub struct Game {
    rules: Ruleset,
    first: Player,
    turns: Vec<Turn>,
    paper: Paper,
    /// The file of the game's record.
    file: Option<PathBuf>,
}

/// The first line of a record.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Head<'a> {
    record: &'static str,
    game: &'static str,
    play: &'static str,
    position: &'a str,
    first: Player,
}

/// A move in a record. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Made {
    /// Counted from 1.
    number: usize,
    /// Who has moved.
    by: Player,
    /// The move in numbers of spots.
    #[serde(rename = "move")]
    numbers: String,
    /// The spot where the curve begins.
    from: Number,
    /// The new spot; none where it is left out.
    new: Option<Number>,
    /// The spot where the curve ends.
    to: Number,
    /// The curve, counted from 0 through `regions`.
    witness: Curve,
    /// The spots of the position before, by region and boundary.
    regions: Vec<Vec<Vec<Number>>>,
    /// The position before the move.
    before: String,
    /// The position after the move.
    after: String,
}

/// The last line of a record.
#[derive(Serialize, schemars::JsonSchema)]
pub struct End {
    moves: usize,
    winner: Option<Player>,
    resigned: bool,
}

impl Made {
    /// The move in words.
    pub fn say(&self) -> String {
        let new = self.new.map_or_else(String::new, |new| format!(", new spot {new}"));
        format!("{}{new}", self.numbers)
    }
}

impl Game {
    /// A game that begins with a position.
    ///
    /// # Errors
    /// When the file of the record exists already, or cannot be written.
    pub fn new(
        rules: Ruleset,
        first: Player,
        paper: Paper,
        file: Option<PathBuf>,
    ) -> anyhow::Result<Self> {
        if let Some(path) = file.as_deref().filter(|path| path.exists()) {
            let path = path.display();
            let remedy = "name another one, or move it away";
            return Err(Usage(format!("{path} is there already, and is kept; {remedy}")).into());
        }
        if file.as_deref().is_some_and(is_text) {
            if rules.game != sprig_domain::Game::Sprouts {
                let reason = format!("a record of the association knows no {}", rules.game);
                return Err(Usage(format!("{reason}; {JSON}")).into());
            }
            written::spots(&paper.canonical())
                .map_err(|error| Usage(format!("{error}; {JSON}")))?;
        }
        let game = Self { rules, first, turns: Vec::new(), paper, file };
        game.write(None, false)?;
        Ok(game)
    }

    /// The present position.
    pub fn paper(&self) -> &Paper {
        &self.paper
    }

    /// Moves made so far.
    pub fn moves(&self) -> usize {
        self.turns.len()
    }

    /// Whose turn it is.
    pub fn player(&self) -> Player {
        if self.turns.len().is_multiple_of(2) { self.first } else { self.first.other() }
    }

    /// Makes a move. The move is on record when this returns.
    ///
    /// # Errors
    /// When the move is illegal, or the record cannot be written.
    pub fn make(&mut self, witness: Witness) -> anyhow::Result<Made> {
        let after = self.paper.play(&witness)?;
        let before = std::mem::replace(&mut self.paper, after);
        self.turns.push(Turn { by: self.player(), before, witness });
        self.write(None, false)?;
        Ok(self.made(self.turns.len() - 1))
    }

    /// Takes moves back until it is a person's turn who has moved before. Gives the number of these
    /// moves.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub fn undo(&mut self) -> anyhow::Result<usize> {
        let Some(last) = self.turns.iter().rposition(|turn| turn.by == Player::Person) else {
            return Ok(0);
        };
        let count = self.turns.len() - last;
        self.paper = self.turns[last].before.clone();
        self.turns.truncate(last);
        self.write(None, false)?;
        Ok(count)
    }

    /// Ends the game.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub fn end(&self, winner: Option<Player>, resigned: bool) -> anyhow::Result<()> {
        self.write(Some(winner), resigned)
    }

    fn made(&self, number: usize) -> Made {
        let Turn { by, before, witness } = &self.turns[number];
        let after = self.turns.get(number + 1).map_or(&self.paper, |turn| &turn.before);
        let [from, to] = before.ends(witness);
        Made {
            number: number + 1,
            by: *by,
            numbers: before.numbers(witness),
            from,
            new: (!witness.is_bare).then(|| before.next_number()),
            to,
            witness: witness.into(),
            regions: before.regions().map(<[_]>::to_vec).collect(),
            before: before.position().to_string(),
            after: after.position().to_string(),
        }
    }

    /// Writes the record anew beside the old one, and puts it in the place of the old one.
    fn write(&self, end: Option<Option<Player>>, resigned: bool) -> anyhow::Result<()> {
        let Some(path) = &self.file else { return Ok(()) };
        let text = match is_text(path) {
            true => self.record(end)?,
            false => self.lines(end, resigned)?,
        };
        draft::write(path, text.as_bytes()).context("the record of the game ends here")
    }

    /// The game as the World Game of Sprouts Association writes it.
    fn record(&self, end: Option<Option<Player>>) -> anyhow::Result<String> {
        let start = self.turns.first().map_or(&self.paper, |turn| &turn.before);
        let spots = written::spots(&start.canonical())?;
        let names = match self.first {
            Player::Person => ["Person", "Sprig"],
            Player::Sprig => ["Sprig", "Person"],
        };
        let after = self.turns.iter().skip(1).map(|turn| &turn.before).chain([&self.paper]);
        let turns = self.turns.iter().zip(after).map(|(turn, after)| {
            let Turn { before, witness, .. } = turn;
            (before, witness, after)
        });
        let first_wins = end.flatten().map(|winner| winner == self.first);
        Ok(written::text(spots, self.rules.play, names, written::drawn(spots, turns)?, first_wins))
    }

    /// The game as JSON Lines.
    fn lines(&self, end: Option<Option<Player>>, resigned: bool) -> anyhow::Result<String> {
        let start = self.turns.first().map_or(&self.paper, |turn| &turn.before);
        let start = start.position().to_string();
        let head = Head {
            record: "sprig-game-1",
            game: self.rules.game.name(),
            play: self.rules.play.name(),
            position: &start,
            first: self.first,
        };
        let mut text = output::json(&head)?;
        for number in 0..self.turns.len() {
            text += &output::json(&self.made(number))?;
        }
        if let Some(winner) = end {
            text += &output::json(&End { moves: self.turns.len(), winner, resigned })?;
        }
        Ok(text)
    }
}

/// The remedy for games that a record of the association cannot hold.
const JSON: &str = "keep the game in a file that ends in .jsonl";

/// Whether this file gets the record as text.
fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "txt")
}
