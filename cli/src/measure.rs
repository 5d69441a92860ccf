//! The measuring process of `sprig bench`. It does what `sprig solve` does, and says what that
//! cost.

use std::io;
use std::num::NonZero;
use std::time::Duration;

use anyhow::Context;
use sprig_bench::{Answer, Job, Meter, Question, Run, position};
use sprig_domain::{Figures, Goal};
use sprig_worker::Shutdown;
use tokio::time::Instant;

use crate::database::Database;
use crate::embedded::Embedded;
use crate::failure::{Failure, Interrupted};
use crate::memory::Bounds;
use crate::output;
use crate::solved::Show;

/// Reads a [`Job`] from standard input, does it with one temporary database, and prints each
/// [`Run`] as a line of JSON. The last line comes after everything was shut down, so that the cost
/// includes that.
///
/// # Errors
/// When the job cannot be read, and those of `sprig solve`.
pub fn measure() -> anyhow::Result<()> {
    let job: Job = serde_json::from_reader(io::stdin().lock()).context("cannot read the job")?;
    let mut meter = Meter::start();
    let bounds = Bounds::new(u16::try_from(job.threads)?, job.memory);
    let one = NonZero::<u16>::MIN;
    let memory = bounds.of_database(one);
    let database = Database::temporary(memory)?;
    let mut cluster = Embedded::start(database, one, || bounds.of_one(one, memory))?;
    let Some((last, others)) = job.positions.split_last() else { return Ok(()) };
    for text in others {
        let (answer, figures) = solve(&mut cluster, &job, text)?;
        print(&meter.read(answer, figures))?;
    }
    let (answer, figures) = solve(&mut cluster, &job, last)?;
    cluster.end(Shutdown::Finish)?;
    print(&meter.read(answer, figures))
}

fn print(run: &Run) -> anyhow::Result<()> {
    output::print(output::json(run)?)
}

fn solve(cluster: &mut Embedded, job: &Job, text: &str) -> anyhow::Result<(Answer, Figures)> {
    let deadline = job.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    cluster.stop_at(deadline);
    let goal = Goal::normal(position(text)?, job.question.into());
    let show = match job.question {
        Question::Outcome => Show::Outcome,
        Question::Nimber => Show::Nimber,
    };
    match cluster.prove(text, goal, show) {
        Ok(solved) => Ok((solved.measured(), solved.figures)),
        Err(Failure::Everything(error)) => match error.downcast::<Interrupted>() {
            Ok(stopped) if deadline.is_some_and(|deadline| deadline <= Instant::now()) => {
                Ok((Answer::Open, stopped.figures))
            }
            Ok(stopped) => Err(stopped.into()),
            Err(error) => Err(error),
        },
        Err(failure) => Err(failure.about(text)),
    }
}
