//! Records of the database, which a failing disk may have changed: nothing makes their decoders panic, and what they
//! take is encoded to a record that means the same.
//!
//! The decoders are private to the store, and the store would bring all of RocksDB; so their files are compiled into
//! this target as they are.
#![no_main]
#![allow(
    dead_code,
    unused_imports,
    reason = "the files are the store's; only their decoders are used here"
)]

#[path = "../../store/src/bytes.rs"]
mod bytes;
#[path = "../../store/src/fact.rs"]
mod fact;
#[path = "../../store/src/goal.rs"]
mod goal;
#[path = "../../store/src/history.rs"]
mod history;
#[path = "../../store/src/job.rs"]
mod job;
#[path = "../../store/src/known.rs"]
mod known;
#[path = "../../store/src/log.rs"]
mod log;
#[path = "../../store/src/record.rs"]
mod record;
#[path = "../../store/src/seal.rs"]
mod seal;
#[path = "../../store/src/source.rs"]
mod source;
#[path = "../../store/src/terms.rs"]
mod terms;
#[path = "../../store/src/wishes.rs"]
mod wishes;

/// The families, which the store's own file opens with RocksDB.
mod tables {
    pub const FACTS: &str = "facts";
    pub const TREES: &str = "trees";
    pub const RCTS: &str = "rcts";
    pub const LOSSES: &str = "losses";
}

use libfuzzer_sys::fuzz_target;
use sprig_domain::{Game, JobId};

pub use fact::{Fact, Kind, Sequence, Status, StoredFact, Value};
pub use history::{Event, EventKind};
pub use job::{Job, UnixMillis};
pub use source::{Provenance, Source};

use goal::{decode_goal, encode_goal};
use known::Excluded;
use log::LogRecord;
use record::FactRecord;
use seal::{Seal, Secret};

/// What all records are about.
const SUBJECT: &[u8] = b"subject";

fuzz_target!(|bytes: &[u8]| {
    let [family, record @ ..] = bytes else { return };
    let (key, value) = record.split_at_checked(8).unwrap_or((record, &[]));
    match family % 8 {
        0 => {
            let [kind, game, record @ ..] = record else { return };
            let kind = Kind::ALL[usize::from(*kind) % Kind::ALL.len()];
            let game = Game::ALL[usize::from(*game) % Game::ALL.len()];
            let seal = Seal::new(&Secret::new([7; Secret::BYTES]));
            if let Ok(fact) = FactRecord::decode(kind, game, SUBJECT, record, &seal) {
                let encoded = fact.encode(game, SUBJECT, &seal);
                let again = FactRecord::decode(kind, game, SUBJECT, &encoded, &seal);
                let again = again.ok().expect("it was just encoded");
                assert_eq!(again.about(game, SUBJECT), fact.about(game, SUBJECT));
            }
        }
        1 => {
            if let Ok(decoded) = LogRecord::decode(key, value) {
                let encoded = decoded.encode();
                let again = LogRecord::decode(key, &encoded).ok().expect("it was just encoded");
                assert_eq!(again.encode(), encoded);
            }
        }
        2 => {
            if let Ok(goal) = decode_goal(record) {
                assert_eq!(decode_goal(&encode_goal(&goal)), Ok(goal));
            }
        }
        3 => {
            // The terms of a job and the wishes for it are records beside it, which most jobs have not.
            let [beside, wished, record @ ..] = record else { return };
            let (record, terms) = split(record, *beside);
            let (record, wishes) = split(record, *wished);
            if let Ok(job) = Job::decode(JobId(1), record, terms, wishes) {
                let terms = terms.map(|_| terms::encode(&job));
                let wishes = wishes.map(|_| wishes::encode(&job));
                let again = Job::decode(JobId(1), &job.encode(), terms.as_deref(), wishes.as_deref());
                let again = again.expect("it was just encoded");
                // Seconds may be no number, which equals nothing.
                assert_eq!(format!("{again:?}"), format!("{job:?}"));
            }
        }
        4 => {
            if let Ok(event) = Event::decode(record) {
                assert_eq!(Event::decode(&event.encode()), Ok(event));
            }
        }
        5 => {
            if let Ok(excluded) = Excluded::decode(record) {
                assert_eq!(Excluded::decode(&excluded.encode()), Ok(excluded));
            }
        }
        6 => {
            if let Ok(source) = Source::decode(record) {
                assert_eq!(Source::decode(&source.encode()), Ok(source));
            }
        }
        _ => {
            let _ = (job::parse_job_key(record), history::parse_event_key(record));
            let _ = Kind::ALL.map(|kind| kind.subject(record).is_ok());
        }
    }
});

/// The first bytes, and what follows them if there are so many.
fn split(record: &[u8], length: u8) -> (&[u8], Option<&[u8]>) {
    match record.split_at_checked(length.into()) {
        Some((record, beside)) => (record, Some(beside)),
        None => (record, None),
    }
}
