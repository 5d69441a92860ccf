//! Points in the plane with a triangulation of all that lies between them.
//!
//! As long as every triangle is counter-clockwise, no curve crosses another and nothing leaves its
//! face: so the mesh keeps the picture right while its points move. Places lie on a grid, so that
//! this is decided exactly, however thin a triangle is. Edges that are no part of a curve may be
//! flipped.

use std::cmp::Ordering;

use crate::cobweb::{Node, Web};
use crate::map::{Dart, Map};
use crate::vector::{Vector, area, is_left, turn};

/// The area of a sliver as a part of the squares of its sides.
const SLIVER: f64 = 1e-9;

/// Stands for no half-edge, or no dart.
pub(crate) const NONE: u32 = u32::MAX;

/// Three half-edges for each triangle: number `3 * t + i` leads from point `i` of triangle `t` to
/// the next one.
pub(crate) struct Mesh {
    pub places: Vec<Vector>,
    pub nodes: Vec<Node>,
    /// Where each half-edge begins; [`NONE`] where the triangle is gone.
    pub from: Vec<u32>,
    /// The half-edge in the other direction; [`NONE`] on the frame.
    twin: Vec<u32>,
    /// The dart that a half-edge is a part of, [`NONE`] between curves.
    pub dart: Vec<u32>,
    /// The face of each triangle.
    face: Vec<u32>,
    /// A half-edge that begins at each point.
    out: Vec<u32>,
    /// Triangles that are gone and may be used again.
    free: Vec<u32>,
}

pub(crate) fn next(half: u32) -> u32 {
    if half % 3 == 2 { half - 2 } else { half + 1 }
}

fn previous(half: u32) -> u32 {
    if half.is_multiple_of(3) { half + 2 } else { half - 1 }
}

impl Mesh {
    /// The mesh of a web whose points are drawn at `places`, on the grid.
    pub fn new(web: &Web, places: Vec<Vector>) -> Self {
        let mut from = Vec::new();
        let mut face = Vec::new();
        for &(corners, f) in &web.triangles {
            from.extend(corners.map(|corner| corner as u32));
            face.push(f as u32);
        }
        let halves = from.len();
        let mut out = vec![NONE; places.len()];
        let mut edges = Vec::with_capacity(halves);
        for half in 0..halves as u32 {
            let (a, b) = (from[half as usize], from[next(half) as usize]);
            out[a as usize] = half;
            edges.push((a.min(b), a.max(b), half));
        }
        edges.sort_unstable();
        let mut twin = vec![NONE; halves];
        for pair in edges.windows(2) {
            if (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) {
                twin[pair[0].2 as usize] = pair[1].2;
                twin[pair[1].2 as usize] = pair[0].2;
            }
        }
        let dart = vec![NONE; halves];
        let nodes = web.nodes.clone();
        let mut mesh = Self { places, nodes, from, twin, dart, face, out, free: Vec::new() };
        for (c, chain) in web.chains.iter().enumerate() {
            for pair in chain.windows(2) {
                let half = mesh.half(pair[0] as u32, pair[1] as u32);
                mesh.dart[half as usize] = 2 * c as u32;
                let other = mesh.twin(half);
                mesh.dart[other as usize] = 2 * c as u32 + 1;
            }
        }
        mesh
    }

    pub fn twin(&self, half: u32) -> u32 {
        self.twin[half as usize]
    }

    pub fn origin(&self, half: u32) -> u32 {
        self.from[half as usize]
    }

    pub fn target(&self, half: u32) -> u32 {
        self.from[next(half) as usize]
    }

    pub fn dart(&self, half: u32) -> u32 {
        self.dart[half as usize]
    }

    pub fn face(&self, half: u32) -> u32 {
        self.face[half as usize / 3]
    }

    pub fn place(&self, point: u32) -> Vector {
        self.places[point as usize]
    }

    fn half(&self, a: u32, b: u32) -> u32 {
        let found = self.star(a).find(|&half| self.target(half) == b);
        found.expect("the points of a curve are neighbours in the web")
    }

    /// The half-edges that begin at a point, counter-clockwise. The point must not be on the frame.
    pub fn star(&self, point: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.out[point as usize];
        let mut half = first;
        let mut is_done = first == NONE;
        std::iter::from_fn(move || {
            if is_done {
                return None;
            }
            let this = half;
            half = self.twin(previous(half));
            is_done = half == first || half == NONE;
            Some(this)
        })
    }

