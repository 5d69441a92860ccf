//! Facts for workers out of a copy of a coordinator's database: those that the coordinator has told
//! them to read there.

use std::num::NonZero;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sprig_blocking::Blocking;
use sprig_domain::Ruleset;
use sprig_proto::wire::copies_server::{Copies, CopiesServer};
use sprig_proto::{limits, wire};
use sprig_store::Held;
use tokio::sync::{mpsc, watch};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::Router;
use tonic::{Request, Response, Status};
use tower_layer::{Identity, Stack};

use super::{facts, server};
use crate::access::{Gate, GuardLayer};
use crate::pages::{Page, Pages};

/// How long a worker waits for a copy that lags.
const PATIENCE: Duration = Duration::from_secs(5);

/// What every call needs.
#[derive(Clone)]
pub(crate) struct Service {
    held: watch::Receiver<Option<Held>>,
    /// Facts told until now. Only ever counted up; it orders no other memory.
    told: Arc<AtomicU64>,
    blocking: Blocking,
    /// Facts that were read for workers.
    pages: Arc<Pages>,
}

impl Service {
    pub(crate) fn new(held: watch::Receiver<Option<Held>>, told: Arc<AtomicU64>) -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Self { held, told, blocking: Blocking::Threads, pages: Arc::new(Pages::new(threads)) }
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
        let next = match tokio::time::timeout(PATIENCE, held.wait_for(has_come)).await {
            Ok(Ok(held)) => held.as_ref().filter(|h| h.database == database).map(|h| h.next.0),
            Ok(Err(_)) => return Err(Status::unavailable("the follower is stopping")),
            Err(_) => {
                let lag = "this copy lacks what the coordinator has written in the last seconds";
                return Err(Status::unavailable(lag));
            }
        };
        let next = next.ok_or_else(|| {
            let other = "this copy is of another database than the coordinator's";
            Status::failed_precondition(other)
        })?;
        // No coordinator tells of facts that it has not.
        let stretches = stretches.into_iter().map(|range| range.start..range.end.min(next));
        let stretches = stretches.collect();
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
            let page = match service.page(database, at..stretch.end).await {
                Ok(page) => page,
                Err(status) => return drop(out.send(Err(status)).await),
            };
            let until = page.range.end.min(stretch.end);
            for fact in page.within(&(at..until)) {
                if fact.is_of(ruleset) && !gathered.add(fact) {
                    let full = std::mem::replace(&mut gathered, facts::Batch::new(ruleset));
                    if service.send(full, &out).await.is_err() {
                        return;
                    }
                    gathered.add(fact);
                }
            }
            at = until;
        }
    }
    let _ = service.send(gathered, &out).await;
}

impl Service {
    /// The facts of this stretch, or the first of them.
    async fn page(&self, database: u64, stretch: Range<u64>) -> Result<Arc<Page>, Status> {
        let turn = self.pages.turn().await;
        // Whoever waits for a turn holds no copy that is to be closed.
        let held = self.held.borrow().clone().filter(|held| held.database == database);
        let held = held.ok_or_else(|| Status::unavailable("this copy is made anew"))?;
        if let Some(page) = self.pages.find(stretch.start, held.version) {
            return Ok(page);
        }
        let pages = Arc::clone(&self.pages);
        let read = self.blocking.call("copy", move || {
            let facts = |from, most| held.reader().facts_from(from, most);
            let page = pages.page(stretch, Some(held.version), facts);
            // Until now others wait, also when nobody wants this any more.
            drop(turn);
            page
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
