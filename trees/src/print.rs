//! Trees as people write them: nested sets, with Nim-heaps as numbers.

use rustc_hash::FxHashMap;

use crate::forest::{Forest, Tree};

impl Forest {
    /// The tree as nested sets, `{3;{1;2;{3;{2}}}}`: a Nim-heap is its size, a factor 1 is expanded, and options go by
    /// height, then length, then text. `None` when that takes more than `max_chars`.
    #[must_use]
    pub fn nested(&self, tree: Tree, max_chars: usize) -> Option<String> {
        let mut texts = FxHashMap::default();
        self.write(tree, max_chars, &mut texts)?;
        texts.remove(&tree)
    }

    /// Puts the text of the tree, and of every tree below it, into `texts`; `None` when one is too long.
    fn write(
        &self,
        tree: Tree,
        max_chars: usize,
        texts: &mut FxHashMap<Tree, String>,
    ) -> Option<()> {
        if texts.contains_key(&tree) {
            return Some(());
        }
        let text = match self.heap(tree) {
            Some(heap) => heap.to_string(),
            None => {
                let mut options: Vec<Tree> = self.options(tree).collect();
                let mut length = 1 + options.len();
                for &option in &options {
                    self.write(option, max_chars, texts)?;
                    length += texts[&option].len();
                    if length > max_chars {
                        return None;
                    }
                }
                options.sort_by_key(|option| {
                    let text = &texts[option];
                    (self.height(*option), text.len(), text)
                });
                let options: Vec<&str> = options.iter().map(|option| &*texts[option]).collect();
                format!("{{{}}}", options.join(";"))
            }
        };
        (text.len() <= max_chars).then(|| {
            texts.insert(tree, text);
        })
    }
}
