//! Nodes of misère play as a problem of the kernel.
//!
//! The options of every node on the path are listed once, when the walk enters the node; only those it works on are looked up
//! again.

use sprig_search::Game;
use sprig_search::kernel::arena::{Chunk, Place};
use sprig_search::kernel::drive::Run;
use sprig_search::kernel::numbers::Numbers;
use sprig_search::kernel::room::Tools;
use sprig_search::kernel::tally::Tally;
use sprig_search::kernel::walk::{Look, Problem};

use super::node::{TREE, has_one};
use super::options::{Expander, Options, Seen};
use super::tables::{Leave, Tables};
use super::trees::Trees;

const WIN: Numbers = Numbers { proof: 0, disproof: Numbers::INFINITE };
const LOSS: Numbers = Numbers { proof: Numbers::INFINITE, disproof: 0 };

/// A thread's own tools.
pub(crate) struct Workshop<G: Game> {
    pub expander: Expander<G>,
    pub chunk: Chunk,
    options: Options,
    /// The nodes from the root to here.
    path: Vec<Frame>,
    /// The words of the node that is looked at.
    node: Vec<u32>,
}

/// A node of the path.
#[derive(Clone, Copy)]
struct Frame {
    /// Where its options begin, and their words.
    list: usize,
    words: usize,
    is_listed: bool,
    /// The option that was worked on last.
    worked: Option<usize>,
}

impl<G: Game> Workshop<G> {
    pub fn new(game: &G) -> Self {
        Self {
            expander: Expander::new(game),
            chunk: Chunk::default(),
            options: Options::default(),
            path: Vec::new(),
            node: Vec::new(),
        }
    }
}

impl<G: Game> Tools for Workshop<G> {
    fn forget(&mut self) {
        self.chunk = Chunk::default();
        self.expander.namer.forget();
    }
}

/// Hears of nodes, as words of the tables, that are proved lost.
pub(crate) type News<'a> = dyn Fn(&Tables, &[u32]) + Sync + 'a;

/// The nodes of some tables, as one thread works on them.
pub(crate) struct Nodes<'a, G: Game> {
    pub trees: &'a Trees,
    pub tables: &'a Tables,
    pub tools: &'a mut Workshop<G>,
    pub run: &'a Run<'a, Tables>,
    pub news: &'a News<'a>,
}

