//! The moves of a land, and the lands each leads to.
//!
//! A move joins two boundaries of a region into one, or divides a boundary (and with it the region) in two. In the
//! notation of Applegate, Jacobson and Sleator (1991): for `x` on boundary `x X` and `y` on `y Y`, joining gives
//! `x X x z y Y y z`; dividing `x X y Y` between `x` and `y` gives `x X y z` and `y Y x z`, and every other boundary
//! of the region goes to either side. `z` is the new spot; a spot of degree 1 gets a letter, one of degree 2 dies.

use std::ops::ControlFlow::{self, Continue};

use crate::Land;
use crate::encode::{LETTER, ONE, TWO};
use crate::reduce::Reducer;
use crate::symmetry::Symmetries;
use crate::work::{FlatRegion, Span, Work};

/// A region with more boundaries than this is not divided: it has over a million ways to share them out.
const MAX_SHARED: usize = 20;

/// A land with more children than memory could hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a region with {boundaries} boundaries of several spots can be divided in more ways than can be listed \
     (at most {MAX_SHARED} such boundaries are handled)"
)]
pub struct TooManyMoves {
    /// Boundaries of the region that are not isolated spots.
    pub boundaries: usize,
}

/// The lands of one child: reduced and connected, as bytes of the grammar of canonical lands, but in no particular
/// order and with letters as they came. A [`crate::Canonizer`] makes keys of them.
#[derive(Clone, Default)]
pub struct Lands {
    pub(crate) bytes: Vec<u8>,
    /// Where the bytes of each land end, and its sketch.
    pub(crate) ends: Vec<(u32, u64)>,
}

impl Lands {
    /// The bytes of each land.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.sketched().map(|(land, _)| land)
    }

    /// The bytes of each land, and its sketch ([`crate::sketch`]).
    pub fn sketched(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.ends.iter().scan(0, |start, &(end, sketch)| {
            let land = &self.bytes[*start..end as usize];
            *start = end as usize;
            Some((land, sketch))
        })
    }
}

/// Generates children. Owns its scratch memory; make one per thread and keep it.
#[derive(Default)]
pub struct Generator {
    parent: Work,
    /// The regions of both occurrences of each letter of the parent.
    places: Vec<[u8; 2]>,
    symmetries: Symmetries,
    child: Child,
}

/// The child that is being built, and what becomes of it.
#[derive(Default)]
struct Child {
    raw: Work,
    reducer: Reducer,
    lands: Lands,
}

/// One end of a curve.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// An isolated spot of this degree.
    Isolated(usize),
    /// The token at this place of this boundary.
    At(usize, usize),
}

/// Which boundaries of the divided region go with the first part: isolated spots by degree, and a mask of others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Share {
    isolated: [u8; 3],
    mask: u32,
}

impl Share {
    /// The other boundaries of `full`.
    fn complement(&self, full: &Self) -> Self {
        let isolated = std::array::from_fn(|degree| full.isolated[degree] - self.isolated[degree]);
        Self { isolated, mask: full.mask ^ self.mask }
    }

    /// Goes on to the next share of `full`; `false` after the last.
    fn advance(&mut self, full: &Self) -> bool {
        if self.mask < full.mask {
            self.mask += 1;
            return true;
        }
        self.mask = 0;
        for (count, &most) in self.isolated.iter_mut().zip(&full.isolated) {
            if *count < most {
                *count += 1;
                return true;
            }
            *count = 0;
        }
        false
    }
}

/// A move in region `region`: what the reduction needs to know of it.
struct Move {
    region: usize,
    /// Letters that die, as tokens; 0 for none.
    dead: [u8; 2],
    /// Next unused letter, as a token.
    fresh: u8,
}

impl Move {
    fn new(parent: &Work, region: usize) -> Self {
        Self { region, dead: [0; 2], fresh: LETTER + parent.letters as u8 }
    }

    fn fresh_letter(&mut self) -> u8 {
        self.fresh += 1;
        self.fresh - 1
    }

