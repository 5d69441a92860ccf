//! From raw lands to lands of the tables, with a short memory for those met lately.
//!
//! Many of the lands that moves lead to were seen a moment ago under the same letters; for these neither key nor table is
//! needed. Entries hold the whole raw land, so a hit is certain.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use crate::arena::Chunk;
use crate::filter::Sketch;
use crate::game::{Features, Game, Keys};
use crate::lands::{Key, LandId, hash};
use crate::prior::COARSEST;
use crate::tables::{Leave, Tables};

/// A thread's way of finding lands.
pub(crate) struct Namer<G: Game> {
    keys: G::Keys,
    key: Key,
    tidy: Vec<u8>,
    pub chunk: Chunk,
    recent: Recent,
    cells: Cells,
}

impl<G: Game> Namer<G> {
    pub fn new(game: &G) -> Self {
        Self {
            keys: game.keys(),
            key: Key::default(),
            tidy: Vec::new(),
            chunk: Chunk::default(),
            recent: Recent::new(),
            cells: Cells::new(),
        }
    }

    /// Forgets every place in the arena.
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
        let line = self.recent.line(&self.tidy);
        if let Some(land) = self.recent.get(line, &self.tidy) {
            return Ok(land);
        }
        let Self { keys, chunk, cells, .. } = self;
        let key = keys.key(&self.tidy);
        self.key.set(key, sketch);
        let land = tables.intern(&self.key, chunk, || cells.find(tables, G::features(key)))?;
        self.recent.set(line, &self.tidy, land);
        Ok(land)
    }

    /// The cell of the prior of a raw land.
    #[inline]
    pub fn cell(&mut self, tables: &Tables, raw: &[u8]) -> u32 {
        self.cells.find(tables, G::features(raw))
    }
}

/// Cells of the prior asked for lately, so that threads do not wait for each other there. Features keep their cell for ever.
struct Cells(Vec<(Features, u32)>);

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

/// Lands met lately, each in the one line its hash names.
pub(crate) struct Recent(Vec<Line>);

const LINES: usize = 1 << 12;
const LONGEST: usize = 59;
/// The length of a line that holds no land: longer than a line.
const NONE: u8 = u8::MAX;

/// One line of the processor's cache.
#[derive(Clone)]
#[repr(align(64))]
struct Line {
    land: LandId,
    length: u8,
    raw: [u8; LONGEST],
}

impl Recent {
    pub fn new() -> Self {
        Self(vec![Line { land: LandId(0), length: NONE, raw: [0; LONGEST] }; LINES])
    }

    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(|line| line.length = NONE);
    }

    #[inline]
    pub fn line(&self, raw: &[u8]) -> usize {
        hash(raw) as usize % LINES
    }

    #[inline]
    pub fn get(&self, line: usize, raw: &[u8]) -> Option<LandId> {
        let line = &self.0[line];
        (line.raw.get(..line.length.into()) == Some(raw)).then_some(line.land)
    }

    #[inline]
    pub fn set(&mut self, line: usize, raw: &[u8], land: LandId) {
        let line = &mut self.0[line];
        if let Some(place) = line.raw.get_mut(..raw.len()) {
            place.copy_from_slice(raw);
            line.length = raw.len() as u8;
            line.land = land;
        }
    }
}
