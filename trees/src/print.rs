//! Trees as people write them: nested sets, with Nim-heaps as numbers.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::forest::{Forest, Tree};

/// Trees that can be written as nested sets.
pub(crate) trait Nested {
    type Tree: Copy + Eq + Hash;

    /// The size of the Nim-heap that a tree is, if it is one.
    fn heap_of(&self, tree: Self::Tree) -> Option<u16>;
    fn height_of(&self, tree: Self::Tree) -> u16;
    fn options_of(&self, tree: Self::Tree) -> Vec<Self::Tree>;
}

/// The tree as nested sets, if that takes at most `max_chars`.
pub(crate) fn nested<T: Nested>(trees: &T, tree: T::Tree, max_chars: usize) -> Option<String> {
    let mut texts = FxHashMap::default();
    write(trees, tree, max_chars, &mut texts)?;
    texts.remove(&tree)
}

/// Puts the text of the tree, and of every tree below it, into `texts`; `None` when one is too
/// long.
fn write<T: Nested>(
    trees: &T,
    tree: T::Tree,
    max_chars: usize,
    texts: &mut FxHashMap<T::Tree, String>,
) -> Option<()> {
    if texts.contains_key(&tree) {
        return Some(());
    }
    let text = match trees.heap_of(tree) {
        Some(heap) => heap.to_string(),
        None => {
            let mut options = trees.options_of(tree);
            let mut length = 1 + options.len();
            for &option in &options {
                write(trees, option, max_chars, texts)?;
                length += texts[&option].len();
                if length > max_chars {
                    return None;
                }
            }
            options.sort_by_key(|option| {
                let text = &texts[option];
                (trees.height_of(*option), text.len(), text)
            });
            let options: Vec<&str> = options.iter().map(|option| &*texts[option]).collect();
            format!("{{{}}}", options.join(";"))
        }
    };
    (text.len() <= max_chars).then(|| {
        texts.insert(tree, text);
    })
}

impl Nested for Forest {
    type Tree = Tree;

    fn heap_of(&self, tree: Tree) -> Option<u16> {
        self.heap(tree)
    }

    fn height_of(&self, tree: Tree) -> u16 {
        self.height(tree)
    }

    fn options_of(&self, tree: Tree) -> Vec<Tree> {
        self.options(tree).collect()
    }
}

impl Forest {
    /// The tree as nested sets, `{3;{1;2;{3;{2}}}}`: a Nim-heap is its size, a factor 1 is
    /// expanded, and options go by height, then length, then text. `None` when that takes more than
    /// `max_chars`.
    #[must_use]
    pub fn nested(&self, tree: Tree, max_chars: usize) -> Option<String> {
        nested(self, tree, max_chars)
    }
}
