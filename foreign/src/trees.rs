//! RCTs of a file, rebuilt from their options: what its names stand for.

use std::collections::HashMap;

use sprig_domain::Outcome;
use sprig_domain::TreeKey;
use sprig_trees::{Forest, Tree};

use crate::Name;
use crate::name::Number;

/// Lines that say what options RCTs have, and the trees they make.
#[derive(Default)]
pub struct Trees {
    /// Lines about trees without factor 1.
    bare: HashMap<Bare, Line>,
    /// Lines about trees with factor 1, which say nothing new and must be right.
    factored: HashMap<Bare, Line>,
    found: HashMap<Bare, Tree>,
}

/// A name without factor 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Bare {
    Heap(u16),
    /// Height and number.
    Number(u16, u32),
    Key(TreeKey),
}

struct Line {
    number: u64,
    name: Name,
    options: Vec<Name>,
}

/// Why the trees of a file are not believed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: RCT {name} {problem}")]
pub struct TreeError {
    /// The line.
    pub line: u64,
    /// The tree that the line is about.
    pub name: Name,
    /// What is wrong.
    pub problem: TreeProblem,
}

/// What can be wrong with a tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeProblem {
    /// Two lines give a name different options.
    #[error("has other options in line {0}; take out the wrong line")]
    Twice(u64),
    /// The name stands for no tree.
    #[error("has no line that lists its options; add the file that has them")]
    Unknown,
    /// The tree is among the options of its options.
    #[error("is among its own options, or those below them")]
    Cycle,
    /// The options do not make a reduced tree without factor 1.
    #[error("is not reduced: its options are those of tree {0}")]
    Reducible(TreeKey),
    /// The name says another height.
    #[error("has height {0}")]
    Height(u16),
    /// The name says another outcome.
    #[error("is a {}, not a {}", if *.0 { "win" } else { "loss" }, if *.0 { "loss" } else { "win" })]
    Outcome(bool),
    /// The name says another tree.
    #[error("has the options of tree {0}")]
    Other(TreeKey),
}

fn bare(name: Name) -> (Bare, bool) {
    match name {
        Name::Heap(heap) => (Bare::Heap(heap & !1), heap & 1 == 1),
        Name::Numbered(Number { height, number, factor, .. }) => {
            (Bare::Number(height, number), factor)
        }
        Name::Key(key) if key.has_factor() => (Bare::Key(key.plus_one()), true),
        Name::Key(key) => (Bare::Key(key), false),
    }
}

impl Trees {
    /// Takes in a line.
    ///
    /// # Errors
    /// [`TreeProblem::Twice`].
    pub fn add(
        &mut self,
        number: u64,
        name: Name,
        mut options: Vec<Name>,
    ) -> Result<(), TreeError> {
        options.sort_unstable();
        let (bare, factor) = bare(name);
        let lines = if factor { &mut self.factored } else { &mut self.bare };
        let line =
            lines.entry(bare).or_insert_with(|| Line { number, name, options: options.clone() });
        if line.options == options && line.name == name {
            return Ok(());
        }
        Err(TreeError { line: number, name, problem: TreeProblem::Twice(line.number) })
    }

    /// How many trees there are, not counting heaps that have no line.
    pub fn len(&self) -> usize {
        self.bare.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bare.is_empty()
    }

