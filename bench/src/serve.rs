//! A measuring process of the solver alone: solves what it is told on standard input and prints one
//! line of figures for each position.

use std::io::Write;
use std::time::{Duration, Instant};

use sprig_domain::{Figures, LandNimber};
use sprig_search::{Limits, Observer, Solver};

use crate::{Error, Job, Meter, Run, position};

/// Bytes that a solver may take, unless the job says otherwise.
const MEMORY: usize = 8 << 30;

/// Ends a search at a time.
struct Deadline(Option<Instant>);

impl Observer<LandNimber> for Deadline {
    fn stop(&self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn proved(&self, _: LandNimber) {}
}

/// Reads a [`Job`] from standard input, does it in this process, and writes each [`Run`] as a line
/// of JSON to standard output. To be called by a process that does nothing else, before it has
/// allocated anything of note.
///
/// # Errors
/// [`Error`] when the job cannot be read or a position cannot be solved.
pub fn serve() -> Result<(), Error> {
    let job: Job = serde_json::from_reader(std::io::stdin().lock())?;
    let mut out = std::io::stdout().lock();
    let memory = job.memory.unwrap_or(MEMORY);
    let solver = Solver::new(Limits { memory, threads: job.threads });
    let mut meter = Meter::start();
    for text in &job.positions {
        let run = job.solve(text, &solver, &mut meter)?;
        let mut line = serde_json::to_vec(&run)?;
        line.push(b'\n');
        out.write_all(&line)
            .and_then(|()| out.flush())
            .map_err(|error| Error::Launch { program: "the measuring process".into(), error })?;
    }
    Ok(())
}

impl Job {
    fn solve(&self, text: &str, solver: &Solver, meter: &mut Meter) -> Result<Run, Error> {
        let position = position(text)?;
        let deadline = Deadline(self.seconds.map(|s| Instant::now() + Duration::from_secs(s)));
        let before = solver.figures();
        let verdict = solver
            .solve(&position, self.question.into(), u64::MAX, &deadline)
            .map_err(|error| Error::Solve { position: text.into(), error })?;
        let after = solver.figures();
        let added = Figures {
            expansions: after.expansions - before.expansions,
            children: after.children - before.children,
            facts: after.facts - before.facts,
            collections: after.collections - before.collections,
            ..after
        };
        Ok(meter.read(verdict.into(), added))
    }
}
