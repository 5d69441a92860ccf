//! Sends a copy of a database to storage.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context, ensure};
use object_store::{ObjectStoreExt, PutPayload, WriteMultipart};

use super::Bucket;
use super::manifest::{Manifest, Part};

/// The bytes of each piece of a large file. Servers want five million at least.
const PART: usize = 8 << 20;
/// How many pieces are on their way at once.
const AT_ONCE: usize = 3;

/// The result of sending: a backup that lies in storage.
pub struct Sent {
    /// Where it lies.
    pub backup: String,
    /// Bytes that were sent.
    pub written: u64,
    /// Bytes that were in storage already.
    pub shared: u64,
    /// Older backups that were removed.
    pub removed: Vec<String>,
}

/// What is to be sent.
pub struct Sending<'a> {
    /// The folder of the copy.
    pub copy: &'a Path,
    /// The name that the backup gets.
    pub name: &'a str,
    /// Facts in the copy.
    pub facts: u64,
    /// Whether every record of the copy was read.
    pub checked: bool,
    /// How many of the latest backups of this database to keep. Its others are removed.
    pub keep: Option<u32>,
}

/// Sends a copy. The result is empty when `stop` was set; no backup was added then.
///
/// # Errors
/// When a disk or the storage fails.
pub async fn send(
    bucket: &Bucket,
    sending: &Sending<'_>,
    stop: &AtomicBool,
    done: impl Fn(u64),
) -> anyhow::Result<Option<Sent>> {
    let Sending { copy, name, facts, checked, keep } = *sending;
    let there = bucket.parts().await?;
    let (mut written, mut shared, mut files) = (0, 0, Vec::new());
    for (name, path) in files_of(copy)? {
        let Some(part) = hashed(&path, name, stop)? else { return Ok(None) };
        if there.get(&part.blake3) == Some(&part.bytes) {
            shared += part.bytes;
        } else {
            if !put(bucket, &path, &part, stop).await? {
                return Ok(None);
            }
            written += part.bytes;
        }
        done(written + shared);
        files.push(part);
    }
    let manifest = Manifest::new(facts, checked, files);
    all_there(bucket, &manifest, &bucket.parts().await?)?;
    let payload = PutPayload::from(manifest.text());
    let put = bucket.store.put(&bucket.listing(name), payload).await;
    put.map_err(|error| bucket.told(error))?;
    let removed = match keep {
        Some(keep) => {
            let removed = remove_old(bucket, &manifest, keep as usize).await;
            removed.context("the backup is made")?
        }
        None => Vec::new(),
    };
    Ok(Some(Sent { backup: bucket.address(name), written, shared, removed }))
}

/// The files of a copy, by their names.
fn files_of(copy: &Path) -> anyhow::Result<Vec<(String, std::path::PathBuf)>> {
    let cannot = || format!("cannot read {}", copy.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(copy).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        let path = entry.path();
        if entry.file_type().with_context(cannot)?.is_file() {
            files.push((entry.file_name().to_string_lossy().into_owned(), path));
        }
    }
    files.sort();
    Ok(files)
}

/// The name, length and hash of a file; nothing when `stop` was set.
pub(super) fn hashed(path: &Path, name: String, stop: &AtomicBool) -> anyhow::Result<Option<Part>> {
    let mut hasher = blake3::Hasher::new();
    let whole = each_chunk(path, stop, |chunk| {
        hasher.update(chunk);
    })?;
    let blake3 = hasher.finalize().to_hex().to_string();
    Ok(whole.map(|bytes| Part { name, bytes, blake3 }))
}

/// Reads a file chunk by chunk, and gives its length; nothing when `stop` was set.
fn each_chunk(
    path: &Path,
    stop: &AtomicBool,
    mut chunk: impl FnMut(&[u8]),
) -> anyhow::Result<Option<u64>> {
    let cannot = || format!("cannot read {}", path.display());
    let mut file = File::open(path).with_context(cannot)?;
    let (mut buffer, mut bytes) = (vec![0; 1 << 20], 0);
    loop {
        if stop.load(Relaxed) {
            return Ok(None);
        }
        let read = file.read(&mut buffer).with_context(cannot)?;
        if read == 0 {
            return Ok(Some(bytes));
        }
        chunk(&buffer[..read]);
        bytes += read as u64;
    }
}

