//! The way to a coordinator.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use sprig_proto::{Access, Client, ClientTls, Token};
use tokio::runtime::{Builder, Runtime};

use crate::secrets::{self, Guarded};

/// Where a coordinator listens and is looked for, unless somebody says otherwise.
pub const DEFAULT_URL: &str = "http://127.0.0.1:7425";

/// A runtime for a client: one thread, this one.
///
/// # Errors
/// When the system refuses its resources.
pub fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// The coordinator to talk to.
#[derive(Args)]
pub struct CoordinatorUrl {
    /// Address of the coordinator
    #[arg(long = "coordinator", value_name = "URL", env = "SPRIG_COORDINATOR", default_value = DEFAULT_URL)]
    pub url: String,
    #[command(flatten)]
    pub credentials: Credentials,
}

/// How to get in at a protected coordinator (docs/security.md)
#[derive(Args)]
#[command(next_help_heading = "Protected coordinators (https://)")]
pub struct Credentials {
    /// Certificates of the authority that vouches for the coordinator
    #[arg(long, value_name = "FILE", env = "SPRIG_TLS_CA")]
    tls_ca: Option<PathBuf>,
    /// Own certificate, which says who we are
    #[arg(
        long,
        value_name = "FILE",
        env = "SPRIG_TLS_CERT",
        requires = "tls_key",
        requires = "tls_ca"
    )]
    tls_cert: Option<PathBuf>,
    /// Key of the own certificate
    #[arg(long, value_name = "FILE", env = "SPRIG_TLS_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// File that holds a token, which says who we are
    #[arg(long, value_name = "FILE", env = "SPRIG_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Show the token even over a connection that is not encrypted
    #[arg(long = "insecure")]
    insecure: bool,
}

impl Credentials {
    /// Reads the files.
    ///
    /// # Errors
    /// When one cannot be read, or can be read by too many.
    pub fn access(&self) -> anyhow::Result<Access> {
        let read_tls = |authority: &PathBuf| -> anyhow::Result<ClientTls> {
            let authority = secrets::read(authority, Guarded::Trusted)?;
            let own = self.tls_cert.as_ref().zip(self.tls_key.as_ref());
            let own = own.map(|(certificate, key)| {
                let certificate = secrets::read(certificate, Guarded::Trusted)?;
                anyhow::Ok((certificate, secrets::read(key, Guarded::Secret)?))
            });
            Ok(ClientTls { authority, own: own.transpose()? })
        };
        let read_token = |path: &PathBuf| -> anyhow::Result<Token> { token(path) };
        Ok(Access {
            tls: self.tls_ca.as_ref().map(read_tls).transpose()?,
            token: self.token_file.as_ref().map(read_token).transpose()?,
            insecure: self.insecure,
        })
    }

    /// Connects to the coordinator at `url`; tries again for ten seconds.
    ///
    /// # Errors
    /// Those of [`Credentials::access`], and `ClientError` with the address and the remedy.
    pub async fn connect(&self, url: &str) -> anyhow::Result<Client> {
        let access = self.access()?;
        Ok(Client::connect_with(&address(url, access.tls.is_some()), &access).await?)
    }
}

fn token(path: &Path) -> anyhow::Result<Token> {
    let text = secrets::read(path, Guarded::Secret)?;
    Token::new(text.trim()).with_context(|| format!("{} holds no token", path.display()))
}

/// The address as a URL: `10.0.0.1:7425` is one too.
fn address(text: &str, encrypted: bool) -> String {
    match (text.contains("://"), encrypted) {
        (true, _) => text.to_owned(),
        (false, true) => format!("https://{text}"),
        (false, false) => format!("http://{text}"),
    }
}

impl CoordinatorUrl {
    /// Connects; tries again for ten seconds.
    ///
    /// # Errors
    /// Those of [`Credentials::connect`].
    pub async fn connect(&self) -> anyhow::Result<Client> {
        self.credentials.connect(&self.url).await
    }

    /// The address, and how to get in there.
    ///
    /// # Errors
    /// Those of [`Credentials::access`].
    pub fn resolve(&self) -> anyhow::Result<(String, Access)> {
        let access = self.credentials.access()?;
        Ok((address(&self.url, access.tls.is_some()), access))
    }
}
