//! From a drawing that is plane to one that is good to look at.
//!
//! Curves are under tension, faces need an area for what they have inside, and things keep their
//! distance. Each point in turn moves to where these forces pull it, as far as the triangles of the
//! mesh allow: none may lose more than a part of its area at once. So none turns over, and no curve
//! can pass through another.

use crate::cobweb::Node;
use crate::map::{Fill, Map, Mark};
use crate::mesh::{Mesh, NONE, next};
use crate::vector::{Vector, area, is_left};

/// The longest way of a point in one sweep, in units (the distance of two spots with enough room).
const MAX_STEP: f64 = 0.25;
/// What a triangle may lose of its area by one move.
const LOSS: f64 = 0.7;
/// A point that may go less than this part of its way looks for a way along the obstacle.
const BLOCKED: f64 = 0.5;
/// A segment of a curve is split when it is longer than this.
const LONG: f64 = 0.55;

/// The most points that are made: enough for every picture that a person can look at.
const MOST: usize = 4000;
/// A bend is removed when it is nearer than this to a neighbour on its curve.
const SHORT: f64 = 0.2;

/// A loop at one spot keeps this many bends, so that it is round.
pub(crate) const LOOP: usize = 5;

/// The space that a point needs around it: half of the distance of two spots.
const SPOT: f64 = 0.5;
const GROUP: f64 = 1.05;
const GENUS: f64 = 0.75;
const DEAD: f64 = 0.24;
const BEND: f64 = 0.22;
const FRAME: f64 = 0.3;
/// The part of its way to the middle that a point goes at once.
const GRAVITY: f64 = 0.015;
/// How much nearer things may stand across a dead face.
const ACROSS_DEAD: f64 = 0.5;

/// How much more room a face needs that dead spots with numbers bound. Less leaves some full drawings
/// of twelve spots without a picture; with more, spots are small beside the whole.
const NUMBERED: f64 = 2.0;

/// The areas that the faces of a map need.
pub(crate) struct Areas {
    pub wanted: Vec<f64>,
    /// The area of all faces.
    pub total: f64,
}

impl Areas {
    pub fn of(map: &Map, outer: usize) -> Self {
        let mut wanted = Vec::new();
        let degrees = map.degrees();
        for (f, face) in map.faces.iter().enumerate() {
            let corners = |mark: fn(&Mark) -> bool| {
                let tails = face.walks.iter().flatten().map(|&dart| map.tail(dart));
                tails.filter(|&vertex| mark(&map.vertices[vertex])).count() as f64
            };
            let (spots, dead) = (corners(|m| *m != Mark::Dead), corners(|m| *m == Mark::Dead));
            let alone: f64 = face
                .alone
                .iter()
                .map(|&vertex| match map.vertices[vertex] {
                    Mark::Group(_) => 4.5,
                    Mark::Genus(_) => 2.5,
                    Mark::Spot(_) | Mark::Dead => 1.3,
                })
                .sum();
            // In a full drawing every dead spot bears a number, and curves are close to each other.
            let mut tails = face.walks.iter().flatten().map(|&dart| map.tail(dart));
            let is_numbered = tails.any(|v| degrees[v] > 2 && map.vertices[v] != Mark::Dead);
            // Curves that the face has on both sides take room, and so do the spots at their tips.
            let inside = |dart: &&usize| map.left[**dart] == map.left[**dart ^ 1];
            let arms = face.walks.iter().flatten().filter(inside).count() as f64;
            let is_tip = |dart: &&usize| degrees[map.tail(**dart)] == 1;
            let tips = face.walks.iter().flatten().filter(is_tip).count() as f64;
            wanted.push(match face.fill {
                Fill::Dead if dead < 2.0 => 0.8,
                Fill::Dead => 0.1 + 0.15 * spots + 0.07 * dead,
                Fill::Region(_) => {
                    let walks = face.walks.len().saturating_sub(1) as f64;
                    let curves = face.walks.iter().map(Vec::len).sum::<usize>() as f64;
                    let walls = 0.3 * spots + 0.1 * curves + 0.1 * dead + 0.4 * walks;
                    let room = 0.5 + walls + alone + 0.15 * arms + 0.5 * tips;
                    let room = if is_numbered { NUMBERED * room } else { room };
                    if f == outer { 1.6 * room + 0.5 } else { room }
                }
            });
        }
        let total = wanted.iter().sum();
        Self { wanted, total }
    }
}

