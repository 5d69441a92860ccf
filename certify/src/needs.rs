//! What facts of a proof need, and the ways to win it.
//!
//! Each fact rests on things that have to be won ([`Rules::needs`]), each of these in one of
//! several *ways*, sets of facts. A way holds when all its facts are in the proof.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sprig_engine::Watched;

use crate::CertifyError;
use crate::rules::{FactId, Rules, Way};
use crate::ways::{WayId, Ways};

/// The number of something that is needed.
pub(crate) type NeedId = u32;

/// Something that some fact needs to be won.
pub(crate) struct Need {
    pub size: u16,
    /// Its ways.
    pub ways: Range<WayId>,
    /// All facts of which it is known that they need it, in the proof or not.
    pub needing: Vec<FactId>,
    /// Ways that are not dead.
    pub living: u32,
}

/// What changes of a need with every fact that comes or goes.
#[derive(Clone, Copy, Default)]
pub(crate) struct State {
    /// Facts of the proof that need it.
    pub users: u32,
    /// Ways all of whose facts are in the proof.
    pub holding: u32,
}

/// Counts of all needs and ways, as they once were.
pub(crate) struct Tally {
    states: Vec<State>,
    missing: Vec<u16>,
}

impl State {
    /// Whether it is needed and not won.
    pub fn is_open(self) -> bool {
        self.users > 0 && self.holding == 0
    }
}

/// What a proof notes of a fact.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Noted {
    /// It is among its facts.
    Member,
    /// It cannot be proved.
    Dead,
    /// Nothing.
    Neither,
}

/// What is needed, and the ways to win it, found when they are first asked for.
pub(crate) struct Needs<R: Rules> {
    pub needs: Vec<Need>,
    /// By need. They are looked at so often that they lie close together.
    pub states: Vec<State>,
    pub ways: Ways,
    /// The ways that take each fact.
    pub taking: Vec<Vec<WayId>>,
    /// `None` for what is won with no facts at all.
    numbers: FxHashMap<R::Need, Option<NeedId>>,
    watched: Arc<Watched>,
}

impl<R: Rules> Needs<R> {
    /// Nothing yet.
    pub fn new(watched: Arc<Watched>) -> Self {
        Self {
            needs: Vec::new(),
            states: Vec::new(),
            ways: Ways::default(),
            taking: Vec::new(),
            numbers: FxHashMap::default(),
            watched,
        }
    }

    /// What a fact needs, without what is won with no facts at all.
    ///
    /// # Errors
    /// As for [`Rules::needs`] and [`Rules::ways`]; [`CertifyError::Stopped`].
    pub fn of(
        &mut self,
        rules: &mut R,
        fact: FactId,
        noted: &impl Fn(FactId) -> Noted,
    ) -> Result<Box<[NeedId]>, CertifyError> {
        let mut needs = Vec::new();
        for need in rules.needs(fact)? {
            needs.extend(self.number(rules, need, noted)?);
        }
        needs.sort_unstable();
        needs.dedup();
        Ok(needs.into())
    }

    /// The number of something that is needed; `None` if it is won with no facts.
    ///
    /// # Errors
    /// As for [`Rules::ways`]; [`CertifyError::Stopped`].
    pub fn number(
        &mut self,
        rules: &mut R,
        need: R::Need,
        noted: &impl Fn(FactId) -> Noted,
    ) -> Result<Option<NeedId>, CertifyError> {
        if let Some(&known) = self.numbers.get(&need) {
            return Ok(known);
        }
        if !self.watched.step() {
            return Err(CertifyError::Stopped);
        }
        let ways = least(rules.ways(&need)?);
        let number = match &ways[..] {
            [way] if way.is_empty() => None,
            _ => {
                let number = self.needs.len() as NeedId;
                let (first, mut living) = (self.ways.len(), 0);
                let mut state = State::default();
                for facts in ways {
                    let way = self.add_way(number, &facts, noted);
                    state.holding += u32::from(self.ways.holds(way));
                    living += u32::from(!self.ways.is_dead(way));
                }
                let ways = first..self.ways.len();
                let size = rules.size_of(&need);
                self.needs.push(Need { size, ways, needing: Vec::new(), living });
                self.states.push(state);
                Some(number)
            }
        };
        self.numbers.insert(need, number);
        Ok(number)
    }

    fn add_way(
        &mut self,
        need: NeedId,
        facts: &[FactId],
        noted: &impl Fn(FactId) -> Noted,
    ) -> WayId {
        let missing = facts.iter().filter(|&&fact| noted(fact) != Noted::Member).count();
        let dead = facts.iter().any(|&fact| noted(fact) == Noted::Dead);
        let number = self.ways.add(need, facts, missing, dead);
        for &fact in facts {
            let fact = fact as usize;
            if self.taking.len() <= fact {
                self.taking.resize(fact + 1, Vec::new());
            }
            self.taking[fact].push(number);
        }
        number
    }

    /// The ways of a need.
    pub fn ways_of(&self, need: NeedId) -> Range<WayId> {
        self.needs[need as usize].ways.clone()
    }

    /// Counts as if there were no facts in the proof. Returns the counts as they were.
    pub fn reset(&mut self) -> Tally {
        let states = vec![State::default(); self.states.len()];
        let states = std::mem::replace(&mut self.states, states);
        Tally { states, missing: self.ways.reset() }
    }

    /// Restores counts. What was met since then is counted now.
    pub fn restore(&mut self, tally: Tally, is_member: &impl Fn(FactId) -> bool) {
        let (old_needs, old_ways) = (tally.states.len(), tally.missing.len());
        let met = self.states.len();
        self.states = tally.states;
        // Facts of the proof were known, and so is what they need.
        self.states.resize(met, State::default());
        self.ways.restore(tally.missing, is_member);
        for way in old_ways as WayId..self.ways.len() {
            let need = self.ways.need(way) as usize;
            assert!(need >= old_needs, "the ways of a need are found together");
            self.states[need].holding += u32::from(self.ways.holds(way));
        }
    }

    /// Whether something is needed and not won.
    pub fn is_open(&self, need: NeedId) -> bool {
        self.states[need as usize].is_open()
    }

    /// The ways that take a fact.
    pub fn taking(&self, fact: FactId) -> &[WayId] {
        self.taking.get(fact as usize).map_or(&[], Vec::as_slice)
    }
}

/// The ways that take no more than another one does, each once.
fn least(mut ways: Vec<Way>) -> Vec<Way> {
    ways.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    ways.dedup();
    let mut least: Vec<Way> = Vec::new();
    for way in ways {
        // Most ways have one fact; do not compare those with each other.
        let covers = |less: &Way| less.len() < way.len() && less.iter().all(|f| way.contains(f));
        if !least.iter().take_while(|less| less.len() < way.len()).any(covers) {
            least.push(way);
        }
    }
    least
}
