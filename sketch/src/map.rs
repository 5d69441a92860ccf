//! The plane map of a land: spots, dead junctions, the curves between them, and the faces.
//!
//! A curve end has a left and a right side. The walls say which sides meet: following them around
//! gives the cycles of ends that meet. Two ends that meet are a plain curve, one alone is a dead
//! end, three meet in a dead spot, as on paper. Four and more meet in a *ring* of dead spots around
//! a dead face: every dead spot has degree 3 then, and the picture has room. The other side of a
//! `2` is dead. The first `2` of a ring stands on the ring itself, for a dead face may touch one
//! living spot.

use sprig_engine::{Spot, Surface};

use crate::SketchError;
use crate::pieces::{Corner, Pieces};

/// From this many isolated fresh spots of a region on, they are drawn as one counted group.
pub(crate) const GROUP: usize = 13;

/// What stands at a vertex.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mark {
    /// A spot that can still take curve ends, by its name in the notation: a digit or a letter.
    Spot(String),
    /// Fresh spots that are drawn as one, with their number.
    Group(usize),
    /// A junction that can take no curve end any more.
    Dead,
    /// The handles or cross-caps of the region around it. It is no spot, and no curve ends at it.
    Genus(Surface),
}

/// What a face is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fill {
    /// A region of the land, by its number in the text.
    Region(usize),
    /// A dead face, in which nothing can happen.
    Dead,
}

/// A curve in one of its two directions: `2 * curve`, and 1 more for backwards.
pub(crate) type Dart = usize;

/// A face: it lies to the left of its walks.
pub(crate) struct Face {
    pub fill: Fill,
    pub walks: Vec<Vec<Dart>>,
    /// Vertices without curves inside.
    pub alone: Vec<usize>,
}

/// A plane map. It says how curves meet, not yet where.
pub(crate) struct Map {
    pub vertices: Vec<Mark>,
    /// The two vertices of each curve; they may be equal.
    pub curves: Vec<[usize; 2]>,
    pub faces: Vec<Face>,
    /// The face to the left of each dart.
    pub left: Vec<usize>,
}

/// What becomes of a curve end.
#[derive(Clone, Copy)]
enum End {
    /// The end is the beginning of this dart, which leads to another spot or a junction of at most
    /// three ends.
    Dart(Dart),
    /// The end begins this dart, which leads to the corner of a ring.
    Ring(Dart, usize),
    /// The end is an edge of a ring, since its spot is a corner of it.
    Corner(usize),
}

/// A corner of a ring: the ring edge towards it, and the one from it.
#[derive(Clone, Copy)]
struct RingCorner {
    /// The ring edge that ends here, run backwards: away from here with the dead face on the right.
    back: Dart,
}

struct Builder {
    map: Map,
    ends: Vec<End>,
    ring_corners: Vec<RingCorner>,
}

fn ends_of(corner: Corner, spot: Spot) -> [usize; 2] {
    let first = 2 * corner.spot;
    match (spot, corner.side) {
        (Spot::One, _) => [first, first],
        (_, 0) => [first, first + 1],
        _ => [first + 1, first],
    }
}

impl Map {
    /// The map of a land, with the direction in which each wall is read.
    pub fn of(pieces: &Pieces, mirrors: &[bool]) -> Result<Self, SketchError> {
        let mut next = vec![usize::MAX; 2 * pieces.spots.len()];
        let mut steps = Vec::new();
        for (wall, &mirror) in pieces.walls.iter().zip(mirrors) {
            let mut corners = wall.corners.clone();
            if mirror {
                corners.reverse();
            }
            if pieces.spots[corners[0].spot].spot == Spot::Zero {
                continue;
            }
            let mut walk = Vec::new();
            for (i, &corner) in corners.iter().enumerate() {
                let following = corners[(i + 1) % corners.len()];
                let [leave, _] = ends_of(corner, pieces.spots[corner.spot].spot);
                let [_, arrive] = ends_of(following, pieces.spots[following.spot].spot);
                next[arrive] = leave;
                walk.push([leave, arrive]);
            }
            steps.push((wall.region, walk));
        }
        for (s, living) in pieces.spots.iter().enumerate() {
            if living.spot == Spot::Two {
                next[2 * s] = 2 * s + 1;
            }
        }
        let mut builder = Builder::new(pieces);
        builder.meet(pieces, &next);
        builder.faces(pieces, &steps);
        let map = builder.map;
        let alone: usize = map.faces.iter().map(|face| face.alone.len()).sum();
        let parts = 1 + pieces.pieces - pieces.walls.iter().filter(|w| is_fresh(pieces, w)).count();
        // Euler's formula, without the vertices that stand alone.
        if map.vertices.len() - alone + map.faces.len() != map.curves.len() + parts {
            return Err(SketchError::NotPlane);
        }
        Ok(map)
    }

