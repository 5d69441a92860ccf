//! Lands as rows of numbers.
//!
//! A land is written region after region: its surface, if that is not the sphere ([`SPHERE`]); then
//! how many spots of degree 0, 1 and 2 stand alone there, each number from [`ALONE`] on; and then
//! the other boundaries, each with [`END`] after its spots. Letters are numbers of their own.
//! Nothing is nested, so that a move is a copy with a few changes, and names ([`super::name`]) are
//! lands like others.

use std::collections::BTreeMap;

use sprig_engine::{self as written, Position, Surface};

/// Options that are listed at most. Proofs of start positions ask for some thousands of options of
/// a land.
const MAX_WAYS: u64 = 1 << 17;
/// A region with more boundaries of several spots than this is not divided, whatever else it has.
const MAX_WALKS: usize = 20;
/// Spots of one kind that stand alone in a region, and letters, at most.
const MAX_SPOTS: usize = 1 << 12;

/// A land has more options than a check may take.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a land has a region of {walks} boundaries of several spots and about {ways} ways to move; \
     at most {MAX_WAYS} ways, and {MAX_WALKS} such boundaries, can be checked"
)]
pub struct TooManyMoves {
    walks: usize,
    ways: u64,
}

/// A spot on a walk ([`ONE`], [`TWO`], or a letter), the end of a walk, or a number of spots that
/// stand alone.
pub(super) type Spot = u16;

/// Stands after each walk.
pub(super) const END: Spot = 0;
/// A spot of degree 1.
pub(super) const ONE: Spot = 1;
/// A spot of degree 2 that occurs once.
pub(super) const TWO: Spot = 2;
/// The first letter: a spot of degree 2 that occurs twice.
pub(super) const LETTER: Spot = 3;
/// Stands for no spots that stand alone. For one spot it is 1 more, and so on.
pub(super) const ALONE: Spot = 1 << 15;
/// Stands for the sphere. For a handle it is 1 more, for a cross-cap 1 less, and so on. Only other
/// surfaces are written.
pub(super) const SPHERE: Spot = 7 << 13;
/// A value less than all surfaces, and more than all numbers of spots that stand alone.
const SURFACES: Spot = 3 << 14;

/// Whether this is a letter.
pub(super) fn is_letter(spot: Spot) -> bool {
    (LETTER..ALONE).contains(&spot)
}

/// A region of a land.
#[derive(Clone, Copy)]
pub(super) struct Region<'a> {
    pub surface: Surface,
    /// Spots of degree 0, 1 and 2 that are alone on their boundary and are not letters.
    pub loners: [usize; 3],
    /// The other boundaries, each with its end.
    pub spots: &'a [Spot],
}

impl<'a> Region<'a> {
    /// The boundaries with several spots, or with a letter: spots in cyclic order, with the region
    /// on the left.
    pub fn walks(self) -> impl Iterator<Item = &'a [Spot]> {
        self.spots.split_inclusive(|&spot| spot == END).map(|walk| &walk[..walk.len() - 1])
    }

    /// An upper bound of the number of moves: joins, and for each curve that divides the region
    /// every way to share the other boundaries.
    fn ways(self) -> u64 {
        let (mut curves, mut ends) = (0u64, 0u64);
        for walk in self.walks() {
            let passes = walk.len() as u64;
            let loops = walk.iter().filter(|&&spot| spot == ONE).count() as u64;
            curves += passes * passes.saturating_sub(1) / 2 + loops;
            ends += passes;
        }
        let shares = self.loners.iter().map(|&count| count as u64 + 1).product::<u64>();
        let kinds = self.loners.iter().filter(|&&count| count > 0).count() as u64;
        // A curve on a walk leaves the other walks to be shared, a loop at a lone spot leaves all
        // walks.
        let all = self.walks().count() as u32;
        let genus = u64::from(self.surface.genus().unsigned_abs());
        let times = |walks: u32| match self.surface.is_orientable() {
            true => shares
                .saturating_mul(1 << walks)
                .saturating_mul(genus + 1)
                .saturating_add(genus.min(1)),
            // If a side becomes orientable, each walk goes there in either direction, or not at
            // all.
            false => {
                shares.saturating_mul(3u64.saturating_pow(walks)).saturating_mul(2 * genus + 5)
            }
        };
        let divisions = curves
            .saturating_mul(times(all.saturating_sub(1)))
            .saturating_add(kinds.saturating_mul(times(all)));
        divisions.saturating_add((ends + kinds).saturating_mul(ends + kinds))
    }

    /// Whether it is a region of the sphere: no letter is on two of its boundaries.
    pub fn is_spherical(self) -> bool {
        let crosses = |(i, walk): (usize, &[Spot])| {
            let mut letters = walk.iter().filter(|&&spot| is_letter(spot));
            letters.any(|letter| self.walks().skip(i + 1).any(|other| other.contains(letter)))
        };
        self.surface.is_sphere() && !self.walks().enumerate().any(crosses)
    }
}

