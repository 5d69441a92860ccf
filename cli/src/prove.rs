//! Asks a coordinator for a proof and follows it to its end.

use anyhow::{Context, anyhow};
use sprig_proto::{Client, Job, JobState};
use sprig_search::Goal;

use crate::failure::{Failure, Interrupted};
use crate::progress::Progress;
use crate::solved::{Show, Solved};
use crate::stop;

/// What Ctrl-C means for the job.
#[derive(Clone, Copy)]
pub enum OnInterrupt {
    /// It ends: nobody else works on it.
    Cancel,
    /// It goes on in the cluster.
    Leave,
}

/// Submits `goal` and waits for the answer.
///
/// # Errors
/// [`Failure::Position`] when the job failed or was cancelled, [`Failure::Everything`] when the coordinator is lost or
/// a person interrupts.
pub async fn prove(
    client: &mut Client,
    typed: &str,
    goal: Goal,
    show: Show,
    on_interrupt: OnInterrupt,
) -> Result<Solved, Failure> {
    let mut progress = Progress::start(typed);
    let mut job = client.submit(goal).await.context("cannot submit the position")?;
    if !job.state.is_final() {
        let mut jobs = client.watch(job.id).await?;
        let stop = stop::requested()?;
        tokio::pin!(stop);
        while !job.state.is_final() {
            progress.show(&job.figures);
            tokio::select! {
                next = jobs.next() => job = next?.context("the coordinator stopped before the job ended")?,
                () = &mut stop => {
                    drop(progress);
                    return Err(interrupted(client, &job, on_interrupt).await);
                }
            }
        }
    }
    drop(progress);
    match job.state {
        JobState::Done(conclusion) => Ok(Solved::new(typed, &job, conclusion, show)),
        JobState::Failed(ref reason) => Err(Failure::Position(anyhow!("job {} failed: {reason}", job.id))),
        JobState::Cancelled => Err(Failure::Position(anyhow!("job {} was cancelled", job.id))),
        JobState::Running => unreachable!("the loop ends with the job"),
    }
}

async fn interrupted(client: &mut Client, job: &Job, on_interrupt: OnInterrupt) -> Failure {
    let text = match on_interrupt {
        OnInterrupt::Leave => format!("job {} goes on; the same command joins it again", job.id),
        OnInterrupt::Cancel => match client.cancel(job.id).await {
            Ok(job) => format!("{} facts were proved in {} expansions", job.figures.facts, job.figures.expansions),
            Err(error) => error.to_string(),
        },
    };
    Failure::Everything(Interrupted(text).into())
}
