//! What an inspection may take: claims come from strangers, and a land may have a hundred thousand children, each of which has as many.

use std::sync::Arc;

use super::Finding;
use super::Key;
use super::names::Names;
use sprig_engine::Watched;

/// Children that one inspection may generate. The dearest claims of honest searches take a hundredth.
const CHILDREN: u64 = 1 << 24;
/// Children between two looks at the outside: less than a millisecond.
const STRIDE: u64 = 1 << 8;
/// The same where others wait: a child of a land with a hundred letters may take ten milliseconds.
const SHORT_STRIDE: u64 = 1 << 4;

/// What is left of an inspection's share.
#[derive(Default)]
pub(super) struct Allowance {
    left: u64,
    /// Others wait for the inspection, so that it ends when it is given up.
    is_hurried: bool,
    /// What is inspected.
    land: Key,
    /// Why the inspection ended before its end.
    ended: Option<Finding>,
    watched: Option<Arc<Watched>>,
}

impl Allowance {
    /// One that also ends when it is told to.
    pub fn watched(watched: Arc<Watched>) -> Self {
        Self { watched: Some(watched), ..Self::default() }
    }

    /// The same for an inspection that others wait for.
    pub fn hurried(self) -> Self {
        Self { is_hurried: true, ..self }
    }

    /// Another inspection begins.
    pub fn renew(&mut self, land: &[u8]) {
        (self.left, self.ended) = (CHILDREN, None);
        if self.is_hurried {
            self.land = land.into();
        }
    }

    /// Those who watch.
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
