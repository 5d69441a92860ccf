//! From raw lands to parts of nodes, with a short memory for those met lately.

use sprig_search::kernel::arena::{Chunk, Place};
use sprig_search::kernel::recent::Recent;
use sprig_search::{Game, Keys};

use super::node::TREE;
use super::tables::{Leave, State, Tables};
use crate::node::hash_bytes;
use sprig_trees::Tree;

/// A thread's way of finding lands.
pub(crate) struct Namer<G: Game> {
    keys: G::Keys,
    words: Vec<u32>,
    pub chunk: Chunk,
    /// Indices of lands, or `TREE |` their trees.
    recent: Recent<LINES>,
}

/// Lands that are remembered.
const LINES: usize = 1 << 14;

impl<G: Game> Namer<G> {
    pub fn new(game: &G) -> Self {
        Self {
            keys: game.keys(),
            words: Vec::new(),
            chunk: Chunk::default(),
            recent: Recent::default(),
        }
    }

    /// Forgets every index, since the tables are replaced.
    pub fn forget(&mut self) {
        self.chunk = Chunk::default();
        self.recent.clear();
    }

    /// The index of a land, given as raw bytes.
    pub fn place(&mut self, tables: &Tables, land: &[u8]) -> Result<Place, Leave> {
        let key = self.keys.key(land);
        tables.land(key, || G::features(key), &mut self.words, &mut self.chunk)
    }

    /// The index of a land, or `TREE |` its tree if that is known.
    #[inline]
    fn value(&mut self, tables: &Tables, raw: &[u8]) -> Result<u32, Leave> {
        let hash = (hash_bytes(raw) >> 32) as u32;
        if let Some(value) = self.recent.get(hash, raw) {
            return Ok(value);
        }
        let place = self.place(tables, raw)?;
        let value = match tables.state(place) {
            State::Tree(tree) => TREE | tree.word(),
            _ => place,
        };
        self.recent.set(hash, raw, value);
        Ok(value)
    }

    /// Appends the node that is the sum of some lands to `out`.
    pub fn node(
        &mut self,
        tables: &Tables,
        lands: &mut dyn Iterator<Item = &[u8]>,
        out: &mut Vec<u32>,
    ) -> Result<(), Leave> {
        let at = out.len();
        out.push(0);
        let mut one = false;
        for land in lands {
            let value = self.value(tables, land)?;
            if value < TREE {
                out.push(value);
                continue;
            }
            let tree = Tree::of_word(value ^ TREE);
            one ^= tree.has_factor();
            if tree.without_factor() != Tree::ZERO {
                out.push(TREE | tree.number());
            }
        }
        out[at + 1..].sort_unstable();
        out[at] = (out.len() - at) as u32 | u32::from(one) << 16;
        Ok(())
    }
}
