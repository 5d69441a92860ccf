//! A suite of solves: what is to be measured, and what came out.

use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::{Answer, Error, Job, Question, Run, position, usage};

/// What to measure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Plan {
    /// The positions: numbers of spots, or positions in any notation.
    pub positions: Vec<String>,
    /// What to find out about each.
    pub question: Question,
    /// One solver for all positions, in their order, instead of an empty one for each.
    pub cumulative: bool,
    /// Numbers of threads, each measured for itself. Runs alternate between them.
    pub threads: Vec<usize>,
    /// Bytes that each process may take; `None` for what it takes by itself.
    pub memory: Option<usize>,
    /// Seconds after which a position is left open.
    pub seconds: Option<u64>,
    /// Times that everything is measured.
    pub repeats: usize,
}

/// What came out of a [`Plan`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Report {
    /// What was measured: a commit, or the name of a change.
    pub label: String,
    /// The processor's name.
    pub processor: Option<String>,
    /// Cores that this process may use.
    pub cores: usize,
    /// What was to be measured.
    pub plan: Plan,
    /// One for each position and number of threads, in the order of the plan.
    pub records: Vec<Record>,
}

/// All runs of one position with one number of threads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Record {
    /// The position, as it was given.
    pub position: String,
    /// Threads of the solver.
    pub threads: usize,
    /// One for each repetition.
    pub runs: Vec<Run>,
}

impl Plan {
    /// The jobs of one repetition, each with the places of its records in [`Report::records`].
    fn jobs(&self) -> Vec<(Job, Vec<usize>)> {
        let Self { question, memory, seconds, .. } = *self;
        let places: Vec<usize> = (0..self.positions.len()).collect();
        let mut jobs = Vec::new();
        for list in places.chunks(if self.cumulative { places.len().max(1) } else { 1 }) {
            for (column, &threads) in self.threads.iter().enumerate() {
                let positions = list.iter().map(|&p| self.positions[p].clone()).collect();
                let records = list.iter().map(|&p| p * self.threads.len() + column).collect();
                jobs.push((Job { positions, question, threads, memory, seconds }, records));
            }
        }
        jobs
    }
}

impl Report {
    /// A report without runs yet.
    pub fn new(label: impl Into<String>, plan: Plan) -> Self {
        let record = |(position, &threads): (&String, _)| Record {
            position: position.clone(),
            threads,
            runs: Vec::new(),
        };
        let pairs = plan.positions.iter().flat_map(|p| plan.threads.iter().map(move |t| (p, t)));
        Self {
            label: label.into(),
            processor: usage::processor(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            records: pairs.map(record).collect(),
            plan,
        }
    }

    /// Measures everything, each job in a fresh process that `launch` describes and that calls
    /// [`crate::serve`]. `seen` is called after each run. After an error the report holds what was
    /// measured before.
    ///
    /// # Errors
    /// [`Error`] when a position cannot be read, a process fails, or two runs contradict each
    /// other.
    pub fn measure(
        &mut self,
        launch: impl Fn() -> Command,
        mut seen: impl FnMut(&Record, &Run),
    ) -> Result<(), Error> {
        for text in &self.plan.positions {
            position(text)?;
        }
        for _ in 0..self.plan.repeats {
            for (job, places) in self.plan.jobs() {
                let mut places = places.into_iter();
                job.delegate(launch(), |run| {
                    let place = places.next().expect("a job has one run for each position");
                    seen(&self.records[place], &run);
                    self.records[place].runs.push(run);
                })?;
            }
        }
        self.records.iter().try_for_each(Record::check)
    }
}

impl Record {
    /// The lower median over the runs; `None` when there are none.
    pub fn median(&self, of: impl Fn(&Run) -> f64) -> Option<f64> {
        let mut values: Vec<f64> = self.runs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len().saturating_sub(1) / 2).copied()
    }

    /// What the runs found out, if at least one did.
    pub fn answer(&self) -> Option<Answer> {
        let decided = self.runs.iter().map(|run| run.answer).find(|&answer| answer != Answer::Open);
        decided.or(self.runs.first().map(|run| run.answer))
    }

    /// Whether the answer is known.
    pub fn is_decided(&self) -> bool {
        self.answer().is_some_and(|answer| answer != Answer::Open)
    }

    fn check(&self) -> Result<(), Error> {
        let mut decided = self.runs.iter().map(|run| run.answer).filter(|&a| a != Answer::Open);
        let Some(one) = decided.next() else { return Ok(()) };
        match decided.find(|&other| other != one) {
            Some(other) => Err(Error::Disagree { position: self.position.clone(), one, other }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(runs: &[(Answer, f64)]) -> Record {
        let run = |&(answer, cpu_seconds)| Run {
            answer,
            cpu_seconds,
            wall_seconds: cpu_seconds,
            expansions: 1,
            children: 1,
            facts: 1,
            collections: 0,
            lands: 1,
            bytes: 1,
            peak_bytes: None,
            load: None,
        };
        Record { position: "7".into(), threads: 1, runs: runs.iter().map(run).collect() }
    }

    #[test]
    fn contradicting_runs_are_an_error() {
        let agree = record(&[(Answer::Open, 1.0), (Answer::Win, 1.0), (Answer::Win, 1.0)]);
        assert!(agree.check().is_ok());
        assert_eq!(agree.answer(), Some(Answer::Win));
        let error = record(&[(Answer::Win, 1.0), (Answer::Open, 1.0), (Answer::Loss, 1.0)]).check();
        let error = error.expect_err("win and loss exclude each other").to_string();
        assert_eq!(error, "`7` was solved twice, as win and as loss: do not trust either");
    }

    #[test]
    fn the_median_is_a_run_that_took_place() {
        let cpu = |seconds: &[f64]| {
            let runs: Vec<_> = seconds.iter().map(|&s| (Answer::Win, s)).collect();
            record(&runs).median(|run| run.cpu_seconds)
        };
        assert_eq!(cpu(&[]), None);
        assert_eq!(cpu(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(cpu(&[3.0, 1.0]), Some(1.0));
    }
}
