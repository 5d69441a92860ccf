//! What was said of a job when it was submitted, and how much of its budget it has taken.
//!
//! The terms have a record of their own, and only if there are any. Programs that know nothing of
//! owners, budgets and campaigns read and write the job itself, and pass over this record.

use std::time::Duration;

use sprig_domain::{JobId, Terms};

use crate::Job;
use crate::bytes::{Malformed, Reader, put_bytes, put_varint};
use crate::job::BY_GOAL;

/// Layout of the record; its first byte.
const LAYOUT: u8 = 1;

/// Second byte of its key. No goal begins with it, and earlier programs pass over all keys that
/// begin like those of goals.
const TERMS: u8 = 0xff;

/// Key of the terms of a job.
pub(crate) fn terms_key(id: JobId) -> [u8; 10] {
    let mut key = [TERMS; 10];
    key[0] = BY_GOAL;
    key[2..].copy_from_slice(&id.0.to_be_bytes());
    key
}

/// Whether a key is that of terms.
pub(crate) fn is_terms(key: &[u8]) -> bool {
    key.starts_with(&[BY_GOAL, TERMS])
}

/// Whether a job has any terms to be written.
pub(crate) fn are_told(job: &Job) -> bool {
    job.terms != Terms::default() || job.core_seconds != 0.0
}

/// The record of a job's terms.
pub(crate) fn encode(job: &Job) -> Vec<u8> {
    let Terms { owner, label, in_turn, budget, deadline } = &job.terms;
    let mut out = vec![LAYOUT];
    put_bytes(&mut out, owner.as_bytes());
    put_bytes(&mut out, label.as_bytes());
    out.push(u8::from(*in_turn));
    let budget = budget.map(|budget| u64::try_from(budget.as_millis()).unwrap_or(u64::MAX));
    put_varint(&mut out, budget.unwrap_or_default());
    put_varint(&mut out, deadline.unwrap_or_default());
    out.extend(job.core_seconds.to_le_bytes());
    out
}

/// The terms, and the core time in seconds that was taken.
pub(crate) fn decode(record: &[u8]) -> Result<(Terms, f64), Malformed> {
    let mut reader = Reader::new(record);
    if reader.byte()? != LAYOUT {
        return Err(Malformed);
    }
    let (owner, label) = (reader.string()?, reader.string()?);
    let in_turn = match reader.byte()? {
        0 => false,
        1 => true,
        _ => return Err(Malformed),
    };
    let mut some = || reader.varint().map(|value| Some(value).filter(|&value| value > 0));
    let (budget, deadline) = (some()?.map(Duration::from_millis), some()?);
    let core_seconds = f64::from_le_bytes(reader.array()?);
    reader.end()?;
    Ok((Terms { owner, label, in_turn, budget, deadline }, core_seconds))
}
