//! Records of games as the contest wrote them: the size of the board, the moves, `QUIT`.

use thiserror::Error;

use crate::{Board, Configuration, Game, Insertion, InsertionError, MAX_SIZE, Player, Repeat};

/// The longest record that is read, in bytes. It bounds the memory of a judgement on the largest
/// boards.
const MAX_TEXT: usize = 1 << 18;

/// A game that was read.
#[derive(Clone, Debug)]
pub struct Record {
    /// The moves.
    pub moves: Vec<Insertion>,
    /// The game after the last of them.
    pub game: Game,
}

/// Why a text is no record, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct RecordError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The error at that place.
    pub reason: RecordReason,
}

/// What is wrong with a record.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordReason {
    /// The record is too long.
    #[error("the record goes on for more than {MAX_TEXT} bytes; judge one game at a time")]
    TooLong,
    /// The record does not begin with a size.
    #[error(
        "a record begins with the size of its board, 1 to {MAX_SIZE}; `{0}` is none, write 4 for the usual board"
    )]
    Size(String),
    /// The word is no move.
    #[error(transparent)]
    Insertion(#[from] InsertionError),
    /// The move stands after the end of the game.
    #[error(
        "`{word}` comes after the end: {ending} with move {moves}; take it and all after it out"
    )]
    Over {
        /// The move.
        word: String,
        /// How the game ended.
        ending: String,
        /// After how many moves the game ended.
        moves: usize,
    },
    /// The word stands after `QUIT`.
    #[error("`{0}` comes after QUIT, which ends a record; take it out")]
    AfterQuit(String),
}

impl Record {
    /// Reads and judges a record.
    ///
    /// # Errors
    /// [`RecordError`] at the first thing that is wrong.
    pub fn read(text: &str, repeat: Repeat) -> Result<Self, RecordError> {
        let at = |line, column, reason| RecordError { line, column, reason };
        if text.len() > MAX_TEXT {
            return Err(at(1, 1, RecordReason::TooLong));
        }
        let mut words = words(text);
        let Some((line, column, first)) = words.next() else {
            return Err(at(1, 1, RecordReason::Size(String::new())));
        };
        let size = Some(first).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let size = size.and_then(|word| word.parse().ok()).filter(|n| (1..=MAX_SIZE).contains(n));
        let size = size.ok_or_else(|| at(line, column, RecordReason::Size(short(first))))?;
        let start = Configuration { board: Board::empty(size), to_move: Player::X };
        let mut record = Self { moves: Vec::new(), game: Game::new(start, repeat) };
        let mut quit = false;
        for (line, column, word) in words {
            if quit {
                return Err(at(line, column, RecordReason::AfterQuit(short(word))));
            }
            if word.eq_ignore_ascii_case("QUIT") {
                quit = true;
                continue;
            }
            let insertion = Insertion::read(word, size);
            let insertion = insertion.map_err(|error| at(line, column, error.into()))?;
            if let Some(ending) = record.game.ending() {
                let (word, ending, moves) = (short(word), ending.to_string(), record.moves.len());
                return Err(at(line, column, RecordReason::Over { word, ending, moves }));
            }
            record.game.play(insertion);
            record.moves.push(insertion);
        }
        Ok(record)
    }
}

/// The words of a text with line and column, both counted from 1.
fn words(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    text.lines().enumerate().flat_map(|(number, line)| {
        line.split_whitespace().map(move |word| {
            let before = word.as_ptr().addr() - line.as_ptr().addr();
            (number + 1, line[..before].chars().count() + 1, word)
        })
    })
}

/// The beginning of a word, as an error quotes it.
fn short(word: &str) -> String {
    word.chars().take(20).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Record::read(text, Repeat::Player).expect_err(text).to_string()
    }

    #[test]
    fn mistakes_name_line_and_column() {
        for (text, part) in [
            ("", "line 1, column 1: a record begins with the size"),
            (
                "L1 T2",
                "line 1, column 1: a record begins with the size of its board, 1 to 100; `L1`",
            ),
            ("0\nL1", "line 1, column 1: a record begins"),
            ("101\nL1", "line 1, column 1: a record begins"),
            ("-4\nL1", "line 1, column 1: a record begins"),
            ("4\nL0", "line 2, column 1: `L0` names line 0"),
            ("4\nT1\n L5\n", "line 3, column 2: `L5` names line 5"),
            ("4\nX1", "line 2, column 1: `X1` is no move"),
            ("4\nL", "line 2, column 1: `L` is no move"),
            ("4\n1L", "line 2, column 1: `1L` is no move"),
            ("4 é T1", "line 1, column 3: `é` is no move"),
            ("4\nL1\nQUIT\nL2", "line 4, column 1: `L2` comes after QUIT"),
            (
                "2 T1 B2 L2 R1",
                "line 1, column 12: `R1` comes after the end: X wins: straights 1:0 with move 3",
            ),
        ] {
            assert!(error(text).starts_with(part), "{text:?}: {}", error(text));
        }
        assert!(error(&"4 ".repeat(1 << 18)).contains("more than 262144 bytes"));
    }

    #[test]
    fn a_record_may_stop_anywhere() {
        for text in ["4", "4\nQUIT", "4\r\nL1\r\nT1\r\nQUIT\r\n", "4 l1 t1 quit"] {
            let record = Record::read(text, Repeat::Player).expect(text);
            assert_eq!(record.game.ending(), None);
            assert_eq!(record.game.moves(), record.moves.len());
        }
    }
}
