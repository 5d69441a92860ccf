//! What a listing of children may take.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::ways::TooManyMoves;

/// What a listing of children may still take before it is given up. Several listings may share one.
#[derive(Debug)]
pub struct Budget<'a> {
    children: u64,
    bytes: usize,
    /// Bytes that are left.
    left: usize,
    stop: Option<&'a AtomicBool>,
}

/// Why children were not listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unlisted {
    /// A land has more moves than any listing takes.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
    /// There are more children than this listing may generate.
    #[error(
        "there are too many moves to list here: about {ways}, and at most {allowed} are listed"
    )]
    TooMany {
        /// Ways to move.
        ways: u64,
        /// How many may still be generated.
        allowed: u64,
    },
    /// The children take more memory than this listing may.
    #[error("the moves take more memory than this listing may: over {0} bytes")]
    TooLarge(usize),
    /// It was told to stop.
    #[error("the listing of moves was stopped")]
    Stopped,
}

impl Default for Budget<'_> {
    /// Enough for every position that people look at, and little enough for every machine.
    fn default() -> Self {
        Self::new(1 << 20, 256 << 20)
    }
}

impl<'a> Budget<'a> {
    /// A budget of `children` children that are generated, and of `bytes` bytes of those that are
    /// kept.
    #[must_use]
    pub fn new(children: u64, bytes: usize) -> Self {
        Self { children, bytes, left: bytes, stop: None }
    }

    /// The same budget, which also ends when `stop` is set.
    #[must_use]
    pub fn until(self, stop: &'a AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Takes `ways` ways to move off the budget, before any child is generated.
    pub(crate) fn promise(&mut self, ways: u64) -> Result<(), Unlisted> {
        let too_many = Unlisted::TooMany { ways, allowed: self.children };
        self.children = self.children.checked_sub(ways).ok_or(too_many)?;
        Ok(())
    }

    /// Whether it was not told to stop.
    pub(crate) fn go_on(&self) -> Result<(), Unlisted> {
        let stopped = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stopped { Err(Unlisted::Stopped) } else { Ok(()) }
    }

    /// Takes the bytes of kept children off the budget.
    pub(crate) fn kept(&mut self, bytes: usize) -> Result<(), Unlisted> {
        self.left = self.left.checked_sub(bytes).ok_or(Unlisted::TooLarge(self.bytes))?;
        Ok(())
    }
}