/// A mesh on its way.
pub(crate) struct Relaxation<'a> {
    pub mesh: Mesh,
    map: &'a Map,
    degrees: Vec<usize>,
    radii: Vec<f64>,
    areas: &'a Areas,
    outer: usize,
    /// How much each face presses on its walls.
    pressures: Vec<f64>,
}

impl<'a> Relaxation<'a> {
    pub fn new(mesh: Mesh, map: &'a Map, areas: &'a Areas, outer: usize) -> Self {
        let pressures = vec![0.0; map.faces.len()];
        let degrees = map.degrees();
        let mut relaxation =
            Self { mesh, map, degrees, radii: Vec::new(), areas, outer, pressures };
        relaxation.measure_new();
        relaxation
    }

    fn measure_new(&mut self) {
        for node in &self.mesh.nodes[self.radii.len()..] {
            self.radii.push(match node {
                Node::Vertex(v) => match self.map.vertices[*v] {
                    Mark::Spot(_) => SPOT,
                    Mark::Group(_) => GROUP,
                    Mark::Genus(_) => GENUS,
                    Mark::Dead => DEAD,
                },
                Node::Bend => BEND,
                Node::Frame => FRAME,
                Node::Thread => 0.0,
            });
        }
    }

    /// Moves every point once, by a share of its wish. Returns the longest way that a point wished
    /// to go.
    pub fn sweep(&mut self, share: f64) -> f64 {
        self.press();
        let mut most: f64 = 0.0;
        for point in 0..self.mesh.nodes.len() as u32 {
            let node = self.mesh.nodes[point as usize];
            if matches!(node, Node::Vertex(_) | Node::Bend) && self.mesh.is_used(point) {
                let wish = self.wish(point) * share;
                most = most.max(self.go(point, wish));
            }
        }
        self.mesh.improve();
        most
    }

    /// Removes the bends that are too near to their neighbours.
    pub fn coarsen(&mut self) {
        let mut bends = vec![0; self.map.curves.len()];
        for half in self.mesh.halves() {
            let mesh = &self.mesh;
            let (dart, point) = (mesh.dart(half), mesh.origin(half));
            let is_forward = dart != NONE && dart.is_multiple_of(2) && point != NONE;
            if is_forward && mesh.nodes[point as usize] == Node::Bend {
                bends[dart as usize / 2] += 1;
            }
        }
        for point in 0..self.mesh.nodes.len() as u32 {
            let mesh = &self.mesh;
            if mesh.nodes[point as usize] != Node::Bend || !mesh.is_used(point) {
                continue;
            }
            let way = |half: u32| (mesh.place(mesh.target(half)) - mesh.place(point)).length();
            let arms = mesh.star(point).filter(|&half| mesh.dart(half) != NONE);
            let nearest = arms.map(|half| (way(half), half)).min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((length, half)) = nearest
                && length < SHORT
            {
                let curve = mesh.dart(half) as usize / 2;
                let [from, to] = self.map.curves[curve];
                if (from != to || bends[curve] > LOOP) && self.mesh.collapse(half) {
                    bends[curve] -= 1;
                }
            }
        }
    }

    /// Splits the segments that are too long.
    pub fn refine(&mut self) {
        for half in self.mesh.halves() {
            let mesh = &self.mesh;
            let dart = mesh.dart(half);
            if dart != NONE && dart.is_multiple_of(2) && mesh.origin(half) != NONE {
                let way = mesh.place(mesh.target(half)) - mesh.place(mesh.origin(half));
                if way.length() > LONG && mesh.nodes.len() < MOST {
                    self.mesh.split(half);
                }
            }
        }
        self.measure_new();
    }

