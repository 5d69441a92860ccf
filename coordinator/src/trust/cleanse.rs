//! Looking at every claim there is. Nothing else is written meanwhile: the cluster is suspended.

use std::sync::atomic::AtomicBool;

use sprig_store::{Store, StoreError};
use tracing::warn;

use super::Suspicion;
use super::court::{Cleansed, Court};
use crate::record;

/// Looks at every claim of `store`; verifies or withdraws it.
pub(super) fn cleanse(
    store: &Store,
    suspicion: &Suspicion,
    stop: &AtomicBool,
) -> Result<Cleansed, StoreError> {
    warn!("the cluster is suspended until every claim has been looked at: {}", suspicion.reason);
    let mut court = Court::new(store);
    match sprig_audit::revalidate(store, &record::checker(), &mut court, stop)? {
        Some(claims) => court.end(suspicion, claims),
        None => Ok(Cleansed::STOPPED),
    }
}