    /// Twice the area of the triangle of a half-edge.
    pub fn area(&self, half: u32) -> f64 {
        let [a, b, c] = [half, next(half), previous(half)].map(|h| self.place(self.origin(h)));
        area(a, b, c)
    }

    pub fn halves(&self) -> std::ops::Range<u32> {
        0..self.from.len() as u32
    }

    fn glue(&mut self, one: u32, other: u32) {
        self.twin[one as usize] = other;
        if other != NONE {
            self.twin[other as usize] = one;
        }
    }

    fn set(&mut self, half: u32, from: u32, dart: u32) {
        self.from[half as usize] = from;
        self.dart[half as usize] = dart;
        self.out[from as usize] = half;
    }

    /// The ends of an edge, and the corners to its left and right.
    fn diamond(&self, half: u32) -> [u32; 4] {
        let other = self.twin(half);
        [half, other, previous(half), previous(other)].map(|h| self.origin(h))
    }

    /// Turns the edge between two triangles into the other diagonal, if that keeps both
    /// counter-clockwise.
    pub fn flip(&mut self, half: u32) -> bool {
        if self.twin(half) == NONE || self.dart(half) != NONE {
            return false;
        }
        let [p, q, r, s] = self.diamond(half).map(|point| self.place(point));
        let is_fit = is_left(p, s, r) && is_left(s, q, r);
        if is_fit {
            self.turn_over(half);
        }
        is_fit
    }

    fn turn_over(&mut self, half: u32) {
        let other = self.twin(half);
        let [p, q, r, s] = self.diamond(half);
        let (b, c, e, f) = (next(half), previous(half), next(other), previous(other));
        // Before: p q r and q p s. After: p s r and s q r.
        let (twins, darts) =
            ([b, c, e, f].map(|h| self.twin(h)), [b, c, e, f].map(|h| self.dart(h)));
        self.set(half, s, NONE);
        self.set(b, r, darts[1]);
        self.set(c, p, darts[2]);
        self.set(other, r, NONE);
        self.set(e, s, darts[3]);
        self.set(f, q, darts[0]);
        self.glue(b, twins[1]);
        self.glue(c, twins[2]);
        self.glue(e, twins[3]);
        self.glue(f, twins[0]);
    }

    /// Removes a point that is on no curve.
    ///
    /// Each flip takes one triangle away from the point, so this ends. That there is an edge to
    /// flip follows from the signs alone, and those are exact: the triangles around a point make a
    /// polygon with at least three convex corners. An edge to a convex corner can be flipped unless
    /// the two triangles at it fill half a turn. With five triangles and more, at most two
    /// neighbouring corners are blocked in this way. With four, a half turn is allowed: the flat
    /// triangle is removed with the point.
    pub fn remove(&mut self, point: u32) {
        loop {
            let star: Vec<u32> = self.star(point).collect();
            if let [a, b, c] = star[..] {
                self.merge(point, [a, b, c]);
                return;
            }
            let least = if star.len() == 4 { Ordering::Equal } else { Ordering::Greater };
            let flipped = star.into_iter().any(|half| self.flip_away(half, least));
            assert!(flipped, "one of more than three triangles around a point can be flipped");
        }
    }

    /// Flips an edge that begins at a point. The triangle that the point keeps may be as flat as
    /// `least` says.
    fn flip_away(&mut self, half: u32, least: Ordering) -> bool {
        let [p, q, r, s] = self.diamond(half).map(|point| self.place(point));
        let is_fit = turn(p, s, r) >= least && is_left(s, q, r);
        if is_fit {
            self.turn_over(half);
        }
        is_fit
    }

    fn merge(&mut self, point: u32, star: [u32; 3]) {
        let rims = star.map(next);
        let corners = rims.map(|half| self.origin(half));
        let darts = rims.map(|half| self.dart(half));
        let twins = rims.map(|half| self.twin(half));
        for &half in &star[1..] {
            let triangle = half / 3;
            (0..3).for_each(|i| self.from[(3 * triangle + i) as usize] = NONE);
            self.free.push(triangle);
        }
        let first = star[0] - star[0] % 3;
        for (half, ((corner, dart), twin)) in
            (first..).zip(corners.into_iter().zip(darts).zip(twins))
        {
            self.set(half, corner, dart);
            self.glue(half, twin);
        }
        self.out[point as usize] = NONE;
    }

    /// A triangle in place of one that is gone, or a new one.
    fn triangle(&mut self, face: u32) -> u32 {
        let triangle = self.free.pop().unwrap_or_else(|| {
            self.from.extend([NONE; 3]);
            self.twin.extend([NONE; 3]);
            self.dart.extend([NONE; 3]);
            self.face.push(NONE);
            self.face.len() as u32 - 1
        });
        self.face[triangle as usize] = face;
        3 * triangle
    }

