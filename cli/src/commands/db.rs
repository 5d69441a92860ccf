//! `sprig db`: what a database holds, whether it is whole, and its care.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::ensure;
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use sprig_ask::{plural, with_verb};
use sprig_domain::JobState;
use sprig_domain::Node;
use sprig_engine::CanonicalLand;
use sprig_store::{Counts, FORMAT_VERSION, Fact, Inventory, Kind, Least, Status, Store, Value};

use crate::database::{self, Database};
use crate::failure::Interrupted;
use crate::output::{self, Answer, Format};
use crate::seal;
use crate::steps::Steps;
use crate::stop::Stop;
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  sprig db info --db facts               how many facts, of which kinds, whose
  sprig db list --db facts --lives 12    the lands of 12 lives and their nimbers
  sprig db check --db facts              read everything, compare all checksums
  sprig db compact --db facts            put the tables together
  sprig db accept --db facts             go on with what is there, after files were lost";

/// Look after a database: info, list, check, compact
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Db {
    #[command(subcommand)]
    deed: Deed,
}

#[derive(Subcommand)]
enum Deed {
    /// Show how many facts there are, of which kinds and how sure, and what they take on disk
    Info(Of),
    /// List facts, in the order of the bytes they are about
    List(List),
    /// Read every record and compare all checksums; exit code 1 if anything is damaged
    Check(Of),
    /// Put the tables together into as few as can be
    Compact(Of),
    /// Go on with what is there, when a database is refused because something is missing
    Accept(Of),
}

/// Which database.
#[derive(Args)]
struct Of {
    /// Folder of the database
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    #[command(flatten)]
    format: Format,
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    of: Of,
    /// Which facts
    #[arg(long, value_name = "KIND", default_value = "nimbers")]
    kind: KindName,
    /// Only lands with LIVES lives
    #[arg(long, value_name = "LIVES")]
    lives: Option<u32>,
    /// Only subjects whose text begins like this
    #[arg(long, value_name = "TEXT", default_value = "")]
    prefix: String,
    /// At most N facts
    #[arg(long, value_name = "N", default_value = "100")]
    limit: usize,
    /// Go on after the fact that the list before ended with (its `next`)
    #[arg(long, value_name = "KEY", value_parser = unhex)]
    after: Option<Bytes>,
}

#[derive(Clone, Copy, ValueEnum)]
enum KindName {
    /// Nimbers of lands
    Nimbers,
    /// Options of reduced canonical trees
    Trees,
    /// Trees of lands
    Rcts,
    /// Lost nodes of misère play
    Losses,
}

/// The bytes of a fact's subject.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl Db {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.deed {
            Deed::Info(Of { db, format }) => output::answer(&format, &Info::of(&db)?),
            Deed::List(list) => output::answer(&list.of.format, &list.page()?),
            Deed::Check(Of { db, format }) => output::answer(&format, &check(&db)?),
            Deed::Compact(Of { db, format }) => output::answer(&format, &compact(&db)?),
            Deed::Accept(Of { db, format }) => output::answer(&format, &accept(&db)?),
        }
    }
}

/// Facts of each kind.
#[derive(Serialize, schemars::JsonSchema)]
pub struct ByKind {
    nimbers: u64,
    trees: u64,
    rcts: u64,
    losses: u64,
}

impl From<Counts> for ByKind {
    fn from(counts: Counts) -> Self {
        Self {
            nimbers: counts.of(Kind::Nimber),
            trees: counts.of(Kind::Tree),
            rcts: counts.of(Kind::Rct),
            losses: counts.of(Kind::Loss),
        }
    }
}

