//! Asking for jobs and their histories.

use rocksdb::Direction;
use sprig_domain::{Goal, JobId};

use crate::bytes::Malformed;
use crate::history::{event_key, parse_event_key};
use crate::job::{goal_key, job_key, parse_job_key};
use crate::tables::{HISTORY, JOBS};
use crate::terms::terms_key;
use crate::wishes::wishes_key;
use crate::{Event, Job, Reader, StoreError};

impl Reader {
    /// The job with this number.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn job(&self, id: JobId) -> Result<Option<Job>, StoreError> {
        let key = job_key(id);
        self.get(JOBS, &key)?.map(|record| self.whole_job(id, &key, &record)).transpose()
    }

    /// The latest job that was submitted with this goal.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn job_by_goal(&self, goal: &Goal) -> Result<Option<Job>, StoreError> {
        let key = goal_key(goal);
        let Some(record) = self.get(JOBS, &key)? else { return Ok(None) };
        let id = self.sound(JOBS, &key, record.try_into().map_err(|_| Malformed))?;
        self.job(JobId(u64::from_be_bytes(id)))
    }

    /// All jobs, in the order of their numbers.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn jobs(&self) -> Result<Vec<Job>, StoreError> {
        let mut jobs = Vec::new();
        for entry in self.scan(JOBS, &job_key(JobId(0)), Direction::Forward) {
            let (key, record) = entry?;
            let Some(id) = self.sound(JOBS, &key, parse_job_key(&key))? else { break };
            jobs.push(self.whole_job(id, &key, &record)?);
        }
        Ok(jobs)
    }

    /// The latest jobs before number `before` that are wanted, at most `limit`, the latest first.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn jobs_before(
        &self,
        before: JobId,
        limit: usize,
        is_wanted: impl Fn(&Job) -> bool,
    ) -> Result<Vec<Job>, StoreError> {
        let mut jobs = Vec::new();
        let Some(last) = before.0.checked_sub(1) else { return Ok(jobs) };
        for entry in self.scan(JOBS, &job_key(JobId(last)), Direction::Reverse) {
            if jobs.len() == limit {
                break;
            }
            let (key, record) = entry?;
            let Some(id) = self.sound(JOBS, &key, parse_job_key(&key))? else { break };
            jobs.extend(Some(self.whole_job(id, &key, &record)?).filter(&is_wanted));
        }
        Ok(jobs)
    }

    /// A job with its terms and wishes.
    fn whole_job(&self, id: JobId, key: &[u8], record: &[u8]) -> Result<Job, StoreError> {
        let terms = self.get(JOBS, &terms_key(id))?;
        let wishes = self.get(JOBS, &wishes_key(id))?;
        self.sound(JOBS, key, Job::decode(id, record, terms.as_deref(), wishes.as_deref()))
    }

    /// The number for the next job.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn next_job(&self) -> Result<JobId, StoreError> {
        let from = job_key(JobId(u64::MAX));
        let last = self.scan(JOBS, &from, Direction::Reverse).next().transpose()?;
        let Some((key, _)) = last else { return Ok(JobId(1)) };
        let next = parse_job_key(&key).and_then(|id| {
            // There are never this many jobs: the record is damaged or forged.
            id.map_or(Some(1), |id| id.0.checked_add(1)).map(JobId).ok_or(Malformed)
        });
        self.sound(JOBS, &key, next)
    }

    /// What happened to a job, in order.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn history(&self, job: JobId) -> Result<Vec<Event>, StoreError> {
        let mut events = Vec::new();
        for entry in self.scan(HISTORY, &event_key(job, 0), Direction::Forward) {
            let (key, record) = entry?;
            if self.sound(HISTORY, &key, parse_event_key(&key))?.0 != job {
                break;
            }
            events.push(self.sound(HISTORY, &key, Event::decode(&record))?);
        }
        Ok(events)
    }

    /// The number for the next event of a job.
    pub(crate) fn next_event(&self, job: JobId) -> Result<u64, StoreError> {
        let from = event_key(job, u64::MAX);
        let last = self.scan(HISTORY, &from, Direction::Reverse).next().transpose()?;
        let Some((key, _)) = last else { return Ok(0) };
        let (of, number) = self.sound(HISTORY, &key, parse_event_key(&key))?;
        Ok(if of == job { number + 1 } else { 0 })
    }
}
