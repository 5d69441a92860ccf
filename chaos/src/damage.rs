//! Damages copies of databases at random, and sees that the program refuses them, finds everything,
//! or says what is missing.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::Serialize;
use serde_json::Value;
use sprig_store::{Reader, Secret};

/// How the databases are damaged.
pub struct Damage {
    /// The program.
    pub sprig: PathBuf,
    /// How many copies are damaged.
    pub rounds: u32,
    /// How long the process runs that is killed. After ten seconds it has written down how many
    /// facts there are.
    pub killed_after: Duration,
    /// Decides what happens to which copy.
    pub seed: u64,
}

/// What has come of it.
#[derive(Serialize, Debug)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// Copies that were damaged.
    pub rounds: u32,
    /// The databases that were copied.
    pub originals: Vec<Original>,
    /// By the kind of damage: how many copies were refused, complete, or short.
    pub damages: BTreeMap<&'static str, Outcomes>,
    /// What must not be: wrong answers, and facts that are missing without a word.
    pub violations: Vec<String>,
}

/// A database before it is damaged.
#[derive(Serialize, Debug)]
pub struct Original {
    /// How it ended.
    pub end: &'static str,
    /// Facts in it.
    pub facts: u64,
    /// Facts that its record tells of.
    pub recorded: u64,
    #[serde(skip)]
    folder: PathBuf,
}

/// How copies fared.
#[derive(Serialize, Debug, Default, Clone, Copy)]
pub struct Outcomes {
    /// Not opened, or found to be damaged when all was read.
    pub refused: u32,
    /// Everything is there.
    pub complete: u32,
    /// Facts are missing, but none that were recorded, and the program said so with both numbers.
    pub short: u32,
}

/// What the program found in a copy.
enum Found {
    Refused,
    /// How many facts it found, and what it said on standard error.
    Facts(u64, String),
}

/// A position whose outcome every command must not get wrong.
const POSITION: &str = "0*14";
const OUTCOME: &str = "loss";

/// A position that takes longer than any test waits.
const LONG: &str = "0*40";

const KINDS: [&str; 6] = [
    "bit flips",
    "one file cut",
    "one file emptied",
    "files deleted",
    "half a copy",
    "logs deleted",
];

impl Damage {
    /// Damages copies, and looks at each.
    ///
    /// # Errors
    /// When the program or the disk fails otherwise than by the damage.
    pub fn run(&self) -> anyhow::Result<Report> {
        let scratch = tempfile::tempdir()?;
        let originals = self.originals(scratch.path())?;
        let mut rng = SmallRng::seed_from_u64(self.seed);
        let mut report = Report {
            seed: self.seed,
            rounds: self.rounds,
            originals,
            damages: BTreeMap::new(),
            violations: Vec::new(),
        };
        for round in 0..self.rounds {
            let original = &report.originals[rng.random_range(0..report.originals.len())];
            let copy = scratch.path().join("copy");
            copy_files(&original.folder, &copy)?;
            let kind = KINDS[rng.random_range(0..KINDS.len())];
            let done = damage(kind, &copy, &mut rng)?;
            let told = |what: String| format!("round {round}, {}, {done}: {what}", original.end);
            match self.judge(&copy, original)? {
                Ok(outcome) => {
                    let outcomes = report.damages.entry(kind).or_default();
                    match outcome {
                        Outcome::Refused => outcomes.refused += 1,
                        Outcome::Complete => outcomes.complete += 1,
                        Outcome::Short => outcomes.short += 1,
                    }
                }
                Err(violation) => report.violations.push(told(violation)),
            }
            fs::remove_dir_all(&copy)?;
        }
        Ok(report)
    }

    /// A database of a process that has ended, and one of a process that was killed.
    fn originals(&self, scratch: &Path) -> anyhow::Result<Vec<Original>> {
        let (ended, killed) = (scratch.join("ended"), scratch.join("killed"));
        let solved = self.sprig(scratch, &["solve", POSITION, "--threads", "1"], &ended)?;
        ensure!(solved.status.success(), "{}", String::from_utf8_lossy(&solved.stderr));
        copy_files(&ended, &killed)?;
        let mut command = self.command(scratch, &["solve", LONG, "--threads", "1"], &killed);
        command.env("SPRIG_LOG", "sprig_coordinator=info");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let begun = Instant::now();
        // It says that its worker has joined; then facts come.
        let mut lines = BufReader::new(child.stderr.take().context("a pipe")?).lines();
        lines.next().transpose()?;
        while begun.elapsed() < self.killed_after {
            ensure!(child.try_wait()?.is_none(), "it ended before it was killed");
            std::thread::park_timeout(self.killed_after.saturating_sub(begun.elapsed()));
        }
        child.kill()?;
        child.wait()?;
        let original = |end, folder: PathBuf| {
            let reader = Reader::open(&folder, &Secret::random())?;
            let recorded = reader.least().map_or(0, |least| least.facts);
            anyhow::Ok(Original { end, facts: reader.counts()?.total(), recorded, folder })
        };
        Ok(vec![original("ended", ended)?, original("killed", killed)?])
    }

