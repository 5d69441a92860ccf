//! The moves of a land, and the lands each leads to.
//!
//! A move joins two boundaries of a region into one, or divides a boundary (and with it the region)
//! in two. In the notation of Applegate, Jacobson and Sleator (1991): for `x` on boundary `x X` and
//! `y` on `y Y`, joining gives `x X x z y Y y z`; dividing `x X y Y` between `x` and `y` gives
//! `x X y z` and `y Y x z`, and every other boundary of the region goes to either side. `z` is the
//! new spot; a spot of degree 1 gets a letter, one of degree 2 dies.

use std::ops::ControlFlow::{self, Continue};
use std::ops::Range;

use crate::Land;
use crate::encode::{LETTER, LETTER_SLOTS, ONE, TWO, TWOS};
use crate::others::{Others, Parent};
use crate::parts::{Parts, Share};
use crate::reduce::Reducer;
use crate::sketch::Sketch;
use crate::surfaces;
use crate::symmetry::Symmetries;
use crate::ways::{self, TooManyMoves};
use crate::work::{FlatRegion, Work};

/// The lands of one child: reduced and connected, as bytes of the grammar of canonical lands, but
/// in no particular order and with any names of letters. A [`crate::Canonizer`] makes keys of them.
#[derive(Clone, Default)]
pub struct Lands {
    pub(crate) bytes: Vec<u8>,
    /// Where the bytes of each land end, and its sketch.
    pub(crate) ends: Vec<(u32, u64)>,
    pub(crate) way: u32,
}

impl Lands {
    /// The bytes of each land.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.sketched().map(|(land, _)| land)
    }

    /// [`tidy`] lands.
    pub fn tidy(&mut self) -> &Self {
        let mut start = 0;
        for &(end, _) in &self.ends {
            tidy(&mut self.bytes[start..end as usize]);
            start = end as usize;
        }
        self
    }

    /// The bytes of each land, and its sketch ([`crate::sketch`]).
    pub fn sketched(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.ends.iter().scan(0, |start, &(end, sketch)| {
            let land = &self.bytes[*start..end as usize];
            *start = end as usize;
            Some((land, sketch))
        })
    }

    /// The number of the move that led here, among those of its parent: [`Generator::child`]
    /// makes the child again from it.
    /// Less than [`crate::MAX_WAYS`].
    pub fn way(&self) -> u32 {
        self.way
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Makes room for the child of this number.
    pub(crate) fn clear_for(&mut self, way: u32) {
        self.clear();
        self.way = way;
    }

    /// Ends the land whose bytes began at `start`, if there is one.
    pub(crate) fn end(&mut self, start: usize, sketch: Sketch) {
        if self.bytes.len() > start {
            self.ends.push((self.bytes.len() as u32, sketch.0));
        }
    }

    pub(crate) fn append(&mut self, other: &Self) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(&other.bytes);
        self.ends.extend(other.ends.iter().map(|&(end, sketch)| (start + end, sketch)));
    }
}

/// Names the letters of a land in order of appearance. Its key is the same, but more lands that
/// were just met have the same bytes.
pub fn tidy(land: &mut [u8]) {
    if surfaces::has(land) {
        return surfaces::tidy(land);
    }
    // 0: not met.
    let (mut names, mut next, mut at) = ([0; LETTER_SLOTS], LETTER, 0);
    while let Some(byte) = land.get_mut(at) {
        at += 1;
        if let Some(letter) = byte.checked_sub(LETTER) {
            let name = &mut names[usize::from(letter)];
            if *name == 0 {
                *name = next;
                next += 1;
            }
            *byte = *name;
        } else if *byte <= TWOS {
            at += 1;
        }
    }
}

/// Generates children. It owns its scratch memory: make one per thread and keep it.
#[derive(Default)]
pub struct Generator {
    pub(crate) parent: Parent,
    symmetries: Symmetries,
    others: Others,
    parts: Parts,
    pub(crate) child: Lands,
    /// The number of the next move. Moves count whether or not they are skipped for their symmetry.
    pub(crate) next: u32,
    /// The number of the only move that is wanted.
    pub(crate) wanted: Option<u32>,
    /// Whether the mover may leave the new spot out.
    is_optional: bool,
    // For written lands, and for children that are reduced as a whole.
    pub(crate) raw: Work,
    pub(crate) reducer: Reducer,
}

