//! What can be wrong with a boundary list.

/// A text that is no boundary list, or a list that is no drawing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ListError {
    /// No text.
    #[error("the text is empty; write a boundary list such as `1;2`")]
    Empty,
    /// More text than any position needs.
    #[error("the boundary list is {0} bytes long; at most {max} are read", max = crate::MAX_TEXT)]
    TooLong(usize),
    /// Something other than a spot between the separators.
    #[error(
        "column {column}: `{text}` is no spot; write numbers from 1, with `,` between spots, `;` between \
         boundaries and `/` between regions, without blanks"
    )]
    NoSpot {
        /// The column, counted from 1.
        column: usize,
        /// What stands there.
        text: String,
    },
    /// A mark in a full list.
    #[error(
        "column {column}: a mark in a full list; list every spot with all its curve ends instead"
    )]
    Marked {
        /// The column, counted from 1.
        column: usize,
    },
    /// A spot with more than three curve ends.
    #[error(
        "column {column}: spot {spot} is listed {times} times; no spot has more than three curve ends"
    )]
    TooOften {
        /// The column, counted from 1.
        column: usize,
        /// The spot.
        spot: u32,
        /// How often it is listed.
        times: usize,
    },
    /// A spot that is alone and elsewhere, too.
    #[error(
        "column {column}: spot {spot} is alone in a boundary, as one without curves, and is listed elsewhere, too"
    )]
    Isolated {
        /// The column, counted from 1.
        column: usize,
        /// The spot.
        spot: u32,
    },
    /// A curve that is not walked along on both sides.
    #[error(
        "column {column}: the walks go from {from} to {to} {there} times and back {back} times; each curve has two \
         sides, passed in opposite directions"
    )]
    Step {
        /// The column, counted from 1.
        column: usize,
        /// Where the step starts.
        from: u32,
        /// Where it leads.
        to: u32,
        /// How often it is made.
        there: usize,
        /// How often the step back is made.
        back: usize,
    },
    /// A piece that the sphere does not have.
    #[error(
        "no drawing on the sphere: the piece of spot {piece} has {spots} spots - {curves} curves + {walks} \
         walks, which must be 2; a boundary is missing or too many"
    )]
    Euler {
        /// Its least spot.
        piece: u32,
        /// Its spots.
        spots: usize,
        /// Curves between neighbours.
        curves: usize,
        /// Its boundaries.
        walks: usize,
    },
    /// Pieces and regions that form a cycle.
    #[error(
        "no drawing on the sphere: {walks} boundaries must be one less than {regions} regions and {pieces} pieces"
    )]
    Cycle {
        /// Boundaries.
        walks: usize,
        /// Regions.
        regions: usize,
        /// Connected pieces.
        pieces: usize,
    },
    /// Regions that no piece connects.
    #[error("no drawing on the sphere: the regions fall into {parts} parts that share no piece")]
    Apart {
        /// The parts.
        parts: usize,
    },
    /// A spot that a short list cannot have in this way.
    #[error("column {column}: spot {spot} {what}")]
    Short {
        /// The column, counted from 1.
        column: usize,
        /// The spot.
        spot: u32,
        /// What is wrong, and what to do.
        what: &'static str,
    },
    /// A position that is refused in any notation.
    #[error("{0}")]
    Refused(String),
}

impl ListError {
    /// The column of what is wrong, counted from 1, where it has one.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        match self {
            Self::NoSpot { column, .. }
            | Self::Marked { column }
            | Self::TooOften { column, .. }
            | Self::Isolated { column, .. }
            | Self::Step { column, .. }
            | Self::Short { column, .. } => Some(*column),
            _ => None,
        }
    }
}
