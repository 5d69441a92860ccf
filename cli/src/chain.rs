//! A campaign in a cluster: a job for each start position, in turn. The coordinator keeps the
//! campaign. This command submits it and watches it.

use std::process::ExitCode;

use sprig_ask::{plural, with_verb};
use sprig_campaign::{Done, Forecast, Series};
use sprig_domain::{Goal, JobState, Question, Ruleset, Terms};
use sprig_engine::{CanonicalPosition, Position};
use sprig_proto::{Client, ClientError, Job, Selection, Submission};
use tokio::runtime::Runtime;

use crate::commands::submit::Told;
use crate::connect::CoordinatorUrl;
use crate::duration::in_words;
use crate::failure::{Failure, Interrupted, quote};
use crate::output::Format;
use crate::positions::Several;
use crate::prove::{follow, submit};
use crate::solved::Show;
use crate::stop::Stop;
use crate::terms::jobs_of;

/// A campaign as it was typed.
pub struct Chain<'a> {
    /// The positions.
    pub plan: Series,
    /// Smaller positions that the plan leaves out.
    pub gaps: Series,
    /// What is played.
    pub ruleset: Ruleset,
    /// Jobs of higher priority go first.
    pub priority: i32,
    /// The label of the campaign, and the limits of each position.
    pub terms: Terms,
    /// Whether to wait for the answers.
    pub wait: bool,
    /// For people or for programs.
    pub format: &'a Format,
}

/// A start position of the campaign, and its job.
struct Link {
    spots: u16,
    typed: String,
    job: Job,
}

impl Chain<'_> {
    /// Submits all positions, and waits for the answers if that is wished.
    ///
    /// # Errors
    /// When the coordinator cannot be asked, and [`Interrupted`] when a person ends the wait. The
    /// campaign goes on all the same.
    pub fn run(self, runtime: &Runtime, coordinator: &CoordinatorUrl) -> anyhow::Result<ExitCode> {
        warn_of(&self.gaps, ", unless the database knows them");
        runtime.block_on(async {
            let mut client = coordinator.await_start().await?;
            let mut stop = Stop::listen()?;
            let mut several = Several { format: self.format, code: ExitCode::SUCCESS };
            let links = self.submit(&mut client, &mut stop).await?;
            let label = quote(&self.terms.label);
            let open = links.iter().filter(|link| !link.job.state.is_final()).count();
            let all = with_verb(links.len(), "position", ["is", "are"]);
            remark!("sprig: {open} of {all} open, with the label {label}");
            if !self.wait {
                for Link { typed, job, .. } in &links {
                    several.print(typed.as_bytes(), None, Ok(Told::of(typed, job)))?;
                }
                return Ok(several.code);
            }
            let mut done = self.done_before(&mut client).await?;
            for (place, Link { spots, typed, job }) in links.iter().enumerate() {
                let answer = loop {
                    let answer =
                        follow(&mut client, &mut stop, typed, job.clone(), Show::Outcome).await;
                    match answer {
                        Err(Failure::Everything(error)) if is_lost(&error) => {
                            remark!("sprig: the coordinator has gone; the campaign waits for it");
                            client = coordinator.await_start().await?;
                        }
                        Err(Failure::Interrupted(job)) => {
                            let message = format!(
                                "the campaign goes on: `sprig jobs --label {label}` shows it, the same \
                                 command joins it again"
                            );
                            return Err(Interrupted { message, figures: job.figures }.into());
                        }
                        answer => break answer,
                    }
                };
                if let (Ok(solved), false) = (&answer, job.state.is_final()) {
                    done.push(Done { spots: *spots, seconds: solved.seconds() });
                }
                let rest = &links[place + 1..];
                several.print(typed.as_bytes(), None, answer.map(Told::Answer))?;
                foretell(&done, rest);
            }
            Ok(several.code)
        })
    }

    /// Submits every position, the small ones first.
    async fn submit(&self, client: &mut Client, stop: &mut Stop) -> anyhow::Result<Vec<Link>> {
        let mut links = Vec::new();
        for spots in self.plan.iter() {
            let (typed, goal) = (format!("0*{spots}"), self.goal(spots)?);
            let (priority, terms) = (self.priority, self.terms.clone());
            let submission = Submission { goal, priority, terms };
            let job = submit(client, stop, &typed, submission).await?;
            links.push(Link { spots, typed, job });
        }
        Ok(links)
    }

    fn goal(&self, spots: u16) -> anyhow::Result<Goal> {
        let position = CanonicalPosition::of(&Position::start(spots.into()));
        Ok(Goal::new(self.ruleset, position, Question::OUTCOME)?)
    }

    /// What the positions took that this campaign has solved before. Forecasts rest on these.
    async fn done_before(&self, client: &mut Client) -> anyhow::Result<Vec<Done>> {
        let (owner, label) = (String::new(), self.terms.label.clone());
        let jobs = jobs_of(client, &Selection { owner, label }).await.unwrap_or_default();
        let mut done = Vec::new();
        for spots in self.plan.iter() {
            let goal = self.goal(spots)?;
            let solved = jobs.iter().filter(|job| matches!(job.state, JobState::Done(_)));
            let took = solved.filter(|job| job.goal == goal).map(|job| job.seconds);
            done.extend(took.max_by(f64::total_cmp).map(|seconds| Done { spots, seconds }));
        }
        Ok(done)
    }
}

/// Warns if the chain has gaps. `hope` says where that does not matter.
pub fn warn_of(gaps: &Series, hope: &str) {
    if !gaps.is_empty() {
        remark!(
            "sprig: the chain lacks {gaps}; what comes after a gap is several times dearer{hope}"
        );
    }
}

/// Whether the connection to the coordinator is lost, so that it may come back.
fn is_lost(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| matches!(cause.downcast_ref(), Some(ClientError::Lost)))
}

/// Says how long the rest may take with the workers that there were so far, if enough was solved to
/// say it.
fn foretell(done: &[Done], rest: &[Link]) {
    let open: Vec<u16> =
        rest.iter().filter(|link| !link.job.state.is_final()).map(|link| link.spots).collect();
    let count = open.len();
    let Some(Forecast { likely, low, high }) = Forecast::of(done, open) else { return };
    let [likely, low, high] = [likely, low, high].map(in_words);
    let count = plural(count, "position");
    remark!("sprig: {count} to go, some {likely} ({low} to {high})");
}
