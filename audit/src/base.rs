//! From a database to the trees in memory, and back.

use sprig_domain::{Game, TreeKey};
use sprig_store::{Fact, Kind, Reader, Status, StoreError, StoredFact, Value};
use sprig_trees::{Base, Forest, News, Tree};

/// All trees, and all lands of the game of `reader` whose trees are verified, as a base that goes
/// on from there. The base does not count them as news.
///
/// The trees are checked as if they came from a stranger, which costs little. A claimed one that
/// does not fit is left out.
///
/// # Errors
/// When the disk fails, or what it holds does not fit together.
pub fn base_of(reader: &Reader) -> Result<Base, StoreError> {
    let mut trees = Vec::new();
    for stored in reader.facts(Kind::Tree) {
        let StoredFact { sequence, fact: Fact { subject, value, status, .. } } = stored?;
        if let Value::Options(options) = value {
            trees.push((sequence, subject, options, status));
        }
    }
    // An empty database has yet to be told of the empty tree, which every base has.
    let is_new = trees.is_empty();
    // Options were committed before the trees that have them.
    trees.sort_unstable_by_key(|(sequence, ..)| *sequence);
    let mut base = Base::of(reader.game());
    for (_, subject, options, status) in trees {
        let Ok(key) = (*subject).try_into() else {
            return Err(unfit(reader, "a tree has a key that is not of 16 bytes".into()));
        };
        let learned = base.forest_mut().learn(TreeKey::from_bytes(key), &options);
        if let (Err(error), Status::Verified) = (learned, status) {
            return Err(unfit(reader, error.to_string()));
        }
    }
    for stored in reader.facts(Kind::Rct) {
        let fact = stored?.fact;
        if let (Value::Rct(key), Status::Verified) = (fact.value, fact.status) {
            let tree = base.forest().find(key).ok_or_else(|| unknown_tree(reader, key))?;
            base.learn(&fact.subject, tree).map_err(|e| unfit(reader, e.to_string()))?;
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
pub fn tree_of(
    reader: &Reader,
    forest: &mut Forest,
    land: &[u8],
) -> Result<Option<Tree>, StoreError> {
    reader.rct(land)?.map(|key| tree_in(reader, forest, key)).transpose()
}

/// The tree with this key, brought into `forest`. The recursion is safe: no tree is so high that
/// its levels, one for each move, would overflow the stack.
fn tree_in(reader: &Reader, forest: &mut Forest, key: TreeKey) -> Result<Tree, StoreError> {
    if let Some(tree) = forest.find(key) {
        return Ok(tree);
    }
    let bare = key.without_factor();
    let options = reader.options(bare)?.ok_or_else(|| unknown_tree(reader, key))?;
    for &option in &options {
        tree_in(reader, forest, option)?;
    }
    let tree = forest.learn(bare, &options).map_err(|e| unfit(reader, e.to_string()))?;
    Ok(if key.has_factor() { tree.plus_one() } else { tree })
}

fn unknown_tree(reader: &Reader, key: TreeKey) -> StoreError {
    unfit(reader, format!("tree {key} is named but not stored"))
}

fn unfit(reader: &Reader, detail: String) -> StoreError {
    StoreError::Damaged { dir: reader.dir().into(), detail }
}

/// What a build of this process has found in a game, to be committed: its lands and trees, as
/// verified facts. Trees come after their options.
pub fn facts_of(game: Game, news: &News<'_>) -> Vec<Fact> {
    let forest = news.forest();
    let trees = news.trees().map(|tree| Fact::tree(forest.key(tree), forest.option_keys(tree)));
    let lands = news.lands().map(|(land, tree)| Fact::rct(&land, forest.key(tree)));
    trees.chain(lands).map(|fact| fact.of(game).verified()).collect()
}
