//! What a coordinator asks of its clients, as options of the command line.

use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use sprig_coordinator::access::{ServerTls, Tokens};
use sprig_coordinator::{Protection, ReloadError};

use tracing::{error, info, warn};

use crate::failure::{Usage, escaped};
use crate::health::{self, Holder};
use crate::secrets::{self, Guarded};
use crate::switch::switch;

/// The heading of these options in the help. It stands at each option, as a heading of the whole
/// struct would also apply to the options after it.
const PROTECTION: &str = "Protection (needed off loopback)";

/// Who may come in, and how (docs/security.md)
#[derive(Args)]
pub struct ProtectionFiles {
    /// Certificate of the coordinator; encrypts all connections
    #[arg(help_heading = PROTECTION, long, value_name = "FILE", env = "SPRIG_SERVER_CERT", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Key of the certificate
    #[arg(help_heading = PROTECTION, long, value_name = "FILE", env = "SPRIG_SERVER_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Certificates of the authority that vouches for clients: they come in by certificate
    #[arg(help_heading = PROTECTION, long, value_name = "FILE", env = "SPRIG_CLIENT_CA", requires = "tls_cert")]
    tls_client_ca: Option<PathBuf>,
    /// File of tokens (`sprig token`): clients come in by token
    #[arg(help_heading = PROTECTION, long, value_name = "FILE", env = "SPRIG_TOKENS")]
    tokens: Option<PathBuf>,
    /// Listen off loopback although something of this is missing: the network is ours
    #[arg(help_heading = PROTECTION, long, env = "SPRIG_INSECURE", value_parser = switch)]
    insecure: bool,
    /// Whose options these are, for messages.
    #[arg(skip)]
    side: Side,
}

/// Whose options name the files: what protects is the same, and the options have other names.
#[derive(Clone, Copy, Default)]
enum Side {
    #[default]
    Coordinator,
    Copy,
}

impl Side {
    /// The options that protect.
    fn options(self) -> &'static str {
        match self {
            Self::Coordinator => "--tls-cert, --tls-key and --tls-client-ca or --tokens",
            Self::Copy => "--listen-cert, --listen-key and --listen-client-ca or --listen-tokens",
        }
    }
}

impl ProtectionFiles {
    /// Reads the files.
    ///
    /// # Errors
    /// When a file cannot be read, or others can read or change it that should not.
    pub fn read(&self) -> anyhow::Result<Protection> {
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some(ServerTls {
                certificate: secrets::read(certificate, Guarded::Trusted)?,
                key: secrets::read(key, Guarded::Secret)?,
                clients: match &self.tls_client_ca {
                    Some(authority) => Some(secrets::read(authority, Guarded::Trusted)?),
                    None => None,
                },
            }),
            _ => None,
        };
        let tokens = match &self.tokens {
            Some(path) => Some(read_tokens(path)?),
            None => None,
        };
        Ok(Protection { tls, tokens })
    }

    /// Reads the files again, and lets a running process `exchange` those that it uses. If they
    /// cannot be used, the old ones stay in use, and the log says so.
    pub fn reload(&self, exchange: impl FnOnce(Protection) -> Result<(), ReloadError>) {
        let new = self.read();
        let counts = new.as_ref().ok().map(|new| new.tokens.as_ref().map_or(0, Tokens::len));
        let taken = new.and_then(|new| {
            exchange(new.clone())?;
            uses(&new);
            anyhow::Ok(())
        });
        match taken {
            Ok(()) => info!(tokens = counts, "tokens and certificates were read again"),
            Err(error) => {
                let reason = format!("{error:#}");
                error!(
                    reason,
                    "tokens and certificates were not read again: the old ones count on"
                );
            }
        }
    }

    /// Refuses to listen where strangers could connect, or read the messages.
    ///
    /// # Errors
    /// When other machines can reach `listen`, and `protection` is not enough for that.
    pub fn check(&self, listen: SocketAddr, protection: &Protection) -> anyhow::Result<()> {
        let enough = protection.tls.is_some() && protection.is_closed();
        ensure!(
            self.insecure || enough || listen.ip().is_loopback(),
            "{listen} can be reached from other machines: protect it with {} (`sprig certs` makes the files), listen on 127.0.0.1, or say --insecure if the network is yours",
            self.side.options()
        );
        Ok(())
    }
}

