//! What the search needs to know of a game.
//!
//! [`Rules`](crate::Rules) is the short form: one function. [`Game`] is the long form, for games
//! whose moves are worth making fast.

use std::ops::ControlFlow;

/// An impartial game whose positions fall into sums of independent *lands*.
///
/// A land is a string of fewer than 1,366 bytes, in two forms: *raw* as the generator of moves
/// makes it, and its *key*. Equal keys must mean equal games. Different keys may mean equal games
/// too; that only costs time. Every play must end.
///
/// For nearly every game [`Rules`](crate::Rules), which implies this trait, is enough.
pub trait Game: Send + Sync + 'static {
    /// The generator of moves; each thread owns one.
    type Moves: Moves;
    /// The maker of keys; each thread owns one.
    type Keys: Keys;

    /// A new generator of moves.
    fn moves(&self) -> Self::Moves;

    /// A new maker of keys.
    fn keys(&self) -> Self::Keys;

    /// A number of a land, raw or as its key: equal for lands with equal keys, and different for
    /// most others, even in its high half alone. It costs little.
    fn sketch(land: &[u8]) -> u64;

    /// Features of a land, raw or as its key, by which the search guesses its value before it knows
    /// it.
    fn features(land: &[u8]) -> Features;
}

/// Generates the moves of a game.
pub trait Moves: Send {
    /// Calls `visit` with each child of the land `key`: the number of the way that leads there, the
    /// raw lands, and their sketches ([`Game::sketch`]). A land always has the same children by the
    /// same ways. A child may come several times, each time by another way. A child without lands
    /// is the end of the game; none has 1,024 lands or more. Stops early when `visit` breaks.
    ///
    /// # Errors
    /// [`TooMany`] when the children cannot be listed.
    fn children<B>(
        &mut self,
        key: &[u8],
        visit: impl FnMut(u32, &mut dyn Iterator<Item = (&[u8], u64)>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooMany>;

    /// As for [`Self::children`], without ways and sketches, and with lands as [`Keys::tidy`]
    /// leaves them. A generator may do that at less cost than land by land.
    ///
    /// # Errors
    /// As [`Self::children`].
    fn tidied<B>(
        &mut self,
        key: &[u8],
        mut visit: impl FnMut(&mut dyn Iterator<Item = &[u8]>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooMany> {
        self.children(key, |_, lands| visit(&mut lands.map(|(land, _)| land)))
    }

    /// Calls `visit` with one child of the land `key`, as [`Self::children`] made it under this
    /// number; `None` if it made none.
    fn child<T>(
        &mut self,
        key: &[u8],
        way: u32,
        mut visit: impl FnMut(&mut dyn Iterator<Item = (&[u8], u64)>) -> T,
    ) -> Option<T> {
        let flow = self.children(key, |number, lands| {
            if number == way {
                return ControlFlow::Break(visit(lands));
            }
            ControlFlow::Continue(())
        });
        flow.ok()?.break_value()
    }
}

/// Makes keys of raw lands.
pub trait Keys: Send {
    /// Changes the bytes of a raw land, but not its key, at little cost, so that more of the lands
    /// met lately have the same bytes.
    fn tidy(_raw: &mut [u8]) {}

    /// The key of a land.
    fn key<'a>(&'a mut self, raw: &'a [u8]) -> &'a [u8];
}

/// A land has more moves than memory or time could hold. The search goes on where it does not need
/// them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a land has too many moves to be listed")]
pub struct TooMany;

/// Features of a land, from coarse to fine: lands with equal features probably have similar values.
///
/// They only guide the search: it begins with what looks cheap. Whatever they say, no proof depends
/// on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Features {
    /// About how many moves are left; an upper bound is good enough.
    pub size: u16,
    /// A coarse description besides the size, not 0.
    pub coarse: u32,
    /// A fine description, not 0.
    pub fine: u64,
}

impl Features {
    /// The size alone.
    #[must_use]
    pub fn of_size(size: u16) -> Self {
        Self { size, coarse: 1, fine: 1 }
    }

    /// These features after coarser ones that contain them.
    pub(crate) fn coarse_to_fine(self) -> [Self; 3] {
        let coarse = Self { fine: 0, ..self };
        [Self { coarse: 0, ..coarse }, coarse, self]
    }
}
