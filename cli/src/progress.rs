//! The progress line: on standard error, and only where it is a terminal.

use std::time::{Duration, Instant};

#[cfg(feature = "coordinator")]
use indicatif::HumanBytes;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use sprig_search::Figures;

/// How often the line is drawn again, so that the elapsed time runs.
const TICK: Duration = Duration::from_millis(200);

/// Shortest time over which expansions per second are measured.
const WINDOW: Duration = Duration::from_millis(500);

/// The line. Proof numbers and counts, not a remaining time, which nobody knows.
pub struct Progress {
    bar: ProgressBar,
    position: String,
    /// When the window began, and what was done then.
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
        let per_second = self.per_second(figures.expansions);
        // The position comes last: a narrow terminal cuts it and not the figures.
        self.bar.set_message(format!(
            "{} expansions ({}/s)  {} facts  proof {}  disproof {}  {}",
            HumanCount(figures.expansions),
            HumanCount(per_second),
            HumanCount(figures.facts),
            figures.proof,
            figures.disproof,
            self.position
        ));
    }

    /// Shows how far a search of misère play is.
    #[cfg(feature = "coordinator")]
    pub fn show_misere(&mut self, figures: &sprig_misere::search::Figures) {
        let sprig_misere::search::Figures { expansions, losses, bytes, .. } = *figures;
        if self.bar.is_hidden() || expansions == 0 {
            return;
        }
        let per_second = self.per_second(expansions);
        self.bar.set_message(format!(
            "{} expansions ({}/s)  {} lost nodes  {}  proof {}  disproof {}  {}",
            HumanCount(expansions),
            HumanCount(per_second),
            HumanCount(losses),
            HumanBytes(bytes),
            figures.proof,
            figures.disproof,
            self.position
        ));
    }

    /// Shows how far a base of trees is. How many lands are still to be met, nobody knows.
    #[cfg(feature = "coordinator")]
    pub fn show_base(&mut self, progress: sprig_misere::Progress) {
        if self.bar.is_hidden() {
            return;
        }
        let sprig_misere::Progress { met, known, trees, bytes } = progress;
        let per_second = self.per_second(known as u64);
        self.bar.set_message(format!(
            "{} of {} lands met ({}/s)  {} trees  {}  {}",
            HumanCount(known as u64),
            HumanCount(met as u64),
            HumanCount(per_second),
            HumanCount(trees as u64),
            HumanBytes(bytes as u64),
            self.position
        ));
    }

    /// How much is done in a second, when so much is done now.
    fn per_second(&mut self, done: u64) -> u64 {
        let now = Instant::now();
        let (begin, before) = self.window;
        if now - begin >= WINDOW {
            self.per_second =
                (done.saturating_sub(before) as f64 / (now - begin).as_secs_f64()) as u64;
            self.window = (now, done);
        }
        self.per_second
    }
}

impl Drop for Progress {
    /// Leaves the terminal's line free for the answer.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
