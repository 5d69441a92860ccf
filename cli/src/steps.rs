//! Progress of work whose amount or time is known beforehand. It shows only if standard error is a
//! terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// The line that shows the progress.
pub struct Steps(ProgressBar);

impl Steps {
    /// A line for work of `count` steps.
    pub fn start(count: u64) -> Self {
        let bar = ProgressBar::new(count);
        if !bar.is_hidden() {
            let template = "{elapsed}  {wide_bar} {pos}/{len} ({per_sec}, {eta} left)  {msg}";
            let style = ProgressStyle::with_template(template);
            bar.set_style(style.expect("the template is well-formed"));
        }
        Self(bar)
    }

    /// Shows how many steps are done.
    pub fn show(&self, done: u64) {
        self.0.set_position(done);
    }

    /// Shows a remark on the work.
    pub fn say(&self, what: impl FnOnce() -> String) {
        if !self.0.is_hidden() {
            self.0.set_message(what());
        }
    }
}

impl Drop for Steps {
    /// Clears the terminal's line, so that it is free for the answer.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
