//! The rule of one step of a proof: that a land has a nimber follows from the nimbers of lands below it.
//!
//! (L, k) is lost if every option of it is won: every child of L together with a heap of k, and (L, i) for every i < k.
//! Facts show this alone, without any search:
//! - a position whose lands are all known is won beside a heap of h exactly when their nim-sum is not h;
//! - a position with one unknown land U, the others adding up to s, is won beside h if a move in U leads to a position whose
//!   lands are all known and add up to s xor h;
//! - (L, i) is won if a child of L has the nim-sum i.
//!
//! Equal lands cancel each other, known or not. Every land that a step rests on has fewer lives than L, so steps cannot
//! rest on each other in a circle (`docs/trust.md`).

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;
use sprig_engine::{CanonicalPosition, Canonizer, Effort, Generator, Nimber};

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
}

/// Inspects steps. Owns its scratch memory, and remembers replies it has found.
pub struct Inspector {
    moves: Generator,
    names: Names,
    /// Lands that a reply in (land, heap) rests on.
    replies: FxHashMap<(Key, u8), Box<[Key]>>,
}

/// Replies that are remembered, at most.
const REPLIES: usize = 1 << 18;

/// Makes keys of lands as they are generated, and remembers them: most come again soon.
struct Names {
    keys: Canonizer,
    recent: FxHashMap<Key, Key>,
}

/// Keys that are remembered, at most.
const NAMES: usize = 1 << 16;

/// A sum of lands, as far as it is known.
struct Weighed {
    /// Nim-sum of the known lands.
    sum: u8,
    unknown: Vec<Key>,
    /// The known lands.
    known: Vec<Key>,
}

impl Default for Inspector {
    fn default() -> Self {
        let names = Names { keys: Canonizer::new(Effort::Exact), recent: FxHashMap::default() };
        Self { moves: Generator::default(), names, replies: FxHashMap::default() }
    }
}

impl Names {
    fn key(&mut self, raw: &[u8]) -> Key {
        if let Some(key) = self.recent.get(raw) {
            return key.clone();
        }
        if self.recent.len() >= NAMES {
            self.recent.clear();
        }
        let key: Key = self.keys.key(raw).into();
        self.recent.insert(raw.into(), key.clone());
        key
    }
}

impl Inspector {
    /// Forgets the replies it remembers: facts they rest on may have been withdrawn.
    pub fn forget(&mut self) {
        self.replies.clear();
    }

    /// Whether `nimber` follows for `land` from what `known` says about smaller lands. Between two calls of
    /// [`Inspector::forget`] nothing that is known may become unknown.
    ///
    /// # Errors
    /// Those of `known`.
    pub fn inspect<E>(
        &mut self,
        land: &[u8],
        nimber: Nimber,
        known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
    ) -> Result<Finding, E> {
        let Some(children) = self.children(land) else { return Ok(Finding::Missing) };
        let heap = nimber.get();
        let (mut rests, mut sums, mut open) = (BTreeSet::new(), 0u64, Vec::new());
        for child in children {
            let weighed = weigh(child, known)?;
            match weighed.unknown.len() {
                0 if weighed.sum == heap => return Ok(Finding::Refuted(weighed.known)),
                0 => {
                    sums |= 1 << weighed.sum;
                    rests.extend(weighed.known);
                }
                1 => open.push(weighed),
                // The nimbers of all but one would be needed.
                _ => return Ok(Finding::Missing),
            }
        }
        if (0..heap).any(|smaller| sums >> smaller & 1 == 0) {
            return Ok(Finding::Missing);
        }
        for Weighed { sum, mut unknown, known: others } in open {
            let land = unknown.pop().expect("exactly one");
            let Some(reply) = self.reply(land, heap ^ sum, known)? else {
                return Ok(Finding::Missing);
            };
            rests.extend(others);
            rests.extend(reply);
        }
        Ok(Finding::Shown(rests.into_iter().collect()))
    }

    /// Whether it follows that `position` is won (`wins`) or lost beside `heap`.
    ///
    /// # Errors
    /// Those of `known`.
    pub fn inspect_outcome<E>(
        &mut self,
        position: &CanonicalPosition,
        heap: Nimber,
        wins: bool,
        known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
    ) -> Result<Finding, E> {
        let lands = position.lands().iter().map(|land| land.key().into()).collect();
        let Weighed { sum, mut unknown, known: mut rests } = weigh(lands, known)?;
        let (Some(land), true) = (unknown.pop(), unknown.is_empty()) else {
            return Ok(match (unknown.is_empty(), (sum != heap.get()) == wins) {
                (false, _) => Finding::Missing,
                (true, true) => Finding::Shown(rests),
                (true, false) => Finding::Refuted(rests),
            });
        };
        Ok(match self.reply(land, heap.get() ^ sum, known)? {
            None => Finding::Missing,
            Some(reply) => {
                rests.extend(reply);
                if wins { Finding::Shown(rests) } else { Finding::Refuted(rests) }
            }
        })
    }

    /// The lands of a child of `land` that are known and add up to `heap`.
    fn reply<E>(
        &mut self,
        land: Key,
        heap: u8,
        known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
    ) -> Result<Option<Vec<Key>>, E> {
        let couple = (land, heap);
        if let Some(reply) = self.replies.get(&couple) {
            return Ok(Some(reply.to_vec()));
        }
        let Self { moves, names, .. } = self;
        let walked = moves.children(&couple.0, |lands| {
            let child = lands.iter().map(|land| names.key(land)).collect();
            match weigh(child, known) {
                Ok(weighed) if weighed.unknown.is_empty() && weighed.sum == heap => {
                    ControlFlow::Break(Ok(weighed.known))
                }
                Ok(_) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(Err(error)),
            }
        });
        let Ok(ControlFlow::Break(reply)) = walked else { return Ok(None) };
        let reply = reply?;
        if self.replies.len() >= REPLIES {
            self.replies.clear();
        }
        self.replies.insert(couple, reply.clone().into());
        Ok(Some(reply))
    }

    /// The different children of a land; none if there are too many to list.
    fn children(&mut self, land: &[u8]) -> Option<BTreeSet<Vec<Key>>> {
        let Self { moves, names, .. } = self;
        let mut children = BTreeSet::new();
        let listed = moves.children(land, |lands| {
            let mut child: Vec<Key> = lands.iter().map(|land| names.key(land)).collect();
            child.sort_unstable();
            children.insert(child);
            ControlFlow::<()>::Continue(())
        });
        listed.is_ok().then_some(children)
    }
}

/// Sorts the lands of a sum into known and unknown ones.
fn weigh<E>(
    mut lands: Vec<Key>,
    known: &mut impl FnMut(&[u8]) -> Result<Option<Nimber>, E>,
) -> Result<Weighed, E> {
    lands.sort_unstable();
    let mut weighed = Weighed { sum: 0, unknown: Vec::new(), known: Vec::new() };
    let mut rest = lands.into_iter().peekable();
    while let Some(land) = rest.next() {
        if rest.next_if_eq(&land).is_some() {
            continue;
        }
        match known(&land)? {
            Some(nimber) => {
                weighed.sum ^= nimber.get();
                weighed.known.push(land);
            }
            None => weighed.unknown.push(land),
        }
    }
    Ok(weighed)
}

#[cfg(test)]
mod tests;
