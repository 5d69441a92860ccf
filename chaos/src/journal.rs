//! A file with a line for each round: a long run can be cut anywhere, and goes on where it ended.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A round, in its file.
#[derive(Serialize, Deserialize, Debug)]
struct Line<R> {
    seed: u64,
    round: u64,
    #[serde(flatten)]
    what: R,
}

/// The rounds of a run so far.
#[derive(Debug)]
pub struct Journal<R> {
    seed: u64,
    file: Option<File>,
    /// What came of each round.
    pub rounds: Vec<R>,
}

impl<R: Serialize + DeserializeOwned> Journal<R> {
    /// Reads the rounds that `path` holds, and keeps further ones there.
    ///
    /// # Errors
    /// When it holds something else, or rounds of another seed.
    pub fn open(path: Option<&Path>, seed: u64) -> anyhow::Result<Self> {
        let mut journal = Self { seed, file: None, rounds: Vec::new() };
        let Some(path) = path else { return Ok(journal) };
        let mut options = OpenOptions::new();
        let file = options.append(true).read(true).create(true).open(path);
        journal.file = Some(file.with_context(|| format!("cannot write {}", path.display()))?);
        for (number, text) in (1..).zip(std::fs::read_to_string(path)?.lines()) {
            let line: Line<R> = serde_json::from_str(text)
                .with_context(|| format!("{}, line {number} is no round", path.display()))?;
            ensure!(
                line.seed == seed && line.round == journal.next(),
                "{}, line {number}: round {} of seed {}; go on with --seed {}, or name another file",
                path.display(),
                line.round,
                line.seed,
                line.seed,
            );
            journal.rounds.push(line.what);
        }
        Ok(journal)
    }

    /// The number of the next round.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.rounds.len() as u64
    }

    /// The seed of the next round.
    #[must_use]
    pub fn dice(&self) -> u64 {
        self.seed.wrapping_mul(1_000_003).wrapping_add(self.next())
    }

    /// Keeps a round.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn push(&mut self, what: R) -> anyhow::Result<()> {
        let line = Line { seed: self.seed, round: self.next(), what };
        if let Some(file) = &mut self.file {
            let mut text = serde_json::to_string(&line)?;
            text.push('\n');
            file.write_all(text.as_bytes())?;
        }
        self.rounds.push(line.what);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_where_it_ended() -> anyhow::Result<()> {
        #[derive(Serialize, Deserialize, PartialEq, Debug)]
        struct What {
            kills: u32,
        }
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("rounds.jsonl");
        let mut journal = Journal::open(Some(&path), 7)?;
        journal.push(What { kills: 3 })?;
        let dice = journal.dice();
        let mut journal = Journal::open(Some(&path), 7)?;
        assert_eq!((journal.rounds.as_slice(), journal.dice()), (&[What { kills: 3 }][..], dice));
        journal.push(What { kills: 4 })?;
        let error = Journal::<What>::open(Some(&path), 8).unwrap_err();
        assert!(error.to_string().contains("--seed 7"), "{error}");
        Ok(())
    }
}