    fn press(&mut self) {
        let mut areas = vec![0.0; self.pressures.len()];
        let mut squares = vec![0.0; self.pressures.len()];
        let mesh = &self.mesh;
        for half in mesh.halves() {
            if mesh.origin(half) == NONE {
                continue;
            }
            let face = mesh.face(half) as usize;
            if half.is_multiple_of(3) {
                areas[face] += mesh.area(half) * 0.5;
            }
            if mesh.dart(half) != NONE {
                let way = mesh.place(mesh.target(half)) - mesh.place(mesh.origin(half));
                squares[face] += way.dot(way);
            }
        }
        for f in 0..areas.len() {
            if f == self.outer {
                continue;
            }
            let missing = self.areas.wanted[f] - areas[f];
            // Where things are tiny, the pressure is at most the size of the walls themselves.
            let most = 0.5 * squares[f].sqrt();
            let press = 0.4 * missing / squares[f].max(1e-12);
            let press = press.clamp(-1.0, (most / squares[f].max(1e-12)).max(1.0));
            // It is mixed with the pressure before, so that walls do not swing to and fro.
            self.pressures[f] = 0.6 * self.pressures[f] + 0.4 * press;
        }
    }

    /// Where a point wants to go.
    fn wish(&self, point: u32) -> Vector {
        let mesh = &self.mesh;
        let here = mesh.place(point);
        let mine = self.radii[point as usize];
        let mut wish = here * -GRAVITY;
        let (mut pull, mut arms) = (Vector::default(), 0);
        for half in mesh.star(point) {
            let other = mesh.target(half);
            let way = mesh.place(other) - here;
            let length = way.length();
            let dart = mesh.dart(half);
            let (left, right) = (mesh.face(half) as usize, mesh.face(mesh.twin(half)) as usize);
            if dart == NONE {
                let (at, to) = (next(half), next(mesh.twin(half)));
                // Two points on one curve with one point between them may be near each other, but
                // two spots may not.
                let is_corner = |h: u32| mesh.dart(h) != NONE && mesh.dart(next(h)) != NONE;
                let is_narrow = self.radii[point as usize].min(self.radii[other as usize]) < SPOT;
                if !is_narrow || !(is_corner(at) || is_corner(to)) {
                    wish += away(way, length, self.distance(mine, other, left), 0.5);
                }
            } else {
                pull += way;
                arms += 1;
                let press = self.pressures[left] - self.pressures[right];
                wish += way.right() * (0.5 * press);
                wish += away(way, length, self.span(point) + self.span(other), 0.4);
            }
            self.altitudes(point, half, mine, &mut wish);
        }
        if arms > 0 {
            let weight = if arms == 1 { 0.02 } else { 0.5 };
            wish += pull * (weight / f64::from(arms));
        }
        wish
    }

    /// The length that a point wants for a segment of its curve.
    fn span(&self, point: u32) -> f64 {
        match self.mesh.nodes[point as usize] {
            Node::Bend => 0.09,
            _ => 0.75 * self.radii[point as usize],
        }
    }

    fn distance(&self, mine: f64, other: u32, face: usize) -> f64 {
        let distance = mine + self.radii[other as usize];
        if self.map.faces[face].fill == Fill::Dead { ACROSS_DEAD * distance } else { distance }
    }

