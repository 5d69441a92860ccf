//! The regions that a curve makes of one.
//!
//! Each has a *head*, the boundary with the new spot, and any of the other boundaries and isolated
//! spots of the divided region.

use crate::encode::{END_REGION, TWO};
use crate::generate::Lands;
use crate::others::{Others, Parent};
use crate::region::{self, Wall};
use crate::sketch::Sketch;
use crate::work::{merge_ends, push_merging};

/// Which boundaries of the divided region go with the first part: isolated spots by degree, and a
/// mask of others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Share {
    pub isolated: [u8; 3],
    pub mask: u32,
}

impl Share {
    /// The other boundaries of `full`.
    pub fn complement(&self, full: &Self) -> Self {
        let isolated = std::array::from_fn(|degree| full.isolated[degree] - self.isolated[degree]);
        Self { isolated, mask: full.mask ^ self.mask }
    }

    /// All of these isolated spots and boundaries.
    pub fn full(isolated: [u8; 3], boundaries: usize) -> Self {
        Self { isolated, mask: (1 << boundaries) - 1 }
    }

    /// How many shares there are.
    pub fn count(&self) -> u32 {
        self.isolated.iter().fold(self.mask + 1, |ways, &count| ways * (u32::from(count) + 1))
    }

    /// The share of this number. 0 is nothing at all.
    pub fn part(&self, number: u32) -> Self {
        let mut rest = number / (self.mask + 1);
        let isolated = self.isolated.map(|most| {
            let count = rest % (u32::from(most) + 1);
            rest /= u32::from(most) + 1;
            count as u8
        });
        Self { isolated, mask: number & self.mask }
    }

    /// Goes on to the next share of `full`; after the last, to the first.
    pub fn advance(&mut self, full: &Self) {
        if self.mask < full.mask {
            self.mask += 1;
            return;
        }
        self.mask = 0;
        for (count, &most) in self.isolated.iter_mut().zip(&full.isolated) {
            if *count < most {
                *count += 1;
                return;
            }
            *count = 0;
        }
    }
}

/// The boundaries of the parts, from which children are put together.
#[derive(Default)]
pub(crate) struct Parts {
    tokens: Vec<u8>,
    /// Where the open head began.
    start: usize,
    heads: Vec<Wall>,
    walls: Vec<Wall>,
}

impl Parts {
    /// Clears it for another curve.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.start = 0;
        self.heads.clear();
        self.walls.clear();
    }

    /// Appends a token to the open head.
    #[inline]
    pub fn push(&mut self, token: u8) {
        push_merging(&mut self.tokens, self.start, token);
    }

    pub fn end_head(&mut self) {
        merge_ends(&mut self.tokens, self.start);
        self.heads.push(Wall::last(&self.tokens, self.start));
        self.start = self.tokens.len();
    }

    /// Adds boundaries of the parent, as the move has left them.
    pub fn add_walls(
        &mut self,
        parent: &Parent,
        boundaries: impl Iterator<Item = usize>,
        others: &Others,
    ) {
        for boundary in boundaries {
            let (start, walk) = (self.tokens.len(), parent.land.boundary(boundary));
            if others.drops() {
                self.tokens.extend(walk.iter().map(|&token| others.fate(token)));
                self.walls.push(Wall::last(&self.tokens, start));
            } else {
                self.tokens.extend_from_slice(walk);
                self.walls.push(parent.survey.walls[boundary].at(start));
            }
        }
    }

    /// All that is to be shared out.
    pub fn full(&self, isolated: [u8; 3]) -> Share {
        Share::full(isolated, self.walls.len())
    }

    /// Writes the child whose parts have these shares.
    pub fn write(&mut self, shares: &[Share], others: &Others, child: &mut Lands) {
        child.clear();
        let mut sketch = Sketch::default();
        // A part with nothing but the new spot is dropped, and then this is a 2 in the other part.
        let is_nothing = |(share, head): (&Share, &Wall)| {
            head.lives < 2 && share.mask == 0 && share.isolated == [0; 3]
        };
        let drops = shares.iter().zip(&self.heads).any(is_nothing);
        for (side, share) in shares.iter().enumerate() {
            let mut head = self.heads[side];
            if drops && shares.len() > 1 {
                head = self.seen_from_one_side(head);
            }
            let start = child.bytes.len();
            if start > 0 {
                child.bytes.push(END_REGION);
            }
            let walls = Walls { head: Some(&head), walls: &self.walls, mask: share.mask };
            match region::write(&self.tokens, share.isolated, walls, &mut child.bytes) {
                Some(part) => sketch.region(part),
                None => child.bytes.truncate(start),
            }
        }
        if child.bytes.is_empty() {
            assert!(others.bytes.is_empty(), "what hangs together shares a letter");
        } else {
            child.bytes.extend_from_slice(&others.bytes);
            sketch.0 = sketch.0.wrapping_add(others.sketch.0);
            child.end(0, sketch);
        }
        child.append(&others.apart);
    }

    /// The head with a `TWO` for the new spot at its beginning, which has no other side.
    fn seen_from_one_side(&mut self, head: Wall) -> Wall {
        let start = self.tokens.len();
        self.tokens.push(TWO);
        self.tokens.extend_from_within(head.span.start as usize + 1..head.span.end as usize);
        Wall::last(&self.tokens, start)
    }
}

/// The walls of a part: its head, then those that its mask names.
#[derive(Clone)]
struct Walls<'a> {
    head: Option<&'a Wall>,
    walls: &'a [Wall],
    mask: u32,
}

impl<'a> Iterator for Walls<'a> {
    type Item = &'a Wall;

    #[inline]
    fn next(&mut self) -> Option<&'a Wall> {
        if self.head.is_some() {
            return self.head.take();
        }
        // A mask without bits has more trailing zeros than any list has boundaries.
        let wall = self.walls.get(self.mask.trailing_zeros() as usize)?;
        self.mask &= self.mask - 1;
        Some(wall)
    }
}
