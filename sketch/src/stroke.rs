//! A curve that a person draws into a picture: which move it is, read from the geometry alone.

use sprig_engine::{CanonicalPosition, Position};

use crate::drawn::{Drawn, UNIT, Vertex};
use crate::exact::Point;
use crate::map::Mark;
use crate::picture::Picture;
use crate::read::Reading;

/// A curve that begins or ends so near a spot is meant to touch it.
const REACH: i64 = UNIT * 45 / 100;
/// A line may be this far from where the hand was.
const SMOOTH: i64 = UNIT * 3 / 100;
/// Most points of a stroke.
const POINTS: usize = 4_096;

/// Why a stroke is no move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misdrawn {
    /// Fewer than two points, or too many.
    #[error("the curve has {}; draw it in one stroke, from spot to spot", counted(.0))]
    Points(usize),
    /// It does not begin at a spot.
    #[error("the curve does not begin at a spot that lives; begin on one that is coloured")]
    Begin,
    /// It does not end at a spot.
    #[error("the curve does not end at a spot that lives; end on one that is coloured")]
    End,
    /// It begins and ends at a spot that has one life.
    #[error("a curve from a spot to itself takes two lives, and this spot has one")]
    Lives,
    /// It joins two lands.
    #[error("the curve leads from one land to another; lands are independent games")]
    Lands,
    /// It begins or ends at fresh spots that are drawn as one.
    #[error("these fresh spots are drawn as one; choose the move from the list")]
    Group,
    /// It touches something, or itself.
    #[error("the curve crosses or touches a curve, a spot or itself; go around")]
    Crossing,
}

/// A number of points, in words.
fn counted(points: &usize) -> String {
    if *points == 1 { "1 point".to_owned() } else { format!("{points} points") }
}

impl Picture {
    /// The position after a curve along these points, in steps of the picture. The curve gets its
    /// new spot in the middle.
    ///
    /// # Errors
    /// [`Misdrawn`] says why the curve is no move.
    pub fn after(&self, stroke: &[Point]) -> Result<CanonicalPosition, Misdrawn> {
        let (&[first, .., last], 2..=POINTS) = (stroke, stroke.len()) else {
            return Err(Misdrawn::Points(stroke.len()));
        };
        let (land, from) = self.spot_at(first).ok_or(Misdrawn::Begin)?;
        let (other, to) = self.spot_at(last).ok_or(Misdrawn::End)?;
        if land != other {
            return Err(Misdrawn::Lands);
        }
        let placed = &self.lands[land];
        let into = |at: &Point| Point {
            x: (at.x - placed.offset.x) / 2 * 2,
            y: (at.y - placed.offset.y) / 2 * 2,
        };
        let points: Vec<Point> = stroke.iter().map(into).collect();
        let read = placed.drawn.after(&points, from, to)?;
        let others = self.lands.iter().enumerate().filter(|(number, _)| *number != land);
        let others = others.flat_map(|(_, placed)| placed.drawn.lands());
        Ok(CanonicalPosition::from_lands(read.into_lands().into_iter().chain(others)))
    }

    /// The land and the vertex of the living spot that a place is meant to be.
    fn spot_at(&self, at: Point) -> Option<(usize, usize)> {
        let lands = self.lands.iter().enumerate();
        let spots = lands.flat_map(|(number, placed)| {
            let vertices = placed.drawn.vertices.iter().enumerate();
            vertices.map(move |(v, vertex)| {
                let place =
                    Point { x: vertex.at.x + placed.offset.x, y: vertex.at.y + placed.offset.y };
                (distance(place, at), vertex, (number, v))
            })
        });
        let near = spots.filter(|(distance, vertex, _)| {
            let reach = REACH.max(vertex.mark.radius() * 5 / 4);
            matches!(vertex.mark, Mark::Spot(_) | Mark::Group(_))
                && *distance <= reach.saturating_mul(reach)
        });
        near.min_by_key(|(distance, ..)| *distance).map(|(_, _, found)| found)
    }
}

