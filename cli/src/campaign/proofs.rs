//! The certificate of a solved position. Processes of their own find, write and verify it.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, bail};
use rustix::process::Signal;
use serde::Deserialize;
use tokio::time::Instant;

use super::journal::Certified;
use crate::embedded::Embedded;
use crate::failure::{INTERRUPTED, Interrupted};
use crate::seal;

/// Which proofs a campaign makes.
pub struct Proofs {
    /// How long to look for smaller proofs.
    pub minimize: Duration,
    /// Whether any proofs are made.
    pub wanted: bool,
}

/// What `sprig certify --json` says.
#[derive(Deserialize)]
struct Written {
    facts: u64,
    bytes: u64,
    seconds: f64,
}

/// What `sprig verify --json` says.
#[derive(Deserialize)]
struct Verified {
    verified: bool,
    seconds: f64,
}

impl Proofs {
    /// Makes the certificate of the start position with `spots` spots from the facts in `db`, and
    /// has it verified. From `end` on, it does not look for a smaller one.
    ///
    /// The commands that people use do both, in processes of their own. So their memory is free
    /// again afterwards, and a failure of theirs does not end the search.
    ///
    /// # Errors
    /// What the commands say when they fail, and [`Interrupted`] when a person wants the campaign
    /// to end.
    pub fn make(
        &self,
        cluster: &mut Embedded,
        spots: u16,
        misere: bool,
        db: &Path,
        folder: &Path,
        end: Option<Instant>,
    ) -> anyhow::Result<Certified> {
        let file = format!("{spots}{}.cert", if misere { ".misere" } else { "" });
        let path = folder.join(&file);
        let mut certify = sprig()?;
        certify.args(["certify", &format!("0*{spots}"), "--json", "--db"]).arg(db);
        certify.arg("--output").arg(&path);
        certify.arg("--minimize").arg(format!("{}s", self.time_until(end).as_secs()));
        certify.args(["--bound", "0s"]);
        if misere {
            certify.arg("--misere");
        }
        let Written { facts, bytes, seconds } = answer_of(cluster, certify, "sprig certify")?;
        let mut verify = sprig()?;
        verify.args(["verify", "--json"]).arg(&path);
        let Verified { verified, seconds: verify_seconds } =
            answer_of(cluster, verify, "sprig verify")?;
        if !verified {
            bail!("{} is not verified", path.display());
        }
        Ok(Certified { file, facts, bytes, seconds, verify_seconds })
    }

    /// How long to look for a smaller proof if the campaign is to end then. The first proof is made
    /// in any case: without it the answer would have to wait for the next campaign.
    fn time_until(&self, end: Option<Instant>) -> Duration {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        left.map_or(self.minimize, |left| left.min(self.minimize))
    }
}

/// This program as a command, with the same seal key.
fn sprig() -> anyhow::Result<Command> {
    let mut sprig = Command::new(std::env::current_exe().context("cannot find this program")?);
    seal::hand_on(&mut sprig);
    Ok(sprig)
}

/// Whether a process ended because of a signal meant for the whole campaign. A terminal,
/// `timeout` and a supervisor signal all processes of a group at once.
fn was_interrupted(status: ExitStatus) -> bool {
    let signals = [Signal::INT, Signal::TERM, Signal::HUP].map(Signal::as_raw);
    status.code() == Some(INTERRUPTED.into())
        || status.signal().is_some_and(|signal| signals.contains(&signal))
}

/// Runs a command and reads the JSON object that it prints.
fn answer_of<T: for<'a> Deserialize<'a>>(
    cluster: &mut Embedded,
    command: Command,
    name: &str,
) -> anyhow::Result<T> {
    let output = cluster.run(command).with_context(|| format!("cannot start `{name}`"))?;
    let Some(output) = output.filter(|output| !was_interrupted(output.status)) else {
        let message = format!("`{name}` was ended; the same command goes on");
        return Err(Interrupted::new(message).into());
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.lines().last().unwrap_or("it said nothing");
        bail!("`{name}` ended with {}: {reason}", output.status);
    }
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("`{name}` printed something else than its answer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_smaller_proof_is_looked_for_when_the_time_is_over() {
        let proofs = Proofs { minimize: Duration::from_secs(600), wanted: true };
        assert_eq!(proofs.time_until(None), proofs.minimize);
        let now = Instant::now();
        assert_eq!(proofs.time_until(Some(now)), Duration::ZERO);
        let minute = Duration::from_secs(60);
        assert!((Duration::from_secs(1)..=minute).contains(&proofs.time_until(Some(now + minute))));
        assert_eq!(proofs.time_until(Some(now + 60 * minute)), proofs.minimize);
    }

    #[test]
    fn an_end_from_outside_is_no_failure_of_the_proof() {
        let killed = |signal| was_interrupted(ExitStatus::from_raw(signal));
        assert!([1, 2, 15].into_iter().all(killed));
        // These signals come from a lack of memory, or from a bug.
        assert!(![6, 9, 11].into_iter().any(killed));
        let exited = |code: i32| was_interrupted(ExitStatus::from_raw(code << 8));
        assert!(exited(130) && ![0, 1, 2].into_iter().any(exited));
    }
}
