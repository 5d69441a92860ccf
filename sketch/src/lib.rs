//! Pictures of positions.
//!
//! Any position is drawn as an *equivalent* plane picture: one that, read as a person reads it, is
//! the position in its canonical form. A region with handles or cross-caps has a mark that says how
//! many. A curve that was drawn over one has no picture in the plane. The crate is pure and
//! deterministic: the same position always gives the same picture, on every machine.
//!
//! ```
//! use sprig_engine::{CanonicalPosition, notation};
//! use sprig_sketch::{Look, Picture};
//!
//! let position = CanonicalPosition::of(&notation::read("0*2.AB|AB")?);
//! let picture = Picture::of(&position)?;
//! assert_eq!(picture.read()?, position);
//! assert!(picture.svg(&Look::default()).starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod board;
mod cobweb;
mod course;
mod diagram;
mod drawn;
mod ending;
mod exact;
mod full;
mod genus;
mod glyphs;
mod map;
mod mesh;
mod mirror;
mod obstacles;
mod picture;
mod pieces;
mod read;
mod relax;
mod route;
mod sheet;
mod smooth;
mod space;
mod stroke;
mod svg;
mod theme;
mod tutte;
mod union;
mod vector;
mod words;

pub use board::{Board, NoBoard};
pub use diagram::{Card, Diagram};
pub use drawn::{Drawn, Face, UNIT, Vertex};
pub use exact::Point;
pub use full::{Full, Walks};
pub use map::{Fill, Mark};
pub use picture::{Picture, Placed};
pub use read::Misread;
pub use sheet::Sheet;
pub use stroke::Misdrawn;
pub use svg::Look;
pub use theme::Theme;

use sprig_engine::CanonicalLand;

/// Why there is no picture.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SketchError {
    /// The text describes regions that no drawing in the plane has.
    #[error("the land does not lie in the plane: no drawing has these boundaries")]
    NotPlane,
    /// The land has a curve that was drawn over a handle or through a cross-cap.
    #[error(
        "`{0}` has a boundary that runs over a handle or through a cross-cap, so it has no picture in the plane; `sprig moves` has its moves in words"
    )]
    OtherSurface(CanonicalLand),
    /// No drawing could be shown to be right.
    #[error("no drawing of `{0}` can be shown to be right: {1}")]
    Misread(String, Misread),
}
