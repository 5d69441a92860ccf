//! `sprig invite`: one file with which a stranger's worker connects.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_proto::Role;

use super::token::let_in;
use crate::connect;
use crate::failure::Usage;
use crate::invitation::Invitation;
use crate::output::{self, Answer, Format};
use crate::protection::read_tokens;
use crate::secrets::{self, Guarded};

const EXAMPLES: &str = "\
Examples:
  sprig invite ann --tokens tokens --coordinator https://sprig.example:7425 --tls-ca tls/ca.pem --out ann.invitation
  kill -HUP $(pidof sprig)                           the coordinator reads its tokens again
  sprig worker --invitation ann.invitation           where Ann is
  sprig credit --db facts                            what she has found
  sprig token --revoke ann --tokens tokens           takes it back";

/// Invite a volunteer: one file with all that a worker needs to come in
///
/// It holds the address of the coordinator, the certificate of its authority, and a token of the role worker: its holder can report
/// facts in this name, which are checked before anything is answered from them, and can neither read nor order anything. Send it
/// over a way that no one else can read. The coordinator lets the worker in when it has read its tokens again (SIGHUP).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Invite {
    /// Name of the volunteer, by which facts are signed and credited
    name: String,
    /// The coordinator's file of tokens; it is made where there is none
    #[arg(long, value_name = "FILE", env = "SPRIG_TOKENS")]
    tokens: PathBuf,
    /// Address of the coordinator, as the volunteer reaches it; several with commas
    #[arg(
        long = "coordinator",
        value_name = "URL",
        env = "SPRIG_COORDINATOR",
        value_delimiter = ','
    )]
    coordinator: Vec<String>,
    /// Certificates of the authority that vouches for the coordinator
    #[arg(long, value_name = "FILE", env = "SPRIG_TLS_CA")]
    tls_ca: Option<PathBuf>,
    /// Most workers that may work in this name at once
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u32).range(1..))]
    workers: u32,
    /// Address where newer programs are found; a worker that is too old says it
    #[arg(long, value_name = "URL")]
    update: Option<String>,
    /// File for the invitation; it must not be there yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Invited {
    name: String,
    /// Workers that may connect with it at once.
    workers: u32,
    /// The file that lets it in.
    tokens: PathBuf,
    /// The file to give away.
    invitation: PathBuf,
}

impl Answer for Invited {
    fn text(&self) -> String {
        let Self { name, workers, tokens, invitation } = self;
        let (invitation, tokens) = (invitation.display(), tokens.display());
        let workers = plural(*workers, "worker");
        format!(
            "{name} may come in with {workers} at once, by {invitation}: `sprig worker --invitation {invitation}`\n\
             The coordinator knows it when it has read {tokens} again (SIGHUP).\n"
        )
    }

    fn line(&self) -> String {
        format!("{} is invited by {}", self.name, self.invitation.display())
    }
}

impl Invite {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let Self { name, tokens, coordinator, tls_ca, workers, update, out, format } = self;
        if coordinator.is_empty() {
            let text =
                "say where the volunteer finds the coordinator: --coordinator https://NAME:7425";
            return Err(Usage(text.to_owned()).into());
        }
        let authority =
            tls_ca.as_ref().map(|path| secrets::read(path, Guarded::Trusted)).transpose()?;
        let access = sprig_proto::Access {
            tls: authority.clone().map(|authority| sprig_proto::ClientTls { authority, own: None }),
            // The real secret is made last, when everything else is known to fit.
            token: Some(sprig_proto::Token::new(&"0".repeat(64))?),
            ..sprig_proto::Access::default()
        };
        let mut urls = Vec::new();
        for url in &coordinator {
            let url = connect::address(url.trim(), authority.is_some())?;
            // This refuses texts that are no addresses, and addresses where a token would be sent
            // in the open.
            access.endpoint(&url)?;
            urls.push(url);
        }
        if tokens.exists() {
            ensure!(
                !read_tokens(&tokens)?.has(&name),
                "{name} has a token already: take another name, or `sprig token --revoke {name} --tokens {}` first",
                tokens.display()
            );
        }
        let fresh = let_in(&tokens, Role::Worker, &name, Some(workers))?;
        let invitation = Invitation::new(&name, urls, &fresh.token, authority, update);
        secrets::create(&out, &invitation.text(), Guarded::Secret)?;
        fresh.admit()?;
        output::answer(&format, &Invited { name, workers, tokens, invitation: out })
    }
}
