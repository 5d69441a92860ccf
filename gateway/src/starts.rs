//! What is known of the start positions, for the table of the first page.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use sprig_domain::{Outcome, Play};

use crate::explorer::Explorer;

/// Most spots of a start position in the table.
const MOST: usize = 64;
/// Start positions that the table always shows.
pub(crate) const LEAST: usize = 12;

/// A start position in both plays.
#[derive(Clone, Copy, Default)]
pub(crate) struct Start {
    pub(crate) spots: usize,
    /// The outcomes in normal play and in misère play.
    pub(crate) outcomes: [Option<Outcome>; 2],
    pub(crate) nimber: Option<u8>,
}

/// What is known of the start positions, for one generation of facts.
#[derive(Default)]
pub(crate) struct Starts {
    table: RwLock<(u64, Arc<Vec<Start>>)>,
    is_counting: AtomicBool,
}

impl Explorer {
    /// The table as it is now. If it is old, a new one is begun.
    pub(crate) fn start_positions(self: &Arc<Self>) -> Arc<Vec<Start>> {
        let generation = self.generation() + 1;
        let (of, table) = &*self.starts.table.read().unwrap_or_else(PoisonError::into_inner);
        if *of != generation && !self.starts.is_counting.swap(true, Ordering::AcqRel) {
            let explorer = Arc::clone(self);
            tokio::spawn(async move {
                explorer.count(generation).await;
                explorer.starts.is_counting.store(false, Ordering::Release);
            });
        }
        Arc::clone(table)
    }

    /// Fills the table, from the small positions to the large. Visitors see meanwhile what is
    /// there.
    async fn count(&self, generation: u64) {
        let mut rows = Vec::new();
        for spots in 1..=MOST {
            let mut start = Start { spots, ..Start::default() };
            for (place, play) in [Play::Normal, Play::Misere].into_iter().enumerate() {
                let Ok((_, standing)) = self.standing(&format!("0*{spots}"), play).await else {
                    continue;
                };
                start.outcomes[place] = standing.outcome;
                if play == Play::Normal {
                    start.nimber = standing.nimber.map(sprig_engine::Nimber::get);
                }
            }
            rows.push(start);
            let is_first = self.starts.shown().1.len() < rows.len();
            if is_first || spots == MOST {
                let mut table = self.starts.table.write().unwrap_or_else(PoisonError::into_inner);
                let of = if spots == MOST { generation } else { table.0 };
                *table = (of, Arc::new(rows.clone()));
            }
        }
    }
}

impl Starts {
    fn shown(&self) -> (u64, Arc<Vec<Start>>) {
        self.table.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
