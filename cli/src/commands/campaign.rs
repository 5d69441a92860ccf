//! `sprig campaign`: a chain of start positions, solved, certified and verified.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::ensure;
use clap::{Args, ValueEnum};
use sprig_campaign::{Series, Skip};
use sprig_domain::Play;

use crate::campaign::{Campaign, Proofs};
use crate::duration::duration;
use crate::memory::Bounds;
use crate::output::Format;

const EXAMPLES: &str = "\
Examples:
  sprig campaign 2..35 --db facts                who wins with 2, 3, .., 35 spots, each with a certificate
  sprig campaign 2..62 --skip 0mod3:34.. --db facts --memory 8G --budget 2h
                                                 without the multiples of 3 from 34 on; what takes
                                                 longer than two hours is left open
  sprig campaign 2..20 --misere --db facts       misère play
  sprig campaign 2..62 --db facts --for 8h       ends by itself; the same command goes on

Numbers of spots: `14`, a range `2..62` with both ends, or several with commas. The database, the
certificates and the journal `campaign.jsonl` beside them are all that a campaign needs to go on.";

/// Solve a chain of start positions in one database, from the small to the large
///
/// A proof rests on nimbers that smaller ones have found, so a chain without gaps costs about what its largest position
/// costs alone. Each answer gets a certificate, which is verified at once by rules that share nothing with the search. After any end
/// the same command goes on where it was.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    /// Numbers of spots, as in 14, 2..62 or 2..35,40,41
    #[arg(value_name = "SPOTS", required = true)]
    spots: Vec<Series>,
    /// Leave these out: numbers, or a residue as in 0mod3 or 0mod3:34..
    #[arg(long, value_name = "SPOTS")]
    skip: Vec<Skip>,
    /// Folder of the database; it is made where there is none
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// Misère play
    #[arg(long)]
    misere: bool,
    /// Folder of the certificates and of the journal [default: DIR.certificates]
    #[arg(long, value_name = "DIR", conflicts_with = "no_certificates")]
    certificates: Option<PathBuf>,
    /// Solve only
    #[arg(long)]
    no_certificates: bool,
    /// Look for a smaller certificate of each position for this long, as in 30s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "0s")]
    minimize: Duration,
    /// Leave a position open after this time, and go on with the next
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    /// End after this time; the certificate of the last answer is still written, without looking for a smaller one
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// What other work of this machine it makes way for
    #[arg(long, value_name = "PRIORITY", value_enum, default_value = "idle")]
    priority: Priority,
    /// Only show which positions it has, and which are missing in the chain
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    format: Format,
}

/// Which other work of the machine goes first.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Priority {
    /// All other work
    Idle,
    /// None
    Normal,
}

impl Run {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = Series::plan(&self.spots, &self.skip);
        ensure!(!plan.is_empty(), "nothing is left to solve; leave out less with --skip");
        let play = if self.misere { Play::Misere } else { Play::Normal };
        let gaps = crate::campaign::gaps(&plan, &self.skip, &self.db, play);
        if self.list {
            return crate::campaign::list(&plan, &gaps, &self.format);
        }
        if self.priority == Priority::Idle {
            crate::campaign::make_way();
        }
        let folder = self.certificates.unwrap_or_else(|| {
            let mut folder = self.db.clone().into_os_string();
            folder.push(".certificates");
            folder.into()
        });
        let proofs = Proofs { minimize: self.minimize, wanted: !self.no_certificates };
        Campaign {
            gaps,
            plan,
            misere: self.misere,
            db: self.db,
            folder,
            proofs,
            budget: self.budget,
            time: self.time,
            bounds: self.bounds,
            json: self.format.json,
        }
        .run()
    }
}