    /// The distances between points and segments in the triangle to the left of a half-edge from
    /// `point`.
    fn altitudes(&self, point: u32, half: u32, mine: f64, wish: &mut Vector) {
        let mesh = &self.mesh;
        let face = mesh.face(half) as usize;
        let here = mesh.place(point);
        let (b, c) = (mesh.target(half), mesh.target(next(half)));
        let (at_b, at_c) = (mesh.place(b), mesh.place(c));
        let darts = [half, next(half), next(next(half))].map(|h| mesh.dart(h) != NONE);
        let scale = if self.map.faces[face].fill == Fill::Dead { ACROSS_DEAD } else { 1.0 };
        match darts {
            // The point before a segment.
            [false, true, false] => {
                if let Some((foot, _)) = foot(here, at_b, at_c) {
                    let way = foot - here;
                    *wish += away(way, way.length(), scale * (mine + BEND), 0.4);
                }
            }
            // The point as an end of a segment, with another before it.
            [true, false, false] | [false, false, true] => {
                let (end, before, other) = if darts[0] { (at_b, at_c, c) } else { (at_c, at_b, b) };
                if let Some((foot, share)) = foot(before, here, end) {
                    let way = before - foot;
                    let distance = scale * (self.radii[other as usize] + BEND);
                    *wish += away(way, way.length(), distance, 0.4 * (1.0 - share));
                }
            }
            // The point between two arms, or at the end of one. The arms keep an angle at every
            // scale.
            [true, false, true] => {}
            [true, true, false] | [false, true, true] => {
                let (at_apex, at_other) = if darts[0] { (at_b, at_c) } else { (at_c, at_b) };
                let is_junction = self.degrees_at(if darts[0] { b } else { c }) != 2;
                let (one, other) = (here - at_apex, at_other - at_apex);
                let opened = if is_junction { 0.9 } else { 1.4 };
                let way = at_other - here;
                let wanted = opened * one.length().min(other.length());
                *wish += away(way, way.length(), wanted, 0.35);
            }
            _ => {}
        }
    }

    fn degrees_at(&self, point: u32) -> usize {
        match self.mesh.nodes[point as usize] {
            Node::Vertex(v) => self.degrees[v],
            _ => 2,
        }
    }

    /// Moves a point as far as its triangles allow. Returns how far it wished to go.
    fn go(&mut self, point: u32, wish: Vector) -> f64 {
        let length = wish.length();
        if length < 1e-12 {
            return 0.0;
        }
        let way = if length > MAX_STEP { wish * (MAX_STEP / length) } else { wish };
        let (mut step, wall) = self.reach(point, way);
        // A point moves along what is in its way. Otherwise points that are close would block each
        // other.
        if let Some(wall) = wall {
            let along = wall * (way.dot(wall) / wall.dot(wall));
            let (other, _) = self.reach(point, along);
            if other.dot(other) > step.dot(step) {
                step = other;
            }
        }
        let mesh = &self.mesh;
        let there = (mesh.place(point) + step).on_grid();
        let is_plane = |half: u32| {
            let (b, c) = (mesh.target(half), mesh.target(next(half)));
            is_left(there, mesh.place(b), mesh.place(c))
        };
        if mesh.star(point).all(is_plane) {
            self.mesh.places[point as usize] = there;
        }
        way.length()
    }

    /// The part of its way that a point may go, and the wall that is near, if there is one.
    fn reach(&self, point: u32, way: Vector) -> (Vector, Option<Vector>) {
        let mesh = &self.mesh;
        let here = mesh.place(point);
        let (mut share, mut wall) = (1.0, None);
        for half in mesh.star(point) {
            let (b, c) = (mesh.target(half), mesh.target(next(half)));
            let (b, c) = (mesh.place(b), mesh.place(c));
            let (now, then) = (area(here, b, c), area(here + way, b, c));
            if then < now * (1.0 - LOSS) && LOSS * now < share * (now - then) {
                share = (LOSS * now / (now - then)).max(0.0);
                wall = Some(c - b);
            }
        }
        (way * share, wall.filter(|_| share < BLOCKED))
    }
}

/// What pushes a point away from another at `way`, if that is nearer than `distance`.
fn away(way: Vector, length: f64, distance: f64, share: f64) -> Vector {
    if length >= distance || length < 1e-15 {
        return Vector::default();
    }
    way * (-share * (distance - length) / length)
}

/// The foot of a point on a segment and where on it that is, if it is between the ends.
fn foot(point: Vector, a: Vector, b: Vector) -> Option<(Vector, f64)> {
    let way = b - a;
    let share = (point - a).dot(way) / way.dot(way);
    (share > 0.0 && share < 1.0).then(|| (a + way * share, share))
}
