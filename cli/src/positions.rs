//! The positions a command is asked about: one on the command line, or a file with one a line.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, ensure};
use clap::Args;
use serde::Serialize;
use sprig_engine::{Position, notation};

use crate::failure::{Failure, one_line};
use crate::output::{self, Answer, Format};

/// The longest line that is read from a file, in bytes. Longer ones are a sign that the file holds no positions.
const MAX_LINE: usize = 64 << 20;

/// The argument or the file.
#[derive(Args)]
pub struct Positions {
    /// The position, in GLOP style (`0*2.AB|AB`) or AJS style (`0.0.AB.}AB.}]!`)
    #[arg(value_name = "POS", allow_hyphen_values = true, required_unless_present = "file")]
    position: Option<OsString>,

    /// Answer every line of a file (`-`: standard input) as POSITION<TAB>ANSWER; `#` starts a comment line
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    file: Option<PathBuf>,
}

/// A position where only one makes sense.
#[derive(Args)]
pub struct OnePosition {
    /// The position, in GLOP style (`0*2.AB|AB`) or AJS style (`0.0.AB.}AB.}]!`)
    #[arg(value_name = "POS", allow_hyphen_values = true)]
    position: OsString,
}

/// A line of a file that has no answer.
#[derive(Serialize)]
struct BadLine<'a> {
    position: &'a str,
    line: u64,
    error: String,
}

impl OnePosition {
    /// The position as typed, and as read.
    ///
    /// # Errors
    /// The place and the remedy, when it is none.
    pub fn read(&self) -> anyhow::Result<(String, Position)> {
        let typed = self.position.to_string_lossy().into_owned();
        let position = read(&typed).map_err(|failure| failure.about(&typed))?;
        Ok((typed, position))
    }
}

impl Positions {
    /// Asks `answer` for each position (as typed, and as read) and prints what it says.
    ///
    /// # Errors
    /// When the one position has no answer, the file cannot be read, the output cannot be written, or
    /// [`Failure::Everything`]. A bad line of a file is reported where it stands; the exit code tells.
    pub fn answer<A: Answer>(
        &self,
        format: &Format,
        mut answer: impl FnMut(&str, &Position) -> Result<A, Failure>,
    ) -> anyhow::Result<ExitCode> {
        if let Some(position) = &self.position {
            let typed = position.to_string_lossy();
            let answer = read(&typed).and_then(|position| answer(&typed, &position));
            return output::answer(format, &answer.map_err(|failure| failure.about(&typed))?);
        }
        let path = self.file.as_deref().unwrap_or(Path::new("-"));
        let mut lines = Lines::open(path)?;
        let mut code = ExitCode::SUCCESS;
        while lines.next()? {
            let typed = String::from_utf8_lossy(&lines.line);
            match read(&typed).and_then(|position| answer(&typed, &position)) {
                Ok(answer) if format.json => output::print(output::json(&answer)?)?,
                Ok(answer) => output::print(beside(&lines.line, &answer.line()))?,
                Err(Failure::Position(error)) => {
                    let (error, line) = (one_line(&error), lines.number);
                    eprintln!("sprig: {}, line {line}: {error}", lines.name);
                    code = ExitCode::FAILURE;
                    if format.json {
                        output::print(output::json(&BadLine { position: &typed, line, error })?)?;
                    } else {
                        output::print(beside(&lines.line, "error"))?;
                    }
                }
                Err(failure) => return Err(failure.about(&typed)),
            }
        }
        Ok(code)
    }
}

/// Reads a position; blanks around it do no harm.
fn read(typed: &str) -> Result<Position, Failure> {
    notation::read(typed.trim_ascii()).map_err(|mut error| {
        error.column += typed.len() - typed.trim_ascii_start().len();
        Failure::Position(error.into())
    })
}

/// `POSITION<TAB>ANSWER`, the position byte for byte as it was typed.
fn beside(position: &[u8], answer: &str) -> Vec<u8> {
    [position, b"\t", answer.as_bytes(), b"\n"].concat()
}

/// The lines of a file that hold positions.
struct Lines {
    reader: Box<dyn BufRead>,
    /// The file, for messages.
    name: String,
    /// The number of the line, from 1.
    number: u64,
    /// The line without its end.
    line: Vec<u8>,
}

impl Lines {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let (reader, name): (Box<dyn BufRead>, _) = if path == Path::new("-") {
            (Box::new(io::stdin().lock()), "standard input".to_owned())
        } else {
            let name = path.display().to_string();
            let file = File::open(path).with_context(|| format!("cannot open the file {name}"))?;
            (Box::new(BufReader::new(file)), name)
        };
        Ok(Self { reader, name, number: 0, line: Vec::new() })
    }

    /// Goes to the next line that is neither empty nor a comment; false at the end.
    fn next(&mut self) -> anyhow::Result<bool> {
        loop {
            self.line.clear();
            let mut limited = (&mut self.reader).take(MAX_LINE as u64);
            let bytes = limited
                .read_until(b'\n', &mut self.line)
                .with_context(|| format!("cannot read {} after line {}", self.name, self.number))?;
            if bytes == 0 {
                return Ok(false);
            }
            self.number += 1;
            ensure!(
                bytes < MAX_LINE || self.line.ends_with(b"\n"),
                anyhow!(
                    "{}, line {}: longer than {} MiB; give a text file with one position a line",
                    self.name,
                    self.number,
                    MAX_LINE >> 20
                )
            );
            let end = self.line.trim_ascii_end().len();
            self.line.truncate(end);
            if !matches!(self.line.trim_ascii_start().first(), None | Some(b'#')) {
                return Ok(true);
            }
        }
    }
}
