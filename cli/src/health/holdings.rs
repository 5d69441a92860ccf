//! What the owner of a process must keep in order: certificates that end, and the disk of a
//! database.

use std::collections::BTreeMap;
#[cfg(feature = "coordinator")]
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use sprig_proto::Access;
use tracing::warn;

use crate::x509;

/// Seconds of a day.
const DAY: i64 = 86_400;
/// Days before its end when the log speaks of a certificate, as the alert does.
const SOON: i64 = 14;

/// When the certificates of this process end, in seconds since 1970.
static ENDS: Mutex<BTreeMap<Holder, i64>> = Mutex::new(BTreeMap::new());

/// The owner of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// The process itself, which others know by it.
    Own,
    /// The authority by which the process knows the coordinator.
    Authority,
    /// The authority by which a coordinator knows its clients.
    #[cfg(feature = "coordinator")]
    ClientAuthority,
}

impl Holder {
    fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Authority => "authority",
            #[cfg(feature = "coordinator")]
            Self::ClientAuthority => "client authority",
        }
    }
}

/// Notes the certificates of a PEM text that this process uses from now on. The one that ends first
/// counts.
pub fn uses(holder: Holder, pem: &str) {
    let mut ends = ENDS.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(end) = x509::first_end(pem) else {
        ends.remove(&holder);
        return;
    };
    ends.insert(holder, end);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let left = (end - now as i64).div_euclid(DAY);
    if left < SOON {
        let certificate = holder.name();
        warn!(
            certificate,
            days = left,
            "a certificate ends soon, or has ended: `sprig certs DIR --renew`"
        );
    }
}

/// Notes the certificates by which a worker or a follower connects.
pub fn gets_in_by(access: &Access) {
    if let Some(tls) = &access.tls {
        uses(Holder::Authority, &tls.authority);
        uses(Holder::Own, tls.own.as_ref().map_or("", |(certificate, _)| certificate));
    }
}

/// Registers when the certificates end.
pub fn certificates(registry: &mut Registry) {
    let ends = ENDS.lock().unwrap_or_else(PoisonError::into_inner);
    let family = Family::<Vec<(String, String)>, Gauge>::default();
    for (holder, end) in &*ends {
        let label = vec![("certificate".to_owned(), holder.name().to_owned())];
        family.get_or_create(&label).set(*end);
    }
    let help = "When the certificates end that it uses, since 1970";
    registry.register("sprig_certificate_end_timestamp_seconds", help, family);
}

/// A process, with the folder of its database.
#[cfg(feature = "coordinator")]
#[derive(Clone)]
pub struct WithDatabase<W> {
    pub process: W,
    pub folder: PathBuf,
}

#[cfg(feature = "coordinator")]
impl<W: super::Watched> super::Watched for WithDatabase<W> {
    fn is_ready(&self) -> impl Future<Output = bool> + Send {
        self.process.is_ready()
    }

    async fn register(&self, registry: &mut Registry) -> bool {
        disk(&self.folder, registry);
        self.process.register(registry).await
    }
}

/// Registers the bytes of a database, the bytes left on its disk, and the time of the last backup.
#[cfg(feature = "coordinator")]
pub fn disk(folder: &Path, registry: &mut Registry) {
    use prometheus_client::metrics::gauge::ConstGauge;

    let registry = registry.sub_registry_with_prefix("sprig_database");
    // A number that cannot be found out is left out.
    let bytes = crate::database::bytes_of(folder).ok();
    let free = rustix::fs::statvfs(folder).ok().map(|disk| disk.f_bavail * disk.f_frsize);
    let backup = sprig_store::last_backup(folder).map(|time| time.0 / 1000);
    for (name, help, value) in [
        ("bytes", "Bytes of the files of its database", bytes),
        ("disk_free_bytes", "Bytes that it can still write on that disk", free),
        ("backup_timestamp_seconds", "When the last backup of it was taken, since 1970", backup),
    ] {
        if let Some(value) = value {
            registry.register(name, help, ConstGauge::new(value as i64));
        }
    }
}
