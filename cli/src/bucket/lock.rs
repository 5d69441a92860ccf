//! One backup at a time: an object in storage names the process that makes one.

use std::time::Duration;

use anyhow::{anyhow, bail};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use sprig_store::UnixMillis;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tracing::warn;

use super::Bucket;

/// The name of the object.
const NAME: &str = "lock";
/// How often the holder renews the lock.
const PERIOD: Duration = Duration::from_secs(5 * 60);
/// After this long without a renewal the holder is taken to be gone.
const STALE: Duration = Duration::from_secs(3600);

/// A lock that is held until it is dropped or released.
pub struct Lock {
    renewal: JoinHandle<()>,
}

impl Lock {
    /// Takes the lock of a place for backups.
    ///
    /// # Errors
    /// When another process holds it, or the place cannot be written.
    pub async fn take(bucket: &Bucket) -> anyhow::Result<Self> {
        let text = text();
        let path = bucket.prefix.clone().join(NAME);
        let create = PutMode::Create.into();
        let payload = PutPayload::from(text.clone().into_bytes());
        match bucket.store.put_opts(&path, payload.clone(), create).await {
            Ok(_) => {}
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => {
                let held = bucket.store.get(&path).await.map_err(|error| bucket.told(error))?;
                let UnixMillis(now) = UnixMillis::now();
                let written =
                    u64::try_from(held.meta.last_modified.timestamp_millis()).unwrap_or(0);
                let silent = Duration::from_millis(now.saturating_sub(written));
                let holder = held.bytes().await.map_err(|error| bucket.told(error))?;
                let holder = String::from_utf8_lossy(&holder).into_owned();
                // If the holder is this process, the reply to its own request was lost.
                if holder != text && silent < STALE {
                    bail!(
                        "another backup to {} is being made ({}, {} s ago); wait for it, or remove the object {} if it was killed",
                        bucket.address(""),
                        holder.trim(),
                        silent.as_secs(),
                        bucket.address(NAME)
                    )
                }
                let put = bucket.store.put(&path, payload.clone()).await;
                put.map_err(|error| bucket.told(error))?;
            }
            Err(Error::NotImplemented { .. } | Error::NotSupported { .. }) => {
                warn!("this storage cannot lock; see that one backup is made at a time");
            }
            Err(error) => return Err(anyhow!(bucket.told(error))),
        }
        let store = bucket.store.clone();
        let renewed = path.clone();
        let renewal = tokio::spawn(async move {
            loop {
                sleep(PERIOD).await;
                if let Err(error) = store.put(&renewed, payload.clone()).await {
                    warn!("the lock could not be renewed: {error}");
                }
            }
        });
        Ok(Self { renewal })
    }

    /// Gives the lock back. If that fails, the lock is stale after an hour.
    pub async fn release(self, bucket: &Bucket) {
        self.renewal.abort();
        let path: Path = bucket.prefix.clone().join(NAME);
        if let Err(error) = bucket.store.delete(&path).await {
            warn!("the lock could not be given back: {error}");
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}

/// The text of the lock: who holds it. No two processes write the same.
fn text() -> String {
    let (name, process) = (crate::connect::machine(), std::process::id());
    let (since, number) = (UnixMillis::now().date(), fastrand::u64(..));
    format!("process {process} of {name} since {since}, number {number:016x}\n")
}
