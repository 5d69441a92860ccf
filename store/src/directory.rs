//! The directory of a database: is it ours, is its version ours, and is it free?
//!
//! All of this is settled before RocksDB sees the directory, since RocksDB would write into a
//! stranger's database to find out.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sprig_engine::CANONICAL_VERSION;

use crate::StoreError;
use crate::least::{Least, RECORD};

/// Version of the layout in `docs/store-format.md`. It changes whenever an older program would
/// misread a newer database, or the other way round.
pub const FORMAT_VERSION: u32 = 2;

pub(crate) const STAMP: &str = "SPRIG";
const STAMP_DRAFT: &str = "SPRIG.new";
const RECORD_DRAFT: &str = "RECORD.new";
const LOCK: &str = "sprig.lock";
/// The file by which RocksDB finds its tables.
const HEAD: &str = "CURRENT";
/// Longest of our own files that is read, in bytes.
const LONGEST: u64 = 4096;
const MAGIC: &str = "Sprig database";

/// The locks of a database, held for as long as they exist. The operating system drops them when
/// the process ends, however it ends.
pub(crate) struct Claim {
    /// The lock file. It can be deleted, and then another process makes a new one, but programs
    /// before seals know no other lock.
    _file: File,
    /// The directory itself, locked, too: it cannot be replaced.
    dir: File,
}

/// Where Linux shows the open files of this process.
pub(crate) const OPEN_FILES: &str = "/proc/self/fd/";

impl Claim {
    /// A way to the directory that was claimed, even if it is moved and something else takes its
    /// place: RocksDB opens its files by path. Without `/proc`, it is `dir` itself.
    pub(crate) fn path(&self, dir: &Path) -> PathBuf {
        let held = PathBuf::from(format!("{OPEN_FILES}{}", self.dir.as_raw_fd()));
        if held.is_dir() { held } else { dir.into() }
    }
}

/// The list of tables that counts, and how long it is: it grows with every table that comes or
/// goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    pub(crate) manifest: String,
    pub(crate) bytes: u64,
}

impl Head {
    pub(crate) fn read(dir: &Path) -> Result<Self, StoreError> {
        let damaged = |detail: String| StoreError::Damaged { dir: dir.into(), detail };
        let head = read(dir, HEAD)?.ok_or_else(|| damaged(format!("file {HEAD} is missing")))?;
        let manifest = head.trim_end().to_owned();
        if !manifest.starts_with("MANIFEST-") || manifest.contains('/') {
            return Err(damaged(format!("file {HEAD} names no list of tables")));
        }
        let found = fs::symlink_metadata(dir.join(&manifest));
        let found = found.map_err(|_| damaged(format!("file {manifest} is missing")))?;
        Ok(Self { manifest, bytes: found.len() })
    }
}

/// The process that has the database open to write, if there is one: RocksDB's own lock tells
/// which.
pub(crate) fn writer(dir: &Path) -> Option<u32> {
    let file = OpenOptions::new().read(true).custom_flags(flags()).open(dir.join("LOCK")).ok()?;
    let wish = rustix::process::Flock::from(rustix::process::FlockType::ReadLock);
    let held = rustix::process::fcntl_getlk(file, &wish).ok()??;
    held.pid.map(|pid| pid.as_raw_nonzero().get().cast_unsigned())
}

/// What the record of `dir` says, after a comparison with what can be seen without opening the
/// database: whether there is one at all, and whether its list of tables is whole. A database with
/// seals has a record.
pub(crate) fn recorded(dir: &Path, is_sealed: bool) -> Result<Option<Least>, StoreError> {
    let least = Least::read(dir)?;
    let is_there = has_tables(dir);
    let unrecorded = |what: String| Err(StoreError::Unrecorded { dir: dir.into(), what });
    match &least {
        None if is_there && !is_sealed => {}
        None => return unrecorded(format!("file {RECORD} is missing")),
        Some(least) if is_there => least.check_head(dir, &Head::read(dir)?)?,
        Some(least) if least.epoch == 0 => {}
        Some(least) => {
            return unrecorded(format!(
                "file {HEAD} is missing, and there were at least {} facts on {}",
                least.facts,
                least.time.date()
            ));
        }
    }
    Ok(least)
}

/// Makes `dir` a database directory or checks that it is one, and locks it.
pub(crate) fn claim(dir: &Path) -> Result<Claim, StoreError> {
    let at = |e: io::Error| StoreError::from_io(dir, &e);
    // Its content is for its owner.
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => StoreError::NotADirectory { dir: dir.into() },
        _ => at(e),
    })?;
    refuse_foreign(dir)?;
    let claim = lock(dir)?;
    match read(dir, STAMP)? {
        Some(stamp) => check(dir, &stamp)?,
        None => {
            // The record comes first, so that a stamped directory always has one.
            Least::default().write(dir)?;
            write_stamp(dir)?;
        }
    }
    Ok(claim)
}

/// Locks an existing database directory, whatever is missing in it.
pub(crate) fn claim_as_it_is(dir: &Path) -> Result<Claim, StoreError> {
    let stamp = read(dir, STAMP)?.ok_or_else(|| StoreError::Absent { dir: dir.into() })?;
    let claim = lock(dir)?;
    check(dir, &stamp)?;
    Ok(claim)
}

/// Whether RocksDB would find tables in `dir`.
pub(crate) fn has_tables(dir: &Path) -> bool {
    dir.join(HEAD).exists()
}

