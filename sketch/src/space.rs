//! The free space of a face, cut into triangles, in which ways are looked for.
//!
//! Each side of a wall has points of its own: the space is opened along its walls, and later along
//! every way that must not be crossed any more. So the triangles alone show what is a hole, and
//! what is joined to what.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use crate::drawn::UNIT;
use crate::exact::Point;
use crate::obstacles::Obstacles;
use crate::union::Union;
use crate::vector::Vector;

/// The distance of places at which a way may turn, where there is room.
const STEP: f64 = UNIT as f64 * 0.36;
/// Most of these places, about.
const PLACES: f64 = 2_500.0;
/// Ways keep this far from everything where they can.
pub(crate) const CLEAR: f64 = UNIT as f64 * 0.3;

/// What a point belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Label {
    /// To nothing: ways go through it.
    Free,
    /// To something that is on neither side.
    Neutral,
    /// To this boundary, which is not joined to anything.
    Hole(usize),
    /// To a side of the curve that is looked for: the first or the second.
    Side(usize),
    /// To the place where that curve begins or ends.
    Corner,
}

/// Triangles, counter-clockwise, and their points.
pub(crate) struct Space {
    pub at: Vec<Vector>,
    pub label: Vec<Label>,
    /// How far each point is from everything.
    room: Vec<f64>,
    triangles: Vec<[u32; 3]>,
}

/// Points by their exact places.
pub(crate) struct Points(HashMap<Point, u32>);

/// A corner of a triangle.
#[derive(Clone, Copy)]
pub(crate) struct Wedge {
    triangle: usize,
    corner: usize,
}

impl Points {
    /// The point at a place.
    pub fn at(&self, place: Point) -> Option<u32> {
        self.0.get(&place).copied()
    }
}

impl Space {
    /// Triangles between obstacles, in a box; `alone` are places of single spots.
    pub fn of(
        obstacles: &Obstacles,
        alone: &[Point],
        bounds: [Point; 2],
    ) -> Option<(Self, Points)> {
        let mut triangulation = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
        let mut points = HashMap::new();
        let [from, to] = bounds.map(Vector::from);
        let places = obstacles.walls.iter().flatten().chain(alone);
        for &place in places {
            let at = Vector::from(place);
            let added = triangulation.insert(Point2::new(at.x, at.y)).ok()?;
            points.insert(place, u32::try_from(added.index()).ok()?);
        }
        let all: Vec<_> = triangulation.fixed_vertices().collect();
        for [a, b] in &obstacles.walls {
            let [a, b] = [a, b].map(|place| all[points[place] as usize]);
            if a == b || !triangulation.can_add_constraint(a, b) {
                return None;
            }
            triangulation.add_constraint(a, b);
        }
        let size = to - from;
        let step = STEP.max((size.x * size.y / PLACES).sqrt());
        let mut y = from.y + step / 2.0;
        let mut is_odd = false;
        while y < to.y {
            let mut x = from.x + if is_odd { step } else { step / 2.0 };
            while x < to.x {
                let at = Vector::new(x.round(), y.round());
                if obstacles.nearest(at, &[]).0 > step / 2.0 {
                    triangulation.insert(Point2::new(at.x, at.y)).ok()?;
                }
                x += step;
            }
            y += step * 0.87;
            is_odd = !is_odd;
        }
        let vertices = triangulation.vertices().map(|vertex| vertex.position());
        let at: Vec<Vector> = vertices.map(|place| Vector::new(place.x, place.y)).collect();
        let faces = triangulation.inner_faces();
        let corners = |v: spade::handles::FixedVertexHandle| v.index() as u32;
        let triangles: Vec<[u32; 3]> =
            faces.map(|face| face.vertices().map(|vertex| corners(vertex.fix()))).collect();
        let mut space = Self {
            room: vec![0.0; at.len()],
            label: vec![Label::Neutral; at.len()],
            at,
            triangles,
        };
        for point in (points.len()..space.at.len()).rev() {
            space.label[point] = Label::Free;
            space.room[point] = obstacles.nearest(space.at[point], &[]).0;
        }
        Some((space, Points(points)))
    }

    /// The triangle to the left of the way from a point to another, with its corner at the first
    /// point.
    pub fn left(&self, from: u32, to: u32) -> Option<Wedge> {
        self.triangles.iter().enumerate().find_map(|(triangle, corners)| {
            let is_here = |&i: &usize| corners[i] == from && corners[(i + 1) % 3] == to;
            let corner = (0..3).find(is_here)?;
            Some(Wedge { triangle, corner })
        })
    }

    /// A triangle at a point.
    pub fn around(&self, point: u32) -> Option<Wedge> {
        self.triangles.iter().enumerate().find_map(|(triangle, corners)| {
            let corner = corners.iter().position(|&corner| corner == point)?;
            Some(Wedge { triangle, corner })
        })
    }

