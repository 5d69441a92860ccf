//! The rule of one step of a proof: that a land has a nimber follows from the nimbers of lands
//! below it.
//!
//! (L, k) is lost if every option of it is won: every child of L together with a heap of k, and (L,
//! i) for every i < k. Facts show this alone, without any search:
//! - a position whose lands are all known is won beside a heap of h exactly when their nim-sum is
//!   not h;
//! - a position with one unknown land U, whose other lands add up to s, is won beside h if a move
//!   in U leads to a position whose lands are all known and add up to s xor h;
//! - (L, i) is won if a child of L has the nim-sum i.
//!
//! Equal lands cancel each other, known or not. Every land that a step rests on has fewer lives
//! than L, so steps cannot rest on each other in a cycle (`docs/trust.md`).

use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sprig_domain::Game;
use sprig_engine::{CanonicalPosition, Generator, Nimber};

use sprig_engine::Watched;

mod allowance;
mod names;
mod sketches;

use allowance::Allowance;
use names::{LandId, Names};
pub use sketches::Sketches;

/// Canonical bytes of a land.
pub type Key = Box<[u8]>;

/// What an inspection has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The claim follows from the nimbers of these lands.
    Shown(Vec<Key>),
    /// The claim is wrong, if the nimbers of these lands are right.
    Refuted(Vec<Key>),
    /// What is known neither shows nor refutes it.
    Missing,
    /// To decide the claim takes more than an inspection may. Claims of honest searches do not come
    /// near that.
    TooDear,
    /// It was told to stop.
    Stopped,
}

/// Inspects steps. It owns its scratch memory, and remembers lands that it has met and replies that
/// it has found.
#[derive(Default)]
pub struct Inspector {
    moves: Generator,
    names: Names,
    /// Lands that a reply in (land, heap) rests on.
    replies: FxHashMap<(LandId, u8), Box<[LandId]>>,
    /// What the lands that are known look like; `None`: like anything.
    sketches: Option<Arc<Sketches>>,
    /// Lands of the child that is looked at.
    child: Vec<LandId>,
    /// What the inspection may still take.
    allowance: Allowance,
}

/// What a land rests on, each land once.
#[derive(Default)]
struct Rests {
    lands: Vec<LandId>,
    there: rustc_hash::FxHashSet<LandId>,
}

impl Rests {
    fn add(&mut self, lands: &[LandId]) {
        self.lands.extend(lands.iter().filter(|land| self.there.insert(**land)));
    }
}

/// A child as far as it is known: the nim-sum of its known lands, with which [`Inspector::child`]
/// begins, the number of its other lands, and the last of these.
struct Weighed {
    sum: u8,
    known: usize,
    unknown: Option<LandId>,
    unknowns: usize,
}

/// How a walk over children has ended before its end.
enum End<E> {
    Refuted,
    Missing,
    Spent,
    Error(E),
}

impl Inspector {
    /// An inspector of steps in a game.
    pub fn of(game: Game) -> Self {
        Self { moves: game.generator(), ..Self::default() }
    }

    /// The same inspector, but it looks for replies first among moves to lands that look like one
    /// of these, where they are found faster, and then among all moves.
    #[must_use]
    pub fn guided(self, sketches: Arc<Sketches>) -> Self {
        Self { sketches: Some(sketches), ..self }
    }

    /// The same inspector, but it tells `watched` that it goes on, and stops when that is told to
    /// stop.
    #[must_use]
    pub fn watched(self, watched: Arc<Watched>) -> Self {
        Self { allowance: Allowance::watched(watched), ..self }
    }

    /// The same inspector, but others wait for it, so it ends when it is [given
    /// up](Watched::give_up).
    #[must_use]
    pub fn hurried(mut self) -> Self {
        self.allowance = std::mem::take(&mut self.allowance).hurried();
        self
    }

    /// Forgets what it remembers: what is known may have changed.
    pub fn forget(&mut self) {
        self.names.forget();
        self.replies.clear();
    }

    /// Notes that more may be known than before.
    pub fn refresh(&mut self) {
        self.names.refresh();
    }

    /// Whether `nimber` follows for `land` from what `known` says about smaller lands. Between two
    /// calls of [`Inspector::forget`] nothing that is known may become unknown, and what becomes
    /// known is seen after [`Inspector::refresh`].
    ///
    /// # Errors
    /// Errors of `known`.
    pub fn inspect<E>(
        &mut self,
        land: &[u8],
        nimber: Nimber,
        known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
    ) -> Result<Finding, E> {
        let watched = self.allowance.watcher();
        if let Some(watched) = &watched {
            watched.begin(land);
        }
        let found = self.find(land, nimber, known);
        if let Some(watched) = &watched {
            watched.end(land);
        }
        found
    }

