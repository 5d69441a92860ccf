//! What the tests share.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use sprig_engine::CanonicalPosition;
use sprig_trees::{Base, Forest, Tree};

/// A position in canonical form, from its text.
pub fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse().expect("the tests write proper positions"))
}

/// The RCT of a position, from its text.
pub fn rct(base: &mut Base, text: &str) -> Tree {
    base.build(&position(text), NonZeroUsize::MIN, |_| ControlFlow::Continue(()))
        .expect("small lands have few moves")
}

/// Reads nested sets with Nim-heaps as numbers. Panics unless every set in the text is reduced.
pub fn read(forest: &mut Forest, text: &str) -> Tree {
    let (tree, rest) = read_one(forest, text);
    assert!(rest.is_empty(), "`{text}` goes on after its tree");
    tree
}

fn read_one<'a>(forest: &mut Forest, text: &'a str) -> (Tree, &'a str) {
    let Some(mut rest) = text.strip_prefix('{') else {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        return (heap(forest, text[..end].parse().expect("a number")), &text[end..]);
    };
    let mut options = Vec::new();
    while !rest.starts_with('}') {
        let (option, after) = read_one(forest, rest.trim_start_matches(';'));
        options.push(option);
        rest = after;
    }
    let count = options.len();
    let tree = forest.reduce(&mut options);
    assert_eq!(forest.option_count(tree), count, "`{text}` begins with a set that is not reduced");
    (tree, &rest[1..])
}

/// The Nim-heap of this size.
pub fn heap(forest: &mut Forest, size: usize) -> Tree {
    let mut smaller: Vec<Tree> = Vec::new();
    while smaller.len() < size {
        let next = forest.reduce(&mut smaller.clone());
        smaller.push(next);
    }
    forest.reduce(&mut smaller)
}
