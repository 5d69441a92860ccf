//! A land or a full drawing on paper: its map with places for everything, in whole steps.

use sprig_engine::{CanonicalLand, CanonicalPosition, Position};

use crate::SketchError;
use crate::cobweb::{Node, Web};
use crate::exact::Point;
use crate::full::Full;
use crate::map::{Dart, Fill, Map, Mark};
use crate::mesh::Mesh;
use crate::mirror;
use crate::pieces::Pieces;
use crate::read::{Misread, Reading};
use crate::relax::{Areas, Relaxation};
use crate::smooth;
use crate::tutte;
use crate::vector::Vector;

/// Steps in the distance of two spots with enough room.
pub const UNIT: i64 = 4800;

/// The least distance of two spots that is enough, as a part of the picture's larger side: 29
/// pixels of 640. With more than [`CROWD`] spots, less must be enough.
const ENOUGH: f64 = 0.045;
/// The same for full drawings, whose spots bear numbers: 51 pixels of 640.
const ENOUGH_FOR_NUMBERS: f64 = 0.08;
/// Up to this many spots find room in every picture.
const CROWD: f64 = 30.0;
/// A crowded land is drawn from up to this many outer faces.
const VIEWS: usize = 4;
/// A land is drawn from up to this many outer faces until a picture passes.
const MOST_VIEWS: usize = 8;
/// How often every point moves at most.
const SWEEPS: usize = 240;
/// A picture in which no point moves further is at rest.
const AT_REST: f64 = 0.003;

/// A vertex with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vertex {
    /// Where it is.
    pub at: Point,
    /// What it is.
    pub mark: Mark,
    /// How many curve ends it has.
    pub degree: usize,
}

/// A face of a drawn land: it lies to the left of its walks, in a plane whose y points up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Face {
    /// What it is.
    pub fill: Fill,
    /// The curves around it, each walk in order: `2 * curve`, and 1 more where the curve is walked
    /// backwards.
    pub walks: Vec<Vec<usize>>,
    /// The vertices without curves in it.
    pub alone: Vec<usize>,
}

/// A land, or a full drawing, with a place for everything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// The land as a position, or what a full drawing is for the rest of the game.
    pub position: CanonicalPosition,
    /// The list, if this is a full drawing.
    pub full: Option<Full>,
    /// Spots, groups and dead junctions.
    pub vertices: Vec<Vertex>,
    /// The control points of each curve, from vertex to vertex.
    pub curves: Vec<Vec<Point>>,
    /// The faces. The first is the one around everything.
    pub faces: Vec<Face>,
}

impl Drawn {
    /// Draws a land, and reads the drawing back.
    ///
    /// # Errors
    /// [`SketchError`] when the land does not lie in the plane, or no drawing of it passed the
    /// check.
    pub fn of(land: &CanonicalLand) -> Result<Self, SketchError> {
        let position = CanonicalPosition::from_lands([land.clone()]);
        Self::best(&position, None, &Map::of_land(land)?)
    }

    /// The first drawing of a map that has enough room, or the one with the most.
    pub(crate) fn best(
        position: &CanonicalPosition,
        full: Option<Full>,
        map: &Map,
    ) -> Result<Self, SketchError> {
        let empty = Self {
            position: position.clone(),
            full,
            vertices: Vec::new(),
            curves: Vec::new(),
            faces: Vec::new(),
        };
        let enough = if empty.full.is_some() { ENOUGH_FOR_NUMBERS } else { ENOUGH };
        let mut last = Misread::Nested;
        let outermost = map.outermost();
        // A drawing that does not pass is replaced by one from another face, and then by a plainer
        // one: the first drawing has straight curves.
        for sweeps in [SWEEPS, SWEEPS / 4, 0] {
            let mut best: Option<(f64, Self)> = None;
            for (view, &outer) in outermost.iter().enumerate() {
                if view >= if best.is_some() { VIEWS } else { MOST_VIEWS } {
                    break;
                }
                match empty.around(map, outer, sweeps) {
                    Err(misread) => last = misread,
                    Ok(drawn) => {
                        let room = drawn.room();
                        if room >= enough {
                            return Ok(drawn);
                        }
                        if best.as_ref().is_none_or(|(most, _)| room > *most) {
                            best = Some((room, drawn));
                        }
                    }
                }
            }
            if let Some((_, drawn)) = best {
                return Ok(drawn);
            }
        }
        let what = empty.full.map_or_else(|| position.to_string(), |full| full.to_string());
        Err(SketchError::Misread(what, last))
    }

