//! Jobs in work on a cluster that is struck: what every strike must leave as it was.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use sprig_domain::{Conclusion, JobId, JobState};
use tokio::time::timeout;

use crate::check;
use crate::cluster::{Cluster, Plan};
use crate::heard::Heard;
use crate::prove::{Prover, secret};
use crate::start::Start;

/// A cluster and its jobs.
#[derive(Debug)]
pub struct Siege {
    /// The processes.
    pub cluster: Cluster,
    jobs: Vec<(JobId, Start)>,
}

impl Siege {
    /// Starts the processes on the database of `folder`, and gives them the jobs.
    ///
    /// # Errors
    /// When that does not work.
    pub async fn begin(plan: Plan, folder: &Path, starts: &[Start]) -> anyhow::Result<Self> {
        let cluster = Cluster::start(plan, &folder.join("db")).await?;
        let mut client = cluster.client().await?;
        let mut jobs = Vec::new();
        for &start in starts {
            jobs.push((client.submit(start.goal(), 0).await?.id, start));
        }
        Ok(Self { cluster, jobs })
    }

    /// Whether all jobs have ended.
    ///
    /// # Errors
    /// When a job is no longer there.
    pub async fn is_over(&self) -> anyhow::Result<bool> {
        self.cluster.have_ended(self.jobs.iter().map(|&(job, _)| job)).await
    }

    /// Waits for the answers, and ends all processes in good order.
    ///
    /// # Errors
    /// When an answer does not come, or is not the published one.
    pub async fn end(self, patience: Duration) -> anyhow::Result<()> {
        let mut client = self.cluster.client().await?;
        for &(job, start) in &self.jobs {
            let answer = async {
                let mut watched = client.watch(job).await?;
                while let Some(job) = watched.next().await? {
                    if job.state.is_final() {
                        return Ok(job.state);
                    }
                }
                bail!("{start} was no longer told, and had not ended")
            };
            let state = timeout(patience, answer).await;
            let state = state.with_context(|| format!("{start}: no answer in {patience:?}"))??;
            let JobState::Done(Conclusion { outcome, .. }) = state else {
                bail!("{start} ended as {state:?}")
            };
            ensure!(outcome == start.outcome(), "{start}: WRONG, {outcome}");
        }
        self.cluster.stop().await?;
        Ok(())
    }
}

/// Checks that all facts that were acknowledged are in the database of `folder`. An error names
/// what is missing. Returns how many facts there are.
///
/// # Errors
/// When facts are missing, or were acknowledged with two values.
pub async fn all_there(folder: &Path, heard: &Heard) -> anyhow::Result<usize> {
    let contradictions = heard.contradictions();
    ensure!(contradictions.is_empty(), "acknowledged with two values: {contradictions:?}");
    let (nimbers, others, key) = (heard.facts(), heard.others(), secret(folder)?);
    let (count, db) = (nimbers.len() + others.len(), folder.join("db"));
    let look = move || {
        let mut lost = check::lost(&db, &nimbers)?;
        lost.extend(check::lost_of_misere(&db, &key, &others)?);
        anyhow::Ok(lost)
    };
    let lost = tokio::task::spawn_blocking(look).await??;
    ensure!(lost.is_empty(), "{} of {count} acknowledged facts are lost: {}", lost.len(), lost[0]);
    Ok(count)
}

/// Certifies every answer from the database of `folder`.
///
/// # Errors
/// When it does not prove one.
pub async fn certified(prover: &mut Prover, starts: &[Start], folder: &Path) -> anyhow::Result<()> {
    for &start in starts {
        prover.certify(start, folder).await?;
    }
    Ok(())
}
