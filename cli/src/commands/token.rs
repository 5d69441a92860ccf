//! `sprig token`: lets a client in by a secret.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_coordinator::access::{hash_of, is_name};
use sprig_proto::Role;

use crate::output::{self, Answer, Format};
use crate::protection::read_tokens;
use crate::secrets::{self, Guarded};
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  sprig token worker node-7 --tokens tokens --out node-7.token
  sprig token --list --tokens tokens                 who may come in, and as what
  sprig token --revoke node-7 --tokens tokens        nobody comes in by this name any more, once the coordinator has had SIGHUP
  sprig coordinator --db facts --tokens tokens       on this machine; elsewhere with --tls-cert and --tls-key
  sprig worker --token-file node-7.token";

/// Make a token for a client, and let it in; list whom the tokens let in; or take tokens back
///
/// The secret goes to a file of its own that only you can read, its hash to the coordinator's file of tokens. To take a
/// token back, remove its line (--revoke). The coordinator reads the file when it starts, and again on SIGHUP. A list shows the
/// beginning of each hash, so that the line can be found; it opens nothing.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct MakeToken {
    /// What the client may do: read, submit, worker, follower or admin
    #[arg(required_unless_present_any = ["list", "revoke"])]
    role: Option<Role>,
    /// Name of the client, by which its facts are signed
    #[arg(required_unless_present_any = ["list", "revoke"])]
    name: Option<String>,
    /// List the names and roles in the file of tokens
    #[arg(long, conflicts_with_all = ["role", "name", "out"])]
    list: bool,
    /// Take back all tokens of a name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["role", "name", "out", "list"])]
    revoke: Option<String>,
    /// Most workers that may work in this name at once [default: as many as come]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    workers: Option<u32>,
    /// The coordinator's file of tokens; it is made where there is none
    #[arg(long, value_name = "FILE")]
    tokens: PathBuf,
    /// File for the secret; it must not be there yet
    #[arg(long, value_name = "FILE", required_unless_present_any = ["list", "revoke"])]
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
        plural(self.tokens.len(), "token")
    }
}

impl MakeToken {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let Self { role, name, tokens, out, format, workers, revoke, .. } = self;
        if let Some(name) = revoke {
            return output::answer(&format, &take_back(&tokens, name)?);
        }
        let (Some(role), Some(name), Some(out)) = (role, name, out) else {
            return list(&tokens, &format);
        };
        let secret = let_in(&tokens, role, &name, workers)?;
        secrets::create(&out, &format!("{}\n", secret.token), Guarded::Secret)?;
        secret.admit()?;
        output::answer(&format, &Made { role: role.name(), name, tokens, out })
    }
}

/// A new token, which does not let anyone in before [`Fresh::admit`].
pub struct Fresh<'a> {
    /// The secret text of the token.
    pub token: String,
    tokens: &'a Path,
    line: String,
}

impl Fresh<'_> {
    /// Adds the token to the file of tokens. The secret must be stored before, as a line without it
    /// would be of no use.
    ///
    /// # Errors
    /// When the file of tokens cannot be written.
    pub fn admit(self) -> anyhow::Result<()> {
        secrets::append(self.tokens, &self.line)
    }
}

/// Makes a token for a name.
///
/// # Errors
/// When the text is no name, the file of tokens is none, or the system has no random numbers.
pub fn let_in<'a>(
    tokens: &'a Path,
    role: Role,
    name: &str,
    workers: Option<u32>,
) -> anyhow::Result<Fresh<'a>> {
    ensure!(is_name(name), "`{name}` is no name for a client: small letters, digits and `-`");
    ensure!(
        workers.is_none() || role == Role::Worker,
        "--workers bounds workers, and {name} would be {role}"
    );
    if tokens.exists() {
        read_tokens(tokens)?;
    }
    let token = random()?;
    let quota = workers.map_or_else(String::new, |most| format!(" workers={most}"));
    let line = format!("{role} {name} {}{quota}\n", hash_of(&token));
    Ok(Fresh { token, tokens, line })
}

/// Tokens that were taken back.
#[derive(Serialize, schemars::JsonSchema)]
pub struct TakenBack {
    name: String,
    /// The file that let them in.
    tokens: PathBuf,
    /// How many tokens.
    removed: usize,
}

impl Answer for TakenBack {
    fn line(&self) -> String {
        let Self { name, removed, tokens } = self;
        let tokens = tokens.display();
        let removed = match removed {
            1 => "the token".to_owned(),
            more => format!("all {more} tokens"),
        };
        format!("{removed} of {name} went out of {tokens}; SIGHUP tells the coordinator")
    }
}

fn take_back(tokens: &Path, name: String) -> anyhow::Result<TakenBack> {
    read_tokens(tokens)?;
    let text = secrets::read(tokens, Guarded::Trusted)?;
    let is_of = |line: &&str| {
        let mut words = line.split_whitespace();
        !line.trim_start().starts_with('#') && words.nth(1) == Some(&name)
    };
    let removed = text.lines().filter(is_of).count();
    ensure!(
        removed > 0,
        "nobody has the name `{name}` in {}; `--list` shows who has which",
        tokens.display()
    );
    let kept: String =
        text.lines().filter(|line| !is_of(line)).map(|line| format!("{line}\n")).collect();
    // The file gets its name when it is complete. It keeps the owner and the permissions of the old
    // one: an administrator takes tokens back that a service reads.
    let mut draft = tokens.as_os_str().to_owned();
    draft.push(".new");
    let draft = PathBuf::from(draft);
    let replaced = || {
        std::fs::write(&draft, kept)?;
        let old = std::fs::metadata(tokens)?;
        std::os::unix::fs::chown(&draft, Some(old.uid()), Some(old.gid()))?;
        std::fs::set_permissions(&draft, old.permissions())?;
        std::fs::File::open(&draft)?.sync_all()?;
        std::fs::rename(&draft, tokens)
    };
    replaced().with_context(|| format!("cannot change {}", tokens.display()))?;
    Ok(TakenBack { name, tokens: tokens.to_owned(), removed })
}

fn list(tokens: &Path, format: &Format) -> anyhow::Result<ExitCode> {
    let tokens = read_tokens(tokens)?;
    let rows = tokens.list().map(|(role, name, hash)| {
        let (name, role) = (name.to_owned(), role.name());
        Row { name, role, hash }
    });
    output::answer(format, &Listed { tokens: rows.collect() })
}

/// 256 random bits from the system, in hexadecimal digits.
fn random() -> anyhow::Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|e| anyhow::anyhow!("no random numbers: {e}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
