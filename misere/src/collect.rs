//! Making room: the tables are copied without what can be found again.

use sprig_search::kernel::arena::{Chunk, Place};

use super::node::{TREE, hash};
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
    pub fn collected(mut self, budget: usize) -> Self {
        let mut kept = self.successor();
        let mut copier =
            Copier { old: &self, chunk: Chunk::default(), key: Vec::new(), words: Vec::new() };
        for land in self.lands.iter() {
            if let State::Tree(tree) = self.state(land) {
                let copy = copier.land(&mut kept, land);
                kept.set_tree(copy, tree);
            }
        }
        copier.nodes(&mut kept, budget);
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
                    kept.grow_crowded();
                }
                let added = kept.node(&node, hash(&node), self.old.numbers(place), &mut chunk);
                assert!(added.is_ok(), "what was held before fits");
            }
        }
    }

    /// The copy of a land, made if need be.
    fn land(&mut self, kept: &mut Tables, land: Place) -> Place {
        if kept.is_crowded() {
            kept.grow_crowded();
        }
        self.old.land_key(land, &mut self.key);
        let copy = kept.land(&self.key, &mut self.words, &mut self.chunk);
        let copy = copy.expect("what was held before fits");
        kept.add_known(copy, self.old.known(land));
        copy
    }
}

#[cfg(test)]
mod tests {
    use sprig_engine::{CanonicalPosition, Position};
    use sprig_search::Numbers;

    use super::super::guess::Known;
    use super::*;

    #[test]
    fn what_is_kept_is_found_again() {
        let tables = Tables::new(0);
        let (mut chunk, mut words) = (Chunk::default(), Vec::new());
        let mut land = |tables: &Tables, text: &str| {
            let position = CanonicalPosition::of(&text.parse::<Position>().expect("a position"));
            tables.land(position.lands()[0].key(), &mut words, &mut chunk).expect("room")
        };
        let texts = ["0*7", "0*8", "0*9"];
        let node = |lands: [Place; 2]| [3, lands[0].min(lands[1]), lands[0].max(lands[1])];
        let [a, b, c] = texts.map(|text| land(&tables, text));
        let loss = Numbers { proof: Numbers::INFINITE, disproof: 0 };
        let mut records = Chunk::default();
        tables.node(&node([a, b]), hash(&node([a, b])), loss, &mut records).expect("room");
        assert!(tables.find(&node([a, c]), hash(&node([a, c]))).is_none());
        // The lands hear of a loss from whoever proves it.
        assert!(!tables.is_lost(&node([a, b])));
        [a, b].iter().for_each(|&land| tables.add_known(land, Known::LOST));
        assert!(tables.is_lost(&node([a, b])));
        let kept = tables.collected(1 << 20);
        let [a, b, _] = texts.map(|text| land(&kept, text));
        assert!(kept.find(&node([a, b]), hash(&node([a, b]))).is_some());
        assert!(kept.is_lost(&node([a, b])));
    }
}
