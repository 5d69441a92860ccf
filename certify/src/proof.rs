//! A set of facts, and whether each of them has what it needs.

use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;

use sprig_engine::Watched;

use crate::CertifyError;
use crate::needs::{NeedId, Needs, Noted};
use crate::rules::{FactId, Rules};

/// What is noted of a fact.
#[derive(Clone, Default)]
struct Fact {
    /// What it needs; `None` before that was asked for.
    needs: Option<Rc<[NeedId]>>,
    member: bool,
    /// It belongs to what is to be proved: it cannot go.
    pinned: bool,
    /// It needs something that cannot be won with what is known.
    dead: bool,
    /// It is among those that may have become superfluous.
    idle: bool,
    /// Its index in the list of members.
    place: u32,
}

/// A change that can be undone.
#[derive(Clone, Copy)]
enum Change {
    Added(FactId),
    Removed(FactId),
}

/// [`Proof::demand_for`] counts no further than this.
const MOST: usize = 100;

/// A set of facts in the making.
pub(crate) struct Proof<R: Rules> {
    pub rules: R,
    pub needs: Needs<R>,
    facts: Vec<Fact>,
    members: Vec<FactId>,
    pinned: Vec<FactId>,
    /// Needs that may not be won, the largest first.
    open: BinaryHeap<(u16, NeedId)>,
    /// Facts that may have become superfluous, the largest first.
    idle: BinaryHeap<(u16, FactId)>,
    changes: Vec<Change>,
    /// Scratch space: needs that changed.
    touched: Vec<NeedId>,
}

impl<R: Rules> Proof<R> {
    /// No facts, to begin with.
    pub fn new(rules: R, watched: Arc<Watched>) -> Self {
        Self {
            rules,
            needs: Needs::new(watched),
            facts: Vec::new(),
            members: Vec::new(),
            pinned: Vec::new(),
            open: BinaryHeap::new(),
            idle: BinaryHeap::new(),
            changes: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// The facts.
    pub fn members(&self) -> &[FactId] {
        &self.members
    }

    pub fn is_member(&self, fact: FactId) -> bool {
        self.facts.get(fact as usize).is_some_and(|fact| fact.member)
    }

    /// Whether the fact belongs to what is to be proved.
    pub fn is_pinned(&self, fact: FactId) -> bool {
        self.facts[fact as usize].pinned
    }

    /// Whether the fact cannot be proved from what is known.
    pub fn is_dead(&self, fact: FactId) -> bool {
        self.facts.get(fact as usize).is_some_and(|fact| fact.dead)
    }

    /// How much of what is needed and not won the fact would win by itself; at least 1.
    pub fn demand_for(&self, fact: FactId) -> usize {
        let Needs { needs, ways, .. } = &self.needs;
        let ways = self.needs.taking(fact).iter().map(|&way| &ways[way as usize]);
        let wins = ways.filter(|way| {
            let need = &needs[way.need as usize];
            way.missing == 1 && need.users > 0 && need.holding == 0
        });
        wins.take(MOST).count().max(1)
    }

    /// Demands, for good, that something is won.
    ///
    /// # Errors
    /// As for [`Rules::ways`].
    pub fn demand(&mut self, need: R::Need) -> Result<(), CertifyError> {
        if let Some(need) = self.needs.number(&mut self.rules, need, &|_| Noted::Neither)? {
            self.needs.needs[need as usize].users += 1;
            self.look_again(need);
        }
        Ok(())
    }

    /// Notes a need as perhaps not won.
    pub fn look_again(&mut self, need: NeedId) {
        self.open.push((self.needs.needs[need as usize].size, need));
    }

    /// Facts of which it is known what they need, and which can be proved.
    pub fn explored(&self) -> impl Iterator<Item = FactId> + '_ {
        let known = self.facts.iter().enumerate();
        let known = known.filter(|(_, fact)| fact.needs.is_some() && !fact.dead);
        known.map(|(fact, _)| fact as FactId)
    }

    /// What an explored fact needs.
    pub fn known_needs_of(&self, fact: FactId) -> &[NeedId] {
        self.facts[fact as usize].needs.as_deref().unwrap_or_default()
    }

    /// The way in which a need is won; nothing if it is not.
    pub fn holder(&self, need: NeedId) -> &[FactId] {
        let ways = self.needs.needs[need as usize].ways.iter();
        let mut ways = ways.map(|&way| &self.needs.ways[way as usize]);
        ways.find(|way| way.missing == 0).map_or(&[], |way| &way.facts)
    }

    /// The ways in which a need can be won.
    pub fn ways_of(&self, need: NeedId) -> impl Iterator<Item = &[FactId]> + '_ {
        let ways = self.needs.needs[need as usize].ways.iter();
        let ways = ways.map(|&way| &self.needs.ways[way as usize]).filter(|way| !way.dead);
        ways.map(|way| &*way.facts)
    }

