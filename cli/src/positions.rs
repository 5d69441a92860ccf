//! The positions that a command is asked about: on the command line, or in a file with one on each
//! line.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, ensure};
use clap::Args;
use serde::Serialize;
use sprig_ask::{in_notation, plural, read_notation};
use sprig_engine::{Nimber, Position};
use sprig_hoey::List;
use sprig_oracle::Table;

use crate::failure::{Failure, Usage, escaped, one_line, quote};
use crate::output::{self, Answer, Format};

/// The longest line that is read from a file, in bytes. A file with a longer line probably holds no
/// positions.
const MAX_LINE: usize = 64 << 20;

/// A mark that some editors put before a text. In UTF-8 it means nothing.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The forms in which a position can be typed, for the help.
const POSITION: &str = "The position: a number of spots (`14`), GLOP style (`0*2.AB|AB`), AJS style (`0.0.AB.}AB.}]!`) or a boundary list (`1,3,2,3;4`)";

/// The arguments or the file.
#[derive(Args)]
pub struct Positions {
    #[arg(value_name = "POS", required_unless_present = "file", help = POSITION)]
    positions: Vec<OsString>,

    /// Answer every line of a file (`-`: standard input) as POSITION<TAB>ANSWER; `#` starts a comment line
    #[arg(long, value_name = "FILE", conflicts_with = "positions")]
    #[allow(rustdoc::invalid_html_tags, reason = "`<TAB>` is for the help of the command")]
    file: Option<PathBuf>,

    #[command(flatten)]
    lists: Lists,
}

/// How boundary lists are read.
#[derive(Args)]
struct Lists {
    /// Positions are full boundary lists (`1,3,2,3;4`), dead spots included, and must be drawings
    #[arg(long)]
    hoey_full: bool,
}

/// A position where only one makes sense.
#[derive(Args)]
pub struct OnePosition {
    #[arg(value_name = "POS", help = POSITION)]
    position: OsString,

    #[command(flatten)]
    lists: Lists,
}

/// A place of the tree of a search: a position beside a heap, or nothing.
#[derive(Args)]
pub struct Somewhere {
    #[arg(value_name = "POS", help = POSITION)]
    position: Option<OsString>,
    /// The Nim heap beside the position
    #[arg(long, value_name = "N", default_value_t = 0, requires = "position", value_parser = clap::value_parser!(u8).range(0..=63))]
    heap: u8,
}

/// A position that has no answer, while others may have one.
#[derive(Serialize)]
struct Unanswered<'a> {
    position: &'a str,
    /// The number of its line in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    error: String,
}

impl OnePosition {
    /// The position as typed, and as read.
    ///
    /// # Errors
    /// [`Usage`] with the place and the remedy, when the text is no position.
    pub fn read(&self) -> anyhow::Result<(String, Position)> {
        self.lists.read_typed(&self.position)
    }

    /// The position as typed and as read, where a number is a number of spots, also where notation
    /// reads it in another way: `12` are twelve spots.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn read_spots(&self) -> anyhow::Result<(String, Position)> {
        let typed = self.position.to_string_lossy();
        let is_number = !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit());
        match is_number {
            true => read_typed(&format!("0*{typed}").into()),
            false => read_typed(&self.position),
        }
    }
}

impl Somewhere {
    /// The position and the heap, if there is one.
    ///
    /// # Errors
    /// [`Usage`] with the place and the remedy, when the text is no position.
    pub fn read(&self) -> anyhow::Result<Option<(Position, Nimber)>> {
        let Some(typed) = &self.position else { return Ok(None) };
        let heap = Nimber::new(self.heap.into()).map_err(|error| Usage(error.to_string()))?;
        Ok(Some((Lists::SHORT.read_typed(typed)?.1, heap)))
    }

    /// The number that stands in the place of a position.
    ///
    /// # Errors
    /// [`Usage`] if it is none.
    pub fn number(&self) -> anyhow::Result<u32> {
        let typed = self.position.as_ref().map(|typed| typed.to_string_lossy());
        let number = typed.as_ref().and_then(|typed| typed.parse().ok());
        let flaw = || Usage(format!("`{}` is no number of a wish", typed.unwrap_or_default()));
        Ok(number.ok_or_else(flaw)?)
    }
}

/// All positions of a file. A line that is no position is an error.
///
/// # Errors
/// The line, the place and the remedy, or what the system says.
pub fn listed(path: &Path) -> anyhow::Result<Vec<Position>> {
    each_line(path, |text, lines| Lists::SHORT.read_line(text, lines))
}