    /// A drawing of the map, from one of its faces, that shows the same as this one.
    fn around(&self, map: &Map, outer: usize, sweeps: usize) -> Result<Self, Misread> {
        let web = Web::of(map, outer);
        let areas = Areas::of(map, outer);
        let radius = 1.5 * (areas.total / std::f64::consts::PI).sqrt() + 0.5;
        let half_axes = Vector::new(radius * 1.15, radius / 1.15);
        let places = tutte::draw(&web, half_axes).ok_or(Misread::Nested)?;
        let mut mesh = Mesh::new(&web, places);
        for (point, node) in web.nodes.iter().enumerate() {
            if *node == Node::Thread && sweeps > 0 {
                mesh.remove(point as u32);
            }
        }
        if sweeps > 0 {
            mesh.improve();
        }
        let mut relaxation = Relaxation::new(mesh, map, &areas, outer);
        for round in 1..=sweeps {
            // Large steps first, then small ones, so that things come to rest.
            let share = 0.8 - 0.6 * round as f64 / sweeps as f64;
            let most = relaxation.sweep(share);
            if round % 4 == 0 {
                relaxation.coarsen();
                relaxation.refine();
            } else if most < AT_REST {
                break;
            }
        }
        let mut drawn = self.placed(map, outer, &relaxation.mesh);
        drawn.lay_down();
        // Finer polygons have smaller triangles around their curves, which then keep out of each
        // other's way.
        for _ in 0..3 {
            match drawn.check() {
                Err(Misread::Crossing) => {}
                other => return other.map(|()| drawn),
            }
            for curve in &mut drawn.curves {
                *curve = halved(curve);
            }
        }
        drawn.check()?;
        Ok(drawn)
    }

    /// Rounds the places to whole steps.
    fn placed(&self, map: &Map, outer: usize, mesh: &Mesh) -> Self {
        let round = |point: u32, parity: i64| {
            let at = mesh.place(point);
            let whole = |v: f64| (v * (UNIT / parity) as f64).round() as i64 * parity;
            Point { x: whole(at.x), y: whole(at.y) }
        };
        let degrees = map.degrees();
        let vertices = map.vertices.iter().enumerate();
        let vertices = vertices
            .map(|(v, mark)| Vertex {
                at: round(v as u32, 2),
                mark: mark.clone(),
                degree: degrees[v],
            })
            .collect();
        let curves = mesh.chains(map).into_iter().map(|chain| {
            let mut curve: Vec<Point> = chain.iter().map(|&point| round(point, 2)).collect();
            // One arc is not enough: two curves between the same spots would lie in triangles with
            // a common side.
            while curve.len() < 4 {
                curve = halved(&curve);
            }
            curve
        });
        let curves = curves.collect();
        let mut faces: Vec<Face> = map
            .faces
            .iter()
            .map(|face| Face {
                fill: face.fill,
                walks: face.walks.clone(),
                alone: face.alone.clone(),
            })
            .collect();
        faces.swap(0, outer);
        let (position, full) = (self.position.clone(), self.full.clone());
        Self { position, full, vertices, curves, faces }
    }

    /// Turns a drawing that is higher than wide by a right angle, as pages and screens are wide.
    fn lay_down(&mut self) {
        let [from, to] = self.bounds();
        if to.y - from.y <= to.x - from.x {
            return;
        }
        let places = self.vertices.iter_mut().map(|vertex| &mut vertex.at);
        for at in places.chain(self.curves.iter_mut().flatten()) {
            *at = Point { x: at.y, y: -at.x };
        }
    }

