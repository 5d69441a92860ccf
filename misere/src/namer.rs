//! From raw lands to parts of nodes, with a short memory for those met lately.

use sprig_engine::{Canonizer, Effort};
use sprig_search::kernel::arena::{Chunk, Place};

use super::node::TREE;
use super::tables::{Leave, State, Tables};
use crate::node::hash_bytes;
use sprig_trees::Tree;

/// A thread's way of finding lands.
pub(crate) struct Namer {
    canonizer: Canonizer,
    words: Vec<u32>,
    pub chunk: Chunk,
    recent: Vec<Line>,
}

const LINES: usize = 1 << 14;
const LONGEST: usize = 59;

/// A land met lately: its raw bytes, whole, so that a hit is certain; its place, or `TREE |` its tree.
#[derive(Clone)]
#[repr(align(64))]
struct Line {
    value: u32,
    length: u8,
    raw: [u8; LONGEST],
}

impl Namer {
    pub fn new() -> Self {
        Self {
            canonizer: Canonizer::new(Effort::Greedy),
            words: Vec::new(),
            chunk: Chunk::default(),
            recent: vec![Line { value: 0, length: 0, raw: [0; LONGEST] }; LINES],
        }
    }

    /// Forgets every place: the tables are replaced.
    pub fn forget(&mut self) {
        self.chunk = Chunk::default();
        self.recent.iter_mut().for_each(|line| line.length = 0);
    }

    /// The place of a land, given as bytes of the grammar.
    pub fn place(&mut self, tables: &Tables, land: &[u8]) -> Result<Place, Leave> {
        tables.land(self.canonizer.key(land), &mut self.words, &mut self.chunk)
    }

    /// The place of a land, or `TREE |` its tree if that is known.
    #[inline]
    fn value(&mut self, tables: &Tables, raw: &[u8]) -> Result<u32, Leave> {
        let at = (hash_bytes(raw) >> 32) as usize % LINES;
        let line = &self.recent[at];
        if line.raw.get(..line.length.into()) == Some(raw) {
            return Ok(line.value);
        }
        let place = self.place(tables, raw)?;
        let value = match tables.state(place) {
            State::Tree(tree) => TREE | tree.word(),
            _ => place,
        };
        let line = &mut self.recent[at];
        if let Some(bytes) = line.raw.get_mut(..raw.len()) {
            bytes.copy_from_slice(raw);
            line.length = raw.len() as u8;
            line.value = value;
        }
        Ok(value)
    }

    /// Appends the node that is the sum of some lands to `out`.
    pub fn node<'a>(
        &mut self,
        tables: &Tables,
        lands: impl Iterator<Item = &'a [u8]>,
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
