//! Writing a certificate.

use std::io::{self, Write};

use crate::compact::Encoder;
use crate::{FORMAT_VERSION, Fact, Header, Loss, MAGIC, Play};

/// The two forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// For people.
    Text,
    /// The same, coded.
    Compact,
}

/// Facts of either convention of play.
pub enum Facts {
    /// For normal play.
    Nimbers(Vec<Fact>),
    /// For misère play.
    Losses(Vec<Loss>),
}

impl Facts {
    /// The lines, with the lives of each.
    fn lines(&self) -> Vec<(u32, String)> {
        match self {
            Self::Nimbers(facts) => facts.iter().map(|f| (f.lives(), f.to_string())).collect(),
            Self::Losses(losses) => losses.iter().map(|l| (l.lives(), l.to_string())).collect(),
        }
    }
}

/// Writes a certificate. `facts` are written in the order of their lives, and then of their text.
///
/// # Errors
/// When writing fails.
///
/// # Panics
/// When the header counts other facts than these.
pub fn write(header: &Header, facts: &Facts, form: Form, mut out: impl Write) -> io::Result<()> {
    let mut lines = facts.lines();
    lines.sort_unstable();
    assert_eq!(header.facts, lines.len() as u64, "the header counts the facts");
    let Header { play, position, claim, facts } = header;
    let base = match play {
        Play::Normal => String::new(),
        Play::Misere { base } => format!("base {base}\n"),
    };
    let mut text = format!(
        "sprig certificate {FORMAT_VERSION}\nplay {play}\n{base}position {position}\nclaim {claim}\nfacts {facts}\n"
    );
    for (_, line) in lines {
        text.push_str(&line);
        text.push('\n');
    }
    match form {
        Form::Text => {
            out.write_all(text.as_bytes())?;
            out.write_all(checksum(&text).as_bytes())?;
        }
        Form::Compact => {
            out.write_all(&MAGIC)?;
            out.write_all(&FORMAT_VERSION.to_le_bytes())?;
            out.write_all(&(text.len() as u64).to_le_bytes())?;
            out.write_all(blake3::hash(text.as_bytes()).as_bytes())?;
            let mut coded = Encoder::new(&mut out);
            coded.write_all(text.as_bytes())?;
            coded.finish()?;
        }
    }
    out.flush()
}

/// The last line of a certificate whose other lines are `text`.
#[must_use]
pub fn checksum(text: &str) -> String {
    format!("blake3 {}\n", blake3::hash(text.as_bytes()))
}
