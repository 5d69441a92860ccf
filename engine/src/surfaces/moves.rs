//! The moves of a land that is not of the sphere.
//!
//! A curve joins two boundaries of a region, or runs from one to itself. In the second case, with
//! `P` and `Q` the boundaries that it would leave on the sphere, it
//!
//! * *separates*: `P` and `Q` bound two regions, which share out the other boundaries and the
//!   handles or cross-caps;
//! * or it has two sides and separates nothing: it cuts a handle (or two cross-caps) open, and `P`
//!   and `Q` are two boundaries of one region;
//! * or it has one side: it cuts a cross-cap open, and `P` reversed and `Q` are one boundary.
//!
//! What is left of a surface with cross-caps may have none: 3 cross-caps are 1 and a handle. The
//! other boundaries, which had no direction, are then read in one direction or the other. Which one
//! depends on how the curve runs, so both happen.

use std::ops::ControlFlow::{self, Break, Continue};

use super::face::{self, Face};
use super::reduce::reduce;
use super::ways;
use crate::encode::{LETTER, ONE, TWO};
use crate::generate::Lands;
use crate::parts::Share;
use crate::ways::TooManyMoves;

/// Calls `visit` with the lands of each child of a land, as [`crate::Generator::children`] does.
pub(crate) fn children<B>(
    land: &[u8],
    child: &mut Lands,
    visit: impl FnMut(&mut Lands) -> ControlFlow<B>,
) -> Result<ControlFlow<B>, TooManyMoves> {
    let faces = face::read(land);
    ways::check(&faces)?;
    Ok(Moves::of(&faces, None, child, visit).all())
}

/// Makes the child of this number. Returns whether there is one.
pub(crate) fn child(land: &[u8], way: u32, child: &mut Lands) -> bool {
    let faces = face::read(land);
    ways::check(&faces).is_ok()
        && Moves::of(&faces, Some(way), child, |_| Break(())).all().is_break()
}

/// One end of a curve: an isolated spot of a degree, or the token at a place of a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Isolated(usize),
    At(usize, usize),
}

type Walk = Vec<u8>;

/// What a curve leaves as it is.
struct Rest {
    /// Isolated spots of its region.
    isolated: [u8; 3],
    /// Other boundaries of its region.
    walks: Vec<Walk>,
    /// Other regions.
    others: Vec<Face>,
}

struct Moves<'a, V> {
    faces: &'a [Face],
    /// The first letter that no spot has.
    fresh: u8,
    /// The number of the next move.
    next: u32,
    /// The number of the only move that is wanted.
    wanted: Option<u32>,
    child: &'a mut Lands,
    visit: V,
}

impl<'a, B, V: FnMut(&mut Lands) -> ControlFlow<B>> Moves<'a, V> {
    fn of(faces: &'a [Face], wanted: Option<u32>, child: &'a mut Lands, visit: V) -> Self {
        let tokens = faces.iter().flat_map(|face| face.walks.iter().flatten());
        let fresh = tokens.copied().filter(|&token| token >= LETTER).max();
        let fresh = fresh.map_or(LETTER, |last| last + 1);
        Self { faces, fresh, next: 0, wanted, child, visit }
    }

    fn all(mut self) -> ControlFlow<B> {
        (0..self.faces.len()).try_for_each(|f| {
            self.joins(f)?;
            self.curves(f)
        })
    }

    /// Counts a move. If it is wanted, has its child visited.
    fn offer(&mut self, rest: &Rest, made: impl FnOnce() -> Vec<Face>) -> ControlFlow<B> {
        let way = self.next;
        self.next += 1;
        if self.wanted.is_some_and(|wanted| wanted != way) {
            return Continue(());
        }
        let mut faces = made();
        faces.extend(rest.others.iter().cloned());
        self.child.clear_for(way);
        reduce(faces, self.child);
        (self.visit)(self.child)
    }

    fn token(&self, f: usize, end: End) -> Option<u8> {
        match end {
            End::Isolated(_) => None,
            End::At(w, i) => Some(self.faces[f].walks[w][i]),
        }
    }

    /// What the curve leaves as it is. The letters at its ends die, wherever they stand.
    fn rest(&self, f: usize, ends: &[End]) -> Rest {
        let dead: Vec<u8> =
            ends.iter().filter_map(|&end| self.token(f, end)).filter(|&t| t >= LETTER).collect();
        let alive = |walk: &Walk| walk.iter().copied().filter(|t| !dead.contains(t)).collect();
        let mut isolated = self.faces[f].isolated;
        let mut met = Vec::new();
        for &end in ends {
            match end {
                End::Isolated(degree) => isolated[degree] -= 1,
                End::At(w, _) => met.push(w),
            }
        }
        let walks = self.faces[f].walks.iter().enumerate();
        let walks = walks.filter(|(w, _)| !met.contains(w)).map(|(_, walk)| alive(walk)).collect();
        let others = self.faces.iter().enumerate().filter(|&(other, _)| other != f);
        let others =
            others.map(|(_, face)| Face { walks: face.walks.iter().map(alive).collect(), ..*face });
        Rest { isolated, walks, others: others.collect() }
    }

