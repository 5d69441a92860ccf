//! Reads a picture as a person does: from where its points are, and from nothing else.
//!
//! The curves are the polygons of their control points; [`crate::smooth`] shows that the smooth
//! curves that are shown lie in the plane as these do. All decisions are exact.

use std::collections::{BTreeMap, HashMap};

use sprig_engine::{Boundary, CanonicalPosition, Land, Letter, Region, Spot};

use crate::drawn::{Drawn, Face};
use crate::exact::{Point, area, by_direction, is_inside};
use crate::map::{Dart, Fill, Mark};

/// Why a picture is not shown.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misread {
    /// Two vertices in one place, or a curve that does not end at a vertex.
    #[error("a curve or a spot is not where it belongs")]
    Astray,
    /// Parts are nested so deeply that the innermost find no room.
    #[error("it is nested too deeply")]
    Nested,
    /// Two curves cross or touch.
    #[error("two curves cross")]
    Crossing,
    /// An area that is filled as one face is not a face, or has the wrong filling.
    #[error("a face is filled as what it is not")]
    Fill,
    /// A full drawing shows other walks than its list has.
    #[error("a walk around a region is another one")]
    List,
    /// The picture shows another land.
    #[error("the picture shows `{0}`")]
    Other(Box<CanonicalPosition>),
}

/// What geometry alone tells of a drawn land.
pub(crate) struct Reading {
    /// The faces, each with the walks that have it to the left, and the vertices without curves in
    /// it.
    faces: Vec<(Vec<Vec<Dart>>, Vec<usize>)>,
    degrees: Vec<usize>,
    tails: Vec<usize>,
}

/// A boundary of a region, as the text has it.
pub(crate) enum Bound {
    /// A walk of the face, by its number, and which of its darts begin at spots.
    Walk { walk: usize, spots: Vec<usize> },
    /// A vertex without curves. One that stands for several spots is several boundaries.
    Alone(usize),
}

impl Reading {
    /// Reads where faces are, and what lies in which face.
    pub fn of(drawn: &Drawn) -> Result<Self, Misread> {
        let mut at: HashMap<Point, usize> = HashMap::new();
        for (v, vertex) in drawn.vertices.iter().enumerate() {
            if at.insert(vertex.at, v).is_some() {
                return Err(Misread::Astray);
            }
        }
        let mut tails = Vec::new();
        let mut arms: Vec<Vec<(Point, Dart)>> = vec![Vec::new(); drawn.vertices.len()];
        for (c, curve) in drawn.curves.iter().enumerate() {
            let count = curve.len();
            for (dart, end, towards) in
                [(2 * c, curve[0], curve[1]), (2 * c + 1, curve[count - 1], curve[count - 2])]
            {
                let &vertex = at.get(&end).ok_or(Misread::Astray)?;
                tails.push(vertex);
                arms[vertex].push((Point { x: towards.x - end.x, y: towards.y - end.y }, dart));
            }
        }
        let mut following = vec![0; tails.len()];
        for arms in &mut arms {
            arms.sort_by(|a, b| by_direction(a.0, b.0));
            for (i, &(_, dart)) in arms.iter().enumerate() {
                let before = arms[(i + arms.len() - 1) % arms.len()].1;
                following[dart ^ 1] = before;
            }
        }
        let mut reading =
            Self { faces: Vec::new(), degrees: arms.iter().map(Vec::len).collect(), tails };
        reading.nest(drawn, walks(&following));
        Ok(reading)
    }

