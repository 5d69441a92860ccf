//! Answers as they were written, for requests with the same address.

use std::sync::Arc;

use crate::cache::Cache;
use crate::reply::{Holds, Reply};

/// Bytes of answers that are kept.
const KEPT: usize = 64 << 20;
/// Most bytes of one answer.
const LARGEST: usize = 256 << 10;

/// Answers by their addresses. Some hold in any case, the others for one generation of facts.
pub(crate) struct Replies(Cache<(Box<str>, Option<u64>), Reply>);

impl Default for Replies {
    fn default() -> Self {
        Self(Cache::new(KEPT))
    }
}

impl Replies {
    /// The answer at an address, if no new facts have come since it was written.
    pub(crate) fn get(&self, address: &str, generation: u64) -> Option<Reply> {
        let of = |generation| self.0.get(&(address.into(), generation));
        let found = of(None).or_else(|| of(Some(generation)))?;
        Some(Reply::clone(&found))
    }

    /// Keeps an answer that was made from the facts of this generation.
    pub(crate) fn keep(&self, address: &str, generation: u64, reply: &Reply) {
        let generation = match reply.holds() {
            Holds::Forever | Holds::Day => None,
            Holds::Seconds => Some(generation),
            Holds::Check | Holds::Never => return,
        };
        let bytes = reply.bytes() + 2 * address.len() + 200;
        if bytes <= LARGEST {
            self.0.keep((address.into(), generation), Arc::new(reply.clone()), bytes);
        }
    }
}