    /// Puts a bend in the middle of a segment of a curve. Returns `false` when its triangles are
    /// too thin.
    pub fn split(&mut self, half: u32) -> bool {
        let middle = self.places.len() as u32;
        let [p, q, r, s] = self.diamond(half).map(|point| self.place(point));
        let there = ((p + q) * 0.5).on_grid();
        let sides = [[there, r, p], [there, q, r], [there, p, s], [there, s, q]];
        if !sides.into_iter().all(|[a, b, c]| is_left(a, b, c)) {
            return false;
        }
        self.places.push(there);
        self.nodes.push(Node::Bend);
        self.out.push(NONE);
        let other = self.twin(half);
        let one = self.split_side(half, middle);
        let two = self.split_side(other, middle);
        self.glue(half, two);
        self.glue(other, one);
        true
    }

    /// Lets the triangle of a half-edge end in the middle of it. Returns the rest of the half-edge.
    fn split_side(&mut self, half: u32, middle: u32) -> u32 {
        let (after, before) = (next(half), previous(half));
        let (target, apex) = (self.origin(after), self.origin(before));
        let (dart, twin) = (self.dart(after), self.twin(after));
        let rest = self.triangle(self.face(half));
        self.set(rest, middle, self.dart(half));
        self.set(rest + 1, target, dart);
        self.set(rest + 2, apex, NONE);
        self.set(after, middle, NONE);
        self.glue(rest + 1, twin);
        self.glue(rest + 2, after);
        rest
    }

    /// Moves a bend into the next point of its curve, along the half-edge between them. Returns
    /// `false` if something is in the way.
    pub fn collapse(&mut self, half: u32) -> bool {
        let (point, other) = (self.origin(half), self.target(half));
        let twin = self.twin(half);
        let apexes = [previous(half), previous(twin)].map(|h| self.origin(h));
        let there = self.place(other);
        let star: Vec<u32> = self.star(point).collect();
        let blocks = |&h: &u32| {
            let (b, c) = (self.target(h), self.origin(previous(h)));
            let is_link = b != other && !apexes.contains(&b);
            (is_link && self.is_beside(b, other))
                || (b != other && c != other && {
                    let (b, c) = (self.place(b), self.place(c));
                    area(there, b, c)
                        <= SLIVER * (b - there).dot(b - there).max((c - there).dot(c - there))
                })
        };
        let has_two_darts = |h: u32| self.dart(next(h)) != NONE && self.dart(previous(h)) != NONE;
        if has_two_darts(half) || has_two_darts(twin) || star.iter().any(blocks) {
            return false;
        }
        for &h in &star {
            self.from[h as usize] = other;
        }
        for gone in [half, twin] {
            let (one, two) = (next(gone), previous(gone));
            let (outside_one, outside_two) = (self.twin(one), self.twin(two));
            for (outside, inside) in [(outside_one, two), (outside_two, one)] {
                if self.dart(outside) == NONE {
                    self.dart[outside as usize] = self.dart(inside);
                }
            }
            self.glue(outside_one, outside_two);
            for outside in [outside_one, outside_two] {
                let origin = self.origin(outside);
                self.out[origin as usize] = outside;
            }
            let triangle = gone / 3;
            (0..3).for_each(|i| self.from[(3 * triangle + i) as usize] = NONE);
            self.free.push(triangle);
        }
        self.out[point as usize] = NONE;
        true
    }

    /// Whether two points are joined by an edge; `point` may be on the frame.
    fn is_beside(&self, other: u32, point: u32) -> bool {
        self.star(point).any(|half| self.target(half) == other)
    }

    /// Whether a point is still in the mesh.
    pub fn is_used(&self, point: u32) -> bool {
        self.out[point as usize] != NONE
    }

    /// Flips edges until no triangle has a point in its circle that could be its corner.
    pub fn improve(&mut self) {
        for _ in 0..4 {
            let mut flipped = false;
            for half in self.halves() {
                let other = self.twin(half);
                // Each edge once. Half-edges of a triangle that is gone have no darts either.
                if other == NONE
                    || other < half
                    || self.dart(half) != NONE
                    || self.origin(half) == NONE
                {
                    continue;
                }
                let [p, q, r, s] = [half, next(half), previous(half), previous(other)]
                    .map(|h| self.place(self.origin(h)));
                // The angles at r and s together exceed two right ones.
                let (at_r, at_s) = ((p - r, q - r), (q - s, p - s));
                let (cos_r, cos_s) = (at_r.0.dot(at_r.1), at_s.0.dot(at_s.1));
                let (sin_r, sin_s) = (at_r.0.cross(at_r.1), at_s.0.cross(at_s.1));
                let sine = cos_r * sin_s + sin_r * cos_s;
                if sine < -1e-9 * (sin_r * sin_s).abs() {
                    flipped |= self.flip(half);
                }
            }
            if !flipped {
                return;
            }
        }
    }

