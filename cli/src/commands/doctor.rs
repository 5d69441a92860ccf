//! `sprig doctor`: whether everything is in order here, and what to do if not.

#[cfg(feature = "coordinator")]
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::connect::{self, Credentials};
use crate::doctor::{self, Finding, Verdict};
use crate::memory::Bounds;
use crate::output::{self, Answer, Format};

const EXAMPLES: &str = "\
Examples:
  sprig doctor                                       this machine, and the coordinator of SPRIG_COORDINATOR
  sprig doctor --db facts                            and a database, its key, its disk
  sprig doctor --coordinator https://10.0.0.1:7425 --tls-ca ca.pem --token-file node-7.token
  (set -a; . /etc/sprig/worker.env; sprig doctor)    with the settings of a unit; deploy/README.md has the command for a
                                         coordinator's, which runs as the unit's own user";

/// Look whether a deployment is as it should be, and say what to do
///
/// Looks at the clock, limits and memory of this machine; at the way to the coordinator, its version and what it complains of; at the
/// database, its lock, its seal key and its disk; at certificates and tokens. What is not named is not looked at. Changes nothing.
/// Exit code 0: all is good, or there are warnings; 1: something does not work.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Doctor {
    /// Address of the coordinator [default: none is asked]
    #[arg(long = "coordinator", value_name = "URL", env = "SPRIG_COORDINATOR")]
    url: Option<String>,
    /// Folder of a database, or of one that is to be
    #[cfg(feature = "coordinator")]
    #[arg(long, value_name = "DIR", env = "SPRIG_DB")]
    db: Option<PathBuf>,
    #[command(flatten)]
    bounds: Bounds,
    #[cfg(feature = "coordinator")]
    #[command(flatten)]
    files: doctor::Files,
    #[command(flatten)]
    credentials: Credentials,
    #[command(flatten)]
    format: Format,
}

/// All that was seen.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Findings {
    /// The worst of them.
    verdict: Verdict,
    /// What was looked at.
    findings: Vec<Finding>,
}

impl Answer for Findings {
    fn text(&self) -> String {
        let mut text = String::new();
        for Finding { about, verdict, detail, remedy } in &self.findings {
            let word = match verdict {
                Verdict::Good => "good",
                Verdict::Warning => "WARNING",
                Verdict::Bad => "BAD",
            };
            text += &format!("{about:<12} {word:<8} {detail}\n");
            if let Some(remedy) = remedy {
                text += &format!("{:<21} -> {remedy}\n", "");
            }
        }
        text
    }

    fn line(&self) -> String {
        let bad = self.findings.iter().filter(|finding| finding.verdict == Verdict::Bad).count();
        format!("{bad} bad")
    }
}

impl Doctor {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut findings = doctor::machine(&self.bounds);
        #[cfg(feature = "coordinator")]
        {
            findings.extend(self.db.iter().flat_map(|db| doctor::database(db)));
            let own: Vec<_> = self.credentials.certificates().collect();
            findings.extend(doctor::files(&self.files, &own));
        }
        if let Some(urls) = &self.url {
            findings.push(doctor::access(&self.credentials));
            connect::runtime()?.block_on(async {
                for url in urls.split(',').map(str::trim) {
                    findings.extend(doctor::cluster(&self.credentials, url).await);
                }
            });
        }
        let verdict = findings.iter().map(|finding| finding.verdict).max();
        let verdict = verdict.unwrap_or(Verdict::Good);
        output::answer(&self.format, &Findings { verdict, findings })?;
        Ok(if verdict == Verdict::Bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}