/// Checks that `dir` is a database directory, without leaving a trace.
pub(crate) fn inspect(dir: &Path) -> Result<(), StoreError> {
    let absent = || StoreError::Absent { dir: dir.into() };
    match fs::metadata(dir) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(StoreError::NotADirectory { dir: dir.into() }),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(absent()),
        Err(e) => return Err(StoreError::from_io(dir, &e)),
    }
    refuse_foreign(dir)?;
    check(dir, &read(dir, STAMP)?.ok_or_else(absent)?)?;
    // Its first start was cut short.
    match has_tables(dir) || Least::read(dir)?.is_none_or(|least| least.epoch > 0) {
        true => Ok(()),
        false => Err(absent()),
    }
}

/// The flags with which our files are opened: links are not followed out of the directory, and
/// opening a pipe does not wait for its writer.
fn flags() -> i32 {
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()
}

/// Opens a file of a database to read it. A link is refused.
pub(crate) fn open_file(dir: &Path, name: &str) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(flags()).open(dir.join(name))
}

/// The text of one of our files; `None` if there is no such file.
pub(crate) fn read(dir: &Path, name: &str) -> Result<Option<String>, StoreError> {
    let file = match open_file(dir, name) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(refused(dir, name, &e)),
    };
    let at = |e: io::Error| StoreError::from_io(dir, &e);
    let damaged = |detail: String| StoreError::Damaged { dir: dir.into(), detail };
    let found = file.metadata().map_err(at)?;
    if !found.is_file() || found.len() > LONGEST {
        return Err(damaged(format!("file {name} is no file of at most {LONGEST} bytes")));
    }
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text).map_err(at)?;
    String::from_utf8(text).map(Some).map_err(|_| damaged(format!("file {name} is no text")))
}

/// Puts one of our files in place of what was there, synced: after a crash it is the old one or the
/// new one.
pub(crate) fn replace(dir: &Path, name: &str, text: &str) -> Result<(), StoreError> {
    let draft = format!("{name}.new");
    let path = dir.join(&draft);
    let made = || {
        // A draft that was left behind may be a link of a stranger.
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o640).custom_flags(flags());
        let mut file = options.open(&path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&path, dir.join(name))?;
        File::open(dir)?.sync_all()
    };
    made().map_err(|e| refused(dir, &draft, &e))
}

/// The error of opening the file `name` of `dir`.
fn refused(dir: &Path, name: &str, error: &io::Error) -> StoreError {
    if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        let what = format!("not safe to use: its file `{name}` is a symbolic link");
        return StoreError::Foreign { dir: dir.into(), what };
    }
    StoreError::from_io(dir, error)
}

/// Names of what lies in `dir`, except what says nothing about it.
fn contents(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    // A file system of its own has lost+found at its root; the others are left by a first start
    // that was killed before the stamp.
    names.retain(|name| ![LOCK, STAMP_DRAFT, RECORD_DRAFT, "lost+found"].contains(&name.as_str()));
    names.sort();
    Ok(names)
}

fn refuse_foreign(dir: &Path) -> Result<(), StoreError> {
    let names = contents(dir).map_err(|e| StoreError::from_io(dir, &e))?;
    let has = |name: &str| names.iter().any(|n| n == name);
    if names.is_empty() || has(STAMP) {
        return Ok(());
    }
    if has(RECORD) && Least::read(dir)?.is_some_and(|least| least.epoch > 0) {
        let detail = format!("file {STAMP} is missing");
        return Err(StoreError::Damaged { dir: dir.into(), detail });
    }
    if names == [RECORD] {
        return Ok(());
    }
    let what = if has(HEAD) {
        "a RocksDB database that Sprig did not write".into()
    } else {
        format!("not a Sprig database and not empty (it holds `{}`)", names[0].escape_debug())
    };
    Err(StoreError::Foreign { dir: dir.into(), what })
}

/// Locks `dir` against other processes that write.
fn lock(dir: &Path) -> Result<Claim, StoreError> {
    let at = |e: io::Error| StoreError::from_io(dir, &e);
    let held = File::open(dir).map_err(at)?;
    try_lock(dir, &held)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(0o640).custom_flags(flags());
    let mut file = options.open(dir.join(LOCK)).map_err(|e| refused(dir, LOCK, &e))?;
    try_lock(dir, &file)?;
    // The number is only a hint for the error message of another process.
    let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    Ok(Claim { _file: file, dir: held })
}

fn try_lock(dir: &Path, file: &File) -> Result<(), StoreError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            let hint = read(dir, LOCK).ok().flatten();
            let pid = hint.and_then(|text| text.trim().parse().ok());
            Err(StoreError::InUse { dir: dir.into(), pid })
        }
        Err(TryLockError::Error(e)) => Err(StoreError::from_io(dir, &e)),
    }
}

fn write_stamp(dir: &Path) -> Result<(), StoreError> {
    let stamp = format!(
        "{MAGIC}\nformat {FORMAT_VERSION}\ncanonical {CANONICAL_VERSION}\nwriter sprig {}\n",
        env!("CARGO_PKG_VERSION")
    );
    replace(dir, STAMP, &stamp)?;
    // The name of the directory itself must survive, too.
    let synced = dir.canonicalize().and_then(|dir| match dir.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    });
    synced.map_err(|e| StoreError::from_io(dir, &e))
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

/// RocksDB creates a database where it finds no file `CURRENT`. That is right when the first start
/// was cut short. But when the file was lost, it would bury the facts.
fn refuse_headless(dir: &Path) -> Result<(), StoreError> {
    let names = contents(dir).map_err(|e| StoreError::from_io(dir, &e))?;
    let data = names.iter().find(|name| name.ends_with(".sst") || name.ends_with(".log"));
    match data {
        Some(data) if !names.iter().any(|name| name == HEAD) => Err(StoreError::Damaged {
            dir: dir.into(),
            detail: format!("file {HEAD} is missing beside {data}"),
        }),
        _ => Ok(()),
    }
}
