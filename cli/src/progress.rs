//! The progress of a search. If standard error is a terminal, it is a line that is drawn again and
//! again, and otherwise a new line each minute.

use std::io::{self, IsTerminal};
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

#[cfg(feature = "coordinator")]
use indicatif::HumanBytes;
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use serde::Serialize;
use sprig_domain::Figures;
use sprig_proto::Waiting;
use terminal_size::{Width, terminal_size_of};

use crate::output;

/// Pause between two drawings of the line, so that the elapsed time runs.
const TICK: Duration = Duration::from_millis(200);

/// The shortest time over which expansions per second are measured.
const WINDOW: Duration = Duration::from_millis(500);

/// The time between two lines if no terminal draws them again.
const MINUTE: Duration = Duration::from_secs(60);

/// Columns of the terminal that the spinner and the time take.
const CLOCK: usize = 12;

/// A proof number says something if it is this many times smaller than the other.
const CLEARLY: u32 = 4;

/// How a person wants to see progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A line that is drawn again on a terminal, else plain lines.
    Auto,
    /// Lines for people, with this time between them.
    Plain(Duration),
    /// Objects for programs, with this time between them.
    Json(Duration),
    /// No progress.
    None,
}

static MODE: OnceLock<Mode> = OnceLock::new();

impl Mode {
    /// Sets the mode of the whole process.
    pub fn set(self) {
        MODE.get_or_init(|| self);
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, every) = match text.split_once('=') {
            Some((name, seconds)) => (name, seconds.parse().map(Duration::from_secs).ok()),
            None => (text, Some(MINUTE)),
        };
        match (name, every) {
            ("auto", Some(MINUTE)) => Ok(Self::Auto),
            ("none", Some(MINUTE)) => Ok(Self::None),
            ("plain", Some(every)) => Ok(Self::Plain(every)),
            ("json", Some(every)) => Ok(Self::Json(every)),
            _ => Err("write auto, plain, json or none; plain=10 is a line in ten seconds".into()),
        }
    }
}

/// The shown progress: counts and tendencies. A remaining time cannot be known.
pub struct Progress {
    shown: Shown,
    position: String,
    begin: Instant,
    /// When the present window began, and the work done by then.
    window: (Instant, u64),
    per_second: u64,
}

enum Shown {
    Drawn(ProgressBar),
    Lines { every: Duration, last: Instant, json: bool },
    Nothing,
}

/// A line of progress for programs.
#[derive(Serialize)]
struct Line<'a> {
    position: &'a str,
    seconds: u64,
    #[serde(flatten)]
    counts: Counts<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Counts<'a> {
    Search {
        expansions: u64,
        facts: u64,
        proof: u32,
        disproof: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        waiting: Option<String>,
    },
    Work {
        done: u64,
        all: Option<u64>,
        counted: &'a str,
        per_second: u64,
    },
}

impl Progress {
    /// The progress of the job about `position`. Nothing is drawn before the first tick.
    pub fn start(position: &str) -> Self {
        let begin = Instant::now();
        let lines = |every, json| Shown::Lines { every, last: begin, json };
        let shown = match MODE.get().copied().unwrap_or(Mode::Auto) {
            Mode::Auto if io::stderr().is_terminal() => Shown::Drawn(drawn()),
            Mode::Auto => lines(MINUTE, false),
            Mode::Plain(every) => lines(every, false),
            Mode::Json(every) => lines(every, true),
            Mode::None => Shown::Nothing,
        };
        let position = position.to_owned();
        Self { shown, position, begin, window: (begin, 0), per_second: 0 }
    }

    /// Shows the progress of a job: first what it waits for, if it does.
    pub fn show(&mut self, figures: &Figures, waiting: Option<&Waiting>) {
        let Figures { expansions, facts, proof, disproof, lands, .. } = *figures;
        let waiting = waiting.map(ToString::to_string);
        if expansions == 0 {
            // Misère play begins with the trees of small lands, so these are shown first.
            let lands =
                (lands > 0).then(|| format!("{} lands have their trees", HumanCount(lands)));
            let parts: Vec<_> = waiting.into_iter().chain(lands).collect();
            return self.tell(&parts, || None);
        }
        let per_second = self.per_second(expansions);
        let found = [
            format!("{} expansions ({}/s)", HumanCount(expansions), HumanCount(per_second)),
            tendency(proof, disproof).to_owned(),
            format!("{} facts", HumanCount(facts)),
            format!("proof {proof} disproof {disproof}"),
        ];
        let parts: Vec<_> = waiting.iter().cloned().chain(found).collect();
        self.tell(&parts, || Some(Counts::Search { expansions, facts, proof, disproof, waiting }));
    }

    /// Shows the progress of work that counts something. `all` is the total, if that is known.
    pub fn show_count(&mut self, done: u64, all: Option<u64>, what: &str) {
        let per_second = self.per_second(done);
        let parts = [counted(done, all, what), format!("{}/s", HumanCount(per_second))];
        self.tell(&parts, || Some(Counts::Work { done, all, counted: what, per_second }));
    }

