//! A set of facts, and whether each of them has what it needs.

use std::collections::BinaryHeap;
use std::rc::Rc;

use crate::CertifyError;
use crate::couples::{CoupleId, Couples, Noted};
use crate::lands::{LandId, Lands};

/// What is noted of a fact.
#[derive(Clone, Default)]
struct Fact {
    /// The couples it needs; none before they were asked for.
    needs: Option<Rc<[CoupleId]>>,
    member: bool,
    /// What is to be proved says so itself: it cannot go.
    pinned: bool,
    /// It needs a couple that cannot be won with what is known.
    dead: bool,
    /// Its place in the list of members.
    place: u32,
}

/// A change that can be undone.
#[derive(Clone, Copy)]
enum Change {
    Added(LandId),
    Removed(LandId),
}

/// More couples than so many are not counted.
const MOST: usize = 100;

/// A set of facts in the making.
pub(crate) struct Proof {
    pub lands: Lands,
    pub couples: Couples,
    facts: Vec<Fact>,
    members: Vec<LandId>,
    /// Needed couples that may not be won, the largest first.
    open: BinaryHeap<(u16, CoupleId)>,
    /// Facts that may have become superfluous, the largest first.
    idle: BinaryHeap<(u16, LandId)>,
    changes: Vec<Change>,
    /// Scratch: couples that changed.
    touched: Vec<CoupleId>,
}

