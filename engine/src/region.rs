//! One region as bytes.

use crate::encode::{END_BOUNDARY, ONE, ONES, TWO, TWOS, ZEROS};
use crate::sketch::{Region, weight};
use crate::work::Span;

/// A boundary that will be written: where its tokens stand, and what they count for.
#[derive(Clone, Copy)]
pub(crate) struct Wall {
    pub span: Span,
    /// Lives of its spots; a letter that occurs twice counts once.
    pub lives: u16,
    /// The spots it adds to the isolated ones of the region, by degree: one, if it is alone.
    isolated: [u8; 3],
    /// The weights of its tokens together ([`weight`]).
    weights: u64,
}

impl Wall {
    /// The boundary from `start` to the end of `tokens`.
    #[inline]
    pub fn last(tokens: &[u8], start: usize) -> Self {
        let walk = &tokens[start..];
        let (mut lives, mut weights) = (0, 0);
        for (i, &token) in walk.iter().enumerate() {
            weights += weight(token);
            lives += match token {
                ONE => 2,
                TWO => 1,
                letter => u16::from(!occurs(&walk[..i], letter)),
            };
        }
        let isolated = match walk {
            [ONE] => [0, 1, 0],
            [TWO] => [0, 0, 1],
            _ => [0; 3],
        };
        let span = Span { start: start as u32, end: tokens.len() as u32 };
        Self { span, lives, isolated, weights }
    }

    /// The same boundary at a place where its tokens begin at `start`.
    pub fn at(self, start: usize) -> Self {
        let end = start + self.span.len();
        Self { span: Span { start: start as u32, end: end as u32 }, ..self }
    }
}

/// Whether a token stands in a short walk.
#[inline]
fn occurs(walk: &[u8], token: u8) -> bool {
    walk.contains(&token)
}

/// Appends a region with these isolated spots and walls. [`crate::reduce`] tells what is left of it
/// when it has fewer than 4 lives. `None`, with nothing written, when it is dropped.
#[inline]
pub(crate) fn write<'a>(
    tokens: &[u8],
    isolated: [u8; 3],
    walls: impl Iterator<Item = &'a Wall> + Clone,
    out: &mut Vec<u8>,
) -> Option<Region> {
    let [zeros, ones, twos] = isolated.map(u16::from);
    let (mut lives, mut counts) = (3 * zeros + 2 * ones + twos, isolated);
    for wall in walls.clone() {
        lives += wall.lives;
        counts[1] += wall.isolated[1];
        counts[2] += wall.isolated[2];
    }
    match lives {
        0 | 1 => None,
        2 | 3 => Some(write_loose(tokens, isolated, walls, out)),
        _ => {
            let mut region = write_counts(counts, out);
            let mut is_first = true;
            for wall in walls.filter(|wall| wall.isolated == [0; 3]) {
                if !is_first {
                    out.push(END_BOUNDARY);
                }
                is_first = false;
                out.extend_from_slice(&tokens[wall.span.range()]);
                region.boundary(wall.weights);
            }
            if is_first {
                region.boundary(0);
            }
            Some(region)
        }
    }
}

#[inline]
fn write_counts(isolated: [u8; 3], out: &mut Vec<u8>) -> Region {
    let mut region = Region::default();
    let mut write = |marker: u8, count: u8| {
        if count > 0 {
            out.extend_from_slice(&[marker, count]);
            region.isolated(marker, count);
        }
    };
    write(ZEROS, isolated[0]);
    write(ONES, isolated[1]);
    write(TWOS, isolated[2]);
    region
}

/// A region of 2 or 3 lives: every spot on a boundary of its own.
fn write_loose<'a>(
    tokens: &[u8],
    mut isolated: [u8; 3],
    walls: impl Iterator<Item = &'a Wall>,
    out: &mut Vec<u8>,
) -> Region {
    let (mut letters, mut met) = ([0; 3], 0);
    for wall in walls {
        let walk = &tokens[wall.span.range()];
        for (i, &token) in walk.iter().enumerate() {
            match token {
                ONE => isolated[1] += 1,
                TWO => isolated[2] += 1,
                letter if occurs(&walk[..i], letter) => {}
                // A letter that occurs here twice is one spot, and has no other side any more.
                letter if occurs(&walk[i + 1..], letter) => isolated[2] += 1,
                letter => {
                    letters[met] = letter;
                    met += 1;
                }
            }
        }
    }
    let mut region = write_counts(isolated, out);
    for (i, &letter) in letters[..met].iter().enumerate() {
        if i > 0 {
            out.push(END_BOUNDARY);
        }
        out.push(letter);
        region.boundary(weight(letter));
    }
    if met == 0 {
        region.boundary(0);
    }
    region
}
