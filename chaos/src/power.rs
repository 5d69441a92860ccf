//! Power cuts: what was written and not synced is gone.
//!
//! The coordinator runs with `cut.c` loaded into it, which keeps of each file what was synced, and
//! of the folder the names that it had when it was synced. At a cut the coordinator is killed, and
//! its folder replaced by what was kept.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::cluster::{Plan, Signal, Trust};
use crate::heard::Heard;
use crate::journal::Journal;
use crate::prove::Prover;
use crate::siege::{Siege, all_there, certified};
use crate::start::Start;

const SOURCE: &str = include_str!("cut.c");

/// A run.
#[derive(Debug)]
pub struct PowerCuts {
    /// The program.
    pub sprig: PathBuf,
    /// How many cuts there are in all.
    pub cuts: u64,
    /// What the disk does. An honest one must lose nothing, the others must be found out.
    pub disk: Disk,
    /// Longest time from the start of a coordinator to its cut.
    pub pause: Duration,
    /// Spots of the jobs of normal play.
    pub normal: std::ops::RangeInclusive<usize>,
    /// Spots of those of misère play.
    pub misere: std::ops::RangeInclusive<usize>,
    /// Decides when the power is cut.
    pub seed: u64,
    /// Where the rounds are kept.
    pub journal: Option<PathBuf>,
    /// How long a job may take when there are no cuts any more.
    pub patience: Duration,
}

/// What a disk does when it is told to sync.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Disk {
    /// It syncs.
    Honest,
    /// It syncs all files but logs of writes: a control.
    Forgets,
    /// It only says that it has synced: a control.
    Lies,
}

/// What came of the jobs of one database.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Outage {
    /// What was to be solved.
    pub starts: Vec<Start>,
    /// What the disk did.
    pub disk: Disk,
    /// Whether a new name lasts only once its folder was synced. Otherwise it lasts at once.
    pub names_are_synced: bool,
    /// Cuts before the last answer.
    pub cuts: u64,
    /// Facts that were acknowledged when the power was cut, summed over the cuts.
    pub acknowledged_at_cuts: usize,
    /// Facts that were acknowledged in all.
    pub acknowledged: usize,
    /// Bytes that were written and not synced, summed over the cuts.
    pub bytes_gone: u64,
    /// Files that were gone, or empty, for want of a sync.
    pub files_gone: u64,
    /// For controls: how the loss was found out.
    pub found_out: Option<String>,
    /// Seconds until the last answer.
    pub seconds: f64,
    /// What must not be.
    pub violations: Vec<String>,
}

/// All of them together.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Databases.
    pub rounds: usize,
    /// Cuts.
    pub cuts: u64,
    /// Cuts among these with names that last only once the folder was synced.
    pub cuts_of_names: u64,
    /// Jobs.
    pub jobs: usize,
    /// Jobs among these of misère play.
    pub misere: usize,
    /// Facts that were acknowledged when the power was cut.
    pub acknowledged_at_cuts: usize,
    /// Bytes that were gone.
    pub bytes_gone: u64,
    /// Files that were gone.
    pub files_gone: u64,
    /// Controls that were found out.
    pub found_out: usize,
    /// Certificates that the oracle accepted in this call.
    pub verified: usize,
    /// What must not be.
    pub violations: Vec<String>,
}

/// Cuts in one round.
const MOST: u64 = 5;

impl PowerCuts {
    /// Cuts the power until there were enough cuts; `told` hears of each round.
    ///
    /// # Errors
    /// When there is no C compiler, or a process cannot be started. Violations stand in the
    /// summary.
    pub async fn run(&self, told: impl Fn(u64, &Outage)) -> anyhow::Result<Summary> {
        let mut journal = Journal::open(self.journal.as_deref(), self.seed)?;
        let mut prover = Prover::new(&self.sprig)?;
        let tools = tempfile::tempdir()?;
        let shim = compiled(tools.path())?;
        let cuts = |rounds: &[Outage]| rounds.iter().map(|round| round.cuts).sum::<u64>();
        while cuts(&journal.rounds) < self.cuts {
            let left = self.cuts - cuts(&journal.rounds);
            let dice = SmallRng::seed_from_u64(journal.dice());
            let round = self.outage(dice, left.min(MOST), &shim, &mut prover).await?;
            told(journal.next(), &round);
            journal.push(round)?;
        }
        let mut summary = Summary::of(&journal.rounds);
        match prover.verify().await {
            Ok(verified) => summary.verified = verified,
            Err(error) => summary.violations.push(format!("{error:#}")),
        }
        Ok(summary)
    }