    /// The vertex at which a dart begins.
    pub fn tail(&self, dart: Dart) -> usize {
        self.curves[dart / 2][dart % 2]
    }

    /// How many curve ends a vertex has.
    pub fn degrees(&self) -> Vec<usize> {
        let mut degrees = vec![0; self.vertices.len()];
        for &vertex in self.curves.iter().flatten() {
            degrees[vertex] += 1;
        }
        degrees
    }
}

fn is_fresh(pieces: &Pieces, wall: &crate::pieces::Wall) -> bool {
    pieces.spots[wall.corners[0].spot].spot == Spot::Zero
}

impl Builder {
    /// A map of the spots that are not fresh. Fresh spots follow with their regions.
    fn new(pieces: &Pieces) -> Self {
        let vertices = pieces.spots.iter().map(|living| Mark::Spot(living.name.clone())).collect();
        let map = Map { vertices, curves: Vec::new(), faces: Vec::new(), left: Vec::new() };
        Self { map, ends: vec![End::Corner(0); 2 * pieces.spots.len()], ring_corners: Vec::new() }
    }

    fn curve(&mut self, from: usize, to: usize) -> Dart {
        self.map.curves.push([from, to]);
        2 * self.map.curves.len() - 2
    }

    fn dead(&mut self) -> usize {
        self.map.vertices.push(Mark::Dead);
        self.map.vertices.len() - 1
    }

    /// Lets the ends meet as `next` says: the end that follows in the direction of the walks.
    fn meet(&mut self, pieces: &Pieces, next: &[usize]) {
        let is_two = |end: usize| pieces.spots[end / 2].spot == Spot::Two;
        let mut is_done = vec![false; next.len()];
        for first in 0..next.len() {
            // No cycle starts between the two ends of a 2.
            if is_done[first] || next[first] == usize::MAX || (is_two(first) && first % 2 == 1) {
                continue;
            }
            let mut cycle = vec![first];
            while next[cycle[cycle.len() - 1]] != first {
                cycle.push(next[cycle[cycle.len() - 1]]);
            }
            cycle.iter().for_each(|&end| is_done[end] = true);
            match cycle[..] {
                [one, other] => {
                    let dart = self.curve(one / 2, other / 2);
                    self.ends[one] = End::Dart(dart);
                    self.ends[other] = End::Dart(dart + 1);
                }
                [_] | [_, _, _] => {
                    let dead = self.dead();
                    for end in cycle {
                        self.ends[end] = End::Dart(self.curve(end / 2, dead));
                    }
                }
                _ => self.ring(&cycle, is_two),
            }
        }
    }

    fn ring(&mut self, cycle: &[usize], is_two: impl Fn(usize) -> bool) {
        let base = self.ring_corners.len();
        let mut corners = Vec::new();
        let on_ring = cycle.iter().find(|&&end| is_two(end)).map(|&end| end / 2);
        for &end in cycle {
            let corner = base + corners.len();
            if on_ring != Some(end / 2) || !is_two(end) {
                let dead = self.dead();
                corners.push(dead);
                self.ends[end] = End::Ring(self.curve(end / 2, dead), corner);
            } else if end % 2 == 0 {
                corners.push(end / 2);
                self.ends[end] = End::Corner(corner);
            } else {
                self.ends[end] = End::Corner(corner - 1);
            }
        }
        let count = corners.len();
        let edges: Vec<Dart> =
            (0..count).map(|m| self.curve(corners[m], corners[(m + 1) % count])).collect();
        for m in 0..count {
            self.ring_corners.push(RingCorner { back: edges[(m + count - 1) % count] + 1 });
        }
        self.map.faces.push(Face { fill: Fill::Dead, walks: vec![edges], alone: Vec::new() });
    }

