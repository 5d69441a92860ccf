//! How commands connect to a coordinator.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;
use sprig_proto::{Access, Client, ClientError, ClientTls, Token};
use tokio::runtime::{Builder, Runtime};

use crate::failure::{Usage, escaped};
use crate::secrets::{self, Guarded};
use crate::switch::switch;

/// Where a coordinator listens and is looked for, unless an option says otherwise.
pub const DEFAULT_URL: &str = "http://127.0.0.1:7425";

/// After this long without a word, a person is told what the command waits for.
const QUIET: Duration = Duration::from_secs(1);

/// A runtime for a client. It uses this thread alone.
///
/// # Errors
/// When the system refuses its resources.
pub fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// The name of this machine.
pub fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "machine".to_owned() } else { name.to_owned() }
}

/// The coordinator to talk to.
#[derive(Args)]
pub struct CoordinatorUrl {
    /// Address of the coordinator; of several, with commas, the first that answers
    #[arg(long = "coordinator", value_name = "URL", env = "SPRIG_COORDINATOR", default_value = DEFAULT_URL)]
    pub url: String,
    #[command(flatten)]
    pub credentials: Credentials,
}

/// The coordinator to ask where no database is named: that of the option, or else of the
/// environment. The variable is read here and not by clap, as it would contradict `--db` if it
/// belonged to the option.
pub fn named(option: Option<&String>) -> Option<String> {
    let variable = std::env::var("SPRIG_COORDINATOR").ok().filter(|url| !url.is_empty());
    option.cloned().or(variable)
}

/// The coordinator to ask, as [`named`] finds it, where one must be named.
///
/// # Errors
/// When none is named.
pub fn asked(option: Option<&String>) -> Result<String, Usage> {
    named(option).ok_or_else(|| Usage(nobody_asked()))
}

/// The remedy where no source is named.
pub fn nobody_asked() -> String {
    let remedy = "say where to look with --db DIR, --coordinator URL or SPRIG_COORDINATOR; \
                  `sprig solve 5 --db facts` makes a first database (see --help)";
    format!("nothing is known without a database or a cluster; {remedy}")
}

/// Coordinators of which one leads.
#[derive(Args)]
pub struct CoordinatorUrls {
    /// Address of the coordinator; several, with commas, where one takes the place of another: the next is tried while one is away
    #[arg(
        long = "coordinator",
        value_name = "URL",
        env = "SPRIG_COORDINATOR",
        default_value = DEFAULT_URL,
        value_delimiter = ','
    )]
    urls: Vec<String>,
    #[command(flatten)]
    pub credentials: Credentials,
}

impl CoordinatorUrls {
    /// Whether an address is given that is not the usual one.
    pub fn is_named(&self) -> bool {
        self.urls != [DEFAULT_URL]
    }

    /// The addresses, and the credentials for them.
    ///
    /// # Errors
    /// Those of [`Credentials::access`].
    pub fn resolve(&self) -> anyhow::Result<(Vec<String>, Access)> {
        let access = self.credentials.access()?;
        let urls = self.urls.iter().map(|url| address(url.trim(), access.tls.is_some()));
        Ok((urls.collect::<Result<_, _>>()?, access))
    }
}

/// The heading of these options in the help. It stands at each option, as a heading of the whole
/// struct would also apply to the options after it.
const PROTECTED: &str = "Protected coordinators (https://)";

/// How to get in at a protected coordinator (docs/security.md)
#[derive(Args)]
pub struct Credentials {
    /// Certificates of the authority that vouches for the coordinator
    #[arg(help_heading = PROTECTED, long, value_name = "FILE", env = "SPRIG_TLS_CA")]
    tls_ca: Option<PathBuf>,
    /// Own certificate, which says who we are
    #[arg(
        help_heading = PROTECTED,
        long,
        value_name = "FILE",
        env = "SPRIG_TLS_CERT",
        requires = "tls_key",
        requires = "tls_ca"
    )]
    tls_cert: Option<PathBuf>,
    /// Key of the own certificate
    #[arg(help_heading = PROTECTED, long, value_name = "FILE", env = "SPRIG_TLS_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// File that holds a token, which says who we are
    #[arg(help_heading = PROTECTED, long, value_name = "FILE", env = "SPRIG_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Show the token even over a connection that is not encrypted
    #[arg(help_heading = PROTECTED, long = "insecure", env = "SPRIG_INSECURE", value_parser = switch)]
    insecure: bool,
}