impl Drawn {
    /// The land after a curve from a spot to a spot along points between them.
    fn after(
        &self,
        points: &[Point],
        from: usize,
        to: usize,
    ) -> Result<CanonicalPosition, Misdrawn> {
        let ends = [from, to].map(|v| &self.vertices[v]);
        if ends.iter().any(|end| matches!(end.mark, Mark::Group(_))) {
            return Err(Misdrawn::Group);
        }
        if from == to && ends[0].degree > 1 {
            return Err(Misdrawn::Lives);
        }
        // First as hands draw: little mistakes do not count. If that line is in the way of others,
        // every point counts.
        let tries = [self.line(points, [from, to], true), self.line(points, [from, to], false)];
        for mut line in tries.into_iter().flatten() {
            while line.len() < 9 {
                line = finer(&line);
            }
            for _ in 0..4 {
                if let Some(read) = self.shows_after(&line) {
                    return Ok(read);
                }
                line = finer(&line);
            }
        }
        Err(Misdrawn::Crossing)
    }

    /// A stroke as a line between two vertices. The parts that were drawn inside the spots at its
    /// ends are not looked at. A `simple` line has no more points than it needs.
    fn line(&self, points: &[Point], ends: [usize; 2], simple: bool) -> Option<Vec<Point>> {
        let spots = ends.map(|v| &self.vertices[v]);
        let radius = |spot: &Vertex| if simple { spot.mark.radius() } else { UNIT / 50 };
        let outside =
            |at: &Point, spot: &Vertex| distance(*at, spot.at) > radius(spot) * radius(spot);
        let begin = points.iter().position(|at| outside(at, spots[0]))?;
        let end = points.iter().rposition(|at| outside(at, spots[1]))?;
        let mut line = vec![spots[0].at];
        line.extend(points.get(begin..=end).unwrap_or_default());
        line.push(spots[1].at);
        line.dedup();
        Some(if simple { self::simple(&line) } else { line })
    }

    /// What the drawing shows with a line in it, if that touches nothing. It begins and ends at
    /// spots.
    pub(crate) fn shows_after(&self, line: &[Point]) -> Option<CanonicalPosition> {
        let drawn = self.with(line);
        let is_clear = drawn.crossings() == 0;
        let reading = is_clear.then(|| Reading::of(&drawn).ok()).flatten()?;
        Some(CanonicalPosition::of(&Position(vec![reading.land(&drawn)])))
    }

    /// The drawing with a line, and a new spot in its middle.
    fn with(&self, line: &[Point]) -> Self {
        let mut drawn = self.clone();
        let middle = line.len() / 2;
        drawn.vertices.push(Vertex {
            at: line[middle],
            mark: Mark::Spot(String::new()),
            degree: 2,
        });
        drawn.curves.push(line[..=middle].to_vec());
        drawn.curves.push(line[middle..].to_vec());
        drawn
    }
}

/// The square of the distance.
fn distance(a: Point, b: Point) -> i64 {
    let (x, y) = (a.x.saturating_sub(b.x), a.y.saturating_sub(b.y));
    x.saturating_mul(x).saturating_add(y.saturating_mul(y))
}

/// A line with few points that is nowhere far from another one: the point that lies farthest from
/// the way between two kept points is kept, too.
fn simple(line: &[Point]) -> Vec<Point> {
    let mut keep = vec![false; line.len()];
    let last = line.len() - 1;
    (keep[0], keep[last]) = (true, true);
    let mut parts = vec![(0, last)];
    while let Some((from, to)) = parts.pop() {
        let far = (from + 1..to).map(|i| (off(line[i], line[from], line[to]), i)).max();
        if let Some((off, i)) = far
            && off > SMOOTH
        {
            keep[i] = true;
            parts.extend([(from, i), (i, to)]);
        }
    }
    line.iter().zip(keep).filter(|(_, keep)| *keep).map(|(at, _)| *at).collect()
}

/// About how far a point is from the way between two others.
fn off(at: Point, a: Point, b: Point) -> i64 {
    let [px, py, dx, dy] = [at.x - a.x, at.y - a.y, b.x - a.x, b.y - a.y].map(|value| value as f64);
    let long = (dx * dx + dy * dy).max(1.0);
    let share = ((px * dx + py * dy) / long).clamp(0.0, 1.0);
    let (x, y) = (px - share * dx, py - share * dy);
    (x * x + y * y).sqrt() as i64
}

/// A line with a further point in the middle of each segment.
pub(crate) fn finer(line: &[Point]) -> Vec<Point> {
    let mut finer = vec![line[0]];
    for pair in line.windows(2) {
        let middle = |a: i64, b: i64| (a + b) / 4 * 2;
        let between = Point { x: middle(pair[0].x, pair[1].x), y: middle(pair[0].y, pair[1].y) };
        finer.extend([between, pair[1]]);
    }
    finer.dedup();
    finer
}
