//! Keeps a copy of a coordinator's database, record by record, and says what of it is on disk.
//! `docs/backups.md` tells what that is for.
//!
//! The copy is written as it comes, with the number of its last record, so whatever ends the
//! process, it goes on where it stopped. Records carry the seals of the owner, so a coordinator
//! that lies is not believed.

mod error;
mod ground;
mod link;
mod pulse;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sprig_domain::Reign;
use sprig_proto::{Access, Build, FollowerHello, FollowerWelcome, OnDisk, Record, Written};
use sprig_store::{Change, Following, Held, Replica, Secret, StoreError};
use tokio::sync::watch;
use tracing::{debug, info, warn};

pub use error::Error;
pub use ground::Ground;
pub use pulse::{Pulse, Reading};

use link::{Failure, Route, Session};

/// Once there are this many bytes, no more records are gathered for one write.
const GATHERED: usize = 4 << 20;

/// Pause while somebody reads a copy that is to be closed.
const MOMENT: Duration = Duration::from_millis(10);

/// How to follow.
#[derive(Debug)]
pub struct Config {
    /// Addresses of coordinators, at least one: while one is away the next is tried.
    pub coordinators: Vec<String>,
    /// How to get in there.
    pub access: Access,
    /// Name of the follower, for people.
    pub name: String,
    /// Where the copy is, or will be.
    pub dir: PathBuf,
    /// The secret of the owner.
    pub secret: Secret,
    /// Where the follower notes how it is doing.
    pub pulse: Arc<Pulse>,
    /// Where the follower shows its copy to others in this process; `None` while it has none.
    pub held: watch::Sender<Option<Held>>,
}

/// Follows until the future is dropped, and looks for its coordinator for ever.
///
/// # Errors
/// [`Error`] when trying again cannot help.
pub async fn follow(config: Config) -> Result<(), Error> {
    follow_on(Ground::real(), config).await
}

/// As for [`follow`], in another environment.
///
/// # Errors
/// As [`follow`].
pub async fn follow_on(ground: Ground, config: Config) -> Result<(), Error> {
    let urls = config.coordinators.iter();
    let routes = urls.map(|url| Route::new(url, &config.access)).collect::<Result<Vec<_>, _>>()?;
    if routes.is_empty() {
        return Err(Error::Nowhere);
    }
    let replica = Replica::open(&config.dir, &config.secret)?;
    if let Some(replica) = &replica {
        config.pulse.has(replica.facts());
        config.held.send_replace(Some(replica.held()));
    }
    let mut follower = Follower { config, ground, replica };
    let (mut failures, mut refusals) = (0, 0);
    for route in routes.iter().cycle() {
        let rounds = failures / routes.len();
        let ended = follower.session(route, rounds).await;
        if follower.config.pulse.left() {
            (failures, refusals) = (0, 0);
        }
        refusals = if matches!(ended, Failure::Refused(_)) { refusals + 1 } else { 0 };
        match ended {
            Failure::Fatal(error) => return Err(error),
            Failure::Refused(reason) => {
                if refusals >= routes.len() {
                    return Err(Error::Refused { url: route.url.clone(), reason });
                }
                debug!(url = route.url, reason, "refused");
            }
            Failure::Away(reason) => missed(failures, &route.url, &reason),
            Failure::Barred(problem) => missed(failures, &route.url, &problem.to_string()),
        }
        failures += 1;
    }
    Ok(())
}

/// Tells a person once that there is no coordinator.
fn missed(failures: usize, url: &str, reason: &str) {
    if failures == 0 {
        warn!("no coordinator to follow at {url} ({reason}); trying again until there is one");
    } else {
        debug!(failures, url, reason, "no coordinator");
    }
}

struct Follower {
    config: Config,
    ground: Ground,
    /// `None` while there is no copy yet.
    replica: Option<Replica>,
}

/// What has come and is not written yet.
#[derive(Default)]
struct Gathered {
    changes: Vec<Change>,
    bytes: usize,
    /// The position of a copy that has all of it, if it ends at one.
    position: Option<u64>,
    /// Facts that the coordinator had.
    facts: u64,
}

impl Gathered {
    fn add(&mut self, Written { records, position, facts }: Written) {
        for Record { family, key, value } in records {
            let change = Change { family, key, value };
            self.bytes += change.bytes();
            self.changes.push(change);
        }
        (self.position, self.facts) = (position, facts);
    }
}

impl Follower {
    /// One connection to a coordinator, until it ends.
    async fn session(&mut self, route: &Route, failures: usize) -> Failure {
        match self.take(route, failures).await {
            Ok(never) => match never {},
            Err(failure) => failure,
        }
    }

    async fn take(
        &mut self,
        route: &Route,
        failures: usize,
    ) -> Result<std::convert::Infallible, Failure> {
        let (mut session, welcome) =
            Session::open(route, self.hello(), failures, (self.ground.random)()).await?;
        let mut copy = self.welcomed(&route.url, &welcome).await?;
        let mut gathered = Gathered::default();
        loop {
            gathered.add(session.next().await?);
            while gathered.bytes < GATHERED
                && let Some(more) = session.at_hand().await?
            {
                gathered.add(more);
            }
            self.config.pulse.hears(gathered.facts);
            let is_draft = self.replica.is_none();
            if gathered.position.is_none() && !(is_draft && gathered.bytes >= GATHERED) {
                // More of it follows, and is taken in at once.
                continue;
            }
            let Gathered { changes, position, facts, .. } = std::mem::take(&mut gathered);
            copy = self.write(copy, changes, position).await?;
            if let Some(replica) = &self.replica {
                let (facts_here, position) = (replica.facts(), replica.following().position);
                session.say(OnDisk { position, facts: facts_here });
                self.config.held.send_replace(Some(replica.held()));
                self.config.pulse.wrote(facts_here, facts);
            }
        }
    }

