//! Provenance: which program found a fact, and the table that keeps this to a few bytes.

use std::fmt;

use rustc_hash::FxHashMap;
use sprig_domain::JobId;

use crate::UnixMillis;
use crate::bytes::{Malformed, Reader, put_bytes, put_varint};

/// A program that contributes facts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    /// Name of the worker (or of the file that was imported).
    pub worker: String,
    /// Version or commit of its program.
    pub build: String,
}

/// Where facts come from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Provenance {
    /// The program.
    pub source: Source,
    /// The job it worked on; `None` for an import.
    pub job: Option<JobId>,
    /// When its report was taken in.
    pub time: UnixMillis,
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source: Source { worker, build }, job, time } = self;
        write!(f, "worker {worker}, build {build}, ")?;
        if let Some(job) = job {
            write!(f, "job {job}, ")?;
        }
        write!(f, "Unix time {time} ms")
    }
}

/// Number of a source in family `sources`: 0 for the first, without gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SourceId(pub(crate) u32);

/// [`Provenance`] as records hold it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProvenanceRecord {
    pub(crate) source: SourceId,
    pub(crate) job: Option<JobId>,
    pub(crate) time: UnixMillis,
}

impl ProvenanceRecord {
    pub(crate) fn encode(self, out: &mut Vec<u8>) {
        put_varint(out, self.source.0.into());
        put_varint(out, self.job.map_or(0, |job| job.0));
        put_varint(out, self.time.0);
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let source = SourceId(u32::try_from(reader.varint()?).map_err(|_| Malformed)?);
        let job = Some(JobId(reader.varint()?)).filter(|job| job.0 != 0);
        let time = UnixMillis(reader.varint()?);
        Ok(Self { source, job, time })
    }
}

impl SourceId {
    pub(crate) fn key(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }
}

impl Source {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_bytes(&mut out, self.worker.as_bytes());
        put_bytes(&mut out, self.build.as_bytes());
        out
    }

    pub(crate) fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(record);
        let source = Self { worker: reader.string()?, build: reader.string()? };
        reader.end()?;
        Ok(source)
    }
}

/// All sources, held in memory: there are as many as programs ever contributed, not as many as
/// facts.
#[derive(Default)]
pub(crate) struct Sources(FxHashMap<Source, SourceId>);

impl Sources {
    /// Adds a source that was read from disk, the next in order.
    pub(crate) fn load(&mut self, key: &[u8], record: &[u8]) -> Result<(), Malformed> {
        let id = self.next();
        let source = Source::decode(record)?;
        if key == id.key() && self.0.insert(source, id).is_none() { Ok(()) } else { Err(Malformed) }
    }

    pub(crate) fn get(&self, source: &Source) -> Option<SourceId> {
        self.0.get(source).copied()
    }

    pub(crate) fn next(&self) -> SourceId {
        SourceId(u32::try_from(self.0.len()).expect("fewer sources than memory could hold"))
    }

    pub(crate) fn insert(&mut self, source: Source, id: SourceId) {
        self.0.insert(source, id);
    }
}