    /// The points of each curve, from end to end.
    pub fn chains(&self, map: &Map) -> Vec<Vec<u32>> {
        let mut starts = vec![NONE; map.curves.len()];
        for half in self.halves() {
            let dart = self.dart(half);
            if dart != NONE && dart.is_multiple_of(2) && self.origin(half) != NONE {
                let at = map.tail(dart as Dart) as u32;
                let is_first = self.origin(half) == at;
                if is_first {
                    starts[dart as usize / 2] = half;
                }
            }
        }
        starts.iter().map(|&start| self.chain(start)).collect()
    }

    fn chain(&self, start: u32) -> Vec<u32> {
        let mut chain = vec![self.origin(start)];
        let mut half = start;
        loop {
            let point = self.target(half);
            chain.push(point);
            if self.nodes[point as usize] != Node::Bend {
                return chain;
            }
            let on = self.star(point).find(|&h| self.dart(h) == self.dart(half));
            half = on.expect("a curve goes on behind a bend");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Mesh;
    use crate::cobweb::{Node, Web};
    use crate::vector::{Vector, is_left};

    /// A point with corners around it, counter-clockwise.
    fn star(corners: &[Vector]) -> Mesh {
        let count = corners.len();
        let mut nodes = vec![Node::Frame; count];
        nodes.push(Node::Thread);
        let triangles = (0..count).map(|i| ([i, (i + 1) % count, count], 0)).collect();
        let web = Web { nodes, triangles, chains: Vec::new() };
        let mut places: Vec<Vector> = corners.iter().map(|corner| corner.on_grid()).collect();
        places.push(Vector::default());
        Mesh::new(&web, places)
    }

    /// Whether the point can be removed so that all triangles that are left are counter-clockwise.
    fn is_taken_out(corners: &[Vector]) -> bool {
        let mut mesh = star(corners);
        mesh.remove(corners.len() as u32);
        let left: Vec<u32> =
            mesh.halves().filter(|&h| h % 3 == 0 && mesh.origin(h) != super::NONE).collect();
        left.len() == corners.len() - 2
            && left.iter().all(|&half| {
                let [a, b, c] = [0, 1, 2].map(|i| mesh.place(mesh.origin(half + i)));
                is_left(a, b, c)
            })
    }

    #[test]
    fn a_point_among_slivers_can_be_taken_out() {
        // An earlier version waited for triangles that are no slivers, and never ended.
        let thin = f64::powi(2.0, -40);
        let v = Vector::new;
        assert!(is_taken_out(&[v(-1.0, 0.0), v(0.0, -thin), v(1.0, 0.0), v(0.0, thin)]));
        assert!(is_taken_out(&[
            v(-1.0, 0.0),
            v(-0.5, -thin),
            v(0.25, -thin),
            v(1.0, thin),
            v(0.5, 2.0 * thin),
            v(-0.25, thin)
        ]));
    }

    #[test]
    fn any_star_can_be_emptied() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as f64 / f64::powi(2.0, 31)
        };
        for count in 3..40 {
            for thin in [1.0, 1e-3, 1e-6, 1e-9] {
                // Corners in the order of their directions, at any distance: a star.
                let mut slopes: Vec<f64> = (0..count).map(|_| 4.0 * random()).collect();
                slopes.extend([0.1, 1.1, 2.1, 3.1]);
                slopes.sort_by(f64::total_cmp);
                slopes.dedup();
                let corners: Vec<Vector> = slopes
                    .iter()
                    .map(|slope| {
                        let (side, along) = (slope.floor(), slope.fract());
                        let (x, y) = (1.0 - along, along);
                        let far = 1.0 + 9.0 * random();
                        let (x, y) = match side as u8 {
                            0 => (x, y),
                            1 => (-y, x),
                            2 => (-x, -y),
                            _ => (y, -x),
                        };
                        Vector::new(x * far, y * far * thin)
                    })
                    .collect();
                assert!(is_taken_out(&corners), "{corners:?}");
            }
        }
    }
}
