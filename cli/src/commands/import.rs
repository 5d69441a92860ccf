//! `sprig import`: takes in facts from files.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use sprig_engine::Watched;

use crate::database::{self, Database};
use crate::import::{self, Check, Plan, Time};
use crate::memory;
use crate::output::{self, Format};
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig import S14.txt --db facts        a database of GLOP or SPOTS, every line checked
  sprig import trees.txt rcts.txt --db facts
                                         an RCT base: the options of the trees, and the trees of lands
  sprig import certificates/normal/*.cert --db facts
                                         begin where the proofs end that others have made
  sprig import facts.jsonl.gz --db facts --json
  sprig import big.txt --db facts --check sample=0.01
                                         is a large file worth a check of all?";

/// Take facts from files into a database, after checking them
///
/// Reads text databases of GLOP and SPOTS of every kind, JSON Lines, CSV and certificates, packed by gzip or not; the
/// first line tells which. Nothing is taken in before all files have been read. A claim is taken in, as verified, when it
/// follows from verified facts or when a search proves it; false ones and contradictions are reported with their lines
/// and left out, and so is what was not checked.
///
/// Exit code 1 when a line was wrong or could not be decided; what is true was taken in nevertheless.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Import {
    /// Files of facts (`-`: standard input)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Folder of the database; it is made where there is none
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// Which claims to check: all, none (the files are only read), or sample=P, each with chance P; others are left out
    #[arg(long, value_name = "WHICH", default_value = "all")]
    check: Check,
    /// Expansions that a search may take where a claim does not follow from others
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    expansions: u64,
    /// Give up after S seconds; what was checked by then is kept
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

impl Import {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let time = Time::begin(self.max_seconds);
        let plan = Plan {
            names: self.files.iter().map(|path| import::name(path)).collect(),
            files: self.files,
            check: self.check,
            expansions: self.expansions,
            threads: self.threads.map_or(cores, NonZero::from),
            memory: self.memory,
            stop: Arc::new(Watched::until(Stop::flag(self.max_seconds)?)),
        };
        // Who has nothing checked gets no database by it.
        let is_new = database::exists(&self.db).is_err();
        let scratch =
            (plan.check == Check::None && is_new).then(|| Database::temporary(usize::MAX));
        let scratch = scratch.transpose()?;
        let open = || match &scratch {
            Some(database) => Ok(database.store.clone()),
            None => Ok(Database::open_or_create(Some(&self.db), usize::MAX)?.store),
        };
        let report = import::import(&plan, open).map_err(|error| time.blame(error))?;
        output::answer(&self.format, &report)?;
        Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
