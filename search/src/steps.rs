//! Inner steps of the search, to be timed one by one by `bench/benches/micro.rs`. They are not part
//! of the interface.

use sprig_domain::Question;

use crate::Limits;
use crate::couples::{Couple, News, Workshop};
use crate::kernel::noise::Noise;
use crate::kernel::room::Tools;
use crate::kernel::walk::UNBOUNDED;
use crate::lands::{Key, LandId};
use crate::look::{Seen, look};
use crate::search::Search;
use crate::sprouts::{KNOWLEDGE, Sprouts};
use crate::tables::Tables;

/// The tables that a search has left, and tools for them.
pub struct Steps {
    tables: Tables,
    tools: Workshop<Sprouts>,
    /// All lands of the tables.
    keys: Vec<Key>,
    /// Couples that were visited and can be looked at again.
    couples: Vec<Couple>,
}

/// A receiver of news that does nothing with them.
struct Nobody;

impl News for Nobody {
    fn proved(&self, _: &Tables, _: LandId, _: u8) {}
}

impl Steps {
    /// The tables after `expansions` expansions of a search for the outcome of a position of one
    /// land.
    ///
    /// # Panics
    /// When the land cannot be searched.
    pub fn after(expansions: u64, land: &[u8]) -> Self {
        let search =
            Search::taught(Sprouts::default(), Limits { memory: 1 << 30, threads: 1 }, KNOWLEDGE);
        let answer = search.solve(&[land], Question::OUTCOME, expansions, &());
        answer.expect("the land can be searched");
        let tables = search.into_tables();
        let tools = Workshop::new(&Sprouts::default());
        let mut steps = Self { tables, tools, keys: Vec::new(), couples: Vec::new() };
        steps.gather();
        steps
    }

    fn gather(&mut self) {
        let lands = &self.tables.lands;
        let mut bytes = Vec::new();
        for land in lands.iter() {
            let mut key = Key::default();
            lands.key(land, &mut bytes);
            key.set(&bytes, lands.sketch(land));
            self.keys.push(key);
            let heaps = lands.nodes(land).map(|(heap, _)| Couple { land, heap });
            self.couples.extend(heaps.filter(|_| lands.children(land).is_some()));
        }
    }

    /// How many lands there are.
    pub fn lands(&self) -> usize {
        self.keys.len()
    }

    /// How many couples can be looked at.
    pub fn couples(&self) -> usize {
        self.couples.len()
    }

    /// Finds or adds a raw land, as for a child that has just been generated.
    pub fn intern(&mut self, raw: &[u8]) {
        let land = self.tools.intern(&self.tables, raw);
        std::hint::black_box(land.expect("there is room"));
    }

    /// Forgets which lands were met lately.
    pub fn forget(&mut self) {
        self.tools.forget();
    }

    /// Looks all lands up in the table by their keys.
    pub fn find_all(&mut self) {
        let chunk = &mut Default::default();
        for key in &self.keys {
            let land = self.tables.intern(key, chunk, || unreachable!("all lands are there"));
            std::hint::black_box(land.expect("it is there"));
        }
    }

    /// Forms the numbers of all couples anew from their options.
    pub fn look_at_all(&self) {
        for &couple in &self.couples {
            let seen = look(&self.tables, &Nobody, Noise::NONE, couple, UNBOUNDED);
            if let Seen::Open(numbers, _) = seen.expect("nothing contradicts") {
                std::hint::black_box(numbers);
            }
        }
    }
}
