//! Writing a certificate.

use std::io::{self, Write};

use crate::compact::Encoder;
use crate::{FORMAT_VERSION, Fact, Header, MAGIC};

/// The two forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// For people.
    Text,
    /// The same, coded.
    Compact,
}

/// Writes a certificate. `facts` are written in the order of their lands' lives, and then of their text.
///
/// # Errors
/// When writing fails.
///
/// # Panics
/// When the header counts other facts than these.
pub fn write(
    header: &Header,
    facts: impl IntoIterator<Item = Fact>,
    form: Form,
    mut out: impl Write,
) -> io::Result<()> {
    let mut lines: Vec<(u32, String)> = facts
        .into_iter()
        .map(|fact| (fact.land.0.iter().map(|land| land.lives()).sum(), fact.to_string()))
        .collect();
    lines.sort_unstable();
    assert_eq!(header.facts, lines.len() as u64, "the header counts the facts");
    let Header { play, position, claim, facts } = header;
    let mut text = format!(
        "sprig certificate {FORMAT_VERSION}\nplay {play}\nposition {position}\nclaim {claim}\nfacts {facts}\n"
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
