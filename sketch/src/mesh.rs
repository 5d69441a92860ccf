//! Points in the plane with a triangulation of all that lies between them.
//!
//! As long as every triangle is counter-clockwise, no curve crosses another and nothing leaves its
//! face: the mesh is the guard of the picture while its points move. Edges that are no part of a
//! curve may be flipped.

use crate::cobweb::{Node, Web};
use crate::map::{Dart, Map};
use crate::vector::{Vector, area};

/// How often a point that cannot be taken out is moved.
const NUDGES: usize = 8;
/// How often a way is halved until it stays inside.
const HALVINGS: usize = 40;

/// No half-edge, no dart.
pub(crate) const NONE: u32 = u32::MAX;

/// Three half-edges a triangle: number `3 * t + i` leads from its point `i` to the next.
pub(crate) struct Mesh {
    pub places: Vec<Vector>,
    pub nodes: Vec<Node>,
    /// Where each half-edge begins; [`NONE`] where the triangle is gone.
    pub from: Vec<u32>,
    /// The same edge in the other direction; [`NONE`] on the frame.
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
    /// The mesh of a web whose points are drawn at `places`.
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

    /// Turns the edge between two triangles into the other diagonal, if that keeps both
    /// counter-clockwise.
    pub fn flip(&mut self, half: u32) -> bool {
        // Slivers are no triangles: their sign would be that of an error of rounding.
        self.flip_above(half, 1e-9)
    }

    /// The same, if both triangles have more than a share of the area of a square of their size.
    fn flip_above(&mut self, half: u32, share: f64) -> bool {
        let other = self.twin(half);
        if other == NONE || self.dart(half) != NONE {
            return false;
        }
        let (b, c, e, f) = (next(half), previous(half), next(other), previous(other));
        let [p, q, r, s] = [half, b, c, f].map(|h| self.origin(h));
        let [at_p, at_q, at_r, at_s] = [p, q, r, s].map(|point| self.place(point));
        let (p_to_q, s_to_r) = (at_q - at_p, at_r - at_s);
        let least = share * (p_to_q.dot(p_to_q) + s_to_r.dot(s_to_r));
        if area(at_p, at_s, at_r) <= least || area(at_s, at_q, at_r) <= least {
            return false;
        }
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
        true
    }

    /// Takes out a point that no curve passes. False when its triangles are too thin for that.
    pub fn remove(&mut self, point: u32) -> bool {
        let mut nudges = 0;
        loop {
            let star: Vec<u32> = self.star(point).collect();
            if let [a, b, c] = star[..] {
                self.merge(point, [a, b, c]);
                return true;
            }
            if !star.into_iter().any(|half| self.flip_above(half, 0.0)) {
                // It may lie on the line between two neighbours; any other place in its star will do.
                nudges += 1;
                if nudges > NUDGES || !self.nudge(point) {
                    return false;
                }
            }
        }
    }

    /// Moves a point a little within its triangles. False when they leave it no room.
    fn nudge(&mut self, point: u32) -> bool {
        let half = self.out[point as usize];
        let [a, b] = [next(half), previous(half)].map(|h| self.place(self.origin(h)));
        let here = self.place(point);
        let mut there = (a + b + here * 6.0) * 0.125;
        for _ in 0..HALVINGS {
            let is_inside = self.star(point).all(|h| {
                area(there, self.place(self.target(h)), self.place(self.origin(previous(h)))) > 0.0
            });
            if is_inside && there != here {
                self.places[point as usize] = there;
                return true;
            }
            there = (there + here) * 0.5;
        }
        false
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

    /// Puts a bend in the middle of a segment of a curve.
    pub fn split(&mut self, half: u32) {
        let middle = self.places.len() as u32;
        let ends = [self.origin(half), self.target(half)];
        self.places.push((self.place(ends[0]) + self.place(ends[1])) * 0.5);
        self.nodes.push(Node::Bend);
        self.out.push(NONE);
        let other = self.twin(half);
        let one = self.split_side(half, middle);
        let two = self.split_side(other, middle);
        self.glue(half, two);
        self.glue(other, one);
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

    /// Draws a bend into the next point of its curve, along the half-edge between them. False if
    /// something is in the way.
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
                        <= 1e-9 * (b - there).dot(b - there).max((c - there).dot(c - there))
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

    /// Flips edges until no triangle has a point in its circle that it could have for a corner.
    pub fn improve(&mut self) {
        for _ in 0..4 {
            let mut flipped = false;
            for half in self.halves() {
                let other = self.twin(half);
                // Each edge once; the two halves of a triangle that is gone have no darts either.
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
