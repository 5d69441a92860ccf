//! `sprig certificate`: a proof as a text to read, and as a file to keep.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::Serialize;
use sprig_certificate::{Form, Header, Play};

use crate::certificate::Certificate;
use crate::draft;
use crate::failure::Usage;
use crate::output::{self, Answer, Format};

const EXAMPLES: &str = "\
Examples:
  sprig certificate text 14.cert         the facts of a proof, a line each
  sprig certificate text 14.cert -o 14.txt
  sprig certificate pack 14.txt -o 14.cert
                                         the same compressed, as `zcat` opens it
  sprig certificate pack old.cert -o old.cert
                                         a file of an earlier version as one of today
  sprig certificate text 14.cert --json  for programs, with the text";

const TEXT: &str = "\
Examples:
  sprig certificate text 14.cert | less
  sprig certificate text 14.cert -o 14.txt";

const PACK: &str = "\
Examples:
  sprig certificate pack 14.txt -o 14.cert
  zcat 14.cert | sprig certificate pack - -o again.cert";

/// Turn certificates into text and back: text, pack
///
/// Nothing is proved by this: `sprig verify` checks certificates. A file that is damaged or not
/// complete is refused, and a line that is no fact is named.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct OfCertificate {
    #[command(subcommand)]
    deed: Deed,
}

#[derive(Subcommand)]
enum Deed {
    /// Write the text of a certificate
    #[command(after_help = TEXT)]
    Text(Rewrite),
    /// Write a certificate compressed by gzip: a text, or a file of any version
    #[command(after_help = PACK)]
    Pack(Rewrite),
}

#[derive(Args)]
struct Rewrite {
    /// The certificate; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file to write; `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    format: Format,
}

/// What was written. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Written {
    game: &'static str,
    play: String,
    /// In misère play.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    position: String,
    claim: String,
    facts: u64,
    bytes: usize,
    /// Without a file to write it to.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The play, for people.
    #[serde(skip)]
    played: &'static str,
}

impl Answer for Written {
    fn text(&self) -> String {
        let Self { position, claim, played, facts, bytes, .. } = self;
        format!(
            "claims      `{position}`: {claim}, {played} play\nfacts       {facts}\nbytes       {bytes}\n"
        )
    }

    fn line(&self) -> String {
        format!("{} {}", self.claim, self.facts)
    }
}

impl OfCertificate {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (Rewrite { file, output, format }, form) = match self.deed {
            Deed::Text(how) => (how, Form::Text),
            Deed::Pack(how) => (how, Form::Gzip),
        };
        let to_output = output == Path::new("-");
        if to_output && form == Form::Gzip && (format.json || std::io::stdout().is_terminal()) {
            let where_to = "a packed certificate goes into a file or a pipe; name a file with -o";
            return Err(Usage(where_to.to_owned()).into());
        }
        let certificate = Certificate::read(&file)?;
        let bytes = certificate.written(form)?;
        let mut written = Written::new(certificate.header(), bytes.len());
        if !to_output {
            draft::write(&output, &bytes)?;
        } else if format.json {
            written.text = Some(String::from_utf8(bytes)?);
        } else {
            output::print(&bytes)?;
            return Ok(ExitCode::SUCCESS);
        }
        output::answer(&format, &written)
    }
}

impl Written {
    fn new(header: &Header, bytes: usize) -> Self {
        let Header { game, play, position, claim, facts } = header;
        let base = match play {
            Play::Normal => None,
            Play::Misere { base } => Some(base.to_string()),
        };
        Self {
            game: game.name(),
            play: play.to_string(),
            base,
            position: position.to_string(),
            claim: claim.to_string(),
            facts: *facts,
            bytes,
            text: None,
            played: play.word(),
        }
    }
}
