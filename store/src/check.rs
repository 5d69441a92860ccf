//! Reads everything there is, to see whether it can be read and fits together.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rocksdb::Direction;

use crate::bytes::Malformed;
use crate::fact::Kind;
use crate::history::parse_event_key;
use crate::job::parse_job_key;
use crate::known::Excluded;
use crate::log::{Counts, LogRecord};
use crate::record::{FactRecord, Mark};
use crate::source::Sources;
use crate::tables::{BANS, EXCLUDED, HISTORY, JOBS, LOG, SOURCES};
use crate::terms::{self, is_terms};
use crate::wishes::{self, are_wishes};
use crate::{BanRecord, Event, EventKind, Job, NO_JOB, Reader, Store, StoreError, StoredFact};

/// Records after which the flag is looked at and progress is told.
const STEP: u64 = 1 << 12;

/// What a database was found to hold when all of it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Inventory {
    /// Records of all families.
    pub records: u64,
    /// Facts with our seal.
    pub verified: Counts,
    /// Facts that others say are verified: by a bit, or by a seal that is not ours.
    pub marked: Counts,
    /// Facts that no one says are verified.
    pub claimed: Counts,
    /// Facts that are in the log but not there any more. They were withdrawn, or a verified fact
    /// took their place.
    pub gone: u64,
    /// Jobs.
    pub jobs: u64,
}

/// Why a look at everything ended early.
struct Stopped;

impl Reader {
    /// Reads every record, which compares the checksums of all tables, and compares the records
    /// with each other. Returns `None` when `stop` was set. `done` is told now and then how many
    /// records have been read.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when something cannot be read, or does not fit together.
    pub fn inventory(
        &self,
        stop: &AtomicBool,
        mut done: impl FnMut(u64),
    ) -> Result<Option<Inventory>, StoreError> {
        let mut found = Inventory::default();
        let mut step = |found: &mut Inventory| {
            found.records += 1;
            if found.records.is_multiple_of(STEP) {
                done(found.records);
                if stop.load(Relaxed) {
                    return Err(Stopped);
                }
            }
            Ok(())
        };
        for kind in Kind::ALL {
            for entry in self.scan(kind.family(), &[], Direction::Forward) {
                let (key, record) = entry?;
                let (game, subject) = self.sound(kind.family(), &key, kind.subject(&key))?;
                let record = FactRecord::decode(kind, game, subject, &record, &self.open.seal);
                let record = self.sound(kind.family(), &key, record)?;
                let counts = match record.mark {
                    Mark::Own => &mut found.verified,
                    Mark::Bit | Mark::Foreign => &mut found.marked,
                    Mark::Claimed => &mut found.claimed,
                };
                counts.add(kind, 1);
                if let Some(flaw) = record.about(game, subject).fact.flaw() {
                    return Err(self.unfit(&format!("a fact says {flaw}")));
                }
                if step(&mut found).is_err() {
                    return Ok(None);
                }
            }
        }
        let (mut after, mut withdrawn) = (Counts::default(), false);
        let mut sources = Sources::default();
        for family in [SOURCES, EXCLUDED, LOG, JOBS, HISTORY, BANS] {
            for entry in self.scan(family, &[], Direction::Forward) {
                let (key, record) = entry?;
                let sound: Result<(), Malformed> = match family {
                    SOURCES => sources.load(&key, &record),
                    EXCLUDED => {
                        Kind::Nimber.subject(&key).and_then(|_| Excluded::decode(&record).map(drop))
                    }
                    LOG => LogRecord::decode(&key, &record).and_then(|log| {
                        let goes_on = log.before == after && log.provenance.source < sources.next();
                        after = log.after();
                        if goes_on { Ok(()) } else { Err(Malformed) }
                    }),
                    JOBS if is_terms(&key) => terms::decode(&record).map(drop),
                    JOBS if are_wishes(&key) => wishes::decode(&record).map(drop),
                    JOBS => parse_job_key(&key).and_then(|id| match id {
                        Some(id) => Job::decode(id, &record, None, None).map(|_| found.jobs += 1),
                        None => Ok(()),
                    }),
                    BANS => BanRecord::decode(&key, &record).map(drop),
                    _ => parse_event_key(&key).and_then(|(job, _)| {
                        let event = Event::decode(&record)?;
                        withdrawn |= job == NO_JOB && event.kind == EventKind::Withdrawn;
                        Ok(())
                    }),
                };
                self.sound(family, &key, sound)?;
                if step(&mut found).is_err() {
                    return Ok(None);
                }
            }
        }
        let standing = found.verified.total() + found.marked.total() + found.claimed.total();
        found.gone = after.total().checked_sub(standing).ok_or_else(|| {
            self.unfit(&format!(
                "the log tells of {} facts, and {standing} are there",
                after.total()
            ))
        })?;
        let replaced = self.tally()?.gone.total();
        if found.gone > replaced && !withdrawn {
            let lost = found.gone - replaced;
            return Err(self.unfit(&format!(
                "the log tells of {} facts, and {lost} of them are missing",
                after.total()
            )));
        }
        Ok(Some(found))
    }

    /// The facts of a kind after the one about `subject`, in the order of their subjects' bytes.
    pub fn facts_after<'a>(
        &'a self,
        kind: Kind,
        subject: &[u8],
    ) -> impl Iterator<Item = Result<StoredFact, StoreError>> + use<'a> {
        let after: Box<[u8]> = subject.into();
        let facts = self.facts_at(kind, &kind.key(self.game, subject));
        facts.skip_while(move |stored| {
            stored.as_ref().is_ok_and(|stored| stored.fact.subject <= after)
        })
    }
}

impl Store {
    /// Merges the tables into as few as possible, without what was deleted or written anew.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn compact(&self) -> Result<(), StoreError> {
        self.core.flush()?;
        for family in crate::tables::FAMILIES {
            self.open.db.compact_range_cf(self.family(family), None::<&[u8]>, None::<&[u8]>);
        }
        Ok(())
    }
}
