//! The directory of a database: is it ours, is its version ours, and is it free?
//!
//! All of this is settled before RocksDB sees the directory, since RocksDB would write into a stranger's database
//! to find out.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;

use sprig_engine::CANONICAL_VERSION;

use crate::StoreError;

/// Version of the layout in `docs/store-format.md`. It changes whenever an older program would misread a newer
/// database, or the other way round.
pub const FORMAT_VERSION: u32 = 2;

const STAMP: &str = "SPRIG";
const STAMP_DRAFT: &str = "SPRIG.new";
const LOCK: &str = "sprig.lock";
const MAGIC: &str = "Sprig database";

/// Makes `dir` a database directory or checks that it is one, and locks it for as long as the file is open.
pub(crate) fn claim(dir: &Path) -> Result<File, StoreError> {
    let at = |e: io::Error| StoreError::from_io(dir, &e);
    fs::create_dir_all(dir).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => StoreError::NotADirectory { dir: dir.into() },
        _ => at(e),
    })?;
    refuse_foreign(dir)?;
    let lock = lock(dir)?;
    match fs::read_to_string(dir.join(STAMP)) {
        Ok(stamp) => check(dir, &stamp)?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => write_stamp(dir).map_err(at)?,
        Err(e) => return Err(at(e)),
    }
    Ok(lock)
}

/// Names of what lies in `dir`, except what says nothing about it.
fn contents(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    // A file system of its own has lost+found at its root; the others are what a first start leaves that was
    // killed before the stamp.
    names.retain(|name| ![LOCK, STAMP_DRAFT, "lost+found"].contains(&name.as_str()));
    names.sort();
    Ok(names)
}

fn refuse_foreign(dir: &Path) -> Result<(), StoreError> {
    let names = contents(dir).map_err(|e| StoreError::from_io(dir, &e))?;
    let has = |name: &str| names.iter().any(|n| n == name);
    if names.is_empty() || has(STAMP) {
        return Ok(());
    }
    let what = if has("CURRENT") {
        "a RocksDB database that Sprig did not write".into()
    } else {
        format!("not a Sprig database and not empty (it holds `{}`)", names[0].escape_debug())
    };
    Err(StoreError::Foreign { dir: dir.into(), what })
}

/// Locks `dir` against other processes. The operating system drops the lock when this process ends, however it ends.
fn lock(dir: &Path) -> Result<File, StoreError> {
    let at = |e: io::Error| StoreError::from_io(dir, &e);
    let path = dir.join(LOCK);
    let mut file =
        OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(at)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let pid = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
            return Err(StoreError::InUse { dir: dir.into(), pid });
        }
        Err(TryLockError::Error(e)) => return Err(at(e)),
    }
    // The number is only a hint for the error message of another process.
    let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    Ok(file)
}

fn write_stamp(dir: &Path) -> io::Result<()> {
    let draft = dir.join(STAMP_DRAFT);
    let mut file = File::create(&draft)?;
    writeln!(file, "{MAGIC}")?;
    writeln!(file, "format {FORMAT_VERSION}")?;
    writeln!(file, "canonical {CANONICAL_VERSION}")?;
    writeln!(file, "writer sprig {}", env!("CARGO_PKG_VERSION"))?;
    file.sync_all()?;
    fs::rename(&draft, dir.join(STAMP))?;
    File::open(dir)?.sync_all()?;
    // The name of the directory itself has to survive, too.
    match dir.canonicalize()?.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

fn check(dir: &Path, stamp: &str) -> Result<(), StoreError> {
    let damaged = |detail: String| StoreError::Damaged { dir: dir.into(), detail };
    let field = |name: &str| {
        let value = stamp.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.ok_or_else(|| damaged(format!("file {STAMP} has no line `{name}`")))
    };
    if stamp.lines().next() != Some(MAGIC) {
        return Err(damaged(format!("file {STAMP} does not begin with `{MAGIC}`")));
    }
    for (name, what, ours) in
        [("format", "format", FORMAT_VERSION), ("canonical", "canonical form", CANONICAL_VERSION)]
    {
        let found = field(name)?
            .parse::<u32>()
            .map_err(|_| damaged(format!("file {STAMP} has no number on its line `{name}`")))?;
        let (dir, writer) = (dir.to_path_buf(), field("writer").unwrap_or("unknown").to_owned());
        if found > ours {
            return Err(StoreError::Newer { dir, what, found, ours, writer });
        }
        if found < ours {
            return Err(StoreError::Older { dir, what, found, ours, writer });
        }
    }
    refuse_headless(dir)
}

/// RocksDB creates a database where it finds no file `CURRENT`. That is right when the first start was cut short,
/// and would bury the facts when the file was lost.
fn refuse_headless(dir: &Path) -> Result<(), StoreError> {
    let names = contents(dir).map_err(|e| StoreError::from_io(dir, &e))?;
    let data = names.iter().find(|name| name.ends_with(".sst") || name.ends_with(".log"));
    match data {
        Some(data) if !names.iter().any(|name| name == "CURRENT") => Err(StoreError::Damaged {
            dir: dir.into(),
            detail: format!("file CURRENT is missing beside {data}"),
        }),
        _ => Ok(()),
    }
}
