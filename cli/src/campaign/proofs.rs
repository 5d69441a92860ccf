//! The certificate of a solved position: found, written, and verified by processes of their own.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use serde::Deserialize;

use super::journal::Certified;
use crate::seal;

/// Which proofs a campaign makes.
pub struct Proofs {
    /// How long to look for smaller ones.
    pub minimize: Duration,
    /// Whether any are made.
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
    /// Makes the certificate of the start position with `spots` spots from the facts in `db`, and has it verified.
    ///
    /// Both are done by the commands that people use, in processes of their own: what they need of memory is free again
    /// afterwards, and what happens to them does not happen to the search.
    ///
    /// # Errors
    /// What the commands say when they fail.
    pub fn make(
        &self,
        spots: u16,
        misere: bool,
        db: &Path,
        folder: &Path,
    ) -> anyhow::Result<Certified> {
        let file = format!("{spots}{}.cert", if misere { ".misere" } else { "" });
        let path = folder.join(&file);
        let mut certify = sprig()?;
        certify.args(["certify", &format!("0*{spots}"), "--json", "--db"]).arg(db);
        certify.arg("--output").arg(&path);
        certify.arg("--minimize").arg(format!("{}s", self.minimize.as_secs()));
        if misere {
            certify.arg("--misere");
        }
        let Written { facts, bytes, seconds } = answer_of(certify, "sprig certify")?;
        let mut verify = sprig()?;
        verify.args(["verify", "--json"]).arg(&path);
        let Verified { verified, seconds: verify_seconds } = answer_of(verify, "sprig verify")?;
        if !verified {
            bail!("{} is not verified", path.display());
        }
        Ok(Certified { file, facts, bytes, seconds, verify_seconds })
    }
}

/// This program, with the same key.
fn sprig() -> anyhow::Result<Command> {
    let mut sprig = Command::new(std::env::current_exe().context("cannot find this program")?);
    seal::hand_on(&mut sprig);
    Ok(sprig)
}

/// Runs a command and reads the JSON object that it prints.
fn answer_of<T: for<'a> Deserialize<'a>>(mut command: Command, name: &str) -> anyhow::Result<T> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start `{name}`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.lines().last().unwrap_or("it said nothing");
        bail!("`{name}` ended with {}: {reason}", output.status);
    }
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("`{name}` printed something else than its answer"))
}
