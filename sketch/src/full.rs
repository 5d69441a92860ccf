//! Full drawings: every spot by its number, dead ones too, as the players made it.
//!
//! A full list says which walks there are, but not which two steps are the sides of one curve. Where
//! several curves join the same two spots, that is found here: the curve ends of a spot follow each
//! other in one circle. A spot has at most three ends, so it belongs to at most one such bundle of
//! curves, and each bundle is decided alone.

use std::collections::BTreeMap;
use std::fmt;

use sprig_engine::CanonicalPosition;

use crate::SketchError;
use crate::drawn::{Drawn, Vertex};
use crate::exact::Point;
use crate::map::{Dart, Face, Fill, Map, Mark};
use crate::picture::Picture;
use crate::read::Reading;
use crate::union::Union;

/// The boundaries of a region: walks of spots, with the left hand on the boundary. A spot alone in
/// its walk has no curve.
pub type Walks = Vec<Vec<u32>>;

/// A full drawing, as a boundary list has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Full {
    /// The boundaries of each region, dead spots included.
    regions: Vec<Walks>,
    /// The spot of the last move. Its curves are shown as that move.
    latest: Option<u32>,
    /// The dead spots that no survivor owns, if the game is over and its ending is to be shown.
    pub(crate) pharisees: Option<Vec<u32>>,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (r, region) in self.regions.iter().enumerate() {
            for (w, walk) in region.iter().enumerate() {
                for (i, number) in walk.iter().enumerate() {
                    let mark = match (r, w, i) {
                        (0, 0, 0) => "",
                        (_, 0, 0) => "/",
                        (_, _, 0) => ";",
                        _ => ",",
                    };
                    write!(f, "{mark}{number}")?;
                }
            }
        }
        Ok(())
    }
}

impl Full {
    /// The spot of the last move, if it is known.
    pub(crate) fn latest(&self) -> Option<u32> {
        self.latest
    }

    /// The numbers of all spots, ascending.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.regions.iter().flatten().flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Whether a drawing has these walks, in these faces.
    pub(crate) fn is_read(&self, reading: &Reading, drawn: &Drawn) -> bool {
        let name = |v: usize| match &drawn.vertices[v].mark {
            Mark::Spot(name) => name.parse().unwrap_or(0),
            _ => 0,
        };
        let read = reading.faces().map(|(walks, alone)| {
            let walks = walks.iter().map(|walk| walk.iter().map(|&d| name(reading.tail(d))));
            let alone = alone.iter().map(|&v| vec![name(v)]);
            walks.map(Iterator::collect).chain(alone).collect()
        });
        let read: Vec<Walks> = read.collect();
        same(&read, &self.regions, |one, other| same(one, other, |a, b| is_turned(a, b)))
    }
}

/// Whether things are the same in any order. No sorting: what browsers load is to be small.
fn same<T>(these: &[T], those: &[T], is_same: impl Fn(&T, &T) -> bool) -> bool {
    let mut is_taken = vec![false; those.len()];
    let takes = |one: &T| {
        let free = (0..those.len()).find(|&i| !is_taken[i] && is_same(one, &those[i]));
        free.map(|i| is_taken[i] = true).is_some()
    };
    these.len() == those.len() && these.iter().all(takes)
}

/// Whether two walks are the same, wherever they begin.
fn is_turned(one: &[u32], other: &[u32]) -> bool {
    let count = one.len();
    let is_from = |by: usize| (0..count).all(|i| one[i] == other[(i + by) % count]);
    count == other.len() && (0..count).any(is_from)
}

impl Picture {
    /// Draws a full list: all boundaries of each region. For the rest of the game it is this
    /// position.
    ///
    /// # Errors
    /// [`SketchError`] when the list is no drawing on the sphere, or no drawing of it could be shown
    /// to be right.
    pub fn full(position: &CanonicalPosition, regions: Vec<Walks>) -> Result<Self, SketchError> {
        let full = Full { regions, latest: None, pharisees: None };
        let map = Map::of_full(&full)?;
        let drawn = Drawn::best(position, Some(full), &map)?;
        Ok(Self::with(position.clone(), vec![drawn]))
    }

    /// Draws full lists in the order in which a game comes by them. Where a list comes from the one
    /// before by moves, all that was there stays where it is; if by one move, its curves are shown.
    ///
    /// # Errors
    /// As for [`Picture::full`].
    pub fn game(lists: Vec<(CanonicalPosition, Vec<Walks>)>) -> Result<Vec<Self>, SketchError> {
        let mut pictures: Vec<Self> = Vec::new();
        for (position, regions) in lists.into_iter().rev() {
            let earlier = pictures.last().and_then(|after| after.earlier(&position, &regions));
            if let (Some(before), Some(after)) = (&earlier, pictures.last_mut()) {
                after.notice_move(before);
            }
            pictures.push(earlier.map_or_else(|| Self::full(&position, regions), Ok)?);
        }
        pictures.reverse();
        Ok(pictures)
    }

