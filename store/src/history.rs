//! The history of a job: what happened to it, in order, for ever.

use sprig_domain::JobId;

use crate::UnixMillis;
use crate::bytes::{Malformed, Reader, put_bytes, put_varint};

/// Something that happened to a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// When it happened.
    pub time: UnixMillis,
    /// What happened.
    pub kind: EventKind,
    /// Whom or what it concerns, for people: a client, a worker, a reason. It may be empty.
    pub detail: String,
}

/// What can happen to a job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EventKind {
    /// A client submitted it.
    Submitted,
    /// Work on it began, or went on after a restart of the coordinator.
    Started,
    /// A worker got a lease on a part of it.
    Leased,
    /// A worker's lease on a part of it was revoked or expired.
    Revoked,
    /// It was answered.
    Done,
    /// A client cancelled it.
    Cancelled,
    /// It cannot be answered.
    Failed,
    /// A client paused it.
    Paused,
    /// About the whole database: claims were withdrawn.
    Withdrawn,
    /// About the whole database: a source is not listened to any more. Earlier versions wrote this;
    /// bans have records of their own now.
    Banned,
}

impl EventKind {
    /// Every kind. The index of a kind is its byte on disk, so new ones go to the end.
    const ALL: [Self; 10] = [
        Self::Submitted,
        Self::Started,
        Self::Leased,
        Self::Revoked,
        Self::Done,
        Self::Cancelled,
        Self::Failed,
        Self::Paused,
        Self::Withdrawn,
        Self::Banned,
    ];

    /// Its name, for programs and people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Started => "started",
            Self::Leased => "leased",
            Self::Revoked => "revoked",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::Paused => "paused",
            Self::Withdrawn => "withdrawn",
            Self::Banned => "banned",
        }
    }
}

impl Event {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![self.kind as u8];
        put_varint(&mut out, self.time.0);
        put_bytes(&mut out, self.detail.as_bytes());
        out
    }

    pub(crate) fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(record);
        let kind = *EventKind::ALL.get(usize::from(reader.byte()?)).ok_or(Malformed)?;
        let time = UnixMillis(reader.varint()?);
        let detail = reader.string()?;
        reader.end()?;
        Ok(Self { time, kind, detail })
    }
}

/// Key of an event: the job, then the number of the event among those of the job, from 0.
pub(crate) fn event_key(job: JobId, number: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&job.0.to_be_bytes());
    key[8..].copy_from_slice(&number.to_be_bytes());
    key
}

/// Job and number of the event with key `key`.
pub(crate) fn parse_event_key(key: &[u8]) -> Result<(JobId, u64), Malformed> {
    let mut reader = Reader::new(key);
    let job = JobId(u64::from_be_bytes(reader.array()?));
    let number = u64::from_be_bytes(reader.array()?);
    reader.end()?;
    Ok((job, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_stands_at_its_byte() {
        for (byte, kind) in EventKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, byte);
        }
    }
}
