//! The owner vouches for facts that do not carry the owner's seal.

use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rocksdb::{Direction, WriteBatch};

use sprig_domain::Game;

use crate::fact::Kind;
use crate::log::Counts;
use crate::record::{FactRecord, Mark};
use crate::tally::{self, Tally};
use crate::{Store, StoreError};

/// Facts sealed at once.
const BATCH: usize = 1 << 12;

/// Which facts an owner vouches for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vouched {
    /// Facts that others had marked as verified: by a bit, or by a seal that is not ours.
    Marked,
    /// All facts.
    Claims,
}

impl Store {
    /// Seals facts that others marked as verified, or all, without looking at what they say.
    /// Returns how many of each kind. `done` is told how many there were so far. When `stop` is set
    /// it ends early, and facts that it has sealed stay sealed.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn adopt(
        &self,
        vouched: Vouched,
        stop: &AtomicBool,
        mut done: impl FnMut(u64),
    ) -> Result<Counts, StoreError> {
        let mut sealed = Counts::default();
        let (mut own, mut takes_over) = (Counts::default(), false);
        for kind in Kind::ALL {
            let mut subjects = Vec::new();
            for entry in self.scan(kind.family(), &[], Direction::Forward) {
                if stop.load(Relaxed) {
                    return Ok(sealed);
                }
                let (key, record) = entry?;
                let (game, subject) = self.sound(kind.family(), &key, kind.subject(&key))?;
                let record = FactRecord::decode(kind, game, subject, &record, &self.open.seal);
                let mark = self.sound(kind.family(), &key, record)?.mark;
                let wanted = match vouched {
                    Vouched::Marked => matches!(mark, Mark::Bit | Mark::Foreign),
                    Vouched::Claims => mark != Mark::Own,
                };
                own.add(kind, usize::from(wanted || mark == Mark::Own));
                takes_over |= wanted && mark == Mark::Foreign;
                if wanted {
                    subjects.push((game, subject.to_vec()));
                }
                if subjects.len() >= BATCH {
                    sealed.add(kind, self.seal_all(kind, &std::mem::take(&mut subjects))?);
                    done(sealed.total());
                }
            }
            sealed.add(kind, self.seal_all(kind, &subjects)?);
            done(sealed.total());
        }
        self.recount(own, takes_over)?;
        Ok(sealed)
    }

    /// Writes down how many facts were found to carry our seal. If it `takes_over` seals of others,
    /// it is not known whose they were, so other owners count their own seals anew when they adopt.
    fn recount(&self, own: Counts, takes_over: bool) -> Result<(), StoreError> {
        let mut writer = self.core.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = Tally { sealed: own, ..writer.tally };
        let mut write = WriteBatch::default();
        tally.put(writer.tally, self, &mut write);
        if takes_over {
            for (key, _) in self.keys()?.into_iter().filter(|(key, _)| *key != self.open.seal.id) {
                tally::forget(key, self, &mut write);
            }
        }
        self.put(&mut writer, write)?;
        writer.tally = tally;
        Ok(())
    }

    /// Seals the facts about these subjects, as they stand by now.
    fn seal_all(&self, kind: Kind, subjects: &[(Game, Vec<u8>)]) -> Result<usize, StoreError> {
        let mut writer = self.core.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.failed {
            return Err(StoreError::Closed { dir: self.dir().into() });
        }
        let (mut write, mut tally, mut sealed) = (WriteBatch::default(), writer.tally, 0);
        for (game, subject) in subjects {
            let Some(record) = self.record_of(kind, *game, subject)? else { continue };
            if record.mark != Mark::Own {
                let record = FactRecord { mark: Mark::Own, ..record };
                let record = record.encode(*game, subject, &self.open.seal);
                write.put_cf(self.family(kind.family()), kind.key(*game, subject), record);
                tally.add(kind, true, 0);
                sealed += 1;
            }
        }
        tally.put(writer.tally, self, &mut write);
        self.put(&mut writer, write)?;
        writer.tally = tally;
        self.note(writer.counts);
        Ok(sealed)
    }
}
