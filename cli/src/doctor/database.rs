//! The database, its key, and the disk under them.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{statfs, statvfs};
use sprig_ask::plural;
use sprig_store::{Reader, Secret, UnixMillis};

use super::Finding;
use crate::seal;

/// Synced writes that are timed.
const WRITES: usize = 15;
/// A disk that takes longer than this for a write slows workers down.
const SLOW: Duration = Duration::from_millis(50);
/// With fewer free bytes a coordinator may stop any day.
const LEAST_FREE: u64 = 256 << 20;

/// What to do about a database that cannot be read, where the error does not say it.
const UNREAD: &str = "run this as the user of the coordinator; if that does not help, restore a backup (`sprig restore`)";

/// File systems on which a database is not safe or not fast, by their numbers in Linux.
const DOUBTFUL: [(u64, &str); 5] = [
    (0x0102_1994, "tmpfs: it is gone after a restart"),
    (0x794c_7630, "the layers of a container: it is gone with the container"),
    (0x6969, "NFS: slow, and its locks can be lost"),
    (0xff53_4d42, "CIFS: slow, and its locks can be lost"),
    (0x0102_1997, "9p: slow"),
];

/// Looks at the database in a folder, or at the place for one.
pub fn database(folder: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let key = seal::there(folder);
    match &key {
        Ok((path, Some(_))) => {
            findings.push(Finding::good("seal key", path.display().to_string()));
        }
        Ok((path, None)) => findings.push(Finding::warning(
            "seal key",
            format!("there is none at {}", path.display()),
            "one is made on first use; facts that were sealed with another are claims then: bring it back (SPRIG_SEAL_KEY)",
        )),
        Err(error) => findings.push(Finding::error("seal key", error, "bring the key (SPRIG_SEAL_KEY), readable by its owner alone")),
    }
    if !folder.exists() {
        let detail = format!("there is none in {} yet", folder.display());
        findings.push(Finding::good("database", detail));
        let above = folder.ancestors().find(|above| above.exists()).unwrap_or(Path::new("."));
        findings.extend(disk(above));
        return findings;
    }
    let secret = key.ok().and_then(|(_, secret)| secret).unwrap_or_else(Secret::random);
    match Reader::open(folder, &secret) {
        Ok(reader) => findings.extend(held(&reader)),
        Err(error) => findings.push(Finding::error("database", &error.into(), UNREAD)),
    }
    findings.extend(disk(folder));
    findings
}

fn held(reader: &Reader) -> Vec<Finding> {
    let about = "database";
    let mut findings = Vec::new();
    match reader.worth() {
        Ok(worth) => {
            let (verified, claimed) = (worth.verified.total(), worth.claimed.total());
            let detail = format!(
                "{}, format {}, {}, {}",
                reader.dir().display(),
                sprig_store::FORMAT_VERSION,
                plural(verified, "verified fact"),
                plural(claimed, "claim")
            );
            findings.push(if verified == 0 && claimed > 0 {
                // A key is missing only where something was sealed.
                let remedy = match reader.sealed_by_others() {
                    Ok(0) => "nothing is verified yet, and nothing is answered from claims: check them (`sprig audit`)",
                    _ => "nothing is answered from claims: bring the seal key of its owner (SPRIG_SEAL_KEY), or check them (`sprig audit`)",
                };
                Finding::warning(about, detail, remedy)
            } else {
                Finding::good(about, detail)
            });
        }
        Err(error) => findings.push(Finding::error(about, &error.into(), UNREAD)),
    }
    match reader.following() {
        Ok(Some(following)) => findings.push(Finding::good(
            "following",
            format!("it is a copy, of the coordinator at {}", following.url),
        )),
        Ok(None) => {}
        Err(error) => findings.push(Finding::error("following", &error.into(), UNREAD)),
    }
    match reader.successor() {
        Ok(Some(by)) => findings.push(Finding::warning(
            "succession",
            format!("it leads no more: a follower was promoted in its place, to {by}"),
            "hand in what it alone has to the coordinator that leads (`sprig hand-in`), then remove it",
        )),
        Ok(None) => {}
        Err(error) => findings.push(Finding::error("succession", &error.into(), UNREAD)),
    }
    let writer = match reader.writer_process() {
        Some(pid) => format!("process {pid} writes to it"),
        None => "nobody writes to it".to_owned(),
    };
    findings.push(Finding::good("lock", writer));
    let (now, least) = (UnixMillis::now(), reader.least());
    if let Some(least) = least.filter(|least| least.time.0 > now.0 + 60_000) {
        findings.push(Finding::warning(
            "clock",
            format!("the database was written on {}, which is to come", least.time.date()),
            "set the clock of this machine right",
        ));
    }
    findings
}

fn disk(folder: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Ok(found) = statvfs(folder) {
        let (free, all) = (found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize);
        let share = 100 * free / all.max(1);
        let detail = format!("{} MB of {} MB are free ({share} %)", free >> 20, all >> 20);
        let remedy = "enlarge the disk, or move the database (docs/operations.md); a coordinator without space stops";
        findings.push(match () {
            () if free < LEAST_FREE || share < 3 => Finding::bad("disk", detail, remedy),
            () if share < 20 => Finding::warning("disk", detail, remedy),
            () => Finding::good("disk", detail),
        });
    }
    if let Ok(found) = statfs(folder) {
        let kind = u64::from(found.f_type as u32);
        if let Some((_, what)) = DOUBTFUL.iter().find(|(number, _)| *number == kind) {
            let remedy = "put the database on a disk of its own";
            findings.push(Finding::warning("file system", *what, remedy));
        }
    }
    findings.push(match synced(folder) {
        Ok(time) => {
            let detail = format!("a synced write takes {:.1} ms", time.as_secs_f64() * 1e3);
            if time > SLOW {
                let remedy = "what workers report waits for this: take a disk that syncs faster";
                Finding::warning("sync", detail, remedy)
            } else {
                Finding::good("sync", detail)
            }
        }
        Err(error) => Finding::bad(
            "sync",
            format!("cannot write to {}: {error}", folder.display()),
            "let the user of the coordinator write there",
        ),
    });
    findings
}

/// The median time of a small write that is synced, in a file that has no name.
fn synced(folder: &Path) -> std::io::Result<Duration> {
    let mut file = tempfile::tempfile_in(folder)?;
    let mut times = Vec::new();
    for _ in 0..WRITES {
        let begun = Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    times.sort();
    Ok(times[WRITES / 2])
}
