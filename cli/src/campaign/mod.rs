//! A campaign: its positions, what is done, and what each position still needs.

pub mod journal;
mod proofs;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use sprig_ask::{plural, with_verb};
use sprig_campaign::{Forecast, Series, Skip};
use sprig_coordinator::{Trust, knowledge};
use sprig_domain::{Figures, Goal, Play, Question};
use sprig_engine::{CanonicalPosition, Position};
use sprig_store::Reader;
use sprig_worker::Shutdown;
use tokio::time::Instant;

use crate::chain::warn_of;
use crate::database;
use crate::duration::in_words;
use crate::embedded::Embedded;
use crate::failure::{Failure, Interrupted, one_line};
use crate::memory::Bounds;
use crate::output::{self, Format};
use crate::seal;
use crate::solved::{Show, Solved};

use journal::{Entry, Journal};
pub use proofs::Proofs;

/// A campaign as it was typed.
pub struct Campaign {
    /// The positions.
    pub plan: Series,
    /// Smaller positions that the plan leaves out and nobody knows.
    pub gaps: Series,
    /// Whether the last to move loses.
    pub misere: bool,
    /// The database.
    pub db: PathBuf,
    /// Where certificates and journal go.
    pub folder: PathBuf,
    /// Which proofs are wanted.
    pub proofs: Proofs,
    /// How long one position may take.
    pub budget: Option<Duration>,
    /// How long the whole campaign may take.
    pub time: Option<Duration>,
    /// Memory and threads.
    pub bounds: Bounds,
    /// Whether answers are for programs.
    pub json: bool,
}

/// What a campaign would do.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Listed {
    /// Numbers of spots, in the order in which they are solved.
    positions: Vec<u16>,
    /// Smaller positions that the chain leaves out and the database does not know.
    missing: Vec<u16>,
}

impl output::Answer for Listed {
    fn text(&self) -> String {
        let lines = self.positions.iter().map(|spots| format!("0*{spots}\n"));
        lines.collect()
    }

    fn line(&self) -> String {
        plural(self.positions.len(), "position")
    }
}

/// The smaller positions that a plan leaves out, without those that cost nothing: the database in `folder` knows who wins,
/// or in misère play they belong to the base of the largest position. Who solves says what is wrong with the database.
pub fn gaps(plan: &Series, skips: &[Skip], folder: &Path, play: Play) -> Series {
    let mut gaps = plan.gaps(skips);
    let start = |spots: u16| CanonicalPosition::of(&Position::start(spots.into()));
    if let (Play::Misere, Some(largest)) = (play, plan.iter().next_back()) {
        let base = sprig_misere::base_of(&start(largest));
        gaps.retain(|spots| usize::from(spots) > base);
    }
    if gaps.is_empty() || database::exists(folder).is_err() {
        return gaps;
    }
    let secret = seal::secret(folder).ok();
    if let Some(reader) = secret.and_then(|secret| Reader::open(folder, &secret).ok()) {
        gaps.retain(|spots| {
            let known = knowledge(&reader, &start(spots), play, Trust::Believed, &Arc::default());
            !known.is_ok_and(|known| known.outcome.is_some())
        });
    }
    gaps
}

/// Shows what a campaign would do, and which positions its chain leaves out.
///
/// # Errors
/// When the output cannot be written.
pub fn list(plan: &Series, gaps: &Series, format: &Format) -> anyhow::Result<ExitCode> {
    warn_of(gaps, "");
    let listed = Listed { positions: plan.iter().collect(), missing: gaps.iter().collect() };
    output::answer(format, &listed)
}

/// Lets all other work of the machine go first. Where the system does not allow that, the priority
/// stays as it is.
pub fn make_way() {
    let _ = rustix::process::nice(19);
    // Where each session has a scheduling group of its own, niceness counts within the group only.
    // So the group gets it too, if it is that of this process: that of a terminal would stay slow
    // after the campaign, with all that is started there.
    if rustix::process::getsid(None) == Ok(rustix::process::getpid()) {
        let _ = std::fs::write("/proc/self/autogroup", "19");
    }
}

/// How the work on a position ended.
enum End {
    Solved(serde_json::Value),
    /// The position was left open, after this work, and the next one can be tried.
    Open(String, Figures),
}

