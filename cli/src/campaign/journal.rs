//! The journal of a campaign: lines of JSON, appended and synced. A position has one when it is
//! solved or left open, and another one when its certificate is there. The latest one counts.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use sprig_campaign::Done;

/// The name of the journal, which lies beside the certificates.
const NAME: &str = "campaign.jsonl";

/// One position of a campaign, as far as it has come.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Entry {
    /// Its spots.
    pub spots: u16,
    /// `normal` or `misere`.
    pub play: String,
    /// `win` or `loss`; none if it was left open.
    pub outcome: Option<String>,
    /// Lands expanded for it, beyond what the database knew.
    pub expansions: u64,
    /// Facts proved for it.
    pub facts: u64,
    /// Seconds from its start to its answer.
    pub seconds: f64,
    /// Its certificate, if there is one that was verified.
    pub certificate: Option<Certified>,
    /// Why it was left open, or has no certificate.
    pub trouble: Option<String>,
}

/// A certificate that was written and verified.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Certified {
    /// The file, in the folder of the journal.
    pub file: String,
    /// Facts in it.
    pub facts: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Seconds to find it.
    pub seconds: f64,
    /// Seconds to verify it.
    pub verify_seconds: f64,
}

/// The journal of a folder.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The latest entry of each position of this play.
    entries: BTreeMap<u16, Entry>,
}

impl Journal {
    /// Opens the journal in `folder`, and makes both if they are not there. Entries of the other
    /// play are left alone.
    ///
    /// A last line without its end was torn by a crash. It is cut off, and its position is done
    /// again.
    ///
    /// # Errors
    /// When the folder cannot be written, or another line is no entry.
    pub fn open(folder: &Path, play: &str) -> anyhow::Result<Self> {
        let path = folder.join(NAME);
        let at = || format!("cannot use the journal {}", path.display());
        fs::create_dir_all(folder).with_context(at)?;
        let mut file =
            OpenOptions::new().create(true).append(true).read(true).open(&path).with_context(at)?;
        let text = fs::read_to_string(&path).with_context(at)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64).with_context(at)?;
            file.flush().with_context(at)?;
        }
        let mut entries = BTreeMap::new();
        for (number, line) in text[..whole].lines().enumerate() {
            let entry: Entry = serde_json::from_str(line).with_context(|| {
                format!(
                    "{}, line {}: no entry of a journal; take the line out, and its position is looked at again",
                    path.display(),
                    number + 1
                )
            })?;
            if entry.play == play {
                entries.insert(entry.spots, entry);
            }
        }
        Ok(Self { path, file, entries })
    }

    /// The entry of a position that needs no more work: it has an answer and, if `proofs` are
    /// wanted, a verified certificate whose file is still there and as long as it was.
    pub fn done(&self, spots: u16, proofs: bool) -> Option<&Entry> {
        let entry = self.entries.get(&spots).filter(|entry| entry.outcome.is_some())?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let is_there = |certified: &Certified| {
            let there = fs::metadata(folder.join(&certified.file));
            there.is_ok_and(|there| there.is_file() && there.len() == certified.bytes)
        };
        (!proofs || entry.certificate.as_ref().is_some_and(is_there)).then_some(entry)
    }

    /// The entry of a position that has an answer and no certificate.
    pub fn unproved(&self, spots: u16) -> Option<&Entry> {
        let entry = self.entries.get(&spots)?;
        (entry.outcome.is_some() && entry.certificate.is_none()).then_some(entry)
    }

    /// Adds an entry. The entry is on disk when this returns.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn add(&mut self, entry: Entry) -> anyhow::Result<()> {
        let line = serde_json::to_string(&entry)? + "\n";
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.with_context(|| format!("cannot write the journal {}", self.path.display()))?;
        self.entries.insert(entry.spots, entry);
        Ok(())
    }

    /// The solved positions by their spots, for a forecast.
    pub fn solved(&self) -> Vec<Done> {
        let solved = self.entries.values().filter(|entry| entry.outcome.is_some());
        solved.map(|entry| Done { spots: entry.spots, seconds: entry.total_seconds() }).collect()
    }
}

