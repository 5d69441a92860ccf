//! The measuring process: solves what it is told on standard input and prints one line of figures for each position.

use std::io::Write;
use std::time::{Duration, Instant};

use sprig_engine::Nimber;
use sprig_search::{Fact, Figures, Goal, Limits, Observer, Question as Asked, Solver};

use crate::job::position;
use crate::{Error, Job, Question, Run, usage};

/// Ends a search at a time.
struct Deadline(Option<Instant>);

impl Observer for Deadline {
    fn stop(&self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn proved(&self, _: Fact) {}
}

/// What a process had used and done at some moment.
struct Mark {
    cpu: Duration,
    wall: Instant,
    figures: Figures,
}

/// Reads a [`Job`] from standard input, does it in this process, and writes each [`Run`] as a line of JSON to standard
/// output. To be called by a process that does nothing else, before it has allocated anything of note.
///
/// # Errors
/// [`Error`] when the job cannot be read or a position cannot be solved.
pub fn serve() -> Result<(), Error> {
    let job: Job = serde_json::from_reader(std::io::stdin().lock())?;
    let mut out = std::io::stdout().lock();
    let solver = Solver::new(Limits { memory: job.memory, threads: job.threads });
    let mut before = Mark { cpu: Duration::ZERO, wall: Instant::now(), figures: solver.figures() };
    for text in &job.positions {
        let run = job.solve(text, &solver, &mut before)?;
        let mut line = serde_json::to_vec(&run)?;
        line.push(b'\n');
        out.write_all(&line)
            .and_then(|()| out.flush())
            .map_err(|error| Error::Launch { program: "the measuring process".into(), error })?;
    }
    Ok(())
}

impl Job {
    /// Solves one position and advances `before` to the end of it.
    fn solve(&self, text: &str, solver: &Solver, before: &mut Mark) -> Result<Run, Error> {
        let question = match self.question {
            Question::Outcome => Asked::Outcome { heap: Nimber::ZERO },
            Question::Nimber => Asked::Nimber,
        };
        let goal = Goal { position: position(text)?, question };
        let deadline = Deadline(self.seconds.map(|s| Instant::now() + Duration::from_secs(s)));
        let verdict = solver
            .solve(&goal, u64::MAX, &deadline)
            .map_err(|error| Error::Solve { position: text.into(), error })?;
        let after = Mark { cpu: usage::cpu(), wall: Instant::now(), figures: solver.figures() };
        let run = Run {
            answer: verdict.into(),
            cpu_seconds: (after.cpu - before.cpu).as_secs_f64(),
            wall_seconds: (after.wall - before.wall).as_secs_f64(),
            expansions: after.figures.expansions - before.figures.expansions,
            children: after.figures.children - before.figures.children,
            facts: after.figures.facts - before.figures.facts,
            collections: after.figures.collections - before.figures.collections,
            lands: after.figures.lands,
            bytes: after.figures.bytes,
            peak_bytes: usage::peak(),
            load: usage::load(),
        };
        *before = after;
        Ok(run)
    }
}
