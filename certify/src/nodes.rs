//! Sums of lands and trees, and the moves in their lands.

use std::ops::ControlFlow;

use sprig_domain::{Game, Node, Numbered};
use sprig_engine::{
    CanonicalLand, CanonicalPosition, Canonizer, Effort, Generator, TooManyMoves, shape,
};
use sprig_trees::{Base, Tree};

/// A part of a sum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A land that is not in the base, by its number.
    Land(u32),
    /// A tree without factor 1 that is not empty.
    Tree(Tree),
}

impl Part {
    pub(crate) fn land(self) -> Option<u32> {
        match self {
            Self::Land(land) => Some(land),
            Self::Tree(_) => None,
        }
    }

    pub(crate) fn tree(self) -> Option<Tree> {
        match self {
            Self::Land(_) => None,
            Self::Tree(tree) => Some(tree),
        }
    }
}

/// A node, or what an option leaves of a land.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sum {
    /// Whether there is a 1.
    pub(crate) one: bool,
    /// Sorted.
    pub(crate) parts: Box<[Part]>,
}

impl Sum {
    /// The sum of lands and trees.
    pub(crate) fn of(
        lands: impl IntoIterator<Item = u32>,
        trees: impl IntoIterator<Item = Tree>,
    ) -> Self {
        let mut one = false;
        let mut parts: Vec<Part> = lands.into_iter().map(Part::Land).collect();
        for tree in trees {
            one ^= tree.has_factor();
            parts.push(Part::Tree(tree.without_factor()));
        }
        parts.retain(|&part| part != Part::Tree(Tree::ZERO));
        parts.sort_unstable();
        Self { one, parts: parts.into() }
    }

    /// The indices of its lands; of equal ones the first.
    pub(crate) fn lands(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let first = |&i: &usize| i == 0 || self.parts[i - 1] != self.parts[i];
        (0..self.parts.len()).filter(first).filter_map(|i| match self.parts[i] {
            Part::Land(land) => Some((i, land)),
            Part::Tree(_) => None,
        })
    }

    /// The sum with what is left of the part at `i` in its place.
    pub(crate) fn with(&self, i: usize, left: &Self) -> Self {
        let mut parts = [&self.parts[..i], &self.parts[i + 1..], &left.parts[..]].concat();
        parts.sort_unstable();
        Self { one: self.one ^ left.one, parts: parts.into() }
    }
}

/// Numbers for lands that are not in the base, and their moves.
pub(crate) struct Mover {
    keys: Numbered<u8>,
    generator: Generator,
    exact: Canonizer,
    greedy: Canonizer,
}

impl Mover {
    /// Moves in lands of a game.
    pub fn of(game: Game) -> Self {
        Self {
            keys: Numbered::default(),
            generator: game.generator(),
            exact: Canonizer::new(Effort::Exact),
            greedy: Canonizer::new(Effort::Greedy),
        }
    }

    /// The canonical bytes of a land.
    pub fn key(&self, land: u32) -> &[u8] {
        self.keys.get(land)
    }

    /// Lives of a land.
    pub fn lives(&self, land: u32) -> u16 {
        shape(self.key(land)).lives
    }

    /// A node as a sum; `None` if the base does not have its trees.
    pub fn sum(&mut self, base: &Base, node: &Node) -> Option<Sum> {
        let mut trees: Vec<Tree> =
            node.trees().iter().map(|&key| base.forest().find(key)).collect::<Option<_>>()?;
        if node.one() {
            trees.push(Tree::ONE);
        }
        let mut lands = Vec::new();
        for land in node.lands().lands() {
            match base.rct(self.greedy.key(land.key())) {
                Some(tree) => trees.push(tree),
                None => lands.push(self.keys.number(land.key()).0),
            }
        }
        Some(Sum::of(lands, trees))
    }

    /// A sum as a node.
    pub fn told(&self, base: &Base, sum: &Sum) -> Node {
        let lands = sum.parts.iter().filter_map(|part| part.land());
        let lands = lands.map(|land| CanonicalLand::from_reduced(self.key(land)));
        let lands = CanonicalPosition::from_lands(lands.collect::<Vec<_>>());
        let trees = sum.parts.iter().filter_map(|part| part.tree());
        Node::new(lands, sum.one, trees.map(|tree| base.forest().key(tree)))
    }

    /// What each option of a land leaves of it.
    ///
    /// # Errors
    /// When there are too many.
    pub fn options(&mut self, base: &Base, land: u32) -> Result<Vec<Sum>, TooManyMoves> {
        let mut found = Vec::new();
        self.each_option(base, land, |_, keys, trees| found.push((keys, trees)))?;
        let mut options = Vec::with_capacity(found.len());
        for (keys, trees) in found {
            let lands: Vec<u32> = keys.iter().map(|key| self.keys.number(key).0).collect();
            options.push(Sum::of(lands, trees));
        }
        options.sort_unstable();
        options.dedup();
        Ok(options)
    }

    /// What each option of a land leaves of it, for options all of whose lands are in the base or
    /// `familiar`.
    ///
    /// # Errors
    /// When there are too many.
    pub fn options_of(
        &mut self,
        base: &Base,
        land: u32,
        familiar: impl Fn(u32) -> bool,
    ) -> Result<Vec<Sum>, TooManyMoves> {
        let mut options = Vec::new();
        self.each_option(base, land, |known, keys, trees| {
            let number = |key: &[u8]| known.number_of(key).filter(|&land| familiar(land));
            let lands = keys.iter().map(|key| number(key));
            if let Some(lands) = lands.collect::<Option<Vec<_>>>() {
                options.push(Sum::of(lands, trees));
            }
        })?;
        options.sort_unstable();
        options.dedup();
        Ok(options)
    }

    /// Calls `visit` with the keys of the lands and with the trees of each option, some of which
    /// may come several times.
    fn each_option(
        &mut self,
        base: &Base,
        land: u32,
        mut visit: impl FnMut(&Numbered<u8>, Vec<Box<[u8]>>, Vec<Tree>),
    ) -> Result<(), TooManyMoves> {
        let Self { keys, generator, exact, greedy } = self;
        let _ = generator.children(keys.get(land), |option| {
            let (mut lands, mut trees) = (Vec::new(), Vec::new());
            for land in option.iter() {
                match base.rct(greedy.key(land)) {
                    Some(tree) => trees.push(tree),
                    None => lands.push(exact.key(land).into()),
                }
            }
            visit(keys, lands, trees);
            ControlFlow::<()>::Continue(())
        })?;
        Ok(())
    }
}