impl Entry {
    /// Adds what the position has cost before it was taken up again.
    pub fn add_cost(&mut self, before: &Self) {
        self.expansions += before.expansions;
        self.facts += before.facts;
        self.seconds = ((self.seconds + before.seconds) * 1000.0).round() / 1000.0;
    }

    /// Seconds for the answer, its certificate, and the check together.
    pub fn total_seconds(&self) -> f64 {
        let proofs = self.certificate.as_ref().map_or(0.0, |c| c.seconds + c.verify_seconds);
        self.seconds + proofs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(spots: u16) -> Entry {
        Entry {
            spots,
            play: "normal".into(),
            outcome: Some("win".into()),
            expansions: 7,
            facts: 3,
            seconds: 0.5,
            certificate: None,
            trouble: None,
        }
    }

    #[test]
    fn a_torn_line_is_done_again_and_the_rest_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::open(folder.path(), "normal").expect("a new journal");
        journal.add(entry(4)).expect("room");
        journal.add(entry(5)).expect("room");
        drop(journal);
        let path = folder.path().join(NAME);
        let text = fs::read(&path).expect("it is there");
        fs::write(&path, &text[..text.len() - 9]).expect("room");
        let mut journal = Journal::open(folder.path(), "normal").expect("a torn journal");
        assert_eq!(journal.done(4, false), Some(&entry(4)));
        assert_eq!(journal.done(5, false), None);
        journal.add(entry(5)).expect("room");
        drop(journal);
        let journal = Journal::open(folder.path(), "normal").expect("a whole journal");
        assert_eq!(journal.done(5, false), Some(&entry(5)));
        assert!(Journal::open(folder.path(), "misere").expect("the same").solved().is_empty());
    }

    #[test]
    fn a_certificate_that_is_gone_is_made_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::open(folder.path(), "normal").expect("a new journal");
        let file = "5.cert".to_owned();
        let (facts, bytes, seconds, verify_seconds) = (15, 187, 0.1, 0.1);
        let certificate = Some(Certified { file, facts, bytes, seconds, verify_seconds });
        journal.add(Entry { certificate, ..entry(5) }).expect("room");
        assert!(journal.done(5, true).is_none());
        fs::write(folder.path().join("5.cert"), "x").expect("room");
        assert!(journal.done(5, true).is_none(), "that is none");
        fs::write(folder.path().join("5.cert"), "x".repeat(187)).expect("room");
        assert!(journal.done(5, true).is_some());
    }

    #[test]
    fn what_a_position_has_cost_outlives_an_end_before_its_certificate() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::open(folder.path(), "normal").expect("a new journal");
        journal.add(Entry { outcome: None, ..entry(4) }).expect("room");
        journal.add(entry(5)).expect("room");
        drop(journal);
        let mut journal = Journal::open(folder.path(), "normal").expect("the same");
        assert!(journal.unproved(4).is_none(), "it has no answer");
        let mut again = Entry { expansions: 0, facts: 0, seconds: 0.25, ..entry(5) };
        again.add_cost(journal.unproved(5).expect("it waits for its certificate"));
        assert_eq!((again.expansions, again.facts, again.seconds), (7, 3, 0.75));
        let file = "5.cert".to_owned();
        let (facts, bytes, seconds, verify_seconds) = (15, 187, 0.1, 0.1);
        again.certificate = Some(Certified { file, facts, bytes, seconds, verify_seconds });
        journal.add(again).expect("room");
        assert!(journal.unproved(5).is_none(), "its cost is not counted twice");
        assert_eq!(journal.solved().len(), 1);
    }

    #[test]
    fn a_line_that_is_no_entry_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(NAME), "{}\n").expect("room");
        let error = Journal::open(folder.path(), "normal").err().expect("no entry");
        assert!(format!("{error:#}").contains("line 1"), "{error:#}");
    }
}
