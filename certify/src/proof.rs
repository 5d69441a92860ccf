//! A set of facts, and whether each of them has what it needs.

mod explore;

use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;

use sprig_engine::Watched;

use crate::CertifyError;
use crate::needs::{NeedId, Needs, Noted, State, Tally};
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

/// What a proof was before it was made anew.
struct Before {
    members: Vec<FactId>,
    tally: Tally,
}

/// [`Proof::demand_for`] counts no further than this.
const MOST: usize = 100;

/// A set of facts in the making.
pub(crate) struct Proof<R: Rules> {
    pub rules: R,
    pub needs: Needs<R>,
    facts: Vec<Fact>,
    members: Vec<FactId>,
    /// Facts that are demanded for good.
    pub pinned: Vec<FactId>,
    /// Needs that are demanded for good.
    pub demanded: Vec<NeedId>,
    /// Needs that may not be won, the largest first.
    open: BinaryHeap<(u16, NeedId)>,
    /// Facts that may have become superfluous, the largest first.
    idle: BinaryHeap<(u16, FactId)>,
    changes: Vec<Change>,
    /// The proof as it was before it was made anew.
    before: Option<Before>,
    /// The proof is made anew. All its facts will be noted as perhaps superfluous in the end, so
    /// none is until then.
    anew: bool,
    /// How many facts were explored: it is known what they need.
    pub count_explored: usize,
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
            demanded: Vec::new(),
            open: BinaryHeap::new(),
            idle: BinaryHeap::new(),
            changes: Vec::new(),
            before: None,
            anew: true,
            count_explored: 0,
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
        let Needs { ways, .. } = &self.needs;
        let taking = self.needs.taking(fact).iter();
        let wins =
            taking.filter(|&&way| ways.missing(way) == 1 && self.needs.is_open(ways.need(way)));
        wins.take(MOST).count().max(1)
    }

    /// Demands, for good, that something is won.
    ///
    /// # Errors
    /// As for [`Rules::ways`].
    pub fn demand(&mut self, need: R::Need) -> Result<(), CertifyError> {
        if let Some(need) = self.needs.number(&mut self.rules, need, &|_| Noted::Neither)? {
            self.demanded.push(need);
            self.use_need(need);
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
    pub fn needs_of(&self, fact: FactId) -> &[NeedId] {
        self.facts.get(fact as usize).and_then(|fact| fact.needs.as_deref()).unwrap_or_default()
    }

    /// Whether a need is won.
    pub fn is_won(&self, need: NeedId) -> bool {
        self.needs.states[need as usize].holding > 0
    }

    /// The way in which a need is won; nothing if it is not.
    pub fn holder(&self, need: NeedId) -> &[FactId] {
        let Needs { ways, .. } = &self.needs;
        let way = self.needs.ways_of(need).find(|&way| ways.holds(way));
        way.map_or(&[], |way| ways.facts(way))
    }

    /// The ways in which a need can be won.
    pub fn ways_of(&self, need: NeedId) -> impl Iterator<Item = &[FactId]> + '_ {
        let Needs { ways, .. } = &self.needs;
        self.needs.ways_of(need).filter(|&way| !ways.is_dead(way)).map(|way| ways.facts(way))
    }

    /// Takes out all facts but those that are demanded for good, so that the proof is made anew.
    ///
    /// # Panics
    /// When there are changes that are neither accepted nor undone.
    pub fn clear(&mut self) {
        assert!(self.changes.is_empty(), "what came before can be restored");
        self.anew = true;
        let (kept, gone): (Vec<FactId>, _) =
            self.members.iter().partition(|&&fact| self.is_pinned(fact));
        for fact in &gone {
            self.facts[*fact as usize].member = false;
        }
        let members = std::mem::take(&mut self.members);
        self.before = Some(Before { members, tally: self.needs.reset() });
        for need in self.demanded.clone() {
            self.use_need(need);
        }
        for fact in kept {
            let needs = self.facts[fact as usize].needs.clone();
            self.enter(fact, &needs.expect("it was a member"));
        }
    }

    /// Whether there is nothing but facts that are demanded for good.
    pub fn is_bare(&self) -> bool {
        self.members.len() == self.pinned.len()
    }

    /// Takes out all facts as [`Self::clear`] does, for good.
    pub fn discard(&mut self) {
        self.open.clear();
        self.touched.clear();
        self.accept();
        self.clear();
        self.accept();
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
            if self.needs.is_open(need) {
                return Some(need);
            }
        }
        None
    }

    /// The largest needs that are not won, but no more than `most`.
    pub fn soon_open(&mut self, most: usize) -> Vec<NeedId> {
        let mut soon = Vec::new();
        while soon.len() < most
            && let Some(need) = self.next_open()
        {
            soon.push(need);
        }
        soon.iter().for_each(|&need| self.look_again(need));
        soon
    }

    /// Whether it has to be worked out what a fact needs.
    pub fn is_unknown(&self, fact: FactId) -> bool {
        let is_known = self.facts.get(fact as usize).is_some_and(|fact| fact.needs.is_some());
        !is_known && !self.rules.is_foreseen(fact)
    }

    /// Adds a known fact, unless it turns out to be dead.
    ///
    /// # Errors
    /// As for [`Needs::of`].
    pub fn add(&mut self, fact: FactId) -> Result<(), CertifyError> {
        if self.is_member(fact) || self.is_dead(fact) {
            return Ok(());
        }
        let Some(needs) = self.explore(fact)? else { return Ok(()) };
        self.changes.push(Change::Added(fact));
        self.enter(fact, &needs);
        self.suspect();
        Ok(())
    }

    /// Takes a fact out.
    pub fn remove(&mut self, fact: FactId) {
        self.changes.push(Change::Removed(fact));
        self.leave(fact);
        self.suspect();
    }

    /// Notes all facts as perhaps superfluous.
    pub fn suspect_all(&mut self) {
        self.anew = false;
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
        self.before = None;
        self.changes.clear();
        self.suspect_none();
    }

    /// Undoes all changes since the last [`Self::accept`].
    pub fn undo(&mut self) {
        if let Some(Before { members, tally }) = self.before.take() {
            self.changes.clear();
            self.restore(members, tally);
        }
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
        self.touched.clear();
        self.suspect_none();
    }

    /// Puts in place of the proof the one that it was before it was made anew.
    fn restore(&mut self, members: Vec<FactId>, tally: Tally) {
        for &fact in &self.members {
            self.facts[fact as usize].member = false;
        }
        for (place, &fact) in members.iter().enumerate() {
            let fact = &mut self.facts[fact as usize];
            (fact.member, fact.place) = (true, place as u32);
        }
        self.members = members;
        let Self { needs, facts, .. } = self;
        needs.restore(tally, &|fact| facts.get(fact as usize).is_some_and(|fact| fact.member));
    }

    /// Counts a use of a need, and notes it as perhaps not won.
    fn use_need(&mut self, need: NeedId) {
        self.needs.states[need as usize].users += 1;
        self.look_again(need);
    }

    /// Whether all needs would still be won without the fact.
    fn is_superfluous(&self, fact: FactId) -> bool {
        let Needs { states, ways, .. } = &self.needs;
        self.needs.taking(fact).iter().filter(|&&way| ways.holds(way)).all(|&way| {
            let need = ways.need(way);
            let State { users, holding } = states[need as usize];
            // No other way takes all that a way takes, so no other takes its only fact.
            users == 0
                || (holding > 1
                    && (ways.facts(way).len() == 1
                        || self
                            .needs
                            .ways_of(need)
                            .any(|other| ways.holds(other) && !ways.facts(other).contains(&fact))))
        })
    }

    fn enter(&mut self, fact: FactId, needs: &[NeedId]) {
        let state = &mut self.facts[fact as usize];
        state.member = true;
        state.place = self.members.len() as u32;
        self.members.push(fact);
        let Needs { needs: all, states, ways, taking, .. } = &mut self.needs;
        for &way in taking.get(fact as usize).map_or(&[][..], Vec::as_slice) {
            *ways.missing_mut(way) -= 1;
            if ways.holds(way) {
                let need = ways.need(way);
                let state = &mut states[need as usize];
                state.holding += 1;
                if state.users > 0 && state.holding > 1 {
                    self.touched.push(need);
                }
            }
        }
        for &need in needs {
            let state = &mut states[need as usize];
            state.users += 1;
            if state.holding == 0 {
                self.open.push((all[need as usize].size, need));
            }
        }
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
        let Needs { needs: all, states, ways, taking, .. } = &mut self.needs;
        for &way in taking.get(fact as usize).map_or(&[][..], Vec::as_slice) {
            if ways.holds(way) {
                let need = ways.need(way);
                let state = &mut states[need as usize];
                state.holding -= 1;
                if state.is_open() {
                    self.open.push((all[need as usize].size, need));
                }
            }
            *ways.missing_mut(way) += 1;
        }
        for &need in needs.iter() {
            let state = &mut states[need as usize];
            state.users -= 1;
            if state.users == 0 {
                self.touched.push(need);
            }
        }
    }

    /// Notes the facts behind the touched needs as perhaps superfluous.
    fn suspect(&mut self) {
        let Self { rules, needs, facts, idle, touched, .. } = self;
        if self.anew {
            touched.clear();
        }
        for need in touched.drain(..) {
            for way in needs.ways_of(need) {
                if !needs.ways.holds(way) {
                    continue;
                }
                for &fact in needs.ways.facts(way) {
                    if !std::mem::replace(&mut facts[fact as usize].idle, true) {
                        idle.push((rules.size(fact), fact));
                    }
                }
            }
        }
    }
}