/// The heading of the options of a copy that tells facts.
const COPY: &str = "Telling facts to workers";

/// Where a follower tells workers facts, and who may hear them (docs/security.md)
#[derive(Args)]
pub struct CopyListens {
    /// Tell workers facts there, for `sprig worker --copies`; port 0 takes a free one
    #[arg(help_heading = COPY, long, value_name = "ADDR", env = "SPRIG_COPY_LISTEN")]
    listen: Option<String>,
    /// Certificate of the follower; encrypts these connections
    #[arg(help_heading = COPY, long, value_name = "FILE", env = "SPRIG_COPY_CERT", requires = "listen_key", requires = "listen")]
    listen_cert: Option<PathBuf>,
    /// Key of that certificate
    #[arg(help_heading = COPY, long, value_name = "FILE", env = "SPRIG_COPY_KEY", requires = "listen_cert")]
    listen_key: Option<PathBuf>,
    /// Certificates of the authority that vouches for workers: they come in by certificate
    #[arg(help_heading = COPY, long, value_name = "FILE", env = "SPRIG_COPY_CLIENT_CA", requires = "listen_cert")]
    listen_client_ca: Option<PathBuf>,
    /// File of tokens, like the coordinator's: workers come in by token
    #[arg(help_heading = COPY, long, value_name = "FILE", env = "SPRIG_COPY_TOKENS", requires = "listen")]
    listen_tokens: Option<PathBuf>,
}

impl CopyListens {
    /// Where to listen, and what protects that; `None` where nothing is told.
    ///
    /// # Errors
    /// When that is no address.
    pub fn resolve(self, insecure: bool) -> anyhow::Result<Option<(SocketAddr, ProtectionFiles)>> {
        let Self { listen, listen_cert, listen_key, listen_client_ca, listen_tokens } = self;
        let Some(listen) = listen else { return Ok(None) };
        let files = ProtectionFiles {
            tls_cert: listen_cert,
            tls_key: listen_key,
            tls_client_ca: listen_client_ca,
            tokens: listen_tokens,
            insecure,
            side: Side::Copy,
        };
        Ok(Some((listen_address(&listen)?, files)))
    }
}

/// An address to listen on.
///
/// # Errors
/// When the text is none.
pub fn listen_address(text: &str) -> Result<SocketAddr, Usage> {
    let mut addresses = text.to_socket_addrs().into_iter().flatten();
    addresses.next().ok_or_else(|| {
        let text = escaped(text);
        Usage(format!("`{text}` is not an address to listen on; write it like 127.0.0.1:7425"))
    })
}

/// Tries whether a coordinator can listen there now.
///
/// # Errors
/// [`sprig_coordinator::Error::Listen`].
pub fn is_free(listen: SocketAddr) -> Result<(), sprig_coordinator::Error> {
    let failed = |source| sprig_coordinator::Error::Listen { address: listen, source };
    TcpListener::bind(listen).map(drop).map_err(failed)
}

/// The tokens of a file, which other users must not be able to change.
///
/// # Errors
/// When the file cannot be read, others can change it, or it is none.
pub fn read_tokens(path: &Path) -> anyhow::Result<Tokens> {
    let text = secrets::read(path, Guarded::Trusted)?;
    Tokens::parse(&text).with_context(|| format!("{} is no file of tokens", path.display()))
}

/// Lets the metrics say when the certificates end that are used from now on, and the log, that the
/// tokens let nobody in.
pub fn uses(protection: &Protection) {
    if protection.tokens.as_ref().is_some_and(Tokens::is_empty) {
        warn!("the file of tokens holds none: nobody comes in by token (`sprig token` adds one)");
    }
    if let Some(tls) = &protection.tls {
        health::uses(Holder::Own, &tls.certificate);
        health::uses(Holder::ClientAuthority, tls.clients.as_deref().unwrap_or_default());
    }
}