/// Sends a file; false when `stop` was set.
async fn put(bucket: &Bucket, path: &Path, part: &Part, stop: &AtomicBool) -> anyhow::Result<bool> {
    let cannot = || format!("cannot read {}", path.display());
    let object = bucket.part(&part.blake3);
    if part.bytes <= PART as u64 {
        let bytes = fs::read(path).with_context(cannot)?;
        let put = bucket.store.put(&object, PutPayload::from(bytes)).await;
        put.map_err(|error| bucket.told(error))?;
        return Ok(true);
    }
    let upload = bucket.store.put_multipart(&object).await.map_err(|error| bucket.told(error))?;
    let mut upload = WriteMultipart::new_with_chunk_size(upload, PART);
    let mut file = File::open(path).with_context(cannot)?;
    let mut buffer = vec![0; PART];
    loop {
        let read = file.read(&mut buffer).with_context(cannot)?;
        if read == 0 {
            break;
        }
        if stop.load(Relaxed) {
            upload.abort().await.map_err(|error| bucket.told(error))?;
            return Ok(false);
        }
        upload.write(&buffer[..read]);
        upload.wait_for_capacity(AT_ONCE).await.map_err(|error| bucket.told(error))?;
    }
    upload.finish().await.map_err(|error| bucket.told(error))?;
    Ok(true)
}

/// Checks that all parts of a backup lie in storage, each as long as it should be.
pub(super) fn all_there(
    bucket: &Bucket,
    manifest: &Manifest,
    there: &HashMap<String, u64>,
) -> anyhow::Result<()> {
    for Part { name, bytes, blake3 } in &manifest.files {
        let found = there.get(blake3);
        ensure!(
            found == Some(bytes),
            "{name} is not whole in {}: {bytes} bytes are wanted, and {}",
            bucket.address("parts"),
            found.map_or("it is not there".to_owned(), |bytes| format!("{bytes} are there"))
        );
    }
    Ok(())
}

/// Removes the oldest backups of the database of `made` until `keep` are left, and then the parts
/// that no backup needs. What does not tell its database may be the only backup of another one.
async fn remove_old(bucket: &Bucket, made: &Manifest, keep: usize) -> anyhow::Result<Vec<String>> {
    let Some(made) = bucket.origin(made).await? else { return Ok(Vec::new()) };
    let (mut own, mut needed) = (Vec::new(), BTreeSet::new());
    for name in bucket.names().await? {
        // A list that cannot be read hides which parts it needs, so the error comes before
        // anything is removed.
        let unread = || {
            format!(
                "nothing is removed by --keep until {} can be read or is gone",
                bucket.address(&format!("{name}.json"))
            )
        };
        let manifest = bucket.manifest(&name).await.with_context(unread)?;
        let origin = bucket.origin(&manifest).await?;
        if origin.is_some_and(|origin| origin.is_of_same(&made)) {
            own.push((name, manifest));
        } else {
            needed.extend(hashes(manifest));
        }
    }
    let kept = own.split_off(own.len().saturating_sub(keep));
    needed.extend(kept.into_iter().flat_map(|(_, manifest)| hashes(manifest)));
    let mut removed = Vec::new();
    for (name, _) in own {
        let gone = bucket.store.delete(&bucket.listing(&name)).await;
        gone.map_err(|error| bucket.told(error))?;
        removed.push(bucket.address(&name));
    }
    for hash in bucket.parts().await?.into_keys().filter(|hash| !needed.contains(hash)) {
        let gone = bucket.store.delete(&bucket.part(&hash)).await;
        gone.map_err(|error| bucket.told(error))?;
    }
    Ok(removed)
}

/// The hashes of the parts that a backup needs.
fn hashes(manifest: Manifest) -> impl Iterator<Item = String> {
    manifest.files.into_iter().map(|file| file.blake3)
}
