//! The certificates and tokens of a coordinator, and the certificate of this machine.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use clap::Args;
use sprig_ask::plural;
use sprig_coordinator::access::ServerTls;

use super::Finding;
use crate::protection::read_tokens;
use crate::secrets::{self, Guarded};
use crate::x509::Certificate;

/// Days before its end when a certificate should be renewed.
const SOON: i64 = 30;

/// The heading of these options in the help.
const HEADING: &str = "Files of a coordinator";

/// The files of a coordinator
#[derive(Args)]
pub struct Files {
    /// Its certificate
    #[arg(help_heading = HEADING, long, value_name = "FILE", env = "SPRIG_SERVER_CERT")]
    server_cert: Option<PathBuf>,
    /// The key of its certificate
    #[arg(help_heading = HEADING, long, value_name = "FILE", env = "SPRIG_SERVER_KEY")]
    server_key: Option<PathBuf>,
    /// Certificates of the authority that vouches for clients
    #[arg(help_heading = HEADING, long, value_name = "FILE", env = "SPRIG_CLIENT_CA")]
    client_ca: Option<PathBuf>,
    /// Its file of tokens
    #[arg(help_heading = HEADING, long, value_name = "FILE", env = "SPRIG_TOKENS")]
    tokens: Option<PathBuf>,
}

/// Looks at the files that are named. `own` are the certificates by which this machine gets in.
pub fn files(files: &Files, own: &[&Path]) -> Vec<Finding> {
    let Files { server_cert, server_key, client_ca, tokens } = files;
    let mut findings = Vec::new();
    let certificates = server_cert.iter().chain(client_ca).map(PathBuf::as_path);
    findings.extend(certificates.chain(own.iter().copied()).map(certificate));
    findings.extend(server_key.iter().map(|path| key(path, server_cert.as_deref())));
    findings.extend(tokens.iter().map(|path| token_file(path)));
    findings
}

fn certificate(path: &Path) -> Finding {
    let read = || {
        let text = secrets::read(path, Guarded::Trusted)?;
        Certificate::read(&text).with_context(|| format!("cannot read {}", path.display()))
    };
    let certificate = match read() {
        Ok(certificate) => certificate,
        Err(error) => {
            return Finding::error(
                "certificate",
                &error,
                "name a certificate in PEM form that is there (`sprig certs DIR` makes one)",
            );
        }
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let days = certificate.days_left(i64::try_from(now).unwrap_or(i64::MAX));
    let names = certificate.names.join(", ");
    let names = if names.is_empty() { String::new() } else { format!(" for {names}") };
    let shown = path.display();
    let remedy = "make a new one (`sprig certs DIR --renew`), and send the coordinator SIGHUP";
    match days {
        ..0 => Finding::bad(
            "certificate",
            format!("{shown}{names} ended {} ago", plural(-days, "day")),
            remedy,
        ),
        0..SOON => Finding::warning(
            "certificate",
            format!("{shown}{names} ends in {}", plural(days, "day")),
            remedy,
        ),
        _ => Finding::good(
            "certificate",
            format!("{shown}{names} holds for {}", plural(days, "day")),
        ),
    }
}

/// The key of a coordinator. Whether it belongs to the certificate is seen in the way in which the
/// coordinator sees it when it starts. A certificate that cannot be read has its own finding.
fn key(path: &Path, certificate: Option<&Path>) -> Finding {
    let text = match secrets::read(path, Guarded::Secret) {
        Ok(text) => text,
        Err(error) => {
            return Finding::error(
                "key",
                &error,
                "name the key that belongs to the certificate, and let its owner alone read it (`chmod 600`)",
            );
        }
    };
    let shown = path.display();
    let readable = format!("{shown} can be read by its owner alone");
    let certificate =
        certificate.and_then(|path| Some((path, secrets::read(path, Guarded::Trusted).ok()?)));
    let Some((of, certificate)) = certificate.filter(|(_, text)| Certificate::read(text).is_ok())
    else {
        return Finding::good("key", readable);
    };
    let of = of.display();
    match (ServerTls { certificate, key: text, clients: None }).check() {
        Ok(()) => Finding::good("key", format!("{readable}, and belongs to {of}")),
        Err(error) => {
            let error = anyhow::Error::new(error).context(format!("{shown} does not fit {of}"));
            Finding::error("key", &error, "name the key that belongs to the certificate")
        }
    }
}

fn token_file(path: &Path) -> Finding {
    match read_tokens(path) {
        Ok(tokens) if tokens.is_empty() => Finding::warning(
            "tokens",
            format!("{} lets nobody in", path.display()),
            "add a token with `sprig token ROLE NAME --tokens FILE`",
        ),
        Ok(tokens) => {
            Finding::good("tokens", format!("{} lets {} in", path.display(), tokens.len()))
        }
        Err(error) => Finding::error(
            "tokens",
            &error,
            "name the file that the coordinator reads (`sprig token ROLE NAME --tokens FILE` makes one)",
        ),
    }
}
