//! The bytes of lands that are not of the sphere.

use crate::Surface;
use crate::encode::{END_REGION, LETTER, LETTER_SLOTS, SURFACES, TWOS};

/// Bytes of genus in front of each region.
pub(crate) const GENUS_BYTES: usize = 2;

/// The bytes of genus 0.
const SPHERE: u16 = 1 << 15;

/// Whether a land is not of the sphere.
#[inline]
pub(crate) fn has(land: &[u8]) -> bool {
    land.first() == Some(&SURFACES)
}

/// The surface whose bytes stand at a place.
pub(crate) fn genus(land: &[u8], at: usize) -> Option<Surface> {
    let bytes = land.get(at..at + GENUS_BYTES)?.try_into().ok()?;
    Surface::new(i64::from(u16::from_be_bytes(bytes)) - i64::from(SPHERE))
}

/// Appends the bytes of a surface.
pub(super) fn push_genus(surface: Surface, out: &mut Vec<u8>) {
    let genus = SPHERE.wrapping_add_signed(surface.genus());
    out.extend_from_slice(&genus.to_be_bytes());
}

/// Names letters in order of appearance, as [`crate::tidy`] does.
pub(crate) fn tidy(land: &mut [u8]) {
    let (mut names, mut next, mut numbers) = ([0; LETTER_SLOTS], LETTER, GENUS_BYTES);
    for byte in &mut land[1..] {
        if numbers > 0 {
            numbers -= 1;
            continue;
        }
        match *byte {
            END_REGION => numbers = GENUS_BYTES,
            ..=TWOS => numbers = 1,
            LETTER.. => {
                let name = &mut names[usize::from(*byte - LETTER)];
                if *name == 0 {
                    *name = next;
                    next += 1;
                }
                *byte = *name;
            }
            _ => {}
        }
    }
}

/// The land as if all its regions were of the sphere, and what their surfaces count for.
pub(crate) fn flat(land: &[u8]) -> (Vec<u8>, Vec<Surface>) {
    let (mut bytes, mut surfaces) = (Vec::with_capacity(land.len()), Vec::new());
    let (mut at, mut is_new) = (1, true);
    while at < land.len() {
        if is_new {
            surfaces.push(genus(land, at).expect("a region begins with its genus"));
            at += GENUS_BYTES;
        }
        let Some(&byte) = land.get(at) else { break };
        at += 1;
        bytes.push(byte);
        is_new = byte == END_REGION;
        if byte <= TWOS {
            bytes.push(land[at]);
            at += 1;
        }
    }
    (bytes, surfaces)
}

/// The sketch of the land: that of the flat one, with its surfaces.
pub(crate) fn sketch(land: &[u8]) -> u64 {
    let (bytes, surfaces) = flat(land);
    let weight = |surface: &Surface| {
        (i64::from(surface.genus()) as u64 ^ 0xb8e1_afed_6a26_7e96)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let surfaces = surfaces.iter().map(weight).fold(0, u64::wrapping_add);
    crate::sketch(&bytes).rotate_left(17) ^ surfaces.wrapping_mul(0xd6e8_feb8_6659_fd93)
}
