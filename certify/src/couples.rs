//! What each fact needs: won couples, and the ways to win them.
//!
//! The fact that land L has nimber n, the couple (L, n) being lost, rests on won couples: (C, n) for every option C of L, and
//! (L, i) for every i < n. A couple (P, h) is won in one of several *ways*, each a sum of lands whose nimbers are known:
//! P itself if its nimber is not h (then the Nim heap, or P, is played to the other's size), or an option of P
//! with nimber h. A way holds when all its lands are among the facts of the proof.

use rustc_hash::FxHashMap;
use sprig_engine::Nimber;

use crate::CertifyError;
use crate::lands::{LandId, Lands, Sum, cancelled};

/// The number of a couple.
pub(crate) type CoupleId = u32;
/// The number of a way.
pub(crate) type WayId = u32;

/// A couple that some fact needs to be won.
#[derive(Default)]
pub(crate) struct Couple {
    /// Lives of its position.
    pub lives: u16,
    /// Its ways.
    pub ways: Vec<WayId>,
    /// Facts of the proof that need it.
    pub users: u32,
    /// Ways all of whose facts are in the proof.
    pub holding: u32,
    /// Ways that are not dead.
    pub living: u32,
}

/// A way to win a couple.
pub(crate) struct Way {
    pub couple: CoupleId,
    /// The facts it takes.
    pub facts: Sum,
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

/// Which ways count.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// The position's own nimber, or a move.
    Any,
    /// A move.
    Move,
}

/// Couples and their ways, found when they are first asked for.
#[derive(Default)]
pub(crate) struct Couples {
    pub couples: Vec<Couple>,
    pub ways: Vec<Way>,
    /// The ways that take each fact.
    pub taking: Vec<Vec<WayId>>,
    numbers: FxHashMap<(Sum, Nimber, Kind), Option<CoupleId>>,
}

impl Couples {
    /// The won couples that the nimber of `land` rests on, without those that are won with no facts at all.
    ///
    /// # Errors
    /// When an option has the land's nimber, or there are too many options.
    pub fn needs(
        &mut self,
        lands: &mut Lands,
        land: LandId,
        noted: &impl Fn(LandId) -> Noted,
    ) -> Result<Box<[CoupleId]>, CertifyError> {
        let nimber = lands.nimber(land).expect("only what is known can be a fact");
        let mut needs = Vec::new();
        for option in lands.options(land)? {
            if lands.nimber_of(&option) == Some(nimber) {
                let land = crate::position(lands, &[land]);
                return Err(CertifyError::SameNimber { land, nimber });
            }
            needs.extend(self.couple(lands, option, nimber, Kind::Any, noted)?);
        }
        for smaller in (0..nimber.get()).map(|n| Nimber::new(n.into()).expect("below a nimber")) {
            needs.extend(self.couple(lands, [land].into(), smaller, Kind::Move, noted)?);
        }
        needs.sort_unstable();
        needs.dedup();
        Ok(needs.into())
    }

    /// The couple (position, heap), to be won; none if it is won with no facts.
    ///
    /// # Errors
    /// As for [`Self::needs`].
    pub fn won(
        &mut self,
        lands: &mut Lands,
        position: Sum,
        heap: Nimber,
    ) -> Result<Option<CoupleId>, CertifyError> {
        self.couple(lands, position, heap, Kind::Any, &|_| Noted::Neither)
    }

    fn couple(
        &mut self,
        lands: &mut Lands,
        position: Sum,
        heap: Nimber,
        kind: Kind,
        noted: &impl Fn(LandId) -> Noted,
    ) -> Result<Option<CoupleId>, CertifyError> {
        let key = (position, heap, kind);
        if let Some(&known) = self.numbers.get(&key) {
            return Ok(known);
        }
        let lives = key.0.iter().map(|&land| lands.lives(land)).sum();
        let ways = least(ways(lands, &key.0, heap, kind)?);
        let number = match &ways[..] {
            [way] if way.is_empty() => None,
            _ => {
                let number = self.couples.len() as CoupleId;
                let mut couple = Couple { lives, ..Couple::default() };
                for facts in ways {
                    couple.ways.push(self.add_way(number, facts, noted));
                    let way = self.ways.last().expect("just added");
                    couple.holding += u32::from(way.missing == 0);
                    couple.living += u32::from(!way.dead);
                }
                self.couples.push(couple);
                Some(number)
            }
        };
        self.numbers.insert(key, number);
        Ok(number)
    }

    fn add_way(&mut self, couple: CoupleId, facts: Sum, noted: &impl Fn(LandId) -> Noted) -> WayId {
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
        self.ways.push(Way { couple, facts, missing, dead });
        number
    }

    /// The ways that take a fact.
    pub fn taking(&self, fact: LandId) -> &[WayId] {
        self.taking.get(fact as usize).map_or(&[], Vec::as_slice)
    }
}

/// All ways to win (position, heap).
fn ways(
    lands: &mut Lands,
    position: &Sum,
    heap: Nimber,
    kind: Kind,
) -> Result<Vec<Sum>, CertifyError> {
    let mut ways = Vec::new();
    if kind == Kind::Any && lands.nimber_of(position).is_some_and(|nimber| nimber != heap) {
        ways.push(position.clone());
    }
    for (i, &land) in position.iter().enumerate() {
        let others: Vec<LandId> = position[..i].iter().chain(&position[i + 1..]).copied().collect();
        for option in lands.familiar_options(land)? {
            let sum: Sum = cancelled(others.iter().chain(&option).copied().collect()).into();
            if lands.nimber_of(&sum) == Some(heap) {
                ways.push(sum);
            }
        }
    }
    Ok(ways)
}

/// The ways that take no more than another one does, each once.
fn least(mut ways: Vec<Sum>) -> Vec<Sum> {
    ways.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    ways.dedup();
    let mut least: Vec<Sum> = Vec::new();
    for way in ways {
        // A way of one fact is most of them; do not compare those with each other.
        let covers = |less: &Sum| less.len() < way.len() && less.iter().all(|f| way.contains(f));
        if !least.iter().take_while(|less| less.len() < way.len()).any(covers) {
            least.push(way);
        }
    }
    least
}
