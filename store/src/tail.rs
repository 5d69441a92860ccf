//! The last writes, for those that keep a copy: the latest from memory, earlier ones from RocksDB's
//! logs of writes, which are kept for a while after their content is in tables.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rocksdb::WriteBatch;

use crate::change::{Change, Numbers};
use crate::store::{Store, Writer};
use crate::{Reader, StoreError};

/// Bytes of writes that are held in memory.
const HELD: usize = 8 << 20;
/// How often the logs are read again while their end is being written.
const ATTEMPTS: usize = 3;

/// The latest writes of a process.
#[derive(Default)]
pub(crate) struct Tail {
    /// Whether a follower keeps a copy.
    is_followed: AtomicBool,
    latest: Mutex<Latest>,
    news: Condvar,
}

#[derive(Default)]
struct Latest {
    writes: VecDeque<Written>,
    bytes: usize,
}

/// A batch, and RocksDB's numbers of its first and last record.
struct Written {
    first: u64,
    last: u64,
    data: Box<[u8]>,
}

/// What was written after some record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// These changes. Taken in together, they make a copy what the database was after record
    /// `position`.
    Changes {
        /// The changes, in the order in which they were written.
        changes: Vec<Change>,
        /// The number of the last of these records.
        position: u64,
    },
    /// Nothing.
    Nothing,
    /// It is not known any more: a copy must be made anew.
    Gone,
}

impl Tail {
    fn lock(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, written: Written) {
        let mut latest = self.lock();
        latest.bytes += written.data.len();
        latest.writes.push_back(written);
        while latest.bytes > HELD && latest.writes.len() > 1 {
            let oldest = latest.writes.pop_front().map_or(0, |written| written.data.len());
            latest.bytes -= oldest;
        }
        self.news.notify_all();
    }

    /// The batches after record `after`, as far as they are held without a gap: at least one, and
    /// then about `most` bytes.
    fn after(&self, after: u64, most: usize) -> Vec<(u64, WriteBatch)> {
        let latest = self.lock();
        if latest.writes.front().is_none_or(|oldest| oldest.first > after + 1) {
            return Vec::new();
        }
        let mut bytes = 0;
        let wanted = latest.writes.iter().skip_while(|written| written.last <= after);
        let fits = |written: &&Written| {
            let fits = bytes < most;
            bytes += written.data.len();
            fits
        };
        let batch = |written: &Written| (written.last, WriteBatch::from_data(&written.data));
        wanted.take_while(fits).map(batch).collect()
    }

    /// Waits until something is written, or for as long as `wait`.
    fn wait(&self, has_news: impl Fn() -> bool, wait: Duration) {
        let latest = self.lock();
        // Woken or not, the caller looks again.
        drop(self.news.wait_timeout_while(latest, wait, |_| !has_news()));
    }
}

impl Store {
    /// Writes a batch, and holds it for those that keep a copy. After a failure the store takes no
    /// more batches.
    pub(crate) fn put(&self, writer: &mut Writer, write: WriteBatch) -> Result<(), StoreError> {
        if write.is_empty() {
            return Ok(());
        }
        let count = write.len() as u64;
        let held = self.core.tail.is_followed.load(Ordering::Acquire).then(|| write.data().into());
        self.open.db.write_opt(write, &self.core.write).map_err(|e| {
            writer.failed = true;
            self.failed(&e)
        })?;
        if let Some(data) = held {
            // No other thread writes while the writer is held.
            let last = self.writes();
            self.core.tail.push(Written { first: last + 1 - count, last, data });
        }
        Ok(())
    }

    /// The number of the last record that was written.
    pub fn position(&self) -> u64 {
        self.writes()
    }

    /// What was written after record `after`: about `most` bytes, in whole batches. Waits for up to
    /// `wait` if there is nothing.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn news(&self, after: u64, most: usize, wait: Duration) -> Result<News, StoreError> {
        self.core.tail.is_followed.store(true, Ordering::Release);
        if self.writes() == after {
            self.core.tail.wait(|| self.writes() != after, wait);
        }
        let latest = self.writes();
        if latest == after {
            return Ok(News::Nothing);
        }
        let mut batches = self.core.tail.after(after, most);
        for _ in 0..ATTEMPTS {
            if batches.is_empty() && after < latest {
                batches = self.logged(after, most)?;
            }
        }
        let Some(&(position, _)) = batches.last() else { return Ok(News::Gone) };
        let numbers = Numbers::of(self);
        let changes = batches.iter().flat_map(|(_, write)| numbers.changes(write)).collect();
        Ok(News::Changes { changes, position })
    }

    /// The batches after record `after` from RocksDB's logs of writes; `None` if they are not in
    /// there any more.
    fn logged(&self, after: u64, most: usize) -> Result<Vec<(u64, WriteBatch)>, StoreError> {
        // An error says that the logs do not reach back that far; waiting would not help.
        let Ok(mut updates) = self.open.db.get_updates_since(after) else { return Ok(Vec::new()) };
        let (mut batches, mut last, mut bytes) = (Vec::new(), after, 0);
        while bytes < most {
            let Some(Ok((first, write))) = updates.next() else { break };
            if first != last + 1 {
                break;
            }
            last += write.len() as u64;
            bytes += write.size_in_bytes();
            batches.push((last, write));
        }
        Ok(batches)
    }

    /// Gives all records of the database as it is now to `take`, some at a time, until that returns
    /// that it has enough. Returns the number of the last record that was written by then; `None`
    /// if `take` had enough.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn whole(
        &self,
        most: usize,
        mut take: impl FnMut(Vec<Change>) -> bool,
    ) -> Result<Option<u64>, StoreError> {
        self.core.tail.is_followed.store(true, Ordering::Release);
        let snapshot = self.open.db.snapshot();
        let (mut changes, mut bytes) = (Vec::new(), 0);
        for family in crate::tables::FAMILIES {
            for entry in snapshot.iterator_cf(self.family(family), rocksdb::IteratorMode::Start) {
                let (key, value) = entry.map_err(|e| self.failed(&e))?;
                let value = Some(value.into());
                let change = Change { family: family.to_owned(), key: key.into(), value };
                bytes += change.bytes();
                changes.push(change);
                if bytes >= most {
                    if !take(std::mem::take(&mut changes)) {
                        return Ok(None);
                    }
                    bytes = 0;
                }
            }
        }
        let position = snapshot.sequence_number();
        Ok(take(changes).then_some(position))
    }
}

impl Reader {
    /// Whether a family of this name is known.
    pub(crate) fn knows(&self, family: &str) -> bool {
        crate::tables::FAMILIES.contains(&family) && self.open.db.cf_handle(family).is_some()
    }
}
