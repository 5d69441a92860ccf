//! From a database to the trees in memory, and back.

use sprig_misere::{Base, Forest, News, Tree, TreeKey};

use crate::bytes::Malformed;
use crate::{Contribution, Fact, Kind, Provenance, Reader, Status, StoreError, StoredFact, Value};

impl Reader {
    /// All trees and all lands whose trees are verified, as a base that goes on from there. They are no news to it.
    ///
    /// The trees are checked as if they came from a stranger, which costs little. A claimed one that does not fit is left out.
    ///
    /// # Errors
    /// When the disk fails, or what it holds does not fit together.
    pub fn base(&self) -> Result<Base, StoreError> {
        let mut trees = Vec::new();
        for stored in self.facts(Kind::Tree) {
            let StoredFact { sequence, fact: Fact { subject, value, status } } = stored?;
            if let Value::Options(options) = value {
                trees.push((sequence, subject, options, status));
            }
        }
        // An empty database has yet to be told of the empty tree, which every base has.
        let is_new = trees.is_empty();
        // Options were committed before the trees that have them.
        trees.sort_unstable_by_key(|(sequence, ..)| *sequence);
        let mut base = Base::default();
        for (_, subject, options, status) in trees {
            let key = self.sound(Kind::Tree.family(), &subject, key_of(&subject))?;
            let learned = base.forest_mut().learn(key, &options);
            if let (Err(error), Status::Verified) = (learned, status) {
                return Err(self.unfit(&error.to_string()));
            }
        }
        for stored in self.facts(Kind::Rct) {
            let fact = stored?.fact;
            if let (Value::Rct(key), Status::Verified) = (fact.value, fact.status) {
                let tree = base.forest().find(key).ok_or_else(|| self.unknown_tree(key))?;
                base.learn(&fact.subject, tree).map_err(|e| self.unfit(&e.to_string()))?;
            }
        }
        if !is_new {
            base.mark_told();
        }
        Ok(base)
    }

    /// The RCT of a land, if known, brought into `forest` with all that is below it.
    ///
    /// # Errors
    /// When the disk fails, or what it holds does not fit together.
    pub fn rct_in(&self, forest: &mut Forest, land: &[u8]) -> Result<Option<Tree>, StoreError> {
        self.rct(land)?.map(|key| self.tree_in(forest, key)).transpose()
    }

    /// The tree with this key, brought into `forest`. No tree is as high as a stack is deep: each level is a move.
    fn tree_in(&self, forest: &mut Forest, key: TreeKey) -> Result<Tree, StoreError> {
        if let Some(tree) = forest.find(key) {
            return Ok(tree);
        }
        let bare = key.without_factor();
        let options = self.options(bare)?.ok_or_else(|| self.unknown_tree(key))?;
        for &option in &options {
            self.tree_in(forest, option)?;
        }
        let tree = forest.learn(bare, &options).map_err(|e| self.unfit(&e.to_string()))?;
        Ok(if key.has_factor() { tree.plus_one() } else { tree })
    }

    fn unknown_tree(&self, key: TreeKey) -> StoreError {
        self.unfit(&format!("tree {key} is named but not stored"))
    }

    pub(crate) fn unfit(&self, detail: &str) -> StoreError {
        StoreError::Damaged { dir: self.dir().into(), detail: detail.into() }
    }
}

impl Contribution {
    /// What a build of this process has found, to be committed: its lands and trees are verified.
    #[must_use]
    pub fn of_news(provenance: Provenance, news: &News<'_>) -> Self {
        let forest = news.forest();
        let trees = news.trees().map(|tree| Fact::tree(forest.key(tree), forest.option_keys(tree)));
        let lands = news.lands().map(|(land, tree)| Fact::rct(&land, forest.key(tree)));
        let facts = trees.chain(lands).map(Fact::verified).collect();
        Self { provenance, facts, exclusions: Vec::new() }
    }
}

fn key_of(subject: &[u8]) -> Result<TreeKey, Malformed> {
    subject.try_into().map(TreeKey::from_bytes).map_err(|_| Malformed)
}
