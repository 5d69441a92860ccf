//! `sprig token`: lets somebody in by a secret.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;
use sprig_coordinator::access::{Tokens, hash_of, is_name};
use sprig_proto::Role;

use crate::output::{self, Answer, Format};
use crate::secrets::{self, Guarded};
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  sprig token worker node-7 --tokens tokens --out node-7.token
  sprig token --list --tokens tokens                 who may come in, and as what
  sprig coordinator --db facts --tokens tokens       on this machine; elsewhere with --tls-cert and --tls-key
  sprig worker --token-file node-7.token";

/// Make a token for a client, and let it in; or list whom the tokens let in
///
/// The secret goes to a file of its own that only you can read, its hash to the coordinator's file of tokens. To take a
/// token back, remove its line. The coordinator reads the file when it starts, and again on SIGHUP. A list shows the
/// beginning of each hash, so that the line can be found; nobody can come in with that.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct MakeToken {
    /// What the client may do: read, submit, worker, follower or admin
    #[arg(required_unless_present = "list")]
    role: Option<Role>,
    /// Name of the client, by which its facts are signed
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// List the names and roles in the file of tokens
    #[arg(long, conflicts_with_all = ["role", "name", "out"])]
    list: bool,
    /// The coordinator's file of tokens; it is made where there is none
    #[arg(long, value_name = "FILE")]
    tokens: PathBuf,
    /// File for the secret; it must not be there yet
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Made {
    /// The role that it gives.
    role: &'static str,
    name: String,
    /// The file that lets tokens in; or those it lets in.
    tokens: PathBuf,
    /// The file with the token.
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

/// Whom the tokens let in.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Listed {
    /// The file that lets tokens in; or those it lets in.
    tokens: Vec<Row>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Row {
    name: String,
    /// The role that it gives.
    role: &'static str,
    /// The beginning of the hash.
    hash: String,
}

impl Answer for Listed {
    fn text(&self) -> String {
        let rows = self.tokens.iter().map(|Row { name, role, hash }| {
            [name.clone(), (*role).to_owned(), format!("{hash}..")]
        });
        table(["NAME", "ROLE", "HASH"], &["HASH"], rows)
    }

    fn line(&self) -> String {
        format!("{} tokens", self.tokens.len())
    }
}

impl MakeToken {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let Self { role, name, tokens, out, format, .. } = self;
        let (Some(role), Some(name), Some(out)) = (role, name, out) else {
            return list(&tokens, &format);
        };
        ensure!(is_name(&name), "`{name}` is no name for a client: small letters, digits and `-`");
        if tokens.exists() {
            read(&tokens)?;
        }
        let token = random()?;
        secrets::create(&out, &format!("{token}\n"), Guarded::Secret)?;
        secrets::append(&tokens, &format!("{role} {name} {}\n", hash_of(&token)))?;
        output::answer(&format, &Made { role: role.name(), name, tokens, out })
    }
}

fn list(tokens: &Path, format: &Format) -> anyhow::Result<ExitCode> {
    let tokens = read(tokens)?;
    let rows = tokens.list().map(|(role, name, hash)| {
        let (name, role) = (name.to_owned(), role.name());
        Row { name, role, hash }
    });
    output::answer(format, &Listed { tokens: rows.collect() })
}

/// The tokens of a file that nobody else may change.
fn read(tokens: &Path) -> anyhow::Result<Tokens> {
    let text = secrets::read(tokens, Guarded::Trusted)?;
    Tokens::parse(&text).with_context(|| format!("{} is no file of tokens", tokens.display()))
}

/// 256 bits of the system's, in hexadecimal digits.
fn random() -> anyhow::Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|e| anyhow::anyhow!("no random numbers: {e}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
