//! A position to play on: its picture, its moves, and the curves between.

use sprig_engine::paper::{Paper, Reached};
use sprig_engine::{Budget, CanonicalPosition, Unlisted};

use crate::SketchError;
use crate::exact::Point;
use crate::picture::Picture;
use crate::stroke::Misdrawn;
use crate::svg::number;

/// Steps in a unit of the pictures' text.
const STEPS: f64 = 100.0;
/// How far from its corner a point of a picture may be, in units.
const FARTHEST: f64 = 20_000.0;

/// A position to play on.
pub struct Board {
    /// Its picture.
    pub picture: Picture,
    /// Its canonical form on paper, which the words of moves are about.
    pub paper: Paper,
    /// For each canonical child, one move of that paper. They are sorted by the children.
    pub moves: Vec<Reached>,
}

/// Why a position cannot be played on.
#[derive(Debug, thiserror::Error)]
pub enum NoBoard {
    /// It has no picture.
    #[error(transparent)]
    Sketch(#[from] SketchError),
    /// Its moves cannot be listed.
    #[error(transparent)]
    Unlisted(#[from] Unlisted),
}

impl Board {
    /// Draws a position, and lists its moves.
    ///
    /// # Errors
    /// [`NoBoard`].
    pub fn of(position: &CanonicalPosition, budget: &mut Budget<'_>) -> Result<Self, NoBoard> {
        let picture = Picture::of(position)?;
        let paper = Paper::of(&position.to_position());
        let moves = paper.moves(budget)?;
        Ok(Self { picture, paper, moves })
    }

    /// The move that a stroke is: the one to the child that is read from the picture with it. As a
    /// canonical form forgets which spots of a small region share a boundary, it may be the move to
    /// a position like that.
    ///
    /// # Errors
    /// [`Misdrawn`] says why it is none.
    pub fn read(&self, stroke: &[Point]) -> Result<&Reached, Misdrawn> {
        let read = self.picture.after(stroke)?;
        let found = self.moves.iter().find(|reached| reached.child == read);
        let found = found.or_else(|| self.moves.iter().find(|reached| reached.drawn == read));
        found.ok_or(Misdrawn::Crossing)
    }

    /// A move in the words of the canonical form.
    #[must_use]
    pub fn words(&self, reached: &Reached) -> String {
        self.paper.words(&reached.witness)
    }
}

impl Picture {
    /// The picture with the curve of a move to this child in it, if there is one: see
    /// [`Picture::route`].
    ///
    /// # Errors
    /// [`Unlisted`], where the moves cannot be listed.
    pub fn towards(
        mut self,
        child: &CanonicalPosition,
        budget: &mut Budget<'_>,
    ) -> Result<Self, Unlisted> {
        if let Ok(paper) = self.paper() {
            let moves = paper.moves(budget)?;
            let reached = moves.iter().find(|reached| reached.child == *child);
            self.curve = reached.and_then(|reached| self.route(&paper, &reached.witness));
        }
        Ok(self)
    }
}

impl Point {
    /// A point in units of a picture's `viewBox`, unless it is too far away to be meant.
    #[must_use]
    pub fn of_units((x, y): (f64, f64)) -> Option<Self> {
        let is_near = x.abs() <= FARTHEST && y.abs() <= FARTHEST;
        is_near.then_some(Self { x: (x * STEPS) as i64, y: (y * STEPS) as i64 })
    }

    /// The point in these units.
    #[must_use]
    pub fn in_units(self) -> (f64, f64) {
        (self.x as f64 / STEPS, self.y as f64 / STEPS)
    }

    /// Points written as `x,y;x,y;..` in these units.
    #[must_use]
    pub fn read_all(text: &str) -> Option<Vec<Self>> {
        let point = |text: &str| {
            let (x, y) = text.split_once(',')?;
            Self::of_units((x.parse().ok()?, y.parse().ok()?))
        };
        text.split(';').map(point).collect()
    }

    /// Points as [`Point::read_all`] reads them.
    #[must_use]
    pub fn write_all(points: &[Self]) -> String {
        let point = |at: &Self| {
            let (x, y) = at.in_units();
            format!("{},{}", number(x), number(y))
        };
        points.iter().map(point).collect::<Vec<_>>().join(";")
    }
}
