//! What the search needs to know of a game.

use std::ops::ControlFlow;

use sprig_engine::TooManyMoves;

/// An impartial game whose positions fall into sums of independent *lands*, each a short string of bytes.
///
/// Equal bytes must mean equal games. Different bytes may mean equal games too; that only costs time.
pub trait Game: Send + Sync + 'static {
    /// The generator of moves; each thread owns one.
    type Moves: Moves;

    /// A new generator of moves.
    fn moves(&self) -> Self::Moves;

    /// Features of a land by which the search guesses its value before it knows it.
    fn features(land: &[u8]) -> Features;
}

/// Generates the moves of a game.
pub trait Moves: Send {
    /// Calls `visit` with the lands of each child of `land`; a child may come several times, a child without lands
    /// is the end of the game. Stops early when `visit` breaks.
    ///
    /// # Errors
    /// [`TooManyMoves`] when the children cannot be listed.
    fn children<B>(
        &mut self,
        land: &[u8],
        visit: impl FnMut(&mut dyn Iterator<Item = &[u8]>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooManyMoves>;
}

/// Features of a land, from coarse to fine: lands with equal features probably have similar values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Features {
    /// An upper bound of the number of moves that are left: in Sprouts the lives.
    pub size: u16,
    /// A coarse description besides the size.
    pub coarse: u32,
    /// A fine description.
    pub fine: u64,
}
