//! What an inspection may take: claims come from strangers, and a land may have a hundred thousand
//! children, each with as many replies.

use std::sync::Arc;

use super::Finding;
use super::Key;
use super::names::Names;
use sprig_engine::Watched;

/// Children that one inspection may generate. The most expensive claims of honest searches take a
/// hundredth of that.
const CHILDREN: u64 = 1 << 24;
/// Children between two looks at whether to stop: less than a millisecond.
const STRIDE: u64 = 1 << 8;
/// The same number where others wait: a child of a land with a hundred letters may take ten
/// milliseconds.
const SHORT_STRIDE: u64 = 1 << 4;

/// What is left of an inspection's share.
#[derive(Default)]
pub(super) struct Allowance {
    left: u64,
    /// Whether others wait for the inspection, so that it ends when it is given up.
    is_hurried: bool,
    /// What is inspected.
    land: Key,
    /// Why the inspection ended before its end.
    ended: Option<Finding>,
    watched: Option<Arc<Watched>>,
}

impl Allowance {
    /// An allowance that also ends when `watched` is told to stop.
    pub fn watched(watched: Arc<Watched>) -> Self {
        Self { watched: Some(watched), ..Self::default() }
    }

    /// The same allowance, for an inspection that others wait for.
    pub fn hurried(self) -> Self {
        Self { is_hurried: true, ..self }
    }

    /// Begins another inspection.
    pub fn renew(&mut self, land: &[u8]) {
        (self.left, self.ended) = (CHILDREN, None);
        if self.is_hurried {
            self.land = land.into();
        }
    }

    /// What the inspection is watched through.
    pub fn watcher(&self) -> Option<Arc<Watched>> {
        self.watched.clone()
    }

    /// Takes one child off; `false` when there are no more.
    #[inline]
    pub fn take(&mut self, names: &Names) -> bool {
        self.left = self.left.saturating_sub(1);
        let stride = if self.is_hurried { SHORT_STRIDE } else { STRIDE };
        !self.left.is_multiple_of(stride) || self.look(names)
    }

    fn look(&mut self, names: &Names) -> bool {
        if self.watched.as_ref().is_some_and(|watched| !watched.step()) {
            self.ended = Some(Finding::Stopped);
        } else if self.left == 0 || names.is_overfull() || self.is_given_up() {
            self.ended = Some(Finding::TooDear);
        }
        self.ended.is_none()
    }

    fn is_given_up(&self) -> bool {
        let is_given_up = |watched: &Arc<Watched>| watched.is_given_up(&self.land);
        self.is_hurried && self.watched.as_ref().is_some_and(is_given_up)
    }

    /// Ends the inspection: the land has too many moves to be listed.
    pub fn refuse(&mut self) {
        self.ended = Some(Finding::TooDear);
    }

    /// What has come of the inspection, if it ended before its end.
    pub fn ended(&self) -> Option<Finding> {
        self.ended.clone()
    }
}
