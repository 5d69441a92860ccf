//! Finds a curve in a picture for a move, where a hand would draw it.
//!
//! A move says which ends are joined and what comes to lie on which side of the curve. The free
//! space of the region is cut into triangles. If the curve divides its boundary, everything that is
//! to lie on its first side is joined by ways to the first part of that boundary, and the rest to
//! the other part. None of these ways may be crossed, so what is left has one way from end to end,
//! up to bending: the shortest one is taken, and made smooth. In the end the picture with the curve
//! is read like every picture, and must show the position after the move.

use std::collections::HashSet;

use sprig_engine::CanonicalPosition;
use sprig_engine::paper::{Course as Run, Paper, Witness};
use sprig_engine::{Land, Position};

use crate::course::Course;
use crate::drawn::{Drawn, UNIT};
use crate::exact::{Point, area};
use crate::map::{Dart, Mark};
use crate::obstacles::Obstacles;
use crate::picture::Picture;
use crate::read::{Bound, Misread, Reading};
use crate::space::{Label, Space, Wedge};
use crate::vector::Vector;

/// How far around everything a curve may go.
const MARGIN: i64 = UNIT * 45 / 100;

impl Picture {
    /// The position as it is read from the picture, with regions, boundaries and spots in an order
    /// of their own. [`Picture::route`] draws moves of this paper.
    ///
    /// # Errors
    /// [`Misread`], which never happens with a picture that was drawn here.
    pub fn paper(&self) -> Result<Paper, Misread> {
        let lands: Result<Vec<Land>, Misread> = self
            .lands
            .iter()
            .map(|placed| Ok(Reading::of(&placed.drawn)?.land(&placed.drawn)))
            .collect();
        Ok(Paper::of(&Position(lands?)))
    }

    /// A curve for a move of [`Picture::paper`], in steps of the picture, with a point for the new
    /// spot in its middle. `None` where spots that are drawn as one would have to be told apart, or
    /// where no curve is found that can be shown to be the move.
    #[must_use]
    pub fn route(&self, paper: &Paper, witness: &Witness) -> Option<Vec<Point>> {
        let after = paper.play(witness).ok()?.canonical();
        let mut region = witness.region;
        for (number, placed) in self.lands.iter().enumerate() {
            let reading = Reading::of(&placed.drawn).ok()?;
            let regions = reading.regions(&placed.drawn);
            let Some(&face) = regions.get(region) else {
                region -= regions.len();
                continue;
            };
            let others = self.lands.iter().enumerate().filter(|(other, _)| *other != number);
            let others: Vec<_> = others.flat_map(|(_, other)| other.drawn.lands()).collect();
            let leads_there = |line: &[Point]| {
                placed.drawn.shows_after(line).is_some_and(|read| {
                    let lands = read.into_lands().into_iter().chain(others.iter().cloned());
                    CanonicalPosition::from_lands(lands) == after
                })
            };
            let line = Route::new(&placed.drawn, &reading, face)?.line(witness, leads_there)?;
            let there = |at: &Point| Point { x: at.x + placed.offset.x, y: at.y + placed.offset.y };
            return Some(line.iter().map(there).collect());
        }
        None
    }
}

/// A face in which a curve is looked for.
struct Route<'a> {
    drawn: &'a Drawn,
    obstacles: Obstacles,
    bounds: Vec<Bound>,
    space: Space,
    /// Where the darts of the walks begin: the corners to their left.
    darts: Vec<Vec<Wedge>>,
    alone: Vec<(usize, u32)>,
}

