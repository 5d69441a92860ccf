//! What a person types.

use sprig_engine::notation;
use sprig_engine::paper::{Illegal, Paper, Reached, Unclear, Witness};

use crate::failure::quote;

/// What a person wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// To make a move. The words are still to be understood.
    Move(String),
    /// To see the moves: all of them or as many as fit, with their values or without.
    Moves { all: bool, values: bool },
    /// To be told a good move.
    Hint,
    /// To take the last move back.
    Undo,
    /// To see the position again.
    Show,
    /// To give the game up.
    Resign,
    /// To be told which words are understood.
    Help,
    /// To leave.
    Quit,
}

/// Why words mean no move.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The words are numbers of spots that cannot be understood.
    #[error("{0}")]
    Unclear(#[from] Unclear),
    /// No move has this number.
    #[error("there are {0} moves; `m` lists them")]
    NoNumber(usize),
    /// No move leads to this position.
    #[error("no move leads to {0}; `m` lists where moves lead")]
    NoChild(String),
    /// The words fit several different moves.
    #[error("{words} can be {count} different moves; say its number: {numbers}")]
    Several {
        /// What was typed.
        words: String,
        /// The number of moves that fit.
        count: usize,
        /// The numbers of these moves in the list.
        numbers: String,
    },
    /// A curve without a new spot, although every curve gets one in this game.
    #[error(
        "in Sprouts every curve gets a new spot; --variant black-and-white is the game without"
    )]
    Bare,
    /// The words are none of these.
    #[error("{0} is neither a command nor a move; `?` says what can be said")]
    Nothing(String),
    /// The curve cannot be drawn.
    #[error("{0}")]
    Illegal(#[from] Illegal),
}

impl Said {
    /// Understands a line. A blank line shows the position.
    pub fn read(line: &str) -> Self {
        let text = line.trim();
        let moves = |all, values| Self::Moves { all, values };
        match text.to_lowercase().split_whitespace().collect::<Vec<_>>()[..] {
            [] | ["s" | "show"] => Self::Show,
            ["m" | "moves"] => moves(false, false),
            ["m" | "moves", "all"] => moves(true, false),
            ["v" | "values"] => moves(false, true),
            ["v" | "values", "all"] => moves(true, true),
            ["h" | "hint"] => Self::Hint,
            ["u" | "undo"] => Self::Undo,
            ["r" | "resign"] => Self::Resign,
            ["?" | "help"] => Self::Help,
            ["q" | "quit" | "exit"] => Self::Quit,
            _ => Self::Move(text.to_owned()),
        }
    }

    /// The move that the words mean. They may be its number in the list, spots as in `1-4`, the
    /// position that it leads to, or its own words.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn witness(words: &str, paper: &Paper, moves: &[Reached]) -> Result<Witness, Refusal> {
        if let Some(found) = moves.iter().find(|found| paper.words(&found.witness) == words) {
            return Ok(found.witness.clone());
        }
        let is_number = words.bytes().all(|byte| byte.is_ascii_digit());
        let number: Option<usize> = is_number.then(|| words.parse().unwrap_or(usize::MAX));
        if let Some(found) = number.and_then(|number| moves.get(number.checked_sub(1)?)) {
            return Ok(found.witness.clone());
        }
        let position = notation::read(words);
        if let Ok(position) = &position {
            let child = Paper::of(position).canonical();
            if let Some(found) = moves.iter().find(|found| found.child == child) {
                return Ok(found.witness.clone());
            }
        }
        if is_number {
            return Err(Refusal::NoNumber(moves.len()));
        }
        if position.is_ok() {
            return Err(Refusal::NoChild(quote(words)));
        }
        match paper.meant(words) {
            Ok(meant) => Self::only(words, paper, moves, meant),
            Err(Unclear::Grammar(_)) if !words.starts_with(|c: char| c.is_ascii_digit()) => {
                Err(Refusal::Nothing(quote(words)))
            }
            Err(unclear) => Err(unclear.into()),
        }
    }

    /// The first of several moves, if all of them lead to the same position.
    fn only(
        words: &str,
        paper: &Paper,
        moves: &[Reached],
        meant: Vec<Witness>,
    ) -> Result<Witness, Refusal> {
        if meant.iter().any(|meant| meant.is_bare) && !moves.iter().any(|m| m.witness.is_bare) {
            return Err(Refusal::Bare);
        }
        let mut drawn = Vec::new();
        for witness in &meant {
            let after = paper.play(witness)?.canonical();
            if !drawn.contains(&after) {
                drawn.push(after);
            }
        }
        if drawn.len() == 1 {
            return Ok(meant.into_iter().next().expect("one was drawn"));
        }
        let numbered = moves.iter().zip(1..).filter(|(found, _)| drawn.contains(&found.drawn));
        let numbers: Vec<_> = numbered.map(|(_, number): (_, usize)| number.to_string()).collect();
        let (words, count) = (quote(words), drawn.len());
        Err(Refusal::Several { words, count, numbers: numbers.join(", ") })
    }
}

#[cfg(test)]
mod tests {
    use sprig_engine::Budget;

    use super::*;

    #[test]
    fn a_move_can_be_said_in_four_ways() {
        let paper = Paper::of(&"0*3".parse().expect("a position"));
        let moves = paper.moves(&mut Budget::default()).expect("few moves");
        let child = |words: &str| -> Result<String, String> {
            let witness =
                Said::witness(words, &paper, &moves).map_err(|error| error.to_string())?;
            Ok(paper.play(&witness).expect("legal").canonical().to_string())
        };
        let joined = child("1-3");
        assert!(joined.is_ok(), "{joined:?}");
        assert_eq!(child("[0]-[0]"), joined);
        assert_eq!(child(joined.as_deref().expect("a child")), joined);
        let place = moves.iter().position(|found| Ok(found.child.to_string()) == joined);
        assert_eq!(child(&(place.expect("it is listed") + 1).to_string()), joined);
        for (words, part) in [
            ("4", "there are 3 moves"),
            ("0", "there are 3 moves"),
            ("99999999999999999999999", "there are 3 moves"),
            ("1-7", "no living spot 7"),
            ("1-", "column 3"),
            ("0*7", "no move leads to `0*7`"),
            ("castle", "neither a command nor a move"),
            ("é\u{1b}[2J", "neither"),
        ] {
            let refused = child(words).expect_err(words);
            assert!(refused.contains(part), "{words}: {refused}");
        }
    }

    #[test]
    fn words_that_mean_several_moves_are_asked_about() {
        // Spots 1 and 2 lie on both sides of their curve, and the sides differ.
        let paper = Paper::of(&"AB.0|AB.0*2".parse().expect("a position"));
        let moves = paper.moves(&mut Budget::default()).expect("few moves");
        let refused = Said::witness("1-2", &paper, &moves).expect_err("two moves").to_string();
        assert!(refused.contains("2 different moves"), "{refused}");
        let numbers = refused.rsplit(": ").next().expect("numbers").split(", ");
        for number in numbers {
            assert!(Said::witness(number, &paper, &moves).is_ok(), "{number}");
        }
    }
}