impl Proof {
    /// No facts, to begin with.
    pub fn new(lands: Lands) -> Self {
        Self {
            lands,
            couples: Couples::default(),
            facts: Vec::new(),
            members: Vec::new(),
            open: BinaryHeap::new(),
            idle: BinaryHeap::new(),
            changes: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// The facts.
    pub fn members(&self) -> &[LandId] {
        &self.members
    }

    pub fn is_member(&self, fact: LandId) -> bool {
        self.facts.get(fact as usize).is_some_and(|fact| fact.member)
    }

    /// Whether what is to be proved says the fact itself.
    pub fn is_pinned(&self, fact: LandId) -> bool {
        self.facts[fact as usize].pinned
    }

    /// Whether the fact cannot be proved from what is known.
    pub fn is_dead(&self, fact: LandId) -> bool {
        self.facts.get(fact as usize).is_some_and(|fact| fact.dead)
    }

    /// How many couples that are needed and not won the fact would win by itself; at least 1.
    pub fn demand_for(&self, fact: LandId) -> usize {
        let Couples { couples, ways, .. } = &self.couples;
        let ways = self.couples.taking(fact).iter().map(|&way| &ways[way as usize]);
        let wins = ways.filter(|way| {
            let couple = &couples[way.couple as usize];
            way.missing == 1 && couple.users > 0 && couple.holding == 0
        });
        wins.take(MOST).count().max(1)
    }

    /// Demands a won couple for good.
    pub fn demand(&mut self, couple: CoupleId) {
        self.couples.couples[couple as usize].users += 1;
        self.look_again(couple);
    }

    /// Notes a couple as perhaps not won.
    pub fn look_again(&mut self, couple: CoupleId) {
        self.open.push((self.couples.couples[couple as usize].lives, couple));
    }

    /// The couples that a member needs.
    pub fn needs_of(&self, fact: LandId) -> &[CoupleId] {
        self.facts[fact as usize].needs.as_deref().expect("it is a member")
    }

    /// Demands a fact for good. `false` if it cannot be proved.
    ///
    /// # Errors
    /// As for [`Couples::needs`].
    pub fn pin(&mut self, fact: LandId) -> Result<bool, CertifyError> {
        self.add(fact)?;
        self.facts[fact as usize].pinned = true;
        Ok(self.is_member(fact))
    }

    /// Whether everything that is demanded for good is there: a fact that turns out to be dead leaves.
    pub fn is_whole(&self) -> bool {
        self.facts.iter().all(|fact| fact.member || !fact.pinned)
    }

    /// The largest couple that is needed and not won.
    pub fn next_open(&mut self) -> Option<CoupleId> {
        while let Some((_, couple)) = self.open.pop() {
            let state = &self.couples.couples[couple as usize];
            if state.users > 0 && state.holding == 0 {
                return Some(couple);
            }
        }
        None
    }

    /// Adds a fact whose nimber is known, unless it turns out to be dead.
    ///
    /// # Errors
    /// As for [`Couples::needs`].
    pub fn add(&mut self, fact: LandId) -> Result<(), CertifyError> {
        if self.is_member(fact) || self.is_dead(fact) {
            return Ok(());
        }
        let needs = self.needs(fact)?;
        if needs.iter().any(|&need| self.couples.couples[need as usize].living == 0) {
            self.bury(fact);
            return Ok(());
        }
        self.changes.push(Change::Added(fact));
        self.enter(fact, &needs);
        Ok(())
    }

    /// Takes a fact out.
    pub fn remove(&mut self, fact: LandId) {
        self.changes.push(Change::Removed(fact));
        self.leave(fact);
    }

    /// Notes all facts as perhaps superfluous.
    pub fn suspect_all(&mut self) {
        self.idle.extend(self.members.iter().map(|&fact| (self.lands.lives(fact), fact)));
    }

    /// Removes what has become superfluous, the largest first, but not what is in `keep`.
    pub fn sweep(&mut self, keep: &[LandId]) {
        let mut kept = Vec::new();
        while let Some((lives, fact)) = self.idle.pop() {
            if self.is_member(fact) && !self.is_pinned(fact) && self.is_superfluous(fact) {
                if keep.contains(&fact) {
                    kept.push((lives, fact));
                } else {
                    self.remove(fact);
                }
            }
        }
        self.idle.extend(kept);
    }

    /// Makes all changes final.
    pub fn accept(&mut self) {
        self.changes.clear();
        self.idle.clear();
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
        self.idle.clear();
    }

    /// Whether all would hold without the fact.
    fn is_superfluous(&self, fact: LandId) -> bool {
        let Couples { couples, ways, .. } = &self.couples;
        let taking = self.couples.taking(fact).iter().map(|&way| &ways[way as usize]);
        taking.filter(|way| way.missing == 0).all(|way| {
            let couple = &couples[way.couple as usize];
            couple.users == 0
                || couple
                    .ways
                    .iter()
                    .map(|&way| &ways[way as usize])
                    .any(|other| other.missing == 0 && !other.facts.contains(&fact))
        })
    }

    /// The couples a fact needs.
    fn needs(&mut self, fact: LandId) -> Result<Rc<[CoupleId]>, CertifyError> {
        if self.facts.len() <= fact as usize {
            self.facts.resize(self.lands.len().max(fact as usize + 1), Fact::default());
        }
        if let Some(needs) = &self.facts[fact as usize].needs {
            return Ok(needs.clone());
        }
        let facts = &self.facts;
        let noted = |fact: LandId| match facts.get(fact as usize) {
            Some(fact) if fact.member => Noted::Member,
            Some(fact) if fact.dead => Noted::Dead,
            _ => Noted::Neither,
        };
        let needs: Rc<[CoupleId]> = self.couples.needs(&mut self.lands, fact, &noted)?.into();
        self.facts[fact as usize].needs = Some(needs.clone());
        Ok(needs)
    }

    fn enter(&mut self, fact: LandId, needs: &[CoupleId]) {
        let state = &mut self.facts[fact as usize];
        state.member = true;
        state.place = self.members.len() as u32;
        self.members.push(fact);
        let Couples { couples, ways, taking, .. } = &mut self.couples;
        for &way in taking.get(fact as usize).map_or(&[][..], Vec::as_slice) {
            let way = &mut ways[way as usize];
            way.missing -= 1;
            let couple = &mut couples[way.couple as usize];
            if way.missing == 0 {
                couple.holding += 1;
                if couple.users > 0 && couple.holding > 1 {
                    self.touched.push(way.couple);
                }
            }
        }
        for &need in needs {
            let couple = &mut couples[need as usize];
            couple.users += 1;
            if couple.holding == 0 {
                self.open.push((couple.lives, need));
            }
        }
        self.suspect();
    }

    fn leave(&mut self, fact: LandId) {
        let needs = self.facts[fact as usize].needs.clone().expect("it was a member");
        let state = &mut self.facts[fact as usize];
        state.member = false;
        let place = state.place;
        self.members.swap_remove(place as usize);
        if let Some(&moved) = self.members.get(place as usize) {
            self.facts[moved as usize].place = place;
        }
        let Couples { couples, ways, taking, .. } = &mut self.couples;
        for &way in taking.get(fact as usize).map_or(&[][..], Vec::as_slice) {
            let way = &mut ways[way as usize];
            let couple = &mut couples[way.couple as usize];
            if way.missing == 0 {
                couple.holding -= 1;
                if couple.users > 0 && couple.holding == 0 {
                    self.open.push((couple.lives, way.couple));
                }
            }
            way.missing += 1;
        }
        for &need in needs.iter() {
            let couple = &mut couples[need as usize];
            couple.users -= 1;
            if couple.users == 0 {
                self.touched.push(need);
            }
        }
        self.suspect();
    }

    /// Notes the facts behind the touched couples as perhaps superfluous.
    fn suspect(&mut self) {
        for couple in self.touched.drain(..) {
            for &way in &self.couples.couples[couple as usize].ways {
                let way = &self.couples.ways[way as usize];
                if way.missing == 0 {
                    self.idle.extend(way.facts.iter().map(|&fact| (self.lands.lives(fact), fact)));
                }
            }
        }
    }

    /// Notes a fact as dead, and takes out all that then cannot be proved either.
    fn bury(&mut self, fact: LandId) {
        let mut dying = vec![fact];
        while let Some(fact) = dying.pop() {
            if std::mem::replace(&mut self.facts[fact as usize].dead, true) {
                continue;
            }
            if self.is_member(fact) {
                self.remove(fact);
            }
            for way in self.couples.taking(fact).to_vec() {
                let way = &mut self.couples.ways[way as usize];
                if std::mem::replace(&mut way.dead, true) {
                    continue;
                }
                let couple = way.couple;
                let state = &mut self.couples.couples[couple as usize];
                state.living -= 1;
                if state.living == 0 {
                    let needing =
                        |fact: &Fact| fact.needs.as_ref().is_some_and(|n| n.contains(&couple));
                    let facts = self.facts.iter().enumerate().filter(|(_, fact)| needing(fact));
                    dying.extend(facts.map(|(fact, _)| fact as LandId));
                }
            }
        }
    }
}
