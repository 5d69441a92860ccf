//! Sessions of workers.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sprig_proto::wire::workers_server::Workers;
use sprig_proto::{Hello, WorkerId, limits, wire};
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use super::{Context, facts};
use crate::access::{Caller, Pace};
use crate::driver::{Inbound, Parting, SESSION_QUEUE};
use crate::machine::{Event, SessionId};

pub(crate) struct Service {
    context: Context,
    /// Only ever counted up. It orders no other memory.
    next_session: AtomicU64,
}

/// How long a session may take to say `Hello`.
const PATIENCE: Duration = Duration::from_secs(10);

type Out<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl Service {
    pub(crate) fn new(context: Context) -> Self {
        Self { context, next_session: AtomicU64::new(1) }
    }
}

#[tonic::async_trait]
impl Workers for Service {
    type WorkStream = Out<wire::ToWorker>;
    type FactsStream = Out<wire::FactBatch>;

    async fn work(
        &self,
        request: Request<Streaming<wire::FromWorker>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        let caller = Caller::of(&request);
        let mut incoming = request.into_inner();
        // A session that never says who it is would hold a stream for ever.
        let first = tokio::time::timeout(PATIENCE, incoming.message()).await;
        let first = first.map_err(|_| Status::deadline_exceeded("nothing was said"))??;
        let mut hello = greeted(first)?;
        hello.name = caller.source(&hello.name);
        let account = caller.account();
        let session = SessionId(self.next_session.fetch_add(1, Ordering::Relaxed));
        let (out, outgoing) = mpsc::channel(SESSION_QUEUE);
        self.context.send(Inbound::Joined { session, hello, caller, out: out.clone() }).await?;
        tokio::spawn(listen(self.context.clone(), session, account, incoming, out.downgrade()));
        Ok(Response::new(Box::pin(ReceiverStream::new(outgoing))))
    }

    async fn facts(
        &self,
        request: Request<wire::FactsRequest>,
    ) -> Result<Response<Self::FactsStream>, Status> {
        let request = request.into_inner();
        let ruleset = sprig_proto::ruleset(request.ruleset)?;
        let follower = facts::Follower {
            worker: WorkerId(request.worker),
            ruleset,
            forgotten: request.forgotten,
            from_copy: request.from_copy,
        };
        let (out, outgoing) = mpsc::channel(1);
        tokio::spawn(facts::send(self.context.clone(), follower, request.from, out));
        Ok(Response::new(Box::pin(ReceiverStream::new(outgoing))))
    }
}

/// The first message, if it is a `Hello` of a build that fits.
fn greeted(message: Option<wire::FromWorker>) -> Result<Hello, Status> {
    let message = message.ok_or_else(|| Status::invalid_argument("nothing was said"))?;
    // To read any other message may take long.
    let Some(wire::from_worker::Message::Hello(hello)) = message.message else {
        return Err(Status::invalid_argument("the first message must be `hello`"));
    };
    let hello = Hello::try_from(hello)?;
    hello.build.check()?;
    if hello.games.is_empty() {
        return Err(Status::invalid_argument(format!(
            "{} names no game that this coordinator knows: install the newer sprig here, or a worker for Sprouts there",
            hello.name
        )));
    }
    if hello.name.contains('@') {
        return Err(Status::invalid_argument(format!(
            "the name {:?} is refused: what follows `@` in a name is proved by a token or certificate; choose another one with --name",
            hello.name
        )));
    }
    Ok(hello)
}

/// Passes on what a worker says until the connection ends, on whichever side. The driver alone
/// keeps the way back open, so that it can end the session by letting go of it.
async fn listen(
    context: Context,
    session: SessionId,
    account: String,
    mut incoming: Streaming<wire::FromWorker>,
    out: mpsc::WeakSender<Result<wire::ToWorker, Status>>,
) {
    let pace = Pace::new(limits::MESSAGES_PER_SECOND, limits::MESSAGES_AT_ONCE);
    let parting = loop {
        let message = match incoming.message().await {
            Ok(Some(message)) => message,
            Ok(None) => break Parting::Ended,
            Err(status) => break Parting::Lost(status.message().to_owned()),
        };
        pace.wait().await;
        let Some(out) = out.upgrade() else { break Parting::Ended };
        let inbound = match context.read(&account, message).await {
            Ok(message) => Inbound::Event(Event::Said { session, message }),
            Err(status) => {
                let parting = Parting::Lost(status.message().to_owned());
                let _ = out.send(Err(status)).await;
                break parting;
            }
        };
        context.backlog.room().await;
        if context.send(inbound).await.is_err() {
            return;
        }
    };
    // Fails only when the driver has gone.
    let _ = context.send(Inbound::Left { session, parting }).await;
}
