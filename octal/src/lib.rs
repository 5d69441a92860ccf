//! Octal games: heaps of tokens, and a code of digits that says what a move may do to one heap.
//!
//! * [`Code`] reads a code such as `0.77`, and lists moves. It is the [`Rules`](sprig_search::Rules)
//!   of its game, too, so that any search takes it.
//! * [`Heaps`] reads a position, a sum of heaps such as `7+12`.
//! * [`Nimbers`] has the nimbers of all heaps up to a size, and their [`Period`] where the numbers
//!   prove one.
//! * [`SmallHeaps`] has the reduced canonical trees of small heaps, for misère play.
//!
//! What the digits mean, and the theorem behind a period, are in `docs/octal.md`.

mod code;
mod heaps;
mod nimbers;
mod rules;
mod small;

pub use code::{Code, CodeError, CodeProblem};
pub use heaps::{Heaps, HeapsError, HeapsProblem, MOST_TOKENS};
pub use nimbers::{Nimbers, Period};
pub use rules::land;
pub use small::SmallHeaps;
