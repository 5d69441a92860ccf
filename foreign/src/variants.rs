//! The texts under which GLOP and SPOTS may look a land up.

use std::collections::{HashMap, HashSet};

use sprig_engine::{CanonicalLand, CanonicalPosition};

use crate::Dialect;
use crate::form::{approximate, compare_lands};
use crate::spelling::{Mark, Spelling};

/// Relabellings that are tried for each text that is asked for.
const TRIES: usize = 16;

/// At most `limit` texts of a land in the programs' form, first those to which its relabellings
/// lead most often.
///
/// Which relabellings are tried follows from the land and the limit alone, so the answer is always
/// the same.
pub fn land_texts(land: &CanonicalLand, dialect: Dialect, limit: usize) -> Vec<String> {
    forms(land, limit).iter().map(|form| form.print(dialect)).collect()
}

/// At most `limit` texts of a position, made of those of its lands.
pub fn position_texts(position: &CanonicalPosition, dialect: Dialect, limit: usize) -> Vec<String> {
    let mut sums = vec![Vec::new()];
    for land in position.lands() {
        let forms = forms(land, limit);
        let longer = |sum: &Vec<Spelling>| {
            let sum = sum.clone();
            forms.clone().into_iter().map(move |form| [&sum[..], &[form]].concat())
        };
        sums = sums.iter().flat_map(longer).take(limit).collect();
    }
    let text = |mut sum: Vec<Spelling>| {
        sum.sort_by(compare_lands);
        let texts: Vec<_> = sum.iter().map(|form| form.print(dialect)).collect();
        if texts.is_empty() { "!".to_owned() } else { texts.join("+") }
    };
    let mut texts: Vec<_> = sums.into_iter().map(text).collect();
    // Equal lands in other orders are the same sum.
    let mut seen = HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

/// The forms of a land, likeliest first.
fn forms(land: &CanonicalLand, limit: usize) -> Vec<Spelling> {
    assert!(land.is_spherical(), "the texts of GLOP and SPOTS are of the sphere");
    let plain = Spelling::of(&land.to_land());
    let mut choices = Choices::of(land.key());
    let mut counts: HashMap<Spelling, usize> = HashMap::new();
    for _ in 0..TRIES * limit {
        let mut spelling = plain.clone();
        choices.relabel(&mut spelling);
        approximate(&mut spelling);
        *counts.entry(spelling).or_default() += 1;
    }
    let mut forms: Vec<_> = counts.into_iter().collect();
    forms.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| compare_lands(a, b)));
    forms.truncate(limit);
    forms.into_iter().map(|(form, _)| form).collect()
}

/// A stream of choices (SplitMix64), of our own, so that a database is exported in the same way
/// with every version of a library.
pub(crate) struct Choices(u64);

impl Choices {
    /// A stream of choices that follows from bytes (FNV-1a).
    pub fn of(bytes: &[u8]) -> Self {
        let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        Self(bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * bound as u128) >> 64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// Writes a land in another way, by names, rotations, orders and directions. The land stays the
    /// same.
    pub fn relabel(&mut self, land: &mut Spelling) {
        let mut names: Vec<u16> = (0..land.letters()).collect();
        self.shuffle(&mut names);
        self.shuffle(&mut land.0);
        for region in &mut land.0 {
            self.shuffle(region);
            let mirrored = self.below(2) == 1;
            for boundary in region {
                if mirrored {
                    boundary.reverse();
                }
                let turn = self.below(boundary.len());
                boundary.rotate_left(turn);
                for mark in boundary {
                    if let Mark::Lower(name) | Mark::Upper(name) = mark {
                        *name = names[usize::from(*name)];
                    }
                }
            }
        }
    }
}

impl Spelling {
    /// Letters have numbers below this.
    fn letters(&self) -> u16 {
        let numbers = self.0.iter().flatten().flatten().map(|&mark| match mark {
            Mark::Lower(k) | Mark::Upper(k) => k + 1,
            _ => 0,
        });
        numbers.max().unwrap_or(0)
    }
}
