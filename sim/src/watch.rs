//! The watcher: it takes in everything that coordinator and workers log, with the simulated time.

use std::collections::hash_map::DefaultHasher;
use std::fmt::{Debug, Write};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// What has been seen so far.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Facts whose acknowledgement a worker has heard, as text. The check of these takes them out.
    pub(crate) acknowledged: Vec<String>,
    /// The subjects of claims that the coordinator has withdrawn, as text. The same check takes
    /// them out.
    pub(crate) withdrawn: Vec<String>,
    /// Log lines.
    pub(crate) lines: u64,
    /// All log lines with their times in one number, for comparing runs.
    pub(crate) hash: DefaultHasher,
    /// When a worker has found its coordinator.
    pub(crate) connected: Vec<Duration>,
    /// The log itself, if it is wanted.
    pub(crate) log: Option<String>,
}

/// Takes in what this thread logs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch(Arc<Mutex<Seen>>);

impl Watch {
    pub(crate) fn new(keep_log: bool) -> Self {
        let watch = Self::default();
        watch.with(|seen| seen.log = keep_log.then(String::new));
        watch
    }

    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Seen) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The fields of one line.
#[derive(Default)]
struct Line {
    text: String,
    land: Option<String>,
    nimber: Option<u64>,
    /// A fact, or what a claim is about.
    subject: Option<String>,
    message: String,
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "land" {
            self.land = Some(value.to_owned());
        }
        self.record_debug(field, &value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "nimber" {
            self.nimber = Some(value);
        }
        self.record_debug(field, &value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "fact" | "claim" => self.subject = Some(format!("{value:?}")),
            _ => {}
        }
        let _ = write!(self.text, " {}={value:?}", field.name());
    }
}

impl Subscriber for Watch {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("sprig_")
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        line.text = without_clock(&line.text);
        let time = turmoil::sim_elapsed().unwrap_or_default();
        self.with(|seen| {
            seen.lines += 1;
            (time, &line.text).hash(&mut seen.hash);
            match line.message.as_str() {
                "acknowledged" => {
                    let fact = line.land.zip(line.nimber);
                    let fact = fact.map(|(land, n)| format!("land `{land}` has nimber {n}"));
                    seen.acknowledged.extend(fact.or(line.subject));
                }
                "withdrawn" => seen.withdrawn.extend(line.subject),
                "connected" => seen.connected.push(time),
                _ => {}
            }
            if let Some(log) = &mut seen.log {
                let _ = writeln!(log, "{:>9.3}{}", time.as_secs_f64(), line.text);
            }
        });
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// A line without the times of the clock on the wall, which the database notes and which no seed
/// decides.
fn without_clock(text: &str) -> String {
    let mut parts = text.split(UNIX_TIME);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |line, part| line + UNIX_TIME + part.trim_start_matches(char::is_numeric))
}

/// The text before such a time.
const UNIX_TIME: &str = "Unix time ";

/// The number that stands for all of a log.
pub(crate) fn digest(seen: &Seen) -> u64 {
    seen.hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_wall_clock_says_is_left_out() {
        let line =
            "known is tree 2 (Unix time 1795489745931 ms), claimed is tree 3 (Unix time 17 ms)";
        let left = "known is tree 2 (Unix time  ms), claimed is tree 3 (Unix time  ms)";
        assert_eq!(without_clock(line), left);
        assert_eq!(without_clock("job done"), "job done");
    }
}