    /// Finds the face in which each connected piece lies.
    fn nest(&mut self, drawn: &Drawn, walks: Vec<Vec<Dart>>) {
        let outlines: Vec<Vec<Point>> = walks.iter().map(|walk| drawn.outline(walk)).collect();
        let areas: Vec<i64> = outlines.iter().map(|outline| signed_area(outline)).collect();
        let pieces = self.pieces();
        // The walk around each piece is the one that runs clockwise, or encloses nothing.
        let mut around: BTreeMap<usize, usize> = BTreeMap::new();
        for (w, walk) in walks.iter().enumerate() {
            let piece = pieces[self.tails[walk[0]]];
            let outer = around.entry(piece).or_insert(w);
            if areas[w] < areas[*outer] {
                *outer = w;
            }
        }
        let piece_of = |w: usize| pieces[self.tails[walks[w][0]]];
        let inner: Vec<usize> = (0..walks.len()).filter(|&w| around[&piece_of(w)] != w).collect();
        let number: HashMap<usize, usize> =
            inner.iter().enumerate().map(|(face, &w)| (w, face + 1)).collect();
        let face_at = |point: Point, piece: usize| {
            let holds = |w: &&usize| piece_of(**w) != piece && is_inside(point, &outlines[**w]);
            inner.iter().filter(holds).min_by_key(|w| areas[**w]).map_or(0, |w| number[w])
        };
        // Face 0 is the one around everything.
        let mut faces = vec![(Vec::new(), Vec::new()); inner.len() + 1];
        for (w, walk) in walks.iter().enumerate() {
            let face = match number.get(&w) {
                Some(&face) => face,
                None => face_at(drawn.vertices[self.tails[walk[0]]].at, piece_of(w)),
            };
            faces[face].0.push(walk.clone());
        }
        for (v, vertex) in drawn.vertices.iter().enumerate() {
            if self.degrees[v] == 0 {
                faces[face_at(vertex.at, pieces[v])].1.push(v);
            }
        }
        self.faces = faces;
    }

    /// The connected piece of each vertex.
    fn pieces(&self) -> Vec<usize> {
        let mut union = crate::union::Union::new(self.degrees.len());
        for ends in self.tails.chunks(2) {
            union.join(ends[0], ends[1]);
        }
        (0..self.degrees.len()).map(|v| union.root(v)).collect()
    }

    /// Lives of the spots that a face can use.
    fn lives(&self, drawn: &Drawn, (walks, alone): &(Vec<Vec<Dart>>, Vec<usize>)) -> usize {
        let mut spots: Vec<usize> = walks.iter().flatten().map(|&dart| self.tails[dart]).collect();
        spots.sort_unstable();
        spots.dedup();
        let lives = |v: &usize| match drawn.vertices[*v].mark {
            Mark::Spot(_) => 3_usize.saturating_sub(self.degrees[*v]),
            Mark::Group(count) => 3 * count,
            Mark::Dead | Mark::Genus(_) => 0,
        };
        spots.iter().map(lives).sum::<usize>() + alone.iter().map(lives).sum::<usize>()
    }

    /// The land that the picture shows, as it would be written.
    pub fn land(&self, drawn: &Drawn) -> Land {
        // How often each spot occurs, and a number for each that occurs twice.
        let mut times = vec![0_u8; self.degrees.len()];
        let mut letters = vec![0; self.degrees.len()];
        let mut count = 0;
        let live: Vec<_> = self.faces.iter().filter(|face| self.lives(drawn, face) > 1).collect();
        for &dart in live.iter().flat_map(|face| face.0.iter().flatten()) {
            let vertex = self.tails[dart];
            times[vertex] = times[vertex].saturating_add(1);
            let is_letter = times[vertex] == 2 && self.degrees[vertex] == 2;
            if is_letter && matches!(drawn.vertices[vertex].mark, Mark::Spot(_)) {
                letters[vertex] = count;
                count += 1;
            }
        }
        let spot = |v: usize| match (&drawn.vertices[v].mark, self.degrees[v]) {
            (Mark::Spot(_), 0) => Some(Spot::Zero),
            (Mark::Spot(_), 1) => Some(Spot::One),
            (Mark::Spot(_), 2) if times[v] == 1 => Some(Spot::Two),
            (Mark::Spot(_), 2) => Some(Spot::Letter(Letter(letters[v]))),
            _ => None,
        };
        let region = |face: &&(Vec<Vec<Dart>>, Vec<usize>)| {
            let walks = face.0.iter().map(|walk| {
                Boundary(walk.iter().filter_map(|&dart| spot(self.tails[dart])).collect())
            });
            let alone = face.1.iter().flat_map(|&v| {
                std::iter::repeat_n(Boundary(vec![Spot::Zero]), drawn.vertices[v].mark.fresh())
            });
            let boundaries = walks.chain(alone).filter(|boundary| !boundary.0.is_empty()).collect();
            let genus = face.1.iter().find_map(|&v| match drawn.vertices[v].mark {
                Mark::Genus(surface) => Some(surface),
                _ => None,
            });
            Region(boundaries, genus.unwrap_or_default())
        };
        Land(live.iter().map(region).collect())
    }