    /// The point at a corner.
    pub fn point(&self, wedge: Wedge) -> u32 {
        self.triangles[wedge.triangle][wedge.corner]
    }

    /// Which triangle has a side in a direction.
    fn sides(&self) -> HashMap<(u32, u32), usize> {
        let mut sides = HashMap::with_capacity(3 * self.triangles.len());
        for (triangle, corners) in self.triangles.iter().enumerate() {
            for i in 0..3 {
                sides.insert((corners[i], corners[(i + 1) % 3]), 3 * triangle + i);
            }
        }
        sides
    }

    /// Keeps what can be reached from some triangles without passing a wall. The wedges are those
    /// of the triangles that are kept.
    pub fn keep(&mut self, wedges: &mut [Wedge], walls: &HashSet<(u32, u32)>) {
        let sides = self.sides();
        let mut is_kept = vec![false; self.triangles.len()];
        let mut waiting: Vec<usize> = wedges.iter().map(|wedge| wedge.triangle).collect();
        while let Some(triangle) = waiting.pop() {
            if std::mem::replace(&mut is_kept[triangle], true) {
                continue;
            }
            let corners = self.triangles[triangle];
            for i in 0..3 {
                let (a, b) = (corners[i], corners[(i + 1) % 3]);
                if !walls.contains(&(a.min(b), a.max(b)))
                    && let Some(other) = sides.get(&(b, a))
                {
                    waiting.push(other / 3);
                }
            }
        }
        let mut number = vec![0; self.triangles.len()];
        let mut kept = Vec::new();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if is_kept[triangle] {
                number[triangle] = kept.len();
                kept.push(*corners);
            }
        }
        self.triangles = kept;
        for wedge in wedges {
            wedge.triangle = number[wedge.triangle];
        }
    }

    /// Opens the space along walls: each side of them gets points of its own.
    pub fn open(&mut self, walls: &HashSet<(u32, u32)>) {
        let sides = self.sides();
        // Corners of triangles that are connected at their point.
        let mut fans = Union::new(3 * self.triangles.len());
        for (triangle, corners) in self.triangles.iter().enumerate() {
            for i in 0..3 {
                let (a, b) = (corners[i], corners[(i + 1) % 3]);
                if walls.contains(&(a.min(b), a.max(b))) {
                    continue;
                }
                if let Some(&other) = sides.get(&(b, a)) {
                    let (there, next) = (other / 3 * 3, other % 3);
                    fans.join(3 * triangle + i, there + (next + 1) % 3);
                    fans.join(3 * triangle + (i + 1) % 3, there + next);
                }
            }
        }
        let mut owner: HashMap<u32, usize> = HashMap::new();
        let mut copies: HashMap<usize, u32> = HashMap::new();
        for corner in 0..3 * self.triangles.len() {
            let point = self.triangles[corner / 3][corner % 3];
            let fan = fans.root(corner);
            if *owner.entry(point).or_insert(fan) == fan {
                continue;
            }
            let copy = *copies.entry(fan).or_insert_with(|| {
                self.at.push(self.at[point as usize]);
                self.label.push(self.label[point as usize]);
                self.room.push(self.room[point as usize]);
                self.at.len() as u32 - 1
            });
            self.triangles[corner / 3][corner % 3] = copy;
        }
    }

    /// The closed way along the edge of the space on which a point lies, with free space to its
    /// left. If it lies on no edge, the point alone.
    pub fn edge(&self, from: u32) -> Vec<u32> {
        let sides = self.sides();
        let following: HashMap<u32, u32> =
            sides.keys().filter(|(a, b)| !sides.contains_key(&(*b, *a))).copied().collect();
        let mut edge = vec![from];
        while let Some(&next) = following.get(&edge[edge.len() - 1])
            && next != from
            && edge.len() <= following.len()
        {
            edge.push(next);
        }
        edge
    }

    /// Puts a free point into each side between two points that are not free, so that wherever
    /// there is a gap, a way leads through it.
    pub fn refine(&mut self, obstacles: &Obstacles) {
        let sides = self.sides();
        let mut middles: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for corners in &self.triangles {
            for i in 0..3 {
                let (a, b) = (corners[i], corners[(i + 1) % 3]);
                let is_full = [a, b].iter().all(|&p| self.label[p as usize] != Label::Free);
                if is_full && sides.contains_key(&(b, a)) {
                    middles.entry((a.min(b), a.max(b))).or_default();
                }
            }
        }
        for (&(a, b), middle) in &mut middles {
            let at = (self.at[a as usize] + self.at[b as usize]) * 0.5;
            *middle = self.at.len() as u32;
            self.at.push(at);
            self.label.push(Label::Free);
            self.room.push(obstacles.nearest(at, &[]).0);
        }
        let mut finer = Vec::with_capacity(self.triangles.len());
        for &corners in &self.triangles {
            // Begins with the first side that is divided.
            let middle = |i: usize| {
                let (a, b) = (corners[i % 3], corners[(i + 1) % 3]);
                middles.get(&(a.min(b), a.max(b))).copied()
            };
            let Some(first) = (0..3).find(|&i| middle(i).is_some() && middle(i + 2).is_none())
            else {
                match [middle(0), middle(1), middle(2)] {
                    [Some(x), Some(y), Some(z)] => {
                        let [a, b, c] = corners;
                        finer.extend([[a, x, z], [x, b, y], [z, y, c], [x, y, z]]);
                    }
                    _ => finer.push(corners),
                }
                continue;
            };
            let [a, b, c] = [0, 1, 2].map(|i| corners[(first + i) % 3]);
            match (middle(first), middle(first + 1)) {
                (Some(x), Some(y)) => finer.extend([[a, x, c], [x, b, y], [x, y, c]]),
                (Some(x), None) => finer.extend([[a, x, c], [x, b, c]]),
                _ => finer.push(corners),
            }
        }
        self.triangles = finer;
    }

    /// The best way from a point to another through free points.
    pub fn way(
        &self,
        is_begin: impl Fn(u32) -> bool,
        is_end: impl Fn(u32) -> bool,
    ) -> Option<Vec<u32>> {
        let (reached, came) = self.reached(&is_begin, Some(&is_end));
        let end = (0..self.at.len() as u32)
            .filter(|&point| {
                is_end(point) && !is_begin(point) && reached[point as usize].is_finite()
            })
            .min_by(|&a, &b| reached[a as usize].total_cmp(&reached[b as usize]))?;
        let mut way = vec![end];
        while let Some(&Some(before)) = came.get(way[way.len() - 1] as usize) {
            way.push(before);
        }
        way.reverse();
        (way.len() > 2).then_some(way)
    }

    /// A free point with much room near some points, to go around.
    pub fn near(&self, is_begin: impl Fn(u32) -> bool) -> Option<u32> {
        let (reached, _) = self.reached(&is_begin, None::<&fn(u32) -> bool>);
        let far = |point: u32| {
            let begin = (0..self.at.len() as u32).filter(|&begin| is_begin(begin));
            let far = begin.map(|b| (self.at[b as usize] - self.at[point as usize]).length());
            far.fold(f64::INFINITY, f64::min)
        };
        let unit = UNIT as f64;
        let score = |point: u32| {
            let off = (far(point) - 0.8 * unit).abs();
            off + reached[point as usize] * 0.2 - 1.5 * self.room[point as usize].min(0.6 * unit)
        };
        (0..self.at.len() as u32)
            .filter(|&p| self.label[p as usize] == Label::Free && reached[p as usize].is_finite())
            .min_by(|&a, &b| score(a).total_cmp(&score(b)))
    }

    /// How far each point is from some others, and through which point the way to it leads.
    fn reached(
        &self,
        is_begin: &impl Fn(u32) -> bool,
        is_end: Option<&impl Fn(u32) -> bool>,
    ) -> (Vec<f64>, Vec<Option<u32>>) {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); self.at.len()];
        for corners in &self.triangles {
            for i in 0..3 {
                near[corners[i] as usize].extend([corners[(i + 1) % 3], corners[(i + 2) % 3]]);
            }
        }
        let mut reached = vec![f64::INFINITY; self.at.len()];
        let mut came = vec![None; self.at.len()];
        let mut waiting = BinaryHeap::new();
        for point in (0..self.at.len() as u32).filter(|&point| is_begin(point)) {
            reached[point as usize] = 0.0;
            waiting.push(Reverse(Stop(0.0, point)));
        }
        while let Some(Reverse(Stop(far, point))) = waiting.pop() {
            let is_through = self.label[point as usize] == Label::Free || far == 0.0;
            if far > reached[point as usize] || !is_through {
                continue;
            }
            for &next in &near[point as usize] {
                let goes_on = self.label[next as usize] == Label::Free
                    || is_end.is_some_and(|is_end| is_end(next));
                if !goes_on {
                    continue;
                }
                let [a, b] = [point, next].map(|p| p as usize);
                let room = self.room[a].max(self.room[b]).clamp(1.0, CLEAR);
                let total = far + (self.at[a] - self.at[b]).length() * (2.0 * CLEAR / room - 1.0);
                if total < reached[b] {
                    reached[b] = total;
                    came[b] = Some(point);
                    waiting.push(Reverse(Stop(total, next)));
                }
            }
        }
        (reached, came)
    }
}

/// A point on the way, the nearest first.
struct Stop(f64, u32);

impl Ord for Stop {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Stop {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Stop {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Stop {}