    async fn outage(
        &self,
        mut dice: SmallRng,
        most: u64,
        shim: &Path,
        prover: &mut Prover,
    ) -> anyhow::Result<Outage> {
        let start = Start::random(&mut dice, self.normal.clone(), self.misere.clone());
        let mut outage = Outage {
            starts: vec![start],
            disk: self.disk,
            names_are_synced: dice.random_bool(0.5),
            cuts: 0,
            acknowledged_at_cuts: 0,
            acknowledged: 0,
            bytes_gone: 0,
            files_gone: 0,
            found_out: None,
            seconds: 0.0,
            violations: Vec::new(),
        };
        let folder = tempfile::tempdir()?;
        // Links in the path are resolved.
        let shadow = Shadow { folder: folder.path().canonicalize()? };
        shadow.begin()?;
        let mut plan = Plan::of_target(&self.sprig, dice.random_range(1..=2), Trust::Check);
        plan.environment = shadow.environment(shim, self.disk);
        let siege = Siege::begin(plan, folder.path(), &outage.starts).await?;
        let (heard, begun) = (siege.cluster.heard.clone(), Instant::now());
        let result = self.chase(siege, &mut dice, most, &shadow, &mut outage).await;
        outage.seconds = begun.elapsed().as_secs_f64();
        let judged = match result {
            Ok(()) => judge(&mut outage, &heard, folder.path(), prover).await,
            result => result,
        };
        match (judged, self.disk) {
            (Ok(()), Disk::Honest) => {}
            (Err(error), Disk::Honest) => {
                let (kept, said) = (folder.keep(), heard.latest());
                outage.violations.push(format!("{error:#} ({})\n{said}", kept.display()));
            }
            (Err(error), _) => outage.found_out = Some(format!("{error:#}")),
            (Ok(()), _) if outage.acknowledged_at_cuts > 0 => {
                let what = "the disk has kept nothing, and that was not found out";
                outage.violations.push(what.to_owned());
            }
            (Ok(()), _) => {}
        }
        Ok(outage)
    }

    async fn chase(
        &self,
        mut siege: Siege,
        dice: &mut SmallRng,
        most: u64,
        shadow: &Shadow,
        outage: &mut Outage,
    ) -> anyhow::Result<()> {
        let folder = shadow.folder.clone();
        while outage.cuts < most {
            sleep(self.pause.mul_f64(dice.random_range(0.0..1.0))).await;
            if siege.is_over().await? {
                break;
            }
            outage.cuts += 1;
            siege.cluster.signal_coordinator(Signal::Kill)?;
            siege.cluster.coordinator_ended().await?;
            let heard = &siege.cluster.heard;
            // A worker may still read what the coordinator had sent.
            sleep(Duration::from_millis(100)).await;
            let (bytes, files) = shadow.cut(outage.names_are_synced)?;
            outage.bytes_gone += bytes;
            outage.files_gone += files;
            let known = heard.facts().len() + heard.others().len();
            outage.acknowledged_at_cuts += known;
            if known > 0 {
                all_there(&folder, heard).await.with_context(|| format!("cut {}", outage.cuts))?;
            }
            shadow.begin()?;
            siege.cluster.restart().await?;
        }
        siege.end(self.patience).await
    }
}

async fn judge(
    outage: &mut Outage,
    heard: &Heard,
    folder: &Path,
    prover: &mut Prover,
) -> anyhow::Result<()> {
    outage.acknowledged = all_there(folder, heard).await.context("after the last answer")?;
    certified(prover, &outage.starts, folder).await
}

/// The shim, compiled.
fn compiled(folder: &Path) -> anyhow::Result<PathBuf> {
    let (source, shim) = (folder.join("cut.c"), folder.join("cut.so"));
    fs::write(&source, SOURCE)?;
    let output = Command::new("cc")
        .args(["-O2", "-shared", "-fPIC", "-o"])
        .args([&shim, &source])
        .output()
        .context("no C compiler: install one, so that `cc` is found (Debian: gcc)")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the C compiler does not take cut.c: {said}");
    Ok(shim)
}

/// What is kept of the database in `folder`: beside it, in `shadow`.
struct Shadow {
    folder: PathBuf,
}

impl Shadow {
    fn db(&self) -> PathBuf {
        self.folder.join("db")
    }

    fn of(&self, what: &str) -> PathBuf {
        self.folder.join("shadow").join(what)
    }

