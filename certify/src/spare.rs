//! What a cut can do without.
//!
//! Without the facts of a cut, what rests on them dies: a need when all its ways have died, and a
//! fact when one of its needs has. It is a cut if something dies that is demanded. Then one fact of
//! the cut after the other comes back to life, with all that lives again through it. It stays so
//! unless nothing would be dead any more that is demanded.

use crate::needs::{NeedId, Needs};
use crate::proof::Proof;
use crate::rules::{FactId, Rules};

/// Takes out of cuts what they can do without.
#[derive(Default)]
pub(crate) struct Spare {
    facts: Vec<Life>,
    /// How many facts of each way are dead.
    ways: Vec<u16>,
    /// How many ways of each need are dead, of those that are not known to be dead in any case.
    needs: Vec<u32>,
}

/// Whether a fact is kept out of proofs.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Life {
    #[default]
    Alive,
    /// It is in the cut.
    Cut,
    /// Something that it needs is dead.
    Dead,
}

impl Spare {
    /// Takes facts out of a cut, in its order, as long as it is one. `false` if it is none. Facts
    /// that are not paid are taken to need nothing: there are many, and few of them matter.
    pub fn take_out<R: Rules>(
        &mut self,
        proof: &Proof<R>,
        paid: &[bool],
        cut: &mut Vec<FactId>,
    ) -> bool {
        self.facts.resize(proof.rules.count().max(proof.needs.taking.len()), Life::Alive);
        self.ways.resize(proof.needs.ways.len() as usize, 0);
        self.needs.resize(proof.needs.needs.len(), 0);
        let dead = self.kill(proof, paid, cut);
        let is_cut = self.is_cut(proof);
        if is_cut {
            cut.retain(|&fact| !self.revive(proof, fact));
        }
        self.forget(proof, &dead);
        is_cut
    }

    /// Lets some facts die, and what rests on them. Returns all that die.
    fn kill<R: Rules>(&mut self, proof: &Proof<R>, paid: &[bool], cut: &[FactId]) -> Vec<FactId> {
        let Needs { needs: all, ways, .. } = &proof.needs;
        for &fact in cut {
            self.facts[fact as usize] = Life::Cut;
        }
        let mut dead = cut.to_vec();
        let mut next = 0;
        while let Some(&fact) = dead.get(next) {
            next += 1;
            for &way in proof.needs.taking(fact) {
                let need = ways.need(way);
                if !self.lose(proof, way) || !self.is_lost(&proof.needs, need) {
                    continue;
                }
                for &user in &all[need as usize].needing {
                    let life = &mut self.facts[user as usize];
                    if *life == Life::Alive && paid[user as usize] && !proof.is_dead(user) {
                        *life = Life::Dead;
                        dead.push(user);
                    }
                }
            }
        }
        dead
    }

    /// Whether something is dead that is demanded.
    fn is_cut<R: Rules>(&self, proof: &Proof<R>) -> bool {
        proof.pinned.iter().any(|&fact| self.facts[fact as usize] != Life::Alive)
            || proof.demanded.iter().any(|&need| self.is_lost(&proof.needs, need))
    }

    /// Takes a fact out of the cut, with all that lives again through it. `false`, and all stays as
    /// it was, if there would be no cut any more.
    fn revive<R: Rules>(&mut self, proof: &Proof<R>, fact: FactId) -> bool {
        if self.lacks_something(proof, fact) {
            self.facts[fact as usize] = Life::Dead;
            return true;
        }
        self.facts[fact as usize] = Life::Alive;
        let Needs { needs: all, ways, .. } = &proof.needs;
        let (mut alive, mut next) = (vec![fact], 0);
        let mut is_cut = self.is_cut(proof);
        while is_cut && let Some(&fact) = alive.get(next) {
            next += 1;
            for &way in proof.needs.taking(fact) {
                let need = ways.need(way);
                let was_lost = self.is_lost(&proof.needs, need);
                if !self.win_back(proof, way) || !was_lost {
                    continue;
                }
                for &user in &all[need as usize].needing {
                    let is_dead = self.facts[user as usize] == Life::Dead;
                    if is_dead && !self.lacks_something(proof, user) {
                        self.facts[user as usize] = Life::Alive;
                        alive.push(user);
                    }
                }
            }
            is_cut = self.is_cut(proof);
        }
        if is_cut {
            return true;
        }
        for &again in &alive[..next] {
            for &way in proof.needs.taking(again) {
                self.lose(proof, way);
            }
        }
        for again in alive {
            self.facts[again as usize] = Life::Dead;
        }
        self.facts[fact as usize] = Life::Cut;
        false
    }

    /// Counts a fact of a way as dead. Whether the way died by that.
    fn lose<R: Rules>(&mut self, proof: &Proof<R>, way: u32) -> bool {
        let dead = &mut self.ways[way as usize];
        *dead += 1;
        let dies = *dead == 1 && !proof.needs.ways.is_dead(way);
        self.needs[proof.needs.ways.need(way) as usize] += u32::from(dies);
        dies
    }

    /// Counts a fact of a way as dead no more. Whether the way lives again.
    fn win_back<R: Rules>(&mut self, proof: &Proof<R>, way: u32) -> bool {
        let dead = &mut self.ways[way as usize];
        *dead -= 1;
        let lives = *dead == 0 && !proof.needs.ways.is_dead(way);
        self.needs[proof.needs.ways.need(way) as usize] -= u32::from(lives);
        lives
    }

    /// Whether a need cannot be won.
    fn is_lost<R: Rules>(&self, needs: &Needs<R>, need: NeedId) -> bool {
        self.needs[need as usize] == needs.needs[need as usize].living
    }

    fn lacks_something<R: Rules>(&self, proof: &Proof<R>, fact: FactId) -> bool {
        proof.needs_of(fact).iter().any(|&need| self.is_lost(&proof.needs, need))
    }

    /// Brings everything back to life.
    fn forget<R: Rules>(&mut self, proof: &Proof<R>, dead: &[FactId]) {
        for &fact in dead {
            self.facts[fact as usize] = Life::Alive;
            for &way in proof.needs.taking(fact) {
                self.ways[way as usize] = 0;
                self.needs[proof.needs.ways.need(way) as usize] = 0;
            }
        }
    }
}
