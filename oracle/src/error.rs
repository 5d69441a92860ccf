//! What can be wrong with a boundary list or a move.

use crate::Card;

/// The errors of this crate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OracleError {
    /// A boundary list that is longer than any that can be played out.
    #[error("the boundary list is {0} bytes long; at most {max} are read", max = crate::hoey::MAX_TEXT)]
    TooLong(usize),
    /// Something other than a card between the separators of a boundary list.
    #[error(
        "`{text}` in row {row}, stack {stack} is not a card; write numbers from 1, with `,` between the cards of a \
         stack, `;` between stacks and `/` between rows"
    )]
    NotACard {
        /// The row, counted from 1.
        row: usize,
        /// The stack within the row, counted from 1.
        stack: usize,
        /// What stands there.
        text: String,
    },
    /// A card that lies on the table more than three times.
    #[error(
        "card {0} lies on the table more than three times; no spot has more than three curve ends"
    )]
    TooManyTwins(Card),
    /// A move that names cards which do not lie where it says.
    #[error("the move names a row, a stack or a number of cards that is not on the table")]
    NotOnTable,
    /// A move that needs a twin of a card of which all three lie on the table.
    #[error("the move is illegal: card {0} has no twin left in the deck, its spot is dead")]
    NoTwin(Card),
}
