//! How many children a land may have, told from its boundaries alone, before any of them is
//! generated.

use crate::encode::ONE;
use crate::work::{FlatRegion, Work};

/// A land with more ways to move is not listed: not by a search, and by nothing that checks one. So
/// what a search has proved can be checked. Searches of start positions meet some 1,500
/// (`docs/budgets.md`).
pub const MAX_WAYS: u64 = 1 << 16;

/// A region with more boundaries than this is not divided, whatever else it has: a share of them is
/// a mask of 32 bits.
pub(crate) const MAX_SHARED: usize = 20;

/// A land with more ways to move than can be listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a land has a region of {boundaries} boundaries of several spots and about {ways} ways to move; \
     at most {MAX_WAYS} ways, and {MAX_SHARED} such boundaries, can be listed"
)]
pub struct TooManyMoves {
    /// Most boundaries of a region that are not isolated spots.
    pub boundaries: usize,
    /// Ways to move, counted as [`crate::CanonicalLand::ways`] does.
    pub ways: u64,
}

impl TooManyMoves {
    /// What is said of a land whose moves are never listed, however few they are.
    pub(crate) const UNLISTED: Self = Self { boundaries: 0, ways: u64::MAX };
}

/// An upper bound of the children that the generator makes of a land.
///
/// Isomorphic lands have the same: it depends on the numbers of isolated spots and the lengths of
/// boundaries.
pub(crate) fn ways(land: &Work) -> u64 {
    land.regions.iter().map(|region| in_region(land, region)).fold(0, u64::saturating_add)
}

fn in_region(land: &Work, &FlatRegion { isolated, boundaries }: &FlatRegion) -> u64 {
    let (mut ends, mut pairs) = (0, 0u64);
    for span in &land.boundaries[boundaries.range()] {
        let length = span.len() as u64;
        let ones = land.tokens[span.range()].iter().filter(|&&token| token == ONE).count() as u64;
        ends += length;
        pairs += length * (length - 1) / 2 + ones;
    }
    let power = |boundaries: usize| 1u64.checked_shl(boundaries as u32).unwrap_or(u64::MAX);
    let [zeros, ones, twos] = isolated.map(u64::from);
    let alone = (zeros + 1) * (ones + 1) * (twos + 1);
    // Each pair of ends on one boundary divides the region, and the other boundaries go to either
    // side.
    let divisions =
        pairs.saturating_mul(alone).saturating_mul(power(boundaries.len().saturating_sub(1)));
    // So does a loop at an isolated spot; spots of one degree are alike.
    let loops = (zeros * (ones + 1) + ones * (zeros + 1)) * (twos + 1);
    let kinds = isolated.iter().filter(|&&count| count > 0).count() as u64;
    let joins = (ends + kinds) * (ends + kinds + 1) / 2;
    divisions.saturating_add(loops.saturating_mul(power(boundaries.len()))).saturating_add(joins)
}

/// Whether the children of a land can be listed.
pub(crate) fn check(land: &Work) -> Result<(), TooManyMoves> {
    let (mut most, mut shares) = (0, 0u64);
    for FlatRegion { isolated, boundaries } in &land.regions {
        let [zeros, ones, twos] = isolated.map(u64::from);
        most = most.max(boundaries.len());
        shares = shares.max((zeros + 1) * (ones + 1) * (twos + 1));
    }
    // Most lands are so small that a coarse bound is enough: the ends in one region squared, times
    // the shares of the others.
    let ends = (land.tokens.len() + 3 + land.regions.len()) as u64;
    if most <= MAX_SHARED && 2 * ends * ends * (shares << most) <= MAX_WAYS {
        return Ok(());
    }
    let ways = ways(land);
    if most > MAX_SHARED || ways > MAX_WAYS {
        return Err(TooManyMoves { boundaries: most, ways });
    }
    Ok(())
}

/// Whether the children can be listed where each move may be made in two ways.
pub(crate) fn check_twice(land: &Work) -> Result<(), TooManyMoves> {
    let ways = ways(land).saturating_mul(2);
    if ways > MAX_WAYS {
        let boundaries = land.regions.iter().map(|r| r.boundaries.len()).max().unwrap_or(0);
        return Err(TooManyMoves { boundaries, ways });
    }
    Ok(())
}
