//! The first drawing: every point is the weighted mean of its neighbours (Tutte 1963).
//!
//! A triangulation without double edges, its frame convex, is drawn without crossings whatever the
//! positive weights are. They are chosen anew a few times so that long edges pull harder and what
//! is nested deeply gets room.

use std::collections::{BTreeSet, VecDeque};
use std::f64::consts::FRAC_1_SQRT_2;

use crate::cobweb::{FRAME, Node, Triangle, Web};
use crate::vector::{Vector, is_left};

/// How often weights are chosen.
const ROUNDS: usize = 8;
/// After this many rounds, the innermost parts must have found room on the grid.
const PATIENCE: usize = 3;
/// The part of the strength of a spring that is left one step further away from the frame. The
/// first value that is enough is taken: the more springs differ, the less even a drawing is.
const DECAYS: [f64; 3] = [0.5, 0.35, 0.25];

/// The corners of the frame on a unit circle.
const CIRCLE: [(f64, f64); 4] = [
    (1.0, 0.0),
    (0.923_879_532_511_286_7, 0.382_683_432_365_089_8),
    (FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    (0.382_683_432_365_089_8, 0.923_879_532_511_286_7),
];

/// The weights between the points of a web, by rows.
struct Springs {
    starts: Vec<usize>,
    to: Vec<usize>,
    weights: Vec<f64>,
}

/// A plane drawing of a web inside an ellipse of these half axes, or `None` if the grid is too
/// coarse for it.
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
    DECAYS.into_iter().find_map(|decay| {
        springs.weaken(&is_fixed, decay);
        springs.settle(&mut places, web, &is_fixed)
    })
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

    /// Makes springs weaker the farther they are from the fixed points. Without that, nested parts
    /// shrink by some factor with each step, and are lost on the grid after some twenty.
    fn weaken(&mut self, is_fixed: &[bool], decay: f64) {
        let mut strength: Vec<f64> = is_fixed.iter().map(|&f| f64::from(u8::from(f))).collect();
        let mut queue: VecDeque<usize> = (0..is_fixed.len()).filter(|&p| is_fixed[p]).collect();
        while let Some(point) = queue.pop_front() {
            for &to in &self.to[self.starts[point]..self.starts[point + 1]] {
                if strength[to] == 0.0 {
                    strength[to] = strength[point] * decay;
                    queue.push_back(to);
                }
            }
        }
        for point in 0..is_fixed.len() {
            for k in self.starts[point]..self.starts[point + 1] {
                self.weights[k] = strength[point] * strength[self.to[k]];
            }
        }
    }

    /// Draws, and chooses strengths anew by the lengths of the springs, for some rounds.
    fn settle(
        &mut self,
        places: &mut [Vector],
        web: &Web,
        is_fixed: &[bool],
    ) -> Option<Vec<Vector>> {
        let mut best = None;
        for round in 0..ROUNDS {
            self.solve(places, is_fixed);
            let drawn: Vec<Vector> = places.iter().map(|place| place.on_grid()).collect();
            let is_plane = |([a, b, c], _): &Triangle| is_left(drawn[*a], drawn[*b], drawn[*c]);
            if web.triangles.iter().all(is_plane) {
                best = Some(drawn);
            } else if best.is_some() || round >= PATIENCE {
                break;
            }
            self.choose(places);
        }
        best
    }

    fn choose(&mut self, places: &[Vector]) {
        for point in 0..places.len() {
            for k in self.starts[point]..self.starts[point + 1] {
                self.weights[k] *= (places[self.to[k]] - places[point]).length().max(1e-9).sqrt();
            }
        }
    }

    /// Every free point becomes the weighted mean of its neighbours.
    ///
    /// Points are removed one by one, those with the fewest neighbours first. They are replaced by
    /// springs between their neighbours. When they are put back in the reverse order, each is the
    /// mean of points that are known. Only sums, products and quotients of positive numbers are
    /// formed, so almost nothing is lost to rounding, however stiff the springs are.
    fn solve(&self, places: &mut [Vector], is_fixed: &[bool]) {
        let mut rows: Vec<Vec<(usize, f64)>> =
            (0..places.len()).map(|point| self.row(point).collect()).collect();
        let mut waiting: BTreeSet<(usize, usize)> = (0..places.len())
            .filter(|&point| !is_fixed[point])
            .map(|point| (rows[point].len(), point))
            .collect();
        let mut taken = Vec::new();
        while let Some((_, point)) = waiting.pop_first() {
            let row = std::mem::take(&mut rows[point]);
            let total: f64 = row.iter().map(|(_, weight)| weight).sum();
            for &(one, weight) in row.iter().filter(|(one, _)| !is_fixed[*one]) {
                waiting.remove(&(rows[one].len(), one));
                rows[one].retain(|(to, _)| *to != point);
                for &(other, share) in row.iter().filter(|(other, _)| *other != one) {
                    let spring = weight * share / total;
                    match rows[one].iter_mut().find(|(to, _)| *to == other) {
                        Some((_, sum)) => *sum += spring,
                        None => rows[one].push((other, spring)),
                    }
                }
                waiting.insert((rows[one].len(), one));
            }
            taken.push((point, row, total));
        }
        for (point, row, total) in taken.into_iter().rev() {
            let pull = |sum: Vector, &(to, weight): &(usize, f64)| sum + places[to] * weight;
            places[point] = row.iter().fold(Vector::default(), pull) * (1.0 / total);
        }
    }
}
