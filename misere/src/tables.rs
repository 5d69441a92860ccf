//! What a search remembers: lands with their children, and nodes with their numbers.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use sprig_search::kernel::arena::{Arena, Chunk, Place};
use sprig_search::kernel::intern::{Interned, Interner};
use sprig_search::kernel::sync::AtomicU64;
use sprig_search::kernel::sync::Ordering::{Acquire, Relaxed, Release};
use sprig_search::kernel::walk;
use sprig_search::{Features, Numbers};

use super::genus::FIRM_CLASSES;
use super::guess::{Guesses, Known, numbers, sum};
#[cfg(test)]
use super::memory::LEAST;
use super::memory::{Shares, usable};
use super::node::{TREE, split};
use super::packed::Packed;
use super::trees::Trees;
use super::words::Words;
use crate::node::hash_bytes;
#[cfg(test)]
use sprig_trees::Forest;
use sprig_trees::Tree;

/// Words of a land before its key.
///
/// ```text
/// word 0  0, or the place of its list of children, or TREE | its tree
///      1  cell of the guesses (20 bits), lives (12 bits)
///      2  place of the list of its killers, or 0
///      3  what is known of its nodes, as in [`Known`]
/// list := words of the list, node *       the children as nodes
/// ```
const STATE: usize = 0;
const SHAPE: usize = 1;
const KILLERS: usize = 2;
const KNOWN: usize = 3;
/// Bits for a cell, beside those for lives.
const CELL: u32 = 20;
/// Lands with more lives count as lands with as many: they only guide.
const MOST_LIVES: u32 = u32::MAX >> CELL;

type LandKey<'a> = Words<'a, 4>;
type NodeKey<'a> = Words<'a, 1>;

pub(crate) struct Tables {
    pub lands: Interner<AtomicU64>,
    /// Nodes that were worked on; the word before the key is [`Packed`].
    pub nodes: Interner<AtomicU64>,
    pub guesses: Arc<Guesses>,
    trees: Arc<Trees>,
    /// Set when the tables must grow or be collected before the search goes on.
    pub full: AtomicBool,
    /// Bytes that the tables may take, also while they grow or are collected.
    pub memory: usize,
    /// The key of the first land that has too many moves to be listed.
    pub dear: OnceLock<Vec<u8>>,
}

/// Why a walk through the tables was left before it was done. What contradicts is the place of a node.
pub(crate) type Leave = walk::Leave<Place>;

/// What is known of a land's moves.
pub(crate) enum State {
    Tree(Tree),
    Children(Place),
    Unknown,
}

/// Slots of a new table.
const SLOTS: usize = 1 << 14;
impl Tables {
    /// Empty tables of a search, whose guesses begin with this knowledge.
    pub fn new(Shares { tables, cells }: Shares, trees: Arc<Trees>, knowledge: &[u8]) -> Self {
        let arena = Arena::new(usable(tables), 1);
        let mut new = Self::with(arena, tables, trees, Arc::new(Guesses::new(cells, knowledge)));
        new.share();
        new
    }

    fn with(arena: Arena, memory: usize, trees: Arc<Trees>, guesses: Arc<Guesses>) -> Self {
        Self {
            nodes: Interner::new(arena.beside(), SLOTS),
            lands: Interner::new(arena, SLOTS),
            guesses,
            trees,
            full: AtomicBool::new(false),
            memory,
            dear: OnceLock::new(),
        }
    }

    /// Empty tables of the same search, which shares their memory and what it has learned.
    pub fn successor(&self) -> Self {
        let (trees, guesses) = (Arc::clone(&self.trees), Arc::clone(&self.guesses));
        let next = Self::with(self.lands.arena.beside(), self.memory, trees, guesses);
        Self { dear: self.dear.clone(), ..next }
    }

    /// The least tables, that know nothing of features.
    #[cfg(test)]
    pub fn least(forest: Forest) -> Self {
        Self::new(Shares { tables: LEAST, cells: 1 << 13 }, Arc::new(Trees::new(forest)), &[])
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.lands.arena.bytes() + self.nodes.arena.bytes() + self.slot_bytes()
    }

    /// Whether a table should grow.
    pub fn is_crowded(&self) -> bool {
        self.lands.is_crowded() || self.nodes.is_crowded()
    }

