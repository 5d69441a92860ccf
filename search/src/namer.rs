//! From raw lands to lands of the tables, with a short memory for those met lately.
//!
//! Many of the lands that moves lead to were seen a moment ago under the same letters; for these neither key nor table is
//! needed. Entries hold the whole raw land, so a hit is certain. Nameless lands ([`crate::lands`]) have a memory of their own:
//! letters are named anew only where that may spare a key.

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
    named: Recent,
    without_name: Recent,
    cells: Cells,
    /// Nameless lands that have been added and not counted.
    pub nameless: usize,
}

impl<G: Game> Namer<G> {
    pub fn new(game: &G) -> Self {
        Self {
            keys: game.keys(),
            key: Key::default(),
            tidy: Vec::new(),
            chunk: Chunk::default(),
            named: Recent::new(),
            without_name: Recent::new(),
            cells: Cells::new(),
            nameless: 0,
        }
    }

    /// Forgets every place in the arena.
    pub fn forget(&mut self) {
        self.chunk = Chunk::default();
        self.named.clear();
        self.without_name.clear();
    }

    /// Finds or adds a land.
    #[inline]
    pub fn intern(&mut self, tables: &Tables, raw: &[u8], sketch: Sketch) -> Result<LandId, Leave> {
        self.tidy.clear();
        self.tidy.extend_from_slice(raw);
        G::Keys::tidy(&mut self.tidy);
        let line = self.named.line(&self.tidy);
        if let Some(land) = self.named.get(line, &self.tidy) {
            return Ok(land);
        }
        let Self { keys, chunk, cells, .. } = self;
        let key = keys.key(&self.tidy);
        self.key.set(key, sketch);
        let land = tables.intern(&self.key, chunk, || cells.find(tables, G::features(key)))?;
        self.named.set(line, &self.tidy, land);
        Ok(land)
    }

    /// Finds or adds a land; leaves it nameless if nothing is known of it.
    #[inline]
    pub fn find(&mut self, tables: &Tables, raw: &[u8], sketch: Sketch) -> Result<LandId, Leave> {
        if tables.lands.filter().may_know(sketch) {
            return self.intern(tables, raw, sketch);
        }
        let line = self.without_name.line(raw);
        if let Some(land) = self.without_name.get(line, raw) {
            return Ok(land);
        }
        self.key.set(raw, sketch);
        let cell = self.cells.find(tables, G::features(raw));
        let land = tables.lands.add_nameless(&self.key, &mut self.chunk, cell);
        let land = land.ok_or_else(|| tables.no_room())?;
        self.nameless += 1;
        self.without_name.set(line, raw, land);
        Ok(land)
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
        Self(vec![Line { land: LandId(0), length: 0, raw: [0; LONGEST] }; LINES])
    }

    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(|line| line.length = 0);
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
