//! What becomes of the facts of a coordinator in whose place a follower was promoted: they are
//! reported to the new one, as a worker reports what it has proved, and pass through the same
//! auditor.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::time::Duration;

use sprig_domain::{Figures, Game, Reign};
use sprig_proto::wire::followers_client::FollowersClient;
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{
    Access, Acknowledge, AddressError, Build, FromWorker, Hello, ToWorker, WorkerId, innermost,
    limits, wire,
};
use sprig_store::{Reader, Sequence, StoreError, StoredFact};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};

use crate::told::{sent, size};

/// Reports on their way at once.
const WINDOW: usize = 16;
/// How often a lost connection is made again.
const ATTEMPTS: usize = 5;
/// How long a coordinator may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// Where facts are handed in, and under which name.
#[derive(Clone, Debug)]
pub struct Heir {
    /// Its address.
    pub url: String,
    /// How to get in there: as a worker.
    pub access: Access,
    /// The name under which the facts are signed.
    pub name: String,
    /// The identity under which they are reported.
    pub worker: WorkerId,
}

/// What was handed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HandedIn {
    /// The number of the first fact that the new coordinator did not have from its own copy.
    pub from: u64,
    /// Facts that it has on disk now, some of which it may have had.
    pub facts: u64,
    /// The reign in which it leads.
    pub reign: Reign,
}

/// Why facts were not handed in, or not all of them.
#[derive(Debug, thiserror::Error)]
pub enum HandInError {
    /// Not an address, or one where secrets would not be kept.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The old database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No coordinator is there, or the connection was lost too often.
    #[error(
        "the coordinator at {url} is not there ({reason}); hand in later, the same facts do no harm twice"
    )]
    Away {
        /// Its address.
        url: String,
        /// What happened.
        reason: String,
    },
    /// The coordinator does not take the facts.
    #[error("the coordinator at {url} does not take the facts: {reason}")]
    Refused {
        /// Its address.
        url: String,
        /// Its reason.
        reason: String,
    },
    /// The coordinator leads another line of databases.
    #[error("the coordinator at {url} leads another line, in {theirs}, and this database is of line {:016x}; `sprig merge` takes one database into another", ours.line)]
    Foreign {
        /// Its address.
        url: String,
        /// Its reign.
        theirs: Reign,
        /// The reign of the database.
        ours: Reign,
    },
    /// The coordinator leads in no later reign than the database.
    #[error(
        "the coordinator at {url} leads in {theirs}, which is no later than this database ({ours}): nothing is to be handed in"
    )]
    NoHeir {
        /// Its address.
        url: String,
        /// Its reign.
        theirs: Reign,
        /// The reign of the database.
        ours: Reign,
    },
}

/// Why a connection has ended.
enum Broken {
    Away(String),
    Refused(String),
    Store(StoreError),
}