    /// Bytes that growing takes.
    pub fn growth(&self) -> usize {
        let crowded = [&self.lands, &self.nodes].into_iter().filter(|table| table.is_crowded());
        crowded.map(|table| table.slots() * Interner::<AtomicU64>::SLOT).sum()
    }

    /// Grows the tables that are crowded.
    pub fn grow_crowded(&mut self) {
        for table in [&mut self.lands, &mut self.nodes] {
            if table.is_crowded() {
                table.grow();
            }
        }
        self.full.store(false, Relaxed);
        self.share();
    }

    /// Asks for room.
    pub fn no_room(&self) -> Leave {
        self.full.store(true, Relaxed);
        Leave::Full
    }

    /// Finds or adds the land with this key. `features` are asked for if it is new; `words` is
    /// scratch space.
    pub fn land(
        &self,
        key: &[u8],
        features: impl FnOnce() -> Features,
        words: &mut Vec<u32>,
        chunk: &mut Chunk,
    ) -> Result<Place, Leave> {
        let shape = || {
            let features = features();
            (self.guesses.lands.cell(features), u32::from(features.size).min(MOST_LIVES))
        };
        self.land_of(key, shape, words, chunk)
    }

    /// The same with the [shape](Self::shape) of the land.
    pub fn land_of(
        &self,
        key: &[u8],
        shape: impl FnOnce() -> (u32, u32),
        words: &mut Vec<u32>,
        chunk: &mut Chunk,
    ) -> Result<Place, Leave> {
        land_words(key, words);
        let h = hash_bytes(key);
        let key_words = LandKey { key: words, hash: (h ^ h >> 32) as u32 };
        let found = self.lands.intern(&key_words, chunk, |record| {
            let (cell, lives) = shape();
            key_words.write([0, cell | lives << CELL, 0, 0], record);
        });
        match found {
            Interned::Old(land) if land < TREE => Ok(land),
            Interned::New(land) if land < TREE => {
                if self.lands.is_crowded() {
                    self.full.store(true, Relaxed);
                }
                Ok(land)
            }
            // No room, or none that a part of a node could name.
            _ => Err(self.no_room()),
        }
    }

    /// Puts the key of a land into `key`.
    pub fn land_key(&self, land: Place, key: &mut Vec<u8>) {
        let words = LandKey::of(&self.lands.arena, land);
        key.clear();
        for word in &words[1..] {
            key.extend_from_slice(&word.load(Relaxed).to_le_bytes());
        }
        key.truncate(key.len() - (words[0].load(Relaxed) >> 16) as usize);
    }

    #[inline]
    pub fn state(&self, land: Place) -> State {
        match self.lands.arena.word(land, STATE).load(Acquire) {
            0 => State::Unknown,
            tree if tree >= TREE => State::Tree(Tree::of_word(tree ^ TREE)),
            list => State::Children(list),
        }
    }

    /// Whether a land is known to have no moves, though its game calls it a land.
    pub fn is_dead(&self, land: Place) -> bool {
        let State::Children(list) = self.state(land) else { return false };
        self.lands.arena.word(list, 0).load(Relaxed) == 0
    }

    /// Sets the tree of a land.
    pub fn set_tree(&self, land: Place, tree: Tree) {
        self.lands.arena.word(land, STATE).store(TREE | tree.word(), Release);
    }

    /// Sets the list of all children of a land.
    pub fn set_children(&self, land: Place, list: &[u32], chunk: &mut Chunk) -> Result<(), Leave> {
        self.set_list(land, STATE, list, chunk)
    }

    /// Sets the list of children that have refuted the land in some node.
    pub fn set_killers(&self, land: Place, list: &[u32], chunk: &mut Chunk) -> Result<(), Leave> {
        self.set_list(land, KILLERS, list, chunk)
    }

    fn set_list(
        &self,
        land: Place,
        word: usize,
        list: &[u32],
        chunk: &mut Chunk,
    ) -> Result<(), Leave> {
        let place = self.lands.arena.take(chunk, 1 + list.len()).filter(|&place| place < TREE);
        let place = place.ok_or_else(|| self.no_room())?;
        let record = self.lands.arena.words(place, 0..1 + list.len());
        for (word, &value) in record.iter().zip([list.len() as u32].iter().chain(list)) {
            word.store(value, Relaxed);
        }
        self.lands.arena.word(land, word).store(place, Release);
        Ok(())
    }