    fn environment(&self, shim: &Path, disk: Disk) -> Vec<(String, PathBuf)> {
        let disk = match disk {
            Disk::Honest => "honest",
            Disk::Forgets => "forgets",
            Disk::Lies => "lies",
        };
        let settings = [
            ("LD_PRELOAD", shim.to_owned()),
            ("SPRIG_CUT_FOLDER", self.db()),
            ("SPRIG_CUT_SHADOW", self.folder.join("shadow")),
            ("SPRIG_CUT_DISK", disk.into()),
        ];
        settings.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// From now on, everything that is in the database now is kept.
    fn begin(&self) -> anyhow::Result<()> {
        let shadow = self.folder.join("shadow");
        if shadow.exists() {
            fs::remove_dir_all(&shadow)?;
        }
        fs::create_dir(&shadow)?;
        let mut names = String::new();
        for (name, inode) in listed(&self.db())? {
            fs::copy(self.db().join(&name), self.of(&format!("content.{inode}")))?;
            fs::hard_link(self.db().join(&name), self.of(&format!("hold.{inode}")))?;
            names += &format!("{inode} {name}\n");
        }
        Ok(fs::write(self.of("names"), names)?)
    }

    /// Puts what was kept in the place of the database. Returns how many bytes, and how many files,
    /// are gone.
    fn cut(&self, names_are_synced: bool) -> anyhow::Result<(u64, u64)> {
        let now = listed(&self.db())?;
        let names = if names_are_synced {
            let text = fs::read_to_string(self.of("names"))?;
            let pairs = text.lines().filter_map(|line| line.split_once(' '));
            pairs.map(|(inode, name)| Ok((name.to_owned(), inode.parse()?))).collect()
        } else {
            anyhow::Ok(now.clone())
        };
        let (names, left) = (names?, self.folder.join("left"));
        let (mut bytes, mut files) = (0, 0);
        fs::create_dir(&left)?;
        for (name, inode) in &names {
            let (content, to) = (self.of(&format!("content.{inode}")), left.join(name));
            if content.exists() {
                fs::copy(content, to)?;
            } else {
                fs::File::create(to)?;
            }
        }
        for name in now.keys() {
            let was = fs::metadata(self.db().join(name))?.len();
            let is = fs::metadata(left.join(name)).map_or(0, |file| file.len());
            bytes += was.saturating_sub(is);
            files += u64::from(was > 0 && is == 0);
        }
        if self.db().exists() {
            fs::remove_dir_all(self.db())?;
        }
        fs::rename(left, self.db())?;
        Ok((bytes, files))
    }
}

/// Files of a folder, by name, with the numbers of their inodes.
fn listed(folder: &Path) -> anyhow::Result<BTreeMap<String, u64>> {
    let mut files = BTreeMap::new();
    if folder.exists() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let file = entry.metadata()?;
            if file.is_file() {
                files.insert(entry.file_name().to_string_lossy().into_owned(), file.ino());
            }
        }
    }
    Ok(files)
}

impl Summary {
    fn of(rounds: &[Outage]) -> Self {
        let mut summary = Self { rounds: rounds.len(), ..Self::default() };
        for (number, round) in rounds.iter().enumerate() {
            summary.cuts += round.cuts;
            summary.cuts_of_names += if round.names_are_synced { round.cuts } else { 0 };
            summary.jobs += round.starts.len();
            summary.misere += round.starts.iter().filter(|start| start.misere).count();
            summary.acknowledged_at_cuts += round.acknowledged_at_cuts;
            summary.bytes_gone += round.bytes_gone;
            summary.files_gone += round.files_gone;
            summary.found_out += usize::from(round.found_out.is_some());
            let told = |violation: &String| format!("round {number}: {violation}");
            summary.violations.extend(round.violations.iter().map(told));
        }
        summary
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "power cuts           {:>10}: {} of them also of names in a folder that was not synced\n\
             jobs                 {:>10}: {} of misère play, in {} databases\n\
             acknowledged at cuts {:>10}\n\
             bytes not synced     {:>10}, {} files gone or empty\n\
             verified in this call{:>10} certificates\n\
             controls found out   {:>10}\n\
             violations           {:>10}",
            self.cuts,
            self.cuts_of_names,
            self.jobs,
            self.misere,
            self.rounds,
            self.acknowledged_at_cuts,
            self.bytes_gone,
            self.files_gone,
            self.verified,
            self.found_out,
            self.violations.len(),
        )
    }
}
