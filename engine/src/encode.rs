//! The compact bytes of a land, and their reading back.
//!
//! ```text
//! land     := region (END_REGION region)*
//! region   := [ZEROS count] [ONES count] [TWOS count] [boundary (END_BOUNDARY boundary)*]
//! boundary := (ONE | TWO | letter)+          not a single ONE or TWO: those are counted
//! count    := a byte from 1 to 255
//! letter   := LETTER + k                     k from 0, in order of first appearance
//! ```
//!
//! A land that is not of the sphere begins with `SURFACES`, and each of its regions with two bytes
//! of genus ([`crate::surfaces`]).

use crate::{Boundary, Land, Letter, MAX_LETTERS, Region, Spot, Surface, surfaces};

/// Stands before the number of isolated spots of degree 0.
pub(crate) const ZEROS: u8 = 0;
/// Stands before the number of isolated spots of degree 1.
pub(crate) const ONES: u8 = 1;
/// Stands before the number of isolated spots of degree 2.
pub(crate) const TWOS: u8 = 2;
/// A spot of degree 1 on a longer boundary.
pub(crate) const ONE: u8 = 3;
/// A spot of degree 2 that occurs once, on a longer boundary.
pub(crate) const TWO: u8 = 4;
/// Between two boundaries of a region.
pub(crate) const END_BOUNDARY: u8 = 5;
/// Between two regions of a land.
pub(crate) const END_REGION: u8 = 6;
/// The first letter.
pub(crate) const LETTER: u8 = 7;

/// The first byte of a land that is not of the sphere.
pub(crate) const SURFACES: u8 = 255;

/// Letters of a land, and those that a move adds before the reduction.
pub(crate) const LETTER_SLOTS: usize = MAX_LETTERS + 3;

const _: () =
    assert!(LETTER as usize + LETTER_SLOTS <= SURFACES as usize, "every letter has a byte");

/// Why bytes are not a land.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Malformed {
    #[error("it is empty")]
    Empty,
    #[error("byte {0} does not fit the grammar")]
    Grammar(usize),
    #[error("letter {0} does not occur exactly twice")]
    LetterCount(u16),
    #[error("letter {0} stands in two boundaries of one region of the sphere")]
    LetterInTwoBoundaries(u16),
    #[error("bytes {0} and on are no genus")]
    Genus(usize),
    #[error("it is larger than any position the program can hold")]
    TooLarge,
}

/// Reads bytes of the grammar above into a written land.
///
/// Accepts every well-formed land within the limits of the program, canonical or not.
pub(crate) fn decode(key: &[u8]) -> Result<Land, Malformed> {
    if key.is_empty() {
        return Err(Malformed::Empty);
    }
    let mut land = Land::default();
    let on_surfaces = surfaces::has(key);
    let mut at = usize::from(on_surfaces);
    loop {
        let mut surface = Surface::SPHERE;
        if on_surfaces {
            surface = surfaces::genus(key, at).ok_or(Malformed::Genus(at))?;
            at += surfaces::GENUS_BYTES;
        }
        let mut region = region(key, &mut at)?;
        region.1 = surface;
        land.0.push(region);
        match key.get(at) {
            None => break,
            Some(_) => at += 1,
        }
    }
    check(&land, on_surfaces)?;
    Ok(land)
}

/// One region; stops at the end or at an `END_REGION`.
fn region(key: &[u8], at: &mut usize) -> Result<Region, Malformed> {
    let mut region = Region::default();
    for (marker, spot) in [(ZEROS, Spot::Zero), (ONES, Spot::One), (TWOS, Spot::Two)] {
        if key.get(*at) == Some(&marker) {
            let &count = key.get(*at + 1).filter(|&&n| n > 0).ok_or(Malformed::Grammar(*at))?;
            region.0.extend(std::iter::repeat_n(Boundary(vec![spot]), count.into()));
            *at += 2;
        }
    }
    let counted = !region.0.is_empty();
    let mut boundary = Boundary::default();
    let mut first = true;
    loop {
        let end = matches!(key.get(*at), None | Some(&END_REGION));
        match key.get(*at) {
            Some(&ONE) => boundary.0.push(Spot::One),
            Some(&TWO) => boundary.0.push(Spot::Two),
            Some(&b) if b >= LETTER => boundary.0.push(Spot::Letter(Letter((b - LETTER).into()))),
            Some(&END_BOUNDARY) | None | Some(&END_REGION) => {
                match boundary.0[..] {
                    // Only a region of isolated spots may have no longer boundary.
                    [] if end && first && counted => return Ok(region),
                    [] | [Spot::One | Spot::Two] => return Err(Malformed::Grammar(*at)),
                    _ => region.0.push(std::mem::take(&mut boundary)),
                }
                first = false;
                if end {
                    return Ok(region);
                }
            }
            Some(_) => return Err(Malformed::Grammar(*at)),
        }
        *at += 1;
    }
}

fn check(land: &Land, on_surfaces: bool) -> Result<(), Malformed> {
    let mut places: Vec<Vec<(usize, usize)>> = Vec::new();
    for (r, b, spot) in land.occurrences() {
        if let Spot::Letter(Letter(l)) = spot {
            let l = usize::from(l);
            places.resize(places.len().max(l + 1), Vec::new());
            places[l].push((r, b));
        }
    }
    for (l, places) in (0..).zip(&places) {
        match places[..] {
            [] => return Err(Malformed::LetterCount(l)),
            [(r, b), (s, c)] if r == s && b != c && !on_surfaces => {
                return Err(Malformed::LetterInTwoBoundaries(l));
            }
            [_, _] => {}
            _ => return Err(Malformed::LetterCount(l)),
        }
    }
    if !fits(land) {
        return Err(Malformed::TooLarge);
    }
    Ok(())
}

/// Whether no position that follows from a written land outgrows the bytes that name letters, count
/// isolated spots and number regions.
///
/// A move takes one life and adds at most one spot, three letters and one region, while every
/// letter, spot and region that counts needs a life of its own. So the number of each stays below a
/// weighted mean of its present value and the present lives, with weights from that growth.
pub(crate) fn fits(land: &Land) -> bool {
    let lives = land.lives() as usize;
    let mut letters = 0;
    let mut spots = 0;
    for (_, _, spot) in land.occurrences() {
        match spot {
            Spot::Letter(_) => letters += 1,
            _ => spots += 1,
        }
    }
    let letters = letters / 2;
    (3 * lives + letters) / 4 < MAX_LETTERS
        && (lives + spots + letters) / 2 < 255
        && (lives + land.0.len()) / 2 < 254
        && land.0.len() < 254
}
