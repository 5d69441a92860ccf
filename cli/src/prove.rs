//! Asks a coordinator for a proof and follows it to its end.

use anyhow::{Context, anyhow};
use sprig_domain::{Goal, JobState};
use sprig_proto::Client;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::solved::{Show, Solved};
use crate::stop::Stop;

/// Submits `goal` and waits for the answer.
///
/// # Errors
/// [`Failure::Position`] when the job failed or was cancelled, [`Failure::Interrupted`] when a person wishes to stop (the
/// job goes on), [`Failure::Everything`] when the coordinator is lost.
pub async fn prove(
    client: &mut Client,
    stop: &mut Stop,
    typed: &str,
    goal: impl Into<Goal>,
    priority: i32,
    show: Show,
) -> Result<Solved, Failure> {
    let mut progress = Progress::start(typed);
    let mut job = client.submit(goal, priority).await.context("cannot submit the position")?;
    if !job.state.is_final() {
        let mut jobs = client.watch(job.id).await?;
        while !job.state.is_final() {
            progress.show(&job.figures);
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
