//! The atomic words that threads share: those of the standard library, or those of loom, which
//! tries every order in which threads may see them (`scripts/test-loom`).

#[cfg(loom)]
pub use loom::sync::{
    Mutex,
    atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
};
#[cfg(not(loom))]
pub use std::sync::{
    Mutex,
    atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
};

/// Sets a word that no other thread can see.
#[inline]
pub fn reset(word: &mut AtomicU32, value: u32) {
    #[cfg(loom)]
    word.with_mut(|word| *word = value);
    #[cfg(not(loom))]
    {
        *word.get_mut() = value;
    }
}
