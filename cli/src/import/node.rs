//! Nodes of misère play and their moves, on the trees of a base.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use sprig_engine::{CanonicalLand, Canonizer, Effort, Generator, shape};
use sprig_misere::{Base, Outcome, Tree};

/// Lands whose moves are remembered.
const REMEMBERED: usize = 1 << 16;
/// Sums that are remembered, of each kind; some 100 bytes each.
pub const SUMS: usize = 1 << 20;

/// A sum of lands without RCT, perhaps 1, and RCTs, in the one form that it has on a base.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sum {
    /// Canonical bytes, sorted.
    lands: Vec<Rc<[u8]>>,
    one: bool,
    /// Without factor 1, none of them empty, sorted.
    trees: Vec<Tree>,
}

impl Sum {
    fn add_tree(&mut self, tree: Tree) {
        self.one ^= tree.has_factor();
        let bare = tree.without_factor();
        if bare != Tree::ZERO {
            self.trees.push(bare);
        }
    }

    fn add(&mut self, other: &Self) {
        self.one ^= other.one;
        self.lands.extend_from_slice(&other.lands);
        self.trees.extend_from_slice(&other.trees);
    }

    fn sorted(mut self) -> Self {
        self.lands.sort_unstable();
        self.trees.sort_unstable();
        self
    }

    /// Whether all of it has an RCT.
    pub fn is_known(&self) -> bool {
        self.lands.is_empty()
    }
}

/// The moves of nodes.
pub struct Moves {
    base: Base,
    generator: Generator,
    greedy: Canonizer,
    exact: Canonizer,
    /// Where the moves of a land lead.
    remembered: HashMap<Rc<[u8]>, Rc<Vec<Sum>>>,
    /// Whether sums of two trees and more are lost.
    outcomes: HashMap<Sum, bool>,
}

impl Moves {
    pub fn new(base: Base) -> Self {
        Self {
            base,
            generator: Generator::default(),
            greedy: Canonizer::new(Effort::Greedy),
            exact: Canonizer::new(Effort::Exact),
            remembered: HashMap::new(),
            outcomes: HashMap::new(),
        }
    }

    pub fn base(&mut self) -> &mut Base {
        &mut self.base
    }

    /// The sum of lands, perhaps 1, and trees, lands replaced by their RCTs where the base has them.
    pub fn sum(
        &mut self,
        lands: &[CanonicalLand],
        one: bool,
        trees: impl IntoIterator<Item = Tree>,
    ) -> Sum {
        let Self { base, greedy, exact, .. } = self;
        let mut sum = weigh(base, greedy, exact, lands.iter().map(CanonicalLand::key));
        sum.one ^= one;
        trees.into_iter().for_each(|tree| sum.add_tree(tree));
        sum.sorted()
    }

    /// At least as many moves as the longest game from a sum has; every move makes it less.
    pub fn bound(&self, sum: &Sum) -> u32 {
        let lives = sum.lands.iter().map(|land| u32::from(shape(land).lives));
        let heights = sum.trees.iter().map(|&tree| u32::from(self.base.forest().height(tree)));
        lives.chain(heights).sum::<u32>() + u32::from(sum.one)
    }

    /// Where the moves of a sum lead; some may come twice. None if a land has more than can be listed.
    pub fn of(&mut self, sum: &Sum) -> Option<Vec<Sum>> {
        let mut children = Vec::new();
        for i in 0..sum.lands.len() {
            if i > 0 && sum.lands[i] == sum.lands[i - 1] {
                continue;
            }
            let mut rest = sum.clone();
            let land = rest.lands.remove(i);
            for part in self.of_land(&land)?.iter() {
                let mut child = rest.clone();
                child.add(part);
                children.push(child.sorted());
            }
        }
        self.outside_lands(sum, &mut children);
        Some(children)
    }

    /// The moves in the 1 and in the trees.
    fn outside_lands(&self, sum: &Sum, children: &mut Vec<Sum>) {
        if sum.one {
            children.push(Sum { one: false, ..sum.clone() });
        }
        for i in 0..sum.trees.len() {
            if i > 0 && sum.trees[i] == sum.trees[i - 1] {
                continue;
            }
            let mut rest = sum.clone();
            let tree = rest.trees.remove(i);
            for option in self.base.forest().options(tree) {
                let mut child = rest.clone();
                child.add_tree(option);
                children.push(child.sorted());
            }
        }
    }

    fn of_land(&mut self, land: &Rc<[u8]>) -> Option<Rc<Vec<Sum>>> {
        if let Some(moves) = self.remembered.get(land) {
            return Some(moves.clone());
        }
        let Self { base, generator, greedy, exact, .. } = self;
        let mut moves = Vec::new();
        let listed = generator.children(land, |lands| {
            moves.push(weigh(base, greedy, exact, lands.iter()).sorted());
            ControlFlow::<()>::Continue(())
        });
        let _ = listed.ok()?;
        let moves = Rc::new(moves);
        if self.remembered.len() == REMEMBERED {
            self.remembered.clear();
        }
        self.remembered.insert(land.clone(), moves.clone());
        Some(moves)
    }

    /// Whether a sum without lands is lost; none if that takes more than `budget` sums, which are taken off it.
    pub fn is_lost(&mut self, sum: &Sum, budget: &mut u64) -> Option<bool> {
        let forest = self.base.forest();
        let lone = match sum.trees[..] {
            [] => Some(Tree::ZERO),
            [tree] => Some(tree),
            _ => None,
        };
        if let Some(tree) = lone {
            let tree = if sum.one { tree.plus_one() } else { tree };
            return Some(forest.outcome(tree) == Outcome::Loss);
        }
        if let Some(&lost) = self.outcomes.get(sum) {
            return Some(lost);
        }
        *budget = budget.checked_sub(1)?;
        let mut children = Vec::new();
        self.outside_lands(sum, &mut children);
        // Small sums first: they are decided soonest, and one lost child is enough.
        children.sort_by_key(|child| {
            child.trees.iter().map(|&tree| u32::from(self.base.forest().height(tree))).sum::<u32>()
        });
        let mut lost = true;
        for child in &children {
            if self.is_lost(child, budget)? {
                lost = false;
                break;
            }
        }
        if self.outcomes.len() == SUMS {
            self.outcomes.clear();
        }
        self.outcomes.insert(sum.clone(), lost);
        Some(lost)
    }
}

fn weigh<'a>(
    base: &Base,
    greedy: &mut Canonizer,
    exact: &mut Canonizer,
    lands: impl Iterator<Item = &'a [u8]>,
) -> Sum {
    let mut sum = Sum::default();
    for land in lands {
        match base.rct(greedy.key(land)) {
            Some(tree) => sum.add_tree(tree),
            None => sum.lands.push(exact.key(land).into()),
        }
    }
    sum
}
