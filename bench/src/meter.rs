//! Reads what a process uses, position by position.

use std::time::{Duration, Instant};

use sprig_domain::Figures;

use crate::{Answer, Run, usage};

/// What a process had used so far.
#[derive(Debug)]
pub struct Meter {
    cpu: Duration,
    wall: Instant,
}

impl Meter {
    /// A meter whose first reading counts all CPU time since the process began, and the clock from
    /// now on.
    pub fn start() -> Self {
        Self { cpu: Duration::ZERO, wall: Instant::now() }
    }

    /// What was used since the last reading, for a position that took `added`, with the lands and
    /// bytes held at its end.
    pub fn read(&mut self, answer: Answer, added: Figures) -> Run {
        let now = Self { cpu: usage::cpu(), wall: Instant::now() };
        let Self { cpu, wall } = std::mem::replace(self, now);
        Run {
            answer,
            cpu_seconds: (self.cpu - cpu).as_secs_f64(),
            wall_seconds: (self.wall - wall).as_secs_f64(),
            expansions: added.expansions,
            children: added.children,
            facts: added.facts,
            collections: added.collections,
            lands: added.lands,
            bytes: added.bytes,
            peak_bytes: usage::peak(),
            load: usage::load(),
        }
    }
}
