//! Other coordinators, one of which may have been promoted in the place of this one.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use sprig_ask::with_verb;
use sprig_coordinator::{HandInError, Heir};
use sprig_domain::Reign;
use sprig_follower::reign_of;
use sprig_proto::{Access, ClientTls};
use sprig_store::{Store, StoreError};
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use crate::connect;
use crate::secrets::{self, Guarded};
use crate::trace::say;

/// Pause between two questions to the peers.
const PERIOD: Duration = Duration::from_secs(5);
/// How long a peer may take to reply.
const PATIENCE: Duration = Duration::from_secs(3);

/// The heading of these options in the help.
const HEADING: &str = "Promotion (docs/backups.md)";

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

/// The addresses of the peers, and the credentials for them.
pub struct Ways {
    urls: Vec<String>,
    access: Access,
    /// Why a peer could not be asked, as a person was told last.
    told: RefCell<BTreeMap<String, String>>,
}

impl Peers {
    /// Reads the files.
    ///
    /// # Errors
    /// When a file cannot be read, others can read it that should not, or an address is none.
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
        Ok(Ways { urls: urls.collect::<Result<_, _>>()?, access, told: RefCell::default() })
    }
}

impl Ways {
    /// Asks each peer once. Gives a reign that succeeds `own`, if a peer leads in one.
    pub async fn ask(&self, own: &Reign) -> Option<Reign> {
        for url in &self.urls {
            // Mostly no peer answers, as a follower listens only after its promotion.
            match timeout(PATIENCE, reign_of(url, &self.access)).await {
                Ok(Ok(Some(reign))) if reign.succeeds(own) => return Some(reign),
                Ok(Ok(_)) => {
                    self.told.borrow_mut().remove(url);
                }
                Ok(Err(error)) => self.warn(url, error.to_string()),
                Err(_) => debug!(url, "no reply"),
            }
        }
        None
    }

    /// Tells a person once why a peer cannot be asked. If it was promoted, two lead.
    fn warn(&self, url: &str, reason: String) {
        let mut told = self.told.borrow_mut();
        if told.get(url) != Some(&reason) {
            warn!(
                "{reason}; if it was promoted, two lead until --peer, --peer-ca and --peer-token-file fit it"
            );
            told.insert(url.to_owned(), reason);
        }
    }

    /// Asks the peers again and again, until one leads in a reign that succeeds `own`.
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
    /// Hands the facts of a database that leads no more to the coordinator that leads in its place.
    /// Failures are told to a person. The facts stay, so a later attempt loses nothing.
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
                    let facts = with_verb(facts, "fact", ["is", "are"]);
                    say(&format!("{facts} handed in to {url}, which leads in {reign}"));
                    return Ok(());
                }
                // Another peer is the heir.
                Err(HandInError::NoHeir { .. }) => {}
                Err(HandInError::Store(error)) => return Err(error),
                Err(error) => say(&format!("not handed in: {error}")),
            }
        }
        Ok(())
    }
}
