//! Other coordinators that may have been promoted in the place of this one.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use sprig_coordinator::{HandInError, Heir};
use sprig_domain::Reign;
use sprig_follower::reign_of;
use sprig_proto::{Access, ClientTls};
use sprig_store::{Store, StoreError};
use tokio::time::{sleep, timeout};
use tracing::debug;

use crate::connect;
use crate::secrets::{self, Guarded};
use crate::trace::say;

/// How often they are asked.
const PERIOD: Duration = Duration::from_secs(5);
/// How long one may take to reply.
const PATIENCE: Duration = Duration::from_secs(3);

/// Where these options stand in the help.
const HEADING: &str = "Promotion (docs/operations.md)";

/// Who may have been promoted in the place of this coordinator
#[derive(Args)]
pub struct Peers {
    /// Address where a follower leads when it was promoted; several with commas. If it was, this coordinator hands in there what it
    /// has, and ends
    #[arg(help_heading = HEADING, long = "peer", value_name = "URL", env = "SPRIG_PEERS", value_delimiter = ',')]
    peers: Vec<String>,
    /// Certificates of the authority that vouches for them
    #[arg(help_heading = HEADING, long, value_name = "FILE", env = "SPRIG_PEER_CA", requires = "peers")]
    peer_ca: Option<PathBuf>,
    /// File that holds a token for them, of the role worker: then what this one has can be handed in
    #[arg(help_heading = HEADING, long, value_name = "FILE", env = "SPRIG_PEER_TOKEN_FILE", requires = "peers")]
    peer_token_file: Option<PathBuf>,
}

/// The ways to them.
pub struct Ways {
    urls: Vec<String>,
    access: Access,
}

impl Peers {
    /// Reads the files.
    ///
    /// # Errors
    /// When one cannot be read, or can be read by too many, or an address is none.
    pub fn read(&self) -> anyhow::Result<Ways> {
        let tls = match &self.peer_ca {
            Some(path) => {
                Some(ClientTls { authority: secrets::read(path, Guarded::Trusted)?, own: None })
            }
            None => None,
        };
        let token = self.peer_token_file.as_ref().map(|path| connect::token(path)).transpose()?;
        let access = Access { tls, token, ..Access::default() };
        let urls = self.peers.iter().map(|url| {
            let url = connect::address(url.trim(), access.tls.is_some())?;
            access.endpoint(&url)?;
            anyhow::Ok(url)
        });
        Ok(Ways { urls: urls.collect::<Result<_, _>>()?, access })
    }
}

impl Ways {
    /// Asks each of them once: a reign that succeeds `own`, if one leads in such a one.
    pub async fn ask(&self, own: &Reign) -> Option<Reign> {
        for url in &self.urls {
            // Mostly nobody is there: a follower listens only when it was promoted.
            match timeout(PATIENCE, reign_of(url, &self.access)).await {
                Ok(Ok(reign)) if reign.succeeds(own) => return Some(reign),
                Ok(Ok(_)) => {}
                Ok(Err(error)) => debug!(url, "{error}"),
                Err(_) => debug!(url, "no reply"),
            }
        }
        None
    }

    /// Asks them now and then, until one leads in a reign that succeeds `own`.
    pub async fn watch(&self, own: &Reign) -> Reign {
        if self.urls.is_empty() {
            return std::future::pending().await;
        }
        loop {
            sleep(PERIOD).await;
            if let Some(reign) = self.ask(own).await {
                return reign;
            }
        }
    }
}

impl Ways {
    /// Hands in what a database has that leads no more, to the coordinator that leads in its place. What keeps it from that is
    /// said; whoever asks again later loses nothing.
    ///
    /// # Errors
    /// When the disk fails.
    pub async fn hand_in(&self, store: &Store) -> Result<(), StoreError> {
        if store.is_handed_in()? {
            return Ok(());
        }
        for url in &self.urls {
            let name = format!("{}/old", connect::machine());
            let heir = Heir::new(url.clone(), self.access.clone(), name);
            match heir.take(store, |_, _| {}).await {
                Ok(handed_in) => {
                    store.handed_in(&handed_in.reign)?;
                    let (facts, reign) = (handed_in.facts, handed_in.reign);
                    say(&format!("{facts} facts are handed in to {url}, which leads in {reign}"));
                    return Ok(());
                }
                // The heir is another one of them.
                Err(HandInError::NoHeir { .. }) => {}
                Err(HandInError::Store(error)) => return Err(error),
                Err(error) => say(&format!("not handed in: {error}")),
            }
        }
        Ok(())
    }
}