    /// Takes out all facts but those that are demanded for good.
    pub fn clear(&mut self) {
        for fact in self.members.clone() {
            if !self.is_pinned(fact) {
                self.remove(fact);
            }
        }
    }

    /// What a member needs.
    pub fn needs_of(&self, fact: FactId) -> &[NeedId] {
        self.facts[fact as usize].needs.as_deref().expect("it is a member")
    }

    /// Demands a fact for good. `false` if it cannot be proved.
    ///
    /// # Errors
    /// As for [`Needs::of`].
    pub fn pin(&mut self, fact: FactId) -> Result<bool, CertifyError> {
        self.add(fact)?;
        self.facts[fact as usize].pinned = true;
        self.pinned.push(fact);
        Ok(self.is_member(fact))
    }

    /// Whether everything that is demanded for good is there: a fact that turns out to be dead
    /// leaves.
    pub fn is_whole(&self) -> bool {
        self.pinned.iter().all(|&fact| self.is_member(fact))
    }

    /// The largest need that is not won.
    pub fn next_open(&mut self) -> Option<NeedId> {
        while let Some((_, need)) = self.open.pop() {
            let state = &self.needs.needs[need as usize];
            if state.users > 0 && state.holding == 0 {
                return Some(need);
            }
        }
        None
    }

    /// Adds a known fact, unless it turns out to be dead.
    ///
    /// # Errors
    /// As for [`Needs::of`].
    pub fn add(&mut self, fact: FactId) -> Result<(), CertifyError> {
        if self.is_member(fact) || self.is_dead(fact) {
            return Ok(());
        }
        let needs = self.find_needs(fact)?;
        if needs.iter().any(|&need| self.needs.needs[need as usize].living == 0) {
            self.bury(fact);
            return Ok(());
        }
        self.changes.push(Change::Added(fact));
        self.enter(fact, &needs);
        Ok(())
    }

    /// Takes a fact out.
    pub fn remove(&mut self, fact: FactId) {
        self.changes.push(Change::Removed(fact));
        self.leave(fact);
    }

    /// Notes all facts as perhaps superfluous.
    pub fn suspect_all(&mut self) {
        for place in 0..self.members.len() {
            self.suspect_one(self.members[place]);
        }
    }

    /// Notes a fact as perhaps superfluous, once.
    fn suspect_one(&mut self, fact: FactId) {
        if !std::mem::replace(&mut self.facts[fact as usize].idle, true) {
            self.idle.push((self.rules.size(fact), fact));
        }
    }

    /// Takes back what was noted as perhaps superfluous.
    fn suspect_none(&mut self) {
        for (_, fact) in self.idle.drain() {
            self.facts[fact as usize].idle = false;
        }
    }

    /// Removes what has become superfluous, the largest first, but not what is in `keep`.
    pub fn sweep(&mut self, keep: &[FactId]) {
        let mut kept = Vec::new();
        while let Some((_, fact)) = self.idle.pop() {
            self.facts[fact as usize].idle = false;
            if self.is_member(fact) && !self.is_pinned(fact) && self.is_superfluous(fact) {
                if keep.contains(&fact) {
                    kept.push(fact);
                } else {
                    self.remove(fact);
                }
            }
        }
        for fact in kept {
            self.suspect_one(fact);
        }
    }

