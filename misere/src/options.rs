//! The options of a node.

use sprig_search::kernel::arena::Place;
use sprig_search::{Game, Moves, Numbers, TooMany};
use std::ops::ControlFlow;

use super::namer::Namer;
use super::node::{ONE, TREE, hash, part_of, push, split};
use super::packed::Packed;
use super::tables::{Leave, State, Tables};
use super::trees::{Trees, tree};
use sprig_trees::Tree;

/// An option that is not decided.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    /// Where its words begin in [`Options::words`].
    pub at: u32,
    pub hash: u32,
    /// Its record, or 0.
    pub place: Place,
    pub numbers: Numbers,
    /// Other threads that work on it.
    pub busy: u32,
}

/// The options of the nodes on the path of a walk, those of the deepest last.
#[derive(Default)]
pub(crate) struct Options {
    pub list: Vec<Candidate>,
    pub words: Vec<u32>,
}

/// The options of a node were enumerated as far as they matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// One of them is lost, so the node is won.
    Win,
    /// None of them is known to be lost.
    All,
}

impl Options {
    /// The node with the words from `at` on.
    pub fn node(&self, at: usize) -> &[u32] {
        &self.words[at..][..(self.words[at] & 0xffff) as usize]
    }

    /// Adds an option, unless it is won.
    #[inline]
    pub fn consider(
        &mut self,
        tables: &Tables,
        trees: &Trees,
        one: u32,
        rest: &[u32],
        more: &[u32],
    ) -> Seen {
        let at = self.words.len();
        push(&mut self.words, one, rest, more);
        let node = &self.words[at..];
        // Trees stand last.
        let no_lands = node.get(1).is_none_or(|&part| part >= TREE);
        if no_lands && let Some(lost) = trees.is_loss(node) {
            self.words.truncate(at);
            return if lost { Seen::Win } else { Seen::All };
        }
        let hash = hash(node);
        let (place, numbers) = match tables.find(node, hash) {
            Some(place) => (place, tables.numbers(place)),
            // The numbers are rounded as they will be in a record.
            None => (0, Packed::new(tables.start(node, trees)).numbers()),
        };
        if numbers.proof == 0 || numbers.disproof == 0 {
            self.words.truncate(at);
            return if numbers.disproof == 0 { Seen::Win } else { Seen::All };
        }
        self.list.push(Candidate { at: at as u32, hash, place, numbers, busy: 0 });
        Seen::All
    }

    /// Whether an option is known to be lost.
    #[inline]
    fn is_lost(
        &mut self,
        tables: &Tables,
        trees: &Trees,
        one: u32,
        rest: &[u32],
        more: &[u32],
    ) -> bool {
        let at = self.words.len();
        push(&mut self.words, one, rest, more);
        let node = &self.words[at..];
        let no_lands = node.get(1).is_none_or(|&part| part >= TREE);
        let decided = if no_lands { trees.is_loss(node) } else { None };
        let lost = decided.unwrap_or_else(|| tables.is_lost(node));
        self.words.truncate(at);
        lost
    }
}

/// Calls `visit` for the options in the trees of a node and in its factor 1, each in three pieces
/// as for [`push`], until one of them wins the node.
pub(crate) fn tree_options(
    trees: &Trees,
    node: &[u32],
    mut visit: impl FnMut(u32, &[u32], &[u32]) -> Seen,
) -> Seen {
    let one = node[0] & ONE;
    if one != 0 && visit(0, &node[1..], &[]) == Seen::Win {
        return Seen::Win;
    }
    let lands = split(node).0.len();
    let mut rest = Vec::new();
    for i in distinct(node, 1 + lands..node.len()) {
        without(node, i, &mut rest);
        for option in trees.forest.options(tree(node[i])) {
            let (part, flip) = part_of(option);
            let more = if option.without_factor() == Tree::ZERO { &[][..] } else { &[part] };
            if visit(one ^ flip, &rest, more) == Seen::Win {
                return Seen::Win;
            }
        }
    }
    Seen::All
}

/// As for [`tree_options`], for the options that children of a land make beside `rest`.
pub(crate) fn land_options(
    one: u32,
    rest: &[u32],
    children: &[u32],
    mut visit: impl FnMut(u32, &[u32], &[u32]) -> Seen,
) -> Seen {
    for child in nodes(children) {
        if visit(one ^ child[0] & ONE, rest, &child[1..]) == Seen::Win {
            return Seen::Win;
        }
    }
    Seen::All
}

