//! A whole position: its lands side by side.

use sprig_engine::{CanonicalLand, CanonicalPosition};

use crate::SketchError;
use crate::drawn::{Drawn, UNIT};
use crate::exact::Point;
use crate::map::{Map, Mark};

/// The space around a drawn land.
const MARGIN: i64 = UNIT / 2;
/// The space between two lands, where the plus sign stands.
const GAP: i64 = UNIT * 6 / 5;
/// How many times wider than high a picture should be, like a page.
const SHAPE: f64 = 1.4;

/// A land and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The land.
    pub drawn: Drawn,
    /// What must be added to its places.
    pub offset: Point,
}

/// The picture of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// What it shows.
    pub position: CanonicalPosition,
    /// Its lands, in the order of the text.
    pub lands: Vec<Placed>,
    /// The middles of the plus signs.
    pub pluses: Vec<Point>,
    /// Width and height.
    pub size: Point,
    /// The curve of a move, from [`Picture::route`], if one is shown.
    pub curve: Option<Vec<Point>>,
}

impl Picture {
    /// Whether a picture of a position is defined. There is none of a curve that was drawn over a
    /// handle or through a cross-cap. This is told without drawing the position.
    #[must_use]
    pub fn is_defined(position: &CanonicalPosition) -> bool {
        position.lands().iter().all(|land| Map::of_land(land).is_ok())
    }

    /// Draws a position.
    ///
    /// # Errors
    /// [`SketchError`] when a land does not lie in the plane, or no drawing of it could be shown to
    /// be right.
    pub fn of(position: &CanonicalPosition) -> Result<Self, SketchError> {
        let mut drawn: Vec<Drawn> = Vec::new();
        for land in position.lands() {
            let again =
                drawn.last().filter(|last| last.position.lands() == [land.clone()]).cloned();
            drawn.push(again.map_or_else(|| Drawn::of(land), Ok)?);
        }
        Ok(Self::with(position.clone(), drawn))
    }

    /// Puts drawn lands side by side, in as many rows as look best.
    pub fn with(position: CanonicalPosition, drawn: Vec<Drawn>) -> Self {
        let boxes: Vec<[Point; 2]> = drawn.iter().map(Drawn::bounds).collect();
        let sizes: Vec<Point> =
            boxes.iter().map(|[a, b]| Point { x: b.x - a.x, y: b.y - a.y }).collect();
        let widest = sizes.iter().map(|size| size.x).max().unwrap_or(0);
        let total: i64 = sizes.iter().map(|size| size.x + GAP).sum();
        let limits = (1..=sizes.len().max(1) as i64).map(|rows| widest.max(total / rows));
        let score = |limit: &i64| {
            let size = Rows::of(&sizes, *limit).size;
            let (x, y) = (size.x.max(1) as f64, size.y.max(1) as f64);
            (x.max(y * SHAPE) * 16.0) as i64
        };
        let rows = Rows::of(&sizes, limits.min_by_key(score).unwrap_or(0));
        let place = |((drawn, corner), bounds): ((Drawn, &Point), &[Point; 2])| Placed {
            drawn,
            offset: Point { x: corner.x - bounds[0].x, y: corner.y - bounds[0].y },
        };
        let lands = drawn.into_iter().zip(&rows.corners).zip(&boxes).map(place).collect();
        let size = Point { x: rows.size.x + 2 * MARGIN, y: rows.size.y + 2 * MARGIN };
        Self { position, lands, pluses: rows.pluses, size, curve: None }
    }

    /// Whether fresh spots are drawn as one. They cannot be told apart, so not every move is a
    /// curve.
    pub fn is_grouped(&self) -> bool {
        let mut vertices = self.lands.iter().flat_map(|placed| &placed.drawn.vertices);
        vertices.any(|vertex| matches!(vertex.mark, Mark::Group(_)))
    }

    /// What the picture shows when it is read, land by land.
    ///
    /// # Errors
    /// [`crate::Misread`] when a land has crossings, or cannot be read.
    pub fn read(&self) -> Result<CanonicalPosition, crate::Misread> {
        let lands: Result<Vec<Vec<CanonicalLand>>, _> = self
            .lands
            .iter()
            .map(|placed| placed.drawn.check().map(|()| placed.drawn.lands()))
            .collect();
        Ok(CanonicalPosition::from_lands(lands?.concat()))
    }
}

/// Boxes in rows.
struct Rows {
    corners: Vec<Point>,
    pluses: Vec<Point>,
    size: Point,
}

impl Rows {
    fn of(sizes: &[Point], limit: i64) -> Self {
        let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
        let mut width = 0;
        for (i, size) in sizes.iter().enumerate() {
            if width > 0 && width + GAP + size.x > limit + GAP {
                rows.push(Vec::new());
                width = 0;
            }
            width += size.x + GAP;
            rows.last_mut().expect("there is a row").push(i);
        }
        // Each row but the first begins with its plus sign, like a sum that is broken into lines.
        let width_before = |i: usize| if i > 0 { GAP } else { 0 };
        let row_width =
            |row: &Vec<usize>| row.iter().map(|&i| width_before(i) + sizes[i].x).sum::<i64>();
        let widest = rows.iter().map(row_width).max().unwrap_or(0).max(0);
        let mut placed = Self { corners: Vec::new(), pluses: Vec::new(), size: Point::default() };
        let mut y = MARGIN;
        for (r, row) in rows.iter().enumerate() {
            let height = row.iter().map(|&i| sizes[i].y).max().unwrap_or(0);
            let mut x = MARGIN + (widest - row_width(row)) / 2;
            for &i in row {
                if i > 0 {
                    placed.pluses.push(Point { x: x + GAP / 2, y: y + height / 2 });
                }
                x += width_before(i);
                placed.corners.push(Point { x, y: y + (height - sizes[i].y) / 2 });
                x += sizes[i].x;
            }
            y += height + if r + 1 < rows.len() { GAP / 2 } else { 0 };
        }
        placed.size = Point { x: widest, y: y - MARGIN };
        placed
    }
}

impl Drawn {
    /// The lands that it shows.
    pub(crate) fn lands(&self) -> Vec<CanonicalLand> {
        self.position.lands().to_vec()
    }

    /// The least box around everything that is shown.
    pub fn bounds(&self) -> [Point; 2] {
        let mut corners = [Point { x: i64::MAX, y: i64::MAX }, Point { x: i64::MIN, y: i64::MIN }];
        let mut hold = |at: Point, radius: i64| {
            corners[0].x = corners[0].x.min(at.x - radius);
            corners[0].y = corners[0].y.min(at.y - radius);
            corners[1].x = corners[1].x.max(at.x + radius);
            corners[1].y = corners[1].y.max(at.y + radius);
        };
        for vertex in &self.vertices {
            hold(vertex.at, vertex.mark.radius());
        }
        for &at in self.curves.iter().flatten() {
            hold(at, 0);
        }
        corners
    }
}

impl Mark {
    /// The radius at which it is drawn where there is room.
    pub fn radius(&self) -> i64 {
        match self {
            Self::Spot(_) => UNIT * 25 / 100,
            Self::Group(_) => UNIT * 85 / 100,
            Self::Genus(_) => UNIT * 45 / 100,
            Self::Dead => UNIT * 8 / 100,
        }
    }
}