impl Credentials {
    /// Reads the files.
    ///
    /// # Errors
    /// When a file cannot be read, or others can read it that should not.
    pub fn access(&self) -> anyhow::Result<Access> {
        let read_tls = |authority: &PathBuf| -> anyhow::Result<ClientTls> {
            let path = authority;
            let authority = secrets::read(path, Guarded::Trusted)?;
            ensure!(
                crate::x509::first_end(&authority).is_some(),
                "{} holds no certificate, and --tls-ca takes the file of an authority (PEM)",
                path.display()
            );
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
            ..Access::default()
        })
    }

    /// The certificate files.
    #[cfg(feature = "coordinator")]
    pub fn certificates(&self) -> impl Iterator<Item = &Path> {
        self.tls_ca.iter().chain(&self.tls_cert).map(PathBuf::as_path)
    }

    /// Connects to the coordinator at `url`, which should be running. Says so when the search takes
    /// long. Of several addresses, with commas between them, the first that answers is taken.
    ///
    /// # Errors
    /// Those of [`Credentials::access`], and `ClientError` with the address and the remedy; with
    /// several addresses, that of the last.
    pub async fn connect(&self, url: &str) -> anyhow::Result<Client> {
        let access = &self.access()?;
        first_of(url, access, async |url| {
            looking(url, Client::connect_to_running(url, access)).await
        })
        .await
    }

    /// A connection to the coordinator at `url` over which others show tokens of their own.
    ///
    /// # Errors
    /// Those of [`Credentials::access`], and `ClientError`; also when the coordinator asks for no
    /// tokens.
    #[cfg(feature = "coordinator")]
    pub async fn visitors(&self, url: &str) -> anyhow::Result<sprig_proto::Visitors> {
        let access = &self.access()?;
        first_of(url, access, async |url| sprig_proto::Visitors::connect(url, access).await).await
    }

    /// Whether secrets may travel over a network that does not encrypt them.
    #[cfg(feature = "coordinator")]
    pub fn insecure(&self) -> bool {
        self.insecure
    }
}

/// Reads a token.
///
/// # Errors
/// When the file cannot be read, others can read it that should not, or it holds no token.
pub fn token(path: &Path) -> anyhow::Result<Token> {
    let text = secrets::read(path, Guarded::Secret)?;
    Token::new(text.trim()).with_context(|| format!("{} holds no token", path.display()))
}

/// The first connection that comes about to one of these addresses, which have commas between them.
async fn first_of<T>(
    urls: &str,
    access: &Access,
    connect: impl AsyncFn(&str) -> Result<T, ClientError>,
) -> anyhow::Result<T> {
    let urls = urls.split(',').map(|url| address(url.trim(), access.tls.is_some()));
    let mut urls = urls.collect::<Result<Vec<_>, _>>()?;
    let last = urls.pop().unwrap_or_default();
    for url in urls {
        match connect(&url).await {
            Ok(connection) => return Ok(connection),
            Err(error) => remark!("sprig: {error}"),
        }
    }
    Ok(connect(&last).await?)
}

/// Tells a person that the coordinator is looked for, if that takes long.
async fn looking<T>(url: &str, connected: impl Future<Output = T>) -> T {
    tokio::pin!(connected);
    tokio::select! {
        connected = &mut connected => connected,
        () = tokio::time::sleep(QUIET) => {
            remark!("sprig: looking for the coordinator at {url} ..");
            connected.await
        }
    }
}

/// The address of a coordinator as a URL. `10.0.0.1:7425` is an address too.
///
/// # Errors
/// When the text is no address.
pub fn address(text: &str, encrypted: bool) -> Result<String, Usage> {
    address_of("a coordinator", DEFAULT_URL, text, encrypted)
}

/// The address of a copy that tells facts, as a URL.
///
/// # Errors
/// When the text is no address.
pub fn address_of_copy(text: &str, encrypted: bool) -> Result<String, Usage> {
    address_of("a copy", "http://127.0.0.1:7426", text, encrypted)
}

fn address_of(whose: &str, like: &str, text: &str, encrypted: bool) -> Result<String, Usage> {
    if text.contains("://") {
        return Ok(text.to_owned());
    }
    let port = text.rsplit_once(':').map(|(_, port)| port.trim_end_matches('/').parse::<u16>());
    if !matches!(port, Some(Ok(_))) {
        return Err(Usage(format!(
            "`{}` is not the address of {whose}: write it with its port, like {like}",
            escaped(text)
        )));
    }
    Ok(if encrypted { format!("https://{text}") } else { format!("http://{text}") })
}

impl CoordinatorUrl {
    /// Connects to a coordinator that should be running.
    ///
    /// # Errors
    /// Those of [`Credentials::connect`].
    pub async fn connect(&self) -> anyhow::Result<Client> {
        self.credentials.connect(&self.url).await
    }

    /// Connects to a coordinator that may be about to start, and tries for ten seconds.
    ///
    /// # Errors
    /// Those of [`Credentials::connect`].
    pub async fn await_start(&self) -> anyhow::Result<Client> {
        if self.url.contains(',') {
            return self.connect().await;
        }
        let access = self.credentials.access()?;
        let url = address(&self.url, access.tls.is_some())?;
        Ok(looking(&url, Client::connect_with(&url, &access)).await?)
    }
}
