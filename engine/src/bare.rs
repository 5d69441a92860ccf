//! Children in which the new spot is left out: the other half of the moves of black-and-white
//! Sprouts.
//!
//! Where a curve has no spot of its own, a part that it makes may have nothing but one life in it,
//! and the spot with that life may also stand in another region. So these children are laid flat as
//! a whole and reduced as a whole, by [`crate::reduce`]. That costs more than for the moves with a
//! new spot, but it is simple.

use std::ops::ControlFlow::{self, Continue};
use std::ops::Range;

use crate::encode::{LETTER, ONE, TWO};
use crate::generate::{End, Generator, Lands, Touch};
use crate::others::Parent;
use crate::parts::Share;
use crate::work::{FlatRegion, Work, push_merging};

impl Work {
    /// A boundary of these tokens.
    fn add_boundary(&mut self, tokens: impl IntoIterator<Item = u8>) {
        let start = self.tokens.len();
        for token in tokens {
            push_merging(&mut self.tokens, start, token);
        }
        self.close_boundary(start);
    }

    /// Begins a child with the regions other than `region`, without the letters that die.
    fn begin_bare(&mut self, parent: &Parent, region: usize, touch: &Touch) {
        self.clear();
        // A curve has two ends.
        self.letters = parent.land.letters + 2;
        for (_, other) in parent.land.regions.iter().enumerate().filter(|(r, _)| *r != region) {
            self.open_region(other.isolated);
            for boundary in other.boundaries.range() {
                let walk = parent.land.boundary(boundary).iter().copied();
                self.add_boundary(walk.filter(|&token| touch.spares(token)));
            }
            self.close_region();
        }
    }
}

impl Generator {
    /// The numbers of those of the next `count` moves without a new spot that are to be made: all
    /// of them if `are_listed`, since the moves with a spot between the same ends are; or the one
    /// that is wanted.
    pub(crate) fn number_bare(&mut self, count: u32, are_listed: bool) -> Range<u32> {
        let moves = self.next..self.next + count;
        self.next = moves.end;
        match self.wanted {
            Some(way) if moves.contains(&way) => way..way + 1,
            None if are_listed => moves,
            _ => 0..0,
        }
    }

    /// Calls `visit` for a join without a new spot.
    pub(crate) fn join_bare<B>(
        &mut self,
        region: usize,
        [a, b]: [End; 2],
        is_listed: bool,
        visit: &mut impl FnMut(&mut Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let way = self.number_bare(1, is_listed);
        if way.is_empty() {
            return Continue(());
        }
        let Self { parent, raw, .. } = self;
        let FlatRegion { mut isolated, boundaries } = parent.land.regions[region];
        let mut touch = Touch::new(parent);
        let (mut used, mut touched) = ([usize::MAX; 2], [None; 2]);
        for (side, end) in [a, b].into_iter().enumerate() {
            match end {
                End::Isolated(degree) => isolated[degree] -= 1,
                End::At(boundary, at) => {
                    used[side] = boundary;
                    touched[side] = touch.token(side, parent.land.boundary(boundary)[at]);
                }
            }
        }
        raw.begin_bare(parent, region, &touch);
        raw.open_region(isolated);
        let mut head = Vec::new();
        for (side, end) in [a, b].into_iter().enumerate() {
            match end {
                End::Isolated(0) => head.push(ONE),
                End::Isolated(1) => head.push(TWO),
                End::Isolated(_) => {}
                End::At(boundary, at) => {
                    let walk = parent.land.boundary(boundary);
                    head.extend(touched[side]);
                    head.extend(walk[at + 1..].iter().chain(&walk[..at]));
                    head.extend(touched[side]);
                }
            }
        }
        raw.add_boundary(head.into_iter().filter(|&token| touch.spares(token)));
        for boundary in boundaries.range().filter(|b| !used.contains(b)) {
            raw.add_boundary(parent.land.boundary(boundary).iter().copied());
        }
        raw.close_region();
        self.visit_bare(way.start, visit)
    }

    /// Calls `visit` for the divisions between `a` and `b` without a new spot, of which `full` is
    /// shared out.
    pub(crate) fn divide_bare<B>(
        &mut self,
        region: usize,
        [a, b]: [End; 2],
        full: Share,
        are_listed: bool,
        visit: &mut impl FnMut(&mut Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let first = self.next;
        let ways = self.number_bare(full.count(), are_listed);
        if ways.is_empty() {
            return Continue(());
        }
        let mut share = full.part(ways.start - first);
        for way in ways {
            let rest = share.complement(&full);
            // A loop at an isolated spot looks the same from both sides.
            if !matches!(a, End::Isolated(_)) || share <= rest {
                self.lay_division(region, [a, b], [share, rest]);
                self.visit_bare(way, visit)?;
            }
            share.advance(&full);
        }
        Continue(())
    }

    fn lay_division(&mut self, region: usize, [a, b]: [End; 2], shares: [Share; 2]) {
        let Self { parent, raw, .. } = self;
        let mut touch = Touch::new(parent);
        let mut heads: [Vec<u8>; 2] = Default::default();
        let mut used = usize::MAX;
        match (a, b) {
            (End::At(boundary, i), End::At(_, j)) => {
                used = boundary;
                let walk = parent.land.boundary(boundary);
                // A loop takes both lives of a spot of degree 1.
                let [u, v] = match i == j {
                    true => [None; 2],
                    false => [touch.token(0, walk[i]), touch.token(1, walk[j])],
                };
                heads[0].extend(u);
                heads[0].extend(&walk[(i + 1).min(j)..j]);
                heads[0].extend(v);
                heads[1].extend(v);
                heads[1].extend(walk[j + 1..].iter().chain(&walk[..i]));
                heads[1].extend(u);
            }
            (End::Isolated(0), _) => {
                let letter = touch.fresh_letter();
                heads = [vec![letter], vec![letter]];
            }
            _ => {}
        }
        raw.begin_bare(parent, region, &touch);
        let boundaries = parent.land.regions[region].boundaries.range();
        let others: Vec<usize> = boundaries.filter(|&boundary| boundary != used).collect();
        for (head, share) in heads.into_iter().zip(shares) {
            raw.open_region(share.isolated);
            raw.add_boundary(head.into_iter().filter(|&token| touch.spares(token)));
            for (_, &boundary) in
                others.iter().enumerate().filter(|(i, _)| share.mask >> i & 1 == 1)
            {
                raw.add_boundary(parent.land.boundary(boundary).iter().copied());
            }
            raw.close_region();
        }
    }

    /// Reduces what was laid flat, and calls `visit`.
    fn visit_bare<B>(
        &mut self,
        way: u32,
        visit: &mut impl FnMut(&mut Lands) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Self { raw, reducer, child, .. } = self;
        debug_assert!(
            raw.tokens.iter().all(|&t| usize::from(t) < usize::from(LETTER) + raw.letters)
        );
        child.clear();
        child.way = way;
        reducer.split(raw, child);
        visit(child)
    }
}
