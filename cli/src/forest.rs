//! The trees of a database, in memory.

use anyhow::Context;
use sprig_domain::TreeKey;
use sprig_foreign::{Name, Trees};
use sprig_store::{Kind, Reader, Value};
use sprig_trees::Forest;

/// Puts all trees of the database into `forest`, and checks them as if they came from a stranger.
///
/// # Errors
/// When the database fails, or its trees do not fit together.
pub fn read(store: &Reader, forest: &mut Forest) -> anyhow::Result<()> {
    let mut trees = Trees::default();
    for fact in store.facts(Kind::Tree) {
        let fact = fact?.fact;
        if let Value::Options(options) = &fact.value {
            let key = TreeKey::from_bytes((*fact.subject).try_into()?);
            trees.add(0, Name::Key(key), options.iter().copied().map(Name::Key).collect())?;
        }
    }
    trees.build(forest).context("the trees of the database do not fit together")
}