    /// What becomes of an end whose spot shows `token`: its new token, or `None` when the spot dies.
    fn touch(&mut self, end: usize, token: u8) -> Option<u8> {
        if token == ONE {
            return Some(self.fresh_letter());
        }
        if token >= LETTER {
            self.dead[end] = token;
        }
        None
    }
}

impl Generator {
    /// Calls `visit` with the lands of each child of the land `key`; a child may come several times, under different
    /// names. Stops early when `visit` breaks.
    ///
    /// # Errors
    /// [`TooManyMoves`] before the first call of `visit`.
    ///
    /// # Panics
    /// When `key` is not a land.
    pub fn children<B>(
        &mut self,
        key: &[u8],
        mut visit: impl FnMut(&Lands) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooManyMoves> {
        self.parent.load_key(key);
        let most = self.parent.regions.iter().map(|r| r.boundaries.len()).max().unwrap_or(0);
        if most > MAX_SHARED {
            return Err(TooManyMoves { boundaries: most });
        }
        self.survey();
        Ok((0..self.parent.regions.len()).try_for_each(|region| {
            self.joins(region, &mut visit)?;
            self.divides(region, &mut visit)
        }))
    }

    /// Reduces a written land and splits it into lands.
    pub fn reduce(&mut self, land: &Land) -> &Lands {
        self.child.raw.load(land);
        self.child.finish();
        &self.child.lands
    }

    fn survey(&mut self) {
        self.places.clear();
        self.places.resize(self.parent.letters, [u8::MAX; 2]);
        for (r, region) in self.parent.regions.iter().enumerate() {
            for span in &self.parent.boundaries[region.boundaries.range()] {
                for &token in &self.parent.tokens[span.range()] {
                    if token >= LETTER {
                        let places = &mut self.places[usize::from(token - LETTER)];
                        places[usize::from(places[0] != u8::MAX)] = r as u8;
                    }
                }
            }
        }
        self.symmetries.find(&self.parent);
    }

    /// Calls `visit` for every way to join two boundaries of a region.
    fn joins<B>(
        &mut self,
        region: usize,
        visit: &mut impl FnMut(&Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let FlatRegion { isolated, boundaries } = self.parent.regions[region];
        for (a, _) in isolated.iter().enumerate().filter(|&(_, &count)| count > 0) {
            for (b, &count) in isolated.iter().enumerate().skip(a) {
                if count > u8::from(a == b) {
                    self.try_join(region, End::Isolated(a), End::Isolated(b), visit)?;
                }
            }
            for boundary in boundaries.range() {
                for i in 0..self.parent.boundary(boundary).len() {
                    self.try_join(region, End::Isolated(a), End::At(boundary, i), visit)?;
                }
            }
        }
        for first in boundaries.range() {
            for second in first + 1..boundaries.range().end {
                for i in 0..self.parent.boundary(first).len() {
                    for j in 0..self.parent.boundary(second).len() {
                        self.try_join(region, End::At(first, i), End::At(second, j), visit)?;
                    }
                }
            }
        }
        Continue(())
    }

    /// Calls `visit` for a join, unless it is like one before.
    fn try_join<B>(
        &mut self,
        region: usize,
        a: End,
        b: End,
        visit: &mut impl FnMut(&Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.symmetries.is_repeat(false, self.places_of(region, a, b)) {
            return Continue(());
        }
        self.join(region, a, b);
        self.child.deliver(visit)
    }

    /// The places of both ends of a curve, as [`Symmetries`] number them.
    fn places_of(&self, region: usize, a: End, b: End) -> [usize; 2] {
        [a, b].map(|end| match end {
            End::Isolated(degree) => self.parent.tokens.len() + 3 * region + degree,
            End::At(boundary, at) => self.parent.boundaries[boundary].start as usize + at,
        })
    }

    /// Builds the child in which a curve joins two boundaries.
    fn join(&mut self, region: usize, a: End, b: End) {
        let parent = &self.parent;
        let mut mv = Move::new(parent, region);
        let child = &mut self.child.raw;
        let FlatRegion { mut isolated, boundaries } = parent.regions[region];
        let (mut used, z) = ([usize::MAX; 2], mv.fresh_letter());
        for (side, end) in [a, b].into_iter().enumerate() {
            match end {
                End::Isolated(kind) => isolated[kind] -= 1,
                End::At(boundary, _) => used[side] = boundary,
            }
        }
        child.clear();
        child.open_region(isolated);
        let start = child.open_boundary();
        for (side, end) in [a, b].into_iter().enumerate() {
            child.push_merging(start, z);
            match end {
                // Degree 0 becomes 1. Degree 1 becomes 2 and would stand beside itself.
                End::Isolated(0) => child.tokens.push(ONE),
                End::Isolated(1) => child.tokens.push(TWO),
                End::Isolated(_) => {}
                End::At(boundary, at) => {
                    let walk = parent.boundary(boundary);
                    let touched = mv.touch(side, walk[at]);
                    let rest = walk[at + 1..].iter().chain(&walk[..at]);
                    let alive = rest.copied().filter(|&t| t != walk[at] || t < LETTER);
                    for token in touched.into_iter().chain(alive).chain(touched) {
                        child.push_merging(start, token);
                    }
                }
            }
        }
        child.close_boundary(start);
        for boundary in boundaries.range().filter(|b| !used.contains(b)) {
            copy(parent, parent.boundaries[boundary], child);
        }
        child.close_region();
        self.copy_others(&mv);
    }

    /// Calls `visit` for every way to divide a region.
    fn divides<B>(
        &mut self,
        region: usize,
        visit: &mut impl FnMut(&Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let FlatRegion { isolated, boundaries } = self.parent.regions[region];
        // A loop takes two lives, which an isolated spot of degree 2 does not have.
        for (degree, &count) in isolated[..2].iter().enumerate() {
            if count > 0 {
                let end = End::Isolated(degree);
                self.shares(region, end, end, visit)?;
            }
        }
        for boundary in boundaries.range() {
            for i in 0..self.parent.boundary(boundary).len() {
                let token = self.parent.boundary(boundary)[i];
                if token == ONE {
                    self.shares(region, End::At(boundary, i), End::At(boundary, i), visit)?;
                }
                for j in i + 1..self.parent.boundary(boundary).len() {
                    // A letter met twice is one spot, with one life: it cannot be joined to itself.
                    if token < LETTER || token != self.parent.boundary(boundary)[j] {
                        self.shares(region, End::At(boundary, i), End::At(boundary, j), visit)?;
                    }
                }
            }
        }
        Continue(())
    }

    /// Calls `visit` for every way to share out the other boundaries of a region that is divided between `a` and `b`, unless
    /// that is like a division before.
    fn shares<B>(
        &mut self,
        region: usize,
        a: End,
        b: End,
        visit: &mut impl FnMut(&Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.symmetries.is_repeat(true, self.places_of(region, a, b)) {
            return Continue(());
        }
        let FlatRegion { mut isolated, boundaries } = self.parent.regions[region];
        let mut others = boundaries.len();
        match a {
            End::Isolated(kind) => isolated[kind] -= 1,
            End::At(..) => others -= 1,
        }
        let full = Share { isolated, mask: (1 << others) - 1 };
        let mut share = Share { isolated: [0; 3], mask: 0 };
        loop {
            let rest = share.complement(&full);
            // A loop at an isolated spot looks the same from both sides.
            if !matches!(a, End::Isolated(_)) || share <= rest {
                self.divide(region, a, b, share, rest);
                self.child.deliver(visit)?;
            }
            if !share.advance(&full) {
                return Continue(());
            }
        }
    }

    /// Builds the child in which a curve from `a` to `b` divides their boundary.
    fn divide(&mut self, region: usize, a: End, b: End, share: Share, rest: Share) {
        let parent = &self.parent;
        let mut mv = Move::new(parent, region);
        let child = &mut self.child.raw;
        let boundaries = parent.regions[region].boundaries;
        let z = mv.fresh_letter();
        let (walk, at, used): (&[u8], _, _) = match (a, b) {
            (End::At(boundary, i), End::At(_, j)) => (parent.boundary(boundary), (i, j), boundary),
            _ => (&[], (0, 0), usize::MAX),
        };
        // The ends as both sides see them, and what lies between them.
        let (ends, between, beyond): ([Option<u8>; 2], &[u8], [&[u8]; 2]) = match a {
            End::Isolated(0) => ([Some(mv.fresh_letter()), None], &[], [&[]; 2]),
            End::Isolated(_) => ([None; 2], &[], [&[]; 2]),
            // A loop takes both lives of a spot of degree 1.
            End::At(..) if at.0 == at.1 => ([None; 2], &[], [&walk[at.0 + 1..], &walk[..at.0]]),
            End::At(..) => (
                [mv.touch(0, walk[at.0]), mv.touch(1, walk[at.1])],
                &walk[at.0 + 1..at.1],
                [&walk[at.1 + 1..], &walk[..at.0]],
            ),
        };
        child.clear();
        let gone = mv.dead;
        let alive = |&t: &u8| t < LETTER || !gone.contains(&t);
        for (part, Share { isolated, mask }) in [share, rest].into_iter().enumerate() {
            child.open_region(isolated);
            let start = child.open_boundary();
            child.push_merging(start, z);
            let [head, tail] = if part == 0 { [between, &[]] } else { beyond };
            let (first, last) = if part == 0 { (ends[0], ends[1]) } else { (ends[1], ends[0]) };
            let inner = head.iter().chain(tail).copied().filter(alive);
            for token in first.into_iter().chain(inner).chain(last) {
                child.push_merging(start, token);
            }
            child.close_boundary(start);
            for (bit, boundary) in boundaries.range().filter(|&b| b != used).enumerate() {
                if mask >> bit & 1 == 1 {
                    copy(parent, parent.boundaries[boundary], child);
                }
            }
            child.close_region();
        }
        self.copy_others(&mv);
    }

    /// Copies the regions in which no curve was drawn; spots that died are gone there too.
    fn copy_others(&mut self, mv: &Move) {
        let (parent, child) = (&self.parent, &mut self.child.raw);
        child.letters = usize::from(mv.fresh - LETTER);
        for (r, region) in parent.regions.iter().enumerate() {
            if r == mv.region {
                continue;
            }
            child.open_region(region.isolated);
            let hit = |&d: &u8| d != 0 && self.places[usize::from(d - LETTER)].contains(&(r as u8));
            let hit = mv.dead.iter().any(hit);
            for &span in &parent.boundaries[region.boundaries.range()] {
                if hit {
                    let start = child.open_boundary();
                    for &token in &parent.tokens[span.range()] {
                        if token < LETTER || !mv.dead.contains(&token) {
                            child.push_merging(start, token);
                        }
                    }
                    child.close_boundary(start);
                } else {
                    copy(parent, span, child);
                }
            }
            child.close_region();
        }
    }
}

/// Copies a boundary as it is.
fn copy(parent: &Work, span: Span, child: &mut Work) {
    let start = child.tokens.len() as u32;
    child.tokens.extend_from_slice(&parent.tokens[span.range()]);
    child.boundaries.push(Span { start, end: child.tokens.len() as u32 });
}

impl Child {
    /// Reduces and splits what was built, and hands it over.
    fn deliver<B>(&mut self, visit: &mut impl FnMut(&Lands) -> ControlFlow<B>) -> ControlFlow<B> {
        self.finish();
        visit(&self.lands)
    }

    fn finish(&mut self) {
        self.lands.bytes.clear();
        self.lands.ends.clear();
        self.reducer.split(&self.raw, &mut self.lands);
    }
}
