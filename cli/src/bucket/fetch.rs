//! Fetches a backup from storage.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context, bail};
use object_store::{GetOptions, GetRange, ObjectStore};
use tokio_stream::StreamExt;

use super::Bucket;
use super::manifest::Part;
use super::send::{all_there, hashed};

/// How often the rest of a file is asked for, when the connection is lost in the middle of it.
const ATTEMPTS: usize = 6;

/// Fetches a backup into a folder. Files that an earlier attempt has left there are used. Every
/// file is compared with its hash. The result is empty when `stop` was set. `started` is told how
/// many bytes there are, `done` how many have come.
///
/// # Errors
/// When the backup is not whole, or a disk or the storage fails.
pub async fn fetch(
    bucket: &Bucket,
    name: &str,
    into: &Path,
    stop: &AtomicBool,
    started: impl FnOnce(u64),
    done: impl Fn(u64),
) -> anyhow::Result<Option<()>> {
    let manifest = bucket.manifest(name).await?;
    let cut = || format!("{} is no whole backup; name an earlier one", bucket.address(name));
    all_there(bucket, &manifest, &bucket.parts().await?).with_context(cut)?;
    let cannot = || format!("cannot write to {}", into.display());
    DirBuilder::new().recursive(true).mode(0o700).create(into).with_context(cannot)?;
    remove_others(into, &manifest.files).with_context(cannot)?;
    started(manifest.bytes());
    let mut before = 0;
    for part in &manifest.files {
        if !file(bucket, part, into, stop, |bytes| done(before + bytes)).await? {
            return Ok(None);
        }
        before += part.bytes;
        done(before);
    }
    File::open(into).and_then(|folder| folder.sync_all()).with_context(cannot)?;
    Ok(Some(()))
}

/// Removes files of other backups, as they would be taken for parts of this one.
fn remove_others(folder: &Path, files: &[Part]) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !files.iter().any(|file| file.name == name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Fetches the missing part of a file. False when `stop` was set.
async fn file(
    bucket: &Bucket,
    part: &Part,
    into: &Path,
    stop: &AtomicBool,
    done: impl Fn(u64),
) -> anyhow::Result<bool> {
    let path = into.join(&part.name);
    let cannot = || format!("cannot write to {}", path.display());
    let mut failures = 0;
    loop {
        let have = fs::metadata(&path).map_or(0, |found| found.len());
        if have >= part.bytes && path.exists() {
            break;
        }
        match rest(bucket, part, &path, have, stop, &done).await {
            Ok(true) if fs::metadata(&path).map_or(0, |found| found.len()) > have => {}
            Ok(true) if part.bytes == 0 => {}
            Ok(true) if failures + 1 < ATTEMPTS => failures += 1,
            Ok(true) => bail!("{} does not come, though it is there", bucket.part(&part.blake3)),
            Ok(false) => return Ok(false),
            Err(Broken::Disk(error)) => return Err(error).with_context(cannot),
            Err(Broken::Storage(error)) if failures + 1 >= ATTEMPTS => {
                return Err(bucket.told(error));
            }
            Err(Broken::Storage(_)) => failures += 1,
        }
    }
    let Some(Part { blake3: hash, .. }) = hashed(&path, part.name.clone(), stop)? else {
        return Ok(false);
    };
    if hash != part.blake3 {
        fs::remove_file(&path).with_context(cannot)?;
        bail!(
            "{} has come with other bytes than were sent: the object {} is damaged, or the connection; try again, or name an earlier backup",
            part.name,
            bucket.address(&format!("parts/{}", part.blake3))
        );
    }
    Ok(true)
}

enum Broken {
    Disk(std::io::Error),
    Storage(object_store::Error),
}

/// Fetches a file from byte `have` on, until it is whole or the connection is lost. False when
/// `stop` was set.
async fn rest(
    bucket: &Bucket,
    part: &Part,
    path: &Path,
    have: u64,
    stop: &AtomicBool,
    done: &impl Fn(u64),
) -> Result<bool, Broken> {
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let mut file = file.map_err(Broken::Disk)?;
    if part.bytes == 0 {
        return Ok(true);
    }
    let options = GetOptions { range: Some(GetRange::Offset(have)), ..GetOptions::default() };
    let got = bucket.store.get_opts(&bucket.part(&part.blake3), options).await;
    let mut stream = got.map_err(Broken::Storage)?.into_stream();
    let mut written = have;
    while let Some(chunk) = stream.next().await {
        if stop.load(Relaxed) {
            return Ok(false);
        }
        let chunk = chunk.map_err(Broken::Storage)?;
        file.write_all(&chunk).map_err(Broken::Disk)?;
        written += chunk.len() as u64;
        done(written);
    }
    file.sync_all().map_err(Broken::Disk)?;
    Ok(true)
}