    fn judge(&self, db: &Path, original: &Original) -> anyhow::Result<Result<Outcome, String>> {
        let scratch = db.parent().context("a folder above")?;
        let mut outcome = Outcome::Complete;
        // As a reader finds it, and after a process has written to it, which puts tables in place
        // of the log.
        for step in ["read", "written"] {
            if step == "written" {
                let output = self.sprig(scratch, &["solve", "0*2", "--threads", "1"], db)?;
                if !output.status.success() {
                    let said = String::from_utf8_lossy(&output.stderr);
                    if said.lines().count() == 0 || said.contains("panicked") {
                        return Ok(Err(format!("it failed like this: {said}")));
                    }
                    return Ok(Ok(Outcome::Refused));
                }
            }
            match self.check(scratch, db)? {
                Found::Refused => outcome = Outcome::Refused,
                Found::Facts(found, _) if found >= original.facts => {}
                Found::Facts(found, _) if found < original.recorded => {
                    let Original { facts, recorded, .. } = original;
                    return Ok(Err(format!("{found} of {facts} facts, {recorded} were recorded")));
                }
                Found::Facts(found, said) if step == "read" => {
                    let numbers = [found, original.recorded];
                    if !numbers.iter().all(|number| said.contains(&number.to_string())) {
                        return Ok(Err(format!("{found} of {} facts: {said}", original.facts)));
                    }
                    outcome = Outcome::Short;
                }
                Found::Facts(..) => {}
            }
            if let Some(answer) = self.query(scratch, db)?
                && answer != OUTCOME
            {
                return Ok(Err(format!("{POSITION} is said to be a {answer}")));
            }
        }
        Ok(Ok(outcome))
    }

    fn check(&self, scratch: &Path, db: &Path) -> anyhow::Result<Found> {
        let output = self.sprig(scratch, &["db", "check", "--json"], db)?;
        if !output.status.success() {
            return Ok(Found::Refused);
        }
        let found: Value = serde_json::from_slice(&output.stdout)?;
        let of = |part: &str| {
            let kinds = found[part].as_object().into_iter().flatten();
            kinds.filter_map(|(_, count)| count.as_u64()).sum::<u64>()
        };
        let facts = of("verified") + of("marked") + of("claimed");
        Ok(Found::Facts(facts, String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// The outcome of the position, if it is known.
    fn query(&self, scratch: &Path, db: &Path) -> anyhow::Result<Option<String>> {
        let output = self.sprig(scratch, &["query", POSITION, "--json"], db)?;
        if !output.status.success() {
            return Ok(None);
        }
        let known: Value = serde_json::from_slice(&output.stdout)?;
        Ok(known["outcome"].as_str().map(str::to_owned))
    }

    fn sprig(&self, scratch: &Path, args: &[&str], db: &Path) -> anyhow::Result<Output> {
        Ok(self.command(scratch, args, db).output()?)
    }

    fn command(&self, scratch: &Path, args: &[&str], db: &Path) -> Command {
        let mut command = Command::new(&self.sprig);
        command.args(args).arg("--db").arg(db).stdin(Stdio::null()).env_remove("SPRIG_LOG");
        command.env("SPRIG_SEAL_KEY", scratch.join("seal.key"));
        command
    }
}

enum Outcome {
    Refused,
    Complete,
    Short,
}

/// Copies the files of a folder.
pub(crate) fn copy_files(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Damages a database; says what was done.
fn damage(kind: &'static str, db: &Path, rng: &mut SmallRng) -> anyhow::Result<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(db)? {
        files.push(entry?.path());
    }
    files.sort();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let one = files[rng.random_range(0..files.len())].clone();
    let mut bytes = fs::read(&one)?;
    let gone: Vec<PathBuf> = match kind {
        "bit flips" => {
            if !bytes.is_empty() {
                for _ in 0..rng.random_range(1..4) {
                    let at = rng.random_range(0..bytes.len());
                    bytes[at] ^= 1 << rng.random_range(0..8);
                }
            }
            fs::write(&one, bytes)?;
            return Ok(format!("{kind} in {}", name(&one)));
        }
        "one file cut" | "one file emptied" => {
            let all = bytes.len();
            bytes.truncate(if kind == "one file cut" { rng.random_range(0..=all) } else { 0 });
            fs::write(&one, &bytes)?;
            return Ok(format!("{}: {} of {all} bytes are left", name(&one), bytes.len()));
        }
        "files deleted" => (0..rng.random_range(1..3))
            .map(|_| files[rng.random_range(0..files.len())].clone())
            .collect(),
        "half a copy" => files.into_iter().filter(|_| rng.random_bool(0.5)).collect(),
        "logs deleted" => {
            files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "log")).collect()
        }
        other => bail!("{other} is no damage"),
    };
    for path in &gone {
        // The same file may have been chosen twice.
        let _ = fs::remove_file(path);
    }
    let gone: Vec<_> = gone.iter().map(|path| name(path)).collect();
    Ok(format!("{kind}: {}", gone.join(", ")))
}