    /// The boundary of an end that a curve joins to another, from where it begins to where it ends,
    /// with its new letter.
    fn part(&self, f: usize, end: End, letter: u8, dead: [Option<u8>; 2]) -> Walk {
        match end {
            End::Isolated(0) => vec![ONE],
            End::Isolated(1) => vec![TWO],
            End::Isolated(_) => Vec::new(),
            End::At(w, i) => {
                let walk = &self.faces[f].walks[w];
                let end = (walk[i] == ONE).then_some(letter);
                let between = walk[i + 1..].iter().chain(&walk[..i]).copied();
                let between =
                    between.filter(|&token| token < LETTER || !dead.contains(&Some(token)));
                end.into_iter().chain(between).chain(end).collect()
            }
        }
    }

    fn joins(&mut self, f: usize) -> ControlFlow<B> {
        let face = &self.faces[f];
        let isolated = (0..3).filter(|&degree| face.isolated[degree] > 0).map(End::Isolated);
        let walks = face.walks.iter().enumerate();
        let walks = walks.flat_map(|(w, walk)| (0..walk.len()).map(move |i| End::At(w, i)));
        let ends: Vec<End> = isolated.chain(walks).collect();
        for (i, &a) in ends.iter().enumerate() {
            for &b in &ends[i..] {
                let meets = match (a, b) {
                    (End::Isolated(x), End::Isolated(y)) => x == y && face.isolated[x] < 2,
                    (End::At(w, _), End::At(v, _)) => {
                        // A letter in two boundaries is one spot, with one life.
                        let (x, y) = (self.token(f, a), self.token(f, b));
                        w == v || (x == y && x >= Some(LETTER))
                    }
                    _ => false,
                };
                if !meets {
                    self.join(f, a, b)?;
                }
            }
        }
        Continue(())
    }

    fn join(&mut self, f: usize, a: End, b: End) -> ControlFlow<B> {
        let rest = self.rest(f, &[a, b]);
        let (z, dead) = (self.fresh, [self.token(f, a), self.token(f, b)]);
        let (one, other) = (self.part(f, a, z + 1, dead), self.part(f, b, z + 2, dead));
        let surface = self.faces[f].surface;
        let joined = |other: &Walk| {
            let walk = [&one[..], &[z], other, &[z]].concat();
            vec![Face { surface, isolated: rest.isolated, walks: with(&[walk], &rest.walks) }]
        };
        self.offer(&rest, || joined(&other))?;
        // Through a cross-cap the other boundary is read from its other side.
        if !surface.is_orientable() && !is_palindrome(&one) && !is_palindrome(&other) {
            let turned = reversed(&other);
            self.offer(&rest, || joined(&turned))?;
        }
        Continue(())
    }

    fn curves(&mut self, f: usize) -> ControlFlow<B> {
        for degree in 0..2 {
            if self.faces[f].isolated[degree] > 0 {
                // Curves around an isolated spot. A spot of degree 1 dies of it.
                let around = if degree == 0 { vec![self.fresh + 1] } else { Vec::new() };
                let rest = self.rest(f, &[End::Isolated(degree)]);
                self.curve(f, &rest, &around, &around)?;
            }
        }
        for w in 0..self.faces[f].walks.len() {
            for i in 0..self.faces[f].walks[w].len() {
                for j in i..self.faces[f].walks[w].len() {
                    let walk = &self.faces[f].walks[w];
                    let (x, y) = (walk[i], walk[j]);
                    if if i == j { x == ONE } else { x < LETTER || x != y } {
                        let [near, far] = self.sides(walk, i, j);
                        let rest = self.rest(f, &[End::At(w, i), End::At(w, j)]);
                        self.curve(f, &rest, &near, &far)?;
                    }
                }
            }
        }
        Continue(())
    }

    /// What a curve from one place of a walk to another passes on either side, from end to end.
    fn sides(&self, walk: &[u8], i: usize, j: usize) -> [Walk; 2] {
        if i == j {
            return [Vec::new(), [&walk[i + 1..], &walk[..i]].concat()];
        }
        let ends = [(i, 1), (j, 2)].map(|(place, number)| {
            if walk[place] == ONE { vec![self.fresh + number] } else { Vec::new() }
        });
        let near = [&ends[0], &walk[i + 1..j], &ends[1]].concat();
        let far = [&ends[1], &walk[j + 1..], &walk[..i], &ends[0]].concat();
        let is_alive = |token: &u8| *token < LETTER || (*token != walk[i] && *token != walk[j]);
        [near, far].map(|side| side.into_iter().filter(is_alive).collect())
    }