    fn hello(&self) -> FollowerHello {
        let (build, name) = (Build::here(), self.config.name.clone());
        let following = self.replica.as_ref().map(Replica::following);
        let position = following.map_or(0, |following| following.position);
        let facts = self.replica.as_ref().map_or(0, Replica::facts);
        FollowerHello {
            build,
            name,
            database: following.map_or(0, |following| following.database),
            on_disk: OnDisk { position, facts },
            reign: self.replica.as_ref().map(|replica| *replica.reign()),
        }
    }

    /// Looks at which coordinator is there. If the whole database is to come, returns a new copy.
    async fn welcomed(
        &mut self,
        url: &str,
        welcome: &FollowerWelcome,
    ) -> Result<Option<Replica>, Failure> {
        let FollowerWelcome { build, database, reign, whole } = welcome;
        build.check().map_err(|mismatch| Failure::Refused(mismatch.to_string()))?;
        if let Some(replica) = &self.replica {
            if replica.reign().succeeds(reign) {
                return Err(Failure::Away("another coordinator was promoted in its place".into()));
            }
            let Following { database: ours, url, .. } = replica.following().clone();
            if ours != *database {
                let (dir, theirs) = (self.config.dir.clone(), *database);
                return Err(StoreError::Elsewhere { dir, ours, url, theirs }.into());
            }
        }
        let (url, reign) = (url.to_owned(), *reign);
        if !whole {
            info!(url, facts = self.replica.as_ref().map(Replica::facts), "follows");
            if let Some(replica) = &mut self.replica {
                replica.found(&url, reign)?;
            }
            self.config.pulse.joined();
            return Ok(None);
        }
        info!(url, "copies the whole database first");
        // The old copy is closed here; other processes may still read it.
        self.config.held.send_replace(None);
        while self.replica.as_ref().is_some_and(Replica::is_read) {
            tokio::time::sleep(MOMENT).await;
        }
        self.replica = None;
        let following = Following { database: *database, position: 0, url };
        let (dir, secret) = (self.config.dir.clone(), self.config.secret.clone());
        let begin = move || Replica::begin(&dir, &secret, reign, following);
        let copy = self.ground.blocking(begin).await?;
        self.config.pulse.joined();
        Ok(Some(copy))
    }

    /// Writes to the copy that was begun, or else to the one that is there. When this returns, all
    /// of it is on disk.
    async fn write(
        &mut self,
        copy: Option<Replica>,
        changes: Vec<Change>,
        position: Option<u64>,
    ) -> Result<Option<Replica>, Failure> {
        if let Some(mut copy) = copy {
            let secret = self.config.secret.clone();
            let is_whole = position.is_some();
            let apply = move || {
                copy.apply(&changes, position.unwrap_or_default())?;
                if is_whole { copy.whole(&secret) } else { Ok(copy) }
            };
            let copy = self.ground.blocking(apply).await?;
            if !is_whole {
                return Ok(Some(copy));
            }
            info!(facts = copy.facts(), "the copy is whole");
            let worth = copy.reader().worth()?;
            // Where nothing is sealed yet, no key is missing.
            if worth.verified.total() == 0
                && worth.claimed.total() > 0
                && copy.reader().sealed_by_others()? > 0
            {
                let claims = worth.claimed.total();
                warn!(
                    claims,
                    "no fact carries our seal, so all are claims here: bring the seal key of the coordinator"
                );
            }
            self.replica = Some(copy);
            return Ok(None);
        }
        let (Some(mut replica), Some(position)) = (self.replica.take(), position) else {
            return Ok(None);
        };
        if !changes.is_empty() || replica.following().position != position {
            let apply = move || {
                replica.apply(&changes, position)?;
                Ok(replica)
            };
            replica = self.ground.blocking(apply).await?;
        }
        self.replica = Some(replica);
        Ok(None)
    }
}

impl Ground {
    /// Does what blocks, away from the network.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Failure> {
        match self.blocking.call("follower", work).await {
            Ok(done) => Ok(done?),
            Err(panic) => Err(Failure::Fatal(Error::Writer(panic.to_string()))),
        }
    }
}

/// The reign of the coordinator at `url`; `None`: nobody is there.
///
/// # Errors
/// When somebody is there and does not say it, for a reason that a person can mend.
pub async fn reign_of(url: &str, access: &Access) -> Result<Option<Reign>, Error> {
    let refused = |reason| Err(Error::Silent { url: url.to_owned(), reason });
    match link::reigning(&Route::new(url, access)?).await {
        Ok(reign) => Ok(Some(reign)),
        Err(Failure::Away(_)) => Ok(None),
        Err(Failure::Fatal(error)) => Err(error),
        Err(Failure::Barred(problem)) => refused(problem.to_string()),
        Err(Failure::Refused(reason)) => refused(reason),
    }
}
