//! Ways to win what facts need, in few pieces of memory: there are millions, and they are looked at
//! all the time.

use crate::needs::NeedId;
use crate::rules::FactId;

/// The number of a way. Those of one need follow each other.
pub(crate) type WayId = u32;

/// Ways to win what is needed.
#[derive(Default)]
pub(crate) struct Ways {
    /// What each one wins.
    needs: Vec<NeedId>,
    /// The facts of one after the other.
    facts: Vec<FactId>,
    /// Where the facts of each end.
    ends: Vec<u32>,
    /// How many facts of each are not in the proof.
    missing: Vec<u16>,
    /// Whether one of them cannot be proved.
    dead: Vec<bool>,
}

impl Ways {
    /// How many there are; they are numbered from 0.
    pub fn len(&self) -> WayId {
        self.needs.len() as WayId
    }

    /// Adds a way that takes some facts, of which so many are not in the proof.
    pub fn add(&mut self, need: NeedId, facts: &[FactId], missing: usize, dead: bool) -> WayId {
        let number = WayId::try_from(self.needs.len()).expect("far fewer ways than numbers");
        self.needs.push(need);
        self.facts.extend(facts);
        self.ends.push(u32::try_from(self.facts.len()).expect("far fewer facts than numbers"));
        self.missing.push(u16::try_from(missing).expect("a sum has fewer lands"));
        self.dead.push(dead);
        number
    }

    /// What it wins.
    pub fn need(&self, way: WayId) -> NeedId {
        self.needs[way as usize]
    }

    /// The facts it takes.
    pub fn facts(&self, way: WayId) -> &[FactId] {
        let way = way as usize;
        let start = if way == 0 { 0 } else { self.ends[way - 1] };
        &self.facts[start as usize..self.ends[way] as usize]
    }

    /// How many of its facts are not in the proof.
    pub fn missing(&self, way: WayId) -> u16 {
        self.missing[way as usize]
    }

    /// The same, to be changed.
    pub fn missing_mut(&mut self, way: WayId) -> &mut u16 {
        &mut self.missing[way as usize]
    }

    /// Counts all facts as missing. Returns the counts as they were.
    pub fn reset(&mut self) -> Vec<u16> {
        let all = (0..self.len()).map(|way| self.facts(way).len() as u16).collect();
        std::mem::replace(&mut self.missing, all)
    }

    /// Restores counts; those of ways that were added since then are made anew.
    pub fn restore(&mut self, missing: Vec<u16>, is_member: &impl Fn(FactId) -> bool) {
        self.missing = missing;
        for way in self.missing.len() as WayId..self.len() {
            let missing = self.facts(way).iter().filter(|&&fact| !is_member(fact)).count();
            self.missing.push(missing as u16);
        }
    }

    /// Whether all its facts are in the proof.
    pub fn holds(&self, way: WayId) -> bool {
        self.missing(way) == 0
    }

    /// Whether one of its facts cannot be proved.
    pub fn is_dead(&self, way: WayId) -> bool {
        self.dead[way as usize]
    }

    /// Notes that one of its facts cannot be proved. Returns whether that was known.
    pub fn bury(&mut self, way: WayId) -> bool {
        std::mem::replace(&mut self.dead[way as usize], true)
    }
}
