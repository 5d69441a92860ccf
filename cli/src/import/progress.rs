//! The progress of an import. It shows only if standard error is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Lines between two looks at the clock.
const STRIDE: u64 = 1 << 12;

/// The progress of reading: bytes of the file, and lines a second.
pub struct Reading(ProgressBar);

impl Reading {
    /// A bar for a file of this length, if its length is known.
    pub fn start(name: &str, length: Option<u64>) -> Self {
        let bar = length.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let part = if length.is_some() { "{bytes}/{total_bytes}  " } else { "" };
        style(&bar, &format!("{{spinner}} {{elapsed}}  reading {{prefix}}  {part}{{msg}}"));
        bar.set_prefix(name.to_owned());
        Self(bar)
    }

    /// Shows how many bytes and lines were read.
    pub fn show(&self, bytes: u64, lines: u64) {
        if lines.is_multiple_of(STRIDE) && !self.0.is_hidden() {
            let seconds = self.0.elapsed().as_secs_f64().max(1e-3);
            self.0.set_position(bytes);
            self.0.set_message(format!("{lines} lines ({:.0}/s)", lines as f64 / seconds));
        }
    }
}

/// The progress of checking. It shows no total, as the number of claims is not known before they
/// are sifted.
pub struct Checking {
    bar: ProgressBar,
    claims: u64,
}

impl Checking {
    pub fn start() -> Self {
        let bar = ProgressBar::new_spinner();
        style(&bar, "{spinner} {elapsed}  checking  {msg}");
        Self { bar, claims: 0 }
    }

    /// Counts one more decided claim.
    pub fn step(&mut self) {
        self.claims += 1;
        if self.claims.is_multiple_of(64) && !self.bar.is_hidden() {
            let rate = self.claims as f64 / self.bar.elapsed().as_secs_f64().max(1e-3);
            self.bar.set_message(format!("{} claims ({rate:.0}/s)", self.claims));
        }
    }
}

fn style(bar: &ProgressBar, template: &str) {
    if !bar.is_hidden() {
        bar.set_style(ProgressStyle::with_template(template).expect("the template is well-formed"));
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Checking {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
