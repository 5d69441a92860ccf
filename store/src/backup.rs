//! Copies of a database, also while a process writes to it.
//!
//! A table never changes once it is whole. So most of a copy is taken without haste, and a copy
//! shares its tables with an earlier one of the same database. The files that do change, the list
//! of tables and the logs of writes, are copied at the end, and again until nothing was written in
//! between. A copy is a database: every command reads it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::directory::{self, Head, STAMP};
use crate::least::{Least, RECORD};
use crate::{Reader, Secret, StoreError, UnixMillis};

/// The file with the name that RocksDB gave the database.
const IDENTITY: &str = "IDENTITY";
/// How often the changing files are copied again. A list of tables changes some times an hour.
const ATTEMPTS: usize = 50;
/// Bytes between two looks at the flag.
const CHUNK: usize = 1 << 20;

/// How to copy a database.
#[derive(Clone, Copy, Debug)]
pub struct Copying<'a> {
    /// An earlier copy of the same database on the same file system, to share tables with. It may
    /// be the database itself: then the copy takes no space, and is lost with it.
    pub earlier: Option<&'a Path>,
    /// Whether every record is read before the copy counts as one.
    pub check: bool,
    /// Whether the copy goes on as a database of its own. Then workers that know the other one
    /// begin anew.
    pub restores: bool,
}

/// What a copy has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Copied {
    /// Facts in the copy.
    pub facts: u64,
    /// Bytes that were written.
    pub written: u64,
    /// Bytes of tables that are shared with the earlier copy.
    pub shared: u64,
}

/// Which database a copy is of, and how much it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The name that RocksDB gave the database. Whatever is restored from a copy keeps it.
    pub identity: String,
    /// What tells databases of one name from one another: see [`Least::branch`].
    pub branch: u64,
    /// Facts in the copy, at least.
    pub facts: u64,
}

impl Origin {
    /// The files of a copy that tell it.
    pub const FILES: [&str; 2] = [IDENTITY, RECORD];

    /// Reads what the copy in a folder tells. `None` if it does not tell it, as it is damaged.
    #[must_use]
    pub fn of(copy: &Path) -> Option<Self> {
        let [identity, record] = Self::FILES.map(|name| directory::read(copy, name).ok().flatten());
        Self::read(&identity?, &record?)
    }

    /// Reads the texts of the two files.
    #[must_use]
    pub fn read(identity: &str, record: &str) -> Option<Self> {
        let Least { facts, branch, .. } = Least::decode(record)?;
        let identity = identity.trim_end().to_owned();
        (!identity.is_empty()).then_some(Self { identity, branch, facts })
    }

    /// Whether both are of one database. One that was restored is another one: the database that
    /// its copy was taken of may live on.
    #[must_use]
    pub fn is_of_same(&self, other: &Self) -> bool {
        (&self.identity, self.branch) == (&other.identity, other.branch)
    }
}

/// Copies the database in directory `from`, as it is now, into the directory `to`, which must be
/// new or empty. The copy gets its name when it is whole, checked and on disk. It holds all that
/// was acknowledged before the call. `done` is told now and then how many bytes were copied, then
/// how many records were checked. Returns `None` when `stop` was set.
///
/// # Errors
/// When `from` is no Sprig database of this version or damaged, `to` is in use, or a disk fails or
/// is full.
pub fn take_copy(
    from: &Path,
    to: &Path,
    how: Copying<'_>,
    secret: &Secret,
    stop: &AtomicBool,
    mut done: impl FnMut(u64),
) -> Result<Option<Copied>, StoreError> {
    directory::inspect(from)?;
    refuse_taken(to)?;
    let draft = draft_of(to);
    let at = |error: io::Error| StoreError::from_io(to, &error);
    clear(&draft).map_err(at)?;
    DirBuilder::new().recursive(true).mode(0o700).create(&draft).map_err(at)?;
    let copied = Copied::default();
    let mut copy =
        Copy { from, to, draft: &draft, earlier: how.earlier, stop, done: &mut done, copied };
    let made = copy.all().and_then(|()| copy.close(how, secret));
    let copied = copy.copied;
    let named = made.and_then(|()| {
        let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty());
        let rename = fs::rename(&draft, to);
        let synced = rename.and_then(|()| File::open(parent.unwrap_or(Path::new(".")))?.sync_all());
        synced.map_err(|error| at(error).into())
    });
    match named {
        Ok(()) => Ok(Some(copied)),
        Err(halt) => {
            // Files that stay have a name that says that they are no copy, and the next copy
            // removes them.
            let _ = clear(&draft);
            match halt {
                Halt::Stopped => Ok(None),
                Halt::Gone => Err(busy(from)),
                Halt::Failed(error) => Err(error),
            }
        }
    }
}

