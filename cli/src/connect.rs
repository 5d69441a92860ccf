//! The way to a coordinator.

use std::convert::Infallible;
use std::io;

use clap::Args;
use sprig_proto::{Client, ClientError};
use tokio::runtime::{Builder, Runtime};

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
    #[arg(long = "coordinator", value_name = "URL", default_value = DEFAULT_URL, value_parser = url)]
    pub url: String,
}

/// The address as a URL: `10.0.0.1:7425` is one too.
///
/// # Errors
/// None; the parser of arguments wants the type.
pub fn url(text: &str) -> Result<String, Infallible> {
    Ok(if text.contains("://") { text.to_owned() } else { format!("http://{text}") })
}

impl CoordinatorUrl {
    /// Connects; tries again for ten seconds.
    ///
    /// # Errors
    /// [`ClientError`] with the address and the remedy.
    pub async fn connect(&self) -> Result<Client, ClientError> {
        Client::connect(&self.url).await
    }
}