    /// The picture of a finished game, with survivors, their dead neighbours and the pharisees told
    /// apart. The pharisees are the dead spots that are no survivor's neighbours.
    #[must_use]
    pub fn ended(mut self, pharisees: &[u32]) -> Self {
        for full in self.lands.iter_mut().filter_map(|placed| placed.drawn.full.as_mut()) {
            (full.latest, full.pharisees) = (None, Some(pharisees.to_vec()));
        }
        self.with_legend()
    }

    /// The full list that the picture shows, if it shows one.
    pub(crate) fn list(&self) -> Option<&Full> {
        self.lands.first().and_then(|placed| placed.drawn.full.as_ref())
    }

    /// The drawing as it was when the game had come to an earlier list, if the game came by it: what
    /// came later is left out, and everything else is where it is.
    fn earlier(&self, position: &CanonicalPosition, regions: &[Walks]) -> Option<Self> {
        let mut earlier = self.clone();
        earlier.position = position.clone();
        for placed in &mut earlier.lands {
            let full = Full { regions: regions.to_vec(), latest: None, pharisees: None };
            placed.drawn = placed.drawn.earlier(position, full);
            placed.drawn.check().ok()?;
        }
        Some(earlier)
    }

    /// Shows the curves of the move that led from another picture, if it was one move.
    fn notice_move(&mut self, before: &Self) {
        let known = before.list().map(Full::numbers).unwrap_or_default();
        for full in self.lands.iter_mut().filter_map(|placed| placed.drawn.full.as_mut()) {
            let mut new = full.numbers();
            new.retain(|number| !known.contains(number));
            full.latest = if let [one] = new[..] { Some(one) } else { None };
        }
    }
}

impl Drawn {
    /// The curves of the last move.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &Vec<Point>> {
        let latest = self.full.as_ref().and_then(|full| full.latest).map(|n| n.to_string());
        let is_it =
            move |v: &&Vertex| matches!(&v.mark, Mark::Spot(n) if Some(n) == latest.as_ref());
        let at = self.vertices.iter().find(is_it).map(|vertex| vertex.at);
        let curves = self.curves.iter();
        curves.filter(move |curve| curve.first() == at.as_ref() || curve.last() == at.as_ref())
    }

    /// The drawing with the spots of an earlier list, and the curves between them.
    fn earlier(&self, position: &CanonicalPosition, full: Full) -> Self {
        let names: Vec<String> = full.numbers().iter().map(u32::to_string).collect();
        let mut vertices = self.vertices.clone();
        vertices.retain(|v| matches!(&v.mark, Mark::Spot(name) if names.contains(name)));
        let mut curves = self.curves.clone();
        let ends = |curve: &Vec<_>| [curve[0], curve[curve.len() - 1]];
        curves.retain(|c| ends(c).iter().all(|end| vertices.iter().any(|v| v.at == *end)));
        for vertex in &mut vertices {
            let at = |curve| ends(curve).iter().filter(|end| **end == vertex.at).count();
            vertex.degree = curves.iter().map(at).sum();
        }
        let (position, full) = (position.clone(), Some(full));
        Self { position, full, vertices, curves, faces: Vec::new() }
    }
}

/// A step along a curve: one side of it.
struct Step {
    /// The vertex that it leaves, and the one that it comes to.
    ends: [usize; 2],
    /// The step that follows in its walk.
    next: usize,
}

impl Map {
    /// The map of a full list. Each region is a face.
    pub fn of_full(full: &Full) -> Result<Self, SketchError> {
        let numbers = full.numbers();
        if numbers.is_empty() || full.regions.iter().flatten().any(Vec::is_empty) {
            return Err(SketchError::NotPlane);
        }
        let vertex = |number: u32| numbers.partition_point(|other| *other < number);
        let mut steps: Vec<Step> = Vec::new();
        let mut faces = Vec::new();
        for (region, listed) in full.regions.iter().enumerate() {
            let (mut walks, mut alone) = (Vec::new(), Vec::new());
            for walk in listed {
                if let [number] = walk[..] {
                    alone.push(vertex(number));
                    continue;
                }
                let (first, count) = (steps.len(), walk.len());
                for (i, number) in walk.iter().enumerate() {
                    let to = (i + 1) % count;
                    let ends = [vertex(*number), vertex(walk[to])];
                    steps.push(Step { ends, next: first + to });
                }
                walks.push((first..first + count).collect());
            }
            faces.push(Face { fill: Fill::Region(region), walks, alone });
        }
        let sides = Sides::of(numbers.len(), &steps).ok_or(SketchError::NotPlane)?;
        if !is_plane(numbers.len(), &steps, &faces) {
            return Err(SketchError::NotPlane);
        }
        let mut curves = Vec::new();
        let mut darts: Vec<Dart> = vec![0; steps.len()];
        for (step, &back) in sides.back.iter().enumerate().filter(|(step, back)| *step < **back) {
            (darts[step], darts[back]) = (2 * curves.len(), 2 * curves.len() + 1);
            curves.push(steps[step].ends);
        }
        let mut left = vec![0; darts.len()];
        for (f, face) in faces.iter_mut().enumerate() {
            for dart in face.walks.iter_mut().flatten() {
                *dart = darts[*dart];
                left[*dart] = f;
            }
        }
        let vertices = numbers.iter().map(|number| Mark::Spot(number.to_string())).collect();
        Ok(Self { vertices, curves, faces, left })
    }
}