/// A list with every node once.
fn each_once(list: &[u32]) -> Vec<u32> {
    let mut distinct: Vec<&[u32]> = nodes(list).collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.concat()
}

/// The nodes in a list.
pub(crate) fn nodes(list: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut left = list;
    std::iter::from_fn(move || {
        let words = (left.first()? & 0xffff) as usize;
        let (node, tail) = left.split_at(words);
        left = tail;
        Some(node)
    })
}

/// Those of some indices of parts of a node for which the part before is not equal: moves in equal
/// parts are equal.
pub(crate) fn distinct(
    node: &[u32],
    places: std::ops::Range<usize>,
) -> impl Iterator<Item = usize> + '_ {
    places.filter(|&i| i == 1 || node[i] != node[i - 1])
}

/// Puts the parts of a node, without the one at `i`, into `rest`.
pub(crate) fn without(node: &[u32], i: usize, rest: &mut Vec<u32>) {
    rest.clear();
    rest.extend_from_slice(&node[1..i]);
    rest.extend_from_slice(&node[i + 1..]);
}

/// A thread's tools to find the children of lands.
pub(crate) struct Expander<G: Game> {
    moves: G::Moves,
    pub namer: Namer<G>,
    key: Vec<u8>,
    list: Vec<u32>,
    rest: Vec<u32>,
    /// Indices in a node of the lands whose children were not known.
    unknown: Vec<usize>,
    /// Children generated, and lands for which that was done.
    pub children: u64,
    pub lands: u64,
}

/// Killers kept for each land.
const KILLERS: usize = 2;

impl<G: Game> Expander<G> {
    pub fn new(game: &G) -> Self {
        Self {
            moves: game.moves(),
            namer: Namer::new(game),
            key: Vec::new(),
            list: Vec::new(),
            rest: Vec::new(),
            unknown: Vec::new(),
            children: 0,
            lands: 0,
        }
    }

    /// Adds the options of a node to `options`, the cheap ones first. Generates children of lands
    /// where they are not known, as far as it must.
    pub fn options(
        &mut self,
        tables: &Tables,
        trees: &Trees,
        node: &[u32],
        options: &mut Options,
    ) -> Result<Seen, Leave> {
        let visit =
            |one, rest: &[u32], more: &[u32]| options.consider(tables, trees, one, rest, more);
        if tree_options(trees, node, visit) == Seen::Win {
            return Ok(Seen::Win);
        }
        let one = node[0] & ONE;
        let lands = split(node).0.len();
        self.unknown.clear();
        for i in distinct(node, 1..1 + lands) {
            without(node, i, &mut self.rest);
            match tables.state(node[i]) {
                State::Children(place) => {
                    if self.listed(tables, trees, one, place, options) == Seen::Win {
                        return Ok(Seen::Win);
                    }
                }
                State::Unknown => {
                    self.unknown.push(i);
                    tables.killers(node[i], &mut self.list);
                    for child in nodes(&self.list) {
                        if options.is_lost(
                            tables,
                            trees,
                            one ^ child[0] & ONE,
                            &self.rest,
                            &child[1..],
                        ) {
                            return Ok(Seen::Win);
                        }
                    }
                }
                State::Tree(_) => unreachable!("a land with a tree is no part of a node"),
            }
        }
        // Each of these lands must be looked at, even if another thread has listed its children by
        // now.
        for k in 0..self.unknown.len() {
            let i = self.unknown[k];
            let seen = if let State::Children(place) = tables.state(node[i]) {
                without(node, i, &mut self.rest);
                self.listed(tables, trees, one, place, options)
            } else {
                self.generate(tables, trees, node, i, options)?
            };
            if seen == Seen::Win {
                return Ok(Seen::Win);
            }
        }
        Ok(Seen::All)
    }

    /// Considers the options that a list of children makes beside `self.rest`.
    fn listed(
        &mut self,
        tables: &Tables,
        trees: &Trees,
        one: u32,
        list: Place,
        options: &mut Options,
    ) -> Seen {
        self.list.clear();
        tables.list(list, &mut self.list);
        let visit =
            |one, rest: &[u32], more: &[u32]| options.consider(tables, trees, one, rest, more);
        land_options(one, &self.rest, &self.list, visit)
    }

