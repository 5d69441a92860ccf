//! What a database is known to hold at least, in a small file of its own beside the tables.
//!
//! RocksDB takes a cut or a missing end of its last log for the trace of a crash, and forgets what
//! was in it. This file is synced at the end, and every ten seconds while facts come. A database
//! that holds less than the file says is not opened.

use std::path::Path;

use crate::directory::{self, Head};
use crate::{StoreError, UnixMillis};

/// The name of the file.
pub(crate) const RECORD: &str = "RECORD";
const MAGIC: &str = "Sprig record";

/// What the database held when the file was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Least {
    /// Facts, by the count of the log.
    pub facts: u64,
    /// Writes, by RocksDB's count: it grows with every record that is written or deleted.
    pub writes: u64,
    /// How often the database was opened to be written; 0 before the first time.
    pub epoch: u64,
    /// A random number for a restored database, and for one that went on after a loss; else 0.
    /// Workers that knew the database before may know facts that are not in it.
    pub branch: u64,
    /// When the file was written.
    pub time: UnixMillis,
    /// Whether the process that wrote it had ended its work. If not, more may have come.
    pub ended: bool,
    /// The list of tables, and its length.
    pub(crate) head: Option<Head>,
}

impl Least {
    /// Reads the file; `None` if there is none.
    pub(crate) fn read(dir: &Path) -> Result<Option<Self>, StoreError> {
        let Some(text) = directory::read(dir, RECORD)? else { return Ok(None) };
        let least = Self::decode(&text).ok_or_else(|| StoreError::Unrecorded {
            dir: dir.into(),
            what: format!("file {RECORD} is damaged"),
        })?;
        Ok(Some(least))
    }

    pub(crate) fn write(&self, dir: &Path) -> Result<(), StoreError> {
        directory::replace(dir, RECORD, &self.encode())
    }

    fn encode(&self) -> String {
        let Self { facts, writes, epoch, branch, time, ended, head } = self;
        let ended = if *ended { "yes" } else { "no" };
        let mut text = format!(
            "{MAGIC}\nfacts {facts}\nwrites {writes}\nepoch {epoch}\ntime {time}\nended {ended}\n"
        );
        if *branch != 0 {
            text += &format!("branch {branch:016x}\n");
        }
        if let Some(Head { manifest, bytes }) = head {
            text += &format!("manifest {manifest} {bytes}\n");
        }
        let check = check(&text);
        text + &format!("check {check}\n")
    }

    pub(crate) fn decode(text: &str) -> Option<Self> {
        let (body, sum) = text.strip_suffix('\n')?.rsplit_once("\ncheck ")?;
        let body = format!("{body}\n");
        if sum != check(&body) || body.lines().next() != Some(MAGIC) {
            return None;
        }
        let field =
            |name: &str| body.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let number = |name| field(name)?.parse::<u64>().ok();
        let head = match field("manifest") {
            None => None,
            Some(head) => {
                let (manifest, bytes) = head.split_once(' ')?;
                Some(Head { manifest: manifest.into(), bytes: bytes.parse().ok()? })
            }
        };
        Some(Self {
            facts: number("facts")?,
            writes: number("writes")?,
            epoch: number("epoch")?,
            branch: match field("branch") {
                None => 0,
                Some(branch) => u64::from_str_radix(branch, 16).ok()?,
            },
            time: UnixMillis(number("time")?),
            ended: field("ended")? == "yes",
            head,
        })
    }

    /// The number of a new branch.
    ///
    /// # Panics
    /// When the system has no random numbers.
    pub(crate) fn new_branch() -> u64 {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).expect("the system has random numbers");
        u64::from_le_bytes(bytes).max(1)
    }

    /// Refuses a list of tables that has become shorter.
    pub(crate) fn check_head(&self, dir: &Path, now: &Head) -> Result<(), StoreError> {
        match &self.head {
            Some(then) if then.manifest == now.manifest && then.bytes > now.bytes => {
                self.short(dir, "bytes of its list of tables", now.bytes, then.bytes)
            }
            _ => Ok(()),
        }
    }

    /// Refuses a database that holds less than this.
    pub(crate) fn check(&self, dir: &Path, facts: u64, writes: u64) -> Result<(), StoreError> {
        if facts < self.facts {
            return self.short(dir, "facts", facts, self.facts);
        }
        if writes < self.writes {
            return self.short(dir, "writes", writes, self.writes);
        }
        Ok(())
    }

    fn short(
        &self,
        dir: &Path,
        of: &'static str,
        found: u64,
        least: u64,
    ) -> Result<(), StoreError> {
        Err(StoreError::Short { dir: dir.into(), of, found, least, time: self.time })
    }
}

fn check(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_a_changed_byte_is_seen() {
        let head = Some(Head { manifest: "MANIFEST-000007".into(), bytes: 4711 });
        let time = UnixMillis(1_767_225_600_000);
        for least in [
            Least::default(),
            Least { facts: 1205, writes: 3381, epoch: 7, branch: 0xbeef, time, ended: true, head },
        ] {
            let text = least.encode();
            assert_eq!(Least::decode(&text), Some(least));
            for at in 0..text.len() {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1;
                let changed = String::from_utf8(bytes).expect("ASCII");
                assert_eq!(Least::decode(&changed), None, "{changed}");
                assert_eq!(Least::decode(&text[..at]), None);
            }
        }
    }
}
