//! Facts for workers out of a copy of a coordinator's database: those that the coordinator has told
//! them to read there.

use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sprig_blocking::Blocking;
use sprig_domain::Ruleset;
use sprig_proto::wire::copies_server::{Copies, CopiesServer};
use sprig_proto::{limits, wire};
use sprig_store::{Held, Sequence, StoredFact};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::Router;
use tonic::{Request, Response, Status};
use tower_layer::{Identity, Stack};

use super::{TELLERS, facts, server};
use crate::access::{Gate, GuardLayer};

/// How long a worker waits for a copy that lags.
const PATIENCE: Duration = Duration::from_secs(5);

/// What every call needs.
#[derive(Clone)]
pub(crate) struct Service {
    held: watch::Receiver<Option<Held>>,
    /// Facts told until now. Only ever counted up; it orders no other memory.
    told: Arc<AtomicU64>,
    blocking: Blocking,
    /// Turns for reading, first come, first served.
    tellers: Arc<Semaphore>,
}

impl Service {
    pub(crate) fn new(held: watch::Receiver<Option<Held>>, told: Arc<AtomicU64>) -> Self {
        let tellers = Arc::new(Semaphore::new(TELLERS));
        Self { held, told, blocking: Blocking::Threads, tellers }
    }

    pub(crate) fn router(self, gate: Gate) -> Router<Stack<GuardLayer, Identity>> {
        let copies = CopiesServer::new(self);
        server(gate).add_service(copies.max_decoding_message_size(limits::MESSAGE_BYTES))
    }
}

#[tonic::async_trait]
impl Copies for Service {
    type FactsStream = Pin<Box<dyn Stream<Item = Result<wire::FactBatch, Status>> + Send>>;

    async fn facts(
        &self,
        request: Request<wire::CopyRequest>,
    ) -> Result<Response<Self::FactsStream>, Status> {
        let wire::CopyRequest { database, position, stretches, ruleset } = request.into_inner();
        let ruleset = sprig_proto::ruleset(ruleset)?;
        let stretches = sprig_proto::stretches(stretches)?;
        let mut held = self.held.clone();
        let has_come = |held: &Option<Held>| {
            held.as_ref().is_some_and(|held| held.database != database || held.position >= position)
        };
        match tokio::time::timeout(PATIENCE, held.wait_for(has_come)).await {
            Ok(Ok(held)) if held.as_ref().is_some_and(|held| held.database == database) => {}
            Ok(Ok(_)) => {
                return Err(Status::failed_precondition(
                    "this copy is of another database than the coordinator's",
                ));
            }
            Ok(Err(_)) => return Err(Status::unavailable("the follower is stopping")),
            Err(_) => {
                let lag = "this copy lacks what the coordinator has written in the last seconds";
                return Err(Status::unavailable(lag));
            }
        }
        let (out, outgoing) = mpsc::channel(1);
        tokio::spawn(tell(self.clone(), database, ruleset, stretches, out));
        Ok(Response::new(Box::pin(ReceiverStream::new(outgoing))))
    }
}

/// Sends the facts of these stretches, batch by batch, unless the caller goes away.
async fn tell(
    service: Service,
    database: u64,
    ruleset: Ruleset,
    stretches: Vec<Range<u64>>,
    out: mpsc::Sender<Result<wire::FactBatch, Status>>,
) {
    let mut gathered = facts::Batch::new(ruleset);
    for stretch in stretches {
        let mut at = stretch.start;
        while at < stretch.end {
            let stored = match service.read(database, at, stretch.end).await {
                Ok(stored) => stored,
                Err(status) => return drop(out.send(Err(status)).await),
            };
            // The numbers of what was withdrawn stay empty.
            let past = stored.last().map_or(stretch.end, |last| last.sequence.0 + 1);
            for StoredFact { fact, sequence } in stored {
                if sequence.0 >= stretch.end || !facts::is_of(&fact, ruleset) {
                    continue;
                }
                if let Err(fact) = gathered.add(fact) {
                    let full = std::mem::replace(&mut gathered, facts::Batch::new(ruleset));
                    if service.send(full, &out).await.is_err() {
                        return;
                    }
                    let _ = gathered.add(fact);
                }
            }
            at = past;
        }
    }
    let _ = service.send(gathered, &out).await;
}

impl Service {
    /// Facts from number `from` on, no more than one batch may have, and not many beyond `end`.
    async fn read(&self, database: u64, from: u64, end: u64) -> Result<Vec<StoredFact>, Status> {
        let turn = Arc::clone(&self.tellers).acquire_owned().await;
        let turn = turn.expect("turns are never closed");
        // Whoever waits for a turn holds no copy that is to be closed.
        let held = self.held.borrow().clone().filter(|held| held.database == database);
        let held = held.ok_or_else(|| Status::unavailable("this copy is made anew"))?;
        let most = usize::try_from(end - from).map_or(limits::FACTS, |all| all.min(limits::FACTS));
        let read = self.blocking.call("copy", move || {
            let stored = held.reader().facts_from(Sequence(from), most);
            // Reading ends the turn, also when nobody waits for what was read.
            drop((held, turn));
            stored
        });
        let failed = |_| Status::internal("the copy was not read; see the follower's log");
        read.await.map_err(failed)?.map_err(|error| Status::unavailable(error.to_string()))
    }

    async fn send(
        &self,
        batch: facts::Batch,
        out: &mpsc::Sender<Result<wire::FactBatch, Status>>,
    ) -> Result<(), mpsc::error::SendError<Result<wire::FactBatch, Status>>> {
        if batch.0.facts.is_empty() {
            return Ok(());
        }
        self.told.fetch_add(batch.0.facts.len() as u64, Ordering::Relaxed);
        out.send(Ok(batch.0)).await
    }
}