    /// Makes all changes final.
    pub fn accept(&mut self) {
        self.changes.clear();
        self.suspect_none();
    }

    /// Undoes all changes since the last [`Self::accept`].
    pub fn undo(&mut self) {
        while let Some(change) = self.changes.pop() {
            match change {
                Change::Added(fact) => self.leave(fact),
                Change::Removed(fact) => {
                    let needs = self.facts[fact as usize].needs.clone();
                    self.enter(fact, &needs.expect("it was a member"));
                }
            }
        }
        self.open.clear();
        self.suspect_none();
    }

    /// Whether all needs would still be won without the fact.
    fn is_superfluous(&self, fact: FactId) -> bool {
        let Needs { needs, ways, .. } = &self.needs;
        let taking = self.needs.taking(fact).iter().map(|&way| &ways[way as usize]);
        taking.filter(|way| way.missing == 0).all(|way| {
            let need = &needs[way.need as usize];
            need.users == 0
                || need
                    .ways
                    .iter()
                    .map(|&way| &ways[way as usize])
                    .any(|other| other.missing == 0 && !other.facts.contains(&fact))
        })
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
        Ok(needs)
    }

    fn enter(&mut self, fact: FactId, needs: &[NeedId]) {
        let state = &mut self.facts[fact as usize];
        state.member = true;
        state.place = self.members.len() as u32;
        self.members.push(fact);
        let Needs { needs: all, ways, taking, .. } = &mut self.needs;
        for &way in taking.get(fact as usize).map_or(&[][..], Vec::as_slice) {
            let way = &mut ways[way as usize];
            way.missing -= 1;
            let need = &mut all[way.need as usize];
            if way.missing == 0 {
                need.holding += 1;
                if need.users > 0 && need.holding > 1 {
                    self.touched.push(way.need);
                }
            }
        }
        for &need in needs {
            let state = &mut all[need as usize];
            state.users += 1;
            if state.holding == 0 {
                self.open.push((state.size, need));
            }
        }
        self.suspect();
    }

    fn leave(&mut self, fact: FactId) {
        let needs = self.facts[fact as usize].needs.clone().expect("it was a member");
        let state = &mut self.facts[fact as usize];
        state.member = false;
        let place = state.place;
        self.members.swap_remove(place as usize);
        if let Some(&moved) = self.members.get(place as usize) {
            self.facts[moved as usize].place = place;
        }
        let Needs { needs: all, ways, taking, .. } = &mut self.needs;
        for &way in taking.get(fact as usize).map_or(&[][..], Vec::as_slice) {
            let way = &mut ways[way as usize];
            let need = &mut all[way.need as usize];
            if way.missing == 0 {
                need.holding -= 1;
                if need.users > 0 && need.holding == 0 {
                    self.open.push((need.size, way.need));
                }
            }
            way.missing += 1;
        }
        for &need in needs.iter() {
            let state = &mut all[need as usize];
            state.users -= 1;
            if state.users == 0 {
                self.touched.push(need);
            }
        }
        self.suspect();
    }

    /// Notes the facts behind the touched needs as perhaps superfluous.
    fn suspect(&mut self) {
        let Self { rules, needs, facts, idle, touched, .. } = self;
        for need in touched.drain(..) {
            for &way in &needs.needs[need as usize].ways {
                let way = &needs.ways[way as usize];
                if way.missing > 0 {
                    continue;
                }
                for &fact in &way.facts {
                    if !std::mem::replace(&mut facts[fact as usize].idle, true) {
                        idle.push((rules.size(fact), fact));
                    }
                }
            }
        }
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
                let way = &mut self.needs.ways[way as usize];
                if std::mem::replace(&mut way.dead, true) {
                    continue;
                }
                let need = way.need;
                let state = &mut self.needs.needs[need as usize];
                state.living -= 1;
                if state.living == 0 {
                    dying.extend(&state.needing);
                }
            }
        }
    }
}