impl<'a> Route<'a> {
    fn new(drawn: &'a Drawn, reading: &'a Reading, face: usize) -> Option<Self> {
        let (walks, alone) = reading.face(face);
        // Face 0 is the one around everything.
        let [low, high] = match face {
            0 => {
                let [a, b] = drawn.bounds();
                let at = |x, y| Point { x, y };
                [at(a.x - MARGIN, a.y - MARGIN), at(b.x + MARGIN, b.y + MARGIN)]
            }
            _ => bounds(walks.iter().flatten().flat_map(|dart| &drawn.curves[dart / 2])),
        };
        let at = |x, y| Point { x, y };
        let frame = [low, at(high.x, low.y), high, at(low.x, high.y)];
        let obstacles = Obstacles::of(drawn, walks, alone, (face == 0).then_some(frame));
        let places: Vec<Point> = alone.iter().map(|&v| drawn.vertices[v].at).collect();
        let (mut space, points) = Space::of(&obstacles, &places, [low, high])?;
        let mut wedges = Vec::new();
        for &dart in walks.iter().flatten() {
            let [from, bend, middle] = arm(drawn, dart);
            let side = if area(from, bend, middle) > 0 { middle } else { bend };
            wedges.push(space.left(points.at(from)?, points.at(side)?)?);
        }
        for &place in &places {
            wedges.push(space.around(points.at(place)?)?);
        }
        let key = |[a, b]: &[Point; 2]| {
            let (a, b) = (points.at(*a)?, points.at(*b)?);
            Some((a.min(b), a.max(b)))
        };
        let walls: HashSet<(u32, u32)> = obstacles.walls.iter().map(key).collect::<Option<_>>()?;
        space.keep(&mut wedges, &walls);
        space.open(&walls);
        let mut left = wedges.into_iter();
        let darts = walks.iter().map(|walk| left.by_ref().take(walk.len()).collect()).collect();
        let alone = alone.iter().zip(left).map(|(&v, wedge)| (v, space.point(wedge))).collect();
        let bounds = reading.bounds(drawn, face);
        Some(Self { drawn, obstacles, bounds, space, darts, alone })
    }

    /// A line for a move, if there is one that is shown to lead where it must.
    fn line(
        mut self,
        witness: &Witness,
        leads_there: impl Fn(&[Point]) -> bool,
    ) -> Option<Vec<Point>> {
        let [from, to] = witness.ends;
        let is_genus_first = match &witness.course {
            Run::Plain => false,
            // If all handles or cross-caps lie on one side, so does their mark.
            Run::Shared { surfaces: [_, second], turned }
                if second.is_sphere() && turned.is_empty() =>
            {
                true
            }
            Run::Shared { .. } | Run::Crossed | Run::Open { .. } => return None,
        };
        for number in 0..self.bounds.len() {
            for point in self.points(number)? {
                self.space.label[point as usize] = Label::Hole(number);
            }
        }
        let [begin, end] =
            [self.corner(from.boundary, from.spot)?, self.corner(to.boundary, to.spot)?];
        if witness.divides() {
            self.divide(witness, is_genus_first, [begin, end])?;
        } else {
            for point in [begin, end] {
                self.space.label[point as usize] = Label::Corner;
            }
        }
        self.space.refine(&self.obstacles);
        let corners: Vec<u32> = self.all(Label::Corner);
        // A spot that a curve leads around has a corner on each side of it.
        let first = corners.first().copied()?;
        let way = self.space.way(|p| p == first, |p| p != first && corners.contains(&p))?;
        let places: Vec<Vector> = way.iter().map(|&point| self.space.at[point as usize]).collect();
        let mut course = Course::new(places.clone(), &self.obstacles);
        course.improve();
        let mut tries = [course.points, places].into_iter().map(|places| self.ink(&places));
        tries.find_map(|line| {
            let finer = std::iter::successors(Some(line), |line| Some(crate::stroke::finer(line)));
            finer.take(4).find(|line| leads_there(line))
        })
    }

    /// Joins everything to the side on which it is to lie.
    fn divide(
        &mut self,
        witness: &Witness,
        is_genus_first: bool,
        [begin, end]: [u32; 2],
    ) -> Option<()> {
        let [from, _] = witness.ends;
        let drawn = self.drawn;
        let is_genus = |number: usize| match &self.bounds[number] {
            Bound::Alone(vertex) => matches!(drawn.vertices[*vertex].mark, Mark::Genus(_)),
            Bound::Walk { .. } => false,
        };
        let is_first = |number: &usize| match is_genus(*number) {
            true => is_genus_first,
            false => witness.along.contains(number),
        };
        let (along, mut rest): (Vec<usize>, Vec<usize>) =
            (0..self.bounds.len()).filter(|&number| number != from.boundary).partition(is_first);
        let mut sides = [along, std::mem::take(&mut rest)];
        let own = self.space.edge(begin);
        let is_single = own.len() == 1;
        let mut side = if begin == end { 1 } else { 0 };
        for &point in &own {
            if point == end && point != begin {
                side = 1;
            }
            self.space.label[point as usize] = Label::Side(side);
        }
        for point in [begin, end] {
            self.space.label[point as usize] = Label::Corner;
        }
        if begin == end {
            // Around a spot without curves the sides are alike.
            if is_single && sides[1].is_empty() {
                sides.swap(0, 1);
            }
            // The first way on each side that needs one begins at the spot itself.
            self.fence(0, &mut sides[0], Label::Corner)?;
            if is_single {
                self.fence(1, &mut sides[1], Label::Corner)?;
            }
        }
        for (side, holes) in sides.iter_mut().enumerate() {
            while !holes.is_empty() {
                self.fence(side, holes, Label::Side(side))?;
            }
        }
        Some(())
    }

