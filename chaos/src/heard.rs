//! What workers have heard: their logs are read, so that every acknowledgement is known to a
//! process that is not killed.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// All that was acknowledged to any worker.
#[derive(Clone, Debug, Default)]
pub struct Heard(Arc<Mutex<Notes>>);

#[derive(Debug, Default)]
struct Notes {
    /// Nimber by land, as text, and how often it was acknowledged.
    facts: HashMap<String, (u8, u64)>,
    /// Facts of misère play, in words.
    others: HashSet<String>,
    /// Lands that were acknowledged with different nimbers.
    contradictions: Vec<String>,
    /// The last lines that are no acknowledgements, for reports of failures.
    latest: Vec<String>,
}

/// Lines kept for reports.
const KEPT: usize = 200;

impl Heard {
    /// Reads the log of a process to its end.
    pub async fn listen(self, name: String, log: impl AsyncRead + Unpin) {
        let mut lines = BufReader::new(log).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match acknowledged(&line) {
                Some((land, nimber)) => notes.add(land, nimber),
                None if other(&line).is_some() => {
                    notes.others.extend(other(&line).map(str::to_owned));
                }
                None if line.contains("TRACE") || line.contains("DEBUG") => {}
                None => {
                    notes.latest.push(format!("{name}: {line}"));
                    let surplus = notes.latest.len().saturating_sub(KEPT);
                    notes.latest.drain(..surplus);
                }
            }
        }
    }

    /// All facts that were acknowledged.
    pub fn facts(&self) -> Vec<(String, u8)> {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.facts.iter().map(|(land, &(nimber, _))| (land.clone(), nimber)).collect()
    }

    /// All facts of misère play that were acknowledged, in words.
    pub fn others(&self) -> Vec<String> {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.others.iter().cloned().collect()
    }

    /// How many acknowledgements there were: more than facts, where a fact was proved more than
    /// once.
    pub fn times(&self) -> u64 {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.facts.values().map(|&(_, times)| times).sum()
    }

    /// Lands that were acknowledged with different nimbers.
    pub fn contradictions(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contradictions.clone()
    }

    /// The last lines of all logs.
    pub fn latest(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).latest.join("\n")
    }
}

impl Notes {
    fn add(&mut self, land: &str, nimber: u8) {
        let entry = self.facts.entry(land.to_owned()).or_insert((nimber, 0));
        entry.1 += 1;
        if entry.0 != nimber {
            self.contradictions.push(land.to_owned());
        }
    }
}

/// Land and nimber, if the line is whole and says that a fact was acknowledged.
fn acknowledged(line: &str) -> Option<(&str, u8)> {
    let rest = line.split("acknowledged land=\"").nth(1)?;
    let (land, rest) = rest.split_once("\" nimber=")?;
    Some((land, rest.trim().parse().ok()?))
}

/// A fact of misère play, if the line is whole and says that it was acknowledged.
fn other(line: &str) -> Option<&str> {
    let fact = line.split("acknowledged fact=").nth(1)?.trim_end();
    let is_whole = match fact.split(' ').next()? {
        "node" => fact.ends_with("` is lost"),
        "tree" => fact.ends_with(" options"),
        "land" => fact.rsplit_once(" has tree ").is_some_and(|(_, tree)| tree.len() == KEY),
        _ => false,
    };
    is_whole.then_some(fact)
}

/// Digits of the key of a tree.
const KEY: usize = 32;

#[cfg(test)]
mod tests {
    use sprig_domain::TreeKey;

    use super::*;

    #[test]
    fn a_line_that_was_cut_says_nothing() {
        let line = "2026 TRACE sprig_worker::driver: acknowledged land=\"0*2.AB|AB\" nimber=1";
        assert_eq!(acknowledged(line), Some(("0*2.AB|AB", 1)));
        assert_eq!(acknowledged(&line[..line.len() - 1]), None);
        assert_eq!(acknowledged("worker joined"), None);
        let tree = TreeKey::ZERO.to_string();
        let line = format!("2026 TRACE sprig_worker: acknowledged fact=land `0*2` has tree {tree}");
        assert_eq!(other(&line), Some(&*format!("land `0*2` has tree {tree}")));
        assert_eq!(other(&line[..line.len() - 1]), None);
        let line = "acknowledged fact=node `0*8 0` is lost";
        assert_eq!(other(line), Some("node `0*8 0` is lost"));
        assert_eq!(other(&line[..line.len() - 1]), None);
    }
}