impl From<Status> for Broken {
    fn from(status: Status) -> Self {
        let message = status.message().to_owned();
        match status.code() {
            Code::Unavailable | Code::Unknown | Code::Cancelled | Code::DeadlineExceeded => {
                Self::Away(message)
            }
            _ => Self::Refused(message),
        }
    }
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Heir {
    /// The coordinator at `url`, to which facts are reported under an identity that cannot be
    /// guessed.
    pub fn new(url: String, access: Access, name: String) -> Self {
        // The standard library seeds every hasher anew.
        let random = std::hash::RandomState::new().hash_one(std::time::SystemTime::now());
        Self { url, access, name, worker: WorkerId(random) }
    }

    /// Reports every fact of the database that the coordinator did not have when it was promoted.
    /// `done` is told how many it has on disk, and of how many. Returns when it has all.
    ///
    /// # Errors
    /// [`HandInError`]. What was acknowledged before stays there.
    pub async fn take(
        &self,
        database: &Reader,
        mut done: impl FnMut(u64, u64),
    ) -> Result<HandedIn, HandInError> {
        let url = || self.url.clone();
        let told = |broken| match broken {
            Broken::Away(reason) => HandInError::Away { url: url(), reason },
            Broken::Refused(reason) => HandInError::Refused { url: url(), reason },
            Broken::Store(error) => error.into(),
        };
        self.access.endpoint(&self.url)?;
        let (reign, inherited) = self.reigning().await.map_err(told)?;
        let ours = database.succession()?.reign;
        if reign.line != ours.line {
            return Err(HandInError::Foreign { url: url(), theirs: reign, ours });
        }
        if !reign.succeeds(&ours) {
            return Err(HandInError::NoHeir { url: url(), theirs: reign, ours });
        }
        // The heir's copy of this database has the facts under the same numbers. A later heir may
        // not have come from this database.
        let total = database.counts()?.total();
        let is_next = reign.number == ours.number + 1;
        let from = if is_next { inherited.min(total) } else { 0 };
        let mut next = from;
        let mut failures = 0;
        while next < total {
            let before = next;
            match self.report(database, &mut next, total, |at| done(at - from, total - from)).await
            {
                Ok(()) => {}
                Err(Broken::Away(reason)) if failures + 1 >= ATTEMPTS && next == before => {
                    return Err(told(Broken::Away(reason)));
                }
                Err(Broken::Away(_)) => {
                    failures = if next == before { failures + 1 } else { 1 };
                    sleep(Duration::from_secs(failures as u64)).await;
                }
                Err(broken) => return Err(told(broken)),
            }
        }
        Ok(HandedIn { from, facts: total - from, reign })
    }

    async fn connect(&self) -> Result<Channel, Broken> {
        let endpoint =
            self.access.endpoint(&self.url).map_err(|e| Broken::Refused(e.to_string()))?;
        let endpoint = endpoint.connect_timeout(Duration::from_secs(5)).tcp_nodelay(true);
        let channel = self.access.network.connect(endpoint).await;
        channel.map_err(|error| Broken::Away(innermost(&error)))
    }

    /// Its reign, and how many facts it had when it was promoted.
    async fn reigning(&self) -> Result<(Reign, u64), Broken> {
        let mut calls = FollowersClient::new(self.access.line(self.connect().await?));
        let reign = calls.reigning(wire::ReignRequest {}).await?.into_inner();
        let inherited = reign.inherited;
        let reign = Reign::try_from(reign).map_err(|bad| Broken::Refused(bad.to_string()))?;
        Ok((reign, inherited))
    }

    /// One session, that reports from fact `next` on. What was acknowledged has moved `next`.
    async fn report(
        &self,
        database: &Reader,
        next: &mut u64,
        total: u64,
        mut done: impl FnMut(u64),
    ) -> Result<(), Broken> {
        let calls = WorkersClient::new(self.access.line(self.connect().await?));
        let mut calls = calls.max_decoding_message_size(limits::MESSAGE_BYTES);
        let (out, outgoing) = mpsc::unbounded_channel();
        let hello = Hello {
            build: Build::here(),
            name: self.name.clone(),
            worker: self.worker,
            threads: 0,
            holding: None,
            figures: Figures::default(),
            games: Game::ALL.to_vec(),
            reign: None,
            looks: false,
        };
        let _ = out.send(wire::FromWorker::from(FromWorker::Hello(hello)));
        let mut incoming = calls.work(UnboundedReceiverStream::new(outgoing)).await?.into_inner();
        match heard(&mut incoming).await? {
            ToWorker::Welcome(welcome) => {
                welcome.build.check().map_err(|mismatch| Broken::Refused(mismatch.to_string()))?;
            }
            _ => return Err(Broken::Refused("it did not say welcome".into())),
        }
        let (mut at, mut number) = (*next, 0);
        // The numbers of the reports that are on their way, and where each ends.
        let mut on_the_way: VecDeque<(u64, u64)> = VecDeque::new();
        while *next < total {
            while on_the_way.len() < WINDOW && at < total {
                let stored = database.facts_from(Sequence(at), limits::FACTS)?;
                let (game, facts, end) = message(stored, at, total);
                if facts.is_empty() {
                    // All that is left was withdrawn.
                    at = end;
                    continue;
                }
                let game = wire::Game::from(game).into();
                let report = wire::Report { sequence: number, facts, game };
                let message = wire::from_worker::Message::Report(report);
                let _ = out.send(wire::FromWorker { message: Some(message) });
                on_the_way.push_back((number, end));
                (at, number) = (end, number + 1);
            }
            if on_the_way.is_empty() {
                *next = at;
                break;
            }
            let ToWorker::Acknowledge(Acknowledge { reports, .. }) = heard(&mut incoming).await?
            else {
                continue;
            };
            // Acknowledgements may come in another order. Only those without a gap before them
            // count.
            for entry in &mut on_the_way {
                if reports.contains(&entry.0) {
                    entry.0 = u64::MAX;
                }
            }
            while let Some(&(u64::MAX, end)) = on_the_way.front() {
                on_the_way.pop_front();
                *next = end;
                done(end);
            }
        }
        Ok(())
    }
}

async fn heard(incoming: &mut Streaming<wire::ToWorker>) -> Result<ToWorker, Broken> {
    loop {
        let message = timeout(SILENCE, incoming.message()).await;
        let message = message.map_err(|_| Broken::Away("it was silent for a minute".into()))??;
        let ended = || Broken::Away("it closed the session".into());
        let message = message.ok_or_else(ended)?;
        if message.message.is_some() {
            return ToWorker::try_from(message).map_err(|bad| Broken::Refused(bad.to_string()));
        }
    }
}

/// Of facts that were read from a number on, as many as a report may hold, which is about one game, and
/// the number after them.
fn message(stored: Vec<StoredFact>, from: u64, total: u64) -> (Game, Vec<wire::Fact>, u64) {
    let game = stored.first().map_or(Game::Sprouts, |first| first.fact.game);
    let (mut facts, mut bytes, mut end) = (Vec::new(), 0, from);
    for stored in stored {
        bytes += size(&stored.fact);
        let is_full = bytes > limits::FACT_BYTES && !facts.is_empty();
        if is_full || stored.fact.game != game {
            return (game, facts, end);
        }
        end = stored.sequence.0 + 1;
        facts.push(sent(stored.fact));
    }
    // Numbers of facts that were withdrawn are passed over.
    let is_last = facts.len() < limits::FACTS;
    (game, facts, if is_last { total } else { end.min(total) })
}

#[cfg(test)]
mod tests {
    use sprig_engine::Nimber;
    use sprig_store::Fact;

    use super::*;

    #[test]
    fn a_report_is_about_one_game() {
        let stored = |number: u8, game| StoredFact {
            sequence: Sequence(number.into()),
            fact: Fact::nimber(&[number], Nimber::ZERO).of(game),
        };
        let (one, other) = (Game::Sprouts, Game::BlackAndWhite);
        let all = [stored(3, one), stored(4, one), stored(6, other), stored(7, other)];
        let cut = |from: usize, at| {
            let (game, facts, end) = message(all[from..].to_vec(), at, 9);
            (game, facts.len(), end)
        };
        assert_eq!(cut(0, 3), (one, 2, 5));
        assert_eq!(cut(2, 5), (other, 2, 9));
        assert_eq!(cut(4, 8), (one, 0, 9));
    }
}
