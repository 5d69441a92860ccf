//! Jobs: goals that people submit, and what became of them.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use sprig_domain::{Goal, JobId, JobState, Terms, Wish};

use crate::bytes::{Malformed, Reader, put_bytes, put_varint};
use crate::goal::{decode_conclusion, decode_goal, encode_conclusion, encode_goal};
use crate::{terms, wishes};

/// Layout of a job record; the first byte of each.
const LAYOUT: u8 = 1;

/// It is read like [`RUNNING`]. No program writes it any more.
const QUEUED: u8 = 0;
const RUNNING: u8 = 1;
const DONE: u8 = 2;
const CANCELLED: u8 = 3;
const FAILED: u8 = 4;
const PAUSED: u8 = 5;

/// First byte of the keys of jobs and of the keys of goals.
const BY_ID: u8 = 1;
pub(crate) const BY_GOAL: u8 = 2;

/// Milliseconds since 1970-01-01 00:00 UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct UnixMillis(pub u64);

impl UnixMillis {
    /// The time by the clock on the wall.
    #[must_use]
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    /// Date and time for people, in UTC.
    #[must_use]
    pub fn date(self) -> String {
        let (days, minutes) = (self.0 / 86_400_000, self.0 / 60_000 % 1440);
        // Years are counted from March on, in the calendar's cycle of 400 years.
        let days = days + 719_468;
        let (cycle, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = cycle * 400 + year + u64::from(month <= 2);
        format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
    }
}

/// A goal that was submitted.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What is asked.
    pub goal: Goal,
    /// Jobs of higher priority go first.
    pub priority: i32,
    /// When it was submitted.
    pub submitted: UnixMillis,
    /// What became of it.
    pub state: JobState,
    /// When it ended; `None` if it has not.
    pub ended: Option<UnixMillis>,
    /// Couples whose children were generated for it so far.
    pub expansions: u64,
    /// Seconds it has been running so far.
    pub seconds: f64,
    /// What was said of it when it was submitted.
    pub terms: Terms,
    /// Seconds of cores that workers have given it so far.
    pub core_seconds: f64,
    /// Where people want its searches to go.
    pub wishes: Vec<Wish>,
}

/// Key of a job.
pub(crate) fn job_key(id: JobId) -> [u8; 9] {
    let mut key = [BY_ID; 9];
    key[1..].copy_from_slice(&id.0.to_be_bytes());
    key
}

/// The job that a key belongs to; `None` for the key of a goal.
pub(crate) fn parse_job_key(key: &[u8]) -> Result<Option<JobId>, Malformed> {
    match key {
        [BY_GOAL, ..] => Ok(None),
        [BY_ID, id @ ..] => {
            let id = id.try_into().map_err(|_| Malformed)?;
            Ok(Some(JobId(u64::from_be_bytes(id))))
        }
        _ => Err(Malformed),
    }
}

/// Key under which the latest job with a goal is found.
pub(crate) fn goal_key(goal: &Goal) -> Vec<u8> {
    [&[BY_GOAL][..], &encode_goal(goal)].concat()
}

impl Job {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![LAYOUT];
        put_bytes(&mut out, &encode_goal(&self.goal));
        out.extend(self.priority.to_le_bytes());
        put_varint(&mut out, self.submitted.0);
        put_varint(&mut out, self.expansions);
        out.extend(self.seconds.to_le_bytes());
        encode_state(&self.state, self.ended.unwrap_or_default(), &mut out);
        out
    }

    /// Reads a job. `terms` and `wishes` are the records of its terms and wishes, if it has them.
    pub(crate) fn decode(
        id: JobId,
        record: &[u8],
        terms: Option<&[u8]>,
        wishes: Option<&[u8]>,
    ) -> Result<Self, Malformed> {
        let mut reader = Reader::new(record);
        if reader.byte()? != LAYOUT {
            return Err(Malformed);
        }
        let goal = decode_goal(reader.bytes()?)?;
        let priority = i32::from_le_bytes(reader.array()?);
        let submitted = UnixMillis(reader.varint()?);
        let expansions = reader.varint()?;
        let seconds = f64::from_le_bytes(reader.array()?);
        let (state, ended) = decode_state(&mut reader, &goal)?;
        reader.end()?;
        let (terms, core_seconds) = terms.map_or(Ok(Default::default()), terms::decode)?;
        let wishes = wishes.map_or(Ok(Vec::new()), wishes::decode)?;
        Ok(Self {
            id,
            goal,
            priority,
            submitted,
            state,
            ended,
            expansions,
            seconds,
            terms,
            core_seconds,
            wishes,
        })
    }
}

fn encode_state(state: &JobState, ended: UnixMillis, out: &mut Vec<u8>) {
    out.push(match state {
        JobState::Running => return out.push(RUNNING),
        JobState::Paused => return out.push(PAUSED),
        JobState::Done(_) => DONE,
        JobState::Cancelled => CANCELLED,
        JobState::Failed(_) => FAILED,
    });
    put_varint(out, ended.0);
    match state {
        JobState::Done(conclusion) => encode_conclusion(conclusion, out),
        JobState::Failed(reason) => put_bytes(out, reason.as_bytes()),
        _ => {}
    }
}

fn decode_state(
    reader: &mut Reader<'_>,
    goal: &Goal,
) -> Result<(JobState, Option<UnixMillis>), Malformed> {
    let tag = reader.byte()?;
    match tag {
        QUEUED | RUNNING => return Ok((JobState::Running, None)),
        PAUSED => return Ok((JobState::Paused, None)),
        _ => {}
    }
    let ended = Some(UnixMillis(reader.varint()?));
    let state = match tag {
        DONE => JobState::Done(decode_conclusion(reader, goal)?),
        CANCELLED => JobState::Cancelled,
        FAILED => JobState::Failed(reader.string()?),
        _ => return Err(Malformed),
    };
    Ok((state, ended))
}

impl fmt::Display for UnixMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_340, "2000-02-28 23:59 UTC"),
            (951_868_799, "2000-02-29 23:59 UTC"),
            (1_767_225_600, "2026-01-01 00:00 UTC"),
            (4_107_542_399, "2100-02-28 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(UnixMillis(seconds * 1000).date(), date);
        }
    }
}
