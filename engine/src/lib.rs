//! The rules of Sprouts and the values of its positions.
//!
//! The crate is pure: no input or output, no clock, no threads. Two shapes of a position live here:
//!
//! * [`Position`]: the *written* position, a tree of lands, regions, boundaries and spots. It is
//!   what a person types and what [`notation`] reads and prints. It is simple, not fast.
//! * [`CanonicalLand`] and [`CanonicalPosition`]: the *canonical* form, compact bytes in which two
//!   lands are equal exactly when they are isomorphic after reduction. It is the key of every fact,
//!   on disk and on the wire.
//!
//! [`Generator`] produces the children of a land and [`Canonizer`] its key; they are the hot path
//! of every search.
//!
//! ```
//! use sprig_engine::{CanonicalPosition, Position, notation};
//!
//! let position = notation::read("0*2.AB|AB")?;
//! let same = notation::read("AB|AB.0.0")?;
//! assert_eq!(CanonicalPosition::of(&position), CanonicalPosition::of(&same));
//! // Two spots lead to two positions: a curve joins them, or leads from one back to itself.
//! let children = CanonicalPosition::of(&Position::start(2)).children()?;
//! assert_eq!(children.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bare;
mod budget;
mod canonical;
mod canonize;
mod encode;
mod generate;
mod lengths;
mod nimber;
pub mod notation;
mod others;
pub mod paper;
mod parts;
mod position;
mod reduce;
mod refine;
mod region;
mod rotate;
mod shape;
mod sketch;
mod split;
mod surface;
mod surfaces;
mod symmetry;
mod twins;
mod watched;
mod ways;
mod work;

pub use budget::{Budget, Unlisted};
pub use canonical::{CANONICAL_VERSION, CanonicalLand, CanonicalPosition, KeyError};
pub use canonize::{Canonizer, Effort};
pub use generate::{Generator, Lands, tidy};
pub use lengths::{Length, Lengths, Span, Spans};
pub use nimber::{Nimber, NimberTooLarge, mex};
pub use position::{Boundary, Land, Letter, MAX_LETTERS, Position, Region, Spot};
pub use shape::{Shape, shape};
pub use sketch::sketch;
pub use surface::Surface;
pub use surfaces::limit;
pub use watched::Watched;
pub use ways::{MAX_WAYS, TooManyMoves};