/// Why a copy is not made.
enum Halt {
    Stopped,
    /// A file has gone: the process that writes has put others in its place.
    Gone,
    Failed(StoreError),
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// A copy that is being made.
struct Copy<'a> {
    from: &'a Path,
    to: &'a Path,
    /// Where it lies until it is whole.
    draft: &'a Path,
    earlier: Option<&'a Path>,
    stop: &'a AtomicBool,
    done: &'a mut dyn FnMut(u64),
    copied: Copied,
}

impl Copy<'_> {
    fn all(&mut self) -> Result<(), Halt> {
        // Copies most of it, however long that takes.
        self.tables()?;
        for _ in 0..ATTEMPTS {
            match self.moment() {
                Ok(true) => return Ok(()),
                Ok(false) | Err(Halt::Gone) => {}
                Err(halt) => return Err(halt),
            }
        }
        Err(busy(self.from).into())
    }

    /// Copies the files that change. Returns whether nothing has changed meanwhile: then the copy
    /// is the database of one moment.
    fn moment(&mut self) -> Result<bool, Halt> {
        for name in self.names(self.draft, |name| !is_table(name))? {
            fs::remove_file(self.draft.join(name)).map_err(|e| self.unwritten(&e))?;
        }
        // The record first: it says what the database holds at least.
        for name in [STAMP, RECORD] {
            if let Some(text) = directory::read(self.from, name)? {
                self.write(name, text.as_bytes())?;
            }
        }
        let head = Head::read(self.from)?;
        let logs = self.names(self.from, is_log)?;
        self.tables()?;
        self.write("CURRENT", format!("{}\n", head.manifest).as_bytes())?;
        self.file(&head.manifest, head.bytes)?;
        self.file(IDENTITY, u64::MAX)?;
        // From the oldest on: only the last one still grows, and a beginning of that is copied.
        for log in &logs {
            self.file(log, u64::MAX)?;
        }
        Ok(Head::read(self.from)? == head && self.names(self.from, is_log)? == logs)
    }

    /// Copies the tables that are not there yet, copies again those that were still being written,
    /// and leaves out those that have gone.
    fn tables(&mut self) -> Result<(), Halt> {
        let there = self.names(self.from, is_table)?;
        for taken in self.names(self.draft, is_table)? {
            let of = |dir: &Path| fs::symlink_metadata(dir.join(&taken));
            let is_whole =
                of(self.from).is_ok_and(|now| of(self.draft).is_ok_and(|t| is_same(&now, &t)));
            if !is_whole {
                fs::remove_file(self.draft.join(&taken)).map_err(|e| self.unwritten(&e))?;
            }
        }
        let taken = self.names(self.draft, is_table)?;
        for name in there.iter().filter(|name| !taken.contains(name)) {
            match self.table(name) {
                // If this table counts, the list of tables has changed, and that is noticed.
                Err(Halt::Gone) => {}
                done => done?,
            }
        }
        Ok(())
    }

    fn table(&mut self, name: &str) -> Result<(), Halt> {
        let found = fs::symlink_metadata(self.from.join(name)).map_err(|e| self.unread(&e))?;
        if let Some(earlier) = self.earlier.map(|earlier| earlier.join(name))
            && fs::symlink_metadata(&earlier).is_ok_and(|earlier| is_same(&found, &earlier))
            && fs::hard_link(&earlier, self.draft.join(name)).is_ok()
        {
            self.copied.shared += found.len();
            (self.done)(self.copied.written + self.copied.shared);
            return Ok(());
        }
        self.file(name, u64::MAX)
    }

    /// Copies a file, or its first bytes.
    fn file(&mut self, name: &str, most: u64) -> Result<(), Halt> {
        let from = directory::open_file(self.from, name).map_err(|e| self.unread(&e))?;
        let found = from.metadata().map_err(|e| self.unread(&e))?;
        if !found.is_file() {
            let detail = format!("its `{name}` is no file");
            return Err(StoreError::Damaged { dir: self.from.into(), detail }.into());
        }
        let mut to = File::create_new(self.draft.join(name)).map_err(|e| self.unwritten(&e))?;
        let (mut from, mut chunk) = (from.take(most), vec![0; CHUNK]);
        loop {
            if self.stop.load(Relaxed) {
                return Err(Halt::Stopped);
            }
            let read = from.read(&mut chunk).map_err(|e| self.unread(&e))?;
            if read == 0 {
                break;
            }
            to.write_all(&chunk[..read]).map_err(|e| self.unwritten(&e))?;
            self.copied.written += read as u64;
            (self.done)(self.copied.written + self.copied.shared);
        }
        // A later copy recognizes a table by its time and length.
        let modified = found.modified().and_then(|time| to.set_modified(time));
        modified.and_then(|()| to.sync_all()).map_err(|e| self.unwritten(&e).into())
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Halt> {
        let write = || {
            let mut file = File::create_new(self.draft.join(name))?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        write().map_err(|e| self.unwritten(&e).into())
    }

    /// Opens the copy as a database, and writes down what it holds. From then on, less is refused.
    fn close(&mut self, how: Copying<'_>, secret: &Secret) -> Result<(), Halt> {
        // What is wrong with the copy is wrong with the database.
        let mut named = |error: StoreError| match error {
            StoreError::Damaged { detail, .. } => {
                StoreError::Damaged { dir: self.from.into(), detail }
            }
            other => other,
        };
        let reader = Reader::snapshot(self.draft, secret).map_err(&mut named)?;
        if how.check && reader.inventory(self.stop, &mut *self.done).map_err(&mut named)?.is_none()
        {
            return Err(Halt::Stopped);
        }
        self.leave_out(&reader.tables()?)?;
        self.copied.facts = reader.counts()?.total();
        let before = reader.least().cloned().unwrap_or_default();
        let least = Least {
            facts: self.copied.facts,
            writes: reader.writes(),
            epoch: before.epoch.max(1),
            branch: if how.restores { Least::new_branch() } else { before.branch },
            time: UnixMillis::now(),
            ended: true,
            head: Some(Head::read(self.draft)?),
        };
        drop(reader);
        least.write(self.draft)?;
        Ok(())
    }

    /// Removes the tables that the database does not name: those of the past, and those that are
    /// still being written.
    fn leave_out(&self, named: &[String]) -> Result<(), StoreError> {
        for name in self.names(self.draft, is_table)? {
            if !named.contains(&name) {
                fs::remove_file(self.draft.join(name)).map_err(|e| self.unwritten(&e))?;
            }
        }
        Ok(())
    }

    /// Names of files that are wanted, the oldest first: their numbers have six digits or more.
    fn names(
        &self,
        dir: &Path,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, StoreError> {
        let at = |error: io::Error| StoreError::from_io(dir, &error);
        let mut names = Vec::new();
        for entry in fs::read_dir(dir).map_err(at)? {
            let name = entry.map_err(at)?.file_name().to_string_lossy().into_owned();
            if is_wanted(&name) {
                names.push(name);
            }
        }
        names.sort_by_key(|name| (name.len(), name.clone()));
        Ok(names)
    }

    fn unread(&self, error: &io::Error) -> Halt {
        match error.kind() {
            io::ErrorKind::NotFound => Halt::Gone,
            _ => StoreError::from_io(self.from, error).into(),
        }
    }

    fn unwritten(&self, error: &io::Error) -> StoreError {
        StoreError::from_io(self.to, error)
    }
}

fn is_table(name: &str) -> bool {
    name.ends_with(".sst")
}

fn is_log(name: &str) -> bool {
    name.ends_with(".log")
}

/// Whether two tables with the same name are the same table. After an older copy was restored,
/// numbers are given a second time.
fn is_same(found: &Metadata, earlier: &Metadata) -> bool {
    let time = |found: &Metadata| found.modified().ok();
    earlier.is_file() && found.len() == earlier.len() && time(found) == time(earlier)
}

pub(crate) fn draft_of(to: &Path) -> PathBuf {
    let mut draft = OsString::from(to);
    draft.push(".part");
    draft.into()
}

pub(crate) fn clear(draft: &Path) -> io::Result<()> {
    match fs::remove_dir_all(draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn refuse_taken(to: &Path) -> Result<(), StoreError> {
    match fs::read_dir(to).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(StoreError::Foreign { dir: to.into(), what: "not empty".into() }),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            io::ErrorKind::NotADirectory => Err(StoreError::NotADirectory { dir: to.into() }),
            _ => Err(StoreError::from_io(to, &error)),
        },
    }
}

fn busy(from: &Path) -> StoreError {
    let detail = "it changes faster than it can be copied".into();
    StoreError::Io { dir: from.into(), detail }
}
