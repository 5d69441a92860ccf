//! Progress of work of which one knows how much there is, or how long it may take: on standard error, and only where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// The line.
pub struct Steps(ProgressBar);

impl Steps {
    /// A line for `count` steps.
    pub fn start(count: u64) -> Self {
        let bar = ProgressBar::new(count);
        if !bar.is_hidden() {
            let template = "{elapsed}  {wide_bar} {pos}/{len} ({per_sec}, {eta} left)  {msg}";
            let style = ProgressStyle::with_template(template);
            bar.set_style(style.expect("the template is well-formed"));
        }
        Self(bar)
    }

    /// Shows how many are done.
    pub fn show(&self, done: u64) {
        self.0.set_position(done);
    }

    /// Says something about them.
    pub fn say(&self, what: impl FnOnce() -> String) {
        if !self.0.is_hidden() {
            self.0.set_message(what());
        }
    }
}

impl Drop for Steps {
    /// Leaves the terminal's line free for the answer.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