/// One end of a curve.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// An isolated spot of this degree.
    Isolated(usize),
    /// The token at this place of this boundary.
    At(usize, usize),
}

/// What becomes of the spots at the ends of a curve.
pub(crate) struct Touch {
    /// Next unused letter, as a token.
    fresh: u8,
    /// Letters that die, as tokens; 0 for none.
    dead: [u8; 2],
}

impl Touch {
    pub fn new(parent: &Parent) -> Self {
        Self { fresh: LETTER + parent.land.letters as u8, dead: [0; 2] }
    }

    pub fn fresh_letter(&mut self) -> u8 {
        self.fresh += 1;
        self.fresh - 1
    }

    /// What becomes of an end whose spot shows `token`: its new token, or `None` when the spot
    /// dies.
    pub fn token(&mut self, end: usize, token: u8) -> Option<u8> {
        if token == ONE {
            return Some(self.fresh_letter());
        }
        if token >= LETTER {
            self.dead[end] = token;
        }
        None
    }

    /// Whether a token of the parent is still there.
    pub fn spares(&self, token: u8) -> bool {
        token < LETTER || !self.dead.contains(&token)
    }
}

impl Generator {
    /// A generator of moves in which the new spot may be left out, as in black-and-white Sprouts:
    /// each move of Sprouts, and each of these without its new spot.
    #[must_use]
    pub fn with_optional_spot() -> Self {
        Self { is_optional: true, ..Self::default() }
    }

