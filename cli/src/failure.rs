//! How things fail: in one line on standard error, and by exit code.

use std::process::ExitCode;

/// Exit code of a command that Ctrl-C ended: 128 + SIGINT, as shells do it.
const INTERRUPTED: u8 = 130;

/// Why a position has no answer.
pub enum Failure {
    /// It has none for this position; others may have.
    Position(anyhow::Error),
    /// Nothing can be answered any more.
    Everything(anyhow::Error),
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
#[error("interrupted: {0}")]
pub struct Interrupted(pub String);

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