impl Campaign {
    /// Runs the campaign.
    ///
    /// # Errors
    /// When the database or the journal cannot be used, and [`Interrupted`] when a person ends it.
    /// What is done is kept.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        warn_of(&self.gaps, "");
        let end = self.time.map(|time| Instant::now() + time);
        let mut journal = Journal::open(&self.folder, self.play())?;
        let rest: Vec<u16> = self.plan.iter().filter(|&n| !self.is_done(&journal, n)).collect();
        let done = self.plan.len() - rest.len();
        remark!("sprig: {done} of {} done", with_verb(self.plan.len(), "position", ["is", "are"]));
        for spots in self.plan.iter() {
            if let Some(entry) = journal.done(spots, self.proofs.wanted) {
                self.print(entry)?;
            }
        }
        let mut solver = None;
        let mut code = ExitCode::SUCCESS;
        for (place, &spots) in rest.iter().enumerate() {
            if end.is_some_and(|end| end <= Instant::now()) {
                remark!("sprig: its time is over; the same command goes on");
                code = ExitCode::FAILURE;
                break;
            }
            let worked = self.work(&mut solver, &mut journal, spots, end);
            let entry = match worked {
                Ok(entry) => entry,
                Err(error) => {
                    self.finish(solver, &error)?;
                    return Err(error.context(format!("with {spots} spots")));
                }
            };
            if entry.trouble.is_some() {
                code = ExitCode::FAILURE;
            }
            self.print(&entry)?;
            self.foretell(&journal, &rest[place + 1..]);
        }
        solver.map_or(Ok(()), |cluster: Embedded| cluster.end(Shutdown::Finish))?;
        Ok(code)
    }

    fn play(&self) -> &'static str {
        if self.misere { "misere" } else { "normal" }
    }

    fn is_done(&self, journal: &Journal, spots: u16) -> bool {
        journal.done(spots, self.proofs.wanted).is_some()
    }

    /// Solves one position, certifies it, verifies the certificate, and writes the result down.
    fn work(
        &self,
        solver: &mut Option<Embedded>,
        journal: &mut Journal,
        spots: u16,
        end: Option<Instant>,
    ) -> anyhow::Result<Entry> {
        let begun = std::time::Instant::now();
        let cluster = match solver {
            Some(cluster) => cluster,
            none => none.insert(Embedded::open(Some(&self.db), NonZero::<u16>::MIN, &self.bounds)?),
        };
        let solved = self.solve(cluster, spots, end)?;
        let mut entry = Entry {
            spots,
            play: self.play().to_owned(),
            outcome: None,
            expansions: 0,
            facts: 0,
            seconds: (begun.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
            certificate: None,
            trouble: None,
        };
        match solved {
            End::Open(why, figures) => {
                (entry.expansions, entry.facts) = (figures.expansions, figures.facts);
                entry.trouble = Some(why);
            }
            End::Solved(answer) => {
                entry.outcome = answer["outcome"].as_str().map(str::to_owned);
                entry.expansions = answer["expansions"].as_u64().unwrap_or_default();
                entry.facts = answer["facts"].as_u64().unwrap_or_default();
                if let Some(before) = journal.unproved(spots) {
                    entry.add_cost(before);
                }
                if self.proofs.wanted {
                    // After any end before the certificate is there the database knows the answer,
                    // and nothing but this line knows what it has cost.
                    journal.add(entry.clone())?;
                    let Self { misere, db, folder, .. } = self;
                    match self.proofs.make(cluster, spots, *misere, db, folder, end) {
                        Ok(certificate) => entry.certificate = Some(certificate),
                        Err(error) if error.is::<Interrupted>() => return Err(error),
                        Err(error) => entry.trouble = Some(one_line(&error)),
                    }
                }
            }
        }
        journal.add(entry.clone())?;
        Ok(entry)
    }

    fn solve(
        &self,
        cluster: &mut Embedded,
        spots: u16,
        end: Option<Instant>,
    ) -> anyhow::Result<End> {
        let position = Position::start(spots.into());
        let (typed, canonical) = (position.to_string(), CanonicalPosition::of(&position));
        let budget = self.budget.map(|budget| Instant::now() + budget);
        let deadline = [budget, end].into_iter().flatten().min();
        cluster.stop_at(deadline);
        let goal = if self.misere {
            Goal::misere(canonical)
        } else {
            Goal::normal(canonical, Question::OUTCOME)
        };
        let solved = cluster.prove(&typed, goal, Show::Outcome);
        match solved {
            Ok(solved) => Ok(End::Solved(serde_json::to_value::<Solved>(solved)?)),
            Err(Failure::Position(error)) => Ok(End::Open(one_line(&error), Figures::default())),
            Err(Failure::Everything(error)) if error.is::<Interrupted>() => {
                if deadline.is_none_or(|deadline| deadline > Instant::now()) {
                    return Err(error);
                }
                let is_spent = budget.is_some_and(|budget| budget <= Instant::now());
                let why = if is_spent {
                    "it took longer than its budget"
                } else {
                    "the time of the campaign was over"
                };
                let figures = error.downcast_ref().map(|Interrupted { figures, .. }| *figures);
                Ok(End::Open(why.into(), figures.unwrap_or_default()))
            }
            Err(failure) => Err(failure.about(&typed)),
        }
    }

    /// Ends the solver after `error`. What the solver has proved is delivered, if its coordinator
    /// is still there.
    fn finish(&self, solver: Option<Embedded>, error: &anyhow::Error) -> anyhow::Result<()> {
        let Some(cluster) = solver else { return Ok(()) };
        if error.is::<Interrupted>() {
            return cluster.end(Shutdown::Finish);
        }
        // The caller tells the first error, so a second one is left out.
        let _ = cluster.end(Shutdown::Drop);
        Ok(())
    }

    fn print(&self, entry: &Entry) -> anyhow::Result<()> {
        if self.json {
            return output::print(output::json(entry)?);
        }
        let Entry { spots, outcome, expansions, seconds, certificate, trouble, .. } = entry;
        let outcome = outcome.as_deref().unwrap_or("open");
        let time = in_words(*seconds);
        let proof = certificate.as_ref().map_or_else(String::new, |certified| {
            format!(
                "  proved by {} in {}, verified",
                plural(certified.facts, "fact"),
                certified.file
            )
        });
        let trouble = trouble.as_ref().map_or_else(String::new, |why| format!("  {why}"));
        output::print(format!(
            "0*{spots:<4} {outcome:<5} {expansions:>11} expansions {time:>8}{proof}{trouble}\n"
        ))
    }

    /// Says how long the rest may take, if enough was solved to say it.
    fn foretell(&self, journal: &Journal, rest: &[u16]) {
        let Some(forecast) = Forecast::of(&journal.solved(), rest.iter().copied()) else { return };
        let Forecast { likely, low, high } = forecast;
        remark!(
            "sprig: {} to go, some {} ({} to {})",
            plural(rest.len(), "position"),
            in_words(likely),
            in_words(low),
            in_words(high)
        );
    }
}
