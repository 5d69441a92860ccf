//! Slow, obvious, independent rules of Sprouts, to check the engine against.
//!
//! The rules are the card procedure of J. Purinton, "How to play Sprouts with playing cards"
//! (2006), for D. Hoey's boundary lists: a position lies on a table as rows (regions) of stacks
//! (boundaries) of cards (spots), and a move cuts and joins or divides stacks, step by step
//! ([`Move`]). Reduction ([`Table::reduced`]) repeats one plain rule after the other until nothing
//! changes; the canonical form ([`Key`]) tries every naming of the letters that an invariant cannot
//! rule out; values ([`Values`]) are plain recursions. The crate shares nothing with the engine but
//! written positions, their notation and nimbers: that independence is its whole value.
//!
//! Positions with handles or cross-caps lie on a *sheet* and not on a table; its rules are as
//! plain.
//!
//! Positions are taken as [`sprig_engine::notation`] reads them: letters in pairs, never too many.
//! Whole game trees are for positions of up to some 15 lives; larger ones are handled correctly,
//! too, but take very long.
//!
//! ```
//! use sprig_engine::{Nimber, notation};
//! use sprig_oracle::{Outcome, misere_outcome, nimber};
//!
//! let three = notation::read("0*3")?;
//! assert_eq!(nimber(&three)?, Nimber::new(1)?);
//! assert_eq!(misere_outcome(&three), Outcome::Loss);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod hoey;
mod isomorphism;
mod legal;
mod moves;
pub mod proof;
mod reduce;
mod rules;
mod sheet;
mod table;
mod value;
mod written;

use std::collections::BTreeSet;

use sheet::Sheet;
use sprig_engine::{Nimber, NimberTooLarge, Position};

pub use error::OracleError;
pub use isomorphism::Key;
pub use moves::{Cut, Move};
pub use rules::Rules;
pub use table::{Card, Row, Stack, Table};
pub use value::{Outcome, Values};

/// The position without everything that cannot matter to any game from it.
#[must_use]
pub fn reduce(position: &Position) -> Position {
    if !position.is_spherical() {
        return Sheet::of(position).reduced().to_position();
    }
    Table::of(position).reduced().to_position()
}

/// The name of the position's isomorphism class: equal for two positions exactly when they are
/// isomorphic after reduction.
#[must_use]
pub fn key(position: &Position) -> Key {
    Key::of(position)
}

/// Whether two positions are the same after reduction, apart from names, order, rotation of
/// boundaries, and mirroring of whole regions.
#[must_use]
pub fn isomorphic(a: &Position, b: &Position) -> bool {
    key(a) == key(b)
}

/// The reduced children, one of each isomorphism class, sorted.
#[must_use]
pub fn children(position: &Position) -> Vec<Position> {
    child_keys(position).into_iter().map(Key::into_position).collect()
}

/// The isomorphism classes of the children.
#[must_use]
pub fn child_keys(position: &Position) -> BTreeSet<Key> {
    child_keys_by(Rules::Sprouts, position)
}

/// The isomorphism classes of the children in a game.
///
/// # Panics
/// For black-and-white Sprouts on another surface than the sphere, which has no rules here.
#[must_use]
pub fn child_keys_by(rules: Rules, position: &Position) -> BTreeSet<Key> {
    if !position.is_spherical() {
        assert!(!rules.may_leave_out(), "{}", rules::ON_THE_SPHERE);
        let mut options = BTreeSet::new();
        Sheet::of(position).reduced().for_each_option(|option| {
            options.insert(option.reduced());
            true
        });
        return options.iter().map(|option| Key::of_written(&option.to_position())).collect();
    }
    // Most options differ only in the cuts. Laying those aside first saves most of the work.
    let mut options = BTreeSet::new();
    Table::of(position).reduced().for_each_option_by(rules, |_, option| {
        options.insert(option.reduced().sorted());
    });
    options.into_iter().map(Key::of_table).collect()
}

/// The isomorphism classes of all positions that a game from `position` can reach, itself included.
#[must_use]
pub fn tree(position: &Position) -> BTreeSet<Key> {
    let mut seen = BTreeSet::from([key(position)]);
    let mut open: Vec<Key> = seen.iter().cloned().collect();
    while let Some(key) = open.pop() {
        for child in child_keys(key.position()) {
            if seen.insert(child.clone()) {
                open.push(child);
            }
        }
    }
    seen
}

/// The nimber of the position in normal play. Use [`Values`] for more than one.
///
/// # Errors
/// [`NimberTooLarge`] when the nimber, or that of a position that can be reached, is out of range.
pub fn nimber(position: &Position) -> Result<Nimber, NimberTooLarge> {
    Values::default().nimber(position)
}

/// The outcome of misère play for the player to move. Use [`Values`] for more than one.
#[must_use]
pub fn misere_outcome(position: &Position) -> Outcome {
    Values::default().misere_outcome(position)
}
