//! Followers, and the end of a coordinator in whose place one was promoted.

use sprig_proto::ClusterStatus;
use sprig_store::StoreError;
use tracing::warn;

use super::{Driver, Inbound};
use crate::Error;

impl Driver {
    /// Ends the coordinator when a peer shows that a follower was promoted in its place. Only the
    /// owner can have made the proof, so it does not matter which peer shows it.
    pub(super) fn goes_on(&self, inbound: &Inbound) -> Result<(), Error> {
        let heard = match inbound {
            Inbound::Joined { hello, .. } => hello.reign,
            Inbound::Reigns(reign) => Some(*reign),
            _ => None,
        };
        let Some(by) = heard.filter(|by| by.succeeds(&self.reign)) else { return Ok(()) };
        if !self.store.vouches(&by) {
            warn!(%by, "a promotion is not believed: it was not made with the seal key of this coordinator");
            return Ok(());
        }
        self.store.succeeded(&by)?;
        Err(StoreError::Succeeded { dir: self.store.dir().into(), by }.into())
    }

    /// Fills in what the machine does not know.
    pub(super) fn describe(&self, status: &mut ClusterStatus) {
        status.followers = self.followers.statuses(self.store.next_sequence().0);
        status.sync_followers = u32::try_from(self.followers.wanted()).unwrap_or(u32::MAX);
        status.withheld = self.followers.is_withheld();
    }
}
