//! Sums of positions and trees as people write them, `0*8+1+{2}`: the nodes of misère play.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use sprig_calculator::Expression;
use sprig_domain::{Node, TreeKey};
use sprig_engine::{CanonicalLand, CanonicalPosition, Position};
use sprig_misere::{Limits, Observer, Search, base_of};
use sprig_trees::Tree;

use crate::failure::{Failure, Usage, quote};
use crate::solved::Solved;
use crate::tree_of::{too_many_sums, tree_of, worth};
use crate::trees::{Trees, flow};
use crate::watching::Watching;

/// Trees that the options of a written tree may lead to.
const MOST_TREES: usize = 1_000_000;

/// Longest tree that is written as nested sets.
const LONGEST: usize = 1_000;

/// Whether a text is a sum with trees: positions have no opening braces.
pub fn is_sum(text: &str) -> bool {
    text.contains('{')
}

/// A sum of positions and of trees. Beside trees a number is a Nim-heap.
pub struct WrittenSum {
    /// The text.
    pub typed: String,
    lands: Vec<CanonicalLand>,
    trees: Vec<Expression>,
}

impl WrittenSum {
    /// Reads a sum. A text without braces is a position.
    ///
    /// # Errors
    /// [`Usage`] with the place and the remedy, when a part is neither a position nor a tree.
    pub fn read(typed: &str) -> anyhow::Result<Self> {
        let (mut lands, mut trees) = (Vec::new(), Vec::new());
        for part in parts(typed) {
            // Blanks in the place of what stands before the part keep its columns right.
            let padded = " ".repeat(typed[..part.start].chars().count()) + &typed[part];
            let text = padded.trim_ascii();
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            if text.starts_with('{') || (is_number && is_sum(typed)) {
                let tree = padded.parse();
                trees.push(tree.map_err(|error| Usage(format!("tree {}: {error}", quote(typed))))?);
            } else {
                let position = sprig_ask::read(&padded);
                let position = position
                    .map_err(|error| Usage(format!("position {}: {error}", quote(typed))))?;
                lands.extend(CanonicalPosition::of(&position).lands().iter().cloned());
            }
        }
        Ok(Self { typed: typed.to_owned(), lands, trees })
    }

    /// Whether there are positions in it.
    pub fn has_positions(&self) -> bool {
        !self.lands.is_empty()
    }

    /// The node, with every land of the positions as a land.
    ///
    /// # Errors
    /// [`Failure::Position`] when a tree is a sum that leads to too many trees.
    pub fn node(&self, trees: &mut Trees) -> Result<Node, Failure> {
        let mut keys = Vec::new();
        for tree in &self.trees {
            let tree = worth(trees, tree, MOST_TREES)?;
            keys.push(trees.forest().key(tree));
        }
        Ok(Node::new(CanonicalPosition::from_lands(self.lands.clone()), false, keys))
    }

    /// The tree of the whole.
    ///
    /// # Errors
    /// [`Failure::Position`] when a position leads to more lands than `most`, or a sum to more trees.
    pub fn tree(&self, trees: &mut Trees, most: usize) -> Result<Tree, Failure> {
        let position = CanonicalPosition::from_lands(self.lands.clone());
        let mut parts = vec![tree_of(trees, &position, most)?];
        for tree in &self.trees {
            parts.push(worth(trees, tree, most)?);
        }
        let keys: Vec<TreeKey> = parts.into_iter().map(|tree| trees.forest().key(tree)).collect();
        let sum = trees.sum(&keys, most as f64);
        sum.map_err(|bound| Failure::Position(too_many_sums(bound, most)))
    }

    /// Who wins it in misère play, by a search in this process. Its lost nodes are not kept; the
    /// trees that it makes first go where `trees` keeps them.
    ///
    /// # Errors
    /// [`Failure::Position`] when a tree leads to too many trees or a land has too many moves;
    /// [`Failure::Interrupted`] after Ctrl-C.
    pub fn solve(
        &self,
        trees: &mut Trees,
        lost: Vec<Node>,
        limits: Limits,
    ) -> Result<Solved, Failure> {
        let begin = Instant::now();
        let lands = CanonicalPosition::from_lands(self.lands.clone());
        if !self.lands.is_empty() {
            let start = CanonicalPosition::of(&Position::start(base_of(&lands)));
            trees.build(&start, |_| flow(true))?;
        }
        let node = self.node(trees)?;
        let (lands, names) = named(trees, &node);
        let named = joined(&lands, node.one(), &names);
        let search = Arc::new(Search::new(trees.base(), limits));
        let watching = Watching::new("lost nodes");
        let (searching, asked, counting) = (search.clone(), node, Counting(watching.done()));
        let work = move || {
            searching.learn(lost)?;
            searching.settle(&asked, &counting)
        };
        let found = watching.over(&self.typed, work, || "nothing is kept of them".to_owned())?;
        let outcome = found.map_err(|error| Failure::Position(error.into()))?;
        let outcome = outcome.expect("nobody stops it, and the base has all trees of the node");
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Solved::of_sum(&self.typed, named, outcome, search.figures(), seconds))
    }
}

/// Counts the lost nodes of a search.
struct Counting(Arc<AtomicU64>);

impl Observer<Node> for Counting {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, _: Node) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// The summands of a node as people read them: lands, 1, and trees as nested sets or by their keys.
pub fn named(trees: &Trees, node: &Node) -> (Vec<String>, Vec<String>) {
    let forest = trees.forest();
    let name = |key: &TreeKey| {
        let nested = forest.find(*key).and_then(|tree| forest.nested(tree, LONGEST));
        nested.unwrap_or_else(|| key.to_string())
    };
    let lands = node.lands().lands().iter().map(ToString::to_string).collect();
    (lands, node.trees().iter().map(name).collect())
}

/// A sum of summands that are written.
pub fn joined(lands: &[String], one: bool, trees: &[String]) -> String {
    let one = one.then(|| "1".to_owned());
    let parts: Vec<String> =
        lands.iter().cloned().chain(one).chain(trees.iter().cloned()).collect();
    if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") }
}

/// Where the summands of a text stand in it: between the `+` that stand in no set. A position alone
/// is one.
fn parts(text: &str) -> Vec<Range<usize>> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0_usize);
    let is_sum = is_sum(text);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            // In AJS style it ends a region, outside of all sets.
            b'}' => depth = depth.saturating_sub(1),
            b'+' if depth == 0 && is_sum => {
                parts.push(begin..at);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(begin..text.len());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_parted_outside_of_sets() {
        let text = "0*8+1+{2+{1};3}+22";
        let found: Vec<&str> = parts(text).into_iter().map(|part| &text[part]).collect();
        assert_eq!(found, ["0*8", "1", "{2+{1};3}", "22"]);
        assert_eq!((parts("").len(), parts("0*2+22").len()), (1, 1));
    }

    #[test]
    fn mistakes_are_named_where_they_stand() {
        for (text, column) in [("0*8+1+{2", 9), ("{2}+0*x", 6), ("{2}+", 5), ("0*2 + {a}", 8)] {
            let error = WrittenSum::read(text).map(drop).expect_err("no sum").to_string();
            assert!(error.contains(&format!("column {column}")), "{text}: {error}");
        }
    }
}
