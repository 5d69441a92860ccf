//! `sprig fetch`: takes in the facts that others have published.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde::Serialize;
use sprig_engine::Watched;

use crate::connect;
use crate::database::Database;
use crate::failure::escaped;
use crate::import::{self, Check, Plan, Report, Time};
use crate::memory;
use crate::output::{self, Answer, Format};
use crate::paths::beside;
use crate::publication::fetch::{Place, unpack};
use crate::publication::{Manifest, Published};
use crate::steps::Steps;
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig fetch https://example.org/sprouts --db facts        what is published there
  sprig fetch site/facts --db copy                          the same from a folder
  sprig fetch https://example.org/sprouts --db facts --certificates proofs
                                         with the certificates
  sprig verify proofs/certificates/*.cert                   and these checked, too";

/// Take in what others have published, after checking all of it
///
/// Sizes and hashes are compared with the manifest. The facts are claims then: they are taken in, as verified, when they follow
/// from verified facts or when a search proves them, as `sprig import` does it; what is false or was not decided is left out. An
/// interrupted download goes on where it was; what is not yet taken in lies beside the database, in a folder that ends in .fetch.
///
/// Exit code 1 when a fact was wrong or could not be decided; what is true was taken in nevertheless.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Fetch {
    /// Address or folder of a publication
    #[arg(value_name = "FROM")]
    from: String,
    /// Folder of the database; it is made where there is none
    #[arg(long, value_name = "DIR", env = "SPRIG_DB")]
    db: PathBuf,
    /// Folder that keeps the certificates of the publication; without it they are not fetched
    #[arg(long, value_name = "FOLDER")]
    certificates: Option<PathBuf>,
    /// Expansions that a search may take where a claim does not follow from others
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    expansions: u64,
    /// Give up after S seconds; what was fetched and checked by then is kept
    #[arg(long, value_name = "S")]
    max_seconds: Option<NonZero<u64>>,
    /// Threads that check [default: all cores]
    #[arg(long, value_name = "T", value_parser = crate::memory::count)]
    threads: Option<NonZero<u16>>,
    /// Memory for sorting, and as much for searching, as in 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = memory::parse)]
    memory: usize,
    #[command(flatten)]
    format: Format,
}

/// What was taken in.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Fetched<'a> {
    /// What the publication calls itself.
    title: String,
    /// The program that made it.
    made_by: String,
    files: usize,
    bytes: u64,
    /// Certificates that were checked.
    certificates: usize,
    #[serde(flatten)]
    report: Report<'a>,
}

impl Answer for Fetched<'_> {
    fn text(&self) -> String {
        let Self { title, made_by, files, bytes, certificates, report } = self;
        let (title, made_by) = (escaped(title), escaped(made_by));
        format!(
            "title             {title}\nmade by           {made_by}\nfiles             {files}\n\
             bytes             {bytes}\ncertificates      {certificates}\n{}",
            report.text()
        )
    }

    fn line(&self) -> String {
        self.report.line()
    }
}

impl Fetch {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let time = Time::begin(self.max_seconds);
        let stop = Stop::flag(self.max_seconds)?;
        let place = Place::of(&self.from)?;
        let through = beside(&self.db, ".fetch");
        let runtime = connect::runtime()?;
        let fetched = runtime.block_on(self.files(&place, &through, &stop));
        let (manifest, files) = fetched.map_err(|error| time.blame(error))?;
        let names =
            manifest.facts.iter().map(|facts| format!("{} of {}", facts.file.name, self.from));
        let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let plan = Plan {
            files,
            names: names.collect(),
            check: Check::All,
            expansions: self.expansions,
            threads: self.threads.map_or(cores, NonZero::from),
            memory: self.memory,
            stop: Arc::new(Watched::until(stop)),
        };
        let open = || Ok(Database::open_or_create(Some(&self.db), usize::MAX)?.store);
        let report = import::import(&plan, open).map_err(|error| time.blame(error))?;
        let is_clean = report.is_clean();
        let all: Vec<&Published> = self.wanted(&manifest).collect();
        let (files, bytes) = (all.len(), all.iter().map(|file| file.bytes).sum());
        let certificates = files - manifest.facts.len();
        for facts in &manifest.facts {
            // The facts of the unpacked file are in the database.
            let packed = through.join(&facts.file.name);
            let _ = fs::remove_file(packed.with_extension(""));
            let _ = fs::remove_file(packed);
        }
        // The folder stays if anything else lies there.
        let _ = fs::remove_dir(&through);
        let Manifest { title, made_by, .. } = manifest;
        let fetched = Fetched { title, made_by, files, bytes, certificates, report };
        output::answer(&self.format, &fetched)?;
        Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// The files that are fetched.
    fn wanted<'a>(&self, manifest: &'a Manifest) -> impl Iterator<Item = &'a Published> {
        let count = match self.certificates {
            Some(_) => usize::MAX,
            None => manifest.facts.len(),
        };
        manifest.files().take(count)
    }

    /// Fetches all files. Gives the paths of the unpacked files of facts.
    async fn files(
        &self,
        place: &Place,
        through: &Path,
        stop: &AtomicBool,
    ) -> anyhow::Result<(Manifest, Vec<PathBuf>)> {
        let manifest = place.manifest().await?;
        let all = self.wanted(&manifest).map(|file| file.bytes).sum();
        let (progress, mut before) = (Steps::start(all), 0);
        let mut unpacked = Vec::new();
        for facts in &manifest.facts {
            let show = |done| progress.show(before + done);
            let packed = place.take(&facts.file, through, stop, show).await?;
            unpacked.push(unpack(facts, &packed)?);
            before += facts.file.bytes;
        }
        if let Some(folder) = &self.certificates {
            for certified in &manifest.certificates {
                let show = |done| progress.show(before + done);
                place.take(&certified.file, folder, stop, show).await?;
                before += certified.file.bytes;
            }
        }
        Ok((manifest, unpacked))
    }
}
