//! What can go wrong, each in one line that says what, where, and what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use sprig_domain::{Game, Reign};

use crate::directory::OPEN_FILES;
use crate::fact::Subject;
use crate::{Kind, Provenance, UnixMillis, Value};

/// Why the database cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Something else stands where the directory should be.
    #[error("cannot use {} as a database: it is not a directory; name a directory, new or of an earlier run", dir.display())]
    NotADirectory {
        /// The path.
        dir: PathBuf,
    },
    /// There is no database to read.
    #[error("there is no database in {0}; check the path, or make one with `sprig solve POS --db {0}`", dir.display())]
    Absent {
        /// The directory.
        dir: PathBuf,
    },
    /// A directory with other files, perhaps another program's RocksDB.
    #[error("cannot use {} as a database: it is {what}; name an empty or new directory", dir.display())]
    Foreign {
        /// The directory.
        dir: PathBuf,
        /// What was found in it.
        what: String,
    },
    /// Written by a later version of the program.
    #[error("cannot open database {}: its {what} is version {found}, newer than this program's version {ours}; use the `sprig` that wrote it ({writer}) or a later one", dir.display())]
    Newer {
        /// The directory.
        dir: PathBuf,
        /// Which version differs: that of the format, or of the canonical form.
        what: &'static str,
        /// Version of the database.
        found: u32,
        /// Version of this program.
        ours: u32,
        /// The program that created the database.
        writer: String,
    },
    /// Written by an earlier version of the program.
    #[error("cannot open database {}: its {what} is version {found}, older than this program's version {ours}; use the `sprig` that wrote it ({writer}), or begin a new database in another directory", dir.display())]
    Older {
        /// The directory.
        dir: PathBuf,
        /// Which version differs: that of the format, or of the canonical form.
        what: &'static str,
        /// Version of the database.
        found: u32,
        /// Version of this program.
        ours: u32,
        /// The program that created the database.
        writer: String,
    },
    /// The database holds less than it did.
    #[error("database {0} has lost something: it holds {found} {of}, and there were at least {least} on {date}; restore the files that are missing or cut, or go on with what is there by `sprig db accept --db {0}`", dir.display(), date = time.date())]
    Short {
        /// The directory.
        dir: PathBuf,
        /// What was counted.
        of: &'static str,
        /// How many there are.
        found: u64,
        /// How many there were.
        least: u64,
        /// When there were that many.
        time: UnixMillis,
    },
    /// It cannot be told whether everything is there.
    #[error("cannot tell whether database {0} is whole: {what}; restore it, or go on with what is there by `sprig db accept --db {0}`", dir.display())]
    Unrecorded {
        /// The directory.
        dir: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The database has facts of a game that this program does not know.
    #[error("cannot open database {}: it holds facts of game {game}, which this program does not know; use a later `sprig`", dir.display())]
    StrangeGame {
        /// The directory.
        dir: PathBuf,
        /// The byte of the game.
        game: u8,
    },
    /// A later version of the program has put records of its own into it.
    #[error("cannot open database {}: it holds records of a kind that this program does not know (`{family}`); use a later `sprig`", dir.display())]
    Strange {
        /// The directory.
        dir: PathBuf,
        /// The name of their family.
        family: String,
    },
    /// The database follows a coordinator, which alone writes to it.
    #[error("database {0} follows the coordinator at {url} and takes nothing else: read it, or make it lead by `sprig promote --db {0}`", dir.display())]
    Follows {
        /// The directory.
        dir: PathBuf,
        /// Where the coordinator was.
        url: String,
    },
    /// The database does not follow a coordinator.
    #[error("database {0} follows no coordinator{hint}; follow into a new folder, and hand in what this one alone has (`sprig hand-in`, or `sprig merge`)", dir.display())]
    Leads {
        /// The directory.
        dir: PathBuf,
        /// What it is, if that is known.
        hint: &'static str,
    },
    /// The database follows another coordinator.
    #[error("database {} follows another coordinator's database ({ours:016x}, last at {url}; this one is {theirs:016x}); name a new folder, or remove this one", dir.display())]
    Elsewhere {
        /// The directory.
        dir: PathBuf,
        /// The database that it follows.
        ours: u64,
        /// Where that coordinator was.
        url: String,
        /// The database that it was to follow.
        theirs: u64,
    },
    /// A follower was promoted in the place of this database.
    #[error("database {0} leads no more: {1} was promoted in its place; hand in what it has by `sprig hand-in --db {0} --coordinator NEW`, then follow the new coordinator into a new folder", dir.display(), by)]
    Succeeded {
        /// The directory.
        dir: PathBuf,
        /// The later reign.
        by: Reign,
    },
    /// A change of a kind that this program does not know.
    #[error(
        "the coordinator writes records of a kind that this program does not know (`{family}`); install the newer sprig here"
    )]
    Unknown {
        /// The name of their family.
        family: String,
    },
    /// Another process has it open.
    #[error("database {} is in use by another process{}; ask its coordinator with --coordinator URL, or stop it", dir.display(), PidHint(*pid))]
    InUse {
        /// The directory.
        dir: PathBuf,
        /// The process, if it could be found out.
        pid: Option<u32>,
    },
    /// The operating system does not allow access.
    #[error("cannot use database {}: permission denied ({detail}); run as its owner, or name a directory you may write to", dir.display())]
    Denied {
        /// The directory.
        dir: PathBuf,
        /// What the operating system said.
        detail: String,
    },
    /// The disk, or the user's share of it, is full.
    #[error("no space left on the disk of database {} ({detail}); make room and start again: nothing acknowledged is lost", dir.display())]
    NoSpace {
        /// The directory.
        dir: PathBuf,
        /// What the operating system said.
        detail: String,
    },
    /// The disk does not hold what was written to it.
    #[error("database {} is damaged ({detail}); restore it from a copy, or begin a new one in another directory", dir.display())]
    Damaged {
        /// The directory.
        dir: PathBuf,
        /// What does not fit.
        detail: String,
    },
    /// Reading or writing failed otherwise.
    #[error("cannot read or write database {}: {detail}; check the disk and start again", dir.display())]
    Io {
        /// The directory.
        dir: PathBuf,
        /// What the operating system or RocksDB said.
        detail: String,
    },
    /// An earlier write failed, so it is not known what is on disk.
    #[error("database {} takes no more writes since one failed; start again", dir.display())]
    Closed {
        /// The directory.
        dir: PathBuf,
    },
    /// A fact whose form is wrong: it has no subject, or a tree does not have the key that it
    /// should have.
    #[error(
        "a fact was refused, and its batch with it: {flaw}; it came from {origin}: find out what is wrong there"
    )]
    Flawed {
        /// What is wrong.
        flaw: String,
        /// The source of the fact.
        origin: String,
    },
    /// Two sources contradict each other.
    #[error(transparent)]
    Contradiction(Box<Contradiction>),
}