impl<G: Game> Problem for Nodes<'_, G> {
    type Node = Place;
    /// The number of an option in the list of those of the path.
    type Way = usize;
    type Conflict = Place;

    fn enter(&mut self, node: Place) -> Result<(), Leave> {
        if self.run.is_shared() {
            self.tables.set_busy(node, true);
        }
        let Options { list, words } = &self.tools.options;
        let (list, words) = (list.len(), words.len());
        self.tools.path.push(Frame { list, words, is_listed: false, worked: None });
        Ok(())
    }

    fn look(&mut self, path: &[Place], bounds: Numbers) -> Result<Look<usize>, Leave> {
        let node = path[path.len() - 1];
        let frame = self.tools.path.len() - 1;
        let Frame { list, is_listed, .. } = self.tools.path[frame];
        if !is_listed {
            match self.list(node) {
                Ok(Seen::All) => self.tools.path[frame].is_listed = true,
                Ok(Seen::Win) => return self.settle(node, WIN),
                // The walk goes on where this node need not be decided.
                Err(Leave::TooManyMoves) => {
                    self.set(node, Numbers::DEAR)?;
                    return Ok(Look::Done);
                }
                Err(leave) => return Err(leave),
            }
        }
        let options = &mut self.tools.options.list;
        if let Some(worked) = self.tools.path[frame].worked.take() {
            let option = &mut options[worked];
            option.numbers = self.tables.numbers(option.place);
            match option.numbers {
                Numbers { disproof: 0, .. } => return self.settle(node, WIN),
                Numbers { proof: 0, .. } => drop(options.swap_remove(worked)),
                _ => {}
            }
        }
        let mut tally = Tally::new(self.run.noise().near(path.len() - 1));
        for (i, option) in options.iter().enumerate().skip(list) {
            tally.add(i, option.numbers, option.busy, || option.hash);
        }
        let choice = tally.choice();
        match choice.best {
            // Every option is won; without any the game is over, and who moved last has lost.
            None if self.is_over(node) => self.settle(node, WIN),
            None => self.settle(node, LOSS),
            Some((way, best)) => {
                Ok(Look::Open(tally.numbers(), way, tally.bounds(choice, best, bounds)))
            }
        }
    }

    fn set(&mut self, node: Place, numbers: Numbers) -> Result<(), Leave> {
        self.tables.set_numbers(node, numbers).map(drop)
    }

    fn descend(&mut self, path: &[Place], way: usize) -> Result<Option<Place>, Leave> {
        if let [root] = *path {
            self.run.shared().counters.reached(self.tables.numbers(root));
        }
        let is_as_it_was = self.refresh(way)?;
        if let Some(frame) = self.tools.path.last_mut() {
            frame.worked = Some(way);
        }
        if !is_as_it_was {
            return Ok(None);
        }
        self.check_path(path)?;
        Ok(Some(self.tools.options.list[way].place))
    }

    fn leave(&mut self, node: Place) {
        if self.run.is_shared() {
            self.tables.set_busy(node, false);
        }
        if let Some(Frame { list, words, .. }) = self.tools.path.pop() {
            self.tools.options.list.truncate(list);
            self.tools.options.words.truncate(words);
        }
    }

    fn is_decided(&self, node: Place) -> bool {
        self.tables.packed(node).is_decided()
    }

    fn is_hopeless(&self, numbers: Numbers) -> bool {
        self.tables.is_hopeless(numbers)
    }

    fn check(&self) -> Result<(), Leave> {
        self.run.check(self.tables)
    }
}

impl<G: Game> Nodes<'_, G> {
    /// Lists the options of the node that the walk has entered last.
    fn list(&mut self, node: Place) -> Result<Seen, Leave> {
        let Workshop { expander, options, node: words, .. } = &mut *self.tools;
        self.tables.node_words(node, words);
        expander.options(self.tables, self.trees, words, options)
    }

    /// Whether a node whose options were listed never had one: nothing is left but lands without moves.
    fn is_over(&mut self, node: Place) -> bool {
        let words = &mut self.tools.node;
        self.tables.node_words(node, words);
        !has_one(words) && words[1..].iter().all(|&part| part < TREE && self.tables.is_dead(part))
    }

    /// Records that a node is won or lost, and tells of a loss.
    fn settle(&mut self, node: Place, numbers: Numbers) -> Result<Look<usize>, Leave> {
        if self.tables.set_numbers(node, numbers)? {
            let (lost, words) = (numbers.disproof == 0, &mut self.tools.node);
            self.tables.node_words(node, words);
            self.tables.learn(words, self.trees, lost);
            if lost {
                self.run.proved();
                (self.news)(self.tables, words);
            }
        }
        Ok(Look::Done)
    }

    /// Gives an option a record, and the numbers that it has by now; `false` when they have changed.
    fn refresh(&mut self, at: usize) -> Result<bool, Leave> {
        let Workshop { options, chunk, .. } = &mut *self.tools;
        let before = options.list[at];
        let mut place = before.place;
        if place == 0 {
            let node = options.node(before.at as usize);
            let (made, new) = self.tables.node(node, before.hash, before.numbers, chunk)?;
            if new {
                self.run.expanded();
            }
            place = made;
        }
        let now = self.tables.packed(place);
        let option = &mut options.list[at];
        (option.place, option.numbers) = (place, now.numbers());
        option.busy = if self.run.is_shared() { now.busy() } else { 0 };
        Ok(option.numbers == before.numbers && option.busy == before.busy)
    }
}