    /// The trees that were made, without factor 1, in no particular order.
    pub fn made(&self) -> impl Iterator<Item = Tree> + '_ {
        self.found.values().copied()
    }

    /// Makes all trees in `forest`, and checks that they fit their names.
    ///
    /// # Errors
    /// [`TreeError`] names the first line that is wrong.
    pub fn build(&mut self, forest: &mut Forest) -> Result<(), TreeError> {
        let mut names: Vec<Bare> = self.bare.keys().copied().collect();
        names.sort_unstable_by_key(|name| self.bare[name].number);
        for name in names {
            self.make(forest, name)?;
        }
        for (name, line) in &self.factored {
            let wrong = |problem| TreeError { line: line.number, name: line.name, problem };
            let tree = self.find(forest, line.name).map_err(wrong)?;
            let options = self.options(forest, line)?;
            let actual = forest.reduce(&mut options.clone());
            if actual != tree || !self.found.contains_key(name) {
                return Err(wrong(TreeProblem::Other(forest.key(actual))));
            }
        }
        Ok(())
    }

    /// The tree that a name of the file stands for.
    ///
    /// # Errors
    /// [`TreeProblem::Unknown`], and [`TreeProblem::Outcome`] when the name is not that of the
    /// tree.
    pub fn find(&self, forest: &mut Forest, name: Name) -> Result<Tree, TreeProblem> {
        let (bare, factor) = bare(name);
        let known = match bare {
            Bare::Heap(size) => Some(heap(forest, size)),
            Bare::Key(key) => forest.find(key),
            Bare::Number(..) => self.found.get(&bare).copied(),
        };
        let tree = known.ok_or(TreeProblem::Unknown)?;
        let tree = if factor { tree.plus_one() } else { tree };
        let is_win = forest.outcome(tree) == Outcome::Win;
        match name {
            Name::Numbered(Number { win, .. }) if win != is_win => {
                Err(TreeProblem::Outcome(is_win))
            }
            _ => Ok(tree),
        }
    }

    /// Makes a tree and whatever it is made of.
    fn make(&mut self, forest: &mut Forest, name: Bare) -> Result<(), TreeError> {
        // Trees that are being made; the last one waits for no other, or pushes it.
        let mut path = vec![name];
        while let Some(&name) = path.last() {
            if self.found.contains_key(&name) {
                path.pop();
                continue;
            }
            let line = &self.bare[&name];
            let below = line.options.iter().map(|&option| bare(option).0);
            let missing =
                below.filter(|b| self.bare.contains_key(b) && !self.found.contains_key(b));
            if let Some(missing) = missing.min() {
                if path.contains(&missing) {
                    let problem = TreeProblem::Cycle;
                    return Err(TreeError { line: line.number, name: line.name, problem });
                }
                path.push(missing);
                continue;
            }
            let tree = self.checked(forest, line)?;
            self.found.insert(name, tree);
            path.pop();
        }
        Ok(())
    }

    fn options(&self, forest: &mut Forest, line: &Line) -> Result<Vec<Tree>, TreeError> {
        let find = |&name| {
            let wrong = |problem| TreeError { line: line.number, name, problem };
            self.find(forest, name).map_err(wrong)
        };
        line.options.iter().map(find).collect()
    }

    /// The tree of a line, if it is what the line says.
    fn checked(&self, forest: &mut Forest, line: &Line) -> Result<Tree, TreeError> {
        let wrong = |problem| TreeError { line: line.number, name: line.name, problem };
        let mut options = self.options(forest, line)?;
        options.sort_unstable();
        options.dedup();
        let tree = forest.reduce(&mut options.clone());
        let whole = options.iter().all(|&option| forest.has_option(tree, option));
        if tree.has_factor() || !whole || forest.option_count(tree) != options.len() {
            return Err(wrong(TreeProblem::Reducible(forest.key(tree))));
        }
        let (key, height) = (forest.key(tree), forest.height(tree));
        let win = forest.outcome(tree) == Outcome::Win;
        match line.name {
            Name::Heap(size) if tree != heap(forest, size) => Err(wrong(TreeProblem::Other(key))),
            Name::Key(name) if name != key => Err(wrong(TreeProblem::Other(key))),
            Name::Numbered(name) if name.height != height => {
                Err(wrong(TreeProblem::Height(height)))
            }
            Name::Numbered(name) if name.win != win => Err(wrong(TreeProblem::Outcome(win))),
            _ => Ok(tree),
        }
    }
}

/// The Nim-heap of this size.
fn heap(forest: &mut Forest, size: u16) -> Tree {
    let mut heaps = Vec::new();
    for _ in 0..size {
        let next = forest.reduce(&mut heaps.clone());
        heaps.push(next);
    }
    forest.reduce(&mut heaps)
}