/// Lives of the spots of a walk. On the sphere a letter occurs twice in a region only if it occurs
/// twice on one boundary.
pub(super) fn lives_of_walk(walk: &[Spot]) -> usize {
    let lives = |(i, &spot): (usize, &Spot)| match spot {
        ONE => 2,
        TWO => 1,
        letter => usize::from(!walk[..i].contains(&letter)),
    };
    walk.iter().enumerate().map(lives).sum()
}

/// The regions of a land.
pub(super) fn regions(land: &[Spot]) -> impl Iterator<Item = Region<'_>> {
    let mut rest = land;
    std::iter::from_fn(move || {
        let mut surface = Surface::SPHERE;
        if let Some((&first, others)) = rest.split_first()
            && first >= SURFACES
        {
            surface = Surface::new(i64::from(first) - i64::from(SPHERE)).expect("a surface");
            rest = others;
        }
        let (loners, others) = rest.split_first_chunk::<3>()?;
        let end = others.iter().position(|&spot| spot >= ALONE).unwrap_or(others.len());
        let (spots, next) = others.split_at(end);
        rest = next;
        Some(Region { surface, loners: loners.map(|count| usize::from(count - ALONE)), spots })
    })
}

/// The first letter that a land does not have: all that it has are below.
pub(super) fn next_letter(land: &[Spot]) -> Spot {
    land.iter().copied().filter(|&spot| is_letter(spot)).max().map_or(LETTER, |last| last + 1)
}

/// All lands of a written position in one row, not reduced.
///
/// # Errors
/// [`TooManyMoves`] if there are more spots than can be counted.
pub(super) fn read(position: &Position) -> Result<Vec<Spot>, TooManyMoves> {
    let mut land = Vec::new();
    let mut letters = 0;
    for written in &position.0 {
        let mut names = BTreeMap::new();
        for region in &written.0 {
            let zero = |walk: &&written::Boundary| walk.0[..] == [written::Spot::Zero];
            let zeros = region.0.iter().filter(zero).count();
            if zeros > MAX_SPOTS || region.0.len() - zeros > MAX_SPOTS {
                let walks = region.0.len() - zeros;
                return Err(TooManyMoves { walks, ways: u64::MAX });
            }
            land.extend([ALONE + zeros as Spot, ALONE, ALONE]);
            for walk in region.0.iter().filter(|walk| !zero(walk)) {
                for &spot in &walk.0 {
                    land.push(match spot {
                        written::Spot::Zero => unreachable!("a 0 stands alone"),
                        written::Spot::One => ONE,
                        written::Spot::Two => TWO,
                        written::Spot::Letter(letter) => {
                            *names.entry(letter).or_insert_with(|| {
                                letters += 1;
                                LETTER - 1 + letters
                            })
                        }
                    });
                }
                land.push(END);
                if usize::from(letters) > MAX_SPOTS {
                    return Err(TooManyMoves { walks: region.0.len() - zeros, ways: u64::MAX });
                }
            }
        }
    }
    Ok(land)
}

/// Whether the options of a land can be listed. This is known before any of them is made.
///
/// # Errors
/// [`TooManyMoves`] if there are too many.
pub(super) fn manageable(land: &[Spot]) -> Result<(), TooManyMoves> {
    let walks = regions(land).map(|region| region.walks().count()).max().unwrap_or(0);
    if walks > MAX_WALKS {
        return Err(TooManyMoves { walks, ways: u64::MAX });
    }
    let ways = regions(land).map(Region::ways).fold(0, u64::saturating_add);
    if ways > MAX_WAYS { Err(TooManyMoves { walks, ways }) } else { Ok(()) }
}

/// Lives of all spots of a land; a letter counts once. Every move takes at least one.
pub(super) fn lives(land: &[Spot]) -> usize {
    let alone = |region: Region<'_>| {
        let [zeros, ones, twos] = region.loners;
        3 * zeros + 2 * ones + twos
    };
    let mut walked: Vec<Spot> = regions(land).flat_map(|region| region.spots.to_vec()).collect();
    walked.sort_unstable();
    let letters = walked.chunk_by(|a, b| a == b && is_letter(*a));
    let lives = letters.map(|same| match same[0] {
        END => 0,
        ONE => 2,
        _ => 1,
    });
    regions(land).map(alone).sum::<usize>() + lives.sum::<usize>()
}

/// A land as people write it.
pub(super) fn to_written(land: &[Spot]) -> written::Land {
    let region = |region: Region<'_>| {
        let alone = [written::Spot::Zero, written::Spot::One, written::Spot::Two];
        let loners = alone.into_iter().zip(region.loners);
        let loners = loners.flat_map(|(spot, count)| vec![vec![spot]; count]);
        let spot = |&spot: &Spot| match spot {
            ONE => written::Spot::One,
            TWO => written::Spot::Two,
            letter => written::Spot::Letter(written::Letter(letter - LETTER)),
        };
        let walks = region.walks().map(|walk| walk.iter().map(spot).collect());
        let boundaries = loners.chain(walks).map(written::Boundary).collect();
        written::Region(boundaries, region.surface)
    };
    written::Land(regions(land).map(region).collect())
}
