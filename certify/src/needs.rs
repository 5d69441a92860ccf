//! What facts of a proof need, and the ways to win it.
//!
//! Each fact rests on things that have to be won ([`Rules::needs`]), each of these in one of
//! several *ways*, sets of facts. A way holds when all its facts are in the proof.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sprig_engine::Watched;

use crate::CertifyError;
use crate::rules::{FactId, Rules, Way};

/// The number of something that is needed.
pub(crate) type NeedId = u32;
/// The number of a way.
pub(crate) type WayId = u32;

/// Something that some fact needs to be won.
#[derive(Default)]
pub(crate) struct Need {
    pub size: u16,
    /// Its ways.
    pub ways: Vec<WayId>,
    /// All facts of which it is known that they need it, in the proof or not.
    pub needing: Vec<FactId>,
    /// Facts of the proof that need it.
    pub users: u32,
    /// Ways all of whose facts are in the proof.
    pub holding: u32,
    /// Ways that are not dead.
    pub living: u32,
}

/// A way to win what is needed.
pub(crate) struct NeedWay {
    pub need: NeedId,
    /// The facts it takes.
    pub facts: Way,
    /// How many of them are not in the proof.
    pub missing: u32,
    /// Whether one of them cannot be proved.
    pub dead: bool,
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
    pub ways: Vec<NeedWay>,
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
            ways: Vec::new(),
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
                let mut new = Need { size: rules.size_of(&need), ..Need::default() };
                for facts in ways {
                    new.ways.push(self.add_way(number, facts, noted));
                    let way = self.ways.last().expect("just added");
                    new.holding += u32::from(way.missing == 0);
                    new.living += u32::from(!way.dead);
                }
                self.needs.push(new);
                Some(number)
            }
        };
        self.numbers.insert(need, number);
        Ok(number)
    }

    fn add_way(&mut self, need: NeedId, facts: Way, noted: &impl Fn(FactId) -> Noted) -> WayId {
        let number = self.ways.len() as WayId;
        for &fact in &facts {
            let fact = fact as usize;
            if self.taking.len() <= fact {
                self.taking.resize(fact + 1, Vec::new());
            }
            self.taking[fact].push(number);
        }
        let missing = facts.iter().filter(|&&fact| noted(fact) != Noted::Member).count() as u32;
        let dead = facts.iter().any(|&fact| noted(fact) == Noted::Dead);
        self.ways.push(NeedWay { need, facts, missing, dead });
        number
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
