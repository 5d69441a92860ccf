//! Conversions between the wire and the logic. Towards the wire nothing can fail. From the wire
//! everything is checked.

mod fact;
mod follower;
mod game;
mod job;
mod session;
#[cfg(test)]
mod tests;
mod view;
mod words;

use sprig_domain::{NodeError, NotAsked, TreeFlaw};
use sprig_engine::notation::NotationError;
use sprig_engine::{KeyError, NimberTooLarge, TooManyMoves};

pub use game::ruleset;
pub use session::stretches;
pub use words::{is_printable, label};

/// A message that breaks the protocol.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// A field that must be there is not.
    #[error("the field `{0}` is missing")]
    Missing(&'static str),
    /// A number that means something in a later version, or nothing.
    #[error("this version of sprig knows no {what} number {number}: install the newer one")]
    Unknown {
        /// What the number stands for.
        what: &'static str,
        /// The number.
        number: i32,
    },
    /// Rules that have no answer to a question.
    #[error(transparent)]
    NotAsked(#[from] NotAsked),
    /// More than the limit.
    #[error("`{what}` has {size}, the limit is {limit}")]
    TooLarge {
        /// The field.
        what: &'static str,
        /// Its size.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// Bytes that are not a canonical land.
    #[error("not a canonical land: {0}")]
    Land(#[from] KeyError),
    /// A text that is no position.
    #[error("the text of a position cannot be read: {0}")]
    Text(#[from] NotationError),
    /// A key of a tree that is none.
    #[error("the key of a tree has 16 bytes, not {0}")]
    Tree(usize),
    /// Options that are not those of a tree.
    #[error(transparent)]
    Options(#[from] TreeFlaw),
    /// Bytes that are no node.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// A fact about a land whose moves cannot be listed: no search proves such a fact, and nothing
    /// could check it.
    #[error("no fact about this land can be checked: {0}")]
    Uncheckable(#[from] TooManyMoves),
    /// A name that would not look like what it is.
    #[error("the {what} {text:?} is refused: {flaw}")]
    Name {
        /// Which name.
        what: &'static str,
        /// The name.
        text: String,
        /// What is wrong with it.
        flaw: &'static str,
    },
    /// A nimber out of range.
    #[error(transparent)]
    Nimber(#[from] NimberTooLarge),
    /// Bytes that are no fact of the wire.
    #[error("a fact cannot be decoded: {0}")]
    Encoding(#[from] prost::DecodeError),
}

impl From<Malformed> for tonic::Status {
    fn from(malformed: Malformed) -> Self {
        Self::invalid_argument(malformed.to_string())
    }
}

/// The field, or [`Malformed::Missing`].
fn need<T>(field: Option<T>, name: &'static str) -> Result<T, Malformed> {
    field.ok_or(Malformed::Missing(name))
}

/// Checks a size.
fn within(what: &'static str, size: usize, limit: usize) -> Result<(), Malformed> {
    if size > limit { Err(Malformed::TooLarge { what, size, limit }) } else { Ok(()) }
}

/// Converts each item of a message.
fn all<W, T: TryFrom<W, Error = Malformed>>(items: Vec<W>) -> Result<Vec<T>, Malformed> {
    items.into_iter().map(T::try_from).collect()
}

/// Converts each item for a message.
fn into_all<T, W: From<T>>(items: Vec<T>) -> Vec<W> {
    items.into_iter().map(W::from).collect()
}