/// Two claims about one subject that cannot both be true: one of them is wrong, and no result that
/// rests on either can be trusted. Nothing of the batch was written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "contradiction about {}: known is {known}, claimed is {claimed}; nothing was overwritten, find out which of the two is wrong",
    Subject(*kind, subject)
)]
pub struct Contradiction {
    /// The kind of the fact.
    pub kind: Kind,
    /// The game of the fact.
    pub game: Game,
    /// What it is about: [`Fact::subject`](crate::Fact::subject).
    pub subject: Box<[u8]>,
    /// What is in the database, or stands earlier in the batch.
    pub known: Claim,
    /// What was refused.
    pub claimed: Claim,
}

/// What a source says about a subject.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// What is true of it, or is not.
    pub assertion: Assertion,
    /// The source that says so.
    pub origin: Provenance,
}

/// What is true of a subject, or is not.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Assertion {
    /// The subject has this value.
    Is(Value),
    /// The subject does not have this value.
    IsNot(Value),
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.assertion {
            Assertion::Is(value) => write!(f, "{value} ({})", self.origin),
            Assertion::IsNot(value) => write!(f, "not {value} ({})", self.origin),
        }
    }
}

struct PidHint(Option<u32>);

impl fmt::Display for PidHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |pid| write!(f, " (pid {pid})"))
    }
}

impl StoreError {
    pub(crate) fn from_io(dir: &Path, error: &io::Error) -> Self {
        let (dir, detail) = (dir.to_path_buf(), error.to_string());
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Denied { dir, detail }
            }
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::NoSpace { dir, detail },
            io::ErrorKind::NotADirectory => Self::NotADirectory { dir },
            _ => Self::Io { dir, detail },
        }
    }

    /// RocksDB's errors are texts; those of the operating system end with its words for the error
    /// number.
    pub(crate) fn from_rocksdb(dir: &Path, error: &rocksdb::Error) -> Self {
        let (dir, detail) =
            (dir.to_path_buf(), by_name(dir, &error.to_string().replace('\n', " ")));
        let says = |words: &[&str]| words.iter().any(|w| detail.contains(w));
        if error.kind() == rocksdb::ErrorKind::Corruption {
            Self::Damaged { dir, detail }
        } else if says(&["No space left", "quota exceeded", "File too large"]) {
            Self::NoSpace { dir, detail }
        } else if says(&["Permission denied", "Read-only file system", "Operation not permitted"]) {
            Self::Denied { dir, detail }
        } else {
            Self::Io { dir, detail }
        }
    }
}

/// The text with the name of the directory in place of the path by which it is held open.
fn by_name(dir: &Path, text: &str) -> String {
    let mut parts = text.split(OPEN_FILES);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, after| {
        let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        format!("{before}{}{rest}", dir.display())
    })
}
