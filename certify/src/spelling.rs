//! Nodes written with lands only: every tree by a land, or a sum of lands, that has it.

use rustc_hash::FxHashMap;
use sprig_domain::Node;
use sprig_engine::{Budget, CanonicalLand, CanonicalPosition, Canonizer, Effort};
use sprig_trees::{Base, Forest, Sums, Tree};

use crate::CertifyError;
use crate::nodes::Sum;

/// Trees that may be met when the trees of a sum in a file are added.
const LARGEST_SUM: f64 = 1e6;

/// A node in lands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Lands that stand for themselves, or for their trees.
    pub lands: CanonicalPosition,
    /// Sums, each of which stands for its one tree.
    pub sums: Vec<CanonicalPosition>,
}

impl Written {
    /// The node on a base; `None` if a sum has lands that are not in the base. Notes in `sums` what
    /// the sums stand for. Their trees are added to the base.
    pub(crate) fn read(
        &self,
        base: &mut Base,
        sums: &mut Vec<(Tree, CanonicalPosition)>,
    ) -> Option<Node> {
        let mut keys = Vec::new();
        for sum in &self.sums {
            let tree = tree_of(base, sum)?;
            keys.push(base.forest().key(tree));
            sums.push((tree, sum.clone()));
        }
        Some(Node::new(self.lands.clone(), false, keys))
    }

    /// The node as databases have it: the trees of a base stand for its lands. `None` if a sum has lands that are not in
    /// the base, or trees that are too large to be added. The trees of sums are added to the base.
    pub fn node(&self, base: &mut Base) -> Option<Node> {
        let mut keys = Vec::new();
        for sum in &self.sums {
            let tree = tree_of(base, sum)?;
            keys.push(base.forest().key(tree));
        }
        let (mut lands, mut greedy) = (Vec::new(), Canonizer::new(Effort::Greedy));
        for land in self.lands.lands() {
            match base.rct(greedy.key(land.key())) {
                Some(tree) => keys.push(base.forest().key(tree)),
                None => lands.push(land.clone()),
            }
        }
        Some(Node::new(CanonicalPosition::from_lands(lands), false, keys))
    }
}

/// The one tree of a sum, which the base learns. `None` if some of its lands are not in the base, or their trees are too
/// large to be added.
fn tree_of(base: &mut Base, sum: &CanonicalPosition) -> Option<Tree> {
    let trees = trees_of(base, sum)?;
    let may = Sums::bound(base.forest(), &trees) <= LARGEST_SUM;
    may.then(|| added(base.forest_mut(), &mut Sums::default(), trees))
}

fn trees_of(base: &Base, position: &CanonicalPosition) -> Option<Vec<Tree>> {
    let mut greedy = Canonizer::new(Effort::Greedy);
    position.lands().iter().map(|land| base.rct(greedy.key(land.key()))).collect()
}

fn added(forest: &mut Forest, sums: &mut Sums, trees: Vec<Tree>) -> Tree {
    trees.into_iter().fold(Tree::ZERO, |sum, tree| sums.add(forest, sum, tree))
}

/// Finds lands for trees.
pub(crate) struct Speller<'a> {
    base: &'a Base,
    /// The trees of the base, and such as are met when they are added.
    forest: Forest,
    sums: Sums,
    /// For trees without factor 1: a position of few lives with this tree, or this tree plus 1.
    found: FxHashMap<Tree, Spelling>,
}

#[derive(Clone)]
struct Spelling {
    position: CanonicalPosition,
    lives: u32,
    has_factor: bool,
}

impl Spelling {
    fn new(position: CanonicalPosition, tree: Tree) -> Self {
        let lives = position.lands().iter().map(|land| land.lives()).sum();
        Self { position, lives, has_factor: tree.has_factor() }
    }
}

impl<'a> Speller<'a> {
    /// A speller with the lands of a base, and further positions whose trees are known.
    pub fn new(base: &'a Base, further: &[(Tree, CanonicalPosition)]) -> Self {
        // Of the lands with a tree the one with the fewest lives, and the least of these.
        let mut least: FxHashMap<Tree, (u32, CanonicalLand, Tree)> = FxHashMap::default();
        for (land, tree) in base.facts() {
            // A tree without options needs no land. With a factor, it is the 1.
            if tree != Tree::ZERO {
                let lives = land.lives();
                let entry = least.entry(tree.without_factor());
                let best = entry.or_insert_with(|| (lives, land.clone(), tree));
                if (lives, &land) < (best.0, &best.1) {
                    *best = (lives, land, tree);
                }
            }
        }
        let mut found: FxHashMap<Tree, Spelling> = least
            .into_iter()
            .map(|(bare, (_, land, tree))| {
                (bare, Spelling::new(CanonicalPosition::from_lands([land]), tree))
            })
            .collect();
        for (tree, position) in further {
            let spelling = || Spelling::new(position.clone(), *tree);
            found.entry(tree.without_factor()).or_insert_with(spelling);
        }
        Self { base, forest: base.forest().clone(), sums: Sums::default(), found }
    }

    /// Writes a node, whose lands are `lands`, in lands only.
    ///
    /// # Errors
    /// [`CertifyError::NoLand`] when no position of the base has one of the trees; an error when
    /// there are too many moves.
    pub fn write(
        &mut self,
        mut lands: Vec<CanonicalLand>,
        node: &Sum,
    ) -> Result<Written, CertifyError> {
        let (mut one, mut sums) = (node.one, Vec::new());
        let mut take = |spelling: Spelling| match spelling.position.lands() {
            [land] => lands.push(land.clone()),
            _ => sums.push(spelling.position),
        };
        for tree in node.parts.iter().filter_map(|part| part.tree()) {
            let spelling = self.spell(tree)?;
            one ^= spelling.has_factor;
            take(spelling);
        }
        if one {
            take(self.spell(Tree::ZERO)?);
        }
        Ok(Written { lands: CanonicalPosition::from_lands(lands), sums })
    }

    /// A position that has this tree, which is without factor 1, or the tree plus 1. For the empty
    /// tree, it is one that has 1.
    fn spell(&mut self, tree: Tree) -> Result<Spelling, CertifyError> {
        if let Some(found) = self.found.get(&tree) {
            return Ok(found.clone());
        }
        // The tree comes up as an option of another tree: find the move in the land, or the sum,
        // that has the other one.
        let is_above = |&other: &Tree| {
            self.forest.has_option(other, tree) || self.forest.has_option(other, tree.plus_one())
        };
        let above: Vec<Tree> = self.forest.trees().filter(is_above).collect();
        let known = above.iter().filter_map(|tree| Some((self.found.get(tree)?.lives, *tree)));
        let from = match known.min() {
            Some((_, from)) => Some(self.spell(from)?),
            // Each of them is higher than the tree, so that this ends.
            None => above.into_iter().find_map(|other| self.spell(other).ok()),
        };
        let mut generator = self.base.game().generator();
        let mut children =
            |from: &Spelling| from.position.children_by(&mut generator, &mut Budget::default());
        for child in from.iter().map(&mut children) {
            for child in child? {
                let Some(trees) = trees_of(self.base, &child) else { continue };
                let of_child = added(&mut self.forest, &mut self.sums, trees);
                if of_child.without_factor() == tree && of_child != Tree::ZERO {
                    let spelling = Spelling::new(child, of_child);
                    self.found.insert(tree, spelling.clone());
                    return Ok(spelling);
                }
            }
        }
        Err(CertifyError::NoLand(self.forest.key(tree)))
    }
}