    /// Calls `visit` with the lands of each child of the land `key`; A child may come several
    /// times, with different names of letters. Stops early when `visit` breaks.
    ///
    /// # Errors
    /// [`TooManyMoves`] before the first call of `visit`.
    ///
    /// # Panics
    /// When `key` is not a reduced land.
    pub fn children<B>(
        &mut self,
        key: &[u8],
        mut visit: impl FnMut(&mut Lands) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooManyMoves> {
        if surfaces::has(key) {
            self.check_surface()?;
            return surfaces::children(key, &mut self.child, visit);
        }
        self.parent.load(key);
        self.check_ways()?;
        self.symmetries.find(&self.parent.land);
        self.wanted = None;
        Ok(self.moves(&mut visit))
    }

    /// The lands of one child of the land `key`, as [`Self::children`] made them under this number
    /// ([`Lands::way`]), at the cost of a few children. `None` when there is no such move.
    ///
    /// # Panics
    /// When `key` is not a reduced land.
    pub fn child(&mut self, key: &[u8], way: u32) -> Option<&mut Lands> {
        if surfaces::has(key) {
            self.check_surface().ok()?;
            return surfaces::child(key, way, &mut self.child).then_some(&mut self.child);
        }
        self.parent.load(key);
        self.check_ways().ok()?;
        self.wanted = Some(way);
        self.moves(&mut |_| ControlFlow::Break(())).is_break().then_some(&mut self.child)
    }

    /// Refuses lands of other surfaces than the sphere where the new spot may be left out: there
    /// are no rules for that, and the moves of Sprouts alone would be those of another game.
    fn check_surface(&self) -> Result<(), TooManyMoves> {
        if self.is_optional { Err(TooManyMoves::UNLISTED) } else { Ok(()) }
    }

    /// Whether the moves of the parent can be listed.
    fn check_ways(&self) -> Result<(), TooManyMoves> {
        ways::check(&self.parent.land)?;
        if self.is_optional { ways::check_twice(&self.parent.land) } else { Ok(()) }
    }

    /// Calls `visit` for every move that is wanted.
    fn moves<B>(&mut self, visit: &mut impl FnMut(&mut Lands) -> ControlFlow<B>) -> ControlFlow<B> {
        self.others.clear();
        self.next = 0;
        (0..self.parent.land.regions.len()).try_for_each(|region| {
            self.joins(region, visit)?;
            self.divides(region, visit)
        })
    }

    /// Numbers the next `count` moves, which are all that share these ends. Returns which of them
    /// to make, as a range of numbers.
    fn number(&mut self, count: u32, divides: bool, ends: [usize; 2]) -> Range<u32> {
        let moves = self.next..self.next + count;
        self.next = moves.end;
        match self.wanted {
            Some(way) if moves.contains(&way) => way..way + 1,
            None if !self.symmetries.is_repeat(divides, ends) => moves,
            _ => moves.start..moves.start,
        }
    }

    /// Reduces a written land and splits it into lands.
    pub fn reduce(&mut self, land: &Land) -> &Lands {
        if !land.is_spherical() {
            surfaces::reduce_written(land, &mut self.child);
            return &self.child;
        }
        self.raw.load(land);
        self.child.clear();
        self.reducer.split(&mut self.raw, &mut self.child);
        &self.child
    }

    /// Calls `visit` for every way to join two boundaries of a region.
    fn joins<B>(
        &mut self,
        region: usize,
        visit: &mut impl FnMut(&mut Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let FlatRegion { isolated, boundaries } = self.parent.land.regions[region];
        for (a, _) in isolated.iter().enumerate().filter(|&(_, &count)| count > 0) {
            for (b, &count) in isolated.iter().enumerate().skip(a) {
                if count > u8::from(a == b) {
                    self.try_join(region, End::Isolated(a), End::Isolated(b), visit)?;
                }
            }
            for boundary in boundaries.range() {
                for i in 0..self.parent.land.boundary(boundary).len() {
                    self.try_join(region, End::Isolated(a), End::At(boundary, i), visit)?;
                }
            }
        }
        for first in boundaries.range() {
            for second in first + 1..boundaries.range().end {
                for i in 0..self.parent.land.boundary(first).len() {
                    for j in 0..self.parent.land.boundary(second).len() {
                        self.try_join(region, End::At(first, i), End::At(second, j), visit)?;
                    }
                }
            }
        }
        Continue(())
    }

    /// Calls `visit` for a join, unless it is like an earlier one.
    fn try_join<B>(
        &mut self,
        region: usize,
        a: End,
        b: End,
        visit: &mut impl FnMut(&mut Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let way = self.number(1, false, self.places_of(region, a, b));
        if !way.is_empty() {
            let isolated = self.join(region, a, b);
            let whole = self.parts.full(isolated);
            self.child.way = way.start;
            self.parts.write(&[whole], &self.others, &mut self.child);
            visit(&mut self.child)?;
        }
        if self.is_optional {
            return self.join_bare(region, [a, b], !way.is_empty(), visit);
        }
        Continue(())
    }

    /// The places of both ends of a curve, as [`Symmetries`] number them.
    fn places_of(&self, region: usize, a: End, b: End) -> [usize; 2] {
        [a, b].map(|end| match end {
            End::Isolated(degree) => self.parent.land.tokens.len() + 3 * region + degree,
            End::At(boundary, at) => self.parent.land.boundaries[boundary].start as usize + at,
        })
    }

    /// Prepares the child in which a curve joins two boundaries. Returns the isolated spots that
    /// are left.
    fn join(&mut self, region: usize, a: End, b: End) -> [u8; 3] {
        let Self { parent, others, parts, .. } = self;
        let FlatRegion { mut isolated, boundaries } = parent.land.regions[region];
        let mut touch = Touch::new(parent);
        let (mut used, mut touched, z) = ([usize::MAX; 2], [None; 2], touch.fresh_letter());
        for (side, end) in [a, b].into_iter().enumerate() {
            match end {
                End::Isolated(degree) => isolated[degree] -= 1,
                End::At(boundary, at) => {
                    used[side] = boundary;
                    touched[side] = touch.token(side, parent.land.boundary(boundary)[at]);
                }
            }
        }
        others.write(parent, region, touch.dead);
        parts.clear();
        for (side, end) in [a, b].into_iter().enumerate() {
            parts.push(z);
            match end {
                // Degree 0 becomes 1. Degree 1 becomes 2, and the spot would stand beside itself.
                End::Isolated(0) => parts.push(ONE),
                End::Isolated(1) => parts.push(TWO),
                End::Isolated(_) => {}
                End::At(boundary, at) => {
                    let walk = parent.land.boundary(boundary);
                    touched[side].into_iter().for_each(|token| parts.push(token));
                    for &token in walk[at + 1..].iter().chain(&walk[..at]) {
                        if touch.spares(token) {
                            parts.push(others.fate(token));
                        }
                    }
                    touched[side].into_iter().for_each(|token| parts.push(token));
                }
            }
        }
        parts.end_head();
        parts.add_walls(parent, boundaries.range().filter(|b| !used.contains(b)), others);
        isolated
    }

    /// Calls `visit` for every way to divide a region.
    fn divides<B>(
        &mut self,
        region: usize,
        visit: &mut impl FnMut(&mut Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let FlatRegion { isolated, boundaries } = self.parent.land.regions[region];
        // A loop takes two lives, which an isolated spot of degree 2 does not have.
        for (degree, &count) in isolated[..2].iter().enumerate() {
            if count > 0 {
                let end = End::Isolated(degree);
                self.shares(region, end, end, visit)?;
            }
        }
        for boundary in boundaries.range() {
            for i in 0..self.parent.land.boundary(boundary).len() {
                let token = self.parent.land.boundary(boundary)[i];
                if token == ONE {
                    self.shares(region, End::At(boundary, i), End::At(boundary, i), visit)?;
                }
                for j in i + 1..self.parent.land.boundary(boundary).len() {
                    // A letter met twice is one spot, with one life: it cannot be joined to itself.
                    if token < LETTER || token != self.parent.land.boundary(boundary)[j] {
                        self.shares(region, End::At(boundary, i), End::At(boundary, j), visit)?;
                    }
                }
            }
        }
        Continue(())
    }

    /// Calls `visit` for every way to share out the other boundaries of a region that is divided
    /// between `a` and `b`, unless that is like an earlier division.
    fn shares<B>(
        &mut self,
        region: usize,
        a: End,
        b: End,
        visit: &mut impl FnMut(&mut Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let FlatRegion { mut isolated, boundaries } = self.parent.land.regions[region];
        let mut others = boundaries.range().len();
        match a {
            End::Isolated(degree) => isolated[degree] -= 1,
            End::At(..) => others -= 1,
        }
        let full = Share::full(isolated, others);
        let first = self.next;
        let ways = self.number(full.count(), true, self.places_of(region, a, b));
        let are_listed = !ways.is_empty();
        if are_listed {
            self.divide(region, a, b);
        }
        let mut share = full.part(ways.start - first);
        for way in ways {
            let rest = share.complement(&full);
            // A loop at an isolated spot looks the same from both sides.
            if !matches!(a, End::Isolated(_)) || share <= rest {
                self.child.way = way;
                self.parts.write(&[share, rest], &self.others, &mut self.child);
                visit(&mut self.child)?;
            }
            share.advance(&full);
        }
        if self.is_optional {
            return self.divide_bare(region, [a, b], full, are_listed, visit);
        }
        Continue(())
    }

    /// Prepares the children in which a curve from `a` to `b` divides their boundary.
    fn divide(&mut self, region: usize, a: End, b: End) {
        let Self { parent, others, parts, .. } = self;
        let boundaries = parent.land.regions[region].boundaries.range();
        let mut touch = Touch::new(parent);
        let z = touch.fresh_letter();
        let (walk, at, used): (&[u8], _, _) = match (a, b) {
            (End::At(boundary, i), End::At(_, j)) => {
                (parent.land.boundary(boundary), (i, j), boundary)
            }
            _ => (&[], (0, 0), usize::MAX),
        };
        // The ends as both sides see them, and what lies between the ends.
        let (ends, between, beyond): ([Option<u8>; 2], &[u8], [&[u8]; 2]) = match a {
            End::Isolated(0) => ([Some(touch.fresh_letter()), None], &[], [&[]; 2]),
            End::Isolated(_) => ([None; 2], &[], [&[]; 2]),
            // A loop takes both lives of a spot of degree 1.
            End::At(..) if at.0 == at.1 => ([None; 2], &[], [&walk[at.0 + 1..], &walk[..at.0]]),
            End::At(..) => (
                [touch.token(0, walk[at.0]), touch.token(1, walk[at.1])],
                &walk[at.0 + 1..at.1],
                [&walk[at.1 + 1..], &walk[..at.0]],
            ),
        };
        others.write(parent, region, touch.dead);
        parts.clear();
        for ([head, tail], [first, last]) in [([between, &[]], ends), (beyond, [ends[1], ends[0]])]
        {
            parts.push(z);
            first.into_iter().for_each(|token| parts.push(token));
            for &token in head.iter().chain(tail) {
                if touch.spares(token) {
                    parts.push(others.fate(token));
                }
            }
            last.into_iter().for_each(|token| parts.push(token));
            parts.end_head();
        }
        parts.add_walls(parent, boundaries.filter(|&b| b != used), others);
    }
}
