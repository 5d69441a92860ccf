//! What is written at once.

use std::ops::Range;

use sprig_domain::{Game, JobId};

use crate::{Event, Fact, Job, Provenance, Sequence, Status};

/// Everything that one [`commit`](crate::Store::commit) writes, all of it or nothing.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Facts and exclusions, source by source. Facts get their sequence numbers in this order.
    pub contributions: Vec<Contribution>,
    /// Jobs that are new or have changed. They replace what was stored under their number.
    pub jobs: Vec<Job>,
    /// Events to append to the histories of jobs.
    pub events: Vec<(JobId, Event)>,
}

/// What one source found out.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The source.
    pub provenance: Provenance,
    /// Facts of any kind; trees come before facts that have them.
    pub facts: Vec<Fact>,
    /// What nimbers of lands are not.
    pub exclusions: Vec<Exclusion>,
}

/// Won couples of a land: its nimber is none of these values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Exclusion {
    /// The game.
    pub game: Game,
    /// Canonical bytes of the land.
    pub land: Box<[u8]>,
    /// Bit `j` set: the couple (land, `j`) is won.
    pub values: u64,
    /// If verified, it takes the place of a claim that says otherwise. In any case it is stored as
    /// a claim.
    pub status: Status,
}

/// A commit that is on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Committed {
    /// Sequence numbers of the facts that were not known before; `end` is the number the next one
    /// will get.
    pub facts: Range<Sequence>,
    /// What was in each contribution, in the order of the batch.
    pub contributions: Vec<Taken>,
}

/// What was in a contribution that is on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Sequence numbers of its facts that were not known before.
    pub new: Range<Sequence>,
    /// Sequence numbers of its other facts.
    pub known: Vec<Sequence>,
}
