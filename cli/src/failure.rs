//! How things fail: in one line on standard error, and by exit code.

use std::process::ExitCode;

use sprig_proto::Job;
use sprig_search::Figures;

/// Exit code of a command that Ctrl-C ended: 128 + SIGINT, as shells do it.
const INTERRUPTED: u8 = 130;

/// How much of a position an error message quotes, in characters.
const MAX_QUOTE: usize = 60;

/// Why a position has no answer.
pub enum Failure {
    /// It has none for this position; others may have.
    Position(anyhow::Error),
    /// A person stopped the command while this job was in work.
    Interrupted(Box<Job>),
    /// Nothing can be answered any more.
    Everything(anyhow::Error),
}

impl Failure {
    /// The error of a command that was asked about one position, typed as `typed`.
    pub fn about(self, typed: &str) -> anyhow::Error {
        match self {
            Self::Position(error) => error.context(format!("position {}", quote(typed))),
            Self::Interrupted(job) => {
                let message = format!("job {} goes on; the same command joins it again", job.id);
                Interrupted { message, figures: job.figures }.into()
            }
            Self::Everything(error) => error,
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Everything(error.into())
    }
}

/// The reader of standard output has gone (`sprig .. | head`). Not worth a message.
#[derive(Debug, thiserror::Error)]
#[error("standard output was closed")]
pub struct OutputClosed;

/// A person stopped the command.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: {message}")]
pub struct Interrupted {
    /// What is done, and what becomes of it.
    pub message: String,
    /// What was spent until then.
    pub figures: Figures,
}

impl Interrupted {
    /// Of a command that does not search by [`Figures`].
    #[cfg(feature = "coordinator")]
    pub fn new(message: String) -> Self {
        Self { message, figures: Figures::default() }
    }
}

fn quote(typed: &str) -> String {
    match typed.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("`{}..`", typed[..end].escape_debug()),
        None => format!("`{}`", typed.escape_debug()),
    }
}

/// Prints the error, if there is one, and gives the exit code.
pub fn report(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if error.is::<OutputClosed>() => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sprig: {}", one_line(&error));
            if error.is::<Interrupted>() { ExitCode::from(INTERRUPTED) } else { ExitCode::FAILURE }
        }
    }
}

/// The error and its causes in one line. A cause that its effect already quotes is not said twice.
pub fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let text = cause.to_string().replace('\n', " ");
        if line.is_empty() {
            line = text;
        } else if !line.contains(&text) {
            line = format!("{line}: {text}");
        }
    }
    line
}
