//! What a curve that is looked for keeps away from.

use crate::drawn::{Drawn, UNIT};
use crate::exact::Point;
use crate::map::{Dart, Mark};
use crate::smooth::arcs;
use crate::vector::Vector;

/// What lies around a face and in it.
pub(crate) struct Obstacles {
    /// The sides of the triangles that hold the parabolas of its curves.
    pub walls: Vec<[Point; 2]>,
    lines: Vec<[Vector; 2]>,
    /// How many of the walls a curve keeps away from: all but the frame.
    near: usize,
    /// Spots, with the radius at which they are drawn.
    discs: Vec<(Vector, f64)>,
}

impl Obstacles {
    /// The obstacles of a face with these walks around it and these vertices in it, and of a frame,
    /// if there is one.
    pub fn of(
        drawn: &Drawn,
        walks: &[Vec<Dart>],
        alone: &[usize],
        frame: Option<[Point; 4]>,
    ) -> Self {
        let mut curves: Vec<usize> = walks.iter().flatten().map(|dart| dart / 2).collect();
        curves.sort_unstable();
        curves.dedup();
        let arcs = curves.iter().flat_map(|&curve| arcs(&drawn.curves[curve]));
        let mut walls: Vec<[Point; 2]> =
            arcs.flat_map(|[from, bend, to]| [[from, bend], [bend, to], [from, to]]).collect();
        let near = walls.len();
        if let Some(corners) = frame {
            walls.extend((0..4).map(|i| [corners[i], corners[(i + 1) % 4]]));
        }
        let lines = walls.iter().map(|wall| wall.map(Vector::from)).collect();
        let ends = curves.iter().flat_map(|&curve| {
            let curve = &drawn.curves[curve];
            [curve[0], curve[curve.len() - 1]]
        });
        let mut places: Vec<Point> = alone.iter().map(|&v| drawn.vertices[v].at).collect();
        places.extend(ends);
        let disc = |vertex: &crate::Vertex| {
            let radius = if vertex.mark == Mark::Dead { 0.0 } else { vertex.mark.radius() as f64 };
            (Vector::from(vertex.at), radius)
        };
        let discs = drawn.vertices.iter().filter(|vertex| places.contains(&vertex.at));
        Self { walls, lines, near, discs: discs.map(disc).collect() }
    }

    /// Puts a disc to go around at a place, as large as there is room for.
    pub fn stand(&mut self, at: Vector) {
        let room = self.nearest(at, &[]).0;
        self.discs.push((at, (0.5 * room).min(UNIT as f64 * 0.2)));
    }

    /// How far a place is from all obstacles, and the nearest place of these. The spots of the
    /// curve itself, at `ends`, are no obstacles, but other curves that end there are.
    pub fn nearest(&self, at: Vector, ends: &[Vector]) -> (f64, Vector) {
        let mut nearest = (f64::INFINITY, at);
        for &[a, b] in &self.lines[..self.near] {
            let foot = foot(at, a, b);
            let far = (at - foot).length();
            if far < nearest.0 {
                nearest = (far, foot);
            }
        }
        for &(middle, radius) in self.discs.iter().filter(|(middle, _)| !ends.contains(middle)) {
            let far = (at - middle).length() - radius;
            if far < nearest.0 {
                nearest = (far, middle);
            }
        }
        nearest
    }

    /// Whether a triangle has any obstacle in it besides its own corners.
    pub fn meet(&self, triangle: [Vector; 3]) -> bool {
        self.lines.iter().any(|line| meets(triangle, *line))
            || self.discs.iter().any(|(at, _)| !triangle.contains(at) && holds(triangle, *at))
    }
}

impl From<Point> for Vector {
    fn from(at: Point) -> Self {
        Self::new(at.x as f64, at.y as f64)
    }
}

/// The point of a line that is nearest to a place.
pub(crate) fn foot(at: Vector, a: Vector, b: Vector) -> Vector {
    let way = b - a;
    let share = (at - a).dot(way) / way.dot(way).max(1.0);
    a + way * share.clamp(0.0, 1.0)
}

/// Whether the boxes around some places and some others have nothing in common. On a line, which
/// has no left and right, that decides.
fn apart(some: &[Vector], others: &[Vector]) -> bool {
    let apart = |of: fn(&Vector) -> f64| {
        let range = |places: &[Vector]| {
            let all = || places.iter().map(of);
            (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max))
        };
        let ((low, high), (least, most)) = (range(some), range(others));
        high < least || most < low
    };
    apart(|at| at.x) || apart(|at| at.y)
}

/// Whether a place is in a triangle or on its sides.
pub(crate) fn holds([a, b, c]: [Vector; 3], at: Vector) -> bool {
    if apart(&[a, b, c], &[at]) {
        return false;
    }
    let side = |p: Vector, q: Vector| (q - p).cross(at - p);
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
}

/// Whether a triangle and a line have more in common than a corner in which the line ends.
pub(crate) fn meets(triangle: [Vector; 3], [a, b]: [Vector; 2]) -> bool {
    if apart(&triangle, &[a, b]) {
        return false;
    }
    if [a, b].iter().any(|end| !triangle.contains(end) && holds(triangle, *end)) {
        return true;
    }
    (0..3).any(|i| {
        let (p, q) = (triangle[i], triangle[(i + 1) % 3]);
        if [p, q].iter().any(|corner| *corner == a || *corner == b) {
            return false;
        }
        if apart(&[p, q], &[a, b]) {
            return false;
        }
        let side = |p: Vector, q: Vector, r: Vector| (q - p).cross(r - p);
        side(p, q, a) * side(p, q, b) <= 0.0 && side(a, b, p) * side(a, b, q) <= 0.0
    })
}
