//! Lands that are not of the sphere: with handles or cross-caps, or with what is left when these
//! have been cut.
//!
//! They are told from lands of the sphere by the first byte of their key, and all that is done with
//! them is done here, so that the code for lands of the sphere need not know of others. As soon as
//! no region of a land has handles, cross-caps or a letter in two of its boundaries, it is a land
//! of the sphere, with the key of one.
//!
//! ```text
//! land := SURFACES face (END_REGION face)*
//! face := genus genus region       two bytes, the higher first: 32,768 + the genus;
//!                                  region as in [`crate::encode`]
//! ```
//!
//! The rules: J. Lemoine and S. Viennot, "Sprouts games on compact surfaces" (2008),
//! arXiv:0812.0081; `docs/surfaces.md`.

mod bytes;
mod canonize;
mod face;
mod limit;
mod moves;
mod reduce;
mod ways;

pub(crate) use bytes::{GENUS_BYTES, flat, genus, has, sketch, tidy};
pub(crate) use canonize::Canonizer;
pub use limit::limit;
pub(crate) use moves::{child, children};
pub(crate) use reduce::reduce_written;
pub(crate) use ways::{check_land, ways};
