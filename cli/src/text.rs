//! Text files that are read whole.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};

/// The longest text, in bytes. A longer file is probably not the one that was meant.
const MAX_TEXT: u64 = 16 << 20;

/// The name of a file for messages, and its text. `-` is standard input. Bytes that are no UTF-8
/// become signs that no reader accepts.
///
/// # Errors
/// When the file cannot be read, or is too long.
pub fn read(path: &Path) -> anyhow::Result<(String, String)> {
    let (name, reader): (String, Box<dyn Read>) = if path == Path::new("-") {
        ("standard input".to_owned(), Box::new(std::io::stdin().lock()))
    } else {
        let name = path.display().to_string();
        let file = std::fs::File::open(path)
            .with_context(|| format!("cannot open {name}; name a file, or - for standard input"))?;
        (name, Box::new(file))
    };
    let mut text = Vec::new();
    let read = reader.take(MAX_TEXT + 1).read_to_end(&mut text);
    read.with_context(|| format!("cannot read {name}"))?;
    ensure!(text.len() as u64 <= MAX_TEXT, "{name} is longer than {} MiB", MAX_TEXT >> 20);
    Ok((name, String::from_utf8_lossy(&text).into_owned()))
}
