//! Lands of facts, reduced and named before they are added: any thread can do that.

use sprig_engine::Position;

use super::land::TooManyMoves;
use super::name::{Name, Namer};
use super::reduce::lands_of;

/// The lands of a position, each with its tint and a name.
pub struct Ready(pub(super) Vec<(u64, Name)>);

impl Ready {
    /// Makes the lands of a position ready.
    ///
    /// # Errors
    /// [`TooManyMoves`] if it has more spots than can be counted.
    pub fn of(position: &Position) -> Result<Self, TooManyMoves> {
        let mut namer = Namer::default();
        let ready = |land: Vec<_>| (namer.tint(&land), namer.name(&land));
        Ok(Self(lands_of(position)?.into_iter().map(ready).collect()))
    }
}
