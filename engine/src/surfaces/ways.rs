//! How many children a land may have, as [`crate::ways`] tells it for the sphere.

use super::face::{self, Face};
use crate::encode::ONE;
use crate::ways::{MAX_SHARED, MAX_WAYS, TooManyMoves};

/// An upper bound of the children that are made of a land that is not of the sphere.
pub(crate) fn ways(land: &[u8]) -> u64 {
    face::read(land).iter().map(in_face).fold(0, u64::saturating_add)
}

/// Whether the children of a land that is not of the sphere can be listed.
pub(crate) fn check_land(land: &[u8]) -> Result<(), TooManyMoves> {
    check(&face::read(land))
}

/// As for [`check_land`], for the land of these faces.
pub(super) fn check(faces: &[Face]) -> Result<(), TooManyMoves> {
    let boundaries = faces.iter().map(|face| face.walks.len()).max().unwrap_or(0);
    let ways = faces.iter().map(in_face).fold(0, u64::saturating_add);
    if boundaries > MAX_SHARED || ways > MAX_WAYS {
        return Err(TooManyMoves { boundaries, ways });
    }
    Ok(())
}

fn in_face(face: &Face) -> u64 {
    let (mut ends, mut pairs) = (0, 0u64);
    for walk in &face.walks {
        let length = walk.len() as u64;
        ends += length;
        pairs += length * (length - 1) / 2;
        pairs += walk.iter().filter(|&&token| token == ONE).count() as u64;
    }
    let turning = face.walks.iter().filter(|walk| walk.len() > 2).count() as u32;
    let still = face.walks.len() as u32 - turning;
    let power = |base: u64, exponent: u32| base.checked_pow(exponent).unwrap_or(u64::MAX);
    let [zeros, ones, twos] = face.isolated.map(u64::from);
    let alone = (zeros + 1) * (ones + 1) * (twos + 1);
    let kinds = face.isolated.iter().filter(|&&count| count > 0).count() as u64;
    let joins = (ends + kinds) * (ends + kinds + 1);
    let genus = u64::from(face.surface.genus().unsigned_abs());
    // For each curve from a boundary to itself: the ways to share the others, times the ways to
    // turn those that may be turned.
    let shares = alone.saturating_mul(power(2, still));
    let each = if face.surface.is_orientable() {
        shares.saturating_mul(power(2, turning)).saturating_mul(genus + 1).saturating_add(1)
    } else {
        let kept = shares.saturating_mul(power(2, turning)).saturating_mul(genus);
        let turned = shares.saturating_mul(power(3, turning)).saturating_mul(genus + 1);
        kept.saturating_add(turned).saturating_add(2 + 2 * power(2, turning.min(62)))
    };
    (pairs + kinds).saturating_mul(each).saturating_add(joins)
}