    /// All that can be done by a curve from a boundary to itself that passes `near` on one side and
    /// `far` on the other.
    fn curve(&mut self, f: usize, rest: &Rest, near: &Walk, far: &Walk) -> ControlFlow<B> {
        let z = self.fresh;
        let [p, q] = [near, far].map(|side| [&side[..], &[z]].concat());
        let genus = self.faces[f].surface.genus();
        if genus >= 0 {
            for (share, other) in shares(rest) {
                for h in 0..=genus {
                    // If both sides look the same, both ways to share between them are the same.
                    if near != far || (share, h) <= (other, genus - h) {
                        self.offer(rest, || {
                            vec![rest.face(h, share, &p), rest.face(genus - h, other, &q)]
                        })?;
                    }
                }
            }
            if genus > 0 {
                self.offer(rest, || vec![rest.whole(genus - 1, &[&p, &q], &rest.walks)])?;
            }
            return Continue(());
        }
        let crosses = -genus;
        for (share, other) in shares(rest) {
            for h in 1..crosses {
                if near != far || (share, h) <= (other, crosses - h) {
                    self.offer(rest, || {
                        vec![rest.face(-h, share, &p), rest.face(h - crosses, other, &q)]
                    })?;
                }
            }
            let sides = if near == far { vec![(&p, &q)] } else { vec![(&p, &q), (&q, &p)] };
            for (one, another) in sides {
                for h in 0..=(crosses - 1) / 2 {
                    for walks in turns(&rest.chosen(share), one.len() <= 2) {
                        self.offer(rest, || {
                            let handles = Face::new(
                                h,
                                share.isolated,
                                with(std::slice::from_ref(one), &walks),
                            );
                            vec![handles, rest.face(2 * h - crosses, other, another)]
                        })?;
                    }
                }
            }
        }
        self.open(rest, crosses, [near, far], [&p, &q])
    }

    /// The curves that separate nothing, where there are cross-caps.
    fn open(
        &mut self,
        rest: &Rest,
        crosses: i16,
        [near, far]: [&Walk; 2],
        [p, q]: [&Walk; 2],
    ) -> ControlFlow<B> {
        if crosses >= 3 {
            self.offer(rest, || vec![rest.whole(2 - crosses, &[p, q], &rest.walks)])?;
        }
        if crosses % 2 == 0 {
            let turned = reversed(q);
            for walks in turns(&rest.walks, p.len() <= 2 && q.len() <= 2) {
                self.offer(rest, || vec![rest.whole((crosses - 2) / 2, &[p, &turned], &walks)])?;
            }
        }
        let z = [self.fresh];
        let along = [&reversed(near)[..], &z, far, &z].concat();
        if crosses >= 2 {
            self.offer(rest, || vec![rest.whole(1 - crosses, &[&along], &rest.walks)])?;
        }
        if crosses % 2 == 1 {
            for walks in turns(&rest.walks, along.len() <= 2) {
                self.offer(rest, || vec![rest.whole((crosses - 1) / 2, &[&along], &walks)])?;
            }
        }
        Continue(())
    }
}

impl Rest {
    /// The boundaries of a share.
    fn chosen(&self, share: Share) -> Vec<Walk> {
        let walks = self.walks.iter().enumerate();
        walks.filter(|(w, _)| share.mask >> w & 1 == 1).map(|(_, walk)| walk.clone()).collect()
    }

    /// A region with this boundary and a share of the others.
    fn face(&self, genus: i16, share: Share, walk: &Walk) -> Face {
        Face::new(genus, share.isolated, with(std::slice::from_ref(walk), &self.chosen(share)))
    }

    /// The region with all isolated spots, and these boundaries.
    fn whole(&self, genus: i16, made: &[&Walk], walks: &[Walk]) -> Face {
        let made: Vec<Walk> = made.iter().map(|&walk| walk.clone()).collect();
        Face::new(genus, self.isolated, with(&made, walks))
    }
}

fn with(made: &[Walk], walks: &[Walk]) -> Vec<Walk> {
    made.iter().chain(walks).cloned().collect()
}

fn reversed(walk: &Walk) -> Walk {
    walk.iter().rev().copied().collect()
}

fn is_palindrome(walk: &Walk) -> bool {
    walk.iter().eq(walk.iter().rev())
}

/// All ways to share out between two regions what a curve leaves as it is.
fn shares(rest: &Rest) -> impl Iterator<Item = (Share, Share)> + use<> {
    let full = Share::full(rest.isolated, rest.walks.len());
    let mut share = full.part(0);
    (0..full.count()).map(move |_| {
        let shared = (share, share.complement(&full));
        share.advance(&full);
        shared
    })
}

/// All readings of the boundaries, each in either direction. If all others read the same in a
/// mirror, the first one that does not keeps its direction.
fn turns(walks: &[Walk], are_others_still: bool) -> impl Iterator<Item = Vec<Walk>> + use<'_> {
    let turning: Vec<usize> = (0..walks.len()).filter(|&w| walks[w].len() > 2).collect();
    let turning = turning[usize::from(are_others_still && !turning.is_empty())..].to_vec();
    (0..1u32 << turning.len()).map(move |mask| {
        let mut walks = walks.to_vec();
        for (bit, &w) in turning.iter().enumerate() {
            if mask >> bit & 1 == 1 {
                walks[w].reverse();
            }
        }
        walks
    })
}