impl ByKind {
    fn row(&self, name: &str) -> [String; 5] {
        let Self { nimbers, trees, rcts, losses } = self;
        let [nimbers, trees, rcts, losses] = [nimbers, trees, rcts, losses].map(u64::to_string);
        [name.to_owned(), nimbers, trees, rcts, losses]
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Info {
    db: String,
    /// Version of the database.
    format: u32,
    verified: ByKind,
    claimed: ByKind,
    jobs: usize,
    /// Jobs that have not ended.
    unfinished_jobs: usize,
    bytes: u64,
    /// The key whose seals count.
    key: String,
    /// All keys that are said to have sealed facts here, with how many.
    keys: Vec<SealedWith>,
    recorded: Option<Recorded>,
    /// How many promotions there were in its line.
    reign: u64,
    /// The later reign in which another database leads in the place of this one.
    succeeded_by: Option<u64>,
    /// Where the coordinator was that it follows.
    follows: Option<String>,
    /// The process that has it open to write.
    writer: Option<u32>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct SealedWith {
    key: String,
    facts: u64,
}

/// What the file beside the tables says.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Recorded {
    facts: u64,
    /// When that was recorded.
    date: String,
    /// The run of the process that recorded it.
    epoch: u64,
    /// Whether that process ended in good order.
    ended: bool,
}

impl From<&Least> for Recorded {
    fn from(least: &Least) -> Self {
        let Least { facts, epoch, ended, time, .. } = *least;
        Self { facts, date: time.date(), epoch, ended }
    }
}

impl Info {
    fn of(db: &Path) -> anyhow::Result<Self> {
        let reader = database::read(db)?;
        let worth = reader.worth()?;
        let jobs = reader.jobs()?;
        let is_open = |state: &JobState| !state.is_final();
        let keys = reader.keys()?.into_iter();
        let succession = reader.succession()?;
        Ok(Self {
            db: db.display().to_string(),
            format: FORMAT_VERSION,
            verified: worth.verified.into(),
            claimed: worth.claimed.into(),
            jobs: jobs.len(),
            unfinished_jobs: jobs.iter().filter(|job| is_open(&job.state)).count(),
            bytes: database::bytes_of(db)?,
            key: seal::secret(db)?.id().to_string(),
            keys: keys
                .map(|(key, facts)| SealedWith { key: key.to_string(), facts: facts.total() })
                .collect(),
            recorded: reader.least().map(Recorded::from),
            reign: succession.reign.number,
            succeeded_by: reader.successor()?.map(|by| by.number),
            follows: succession.following.map(|following| following.url),
            writer: reader.writer_process(),
        })
    }
}

impl Answer for Info {
    fn text(&self) -> String {
        let Self { db, format, jobs, unfinished_jobs, bytes, key, .. } = self;
        let rows = [self.verified.row("verified"), self.claimed.row("claimed")];
        let mut text =
            table(["FACTS", "NIMBERS", "TREES", "RCTS", "LOSSES"], &[], rows.into_iter());
        text += &format!(
            "database    {db}, format {format}, {bytes} bytes\n\
             jobs        {jobs}, {unfinished_jobs} unfinished\nkey         {key}\n"
        );
        for sealed in &self.keys {
            let facts = plural(sealed.facts, "fact");
            text += &format!("sealed      {facts} with key {}\n", sealed.key);
        }
        match &self.recorded {
            Some(Recorded { facts, date, epoch, ended }) => {
                let how = if *ended { "at the end" } else { "while it was in use" };
                let (facts, opened) = (plural(*facts, "fact"), plural(*epoch, "time"));
                text +=
                    &format!("recorded    at least {facts} on {date}, {how}; opened {opened}\n");
            }
            None => text += "recorded    nothing: an older program wrote it\n",
        }
        match &self.follows {
            Some(url) => text += &format!("follows     the coordinator at {url}\n"),
            None if self.reign > 0 => text += &format!("reign       {}\n", self.reign),
            None => {}
        }
        if let Some(by) = self.succeeded_by {
            text += &format!(
                "leads       no more: a follower was promoted in its place, to reign {by}\n"
            );
        }
        if let Some(pid) = self.writer {
            text += &format!("in use      by process {pid}\n");
        }
        text
    }

    fn line(&self) -> String {
        self.db.clone()
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Page {
    facts: Vec<Listed>,
    /// What to go on after; none at the end.
    next: Option<String>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Listed {
    /// What the fact is about.
    subject: String,
    /// What it says.
    value: String,
    /// `verified` or `claimed`.
    status: &'static str,
    /// Lives of the land, where it is one.
    lives: Option<u32>,
    key: String,
}

impl List {
    fn page(&self) -> anyhow::Result<Page> {
        let kind = match self.kind {
            KindName::Nimbers => Kind::Nimber,
            KindName::Trees => Kind::Tree,
            KindName::Rcts => Kind::Rct,
            KindName::Losses => Kind::Loss,
        };
        let reader = database::read(&self.of.db)?;
        let after = self.after.as_ref().map_or(&[][..], |bytes| &bytes.0);
        let mut page = Page { facts: Vec::new(), next: None };
        for stored in reader.facts_after(kind, after) {
            let listed = Listed::of(kind, &stored?.fact)?;
            let wanted = self.lives.is_none_or(|lives| listed.lives == Some(lives));
            if !wanted || !listed.subject.starts_with(&self.prefix) {
                continue;
            }
            if page.facts.len() == self.limit {
                page.next = page.facts.last().map(|last| last.key.clone());
                break;
            }
            page.facts.push(listed);
        }
        Ok(page)
    }
}

impl Listed {
    fn of(kind: Kind, fact: &Fact) -> anyhow::Result<Self> {
        let bytes = &fact.subject;
        let (subject, lives) = match kind {
            Kind::Nimber | Kind::Rct => {
                let land = CanonicalLand::from_key(bytes)?;
                (land.to_string(), Some(land.lives()))
            }
            Kind::Tree => (hex(bytes), None),
            Kind::Loss => (Node::decode(bytes)?.to_string(), None),
        };
        let value = match &fact.value {
            Value::Nimber(nimber) => nimber.to_string(),
            Value::Rct(tree) => tree.to_string(),
            Value::Loss => "lost".to_owned(),
            Value::Options(options) => {
                options.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
            }
        };
        let status = match fact.status {
            Status::Verified => "verified",
            Status::Claimed => "claimed",
        };
        Ok(Self { subject, value, status, lives, key: hex(bytes) })
    }
}

impl Answer for Page {
    fn text(&self) -> String {
        let row =
            |fact: &Listed| [fact.subject.clone(), fact.value.clone(), fact.status.to_owned()];
        let mut text = table(["SUBJECT", "VALUE", "STATUS"], &[], self.facts.iter().map(row));
        if let Some(next) = &self.next {
            text += &format!("more: --after {next}\n");
        }
        text
    }

    fn line(&self) -> String {
        plural(self.facts.len(), "fact")
    }
}

/// What a look at everything has found.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Sound {
    /// Records that were read.
    records: u64,
    verified: ByKind,
    /// Marked as verified, but not with the owner's seal.
    marked: ByKind,
    claimed: ByKind,
    /// Records of facts that were withdrawn or replaced.
    gone: u64,
    jobs: u64,
}

impl Answer for Sound {
    fn text(&self) -> String {
        let rows = [
            self.verified.row("verified"),
            self.marked.row("marked by others"),
            self.claimed.row("claimed"),
        ];
        let table = table(["FACTS", "NIMBERS", "TREES", "RCTS", "LOSSES"], &[], rows.into_iter());
        let Self { records, gone, jobs, .. } = self;
        let records = with_verb(*records, "record", ["is", "are"]);
        let (jobs, gone) = (plural(*jobs, "job"), with_verb(*gone, "claim", ["has", "have"]));
        format!("{table}{records} whole, {jobs}; {gone} gone\n")
    }

    fn line(&self) -> String {
        plural(self.records, "record")
    }
}

fn check(db: &Path) -> anyhow::Result<Sound> {
    let stop = Stop::flag(None)?;
    let reader = database::read(db)?;
    // Each fact has about two records.
    let progress = Steps::start(2 * reader.counts()?.total());
    let found = reader.inventory(&stop, |done| progress.show(done))?;
    drop(progress);
    let Some(Inventory { records, verified, marked, claimed, gone, jobs }) = found else {
        return Err(Interrupted::new("nothing was changed".to_owned()).into());
    };
    let [verified, marked, claimed] = [verified, marked, claimed].map(ByKind::from);
    Ok(Sound { records, verified, marked, claimed, gone, jobs })
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Compacted {
    /// Bytes before.
    before: u64,
    /// Bytes after.
    after: u64,
}

impl Answer for Compacted {
    fn line(&self) -> String {
        format!("{} bytes before, {} after", self.before, self.after)
    }
}

fn compact(db: &Path) -> anyhow::Result<Compacted> {
    let database = Database::open(db)?;
    let before = database::bytes_of(db)?;
    database.store.compact()?;
    drop(database);
    Ok(Compacted { before, after: database::bytes_of(db)? })
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Accepted {
    facts: u64,
    recorded: Option<Recorded>,
}

impl Answer for Accepted {
    fn line(&self) -> String {
        let facts = with_verb(self.facts, "fact", ["is", "are"]);
        match &self.recorded {
            Some(Recorded { facts: recorded, date, .. }) => {
                let recorded = with_verb(*recorded, "fact", ["was", "were"]);
                format!("{facts} there; on {date} {recorded} recorded")
            }
            None => format!("{facts} there; how many were is not recorded"),
        }
    }
}

fn accept(db: &Path) -> anyhow::Result<Accepted> {
    ensure!(db.is_dir(), "there is no database in {}; check the path", db.display());
    let (store, before) = Store::accept(db, &seal::secret(db)?)?;
    let facts = store.counts()?.total();
    Ok(Accepted { facts, recorded: before.as_ref().map(Recorded::from) })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Result<Bytes, String> {
    let bytes = text.as_bytes().chunks(2).map(|digits| {
        let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.len() == 2)?;
        u8::from_str_radix(digits, 16).ok()
    });
    bytes.collect::<Option<_>>().map(Bytes).ok_or_else(|| "a key is hexadecimal digits".to_owned())
}
