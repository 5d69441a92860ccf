//! Sketches: numbers that isomorphic lands have in common, found without telling letters apart.
//!
//! The sketch of a land is made of those of its regions, and these of those of their walks, by
//! adding. So the sketch of an option is known from what a move takes away and puts in, before the
//! option is written. Different lands may have the same sketch, but isomorphic lands never have
//! different ones. So a look-up of a land may pass over all lands with another sketch.

use std::ops::{Add, AddAssign, Sub};

use super::land::{LETTER, ONE, Region, Spot, TWO, regions};

/// What the sketch of a region and its reduction need to know of walks. It adds up over walks.
#[derive(Clone, Copy, Default)]
pub(super) struct Looks {
    sketch: u64,
    /// Spots of degree 1.
    ones: usize,
    /// Spots of degree 2, and letters that occur twice on their walk.
    twos: usize,
    /// Letters whose other occurrence is elsewhere.
    letters: usize,
}

/// The sketch of a walk that is one letter.
const LONE_LETTER: u64 = fold(PAIRS[15], 1);

impl Looks {
    /// The looks of a walk.
    pub fn of(walk: &[Spot]) -> Self {
        let mut looks = Self::default();
        let Some(&last) = walk.last() else { return looks };
        let kind = |spot: Spot| usize::from(spot.min(LETTER));
        let (mut before, mut around) = (kind(last), 0u64);
        // Bits of the letters so far, and how often letters occur.
        let (mut seen, mut passes) = (0u64, 0);
        for (i, &spot) in walk.iter().enumerate() {
            // A pair of neighbours is the same from both sides.
            let here = kind(spot);
            around = around.wrapping_add(PAIRS[4 * here.min(before) + here.max(before)]);
            before = here;
            match spot {
                ONE => looks.ones += 1,
                TWO => looks.twos += 1,
                letter => {
                    passes += 1;
                    let bit = 1 << (letter % 64);
                    if seen & bit != 0 && walk[..i].contains(&letter) {
                        looks.letters -= 1;
                        looks.twos += 1;
                    } else {
                        looks.letters += 1;
                    }
                    seen |= bit;
                }
            }
        }
        looks.sketch = fold(around, passes);
        looks
    }

    /// The lives of the spots on the walks.
    pub fn lives(self) -> usize {
        2 * self.ones + self.twos + self.letters
    }

    /// The sketch of a region with these walks, reduced; `None` if no move is possible in it.
    pub fn region(self, loners: [usize; 3]) -> Option<u64> {
        let [zeros, ones, twos] = loners;
        let lives = 3 * zeros + 2 * ones + twos + self.lives();
        match lives {
            0..=1 => None,
            // Each spot gets a walk of its own.
            2..=3 => {
                let letters = LONE_LETTER.wrapping_mul(self.letters as u64);
                Some(whole([zeros, ones + self.ones, twos + self.twos], letters))
            }
            _ => Some(whole(loners, self.sketch)),
        }
    }
}

impl Add for Looks {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            sketch: self.sketch.wrapping_add(other.sketch),
            ones: self.ones + other.ones,
            twos: self.twos + other.twos,
            letters: self.letters + other.letters,
        }
    }
}

impl AddAssign for Looks {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Looks {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            sketch: self.sketch.wrapping_sub(other.sketch),
            ones: self.ones - other.ones,
            twos: self.twos - other.twos,
            letters: self.letters - other.letters,
        }
    }
}

fn whole([zeros, ones, twos]: [usize; 3], walks: u64) -> u64 {
    let loners = (zeros as u64) << 32 | (ones as u64) << 16 | twos as u64;
    fold(fold(loners, 1).wrapping_add(walks), 3)
}

/// The looks of all walks of a region together.
pub(super) fn looks(region: Region<'_>) -> Looks {
    region.walks().map(Looks::of).fold(Looks::default(), Add::add)
}

/// The sketch of a land whose regions have sketches of this sum.
pub(super) fn of_sum(regions: u64) -> u64 {
    fold(regions, 9)
}

/// The sketch of a reduced land.
pub(super) fn sketch(land: &[Spot]) -> u64 {
    let region = |region: Region<'_>| {
        let sketch = looks(region).region(region.loners).unwrap_or(0);
        let genus = region.surface.genus();
        if genus == 0 {
            sketch
        } else {
            fold(sketch, u64::from(genus.unsigned_abs()) << 1 | u64::from(genus < 0))
        }
    };
    of_sum(regions(land).map(region).fold(0, u64::wrapping_add))
}

/// Arbitrary numbers for pairs of neighbours: hexadecimal digits of pi.
const PAIRS: [u64; 16] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7344,
    0xa409_3822_299f_31d0,
    0x082e_fa98_ec4e_6c89,
    0x4528_21e6_38d0_1377,
    0xbe54_66cf_34e9_0c6c,
    0xc0ac_29b7_c97c_50dd,
    0x3f84_d5b5_b547_0917,
    0x9216_d5d9_8979_fb1b,
    0xd131_0ba6_98df_b5ac,
    0x2ffd_72db_d01a_dfb7,
    0xb8e1_afed_6a26_7e96,
    0xba7c_9045_f12c_7f99,
    0x24a1_9947_b391_6cf7,
    0x0801_f2e2_858e_fc16,
    0x6369_20d8_7157_4e69,
];

/// A number that depends on both: the two halves of a product, folded onto each other.
pub(super) const fn fold(a: u64, b: u64) -> u64 {
    let product = (a ^ 0x9e37_79b9_7f4a_7c15) as u128 * (b ^ 0xbf58_476d_1ce4_e5b9) as u128;
    (product >> 64) as u64 ^ product as u64
}
