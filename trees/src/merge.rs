//! Trees from elsewhere: a database, another worker, another run.

use crate::error::TreeError;
use crate::forest::{Forest, Tree};
use sprig_domain::TreeKey;

impl Forest {
    /// The keys of the options of a tree, sorted: together with its key, the fact that
    /// [`Forest::learn`] takes in.
    #[must_use]
    pub fn option_keys(&self, tree: Tree) -> Vec<TreeKey> {
        let mut keys: Vec<TreeKey> = self.options(tree).map(|option| self.key(option)).collect();
        keys.sort_unstable();
        keys
    }

    /// Every tree without factor 1, options before the trees that have them.
    pub fn trees(&self) -> impl Iterator<Item = Tree> + '_ {
        (0..self.len() as u32).map(|base| Tree(base << 1))
    }

    /// Takes in a tree without factor 1 and its options, sorted, after checking everything: that
    /// the options are known, that they make this key, and that the tree is reduced.
    ///
    /// # Errors
    /// `TreeError::Unsorted`, `TreeError::UnknownChild`, `TreeError::WrongKey`,
    /// `TreeError::Reducible`.
    pub fn learn(&mut self, key: TreeKey, options: &[TreeKey]) -> Result<Tree, TreeError> {
        key.check(options)?;
        let known =
            |&child: &TreeKey| self.find(child).ok_or(TreeError::UnknownChild { key, child });
        let mut trees = options.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        let tree = self.reduce(&mut trees);
        let reduced = self.key(tree);
        if reduced != key {
            return Err(TreeError::Reducible { key, reduced });
        }
        Ok(tree)
    }
}