    /// Puts all children of a land into `list`, generated if need be.
    pub fn children(
        &mut self,
        tables: &Tables,
        land: Place,
        list: &mut Vec<u32>,
    ) -> Result<(), Leave> {
        list.clear();
        if let State::Children(place) = tables.state(land) {
            tables.list(place, list);
            return Ok(());
        }
        let Self { moves, namer, key, .. } = self;
        tables.land_key(land, key);
        let flow = moves.tidied(key, |lands| match namer.node(tables, lands, list) {
            Ok(()) => ControlFlow::Continue(()),
            Err(leave) => ControlFlow::Break(leave),
        });
        if let ControlFlow::Break(leave) = flow.map_err(|TooMany| tables.give_up(key))? {
            return Err(leave);
        }
        *list = each_once(list);
        tables.set_children(land, list, &mut namer.chunk)
    }

    /// Generates the children of the land at `i` in `node`, up to one that makes a lost option. If
    /// there is none, adds all options.
    fn generate(
        &mut self,
        tables: &Tables,
        trees: &Trees,
        node: &[u32],
        i: usize,
        options: &mut Options,
    ) -> Result<Seen, Leave> {
        let Self { moves, namer, key, list, rest, children, lands, .. } = self;
        *lands += 1;
        let one = node[0] & ONE;
        without(node, i, rest);
        tables.land_key(node[i], key);
        list.clear();
        let flow = moves.tidied(key, |lands| {
            *children += 1;
            let at = list.len();
            if let Err(leave) = namer.node(tables, lands, list) {
                return ControlFlow::Break(Err(leave));
            }
            let child = &list[at..];
            if options.is_lost(tables, trees, one ^ child[0] & ONE, rest, &child[1..]) {
                return ControlFlow::Break(Ok(at));
            }
            ControlFlow::Continue(())
        });
        match flow.map_err(|TooMany| tables.give_up(key))? {
            ControlFlow::Break(Err(leave)) => Err(leave),
            ControlFlow::Break(Ok(at)) => {
                let mut killers = list.split_off(at);
                tables.killers(node[i], list);
                for old in nodes(list).take(KILLERS - 1) {
                    killers.extend_from_slice(old);
                }
                tables.set_killers(node[i], &killers, &mut namer.chunk)?;
                Ok(Seen::Win)
            }
            ControlFlow::Continue(()) => {
                let distinct = each_once(list);
                tables.set_children(node[i], &distinct, &mut namer.chunk)?;
                let visit = |one, rest: &[u32], more: &[u32]| {
                    options.consider(tables, trees, one, rest, more)
                };
                Ok(land_options(one, rest, &distinct, visit))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sprig_engine::CanonicalPosition;
    use sprig_search::Sprouts;

    use super::*;
    use sprig_trees::Forest;

    /// While one thread generates the children of one land of a node, another one lists those of
    /// the other land.
    #[test]
    fn no_land_is_left_out_when_another_thread_lists_it_meanwhile() {
        let trees = Trees::new(Forest::default());
        let listed = |meanwhile: bool| {
            let tables = Tables::least(Forest::default());
            let [mut one, mut other] = [(); 2].map(|()| Expander::new(&Sprouts::default()));
            let mut place = |text: &str| {
                let position = CanonicalPosition::of(&text.parse().expect("a position"));
                one.namer.place(&tables, position.lands()[0].key()).expect("room")
            };
            let (large, small) = (place("0*4.A|0*4.AB|0*4.BC|0*4.C"), place("0*2"));
            assert!(large < small, "the large land comes first");
            let before = tables.lands.len();
            let listed = |expander: &mut Expander<Sprouts>, node: &[u32]| {
                let mut options = Options::default();
                let seen = expander.options(&tables, &trees, node, &mut options);
                assert_eq!(seen, Ok(Seen::All), "nothing is known");
                options.list.len()
            };
            std::thread::scope(|scope| {
                let both = scope.spawn(|| listed(&mut one, &[3, large, small]));
                while meanwhile && tables.lands.len() == before {
                    std::hint::spin_loop();
                }
                if meanwhile {
                    listed(&mut other, &[2, small]);
                }
                both.join().expect("no panic")
            })
        };
        let alone = listed(false);
        for _ in 0..20 {
            assert_eq!(listed(true), alone);
        }
    }
}
