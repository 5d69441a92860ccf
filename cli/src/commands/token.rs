//! `sprig token`: lets somebody in by a secret.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;
use sprig_coordinator::access::{Tokens, hash_of, is_name};
use sprig_proto::Role;

use crate::output::{self, Answer, Format};
use crate::secrets::{self, Guarded};

const EXAMPLES: &str = "\
Examples:
  sprig token worker node-7 --tokens tokens --out node-7.token
  sprig coordinator --db facts --tokens tokens       on this machine; elsewhere with --tls-cert and --tls-key
  sprig worker --token-file node-7.token";

/// Make a token for a client, and let it in
///
/// The secret goes to a file of its own that only you can read, its hash to the coordinator's file of tokens. To take a
/// token back, remove its line. The coordinator reads the file when it starts.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct MakeToken {
    /// What the client may do: read, submit, worker or admin
    role: Role,
    /// Name of the client, by which its facts are signed
    name: String,
    /// The coordinator's file of tokens; it is made where there is none
    #[arg(long, value_name = "FILE")]
    tokens: PathBuf,
    /// File for the secret; it must not be there yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct Made {
    role: &'static str,
    name: String,
    tokens: PathBuf,
    out: PathBuf,
}

impl Answer for Made {
    fn line(&self) -> String {
        format!(
            "{} may come in as {}: its token is in {}",
            self.name,
            self.role,
            self.out.display()
        )
    }
}

impl MakeToken {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        ensure!(
            is_name(&self.name),
            "`{}` is no name for a client: small letters, digits and `-`",
            self.name
        );
        if self.tokens.exists() {
            let text = secrets::read(&self.tokens, Guarded::Trusted)?;
            let wrong = || format!("{} is no file of tokens", self.tokens.display());
            Tokens::parse(&text).with_context(wrong)?;
        }
        let token = random()?;
        secrets::create(&self.out, &format!("{token}\n"), Guarded::Secret)?;
        let line = format!("{} {} {}\n", self.role, self.name, hash_of(&token));
        secrets::append(&self.tokens, &line)?;
        let Self { role, name, tokens, out, format } = self;
        output::answer(&format, &Made { role: role.name(), name, tokens, out })
    }
}

/// 256 bits of the system's, in hexadecimal digits.
fn random() -> anyhow::Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|e| anyhow::anyhow!("no random numbers: {e}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
