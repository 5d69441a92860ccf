//! A number for a land that can be computed without its canonical form.

use crate::encode::{END_BOUNDARY, END_REGION, LETTER, ONE, ONES, TWOS, ZEROS};
use crate::surfaces;

/// A number that is equal for isomorphic lands, and different for most others. It depends on how
/// many spots of each kind stand in each boundary of each region. It takes the bytes of a land in
/// any order, as [`crate::Lands`] has them, and costs a small part of what a key costs.
pub fn sketch(land: &[u8]) -> u64 {
    if surfaces::has(land) {
        return surfaces::sketch(land);
    }
    let (mut sketch, mut region, mut boundary) = (Sketch::default(), Region::default(), 0);
    let mut bytes = land.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            ZEROS | ONES | TWOS => region.isolated(byte, bytes.next().copied().unwrap_or(0)),
            END_BOUNDARY => region.boundary(std::mem::take(&mut boundary)),
            END_REGION => {
                region.boundary(std::mem::take(&mut boundary));
                sketch.region(std::mem::take(&mut region));
            }
            token => boundary += weight(token),
        }
    }
    region.boundary(boundary);
    sketch.region(region);
    sketch.0
}

/// The sketch of the regions that were added.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sketch(pub u64);

impl Sketch {
    pub fn region(&mut self, Region(region): Region) {
        self.0 = self.0.wrapping_add(mix(region));
    }
}

/// A region's part of the sketch, from what was added of the region.
#[derive(Clone, Copy, Default)]
pub(crate) struct Region(u64);

impl Region {
    /// Adds `count` isolated spots; `marker` says of which degree.
    pub fn isolated(&mut self, marker: u8, count: u8) {
        self.0 = self.0.wrapping_add(mix(u64::from(count) << 8 | u64::from(marker + 1)));
    }

    /// Adds a boundary whose tokens have these weights together. A boundary without tokens adds
    /// nothing.
    pub fn boundary(&mut self, weights: u64) {
        self.0 = self.0.wrapping_add(mix(weights));
    }
}

/// What a token counts for in its boundary.
#[inline]
pub(crate) fn weight(token: u8) -> u64 {
    match token {
        ONE => 1 << 16,
        LETTER.. => 1 << 48,
        _ => 1 << 32,
    }
}

/// Spreads a number over all bits.
fn mix(number: u64) -> u64 {
    let product = u128::from(number ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
    (product >> 64) as u64 ^ product as u64
}