    /// Joins the nearest of some holes to points with a label. If there is no hole, joins a place
    /// to go around.
    fn fence(&mut self, side: usize, holes: &mut Vec<usize>, from: Label) -> Option<()> {
        let Self { space, obstacles, .. } = self;
        space.refine(obstacles);
        let target = if holes.is_empty() {
            let is_begin = |p: u32| space.label[p as usize] == from;
            let point = space.near(is_begin)?;
            space.label[point as usize] = Label::Hole(usize::MAX);
            obstacles.stand(space.at[point as usize]);
            space.refine(obstacles);
            vec![usize::MAX]
        } else {
            holes.clone()
        };
        let is_begin = |p: u32| space.label[p as usize] == from;
        let is_end = |p: u32| match space.label[p as usize] {
            Label::Hole(number) => target.contains(&number),
            _ => false,
        };
        let way = space.way(is_begin, is_end)?;
        let Label::Hole(met) = space.label[way[way.len() - 1] as usize] else { return None };
        holes.retain(|&number| number != met);
        for label in &mut space.label {
            if *label == Label::Hole(met) {
                *label = Label::Side(side);
            }
        }
        for &point in &way[1..] {
            space.label[point as usize] = Label::Side(side);
        }
        let walls = way.windows(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1])));
        space.open(&walls.collect());
        Some(())
    }

    /// All points with a label.
    fn all(&self, label: Label) -> Vec<u32> {
        let points = 0..self.space.at.len() as u32;
        points.filter(|&point| self.space.label[point as usize] == label).collect()
    }

    /// The points of a boundary.
    fn points(&self, number: usize) -> Option<Vec<u32>> {
        match &self.bounds[number] {
            Bound::Walk { walk, .. } => {
                Some(self.space.edge(self.space.point(*self.darts[*walk].first()?)))
            }
            Bound::Alone(vertex) => {
                let found = self.alone.iter().find(|(v, _)| v == vertex)?;
                Some(vec![found.1])
            }
        }
    }

    /// The point at a spot of a boundary.
    fn corner(&self, number: usize, spot: usize) -> Option<u32> {
        match &self.bounds[number] {
            Bound::Walk { walk, spots } => {
                Some(self.space.point(*self.darts[*walk].get(*spots.get(spot)?)?))
            }
            Bound::Alone(_) => self.points(number)?.first().copied(),
        }
    }

    /// A way as points of the drawing, in whole steps, with its ends exactly at the spots.
    fn ink(&self, places: &[Vector]) -> Vec<Point> {
        let even = |v: f64| (v / 2.0).round() as i64 * 2;
        let mut line: Vec<Point> =
            places.iter().map(|at| Point { x: even(at.x), y: even(at.y) }).collect();
        let at_spot = |at: &Vector| {
            let place = |v: &&crate::Vertex| Vector::from(v.at) == *at;
            self.drawn.vertices.iter().find(place).map(|vertex| vertex.at)
        };
        let last = line.len() - 1;
        for (i, at) in [(0, &places[0]), (last, &places[places.len() - 1])] {
            line[i] = at_spot(at).unwrap_or(line[i]);
        }
        line.dedup();
        while line.len() < 9 {
            line = crate::stroke::finer(&line);
        }
        line
    }
}

/// The first points of a curve, from where a dart begins.
fn arm(drawn: &Drawn, dart: Dart) -> [Point; 3] {
    let curve = &drawn.curves[dart / 2];
    let arcs = crate::smooth::arcs(curve);
    match dart % 2 {
        0 => arcs[0],
        _ => {
            let [middle, bend, from] = arcs[arcs.len() - 1];
            [from, bend, middle]
        }
    }
}

fn bounds<'a>(points: impl Iterator<Item = &'a Point>) -> [Point; 2] {
    let mut corners = [Point { x: i64::MAX, y: i64::MAX }, Point { x: i64::MIN, y: i64::MIN }];
    for at in points {
        corners[0] = Point { x: corners[0].x.min(at.x), y: corners[0].y.min(at.y) };
        corners[1] = Point { x: corners[1].x.max(at.x), y: corners[1].y.max(at.y) };
    }
    corners
}
