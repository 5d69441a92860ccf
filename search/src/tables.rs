//! The tables of a search, shared by its threads, and their invariants.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::avoided::Avoided;
use crate::collect;
use crate::kernel::arena::Chunk;
use crate::kernel::intern::Interned;
use crate::kernel::numbers::Numbers;
use crate::kernel::{room, walk};
use crate::lands::{Key, LandId, Lands, Listed, Possible};
use crate::memory::Shares;
use crate::node::Node;
use crate::prior::{HEAPS, Prior};

/// Everything a search remembers.
pub(crate) struct Tables {
    pub lands: Lands,
    pub prior: Prior<HEAPS>,
    /// Couples that someone wants to be left alone.
    pub avoided: Avoided,
    /// Set when the tables must grow or be collected before the search goes on.
    full: AtomicBool,
    /// The key of the first land that was given up because it has too many moves to be listed.
    dear: OnceLock<Vec<u8>>,
}

/// Two proofs that contradict each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    pub land: LandId,
    /// What was possible before.
    pub before: Possible,
    /// What the new proof leaves possible.
    pub kept: u64,
}

/// Why a walk through the tables was left before it was done.
pub(crate) type Leave = walk::Leave<Conflict>;

/// Of the bytes of all records, this many eighths are kept at most when they are collected: less than is there, so that
/// the search gets on before the next collection.
const KEPT: usize = 6;

impl room::Tables for Tables {
    fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    fn may_grow(&self) -> bool {
        self.lands.is_crowded() && self.lands.may_grow()
    }

    fn grow(&mut self) {
        self.lands.grow();
        self.full.store(false, Relaxed);
    }

    fn collect(&mut self) -> bool {
        let kept = self.lands.capacity() / 8 * KEPT;
        collect::collect(self, kept);
        self.full.store(false, Relaxed);
        true
    }

    fn begin_round(&self) {
        self.lands.begin_round();
    }
}

impl Tables {
    pub fn new(shares: Shares, knowledge: &[u8]) -> Self {
        Self {
            lands: Lands::new(shares.lands),
            prior: Prior::new(knowledge, shares.cells),
            avoided: Avoided::default(),
            full: AtomicBool::new(false),
            dear: OnceLock::new(),
        }
    }

    /// Finds or adds a land.
    pub fn intern(
        &self,
        key: &Key,
        chunk: &mut Chunk,
        cell: impl FnOnce() -> u32,
    ) -> Result<LandId, Leave> {
        match self.lands.intern(key, chunk, cell) {
            Interned::Old(land) => Ok(LandId(land)),
            Interned::New(land) => {
                if self.lands.is_crowded() && self.lands.may_grow() {
                    self.full.store(true, Relaxed);
                }
                Ok(LandId(land))
            }
            Interned::Full => Err(self.no_room()),
        }
    }

    /// Asks for room. It is called with the tables in hand, so no thread has made room meanwhile.
    pub fn no_room(&self) -> Leave {
        self.full.store(true, Relaxed);
        Leave::Full
    }

    /// Notes that a land has too many moves.
    pub fn note_dear(&self, land: LandId) {
        self.dear.get_or_init(|| self.lands.bytes_of(land));
    }

    /// The key of a land with too many moves, once there is one.
    pub fn dear(&self) -> Option<&[u8]> {
        self.dear.get().map(Vec::as_slice)
    }

    /// Whether nothing can be found out of a couple with these numbers: all that is left below it
    /// rests on lands with too many moves.
    #[inline]
    pub fn is_hopeless(&self, numbers: Numbers) -> bool {
        numbers == Numbers::DEAR && self.dear.get().is_some()
    }

    /// Records a proof that only the nimbers `kept` are possible for `land`. Returns the nimber if
    /// this has made it known.
    pub fn restrict(&self, land: LandId, kept: u64) -> Result<Option<u8>, Conflict> {
        let (before, after) = self.lands.restrict(land, kept);
        if after.0 == 0 {
            return Err(Conflict { land, before, kept });
        }
        let cell = self.lands.cell(land);
        let mut excluded = before.0 & !after.0 & 0xff;
        while excluded != 0 {
            self.prior.learn(cell, excluded.trailing_zeros() as usize, false);
            excluded &= excluded - 1;
        }
        match after.known() {
            Some(nimber) if before.known().is_none() => {
                self.prior.learn(cell, nimber.into(), true);
                self.lands.note(land);
                Ok(Some(nimber))
            }
            _ => Ok(None),
        }
    }

    /// The numbers of a couple that is not decided.
    #[inline]
    pub fn numbers(&self, land: LandId, heap: u8) -> Numbers {
        let visited = self.lands.node(land, heap).and_then(Node::numbers);
        visited.unwrap_or_else(|| self.start_numbers(land, heap))
    }

    /// The numbers of a couple that was not visited.
    #[inline]
    pub fn start_numbers(&self, land: LandId, heap: u8) -> Numbers {
        self.prior.numbers(self.lands.cell(land), heap)
    }

    /// The nimbers that are possible for a land of a list. Of a nameless one nothing is known.
    #[inline]
    pub fn possible(&self, land: Listed) -> Possible {
        match land {
            Listed::Named(land) => self.lands.possible(land),
            Listed::Nameless(_) => Possible(u64::MAX),
        }
    }
}
