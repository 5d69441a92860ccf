//! What facts need is worked out when it is first asked for.

use std::rc::Rc;

use super::{Fact, Proof};
use crate::CertifyError;
use crate::needs::{NeedId, Noted};
use crate::rules::{FactId, Rules};

impl<R: Rules> Proof<R> {
    /// What a fact needs. `None` if some of it cannot be won; then the fact is noted as dead.
    ///
    /// # Errors
    /// As for [`Needs::of`](crate::needs::Needs::of).
    pub fn explore(&mut self, fact: FactId) -> Result<Option<Rc<[NeedId]>>, CertifyError> {
        let needs = self.find_needs(fact)?;
        if needs.iter().any(|&need| self.needs.needs[need as usize].living == 0) {
            self.bury(fact);
            return Ok(None);
        }
        Ok(Some(needs))
    }

    /// What a fact needs.
    fn find_needs(&mut self, fact: FactId) -> Result<Rc<[NeedId]>, CertifyError> {
        if self.facts.len() <= fact as usize {
            self.facts.resize(self.rules.count().max(fact as usize + 1), Fact::default());
        }
        if let Some(needs) = &self.facts[fact as usize].needs {
            return Ok(needs.clone());
        }
        let facts = &self.facts;
        let noted = |fact: FactId| match facts.get(fact as usize) {
            Some(fact) if fact.member => Noted::Member,
            Some(fact) if fact.dead => Noted::Dead,
            _ => Noted::Neither,
        };
        let needs: Rc<[NeedId]> = self.needs.of(&mut self.rules, fact, &noted)?.into();
        for &need in needs.iter() {
            self.needs.needs[need as usize].needing.push(fact);
        }
        self.facts[fact as usize].needs = Some(needs.clone());
        self.count_explored += 1;
        Ok(needs)
    }

    /// Notes a fact as dead, and takes out all that then cannot be proved either.
    fn bury(&mut self, fact: FactId) {
        let mut dying = vec![fact];
        while let Some(fact) = dying.pop() {
            if std::mem::replace(&mut self.facts[fact as usize].dead, true) {
                continue;
            }
            if self.is_member(fact) {
                self.remove(fact);
            }
            for way in self.needs.taking(fact).to_vec() {
                if self.needs.ways.bury(way) {
                    continue;
                }
                let need = &mut self.needs.needs[self.needs.ways.need(way) as usize];
                need.living -= 1;
                if need.living == 0 {
                    dying.extend(&need.needing);
                }
            }
        }
    }
}