    /// Reads the drawing back and compares it with its land or its list.
    ///
    /// # Errors
    /// [`Misread`] says what it shows instead.
    pub fn check(&self) -> Result<(), Misread> {
        if smooth::crossings(self) > 0 {
            return Err(Misread::Crossing);
        }
        let reading = Reading::of(self)?;
        let read = CanonicalPosition::of(&Position(vec![reading.land(self)]));
        if read != self.position {
            return Err(Misread::Other(Box::new(read)));
        }
        match &self.full {
            None if !reading.fits(self) => Err(Misread::Fill),
            Some(full) if !full.is_read(&reading, self) => Err(Misread::List),
            _ => Ok(()),
        }
    }

    /// The least distance of two spots as a part of the picture's larger side, 1 if there is at
    /// most one. With many spots, it is scaled up.
    fn room(&self) -> f64 {
        let spots: Vec<Point> =
            self.vertices.iter().filter(|v| v.mark != Mark::Dead).map(|v| v.at).collect();
        let [from, to] = self.bounds();
        let side = (to.x - from.x).max(to.y - from.y).max(1) as f64;
        let mut least = side;
        for (i, one) in spots.iter().enumerate() {
            for other in &spots[..i] {
                let (x, y) = ((one.x - other.x) as f64, (one.y - other.y) as f64);
                least = least.min((x * x + y * y).sqrt());
            }
        }
        least / side * (spots.len() as f64 / CROWD).sqrt().max(1.0)
    }

    /// How many pairs of curves have more in common than an end, decided exactly.
    pub fn crossings(&self) -> usize {
        smooth::crossings(self)
    }

    /// The control points along a walk.
    pub(crate) fn outline(&self, walk: &[Dart]) -> Vec<Point> {
        let mut outline = Vec::new();
        for &dart in walk {
            let curve = &self.curves[dart / 2];
            let inner = curve.len() - 1;
            if dart % 2 == 0 {
                outline.extend(&curve[..inner]);
            } else {
                outline.extend(curve[1..].iter().rev());
            }
        }
        outline
    }
}

/// A polygon with a further point in the middle of each segment. Coordinates are even, as those of
/// inner points are.
fn halved(curve: &[Point]) -> Vec<Point> {
    let mut halved = vec![curve[0]];
    for pair in curve.windows(2) {
        let middle = |a: i64, b: i64| (a + b) / 4 * 2;
        halved.push(Point { x: middle(pair[0].x, pair[1].x), y: middle(pair[0].y, pair[1].y) });
        halved.push(pair[1]);
    }
    halved
}

impl Map {
    /// The map of a land; its handles and cross-caps are marks in its faces.
    pub(crate) fn of_land(land: &CanonicalLand) -> Result<Self, SketchError> {
        let map = || {
            let pieces = Pieces::of(&land.to_land())?;
            let mirrors = pieces.mirrors(&mirror::within_pieces(&pieces)?);
            Self::of(&pieces, &mirrors)
        };
        map().map_err(|error| match error {
            SketchError::NotPlane if !land.is_spherical() => {
                SketchError::OtherSurface(land.clone())
            }
            other => other,
        })
    }

    /// The faces that may surround the others, the best first: those from which the picture is
    /// nested least.
    fn outermost(&self) -> Vec<usize> {
        let mut order: Vec<(usize, usize, usize)> = Vec::new();
        for (f, face) in self.faces.iter().enumerate() {
            if face.fill == Fill::Dead {
                continue;
            }
            let mut depths = vec![usize::MAX; self.faces.len()];
            depths[f] = 0;
            let mut queue = std::collections::VecDeque::from([f]);
            while let Some(at) = queue.pop_front() {
                for &dart in self.faces[at].walks.iter().flatten() {
                    let beyond = self.left[dart ^ 1];
                    if depths[beyond] == usize::MAX {
                        depths[beyond] = depths[at] + 1;
                        queue.push_back(beyond);
                    }
                }
            }
            let depth = depths
                .iter()
                .zip(&self.faces)
                .map(|(d, face)| if face.fill == Fill::Dead { 0 } else { *d });
            let content = face.alone.len() + face.walks.iter().map(Vec::len).sum::<usize>();
            order.push((depth.max().unwrap_or(0), usize::MAX - content, f));
        }
        order.sort_unstable();
        order.into_iter().map(|(_, _, f)| f).collect()
    }
}
