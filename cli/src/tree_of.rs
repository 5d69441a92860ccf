//! The trees of positions and of expressions, unless they take too long.

use anyhow::anyhow;
use sprig_calculator::Expression;
use sprig_domain::TreeKey;
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_trees::TreeError;
use sprig_trees::{Estimate, Tree};

use crate::failure::Failure;
use crate::trees::{Trees, flow, stopped};

/// Lands that are walked before their number is estimated. This takes a second or less.
const SMALL: usize = 30_000;
/// A walk is given up after this many times the lands that are allowed, if the estimate was too
/// low.
const TOLERANCE: usize = 3;

/// The RCT of a position.
///
/// # Errors
/// [`Failure::Position`] when the game tree has more lands than `max_lands`, or the sum of its
/// lands leads to more trees.
pub fn tree_of(
    trees: &mut Trees,
    position: &CanonicalPosition,
    max_lands: usize,
) -> Result<Tree, Failure> {
    let mut keys = Vec::new();
    for land in position.lands() {
        keys.push(key_of(trees, land, max_lands)?);
    }
    let sum = trees.sum(&keys, max_lands as f64);
    sum.map_err(|bound| Failure::Position(too_many_sums(bound, max_lands)))
}

/// The RCT of an expression of sets and sums.
///
/// # Errors
/// [`Failure::Position`] when a sum leads to more than `max_trees` trees.
pub fn worth(trees: &mut Trees, written: &Expression, max_trees: usize) -> Result<Tree, Failure> {
    let (forest, sums) = trees.forest_and_sums();
    let tree = written.tree(forest, sums, max_trees as f64);
    tree.map_err(|error| Failure::Position(error.into()))
}

/// The key of the RCT of a land. Small game trees are walked at once. The size of others is
/// estimated first.
///
/// # Errors
/// [`Failure::Position`] when the game tree has more lands than `max_lands`.
pub fn key_of(
    trees: &mut Trees,
    land: &CanonicalLand,
    max_lands: usize,
) -> Result<TreeKey, Failure> {
    if let Some(key) = trees.known(land)? {
        return Ok(key);
    }
    trees.load()?;
    let position = CanonicalPosition::from_lands([land.clone()]);
    let small = trees.progress().met + SMALL.min(max_lands);
    let found = trees.build(&position, |progress| flow(progress.met <= small));
    if !stopped(&found) {
        return only(found);
    }
    let estimate = Estimate::of(&position).map_err(|e| Failure::Position(e.into()))?;
    if estimate.lands > max_lands as f64 {
        return Err(Failure::Position(too_large(&estimate, max_lands)));
    }
    // Even if the estimate was too low, the walk must not take hours.
    let limit = trees.progress().met + TOLERANCE * max_lands;
    let found = trees.build(&position, |progress| flow(progress.met <= limit));
    if stopped(&found) {
        return Err(Failure::Position(too_large(&estimate, max_lands)));
    }
    only(found)
}

/// The key of the only land of a build. If the build failed because of the position, other
/// positions may still succeed; after a failure of the database none can.
fn only(found: anyhow::Result<Vec<TreeKey>>) -> Result<TreeKey, Failure> {
    match found {
        Ok(keys) => Ok(keys[0]),
        Err(error) if error.is::<TreeError>() => Err(Failure::Position(error)),
        Err(error) => Err(Failure::Everything(error)),
    }
}

fn too_large(estimate: &Estimate, limit: usize) -> anyhow::Error {
    let Estimate { lands, bytes, seconds } = *estimate;
    anyhow!(
        "its game tree has about {lands:.0e} lands, more than {limit}: their trees would take about {} and {}; \
         give a larger --max-lands, or find them with `sprig rct-base POS --db DIR`",
        duration(seconds),
        size(bytes)
    )
}

/// Says that a sum leads to as many as `bound` trees, more than `limit`.
pub fn too_many_sums(bound: f64, limit: usize) -> anyhow::Error {
    anyhow!(
        "the sum of the trees of its lands leads to as many as {bound:.0e} trees, more than {limit}; ask for its \
         lands one by one, or give a larger --max-lands"
    )
}

/// A time of which only the order of magnitude is known, for people.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} seconds"),
        s if s < 7200.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} hours", s / 3600.0),
        s if s < 1e12 => format!("{:.0} days", s / 86_400.0),
        _ => "for ever".to_owned(),
    }
}

fn size(bytes: f64) -> String {
    if bytes < 1e9 { format!("{:.0} MB", bytes / 1e6) } else { format!("{:.0} GB", bytes / 1e9) }
}