    fn find<E>(
        &mut self,
        land: &[u8],
        nimber: Nimber,
        known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
    ) -> Result<Finding, E> {
        self.begin(land);
        let heap = nimber.get();
        let (mut rests, mut sums, mut open) = (Rests::default(), 0u64, Vec::new());
        let Self { moves, names, child, allowance, .. } = self;
        let walked = moves.children(land, |lands| {
            if !allowance.take(names) {
                return ControlFlow::Break(End::Spent);
            }
            let weighed = match names.weigh(lands.tidy().iter(), child, known) {
                Ok(weighed) => weighed,
                Err(error) => return ControlFlow::Break(End::Error(error)),
            };
            let Weighed { sum, known, unknown, unknowns } = weighed;
            match (unknown, unknowns) {
                (None, _) if sum == heap => return ControlFlow::Break(End::Refuted),
                (None, _) => {
                    sums |= 1 << sum;
                    rests.add(child);
                }
                (Some(land), 1) => {
                    open.push((land, sum));
                    rests.add(&child[..known]);
                }
                // The nimbers of all its lands but one would be needed.
                _ => return ControlFlow::Break(End::Missing),
            }
            ControlFlow::Continue(())
        });
        match walked {
            Err(_) => return Ok(Finding::TooDear),
            Ok(ControlFlow::Break(End::Missing | End::Spent)) => return Ok(self.missing()),
            Ok(ControlFlow::Break(End::Error(error))) => return Err(error),
            Ok(ControlFlow::Break(End::Refuted)) => {
                return Ok(Finding::Refuted(self.names.keys(&self.child)));
            }
            Ok(ControlFlow::Continue(())) => {}
        }
        if (0..heap).any(|smaller| sums >> smaller & 1 == 0) {
            return Ok(Finding::Missing);
        }
        open.sort_unstable();
        open.dedup();
        for (land, sum) in open {
            let Some(reply) = self.reply(land, heap ^ sum, known)? else {
                return Ok(self.missing());
            };
            rests.add(reply);
        }
        Ok(Finding::Shown(self.names.keys(&rests.lands)))
    }

    /// Whether it follows that `position` is won (`wins`) or lost beside `heap`.
    ///
    /// # Errors
    /// Errors of `known`.
    pub fn inspect_outcome<E>(
        &mut self,
        position: &CanonicalPosition,
        heap: Nimber,
        wins: bool,
        known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
    ) -> Result<Finding, E> {
        self.begin(&[]);
        let lands = position.lands().iter().map(|land| land.key());
        let weighed = self.names.weigh(lands, &mut self.child, known)?;
        let mut rests = self.names.keys(&self.child[..weighed.known]);
        let Some(land) = weighed.unknown else {
            let shown = (weighed.sum != heap.get()) == wins;
            return Ok(if shown { Finding::Shown(rests) } else { Finding::Refuted(rests) });
        };
        if weighed.unknowns > 1 {
            return Ok(Finding::Missing);
        }
        let Some(reply) = self.reply(land, heap.get() ^ weighed.sum, known)? else {
            return Ok(self.missing());
        };
        let reply = reply.to_vec();
        rests.extend(self.names.keys(&reply));
        Ok(if wins { Finding::Shown(rests) } else { Finding::Refuted(rests) })
    }

    /// The lands of a child of `land` that are known and add up to `heap`.
    fn reply<E>(
        &mut self,
        land: LandId,
        heap: u8,
        known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
    ) -> Result<Option<&[LandId]>, E> {
        let couple = (land, heap);
        if !self.replies.contains_key(&couple) {
            let mut found = false;
            if let Some(sketches) = self.sketches.clone() {
                found = self.find_reply(couple, |sketch| sketches.may_hold(sketch), known)?;
            }
            let is_spent = self.allowance.ended().is_some();
            if !found && (is_spent || !self.find_reply(couple, |_| true, known)?) {
                return Ok(None);
            }
            self.replies.insert(couple, self.child.as_slice().into());
        }
        Ok(self.replies.get(&couple).map(|reply| &**reply))
    }

    /// Looks for a reply among the children whose lands `may_be_known`, and leaves it in `child`.
    fn find_reply<E>(
        &mut self,
        (land, heap): (LandId, u8),
        may_be_known: impl Fn(u64) -> bool,
        known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
    ) -> Result<bool, E> {
        let Self { moves, names, child, allowance, .. } = self;
        let key = names.key(land).to_vec();
        let walked = moves.children(&key, |lands| {
            if !allowance.take(names) {
                return ControlFlow::Break(Ok(false));
            }
            if !lands.sketched().all(|(_, sketch)| may_be_known(sketch)) {
                return ControlFlow::Continue(());
            }
            match names.weigh(lands.tidy().iter(), child, known) {
                Ok(weighed) if weighed.unknown.is_none() && weighed.sum == heap => {
                    ControlFlow::Break(Ok(true))
                }
                Ok(_) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(Err(error)),
            }
        });
        match walked {
            Ok(ControlFlow::Break(result)) => result,
            Ok(ControlFlow::Continue(())) => Ok(false),
            Err(_) => {
                allowance.refuse();
                Ok(false)
            }
        }
    }

    /// The result of an inspection that has not found what it looked for.
    fn missing(&self) -> Finding {
        self.allowance.ended().unwrap_or(Finding::Missing)
    }

    /// Begins another inspection. Forgets what was remembered, if that has become too much.
    fn begin(&mut self, land: &[u8]) {
        self.allowance.renew(land);
        if self.names.is_full() {
            self.forget();
        }
    }
}

#[cfg(test)]
mod tests;
