//! Reduced canonical trees with all that is below them, as people write and draw them.

use std::collections::{BTreeMap, BTreeSet};

use sprig_domain::TreeKey;
use sprig_sketch::{Card, Diagram, Look};
use sprig_trees::{Forest, Tree};

use crate::answer::OfLand;
use crate::explorer::Explorer;
use crate::problem::{Kind, Problem};
use crate::source::Source;
use crate::target::of_hex;

/// Most trees below one that is written as sets or drawn, itself included.
const MOST: usize = 2_000;
/// The same where a coordinator is asked for each.
const ASKED: usize = 250;
/// Longest text of nested sets, in bytes.
const LONGEST: usize = 4_000;
/// Longest text that stands in the place of a key.
const IN_LINE: usize = 80;
/// Longest text of a tree that stands on its card.
const ON_CARD: usize = 28;
/// Most cards of a picture.
const CARDS: usize = 60;

/// A tree, and the trees below it.
pub(crate) struct Grown {
    pub(crate) forest: Forest,
    pub(crate) tree: Tree,
}

impl Explorer {
    /// The tree with all that is below it; `None` where that is too much to be shown, or not all of
    /// it is known here.
    pub(crate) async fn grown(&self, key: TreeKey) -> Result<Option<Grown>, Problem> {
        let most = match self.source {
            Source::Database(_) => MOST,
            Source::Cluster(..) => ASKED,
        };
        self.grown_to(key, most).await
    }

    async fn grown_to(&self, key: TreeKey, most: usize) -> Result<Option<Grown>, Problem> {
        let mut known = BTreeMap::new();
        let mut open = vec![key.without_factor()];
        while let Some(plain) = open.pop() {
            if known.contains_key(&plain) {
                continue;
            }
            let options = match plain == TreeKey::ZERO {
                true => Some(Vec::new()),
                false => self.options(plain).await?,
            };
            let Some(options) = options.filter(|_| known.len() < most) else { return Ok(None) };
            open.extend(options.iter().map(|option| option.without_factor()));
            known.insert(plain, options);
        }
        let mut forest = Forest::default();
        let tree = grow(&mut forest, key, &known);
        // A database cannot hold other trees under these keys, as keys are made of the options.
        Ok((forest.key(tree) == key).then_some(Grown { forest, tree }))
    }

    /// The picture of the tree and all that is below it, as SVG.
    pub(crate) async fn picture_of_tree(
        &self,
        key: TreeKey,
        look: &Look,
    ) -> Result<String, Problem> {
        self.tree(key).await?;
        let grown = self.grown(key).await?.ok_or_else(|| {
            let detail =
                "too many trees are below it for a picture, or not all of them are known here";
            Problem::new(Kind::NotFound, detail, "look at one of its options")
        })?;
        Ok(grown.diagram()?.svg(look))
    }

    /// The tree of a land as nested sets, if it has one here that is short.
    pub(crate) async fn written(&self, land: &OfLand) -> Result<Option<String>, Problem> {
        let Some(key) = land.tree.as_deref().and_then(tree_key) else { return Ok(None) };
        let grown = self.grown_to(key, IN_LINE / 2).await?;
        Ok(grown.and_then(|grown| grown.forest.nested(grown.tree, IN_LINE)))
    }
}

/// The key of a tree, from its hexadecimal digits.
pub(crate) fn tree_key(text: &str) -> Option<TreeKey> {
    let bytes = of_hex(text).and_then(|bytes| bytes.try_into().ok());
    bytes.map(TreeKey::from_bytes)
}

/// The tree of a key, from the options of all that is below it. Each option is lower, so this ends.
fn grow(forest: &mut Forest, key: TreeKey, known: &BTreeMap<TreeKey, Vec<TreeKey>>) -> Tree {
    if let Some(there) = forest.find(key) {
        return there;
    }
    let plain = key.without_factor();
    let mut options: Vec<Tree> =
        known[&plain].iter().map(|&option| grow(forest, option, known)).collect();
    let tree = forest.reduce(&mut options);
    if key.has_factor() { tree.plus_one() } else { tree }
}

impl Grown {
    /// The tree as nested sets, if they are short enough.
    pub(crate) fn text(&self) -> Option<String> {
        self.forest.nested(self.tree, LONGEST)
    }

    /// A tree in a few words.
    pub(crate) fn short(&self, tree: Tree) -> String {
        let nested = self.forest.nested(tree, ON_CARD);
        nested.unwrap_or_else(|| format!("height {}", self.forest.height(tree)))
    }

    /// The tree and all below it as cards, each before its options.
    ///
    /// # Errors
    /// When there are too many.
    pub(crate) fn diagram(&self) -> Result<Diagram, Problem> {
        let mut all = BTreeSet::new();
        let mut open = vec![self.tree];
        while let Some(tree) = open.pop() {
            if all.insert(tree.word()) {
                open.extend(self.forest.options(tree));
            }
        }
        if all.len() > CARDS {
            let detail = format!("{} trees are below it, too many for a picture", all.len());
            return Err(Problem::new(Kind::NotFound, detail, "look at one of its options"));
        }
        let mut trees: Vec<Tree> = all.into_iter().map(Tree::of_word).collect();
        trees.sort_by_cached_key(|&tree| {
            (u16::MAX - self.forest.height(tree), self.short(tree), tree.word())
        });
        let place = |tree: &Tree| trees.iter().position(|other| other == tree);
        let cards = trees.iter().map(|&tree| Card {
            picture: None,
            caption: self.short(tree),
            options: self.forest.options(tree).filter_map(|option| place(&option)).collect(),
        });
        let title = format!("Reduced canonical tree {}", self.short(self.tree));
        Ok(Diagram { title, cards: cards.collect() })
    }
}
