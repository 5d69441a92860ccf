//! Game trees and canonical trees, reduced or not, as diagrams. What is reached in several ways
//! stands there once.

use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use anyhow::{Context, bail};
use sprig_calculator::Expression;
use sprig_domain::Game;
use sprig_engine::CanonicalPosition;
use sprig_sketch::{Card, Diagram, Picture};
use sprig_trees::{Base, CanonicalBase, CanonicalTree, CanonicalTrees, News, Sums, TreeError};

/// Most lands of a game tree that are walked for a picture of its reduced tree. This takes a second
/// or less.
const LANDS: usize = 30_000;
/// Items, each with the indices of its options.
type Linked<T> = Vec<(T, Vec<usize>)>;

/// Longest text of a tree that is shown on its card.
const LONGEST: usize = 28;

/// The diagram of all canonical positions that a game can lead to. One that has no picture in the
/// plane stands there as text.
///
/// # Errors
/// When there are more than `most`, or one cannot be drawn.
pub fn game_tree(game: Game, position: &CanonicalPosition, most: usize) -> anyhow::Result<Diagram> {
    let children = |position: &CanonicalPosition| {
        game.children(position).with_context(|| format!("cannot list the children of `{position}`"))
    };
    // A move takes at least one life, so this order puts each position before its children.
    let lives = |position: &CanonicalPosition| {
        position.lands().iter().map(|land| u64::from(land.lives())).sum::<u64>()
    };
    let order = |one: &CanonicalPosition| (u64::MAX - lives(one), one.to_string());
    let Some(found) = below([position.clone()], children, order, most)? else {
        bail!("the game tree of `{position}` has more than {most} positions; --most allows more");
    };
    let cards = found.into_iter().map(|(position, options)| {
        let caption = position.to_string();
        let picture = Picture::is_defined(&position).then(|| Picture::of(&position)).transpose();
        let picture = picture.with_context(|| format!("cannot draw `{caption}`"))?;
        Ok(Card { picture, caption, options })
    });
    let cards = cards.collect::<anyhow::Result<_>>()?;
    Ok(Diagram { title: format!("Game tree of the Sprouts position {position}"), cards })
}

/// What a tree belongs to: a position, or a text of nested sets and sums.
pub enum Subject {
    Position(CanonicalPosition),
    Written(String, Expression),
}

impl Subject {
    fn title(&self, what: &str) -> String {
        match self {
            Self::Position(position) => format!("{what} of the Sprouts position {position}"),
            Self::Written(text, _) => format!("{what} of {text}"),
        }
    }
}

/// The diagram of a reduced canonical tree, with all trees below it.
///
/// # Errors
/// When the game tree is large, or more than `most` trees stand below it.
pub fn reduced_tree(game: Game, subject: &Subject, most: usize) -> anyhow::Result<Diagram> {
    let mut base = Base::of(game);
    let root = match subject {
        Subject::Position(position) => {
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
            built.with_context(|| format!("cannot find the reduced tree of `{position}`"))?
        }
        Subject::Written(_, written) => {
            written.tree(base.forest_mut(), &mut Sums::default(), LANDS as f64)?
        }
    };
    let forest = base.forest();
    let text = |tree| {
        let nested = forest.nested(tree, LONGEST);
        nested.unwrap_or_else(|| format!("height {}", forest.height(tree)))
    };
    let order = |&tree: &_| (u16::MAX - forest.height(tree), text(tree), forest.key(tree));
    let options = |&tree: &_| Ok(forest.options(tree).collect());
    let title = subject.title("Reduced canonical tree");
    let found = below([root], options, order, most)?.with_context(|| too_many(&title, most))?;
    Ok(of_trees(title, found, text))
}

/// The diagram of a canonical tree, with all trees below it.
///
/// # Errors
/// As for [`reduced_tree`].
pub fn canonical_tree(subject: &Subject, most: usize) -> anyhow::Result<Diagram> {
    let mut base = CanonicalBase::default();
    let root = match subject {
        Subject::Position(position) => base.tree(position, LANDS).with_context(|| {
            format!(
                "the game tree of `{position}` has more than {LANDS} lands, too many for a picture"
            )
        })?,
        Subject::Written(_, written) => written.canonical(base.trees_mut(), LANDS as f64)?,
    };
    of_canonical(subject.title("Canonical tree"), base.trees(), [root], most)
}

/// The diagram of canonical trees, with all trees below them.
///
/// # Errors
/// When there are more than `most`.
pub fn of_canonical(
    title: String,
    trees: &CanonicalTrees,
    roots: impl IntoIterator<Item = CanonicalTree>,
    most: usize,
) -> anyhow::Result<Diagram> {
    let text = |tree| {
        let nested = trees.nested(tree, LONGEST);
        nested.unwrap_or_else(|| format!("height {}", trees.height(tree)))
    };
    let order = |&tree: &_| (u16::MAX - trees.height(tree), text(tree), tree);
    let options = |&tree: &_| Ok(trees.options(tree).collect());
    let found = below(roots, options, order, most)?.with_context(|| too_many(&title, most))?;
    Ok(of_trees(title, found, text))
}

fn too_many(title: &str, most: usize) -> String {
    format!("{title}: more than {most} trees stand there; --most allows more")
}

fn of_trees<T>(title: String, found: Linked<T>, text: impl Fn(T) -> String) -> Diagram {
    let card = |(tree, options)| Card { picture: None, caption: text(tree), options };
    Diagram { title, cards: found.into_iter().map(card).collect() }
}

/// All items that the roots lead to, sorted, each with the indices of its options. None if there
/// are more than `most`.
fn below<T: Clone + Eq + Hash, K: Ord>(
    roots: impl IntoIterator<Item = T>,
    options: impl Fn(&T) -> anyhow::Result<Vec<T>>,
    order: impl Fn(&T) -> K,
    most: usize,
) -> anyhow::Result<Option<Linked<T>>> {
    let mut found: HashMap<T, Vec<T>> = HashMap::new();
    let mut open: Vec<T> = roots.into_iter().collect();
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
