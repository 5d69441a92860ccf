//! Which regions are left, and which of them share letters.

use crate::encode::LETTER;

/// A region that was dropped.
const DROPPED: u8 = u8::MAX;
/// A place that a letter does not have.
pub(crate) const NOWHERE: u8 = u8::MAX;
/// A land never has more regions: each keeps at least 2 lives, and the life of a letter is shared
/// by two regions.
const MAX_REGIONS: usize = 255;

/// The regions of both occurrences of each letter.
pub(crate) type Places = Vec<[u8; 2]>;

/// Notes where a letter stands.
pub(crate) fn place(places: &mut Places, token: u8, region: usize) {
    let places = &mut places[usize::from(token - LETTER)];
    places[usize::from(places[0] != NOWHERE)] = region as u8;
}

/// The land of each region as a union-find forest, or `DROPPED`.
#[derive(Clone, Default)]
pub(crate) struct Split {
    land: Vec<u8>,
    drops: bool,
}

impl Split {
    /// Drops regions with fewer than 2 lives and unites those that share a letter; the root of a
    /// land is its first region.
    pub fn find(&mut self, places: &[[u8; 2]], lives: &[u16]) {
        assert!(lives.len() <= MAX_REGIONS, "a land has at most {MAX_REGIONS} regions");
        self.land.clear();
        let land = |(r, &lives): (usize, &u16)| if lives < 2 { DROPPED } else { r as u8 };
        self.land.extend(lives.iter().enumerate().map(land));
        self.drops = self.land.contains(&DROPPED);
        for &[a, b] in places {
            if b == NOWHERE || a == b || self.is_dropped(a) || self.is_dropped(b) {
                continue;
            }
            let (a, b) = (self.root(a), self.root(b));
            self.land[usize::from(a.max(b))] = a.min(b);
        }
    }

    /// Forgets what was found: no region is dropped.
    pub fn clear(&mut self) {
        self.drops = false;
    }

    /// Whether a region was dropped.
    pub fn drops(&self) -> bool {
        self.drops
    }

    pub fn is_dropped(&self, region: u8) -> bool {
        self.land[usize::from(region)] == DROPPED
    }

    pub fn root(&mut self, mut region: u8) -> u8 {
        loop {
            let up = self.land[usize::from(region)];
            if up == region {
                return region;
            }
            self.land[usize::from(region)] = self.land[usize::from(up)];
            region = up;
        }
    }

    /// Whether a region belongs to the land with this root.
    pub fn is_in(&mut self, region: u8, root: u8) -> bool {
        !self.is_dropped(region) && self.root(region) == root
    }
}
