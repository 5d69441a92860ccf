//! A game between a person and the program: what is said, what was played, and what the program thinks.

mod game;
mod mind;
mod said;
pub mod written;

pub use game::{Game, Made, Player};
pub use mind::{Choice, Mind, Opinion};
pub use said::Said;
