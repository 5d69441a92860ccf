//! stub
use std::ops::ControlFlow;
use crate::work::Work;
use crate::Effort;
/// The lands of one child, each as the bytes of a canonical land.
pub struct Lands;
impl Lands {
    /// The bytes of each land.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> { std::iter::empty() }
}
/// A land with more children than memory could hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a region with {boundaries} boundaries can be divided in more ways than can be listed")]
pub struct TooManyMoves {
    /// Boundaries of the region.
    pub boundaries: usize,
}
/// Generates children. Owns its scratch memory; make one per thread and keep it.
pub struct Generator;
impl Generator {
    /// A generator that canonizes with the given effort.
    pub fn new(_: Effort) -> Self { Self }
    /// Calls `visit` with the lands of each child of the canonical land `key`; a child may come several times.
    /// Stops early when `visit` breaks.
    ///
    /// # Errors
    /// [`TooManyMoves`] before the first call of `visit`.
    ///
    /// # Panics
    /// When `key` is not a land.
    pub fn children<B>(&mut self, _key: &[u8], _visit: impl FnMut(&Lands) -> ControlFlow<B>) -> Result<ControlFlow<B>, TooManyMoves> { Ok(ControlFlow::Continue(())) }
    pub(crate) fn canonize(&mut self, _: &mut Work, _: &mut dyn FnMut(&Lands)) {}
}
