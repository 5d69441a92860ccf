//! The first drawing: every point is the weighted mean of its neighbours (Tutte 1963).
//!
//! A triangulation without double edges, its frame convex, is drawn without crossings whatever the
//! positive weights are. They are chosen anew a few times so that long edges pull harder and what
//! is nested deeply gets room.

use crate::cobweb::{FRAME, Node, Web};
use crate::vector::{Vector, area};

/// How often weights are chosen.
const ROUNDS: usize = 8;

/// The corners of the frame on a unit circle.
const CIRCLE: [(f64, f64); 4] = [
    (1.0, 0.0),
    (0.923_879_532_511_286_7, 0.382_683_432_365_089_8),
    (0.707_106_781_186_547_6, 0.707_106_781_186_547_6),
    (0.382_683_432_365_089_8, 0.923_879_532_511_286_7),
];

/// The weights between the points of a web, by rows.
struct Springs {
    starts: Vec<usize>,
    to: Vec<usize>,
    weights: Vec<f64>,
}

/// A plane drawing of a web inside an ellipse of these half axes, or none if the numbers do not
/// suffice.
pub(crate) fn draw(web: &Web, half_axes: Vector) -> Option<Vec<Vector>> {
    let mut springs = Springs::of(web);
    let mut places = vec![Vector::default(); web.nodes.len()];
    let frame = web.nodes.iter().enumerate().filter(|(_, node)| **node == Node::Frame);
    for (k, (point, _)) in frame.enumerate() {
        let (x, y) = CIRCLE[k % 4];
        let turned = match k / (FRAME / 4) {
            0 => Vector::new(x, y),
            1 => Vector::new(-y, x),
            2 => Vector::new(-x, -y),
            _ => Vector::new(y, -x),
        };
        places[point] = Vector::new(turned.x * half_axes.x, turned.y * half_axes.y);
    }
    let is_fixed: Vec<bool> = web.nodes.iter().map(|node| *node == Node::Frame).collect();
    let mut best = None;
    for _ in 0..ROUNDS {
        springs.solve(&mut places, &is_fixed);
        if !web
            .triangles
            .iter()
            .all(|([a, b, c], _)| area(places[*a], places[*b], places[*c]) > 0.0)
        {
            break;
        }
        best = Some(places.clone());
        springs.choose(&places);
    }
    best
}

impl Springs {
    fn of(web: &Web) -> Self {
        let mut edges: Vec<(usize, usize)> = web
            .triangles
            .iter()
            .flat_map(|&([a, b, c], _)| [(a, b), (b, a), (b, c), (c, b), (c, a), (a, c)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut starts = vec![0; web.nodes.len() + 1];
        edges.iter().for_each(|&(from, _)| starts[from + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let to: Vec<usize> = edges.into_iter().map(|(_, to)| to).collect();
        let weights = vec![1.0; to.len()];
        Self { starts, to, weights }
    }

    fn row(&self, point: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[point]..self.starts[point + 1];
        self.to[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    fn choose(&mut self, places: &[Vector]) {
        for point in 0..places.len() {
            for k in self.starts[point]..self.starts[point + 1] {
                self.weights[k] *= (places[self.to[k]] - places[point]).length().max(1e-9).sqrt();
            }
        }
    }

    /// Conjugate gradients, each coordinate with its own factors, with the diagonal divided out.
    fn solve(&self, places: &mut [Vector], is_fixed: &[bool]) {
        let count = places.len();
        let diagonal: Vec<f64> =
            (0..count).map(|point| self.row(point).map(|(_, weight)| weight).sum()).collect();
        let residue = |x: &[Vector], point: usize| {
            let pull = |sum: Vector, (to, weight): (usize, f64)| sum + (x[to] - x[point]) * weight;
            self.row(point).fold(Vector::default(), pull)
        };
        let free: Vec<usize> = (0..count).filter(|&point| !is_fixed[point]).collect();
        let mut rest = vec![Vector::default(); count];
        let mut step = vec![Vector::default(); count];
        for &point in &free {
            rest[point] = residue(places, point);
            step[point] = rest[point] * (1.0 / diagonal[point]);
        }
        let both = |a: &[Vector], b: &[Vector], scale: &dyn Fn(usize) -> f64| {
            free.iter().fold(Vector::default(), |sum, &p| {
                sum + Vector::new(a[p].x * b[p].x, a[p].y * b[p].y) * scale(p)
            })
        };
        let inverse = |point: usize| 1.0 / diagonal[point];
        let mut norm = both(&rest, &rest, &inverse);
        let enough = norm * 1e-26;
        let mut image = vec![Vector::default(); count];
        for _ in 0..2 * count {
            if (norm.x <= enough.x || norm.x == 0.0) && (norm.y <= enough.y || norm.y == 0.0) {
                break;
            }
            for &point in &free {
                image[point] = residue(&step, point) * -1.0;
            }
            let curvature = both(&step, &image, &|_| 1.0);
            let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
            let length = Vector::new(ratio(norm.x, curvature.x), ratio(norm.y, curvature.y));
            for &point in &free {
                let (s, i) = (step[point], image[point]);
                places[point] += Vector::new(s.x * length.x, s.y * length.y);
                rest[point] = rest[point] - Vector::new(i.x * length.x, i.y * length.y);
            }
            let now = both(&rest, &rest, &inverse);
            let turn = Vector::new(ratio(now.x, norm.x), ratio(now.y, norm.y));
            norm = now;
            for &point in &free {
                let s = step[point];
                step[point] =
                    rest[point] * inverse(point) + Vector::new(s.x * turn.x, s.y * turn.y);
            }
        }
    }
}
