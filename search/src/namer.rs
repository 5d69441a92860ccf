//! From raw lands to lands of the tables, with a short memory of lands met lately.
//!
//! Many of the lands that moves lead to were met a moment ago with the same letters. For these
//! neither key nor table is needed. Entries hold the whole raw land, so a hit is certain.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use crate::filter::Sketch;
use crate::game::{Features, Game, Keys};
use crate::kernel::arena::Chunk;
use crate::kernel::recent::Recent;
use crate::lands::{Key, LandId, hash};
use crate::prior::COARSEST;
use crate::tables::{Leave, Tables};

/// A thread's way of finding lands.
pub(crate) struct Namer<G: Game> {
    keys: G::Keys,
    key: Key,
    tidy: Vec<u8>,
    pub chunk: Chunk,
    recent: Recent<LINES>,
    cells: Cells,
}

impl<G: Game> Namer<G> {
    pub fn new(game: &G) -> Self {
        Self {
            keys: game.keys(),
            key: Key::default(),
            tidy: Vec::new(),
            chunk: Chunk::default(),
            recent: Recent::default(),
            cells: Cells::new(),
        }
    }

    /// Forgets every index into the arena.
    pub fn forget(&mut self) {
        self.chunk = Chunk::default();
        self.recent.clear();
    }

    /// Finds or adds a land.
    #[inline]
    pub fn intern(&mut self, tables: &Tables, raw: &[u8], sketch: Sketch) -> Result<LandId, Leave> {
        self.tidy.clear();
        self.tidy.extend_from_slice(raw);
        G::Keys::tidy(&mut self.tidy);
        let hash = hash(&self.tidy);
        if let Some(land) = self.recent.get(hash, &self.tidy) {
            return Ok(LandId(land));
        }
        let Self { keys, chunk, cells, .. } = self;
        let key = keys.key(&self.tidy);
        self.key.set(key, sketch);
        let land = tables.intern(&self.key, chunk, || cells.find(tables, G::features(key)))?;
        self.recent.set(hash, &self.tidy, land.0);
        Ok(land)
    }

    /// The cell of the prior of a raw land.
    #[inline]
    pub fn cell(&mut self, tables: &Tables, raw: &[u8]) -> u32 {
        self.cells.find(tables, G::features(raw))
    }
}

/// Cells of the prior asked for lately, so that threads do not wait for each other there. The cell
/// of given features never changes.
struct Cells(Vec<(Features, u32)>);

/// Lands that are remembered.
pub(crate) const LINES: usize = 1 << 12;
const CELLS: usize = 1 << 10;

impl Cells {
    fn new() -> Self {
        Self(vec![(Features::default(), COARSEST); CELLS])
    }

    #[inline]
    fn find(&mut self, tables: &Tables, features: Features) -> u32 {
        let known = &mut self.0[FxBuildHasher.hash_one(features) as usize % CELLS];
        if known.0 != features {
            *known = (features, tables.prior.cell(features));
        }
        known.1
    }
}
