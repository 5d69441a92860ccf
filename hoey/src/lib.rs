//! Boundary lists of D. Hoey (2000): `1,8,4,9t,8,5;2`.
//!
//! Spots have numbers. `,` stands between the spots of a boundary, in the order in which a walk
//! with the left hand on it meets them. `;` stands between boundaries, and `/` between regions. A
//! *full* list names every spot, dead ones too, and is checked to be a drawing ([`List::check`]). A
//! *short* list leaves out what cannot matter and marks what could be mistaken.

mod drawing;
mod error;
mod list;
mod read;
mod write;

pub use error::ListError;
pub use list::{Card, List, Mark};
pub use write::short;

/// Longest list that is read, in bytes.
pub const MAX_TEXT: usize = 65_536;

/// Whether a text can only be a boundary list: no other notation has these separators.
#[must_use]
pub fn is_list(text: &str) -> bool {
    text.contains([',', ';', '/'])
}