/// All full boundary lists of a file, as [`listed`].
///
/// # Errors
/// As for [`listed`].
pub fn listed_full(path: &Path) -> anyhow::Result<Vec<Table>> {
    each_line(path, |text, _| table(text).map_err(Failure::Position))
}

fn each_line<T>(
    path: &Path,
    read: impl Fn(&str, &Lines) -> Result<T, Failure>,
) -> anyhow::Result<Vec<T>> {
    let mut lines = Lines::open(path)?;
    let mut found = Vec::new();
    while lines.next()? {
        let text = String::from_utf8_lossy(&lines.line);
        let read = read(&text, &lines).map_err(|failure| failure.about(&text));
        found.push(read.with_context(|| lines.place())?);
    }
    lines.say_rest();
    Ok(found)
}

impl Positions {
    /// The texts on the command line, if one of them is of some other kind than positions.
    #[cfg(feature = "coordinator")]
    pub fn written(&self, is_other: impl Fn(&str) -> bool) -> Option<Vec<String>> {
        let texts = self.positions.iter().map(|typed| typed.to_string_lossy().into_owned());
        let texts: Vec<String> = texts.collect();
        texts.iter().any(|text| is_other(text)).then_some(texts)
    }

    /// Asks `answer` for each position (as typed, and as read) and prints the answers. A single
    /// position gets the whole answer, several get a line each.
    ///
    /// # Errors
    /// [`Usage`] when a position on the command line is none, before any is answered. An error,
    /// too, when the only position has no answer, the file cannot be read, the output cannot be
    /// written, or an answer is [`Failure::Everything`]. If one of several has no answer, that is
    /// reported in its place, and shows in the exit code.
    pub fn answer<A: Answer>(
        &self,
        format: &Format,
        mut answer: impl FnMut(&str, &Position) -> Result<A, Failure>,
    ) -> anyhow::Result<ExitCode> {
        let read = self
            .positions
            .iter()
            .map(|typed| self.lists.read_typed(typed))
            .collect::<anyhow::Result<Vec<_>>>()?;
        if let [(typed, position)] = &read[..] {
            let answer = answer(typed, position).map_err(|failure| failure.about(typed))?;
            return output::answer(format, &answer);
        }
        let mut several = Several { format, code: ExitCode::SUCCESS };
        for (typed, position) in &read {
            several.print(typed.as_bytes(), None, answer(typed, position))?;
        }
        if self.file.is_none() {
            return Ok(several.code);
        }
        let path = self.file.as_deref().unwrap_or(Path::new("-"));
        let mut lines = Lines::open(path)?;
        while lines.next()? {
            let typed = String::from_utf8_lossy(&lines.line);
            let answered =
                self.lists.read_line(&typed, &lines).and_then(|position| answer(&typed, &position));
            several.print(&lines.line, Some((&lines.name, lines.number)), answered)?;
        }
        lines.say_rest();
        Ok(several.code)
    }
}

/// Prints the answers to several positions, a line each.
pub struct Several<'a> {
    pub format: &'a Format,
    /// The exit code of the command: a failure, if a position has no answer.
    pub code: ExitCode,
}

impl Several<'_> {
    /// Prints the answer to a position. `place` is the file and the line of the position.
    ///
    /// # Errors
    /// [`Failure::Everything`] and [`Failure::Interrupted`], and when the output cannot be written.
    pub fn print<A: Answer>(
        &mut self,
        typed: &[u8],
        place: Option<(&str, u64)>,
        answer: Result<A, Failure>,
    ) -> anyhow::Result<()> {
        let json = self.format.json;
        match answer {
            Ok(answer) if json => output::print(output::json(&answer)?),
            Ok(answer) => output::print(beside(typed, &answer.line())),
            Err(Failure::Position(error)) => {
                self.code = ExitCode::FAILURE;
                let (position, error) = (&*String::from_utf8_lossy(typed), one_line(&error));
                match place {
                    Some((file, line)) => remark!("sprig: {file}, line {line}: {error}"),
                    None => remark!("sprig: position {}: {error}", quote(position)),
                }
                let line = place.map(|(_, line)| line);
                output::print(match json {
                    true => output::json(&Unanswered { position, line, error })?.into_bytes(),
                    false => beside(typed, "error"),
                })
            }
            Err(failure) => Err(failure.about(&String::from_utf8_lossy(typed))),
        }
    }
}

