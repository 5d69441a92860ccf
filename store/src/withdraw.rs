//! Withdrawing claims: those that turned out not to hold are taken out of the facts. The log keeps
//! which source said what.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use rocksdb::WriteBatch;
use sprig_domain::{Game, JobId};

use crate::fact::{Kind, Status};
use crate::history::event_key;
use crate::tables::HISTORY;
use crate::{BanRecord, Event, Store, StoreError};

/// The job under whose number the history of the whole database stands. Jobs begin with 1.
pub const NO_JOB: JobId = JobId(0);

impl Store {
    /// Takes claims out of the facts, and writes `events` into the history of the database
    /// ([`NO_JOB`]), and `bans`, all or nothing. Verified facts stay. Returns how many were taken
    /// out.
    ///
    /// # Errors
    /// When the disk fails; the store takes no more batches then.
    pub fn withdraw(
        &self,
        subjects: &[(Game, Kind, Box<[u8]>)],
        events: &[Event],
        bans: &[BanRecord],
    ) -> Result<usize, StoreError> {
        let mut writer = self.core.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.failed {
            return Err(StoreError::Closed { dir: self.dir().into() });
        }
        let mut write = WriteBatch::default();
        let (mut withdrawn, mut tally) = (0, writer.tally);
        for (game, kind, subject) in subjects {
            let known = self.record_of(*kind, *game, subject)?;
            if known.is_some_and(|known| known.status() == Status::Claimed) {
                write.delete_cf(self.family(kind.family()), kind.key(*game, subject));
                withdrawn += 1;
                tally.add(*kind, false, 1);
            }
        }
        let first = self.next_event(NO_JOB)?;
        for (number, event) in (first..).zip(events) {
            write.put_cf(self.family(HISTORY), event_key(NO_JOB, number), event.encode());
        }
        tally.put(writer.tally, self, &mut write);
        self.put_bans(&mut write, bans);
        self.put(&mut writer, write)?;
        writer.tally = tally;
        self.core.gone.store(tally.gone.total(), Ordering::Release);
        self.note(writer.counts);
        Ok(withdrawn)
    }
}
