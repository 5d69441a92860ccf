//! The gRPC side: translates and decides nothing.

mod clients;
mod copies;
mod facts;
mod followers;
mod turns;
mod workers;

pub(crate) use copies::Service as CopyService;
pub(crate) use turns::Turns;

use std::sync::Arc;
use std::time::Duration;

use sprig_blocking::Blocking;
use sprig_engine::Watched;
use sprig_proto::wire::clients_server::ClientsServer;
use sprig_proto::wire::followers_server::FollowersServer;
use sprig_proto::wire::workers_server::WorkersServer;
use sprig_proto::{Malformed, limits};
use sprig_store::{Store, StoreError};
use tokio::sync::mpsc;
use tonic::Status;
use tonic::transport::Server;
use tonic::transport::server::Router;
use tower_layer::{Identity, Stack};

use crate::access::{Gate, GuardLayer};
use crate::backlog::Backlog;
use crate::driver::{Boards, Inbound};
use crate::feed::Feed;
use crate::followers::Followers;
use crate::pages::Pages;
use crate::{Trust, Unanswered};

/// What every call needs.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) inbox: mpsc::Sender<Inbound>,
    pub(crate) store: Arc<Store>,
    pub(crate) blocking: Blocking,
    pub(crate) feed: Arc<Feed>,
    pub(crate) backlog: Arc<Backlog>,
    pub(crate) boards: Arc<Boards>,
    /// Whether claims are told.
    pub(crate) trust: Trust,
    pub(crate) followers: Arc<Followers>,
    /// Turns for queries, so that they cannot take all the threads.
    pub(crate) queries: Turns,
    /// Turns for reading long messages.
    pub(crate) readers: Turns,
    /// Turns for reading short messages.
    pub(crate) short_readers: Turns,
    /// Facts that were read for those that follow them.
    pub(crate) pages: Arc<Pages>,
}

impl Context {
    /// Reads a message. To see whether large lands are canonical takes long, so that is done away
    /// from the threads that serve all callers.
    async fn read<M, T>(&self, account: &str, message: M) -> Result<T, Status>
    where
        M: prost::Message + 'static,
        T: TryFrom<M, Error = Malformed> + Send + 'static,
    {
        let bytes = message.encoded_len();
        if bytes <= limits::TINY_BYTES {
            return Ok(T::try_from(message)?);
        }
        let is_short = bytes <= limits::SHORT_BYTES;
        let readers = if is_short { &self.short_readers } else { &self.readers };
        let turn = readers.next(account).await;
        let reading = self.blocking.call("reader", move || {
            let read = T::try_from(message);
            drop(turn);
            read
        });
        let failed = |_| Status::internal("a message could not be read; see the coordinator's log");
        Ok(reading.await.map_err(failed)??)
    }

    async fn send(&self, inbound: Inbound) -> Result<(), Status> {
        self.inbox.send(inbound).await.map_err(|_| stopping())
    }

    /// Asks the store something, away from the async threads.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Status> {
        let answer = self.ask_store(question).await?;
        answer.map_err(|error| Status::internal(error.to_string()))
    }

    /// Asks the store for something that work cannot go on without. When it cannot be read, the
    /// coordinator ends with the reason.
    async fn need<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Status> {
        match self.ask_store(question).await? {
            Ok(answer) => Ok(answer),
            Err(error) => {
                let status = Status::internal(error.to_string());
                self.send(Inbound::StoreFailed(error)).await?;
                Err(status)
            }
        }
    }

    async fn ask_store<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Result<T, StoreError>, Status> {
        let store = Arc::clone(&self.store);
        let answer = self.blocking.call("query", move || question(&store)).await;
        answer.map_err(|_| Status::internal("a query failed; see the coordinator's log"))
    }
}

/// How long a query may take.
const QUERY: Duration = Duration::from_secs(10);

/// Work that ends when its caller does not wait for it any more.
struct Waited(Arc<Watched>);

impl Drop for Waited {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Context {
    /// Looks up something that may take long, away from the async threads. It has a turn until its
    /// work has ended, not only until its client has gone; a client that goes ends the work.
    async fn look_up<T: Send + 'static>(
        &self,
        account: &str,
        question: impl FnOnce(&Store, &Arc<Watched>) -> Result<T, Unanswered> + Send + 'static,
    ) -> Result<T, Status> {
        let turn = self.queries.next(account).await;
        let store = Arc::clone(&self.store);
        let waited = Waited(Arc::default());
        let watched = Arc::clone(&waited.0);
        let answer = move || {
            let answer = question(&store, &watched);
            drop(turn);
            answer
        };
        let work = self.blocking.call("query", answer);
        let late = || {
            let seconds = QUERY.as_secs();
            Status::resource_exhausted(format!("the query takes more than {seconds} seconds"))
        };
        let done = tokio::time::timeout(QUERY, work).await.map_err(|_| late())?;
        let failed = |_| Status::internal("a query failed; see the coordinator's log");
        done.map_err(failed)?.map_err(|why| match why {
            Unanswered::Store(error) => Status::internal(error.to_string()),
            Unanswered::Unlisted(why) => Status::out_of_range(why.to_string()),
        })
    }
}

/// The services, with their limits.
pub(crate) fn router(context: &Context, gate: Gate) -> Router<Stack<GuardLayer, Identity>> {
    let workers = WorkersServer::new(workers::Service::new(context.clone()));
    let clients = ClientsServer::new(clients::Service(context.clone()));
    let followers = FollowersServer::new(followers::Service(context.clone()));
    server(gate)
        .add_service(workers.max_decoding_message_size(limits::MESSAGE_BYTES))
        .add_service(clients.max_decoding_message_size(limits::MESSAGE_BYTES))
        .add_service(followers.max_decoding_message_size(limits::MESSAGE_BYTES))
}

/// A server with its limits, behind the gate.
fn server(gate: Gate) -> Server<Stack<GuardLayer, Identity>> {
    Server::builder()
        .max_concurrent_streams(limits::STREAMS)
        .http2_max_header_list_size(limits::HEADER_BYTES)
        // Finds peers that have vanished without a word.
        .http2_keepalive_interval(Some(Duration::from_secs(10)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .http2_max_pending_accept_reset_streams(Some(limits::RESETS))
        .layer(GuardLayer(gate))
}

fn stopping() -> Status {
    Status::unavailable("the coordinator is stopping")
}
