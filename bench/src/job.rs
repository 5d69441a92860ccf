//! One process's work, and what it cost: what crosses the pipe between the runner and a measuring
//! process.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use sprig_domain::Verdict;
use sprig_engine::{CanonicalPosition, Position};

use crate::Error;

/// Positions to solve one after the other, in one process and with one solver.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Job {
    /// The positions: numbers of spots, or positions in any notation.
    pub positions: Vec<String>,
    /// What to find out about each.
    pub question: Question,
    /// Threads of the solver.
    pub threads: usize,
    /// Bytes that the process may take; `None` for what it takes by itself.
    pub memory: Option<usize>,
    /// Seconds after which a position is left open.
    pub seconds: Option<u64>,
}

/// What is asked of every position of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// Who wins.
    Outcome,
    /// The nimber.
    Nimber,
}

/// What was found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The player to move wins.
    Win,
    /// The player to move loses.
    Loss,
    /// The nimber.
    Nimber(u8),
    /// Nothing in the time that was given.
    Open,
}

/// One position solved once. All but `lands`, `bytes`, `peak_bytes` and `load` is what this position added, if others
/// came before it in the same process.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Run {
    /// What was found out.
    pub answer: Answer,
    /// CPU seconds of the whole process, user and system; those of the start are in the first run.
    pub cpu_seconds: f64,
    /// Seconds on the clock.
    pub wall_seconds: f64,
    /// Lands expanded.
    pub expansions: u64,
    /// Children generated.
    pub children: u64,
    /// Nimbers proved.
    pub facts: u64,
    /// Times the tables were full and had to be collected.
    pub collections: u64,
    /// Lands held at the end.
    pub lands: u64,
    /// Bytes of the tables at the end.
    pub bytes: u64,
    /// Most memory the process ever had resident, in bytes; `None` where the system does not tell.
    pub peak_bytes: Option<u64>,
    /// The machine's load average over the last minute, this process included; `None` where there is none.
    pub load: Option<f64>,
}

impl From<Question> for sprig_domain::Question {
    fn from(question: Question) -> Self {
        match question {
            Question::Outcome => Self::Outcome { heap: sprig_engine::Nimber::ZERO },
            Question::Nimber => Self::Nimber,
        }
    }
}

impl From<Verdict> for Answer {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Win => Self::Win,
            Verdict::Loss => Self::Loss,
            Verdict::Nimber(nimber) => Self::Nimber(nimber.get()),
            Verdict::Open { .. } => Self::Open,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win => f.pad("win"),
            Self::Loss => f.pad("loss"),
            Self::Nimber(nimber) => nimber.fmt(f),
            Self::Open => f.pad("open"),
        }
    }
}

/// The position that `text` stands for: a number of spots, or a position in any notation.
///
/// # Errors
/// [`Error::Position`] when it is neither.
pub fn position(text: &str) -> Result<CanonicalPosition, Error> {
    let start = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("0*{text}"));
    let position = start.as_deref().unwrap_or(text).parse::<Position>();
    let position = position.map_err(|error| Error::Position { text: text.into(), error })?;
    Ok(CanonicalPosition::of(&position))
}

impl Job {
    /// Has the measuring process `command` do the job, and passes on each run as it ends.
    ///
    /// # Errors
    /// [`Error`] when the process cannot be started, or ends before its work is done.
    pub fn delegate(&self, mut command: Command, mut each: impl FnMut(Run)) -> Result<(), Error> {
        let program = command.get_program().to_string_lossy().into_owned();
        let launch = |error| Error::Launch { program: program.clone(), error };
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(launch)?;
        let job = serde_json::to_vec(self)?;
        let mut stdin = process.stdin.take().expect("stdin is a pipe");
        // A process that dies early says why by its status, not by its broken pipe.
        let _ = stdin.write_all(&job);
        drop(stdin);
        let mut done = 0;
        let stdout = BufReader::new(process.stdout.take().expect("stdout is a pipe"));
        for line in stdout.lines().take(self.positions.len()) {
            each(serde_json::from_str(&line.map_err(launch)?)?);
            done += 1;
        }
        let status = process.wait().map_err(launch)?;
        if status.success() && done == self.positions.len() {
            return Ok(());
        }
        Err(Error::Failed { positions: self.positions[done..].join(" "), status })
    }
}
