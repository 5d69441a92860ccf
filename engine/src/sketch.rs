//! A number for a land that is had without its canonical form.

use crate::encode::{END_BOUNDARY, END_REGION, LETTER, ONE, ONES, TWOS, ZEROS};

/// A number that is equal for isomorphic lands, for most others not: from how many spots of each kind stand in each boundary of
/// each region. Takes the bytes of a land in any order, as [`crate::Lands`] has them, and costs a small part of a key.
pub fn sketch(land: &[u8]) -> u64 {
    let (mut regions, mut region, mut boundary, mut at) = (0u64, 0u64, 0u64, 0);
    while let Some(&byte) = land.get(at) {
        at += 1;
        match byte {
            ZEROS | ONES | TWOS => {
                let count = land.get(at).copied().unwrap_or(0);
                at += 1;
                region = region.wrapping_add(mix(u64::from(count) << 8 | u64::from(byte + 1)));
            }
            END_BOUNDARY => region = region.wrapping_add(mix(std::mem::take(&mut boundary))),
            END_REGION => {
                region = region.wrapping_add(mix(std::mem::take(&mut boundary)));
                regions = regions.wrapping_add(mix(std::mem::take(&mut region)));
            }
            ONE => boundary += 1 << 16,
            letter_or_two => boundary += if letter_or_two < LETTER { 1 << 32 } else { 1 << 48 },
        }
    }
    regions.wrapping_add(mix(region.wrapping_add(mix(boundary))))
}

/// Spreads a number over all bits.
fn mix(number: u64) -> u64 {
    let product = u128::from(number ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
    (product >> 64) as u64 ^ product as u64
}
