//! Clusters whose workers prove their names.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, ensure};
use sprig_proto::{Access, Token};
use tokio::process::Command;

/// A folder with a token for each name, and the coordinator's file of them.
#[derive(Clone, Debug)]
pub struct Tokens(PathBuf);

/// The name that submits jobs and asks.
const CLIENT: &str = "client";
/// The name that may ask, and nothing else.
pub const READER: &str = "reader";

impl Tokens {
    /// Makes tokens for workers with these names, for a client, and for one client that may only
    /// read.
    ///
    /// # Errors
    /// When `sprig token` fails.
    pub async fn make(sprig: &Path, folder: &Path, workers: &[String]) -> anyhow::Result<Self> {
        let tokens = Self(folder.to_owned());
        let people = workers.iter().map(|name| ("worker", name.as_str()));
        for (role, name) in people.chain([("admin", CLIENT), ("read", READER)]) {
            let mut command = Command::new(sprig);
            command.args(["token", role, name, "--tokens"]).arg(tokens.file());
            command.arg("--out").arg(tokens.of(name)).stdin(Stdio::null());
            let output = command.output().await.context("cannot start sprig token")?;
            ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(tokens)
    }

    /// The tokens that are in a folder already.
    #[must_use]
    pub fn there(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// The coordinator's file.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.0.join("tokens")
    }

    /// The file with the token of this name.
    #[must_use]
    pub fn of(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.token"))
    }

    /// The access that this name has.
    ///
    /// # Errors
    /// When it has no token.
    pub fn access(&self, name: &str) -> anyhow::Result<Access> {
        let text = std::fs::read_to_string(self.of(name)).context("a token")?;
        Ok(Access { token: Some(Token::new(text.trim())?), ..Access::default() })
    }

    /// The access that the client has.
    ///
    /// # Errors
    /// When it has no token.
    pub fn client(&self) -> anyhow::Result<Access> {
        self.access(CLIENT)
    }
}