    /// The faces: the walks of each, and the vertices without curves in it.
    pub fn faces(&self) -> impl Iterator<Item = (&[Vec<Dart>], &[usize])> {
        self.faces.iter().map(|(walks, alone)| (&walks[..], &alone[..]))
    }

    /// The vertex at which a dart begins.
    pub fn tail(&self, dart: Dart) -> usize {
        self.tails[dart]
    }

    /// The walks of a face, and the vertices without curves in it.
    pub fn face(&self, face: usize) -> (&[Vec<Dart>], &[usize]) {
        let (walks, alone) = &self.faces[face];
        (walks, alone)
    }

    /// The faces that are regions, in the order of [`Reading::land`].
    pub fn regions(&self, drawn: &Drawn) -> Vec<usize> {
        (0..self.faces.len()).filter(|&face| self.lives(drawn, &self.faces[face]) > 1).collect()
    }

    /// The boundaries of a face, in the order of [`Reading::land`].
    pub fn bounds(&self, drawn: &Drawn, face: usize) -> Vec<Bound> {
        let (walks, alone) = &self.faces[face];
        let lives = |dart: &Dart| {
            let vertex = self.tails[*dart];
            matches!(drawn.vertices[vertex].mark, Mark::Spot(_)) && self.degrees[vertex] < 3
        };
        let mut bounds = Vec::new();
        for (walk, darts) in walks.iter().enumerate() {
            let spots: Vec<usize> = (0..darts.len()).filter(|&i| lives(&darts[i])).collect();
            if !spots.is_empty() {
                bounds.push(Bound::Walk { walk, spots });
            }
        }
        for &vertex in alone {
            let count = drawn.vertices[vertex].mark.fresh();
            bounds.extend((0..count).map(|_| Bound::Alone(vertex)));
        }
        // Vertices that are not boundaries come after them.
        let is_genus = |v: &&usize| matches!(drawn.vertices[**v].mark, Mark::Genus(_));
        bounds.extend(alone.iter().filter(is_genus).map(|&vertex| Bound::Alone(vertex)));
        bounds
    }

    /// Whether the faces are filled as they must be: dead ones hatched, others not.
    pub fn fits(&self, drawn: &Drawn) -> bool {
        let sorted = |walks: &[Vec<Dart>]| {
            let mut walks: Vec<Vec<Dart>> = walks.iter().map(|walk| turned(walk)).collect();
            walks.sort();
            walks
        };
        let mut read: Vec<_> = self
            .faces
            .iter()
            .map(|face| (sorted(&face.0), face.1.clone(), self.lives(drawn, face) < 2))
            .collect();
        let mut filled: Vec<_> = drawn
            .faces
            .iter()
            .map(|Face { fill, walks, alone }| (sorted(walks), alone.clone(), *fill == Fill::Dead))
            .collect();
        read.sort();
        filled.sort();
        read == filled
    }
}

impl Mark {
    /// How many boundaries of one fresh spot a vertex without curves stands for.
    fn fresh(&self) -> usize {
        match self {
            Self::Group(count) => *count,
            Self::Genus(_) => 0,
            Self::Spot(_) | Self::Dead => 1,
        }
    }
}

/// The cycles of darts.
fn walks(following: &[Dart]) -> Vec<Vec<Dart>> {
    let mut is_done = vec![false; following.len()];
    let mut walks = Vec::new();
    for first in 0..following.len() {
        let (mut walk, mut dart) = (Vec::new(), first);
        while !is_done[dart] {
            is_done[dart] = true;
            walk.push(dart);
            dart = following[dart];
        }
        if !walk.is_empty() {
            walks.push(walk);
        }
    }
    walks
}

/// A cycle, from its least dart on.
fn turned(walk: &[Dart]) -> Vec<Dart> {
    let least = (0..walk.len()).min_by_key(|&i| walk[i]).unwrap_or(0);
    let mut turned = walk.to_vec();
    turned.rotate_left(least);
    turned
}

fn signed_area(outline: &[Point]) -> i64 {
    let origin = outline[0];
    outline.windows(2).map(|pair| area(origin, pair[0], pair[1])).sum()
}
