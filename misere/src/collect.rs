//! Making room: the tables are copied without what can be found again.

use sprig_search::kernel::arena::{Chunk, Place};

use super::node::{TREE, hash};
use super::tables::{Leave, State, Tables};

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
    /// Copies what is worth most of `old` to these tables, which are empty and share its memory:
    /// all lost nodes, then as many of the open ones and then of the won ones as there is room for.
    /// Children of lands are dropped, and all lands that no kept node needs. `false` when the lost
    /// nodes and the lands that have trees alone do not fit.
    pub fn take_in(&mut self, old: &Self) -> bool {
        self.share_with(old);
        let mut copier =
            Copier { old, chunk: Chunk::default(), key: Vec::new(), words: Vec::new() };
        for land in old.lands.iter() {
            if let State::Tree(tree) = old.state(land) {
                let Ok(copy) = copier.land(self, land) else { return false };
                self.set_tree(copy, tree);
            }
        }
        // Only this much is kept of what is not lost, so that there is room to work.
        let budget = self.memory / 4;
        ORDER.iter().all(|&worth| copier.nodes(self, worth, budget).is_ok() || worth != Worth::Lost)
    }
}

struct Copier<'a> {
    old: &'a Tables,
    chunk: Chunk,
    key: Vec<u8>,
    words: Vec<u32>,
}

impl Copier<'_> {
    /// Copies the nodes of this worth. Those that are not lost are copied only as far as `budget`
    /// bytes go.
    fn nodes(&mut self, kept: &mut Tables, wanted: Worth, budget: usize) -> Result<(), Leave> {
        let (mut chunk, mut node) = (Chunk::default(), Vec::new());
        for place in self.old.nodes.iter().filter(|&place| worth(self.old, place) == wanted) {
            if wanted != Worth::Lost && kept.bytes() > budget {
                return Err(Leave::Full);
            }
            self.old.node_words(place, &mut node);
            for part in node[1..].iter_mut().filter(|part| **part < TREE) {
                *part = self.land(kept, *part)?;
            }
            node[1..].sort_unstable();
            self.grow(kept)?;
            kept.node(&node, hash(&node), self.old.numbers(place), &mut chunk)?;
        }
        Ok(())
    }

    /// Grows the tables if they are crowded.
    fn grow(&self, kept: &mut Tables) -> Result<(), Leave> {
        if kept.is_crowded() {
            if !kept.share_with(self.old) {
                return Err(Leave::Full);
            }
            kept.grow_crowded();
            kept.share_with(self.old);
        }
        Ok(())
    }

    /// The copy of a land, made if need be.
    fn land(&mut self, kept: &mut Tables, land: Place) -> Result<Place, Leave> {
        self.grow(kept)?;
        self.old.land_key(land, &mut self.key);
        let shape = self.old.shape(land);
        let copy = kept.land_of(&self.key, || shape, &mut self.words, &mut self.chunk)?;
        kept.add_known(copy, self.old.known(land));
        Ok(copy)
    }
}

#[cfg(test)]
mod tests {
    use sprig_engine::{CanonicalPosition, Position};
    use sprig_search::Numbers;
    use sprig_trees::Forest;

    use super::super::guess::Known;
    use super::*;

    #[test]
    fn what_is_kept_is_found_again() {
        let tables = Tables::least(Forest::default());
        let (mut chunk, mut words) = (Chunk::default(), Vec::new());
        let mut land = |tables: &Tables, text: &str| {
            let position = CanonicalPosition::of(&text.parse::<Position>().expect("a position"));
            tables
                .land_of(position.lands()[0].key(), || (0, 0), &mut words, &mut chunk)
                .expect("room")
        };
        let texts = ["0*7", "0*8", "0*9"];
        let node = |lands: [Place; 2]| [3, lands[0].min(lands[1]), lands[0].max(lands[1])];
        let [a, b, c] = texts.map(|text| land(&tables, text));
        let loss = Numbers { proof: Numbers::INFINITE, disproof: 0 };
        let mut records = Chunk::default();
        tables.node(&node([a, b]), hash(&node([a, b])), loss, &mut records).expect("room");
        assert!(tables.find(&node([a, c]), hash(&node([a, c]))).is_none());
        // The lands hear of a loss only from a proof of it.
        assert!(!tables.is_lost(&node([a, b])));
        [a, b].iter().for_each(|&land| tables.add_known(land, Known::LOST));
        assert!(tables.is_lost(&node([a, b])));
        let mut kept = tables.successor();
        assert!(kept.take_in(&tables));
        let [a, b, _] = texts.map(|text| land(&kept, text));
        assert!(kept.find(&node([a, b]), hash(&node([a, b]))).is_some());
        assert!(kept.is_lost(&node([a, b])));
    }
}
