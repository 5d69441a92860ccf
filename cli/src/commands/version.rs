//! `sprig version`: the versions that this build understands.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_proto::Build;

use crate::output::{self, Answer, Format};

const EXAMPLES: &str = "\
Examples:
  sprig version
  sprig version --json                   for programs";

/// Print the versions of the program and of what it reads, writes and speaks
///
/// Programs of the same protocol and canonical form work together; a database or certificate of a newer version is refused.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Version {
    #[command(flatten)]
    format: Format,
}

/// Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Versions {
    /// Version of the program.
    program: &'static str,
    /// What it was built for.
    platform: String,
    /// The newest version of the messages that it speaks.
    protocol: u32,
    /// The oldest that it understands.
    protocol_from: u32,
    canonical: u32,
    /// None in a program without a database.
    store: Option<u32>,
    /// Version of certificates.
    certificate: u32,
}

impl Answer for Versions {
    fn text(&self) -> String {
        let Self { program, platform, protocol, protocol_from, canonical, store, certificate } =
            self;
        let protocol = sprig_proto::Versions { oldest: *protocol_from, newest: *protocol };
        let store =
            store.map_or_else(|| "none, this is a worker and client".to_owned(), |v| v.to_string());
        format!(
            "program         sprig {program} ({platform})\nprotocol        {protocol}\n\
             canonical form  {canonical}\ndatabase        {store}\ncertificate     {certificate}\n"
        )
    }

    fn line(&self) -> String {
        self.program.to_owned()
    }
}

impl Version {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let Build { protocol, canonical, .. } = Build::here();
        #[cfg(feature = "coordinator")]
        let store = Some(sprig_store::FORMAT_VERSION);
        #[cfg(not(feature = "coordinator"))]
        let store = None;
        let versions = Versions {
            program: env!("CARGO_PKG_VERSION"),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            protocol: protocol.newest,
            protocol_from: protocol.oldest,
            canonical,
            store,
            certificate: sprig_certificate::FORMAT_VERSION,
        };
        output::answer(&self.format, &versions)
    }
}
