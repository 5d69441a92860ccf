//! The progress line: on standard error, and only where it is a terminal.

use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use sprig_search::Figures;

/// How often the line is drawn again, so that the elapsed time runs.
const TICK: Duration = Duration::from_millis(200);

/// Shortest time over which expansions per second are measured.
const WINDOW: Duration = Duration::from_millis(500);

/// The line. Proof numbers, not a remaining time, which nobody knows.
pub struct Progress {
    bar: ProgressBar,
    position: String,
    /// When the window began, and the expansions then.
    window: (Instant, u64),
    per_second: u64,
}

impl Progress {
    /// A line for the job about `position`. Nothing is drawn before the first tick.
    pub fn start(position: &str) -> Self {
        let bar = ProgressBar::new_spinner();
        if !bar.is_hidden() {
            let style = ProgressStyle::with_template("{spinner} {elapsed}  {wide_msg}");
            bar.set_style(style.expect("the template is well-formed"));
            bar.enable_steady_tick(TICK);
        }
        Self { bar, position: position.to_owned(), window: (Instant::now(), 0), per_second: 0 }
    }

    /// Shows how far the job is.
    pub fn show(&mut self, figures: &Figures) {
        if self.bar.is_hidden() {
            return;
        }
        if figures.expansions == 0 {
            return self.bar.set_message(self.position.clone());
        }
        let now = Instant::now();
        let (begin, before) = self.window;
        if now - begin >= WINDOW {
            let more = figures.expansions.saturating_sub(before) as f64;
            self.per_second = (more / (now - begin).as_secs_f64()) as u64;
            self.window = (now, figures.expansions);
        }
        // The position comes last: a narrow terminal cuts it and not the figures.
        self.bar.set_message(format!(
            "{} expansions ({}/s)  {} facts  proof {}  disproof {}  {}",
            HumanCount(figures.expansions),
            HumanCount(self.per_second),
            HumanCount(figures.facts),
            figures.proof,
            figures.disproof,
            self.position
        ));
    }
}

impl Drop for Progress {
    /// Leaves the terminal's line free for the answer.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