/// Reads a position of the command line: in notation, as a short boundary list, or as a number of
/// spots.
///
/// # Errors
/// [`Usage`] with the place and the remedy, when the text is no position.
pub fn read_typed(typed: &OsString) -> anyhow::Result<(String, Position)> {
    Lists::SHORT.read_typed(typed)
}

/// Reads a full boundary list of the command line, dead spots included.
///
/// # Errors
/// As for [`read_typed`].
pub fn read_full(typed: &OsString) -> anyhow::Result<Table> {
    let typed = typed.to_string_lossy();
    Ok(table(&typed).map_err(|error| Usage(format!("position {}: {error}", quote(&typed))))?)
}

/// A full boundary list. Blanks around it do no harm.
fn full_list(typed: &str) -> anyhow::Result<List> {
    let blanks = typed.len() - typed.trim_ascii_start().len();
    let list = List::read(typed.trim_ascii(), 1 + blanks)?;
    list.check()?;
    Ok(list)
}

fn table(typed: &str) -> anyhow::Result<Table> {
    full_list(typed)?;
    Ok(typed.trim_ascii().parse()?)
}

impl Lists {
    /// The kinds of lists that are read unless an option says otherwise.
    const SHORT: Self = Self { hoey_full: false };

    /// Reads a position of the command line: in notation, as a boundary list, or as a number of
    /// spots.
    fn read_typed(&self, typed: &OsString) -> anyhow::Result<(String, Position)> {
        let typed = typed.to_string_lossy().into_owned();
        let wrong = |what: String| Usage(format!("position {}: {what}", quote(&typed)));
        if self.hoey_full {
            let position = self.read(&typed).map_err(|error| wrong(error.to_string()))?;
            return Ok((typed, position));
        }
        if let Some(notice) = sprig_ask::notice(&typed) {
            remark!("sprig: {notice}");
        }
        if let Some(option) = typed.strip_prefix(['—', '–']) {
            let what = format!(
                "begins with a dash; options begin with two hyphens, as in `--{}`",
                escaped(option)
            );
            return Err(Usage(format!("{} {what}", quote(&typed))).into());
        }
        let position = sprig_ask::read(&typed).map_err(|error| wrong(error.to_string()))?;
        Ok((typed, position))
    }

    /// Reads a position of a file, the present line: only in notation or as a boundary list, as
    /// `22` may be a boundary there. Who meant spots is told so, as on the command line, once for a
    /// file.
    fn read_line(&self, typed: &str, lines: &Lines) -> Result<Position, Failure> {
        let notice = if self.hoey_full { None } else { sprig_ask::notice(typed) };
        if let Some(notice) = notice {
            lines.say(&notice);
        }
        self.read(typed).map_err(|error| {
            let start = in_notation(typed);
            Failure::Position(match start == typed || self.hoey_full {
                true => error,
                false => error.context(format!("in a file, write `{start}`")),
            })
        })
    }

    /// Reads a position. Blanks around it do no harm.
    fn read(&self, typed: &str) -> anyhow::Result<Position> {
        if !self.hoey_full {
            return Ok(read_notation(typed)?);
        }
        Ok(full_list(typed)?.position()?)
    }
}

/// The line `POSITION<TAB>ANSWER`. The position stands there byte for byte as it was typed.
fn beside(position: &[u8], answer: &str) -> Vec<u8> {
    [position, b"\t", answer.as_bytes(), b"\n"].concat()
}

/// The lines of a file that hold positions.
struct Lines {
    reader: Box<dyn BufRead>,
    /// The name of the file, for messages.
    name: String,
    /// The number of the present line, counted from 1.
    number: u64,
    /// The present line without its end.
    line: Vec<u8>,
    /// Lines that could have been meant in another way.
    noticed: Cell<u64>,
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
        Ok(Self { reader, name, number: 0, line: Vec::new(), noticed: Cell::new(0) })
    }

    /// Where the present line stands, for messages.
    fn place(&self) -> String {
        format!("{}, line {}", self.name, self.number)
    }

    /// Says a remark on the present line, if it is the first one of the file, and counts it.
    fn say(&self, notice: &str) {
        if self.noticed.replace(self.noticed.get() + 1) == 0 {
            remark!("sprig: {}: {notice}", self.place());
        }
    }

    /// Says at the end of the file how many lines got no remark although one was due.
    fn say_rest(&self) {
        let rest = self.noticed.get().saturating_sub(1);
        if rest > 0 {
            remark!("sprig: {}: and {}", self.name, plural(rest, "more such line"));
        }
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
            if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
                self.line.drain(..BYTE_ORDER_MARK.len());
            }
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