/// Whether walks are the faces of a drawing on the sphere: Euler's formula holds, and regions and
/// connected pieces hang together as a tree.
fn is_plane(vertices: usize, steps: &[Step], faces: &[Face]) -> bool {
    let mut union = Union::new(vertices + faces.len());
    steps.iter().for_each(|step| _ = union.join(step.ends[0], step.ends[1]));
    let pieces = (0..vertices).filter(|v| union.root(*v) == *v).count();
    // A spot is on walks, or alone once.
    let mut places = vec![0; vertices];
    steps.iter().for_each(|step| places[step.ends[0]] = 1);
    faces.iter().flat_map(|face| &face.alone).for_each(|&vertex| places[vertex] += 1);
    let (mut walks, mut alone) = (0, 0);
    for (f, face) in faces.iter().enumerate() {
        walks += face.walks.len();
        alone += face.alone.len();
        let tails = face.walks.iter().filter_map(|walk| walk.first()).map(|s| steps[*s].ends[0]);
        for vertex in tails.chain(face.alone.iter().copied()) {
            if union.root(vertex) == union.root(vertices + f) {
                return false;
            }
            union.join(vertex, vertices + f);
        }
    }
    let is_one = (0..vertices + faces.len()).all(|node| union.root(node) == 0);
    let is_euler = vertices + walks + alone == 2 * pieces + steps.len() / 2;
    is_one && is_euler && places.iter().all(|times| *times == 1)
}

/// Which step goes back along the curve of each step.
struct Sides<'a> {
    steps: &'a [Step],
    back: Vec<usize>,
    /// The steps that leave each vertex.
    leaving: Vec<Vec<usize>>,
}

impl<'a> Sides<'a> {
    fn of(vertices: usize, steps: &'a [Step]) -> Option<Self> {
        let mut leaving = vec![Vec::new(); vertices];
        // The steps between two vertices, there and back.
        let mut bundles: BTreeMap<[usize; 2], [Vec<usize>; 2]> = BTreeMap::new();
        for (number, &Step { ends: [from, to], .. }) in steps.iter().enumerate() {
            leaving[from].push(number);
            let bundle = bundles.entry([from.min(to), from.max(to)]).or_default();
            let is_back = if from == to { !bundle[0].is_empty() } else { from > to };
            bundle[usize::from(is_back)].push(number);
        }
        let is_fit = |[there, back]: &[Vec<usize>; 2]| there.len() == back.len();
        if !bundles.values().all(is_fit) || leaving.iter().any(|steps| steps.len() > 3) {
            return None;
        }
        let mut sides = Self { steps, back: vec![usize::MAX; steps.len()], leaving };
        for [there, back] in bundles.values().filter(|bundle| bundle[0].len() == 1) {
            sides.pair(there, back, &[0]);
        }
        for (ends, [there, back]) in bundles.iter().filter(|(_, bundle)| bundle[0].len() > 1) {
            let orders: &[&[usize]] = match there.len() {
                2 => &[&[0, 1], &[1, 0]],
                _ => &[&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]],
            };
            orders.iter().find(|order| {
                sides.pair(there, back, order);
                ends.iter().all(|vertex| sides.is_round(*vertex))
            })?;
        }
        (0..vertices).all(|vertex| sides.is_round(vertex)).then_some(sides)
    }

    fn pair(&mut self, there: &[usize], back: &[usize], order: &[usize]) {
        for (&one, &k) in there.iter().zip(order) {
            (self.back[one], self.back[back[k]]) = (back[k], one);
        }
    }

    /// Whether the curve ends of a vertex follow each other in one circle.
    fn is_round(&self, vertex: usize) -> bool {
        let Some(&first) = self.leaving[vertex].first() else { return true };
        let around = |step: &usize| Some(self.steps[self.back[*step]].next);
        let others = std::iter::successors(around(&first), around).take(3);
        1 + others.take_while(|step| *step != first).count() == self.leaving[vertex].len()
    }
}
