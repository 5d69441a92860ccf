//! A game between a person and the program: what the person types, the moves, and what the program
//! knows.

mod game;
mod mind;
mod said;
pub mod written;

pub use game::{Game, Made, Player};
pub use mind::{Choice, Mind, Opinion};
pub use said::Said;