    /// Shows the progress of a base of trees. The number of lands that are still to be met is not
    /// known.
    #[cfg(feature = "coordinator")]
    pub fn show_base(&mut self, progress: sprig_trees::Progress) {
        let sprig_trees::Progress { met, known, trees, bytes } = progress;
        let per_second = self.per_second(known as u64);
        let parts = [
            format!("{} of {} lands met", HumanCount(known as u64), HumanCount(met as u64)),
            format!("{}/s", HumanCount(per_second)),
            format!("{} trees", HumanCount(trees as u64)),
            HumanBytes(bytes as u64).to_string(),
        ];
        self.tell(&parts, || None);
    }

    /// Shows the parts, the important ones first. `counts` are for programs.
    fn tell<'a>(&mut self, parts: &[String], counts: impl FnOnce() -> Option<Counts<'a>>) {
        let (position, begin) = (&self.position, self.begin);
        match &mut self.shown {
            Shown::Nothing => {}
            Shown::Drawn(bar) => {
                let width = terminal_size_of(io::stderr());
                let width = width.map_or(usize::MAX, |(Width(columns), _)| columns.into());
                bar.set_message(fitted(position, parts, width.saturating_sub(CLOCK)));
            }
            Shown::Lines { last, every, .. } if last.elapsed() < *every => {}
            Shown::Lines { last, json, .. } => {
                *last = Instant::now();
                let seconds = begin.elapsed().as_secs();
                if !*json {
                    let time = HumanDuration(Duration::from_secs(seconds));
                    remark!("sprig: {position}: {time}, {}", parts.join(", "));
                } else if let Some(counts) = counts() {
                    let line = Line { position, seconds, counts };
                    prompt!("{}", output::json(&line).unwrap_or_default());
                }
            }
        }
    }

    /// The work done in a second, when `done` is done now.
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

/// `12 of 1,500 games`, or `12 games` if the total is not known.
pub fn counted(done: u64, all: Option<u64>, what: &str) -> String {
    let all = all.map_or_else(String::new, |all| format!(" of {}", HumanCount(all)));
    format!("{}{all} {what}", HumanCount(done))
}

impl Drop for Progress {
    /// Clears the terminal's line, so that it is free for the answer.
    fn drop(&mut self) {
        if let Shown::Drawn(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

fn drawn() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {elapsed}  {wide_msg}");
    bar.set_style(style.expect("the template is well-formed"));
    bar.enable_steady_tick(TICK);
    bar
}

/// Which way a search leans. The smaller number is nearer to its end, but both can rise for hours
/// before.
fn tendency(proof: u32, disproof: u32) -> &'static str {
    if proof.saturating_mul(CLEARLY) <= disproof {
        "leans to a win"
    } else if disproof.saturating_mul(CLEARLY) <= proof {
        "leans to a loss"
    } else {
        "undecided"
    }
}

/// The position, and as many of the parts as there is room for. No word is cut, but a long position
/// is cut at its end.
fn fitted(position: &str, parts: &[String], width: usize) -> String {
    let length = |text: &str| text.chars().count();
    let first = parts.first().map_or(0, |part| length(part) + 2);
    let mut line = position.to_owned();
    if first + length(position) > width {
        line = position.chars().take(width.saturating_sub(first + 2)).collect::<String>() + "..";
    }
    for part in parts {
        if length(&line) + 2 + length(part) > width {
            break;
        }
        line = format!("{line}  {part}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_cut_inside_a_word() {
        let parts = ["92,603 expansions (23,489/s)", "leans to a loss", "8,932 facts"];
        let parts = parts.map(str::to_owned);
        assert_eq!(fitted("0*21", &parts, 48), "0*21  92,603 expansions (23,489/s)");
        assert_eq!(
            fitted("0*21", &parts, 60),
            "0*21  92,603 expansions (23,489/s)  leans to a loss"
        );
        assert!(fitted("0*21", &parts, 100).ends_with("8,932 facts"));
        let long = "0*3.1a1a.2b2b|AB|CD.AB|CD.0*7.1a2a";
        let line = fitted(long, &parts, 48);
        assert!(line.chars().count() <= 48 && line.contains(".."), "{line}");
    }

    #[test]
    fn wishes_are_read() {
        assert_eq!("plain".parse(), Ok(Mode::Plain(MINUTE)));
        assert_eq!("json=5".parse(), Ok(Mode::Json(Duration::from_secs(5))));
        assert_eq!(("auto".parse(), "none".parse()), (Ok(Mode::Auto), Ok(Mode::None)));
        for bad in ["", "tty", "plain=", "plain=x", "auto=5"] {
            assert!(bad.parse::<Mode>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_smaller_number_is_where_it_leans() {
        assert_eq!(tendency(1, 4), "leans to a win");
        assert_eq!(tendency(187_575, 1_000), "leans to a loss");
        assert_eq!(tendency(187_575, 119_428), "undecided");
    }
}
