//! What can be wrong with a record, where, and what to do about it.

use sprig_oracle::Card;

/// A text that is no record of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct RecordError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column of the first character that is wrong, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// A move that cannot be read, with its number and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {number} `{text}`: {problem}")]
pub struct MoveError {
    /// The number of the move, from 1.
    pub number: usize,
    /// The move as it was typed.
    pub text: String,
    /// What is wrong with it.
    pub problem: MoveProblem,
}

/// The kinds of mistakes a text can hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// No header.
    #[error(
        "no header; a record begins with the number of spots and `+` (normal) or `-` (misère), as in `8+`"
    )]
    NoHeader,
    /// A game in the other form that games are kept in.
    #[error(
        "these are JSON Lines, as `sprig play --record game.jsonl` writes; replay reads records, as \
         `--record game.txt` writes"
    )]
    JsonLines,
    /// A game without spots, or with more than the program holds.
    #[error("a game has 1 to {max} spots", max = crate::MAX_SPOTS)]
    Spots,
    /// The names of the players do not end.
    #[error("the names of the players do not end; close them with `)`")]
    OpenNames,
    /// A player without a name.
    #[error("a player has no name; write `(First, Second*)`, the inviting player with `*`")]
    NoName,
    /// A comment that does not end.
    #[error("the comment does not end; close it with `}}`")]
    OpenComment,
    /// Something other than a move.
    #[error(
        "`{0}` is no move; moves look like `1(9)2` or `1!(9@3)2[4,6-8]`, without blanks before the list"
    )]
    NoMove(String),
    /// A number that is too large.
    #[error("`{0}` is no number of a spot; spots are numbered from 1 as they are used")]
    Number(String),
    /// A range that runs down.
    #[error("the range {0}-{1} runs down; write the smaller number first")]
    RangeRunsDown(Card, Card),
    /// A spot that a list names twice.
    #[error("the list names spot {0} twice; name each spot once")]
    Twice(Card),
    /// A list without spots.
    #[error("the list is empty; leave the brackets out")]
    EmptyList,
    /// Text after the result.
    #[error("text after the result; begin another record with a header like `8+`")]
    AfterResult,
    /// A move that cannot be made.
    #[error(transparent)]
    Move(#[from] MoveError),
}

/// Why a move cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveProblem {
    /// The new spot has another number.
    #[error("the new spot must be {0}: spots are numbered as they come")]
    NewSpot(Card),
    /// No such spot.
    #[error("spot {0} does not exist; there are spots 1 to {1}")]
    NoSpot(Card, Card),
    /// A spot without lives.
    #[error("spot {0} is dead: it has three curve ends; choose another")]
    Dead(Card),
    /// A loop at a spot with one life.
    #[error("spot {0} has one life left, and a loop takes two; choose another")]
    NoLoop(Card),
    /// A mark at a spot that does not have two neighbours.
    #[error("spot {0} has not two neighbours to tell apart; take its `!` out")]
    IdleMark(Card),
    /// `@` names the new spot itself.
    #[error("`@{0}` names the new spot itself; name a live spot that it can be joined to")]
    AtItself(Card),
    /// No moves are left.
    #[error("the game is over: no move was left; take the move out")]
    Over,
    /// No region has both spots.
    #[error("spots {0} and {1} lie in no common region; check this move and those before")]
    Apart(Card, Card),
    /// A list at a move that divides no region.
    #[error(
        "a list on a move that divides no region: {0} and {1} were in different pieces; take the list out"
    )]
    ListOnJoining(Card, Card),
    /// A list in another order.
    #[error("spot {0} comes too late in the list; in strict records lists ascend")]
    NotAscending(Card),
    /// The list fits no side of the new curve.
    #[error("{0}")]
    List(String),
    /// The marks fit no way to draw the curve.
    #[error("no way to draw it fits the marks `!`; turn one of them, or check the moves before")]
    Marks,
    /// The spot named by `@` is nowhere beside the new spot.
    #[error(
        "spot {0} cannot be reached from the new spot, however the curve is drawn; correct the `@`"
    )]
    At(Card),
    /// Several different positions.
    #[error(
        "{0} different positions fit the record; add `@` with a spot that the new one can reach, or the list of \
         the other side, here or before"
    )]
    Ambiguous(usize),
    /// More readings than are followed.
    #[error("more than {max} readings of the record fit; add marks, lists and `@`", max = crate::MAX_READINGS)]
    TooMany,
}