    /// Puts the killers of a land into `list`.
    pub fn killers(&self, land: Place, list: &mut Vec<u32>) {
        list.clear();
        let place = self.lands.arena.word(land, KILLERS).load(Acquire);
        if place != 0 {
            self.list(place, list);
        }
    }

    /// Appends a list to `out`.
    #[inline]
    pub fn list(&self, place: Place, out: &mut Vec<u32>) {
        let words = self.lands.arena.word(place, 0).load(Relaxed) as usize;
        out.extend(
            self.lands.arena.words(place, 1..1 + words).iter().map(|word| word.load(Relaxed)),
        );
    }

    /// The cell of the guesses that a land belongs to, and its lives.
    #[inline]
    pub fn shape(&self, land: Place) -> (u32, u32) {
        let word = self.lands.arena.word(land, SHAPE).load(Relaxed);
        (word & ((1 << CELL) - 1), word >> CELL)
    }

    /// What is known of the nodes of a land.
    #[inline]
    pub fn known(&self, land: Place) -> Known {
        Known(self.lands.arena.word(land, KNOWN).load(Relaxed))
    }

    /// Adds to what is known of the nodes of a land.
    pub fn add_known(&self, land: Place, known: Known) {
        self.lands.arena.word(land, KNOWN).fetch_or(known.0, Relaxed);
    }

    /// The record of a node, if it has one. The lands tell of most nodes that they have none.
    #[inline]
    pub fn find(&self, node: &[u32], hash: u32) -> Option<Place> {
        self.find_if(Known::SEEN, node, || hash)
    }

    /// Whether a node has a record that says it is lost.
    #[inline]
    pub fn is_lost(&self, node: &[u32]) -> bool {
        let place = self.find_if(Known::LOST, node, || super::node::hash(node));
        place.is_some_and(|place| self.numbers(place).disproof == 0)
    }

    #[inline]
    fn find_if(&self, known: Known, node: &[u32], hash: impl FnOnce() -> u32) -> Option<Place> {
        let mut lands = node[1..].iter().take_while(|&&part| part < TREE);
        lands
            .all(|&land| self.known(land).has(known))
            .then(|| self.nodes.find(&NodeKey { key: node, hash: hash() }))?
    }

    /// Puts the words of a node into `out`.
    pub fn node_words(&self, node: Place, out: &mut Vec<u32>) {
        out.clear();
        out.extend(NodeKey::of(&self.nodes.arena, node).iter().map(|word| word.load(Relaxed)));
    }

    /// The numbers of a node, and how many threads work on it.
    #[inline]
    pub fn packed(&self, node: Place) -> Packed {
        Packed(self.nodes.arena.word(node, 0).load(Relaxed))
    }

    /// The numbers of a node.
    #[inline]
    pub fn numbers(&self, node: Place) -> Numbers {
        self.packed(node).numbers()
    }

    /// Sets the numbers of a node, unless it is decided. Returns whether this has decided it.
    ///
    /// # Errors
    /// [`Leave::Contradiction`] when it is decided the other way.
    pub fn set_numbers(&self, node: Place, numbers: Numbers) -> Result<bool, Leave> {
        let (word, new) = (self.nodes.arena.word(node, 0), Packed::new(numbers));
        let set = |now| (!Packed(now).is_decided()).then(|| Packed(now).with(numbers).0);
        match word.fetch_update(Relaxed, Relaxed, set) {
            Ok(_) => Ok(new.is_decided()),
            Err(now) if !new.is_decided() || Packed(now).numbers() == new.numbers() => Ok(false),
            Err(_) => Err(Leave::Contradiction(node)),
        }
    }

    /// The land with this key has too many moves.
    pub fn give_up(&self, key: &[u8]) -> Leave {
        self.dear.get_or_init(|| key.to_vec());
        Leave::TooManyMoves
    }

    /// Whether nothing can be found out of a node with these numbers: all that is left below it is dear.
    #[inline]
    pub fn is_hopeless(&self, numbers: Numbers) -> bool {
        numbers == Numbers::DEAR && self.dear.get().is_some()
    }

