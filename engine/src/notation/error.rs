//! What can be wrong with a text, where, and what to do about it.

use std::fmt;

/// A text that is not a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotationError {
    /// The column of the first character that is wrong, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// The kinds of mistakes a text can hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// No text.
    #[error("the text is empty; the empty position is written `!`")]
    EmptyText,
    /// More text than any position needs.
    #[error("the text is {0} bytes long; at most {max} are read", max = super::MAX_TEXT)]
    TooLong(usize),
    /// A blank, a tab or another kind of white space.
    #[error("white space inside a position; take it out")]
    WhiteSpace,
    /// A character that no style uses.
    #[error("unexpected character `{}`; a position is made of 0 1 2, letters and . | + * @ ( ) ! {{ }} ]", .0.escape_debug())]
    Character(char),
    /// A `@` without the number of a surface.
    #[error(
        "no surface; write `@1` for one handle, `@-1` for one cross-cap, and so on, or leave `@` out \
         (in a text with `}}` and `]`, `{{1}}` before the `}}`)"
    )]
    Surface,
    /// A surface without a region in front of it.
    #[error(
        "the surface stands behind the last boundary of its region, as in `0*5@1` or `0.0.{{1}}}}]!`"
    )]
    MisplacedSurface,
    /// Something between a surface and the end of its region.
    #[error(
        "`{0}` stands behind a surface, with which its region ends; write the surface last, and once"
    )]
    BehindSurface(char),
    /// More handles or cross-caps than the program holds.
    #[error("too many handles or cross-caps; a region has at most {max}", max = crate::Surface::MAX)]
    GenusTooLarge,
    /// Two separators with nothing between them.
    #[error("empty boundary; write spots between the separators or take one separator out")]
    EmptyBoundary,
    /// A region without boundaries.
    #[error("empty region; write a boundary or take the separator out")]
    EmptyRegion,
    /// A land without regions.
    #[error("empty land; write a region or take the separator out")]
    EmptyLand,
    /// A `!` that is not the whole text (GLOP style) or not its end (AJS style).
    #[error("`!` must be the whole text or, in a text with `}}` and `]`, its end")]
    MisplacedEnd,
    /// AJS style without one of its terminators.
    #[error(
        "missing terminator `{0}`; in a text with `}}` and `]` every boundary ends in `.`, region in `}}`, land in `]`, position in `!`"
    )]
    MissingTerminator(char),
    /// A separator of the one style in a text of the other.
    #[error(
        "`{0}` does not belong in a text with `}}` and `]`; there every object has a terminator"
    )]
    MixedStyles(char),
    /// `0` beside other spots.
    #[error("`0` must stand alone in its boundary; separate it with `.`")]
    ZeroNotAlone,
    /// `*` not after `0`, or without a number.
    #[error("`*` must stand between `0` and a number from 1 to {max}, as in `0*5`", max = super::read::MAX_REPEAT)]
    Repeat,
    /// `0*0`, a start position without spots.
    #[error("no spots are no start position; the empty position is written `!`")]
    NoSpots,
    /// More spots than the program holds.
    #[error("too many spots; a start position has 1 to {max}", max = super::read::MAX_REPEAT)]
    TooManySpots,
    /// A parenthesis that is not part of `m(13)`, `Z(26)` or `n(26)`.
    #[error(
        "parentheses only name letters, as in `m(13)`, `Z(26)` or `n(26)`, with a number below 65536"
    )]
    Parenthesis,
    /// A letter that does not occur exactly twice.
    #[error("letter `{name}` occurs {times}; a letter stands exactly twice in its {scope}", times = Times(*.times))]
    LetterCount {
        /// The letter as it was typed.
        name: String,
        /// How often it occurs.
        times: usize,
        /// `boundary` for lower case, `region` from `o` to `z`, `land` for upper case.
        scope: &'static str,
    },
    /// A land that is larger than the program can hold.
    #[error(
        "the land is too large ({lives} lives, {letters} letters, {regions} regions); the start position of 106 spots is the largest that fits"
    )]
    TooLarge {
        /// Lives of the land.
        lives: u32,
        /// Different letters of the land.
        letters: usize,
        /// Regions of the land.
        regions: usize,
    },
}

struct Times(usize);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("once"),
            n => write!(f, "{n} times"),
        }
    }
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.problem)
    }
}

impl std::error::Error for NotationError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        None
    }
}
