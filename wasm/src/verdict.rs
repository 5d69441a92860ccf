//! What was found, in words that a page can take apart: a line each, a name, a blank and a value.

use std::fmt::Write;
use std::io::Cursor;
use std::sync::atomic::AtomicBool;

use sprig_oracle::proof::alone;
use sprig_verify::{Bases, Certificate, Checked, Manner, Step, VerifyError};

/// Checks a certificate in memory. The first line is `proved`, with what it proves behind it, or
/// `refused` and why. `tell` hears how far it is, and how many facts there are.
#[must_use]
pub fn verdict(bytes: Vec<u8>, tell: impl Fn(&Step, u64) + Sync) -> String {
    let found = checked(bytes, tell);
    found.unwrap_or_else(|error| format!("refused {}\n", error.to_string().replace('\n', " ")))
}

fn checked(bytes: Vec<u8>, tell: impl Fn(&Step, u64) + Sync) -> Result<String, VerifyError> {
    let certificate = Certificate::read(Cursor::new(bytes))?;
    let header = &certificate.header;
    let stop = AtomicBool::new(false);
    let manner = Manner { crew: &alone, large_base: false, stop: &stop };
    let facts = header.facts;
    let checked = certificate.check(&mut Bases::default(), &manner, |step| tell(&step, facts))?;
    let Checked { options, lives, base } = checked;
    let mut words = format!(
        "proved {}\ngame {}\nplay {}\nposition {}\nfacts {facts}\nlives {lives}\noptions {options}\n",
        header.claim, header.game, header.play, header.position
    );
    if let Some(base) = base {
        // Texts take what is written.
        let _ = writeln!(words, "base {}\ntrees {}", base.position, base.trees);
    }
    Ok(words)
}