    /// The darts from where one end leaves its spot to where another arrives at its own.
    fn step(&self, [leave, arrive]: [usize; 2], walk: &mut Vec<Dart>) {
        let corner = match self.ends[leave] {
            End::Dart(dart) => {
                walk.push(dart);
                if let End::Dart(other) = self.ends[arrive]
                    && other != dart ^ 1
                {
                    walk.push(other ^ 1);
                }
                return;
            }
            End::Ring(dart, corner) => {
                walk.push(dart);
                corner
            }
            End::Corner(corner) => corner,
        };
        walk.push(self.ring_corners[corner].back);
        if let End::Ring(dart, _) = self.ends[arrive] {
            walk.push(dart ^ 1);
        }
    }

    fn faces(&mut self, pieces: &Pieces, steps: &[(usize, Vec<[usize; 2]>)]) {
        let rings = std::mem::take(&mut self.map.faces);
        for region in 0..pieces.regions {
            let walks = steps.iter().filter(|(r, _)| *r == region).map(|(_, ends)| {
                let mut walk = Vec::new();
                ends.iter().for_each(|&step| self.step(step, &mut walk));
                walk
            });
            let walks = walks.collect();
            let mut alone = self.fresh(pieces, region);
            let surface = pieces.surfaces[region];
            if !surface.is_sphere() {
                alone.push(self.map.vertices.len());
                self.map.vertices.push(Mark::Genus(surface));
            }
            self.map.faces.push(Face { fill: Fill::Region(region), walks, alone });
        }
        self.map.faces.extend(rings);
        for (s, living) in pieces.spots.iter().enumerate() {
            if living.spot == Spot::Two && !matches!(self.ends[2 * s], End::Corner(_)) {
                let mut walk = Vec::new();
                self.step([2 * s + 1, 2 * s], &mut walk);
                let (walks, alone) = (vec![walk], Vec::new());
                self.map.faces.push(Face { fill: Fill::Dead, walks, alone });
            }
        }
        self.compact();
        let Map { curves, faces, left, .. } = &mut self.map;
        left.resize(2 * curves.len(), usize::MAX);
        for (f, face) in faces.iter().enumerate() {
            for &dart in face.walks.iter().flatten() {
                assert_eq!(left[dart], usize::MAX, "a dart has one face to its left");
                left[dart] = f;
            }
        }
        assert!(!left.contains(&usize::MAX), "every dart is walked");
    }

    /// The vertices of the isolated fresh spots of a region.
    fn fresh(&mut self, pieces: &Pieces, region: usize) -> Vec<usize> {
        let walls = pieces.walls.iter().filter(|w| w.region == region && is_fresh(pieces, w));
        let mut fresh: Vec<usize> = walls.map(|wall| wall.corners[0].spot).collect();
        if fresh.len() >= GROUP {
            self.map.vertices[fresh[0]] = Mark::Group(fresh.len());
            for &spot in &fresh[1..] {
                self.map.vertices[spot] = Mark::Group(0);
            }
            fresh.truncate(1);
        }
        fresh
    }

    /// Removes the vertices that went into a group.
    fn compact(&mut self) {
        let map = &mut self.map;
        let mut numbers = Vec::new();
        let mut count = 0;
        for mark in &map.vertices {
            numbers.push(count);
            count += usize::from(*mark != Mark::Group(0));
        }
        map.vertices.retain(|mark| *mark != Mark::Group(0));
        for vertex in map.curves.iter_mut().flatten() {
            *vertex = numbers[*vertex];
        }
        for vertex in map.faces.iter_mut().flat_map(|face| &mut face.alone) {
            *vertex = numbers[*vertex];
        }
    }
}