    /// Gives the nodes that rest on dear ones the numbers of nodes that nobody has worked on: more may be known by now.
    pub fn forget_dear(&self) {
        let mut node = Vec::new();
        for place in self.nodes.iter() {
            let Numbers { proof, disproof } = self.numbers(place);
            if proof == Numbers::DEAR.proof || disproof == Numbers::DEAR.disproof {
                self.node_words(place, &mut node);
                // A thread that has decided it meanwhile has the last word.
                let _ = self.set_numbers(place, self.start(&node, &self.trees));
            }
        }
    }

    /// Says that one more thread works on a node, or one fewer.
    pub fn set_busy(&self, node: Place, more: bool) {
        let set = |now| {
            let busy = Packed(now).busy();
            let busy = if more { (busy + 1).min(3) } else { busy.saturating_sub(1) };
            Some(Packed(now).with_busy(busy).0)
        };
        let _ = self.nodes.arena.word(node, 0).fetch_update(Relaxed, Relaxed, set);
    }

    /// Finds or adds a node, with these numbers if it is new.
    pub fn node(
        &self,
        node: &[u32],
        hash: u32,
        start: Numbers,
        chunk: &mut Chunk,
    ) -> Result<(Place, bool), Leave> {
        let key = NodeKey { key: node, hash };
        match self.nodes.intern(&key, chunk, |record| key.write([Packed::new(start).0], record)) {
            Interned::Old(place) => Ok((place, false)),
            Interned::New(place) => {
                split(node).0.iter().for_each(|&land| self.add_known(land, Known::SEEN));
                if self.nodes.is_crowded() {
                    self.full.store(true, Relaxed);
                }
                Ok((place, true))
            }
            Interned::Full => Err(self.no_room()),
        }
    }

    /// The numbers of a node that nobody has worked on.
    pub fn start(&self, node: &[u32], trees: &Trees) -> Numbers {
        let (lands, parts) = split(node);
        let class = trees.mix(node).class();
        let moves = parts.iter().map(|&part| trees.height(part)).sum::<u32>();
        match *lands {
            [] => numbers(self.guesses.trees(class), moves, false),
            [land] => {
                let ((cell, lives), known) = (self.shape(land), self.known(land));
                let loss = if known.is_empty() {
                    self.guesses.loss(cell, class)
                } else {
                    self.guesses.chances(cell, known)[class]
                };
                numbers(loss, moves + lives, self.is_listed(land))
            }
            [land, ..] => {
                let moves = moves + lands.iter().map(|&land| self.shape(land).1).sum::<u32>();
                let chances =
                    |&land: &Place| self.guesses.chances(self.shape(land).0, self.known(land));
                // Equal lands have equal nimbers, whichever it is.
                let odd = lands.chunk_by(|a, b| a == b).filter(|equal| equal.len() % 2 == 1);
                let class = class % FIRM_CLASSES;
                let loss = match odd.map(|equal| chances(&equal[0])).reduce(|a, b| sum(&a, &b)) {
                    Some(chances) => chances[class],
                    None => {
                        if class == 0 {
                            0.9
                        } else {
                            0.03
                        }
                    }
                };
                numbers(loss, moves, self.is_listed(land))
            }
        }
    }

    #[inline]
    fn is_listed(&self, land: Place) -> bool {
        matches!(self.state(land), State::Children(_))
    }

    /// Learns from the outcome of a node.
    pub fn learn(&self, node: &[u32], trees: &Trees, lost: bool) {
        let (lands, class) = (split(node).0, trees.mix(node).class());
        match *lands {
            [] => self.guesses.learn_trees(class, lost),
            [land] => {
                self.guesses.lands.learn(self.shape(land).0, class, lost);
                self.add_known(land, Known::decided(class, lost));
            }
            _ => {}
        }
        if lost {
            lands.iter().for_each(|&land| self.add_known(land, Known::LOST));
        }
    }
}

/// The key of a land as words: words and bytes of padding, then the bytes.
fn land_words(key: &[u8], words: &mut Vec<u32>) {
    let (whole, rest) = key.as_chunks::<4>();
    words.clear();
    words.push(0);
    words.extend(whole.iter().map(|four| u32::from_le_bytes(*four)));
    if !rest.is_empty() {
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u32::from_le_bytes(last));
    }
    let padding = 4 * (words.len() - 1) - key.len();
    words[0] = words.len() as u32 | (padding as u32) << 16;
}
