//! How commands fail: in one line on standard error, and by exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use serde::Serialize;
use sprig_domain::Figures;
use sprig_proto::{ClientError, Job};

use crate::output;

/// The exit code of a command that Ctrl-C ended: 128 + SIGINT, as in shells.
pub const INTERRUPTED: u8 = 130;

/// The exit code of a command that was used wrongly, as in other programs with options.
const USAGE: u8 = 2;

/// Every exit code, and its meaning.
#[cfg(feature = "coordinator")]
pub const EXIT_CODES: [(u8, &str); 5] = [
    (0, "everything was answered"),
    (
        1,
        "something failed; of several positions or certificates, also if only one had no answer or was wrong; \
         `import`: a claim was wrong or undecided; \
         `audit`: claims are left; `certs --check`: a certificate ends soon; `campaign`: something was left open",
    ),
    (
        USAGE,
        "wrong usage: an unknown option, a text that is no position, an address that is none; `pousse`, `impossible`: \
         a board, a record or rows of cards that are none",
    ),
    (crate::leave::WORK_IS_LEFT, "`worker`, `coordinator`: ended with work left; start it again"),
    (
        INTERRUPTED,
        "interrupted (Ctrl-C, SIGTERM, a closed terminal); the last line says what is kept; a command that works through \
         files or a database ends at once at a second signal",
    ),
];

/// The words for errors in the answers for programs.
#[cfg(feature = "coordinator")]
pub const ERRORS: [(&str, &str); 5] = [
    ("usage", "wrong usage, exit code 2"),
    ("interrupted", "exit code 130"),
    ("unreachable", "no coordinator answers, or the connection was lost"),
    ("refused", "the coordinator refused, or both ends do not agree about TLS"),
    ("failed", "anything else"),
];

/// Longest message, in characters.
const MAX_LINE: usize = 1_000;

/// How much of a position an error message quotes, in characters.
const MAX_QUOTE: usize = 60;

/// Why a position has no answer.
pub enum Failure {
    /// This position has no answer, but other positions may have one.
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

/// The command was used wrongly: its arguments cannot be meant as they stand.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

impl Usage {
    /// Wrong usage, with the messages of an error and its causes.
    pub fn of(error: anyhow::Error) -> Self {
        Self(one_line(&error))
    }
}

/// The reader of standard output has gone (`sprig .. | head`). This is not worth a message.
#[derive(Debug, thiserror::Error)]
#[error("standard output was closed")]
pub struct OutputClosed;

/// A person stopped the command.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: {message}")]
pub struct Interrupted {
    /// What was done until then, and what becomes of it.
    pub message: String,
    /// What the work has cost until then.
    pub figures: Figures,
}

impl Interrupted {
    /// The interruption of a command that does not count by [`Figures`].
    pub fn new(message: String) -> Self {
        Self { message, figures: Figures::default() }
    }
}

/// A text as messages quote it, cut if it is long.
pub fn quote(typed: &str) -> String {
    match typed.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("`{}..`", escaped(&typed[..end])),
        None => format!("`{}`", escaped(typed)),
    }
}

/// The text without anything that a terminal would obey. Characters that cannot be printed become
/// escapes.
pub fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '\'' | '"' | '\\' => vec![c],
        c => c.escape_debug().collect(),
    };
    text.chars().flat_map(escape).collect()
}

/// An error as programs see it, with `--json`.
#[derive(Serialize)]
struct Reported<'a> {
    error: Cause<'a>,
}

#[derive(Serialize)]
struct Cause<'a> {
    code: &'a str,
    message: &'a str,
}

/// Whether a program reads the answers of this command.
pub fn reads_json(arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// Prints the error, if there is one, and gives the exit code.
pub fn report(result: anyhow::Result<ExitCode>, json: bool) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if error.is::<OutputClosed>() => ExitCode::SUCCESS,
        Err(error) => {
            let (word, code) = kind(&error);
            let message = one_line(&error);
            if json {
                let reported = Reported { error: Cause { code: word, message: &message } };
                // If the object cannot be printed, the message still goes to standard error.
                let _ = output::json(&reported).and_then(output::print);
            }
            remark!("sprig: {message}");
            code
        }
    }
}

/// The word for an error, and the exit code.
fn kind(error: &anyhow::Error) -> (&'static str, ExitCode) {
    if error.is::<Interrupted>() {
        return ("interrupted", ExitCode::from(INTERRUPTED));
    }
    if error.is::<Usage>() {
        return ("usage", ExitCode::from(USAGE));
    }
    if let Some(sprig_worker::Error::Address(_)) = error.downcast_ref() {
        return ("usage", ExitCode::from(USAGE));
    }
    let word = match error.downcast_ref() {
        Some(ClientError::Address(_)) => return ("usage", ExitCode::from(USAGE)),
        Some(ClientError::Unreachable { .. } | ClientError::Lost) => "unreachable",
        Some(ClientError::Refused(_) | ClientError::Tls { .. }) => "refused",
        _ => "failed",
    };
    (word, ExitCode::FAILURE)
}

/// The error and its causes in one line. A cause that its effect already quotes is not repeated.
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
    shortened(&escaped(&line))
}

/// The line without its middle, if it is longer than a person would read.
fn shortened(line: &str) -> String {
    let count = line.chars().count();
    if count <= MAX_LINE {
        return line.to_owned();
    }
    let start: String = line.chars().take(MAX_LINE / 2).collect();
    let end: String = line.chars().skip(count - MAX_LINE / 2).collect();
    format!("{start} .. {end}")
}
