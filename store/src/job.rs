//! Jobs: goals that people submit, and what became of them.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::bytes::{Malformed, Reader, put_bytes, put_varint};
use crate::{Answer, Goal};

/// Layout of a job record; the first byte of each.
const LAYOUT: u8 = 1;

const QUEUED: u8 = 0;
const RUNNING: u8 = 1;
const DONE: u8 = 2;
const CANCELLED: u8 = 3;
const FAILED: u8 = 4;
const PAUSED: u8 = 5;

/// First byte of the keys of jobs and of the keys of goals.
const BY_ID: u8 = 1;
const BY_GOAL: u8 = 2;

/// Number of a job: 1 for the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub u64);

/// Milliseconds since 1970-01-01 00:00 UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct UnixMillis(pub u64);

impl UnixMillis {
    /// By the clock on the wall.
    #[must_use]
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    /// Date and time for people, in UTC.
    #[must_use]
    pub fn date(self) -> String {
        let (days, minutes) = (self.0 / 86_400_000, self.0 / 60_000 % 1440);
        // Years from March on, in the cycle of 400 years that the calendar has.
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
    /// Couples whose children were generated for it so far.
    pub expansions: u64,
    /// Seconds it has been running so far.
    pub seconds: f64,
}

/// What became of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobState {
    /// Waits for its turn.
    Queued,
    /// Workers are on it.
    Running,
    /// Nobody works on it until somebody says so.
    Paused,
    /// The question is answered.
    Done {
        /// When.
        time: UnixMillis,
        /// The answer.
        answer: Answer,
    },
    /// Somebody called it off.
    Cancelled {
        /// When.
        time: UnixMillis,
    },
    /// It cannot be answered.
    Failed {
        /// When.
        time: UnixMillis,
        /// One line that says why.
        reason: String,
    },
}

/// Key of a job.
pub(crate) fn job_key(id: JobId) -> [u8; 9] {
    let mut key = [BY_ID; 9];
    key[1..].copy_from_slice(&id.0.to_be_bytes());
    key
}

/// The job that a key is of; none for the key of a goal.
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
    [&[BY_GOAL][..], &goal.encode()].concat()
}

impl Job {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![LAYOUT];
        put_bytes(&mut out, &self.goal.encode());
        out.extend(self.priority.to_le_bytes());
        put_varint(&mut out, self.submitted.0);
        put_varint(&mut out, self.expansions);
        out.extend(self.seconds.to_le_bytes());
        self.state.encode(&mut out);
        out
    }

    pub(crate) fn decode(id: JobId, record: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(record);
        if reader.byte()? != LAYOUT {
            return Err(Malformed);
        }
        let goal = Goal::decode(reader.bytes()?)?;
        let priority = i32::from_le_bytes(reader.array()?);
        let submitted = UnixMillis(reader.varint()?);
        let expansions = reader.varint()?;
        let seconds = f64::from_le_bytes(reader.array()?);
        let state = JobState::decode(&mut reader)?;
        reader.end()?;
        Ok(Self { id, goal, priority, submitted, state, expansions, seconds })
    }
}

impl JobState {
    /// Whether nothing more will happen to the job.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Queued | Self::Running | Self::Paused)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let (tag, time) = match self {
            Self::Queued => return out.push(QUEUED),
            Self::Running => return out.push(RUNNING),
            Self::Paused => return out.push(PAUSED),
            Self::Done { time, .. } => (DONE, time),
            Self::Cancelled { time } => (CANCELLED, time),
            Self::Failed { time, .. } => (FAILED, time),
        };
        out.push(tag);
        put_varint(out, time.0);
        match self {
            Self::Done { answer, .. } => answer.encode(out),
            Self::Failed { reason, .. } => put_bytes(out, reason.as_bytes()),
            _ => {}
        }
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let tag = reader.byte()?;
        match tag {
            QUEUED => return Ok(Self::Queued),
            RUNNING => return Ok(Self::Running),
            PAUSED => return Ok(Self::Paused),
            _ => {}
        }
        let time = UnixMillis(reader.varint()?);
        match tag {
            DONE => Ok(Self::Done { time, answer: Answer::decode(reader)? }),
            CANCELLED => Ok(Self::Cancelled { time }),
            FAILED => Ok(Self::Failed { time, reason: reader.string()? }),
            _ => Err(Malformed),
        }
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
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
