//! The lands that an inspector has met, numbered, with what is known of them.

use sprig_domain::{Numbered, cancel};
use sprig_engine::{Canonizer, Effort, Nimber};

use super::{Key, Weighed};
use crate::kernel::recent::Recent;
use crate::lands;
use crate::namer::LINES;

/// A land that was met.
pub(super) type LandId = lands::LandId;

/// Lands that are remembered, at most.
const LANDS: usize = 1 << 19;

/// Makes keys of lands as they are generated, and remembers what was said of them.
pub(super) struct Names {
    keys: Canonizer,
    /// Lands met lately, by their bytes as they were generated: most of them come again soon.
    recent: Recent<LINES>,
    met: Numbered<u8>,
    lands: Vec<Known>,
    /// The present age. What was unknown in an earlier age may be known now.
    age: u32,
}

/// What is known of a land.
#[derive(Default)]
struct Known {
    nimber: Option<Nimber>,
    /// The age in which it was last asked for.
    asked: u32,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            keys: Canonizer::new(Effort::Exact),
            recent: Recent::default(),
            met: Numbered::default(),
            lands: Vec::new(),
            age: 1,
        }
    }
}

impl Names {
    pub fn forget(&mut self) {
        self.recent.clear();
        self.met.clear();
        self.lands.clear();
    }

    pub fn refresh(&mut self) {
        self.age += 1;
    }

    pub fn is_full(&self) -> bool {
        self.lands.len() >= LANDS
    }

    /// Whether one inspection has met more lands than can be remembered.
    pub fn is_overfull(&self) -> bool {
        self.lands.len() >= 4 * LANDS
    }

    /// The keys of lands.
    pub fn keys(&self, lands: &[LandId]) -> Vec<Key> {
        lands.iter().map(|&land| self.key(land).into()).collect()
    }

    /// The key of a land.
    pub fn key(&self, land: LandId) -> &[u8] {
        self.met.get(land.0)
    }

    /// The number of a land.
    fn number(&mut self, raw: &[u8]) -> LandId {
        let hash = lands::hash(raw);
        if let Some(land) = self.recent.get(hash, raw).map(lands::LandId) {
            return land;
        }
        let (land, is_new) = self.met.number(self.keys.key(raw));
        if is_new {
            self.lands.push(Known::default());
        }
        self.recent.set(hash, raw, land);
        lands::LandId(land)
    }

    /// Weighs a sum of lands. Afterwards `child` has the lands that are left when equal ones have
    /// cancelled, known ones first.
    pub fn weigh<'a, E>(
        &mut self,
        lands: impl Iterator<Item = &'a [u8]>,
        child: &mut Vec<LandId>,
        known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
    ) -> Result<Weighed, E> {
        child.clear();
        child.extend(lands.map(|raw| self.number(raw)));
        cancel(child);
        let mut weighed = Weighed { sum: 0, known: 0, unknown: None, unknowns: 0 };
        for place in 0..child.len() {
            let land = child[place];
            if let Some(nimber) = self.nimber(land, known)? {
                weighed.sum ^= nimber.get();
                child.swap(place, weighed.known);
                weighed.known += 1;
            } else {
                weighed.unknown = Some(land);
                weighed.unknowns += 1;
            }
        }
        Ok(weighed)
    }

    fn nimber<E>(
        &mut self,
        land: LandId,
        known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
    ) -> Result<Option<Nimber>, E> {
        let key = self.met.get(land.0);
        let land = &mut self.lands[land.0 as usize];
        if land.nimber.is_none() && land.asked != self.age {
            land.nimber = known(key)?;
            land.asked = self.age;
        }
        Ok(land.nimber)
    }
}
