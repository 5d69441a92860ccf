//! Proofs of normal play: facts are nimbers of lands.
//!
//! The fact that land L has nimber n, the couple (L, n) being lost, rests on won couples: (C, n)
//! for every option C of L, and (L, i) for every i < n. A couple (P, h) is won in one of several
//! ways, each a sum of lands whose nimbers are known: P itself if its nimber is not h (then the Nim
//! heap, or P, is played to the other's size), or an option of P with nimber h.

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};

use crate::known::{LandId, Sum};
use crate::lands::Lands;
use crate::minimize::Minimizer;
use crate::proof::Proof;
use crate::rules::{FactId, Rules, Way};
use crate::walker::cancelled;
use crate::{CertifyError, Extract, Settings};

/// What is to be proved of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The player to move wins, or loses, whichever the facts say.
    Outcome,
    /// The nimber.
    Nimber,
}

/// Lands with their nimbers, and what is claimed.
pub struct Nimbers {
    lands: Lands,
    /// The nimber of the position; `None` if only a win is claimed.
    claimed: Option<Nimber>,
}

/// A couple that has to be won.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Couple {
    position: Sum,
    heap: Nimber,
    /// Only a win by a move counts, not one by the position's own nimber.
    by_move: bool,
}

impl Rules for Nimbers {
    type Need = Couple;

    fn count(&self) -> usize {
        self.lands.known.len()
    }

    fn size(&self, fact: FactId) -> u16 {
        self.lands.known.lives(fact)
    }

    fn needs(&mut self, land: FactId) -> Result<Vec<Couple>, CertifyError> {
        let nimber = self.lands.known.nimber(land).expect("only what is known can be a fact");
        let mut needs = Vec::new();
        for position in self.lands.options(land)? {
            if self.lands.known.nimber_of(&position) == Some(nimber) {
                let land = self.lands.known.position(&[land]);
                return Err(CertifyError::SameNimber { land, nimber });
            }
            needs.push(Couple { position, heap: nimber, by_move: false });
        }
        for heap in (0..nimber.get()).map(|n| Nimber::new(n.into()).expect("below a nimber")) {
            needs.push(Couple { position: [land].into(), heap, by_move: true });
        }
        Ok(needs)
    }

    fn threads(&self) -> usize {
        self.lands.threads()
    }

    fn is_foreseen(&self, land: FactId) -> bool {
        self.lands.is_foreseen(land)
    }

    fn foresee(&mut self, lands: &[FactId]) {
        self.lands.foresee(lands);
    }

    fn size_of(&self, couple: &Couple) -> u16 {
        couple.position.iter().map(|&land| self.lands.known.lives(land)).sum()
    }

    fn ways(&mut self, couple: &Couple) -> Result<Vec<Way>, CertifyError> {
        let Couple { position, heap, by_move } = couple;
        let Lands { known, .. } = &self.lands;
        let mut ways = Vec::new();
        if !by_move && known.nimber_of(position).is_some_and(|nimber| nimber != *heap) {
            ways.push(position.clone());
        }
        let is_strange = |land: LandId| known.nimber(land).is_none();
        let strangers = position.iter().filter(|&&land| is_strange(land)).count();
        // A move leaves all other lands as they are.
        let moved: Vec<usize> = (0..position.len())
            .filter(|&i| strangers <= usize::from(is_strange(position[i])))
            .collect();
        for i in moved {
            let others = [&position[..i], &position[i + 1..]].concat();
            let wanted = self.lands.known.nimber_of(&others).map(|others| others.nim_sum(*heap));
            for (option, nimber) in self.lands.valued_options(position[i])?.iter() {
                if Some(nimber) == wanted {
                    ways.push(cancelled([&others, option].concat()).into());
                }
            }
        }
        Ok(ways)
    }
}

impl Extract<Nimbers> {
    /// A first, greedy proof of `claim` about `position` from known facts, given as canonical bytes
    /// and nimbers. It holds as many as it can of the facts in `first`, which have to be among the
    /// known ones: those of an earlier proof, say.
    ///
    /// # Errors
    /// [`CertifyError`] when the facts do not suffice or contradict each other, or it was told to
    /// stop.
    pub fn new(
        known: impl IntoIterator<Item = (Box<[u8]>, Nimber)>,
        first: &[CanonicalLand],
        position: &CanonicalPosition,
        claim: Claim,
        settings: Settings,
    ) -> Result<Self, CertifyError> {
        let missing = || CertifyError::Missing(position.clone());
        let mut lands = Lands::new(settings.game, settings.small, settings.threads);
        for (land, nimber) in known {
            let land = lands.known.intern(&land);
            lands.known.learn(land, nimber)?;
        }
        let sum = position.lands().iter().map(|land| lands.known.intern(land.key())).collect();
        let sum: Sum = cancelled(sum).into();
        sum.iter().try_for_each(|&land| lands.evaluate(land))?;
        let claimed = lands.known.nimber_of(&sum);
        let claimed = claimed.filter(|&n| claim == Claim::Nimber || n == Nimber::ZERO);
        let mut proof = Proof::new(Nimbers { lands, claimed }, settings.watched);
        if claimed.is_some() {
            for &land in &sum {
                if !proof.pin(land)? {
                    return Err(missing());
                }
            }
        } else if claim == Claim::Nimber {
            return Err(missing());
        } else {
            proof.demand(Couple { position: sum, heap: Nimber::ZERO, by_move: false })?;
        }
        for land in first {
            let land = proof.rules.lands.known.intern(land.key());
            if proof.rules.lands.known.nimber(land).is_some() {
                proof.add(land)?;
            }
        }
        Minimizer::begun(proof, settings.seed)?.map(Self).ok_or_else(missing)
    }

    /// The nimber that is proved; `None` if only a win is.
    pub fn nimber(&self) -> Option<Nimber> {
        self.0.rules().claimed
    }

    /// The facts of the smallest proof found, in no particular order.
    pub fn facts(&self) -> impl Iterator<Item = (CanonicalLand, Nimber)> + '_ {
        let lands = &self.0.rules().lands.known;
        self.0.best().iter().map(move |&land| {
            let nimber = lands.nimber(land).expect("facts are known");
            (CanonicalLand::from_reduced(lands.key(land)), nimber)
        })
    }
}
