//! Asks a coordinator for a proof and follows it to its end.

use anyhow::{Context, anyhow};
use sprig_domain::JobState;
use sprig_domain::Terms;
use sprig_proto::{Client, Job, Submission};

use crate::failure::{Failure, Interrupted, quote};
use crate::progress::Progress;
use crate::solved::{Show, Solved};
use crate::stop::Stop;

/// Submits a goal, typed as `typed`. That takes as long as the coordinator may not acknowledge it,
/// for its followers are away.
///
/// # Errors
/// [`Interrupted`] when a person wishes to stop; errors of the coordinator.
pub async fn submit(
    client: &mut Client,
    stop: &mut Stop,
    typed: &str,
    submission: Submission,
) -> anyhow::Result<Job> {
    let terms = submission.terms.clone();
    tokio::select! {
        job = client.submit_on(submission) => {
            let job = job.with_context(|| format!("cannot submit {}", quote(typed)))?;
            if let Some(notice) = joined(typed, &job, &terms) {
                remark!("sprig: {notice}");
            }
            Ok(job)
        }
        () = stop.requested() => {
            let message = format!(
                "the coordinator has not acknowledged {}, and may still do that; `sprig jobs` shows what it has",
                quote(typed)
            );
            Err(Interrupted::new(message).into())
        }
    }
}

/// What to say when a goal was in work already, and goes on under another name.
fn joined(typed: &str, job: &Job, wanted: &Terms) -> Option<String> {
    let Terms { owner, label, .. } = &job.terms;
    if job.state.is_final() || *label == wanted.label {
        return None;
    }
    let label = match label.as_str() {
        "" => "without a label".to_owned(),
        label => format!("with the label {}", quote(label)),
    };
    let owner = match owner.as_str() {
        "" => String::new(),
        owner => format!(", of {}", quote(owner)),
    };
    Some(format!("{typed} is in work as job {} already, {label}{owner}", job.id))
}

/// Submits a goal and waits for the answer.
///
/// # Errors
/// [`Failure::Position`] when the job failed, was cancelled, or has spent its budget.
/// [`Failure::Interrupted`] when a person wishes to stop; the job goes on. [`Failure::Everything`]
/// when the coordinator is lost.
pub async fn prove(
    client: &mut Client,
    stop: &mut Stop,
    typed: &str,
    submission: impl Into<Submission>,
    show: Show,
) -> Result<Solved, Failure> {
    let job = submit(client, stop, typed, submission.into()).await?;
    follow(client, stop, typed, job, show).await
}

/// Waits for the answer to a job.
///
/// # Errors
/// Those of [`prove`].
pub async fn follow(
    client: &mut Client,
    stop: &mut Stop,
    typed: &str,
    mut job: Job,
    show: Show,
) -> Result<Solved, Failure> {
    let mut progress = Progress::start(typed);
    if !job.state.is_final() {
        let mut jobs = client.watch(job.id).await?;
        while !job.state.is_final() {
            if let Some(why) = job.waiting.as_ref().filter(|why| why.is_spent()) {
                return Err(Failure::Position(anyhow!("job {}: {why}", job.id)));
            }
            progress.show(&job.figures, job.waiting.as_ref());
            tokio::select! {
                next = jobs.next() => job = next?.context("the coordinator stopped before the job ended")?,
                () = stop.requested() => return Err(Failure::Interrupted(Box::new(job))),
            }
        }
    }
    drop(progress);
    match job.state {
        JobState::Done(conclusion) => Ok(Solved::new(typed, &job, conclusion, show)),
        JobState::Failed(ref reason) => {
            Err(Failure::Position(anyhow!("job {} failed: {reason}", job.id)))
        }
        JobState::Cancelled => Err(Failure::Position(anyhow!("job {} was cancelled", job.id))),
        JobState::Running | JobState::Paused => unreachable!("the loop ends with the job"),
    }
}
