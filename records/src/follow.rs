//! Moves of games that were played elsewhere: by curves that a person has drawn, or by positions
//! alone.

use std::collections::{BTreeSet, HashMap};

use sprig_engine::{CanonicalLand, CanonicalPosition, Position};
use sprig_oracle::{Card, Move, Table};

use crate::drawing::{Walks, degree, living_walks, sorted_regions};
use crate::way::{Side, Way};
use crate::write::WriteError;
use crate::{MAX_SPOTS, Writer, Written, options};

/// The move that draws a curve between two spots so that the living spots lie as in `after`: walks
/// of living spots by region, each region perhaps mirrored. `along` has the living spots of the
/// other boundaries on one side of the curve.
#[must_use]
pub fn curve(
    table: &Table,
    ends: [Card; 2],
    along: &BTreeSet<Card>,
    after: &[Walks],
) -> Option<Move> {
    let degree = |card| degree(table, card);
    let lives = |card| degree(card) < 3;
    let wanted = sorted_regions(after.to_vec());
    for way in Way::all(table, ends, &lives, &degree) {
        let lie_along = |(_, cards): &(usize, Vec<Card>)| cards.iter().any(|c| along.contains(c));
        let pieces: Vec<usize> =
            way.pieces().into_iter().filter(lie_along).map(|(stack, _)| stack).collect();
        let divided = [Side::Taken, Side::Left].map(|side| way.with(side, &pieces));
        for made in [way.joining()].into_iter().chain(divided).flatten() {
            if table.play(&made).is_ok_and(|table| sorted_regions(living_walks(&table)) == wanted) {
                return Some(made);
            }
        }
    }
    None
}

/// The number of fresh spots, if the position has nothing else, so that a record can begin with it.
#[must_use]
pub fn fresh_spots(position: &CanonicalPosition) -> Option<u32> {
    let lives: u32 = position.lands().iter().map(CanonicalLand::lives).sum();
    let spots = Some(lives / 3).filter(|spots| (1..=MAX_SPOTS).contains(spots))?;
    (*position == CanonicalPosition::of(&Position::start(spots as usize))).then_some(spots)
}

/// Why a game that is given by its positions cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ToldError {
    /// No move that was tried leads there.
    #[error("no move is found that leads to `{0}`")]
    NoMove(CanonicalPosition),
    /// A move that no text tells.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The moves of a game that begins with `spots` fresh spots and leads to one position after the
/// other. It is given up where more than `limit` moves would have to be tried.
///
/// # Errors
/// [`ToldError`].
pub fn told(
    spots: u32,
    positions: &[CanonicalPosition],
    limit: usize,
) -> Result<Vec<Written>, ToldError> {
    let (mut writer, mut follower) = (Writer::start(spots), Follower::default());
    let moves = positions.iter().map(|position| {
        let made = follower.find(writer.table(), position, limit);
        Ok(writer.write(&made.ok_or_else(|| ToldError::NoMove(position.clone()))?)?)
    });
    moves.collect()
}

/// Lands with at most this many lives are compared by their game trees.
const SMALL: u32 = 9;

/// Finds the moves of a game that is given by its positions alone.
///
/// The canonical form writes a region of two or three lives in one way, so a position may be given
/// that no drawing has. Then a move is taken that leads to a position with the same game tree.
#[derive(Default)]
struct Follower {
    /// Game trees without duplicates, by number.
    trees: HashMap<Vec<u32>, u32>,
    known: HashMap<CanonicalPosition, u32>,
}

impl Follower {
    /// A move that leads to a position; `None` if there is none, or if more than `limit` moves
    /// would have to be tried.
    fn find(&mut self, table: &Table, position: &CanonicalPosition, limit: usize) -> Option<Move> {
        let mut options = options(table, limit)?;
        if let Some(made) = options.remove(position) {
            return Some(made);
        }
        options
            .into_iter()
            .find(|(option, _)| self.are_alike(option, position))
            .map(|found| found.1)
    }

    /// Whether the lands that only one of the two positions has are small, and have the same game
    /// tree.
    fn are_alike(&mut self, a: &CanonicalPosition, b: &CanonicalPosition) -> bool {
        let [a, b] = [rest(a, b), rest(b, a)];
        let lives =
            |rest: &CanonicalPosition| rest.lands().iter().map(CanonicalLand::lives).sum::<u32>();
        if lives(&a) > SMALL || lives(&b) > SMALL {
            return false;
        }
        let [a, b] = [self.tree(&a), self.tree(&b)];
        a.is_some() && a == b
    }

    fn tree(&mut self, position: &CanonicalPosition) -> Option<u32> {
        if let Some(&known) = self.known.get(position) {
            return Some(known);
        }
        let children = position.children().ok()?;
        let options: Option<BTreeSet<u32>> =
            children.iter().map(|child| self.tree(child)).collect();
        let next = u32::try_from(self.trees.len()).ok()?;
        let tree = *self.trees.entry(options?.into_iter().collect()).or_insert(next);
        self.known.insert(position.clone(), tree);
        Some(tree)
    }
}

/// The lands of `a` that `b` does not have.
fn rest(a: &CanonicalPosition, b: &CanonicalPosition) -> CanonicalPosition {
    let mut others = b.lands().to_vec();
    let own =
        a.lands().iter().filter(|land| match others.iter().position(|other| other == *land) {
            Some(same) => {
                others.swap_remove(same);
                false
            }
            None => true,
        });
    CanonicalPosition::from_lands(own.cloned().collect::<Vec<_>>())
}
