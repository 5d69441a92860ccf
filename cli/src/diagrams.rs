//! Game trees and reduced canonical trees as diagrams: what is reached in several ways stands there once.

use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use anyhow::{Context, bail};
use sprig_engine::CanonicalPosition;
use sprig_sketch::{Card, Diagram, Picture};
use sprig_trees::{Base, News, TreeError};

/// Lands of a game tree that are walked for a picture of its reduced tree: a second or less.
const LANDS: usize = 30_000;
/// Things, each with the places of its options.
type Linked<T> = Vec<(T, Vec<usize>)>;

/// Longest text of a tree on its card.
const LONGEST: usize = 28;

/// The canonical positions that a game can lead to.
///
/// # Errors
/// When there are more than `most`, or one cannot be drawn.
pub fn game_tree(position: &CanonicalPosition, most: usize) -> anyhow::Result<Diagram> {
    let children = |position: &CanonicalPosition| {
        position.children().with_context(|| format!("cannot list the children of `{position}`"))
    };
    // A move takes a life, so each position stands before its children.
    let lives = |position: &CanonicalPosition| {
        position.lands().iter().map(|land| u64::from(land.lives())).sum::<u64>()
    };
    let order = |one: &CanonicalPosition| (u64::MAX - lives(one), one.to_string());
    let Some(found) = below(position.clone(), children, order, most)? else {
        bail!("the game tree of `{position}` has more than {most} positions; --most allows more");
    };
    let cards = found.into_iter().map(|(position, options)| {
        let caption = position.to_string();
        let picture = Picture::of(&position).with_context(|| format!("cannot draw `{caption}`"))?;
        Ok(Card { picture: Some(picture), caption, options })
    });
    let cards = cards.collect::<anyhow::Result<_>>()?;
    Ok(Diagram { title: format!("Game tree of the Sprouts position {position}"), cards })
}

/// The reduced canonical tree of a position, with all below it.
///
/// # Errors
/// When its game tree is large, or more than `most` trees stand below it.
pub fn reduced_tree(position: &CanonicalPosition, most: usize) -> anyhow::Result<Diagram> {
    let mut base = Base::default();
    let watch = |news: &News<'_>| match news.progress().met <= LANDS {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let built = base.build(position, NonZeroUsize::MIN, watch);
    if matches!(built, Err(TreeError::Stopped { .. })) {
        bail!(
            "the game tree of `{position}` has more than {LANDS} lands, too many for a picture; \
               `sprig rct` prints its reduced tree"
        );
    }
    let root = built.with_context(|| format!("cannot find the reduced tree of `{position}`"))?;
    let forest = base.forest();
    let text = |tree| {
        let nested = forest.nested(tree, LONGEST);
        nested.unwrap_or_else(|| format!("height {}", forest.height(tree)))
    };
    let order = |&tree: &_| (u16::MAX - forest.height(tree), text(tree), forest.key(tree));
    let options = |&tree: &_| Ok(forest.options(tree).collect());
    let Some(found) = below(root, options, order, most)? else {
        bail!("more than {most} trees stand below that of `{position}`; --most allows more");
    };
    let card = |(tree, options)| Card { picture: None, caption: text(tree), options };
    let cards = found.into_iter().map(card).collect();
    Ok(Diagram {
        title: format!("Reduced canonical tree of the Sprouts position {position}"),
        cards,
    })
}

/// Everything that can be reached, sorted, each with the places of its options; `None` if that is more than
/// `most`.
fn below<T: Clone + Eq + Hash, K: Ord>(
    root: T,
    options: impl Fn(&T) -> anyhow::Result<Vec<T>>,
    order: impl Fn(&T) -> K,
    most: usize,
) -> anyhow::Result<Option<Linked<T>>> {
    let mut found: HashMap<T, Vec<T>> = HashMap::new();
    let mut open = vec![root];
    while let Some(thing) = open.pop() {
        if found.contains_key(&thing) {
            continue;
        }
        if found.len() == most {
            return Ok(None);
        }
        let options = options(&thing)?;
        open.extend(options.iter().cloned());
        found.insert(thing, options);
    }
    let mut sorted: Vec<T> = found.keys().cloned().collect();
    sorted.sort_by_cached_key(order);
    let places: HashMap<&T, usize> = sorted.iter().zip(0..).collect();
    let listed = sorted.iter().map(|thing| {
        let mut options: Vec<usize> = found[thing].iter().map(|option| places[option]).collect();
        options.sort_unstable();
        options.dedup();
        (thing.clone(), options)
    });
    Ok(Some(listed.collect()))
}
