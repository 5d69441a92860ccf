//! Making room: the tables are copied without what can be found again.

use std::sync::atomic::Ordering::Relaxed;

use sprig_search::{Chunk, Place};

use super::node::{TREE, hash};
use super::prior::Prior;
use super::tables::{State, Tables};

/// What is kept first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    Lost,
    /// Its numbers tell the search where it was.
    Open,
    /// A lost option is kept, so it is found again soon.
    Won,
}

const ORDER: [Worth; 3] = [Worth::Lost, Worth::Open, Worth::Won];

fn worth(tables: &Tables, node: Place) -> Worth {
    let numbers = tables.numbers(node);
    match (numbers.proof, numbers.disproof) {
        (_, 0) => Worth::Lost,
        (0, _) => Worth::Won,
        _ => Worth::Open,
    }
}

impl Tables {
    /// Copies what is worth most to new tables, as far as `budget` bytes go: all lost nodes, then those that are open,
    /// then those that are won. Children of lands are dropped, and all lands that no kept node needs.
    pub fn collect(mut self, budget: usize) -> Self {
        let mut kept = Self::new();
        kept.prior = std::mem::replace(&mut self.prior, Prior::new());
        let mut copier =
            Copier { old: &self, chunk: Chunk::default(), key: Vec::new(), words: Vec::new() };
        for land in self.lands.iter() {
            if let State::Tree(tree) = self.state(land) {
                let copy = copier.land(&mut kept, land);
                kept.set_tree(copy, tree);
            }
        }
        copier.nodes(&mut kept, budget);
        kept.full.store(false, Relaxed);
        kept
    }
}

struct Copier<'a> {
    old: &'a Tables,
    chunk: Chunk,
    key: Vec<u8>,
    words: Vec<u32>,
}

impl Copier<'_> {
    /// Copies nodes, those that are worth most first, as far as `budget` bytes go.
    fn nodes(&mut self, kept: &mut Tables, budget: usize) {
        let (mut chunk, mut node) = (Chunk::default(), Vec::new());
        for wanted in ORDER {
            for place in self.old.nodes.iter().filter(|&place| worth(self.old, place) == wanted) {
                if wanted != Worth::Lost && kept.bytes() > budget {
                    return;
                }
                self.old.node_words(place, &mut node);
                for part in node[1..].iter_mut().filter(|part| **part < TREE) {
                    *part = self.land(kept, *part);
                }
                node[1..].sort_unstable();
                if kept.is_crowded() {
                    kept.grow();
                }
                let added = kept.node(&node, hash(&node), self.old.numbers(place), &mut chunk);
                assert!(added.is_ok(), "what was held before fits");
            }
        }
    }

    /// The copy of a land, made if need be.
    fn land(&mut self, kept: &mut Tables, land: Place) -> Place {
        if kept.is_crowded() {
            kept.grow();
        }
        self.old.land_key(land, &mut self.key);
        let copy = kept.land(&self.key, &mut self.words, &mut self.chunk);
        copy.expect("what was held before fits")
    }
}
