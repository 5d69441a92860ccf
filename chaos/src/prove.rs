//! Certificates of what a database holds, made and checked by the program itself.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use anyhow::{Context, ensure};
use sprig_store::Secret;
use tokio::process::Command;

use crate::start::Start;

/// Makes certificates, and keeps them until they are checked: those on the same base are checked in
/// one go.
#[derive(Debug)]
pub struct Prover {
    sprig: PathBuf,
    folder: tempfile::TempDir,
    waiting: Vec<(PathBuf, Start)>,
}

/// The file of the seal key of databases in `folder`.
#[must_use]
pub fn seal_key(folder: &Path) -> PathBuf {
    folder.join("seal.key")
}

/// The key itself.
///
/// # Errors
/// When there is none.
pub fn secret(folder: &Path) -> anyhow::Result<Secret> {
    let text = std::fs::read_to_string(seal_key(folder)).context("the seal key")?;
    let digit = |at: usize| u8::from_str_radix(text.get(at..at + 2).unwrap_or_default(), 16);
    let mut bytes = [0; Secret::BYTES];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = digit(2 * at).context("the seal key")?;
    }
    Ok(Secret::new(bytes))
}

/// What a process has said on standard error.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

impl Prover {
    /// A prover that uses this program.
    ///
    /// # Errors
    /// When there is no room for certificates.
    pub fn new(sprig: &Path) -> anyhow::Result<Self> {
        let (sprig, folder) = (sprig.to_owned(), tempfile::tempdir()?);
        Ok(Self { sprig, folder, waiting: Vec::new() })
    }

    async fn run(&self, arguments: &[String], key: &Path) -> anyhow::Result<Output> {
        let mut command = Command::new(&self.sprig);
        command.args(arguments).env("SPRIG_SEAL_KEY", key).env_remove("SPRIG_LOG");
        command.stdin(Stdio::null()).kill_on_drop(true);
        command.output().await.with_context(|| format!("cannot start {}", self.sprig.display()))
    }

    /// Certifies the outcome out of the database in `folder`.
    ///
    /// # Errors
    /// When the database does not prove it.
    pub async fn certify(&mut self, start: Start, folder: &Path) -> anyhow::Result<()> {
        let file = self.folder.path().join(format!("{}.cert", self.waiting.len()));
        let mut arguments = vec!["certify".to_owned()];
        arguments.extend(start.arguments());
        arguments.extend(["--minimize", "0s", "--json", "--db"].map(str::to_owned));
        arguments.push(folder.join("db").to_string_lossy().into_owned());
        arguments.extend(["-o".to_owned(), file.to_string_lossy().into_owned()]);
        let output = self.run(&arguments, &seal_key(folder)).await?;
        ensure!(output.status.success(), "{start} is not certified: {}", said(&output));
        self.waiting.push((file, start));
        Ok(())
    }

    /// Has the certificates that wait checked by the oracle. Returns how many there were.
    ///
    /// # Errors
    /// When one of them proves something else, or nothing.
    pub async fn verify(&mut self) -> anyhow::Result<usize> {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return Ok(0);
        }
        let mut arguments = ["verify", "--json", "--threads", "1"].map(str::to_owned).to_vec();
        arguments.extend(waiting.iter().map(|(file, _)| file.to_string_lossy().into_owned()));
        let output = self.run(&arguments, &seal_key(self.folder.path())).await?;
        ensure!(output.status.success(), "a certificate is not accepted: {}", said(&output));
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        ensure!(lines.lines().count() == waiting.len(), "{} certificates: {lines}", waiting.len());
        for (line, (_, start)) in lines.lines().zip(&waiting) {
            let proved: serde_json::Value = serde_json::from_str(line)?;
            let wanted = [
                ("position", format!("0*{}", start.spots)),
                ("play", start.play().name().to_owned()),
                ("claim", start.outcome().to_string()),
            ];
            for (what, wanted) in wanted {
                ensure!(proved[what] == *wanted, "{what} {wanted} was to be proved: {line}");
            }
        }
        Ok(waiting.len())
    }

    /// How many certificates wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
