//! What goes to standard output, and in which form.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use sprig_engine::notation::Ajs;
use sprig_engine::{CanonicalPosition, Position};

use crate::failure::OutputClosed;

/// For people or for programs.
#[derive(Args)]
pub struct Format {
    /// Print JSON for programs: one object, and where there are several results one a line
    #[arg(long)]
    pub json: bool,
}

/// How positions are written.
#[derive(Args)]
pub struct Style {
    /// Write positions in AJS style (`0.0.AB.}AB.}]!`), the style of the 1991 paper
    #[arg(long)]
    ajs: bool,
    /// Write positions as short boundary lists (`1;2;3,4/3,4`), the notation of D. Hoey; those of one spot, and with
    /// handles or cross-caps, which it does not have, as always
    #[arg(long, conflicts_with = "ajs")]
    hoey: bool,
}

impl Style {
    /// The position as text, in the chosen style.
    pub fn print(&self, position: &CanonicalPosition) -> String {
        let position = position.to_position();
        match (self.ajs, self.hoey) {
            (true, _) => Ajs(&position).to_string(),
            (_, true) if position.is_spherical() => hoey(&position),
            _ => position.to_string(),
        }
    }
}

/// A short list, if it is read back as one: a number alone has another meaning.
fn hoey(position: &Position) -> String {
    let list = sprig_hoey::short(position);
    if list.contains([',', ';', '/']) { list } else { position.to_string() }
}

/// The answer about one position. Its [`Serialize`] is the JSON object.
pub trait Answer: Serialize {
    /// The answer for people, where it stands alone: whole lines.
    fn text(&self) -> String {
        self.line() + "\n"
    }

    /// The answer on one line, beside its position in a file.
    fn line(&self) -> String;
}

/// Prints the answer to a command's only question.
///
/// # Errors
/// Those of [`print()`].
pub fn answer(format: &Format, answer: &impl Answer) -> anyhow::Result<ExitCode> {
    print(if format.json { json(answer)? } else { answer.text() })?;
    Ok(ExitCode::SUCCESS)
}

/// The JSON object on a line of its own.
///
/// # Errors
/// None: the objects of commands can always be written, but serde cannot know that.
pub fn json(object: &impl Serialize) -> anyhow::Result<String> {
    Ok(line(&serde_json::to_string(object)?))
}

fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        // Control characters stand only inside strings, and JSON allows some of them as they are. A
        // terminal would obey them.
        if c.is_control() {
            let _ = write!(line, "\\u{:04x}", u32::from(c));
        } else {
            line.push(c);
        }
    }
    line + "\n"
}

/// Writes whole lines to standard output and flushes them, so that a reader sees each answer at
/// once.
///
/// # Errors
/// [`OutputClosed`] when the reader is gone; else what the system says, a full disk for example.
pub fn print(text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(OutputClosed.into()),
        result => {
            result.context("cannot write to standard output; give it room or send it elsewhere")
        }
    }
}
