//! Sessions of followers: everything that is written, as it is written.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sprig_blocking::Blocking;
use sprig_proto::wire::followers_server::Followers;
use sprig_proto::{
    Build, FollowerHello, FollowerWelcome, FromFollower, Record, ToFollower, Written, limits, wire,
};
use sprig_store::{Change, News, Store, StoreError, Succession};
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};
use tracing::info;

use super::Context;
use crate::access::Caller;
use crate::driver::Inbound;
use crate::feed::Feed;
use crate::followers::Connected;

pub(crate) struct Service(pub(crate) Context);

/// How long a session may take to say `hello`.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a follower hears that there is nothing new.
const BEAT: Duration = Duration::from_millis(500);

type Out = mpsc::Sender<Result<wire::ToFollower, Status>>;

#[tonic::async_trait]
impl Followers for Service {
    type FollowStream = Pin<Box<dyn Stream<Item = Result<wire::ToFollower, Status>> + Send>>;

    async fn follow(
        &self,
        request: Request<Streaming<wire::FromFollower>>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        let context = self.0.clone();
        let caller = Caller::of(&request);
        let mut incoming = request.into_inner();
        let first = tokio::time::timeout(PATIENCE, incoming.message()).await;
        let first = first.map_err(|_| Status::deadline_exceeded("nothing was said"))??;
        let hello = greeted(first)?;
        if let Some(reign) = hello.reign {
            context.send(Inbound::Reigns(reign)).await?;
        }
        let position = hello.on_disk.position;
        let (database, reign, ahead, gone) = context
            .ask(move |store| {
                let news = store.news(position, 1, Duration::ZERO)?;
                let (database, reign) = (store.identity()?, store.succession()?.reign);
                Ok((database, reign, position > store.position(), news == News::Gone))
            })
            .await?;
        let knows = hello.database == database;
        if knows && ahead {
            return Err(Status::failed_precondition(
                "the follower has records that this coordinator lacks: its database was put back to an earlier day; promote the follower, or follow into a new folder",
            ));
        }
        let whole = hello.database == 0 || knows && gone;
        let name = caller.source(&hello.name);
        let pace = Pace::of(&context.blocking);
        let (out, outgoing) = mpsc::channel(pace.on_the_way);
        let build = Build::here();
        let welcome = ToFollower::Welcome(FollowerWelcome { build, database, reign, whole });
        let _ = out.try_send(Ok(welcome.into()));
        if knows || whole {
            info!(name, address = caller.from(), whole, "follower joined");
            let on_disk = if whole { sprig_proto::OnDisk::default() } else { hello.on_disk };
            let store = Arc::clone(&context.store);
            let connected = context.followers.join(&name, &hello.build.id, on_disk);
            let sender = out.clone();
            let from = (!whole).then_some(position);
            tokio::spawn(async move {
                if let Err(status) = send(&context, &pace, from, &sender).await {
                    let _ = sender.send(Err(status)).await;
                }
            });
            tokio::spawn(listen(store, connected, name, incoming, out));
        }
        // A follower of another database is only told which database this is.
        Ok(Response::new(Box::pin(ReceiverStream::new(outgoing))))
    }

    async fn reigning(
        &self,
        _: Request<wire::ReignRequest>,
    ) -> Result<Response<wire::Reign>, Status> {
        let Succession { reign, inherited, .. } = self.0.ask(|store| store.succession()).await?;
        Ok(Response::new(wire::Reign { inherited, ..reign.into() }))
    }
}

/// The first message, if it is a `hello` of a build that fits.
fn greeted(message: Option<wire::FromFollower>) -> Result<FollowerHello, Status> {
    let message = message.ok_or_else(|| Status::invalid_argument("nothing was said"))?;
    let FromFollower::Hello(hello) = FromFollower::try_from(message)? else {
        return Err(Status::invalid_argument("the first message must be `hello`"));
    };
    hello.build.check()?;
    if hello.name.contains('@') {
        return Err(Status::invalid_argument(format!(
            "the name {:?} is refused: what follows `@` in a name is proved by a token or certificate; choose another one with --name",
            hello.name
        )));
    }
    Ok(hello)
}

/// Hears what is on the follower's disk until the call ends.
async fn listen(
    store: Arc<Store>,
    connected: Connected,
    name: String,
    mut incoming: Streaming<wire::FromFollower>,
    out: Out,
) {
    let why = loop {
        let message = tokio::select! {
            message = incoming.message() => message,
            () = out.closed() => break "its connection has ended".to_owned(),
        };
        match message.map(|message| message.map(FromFollower::try_from)) {
            // What is acknowledged rests on this.
            Ok(Some(Ok(FromFollower::OnDisk(on_disk)))) if on_disk.position > store.position() => {
                break "it says that it has records that there are not".to_owned();
            }
            Ok(Some(Ok(FromFollower::OnDisk(on_disk)))) => connected.heard(on_disk),
            Ok(Some(Ok(FromFollower::Hello(_)))) => break "a second hello".to_owned(),
            Ok(Some(Err(malformed))) => break malformed.to_string(),
            Ok(None) => break "its connection has ended".to_owned(),
            Err(status) => break status.message().to_owned(),
        }
    };
    info!(name, why, "follower left");
    let _ = out.try_send(Err(Status::aborted(why)));
}

/// How the service waits for what is written.
struct Pace {
    /// Messages on their way to a follower.
    on_the_way: usize,
    /// How long a look at the database waits for something new.
    wait: Duration,
    /// The pause after a look that has found nothing.
    pause: Duration,
    /// Puts a message on its way, from a place that may block.
    put: fn(&Out, wire::ToFollower) -> bool,
}

impl Pace {
    /// A simulation has one thread, which cannot wait: a message finds room there, or the session
    /// ends.
    fn of(blocking: &Blocking) -> Self {
        match blocking {
            Blocking::Threads => Self {
                on_the_way: 4,
                wait: BEAT,
                pause: Duration::ZERO,
                put: |out, message| out.blocking_send(Ok(message)).is_ok(),
            },
            Blocking::Simulated(_) => Self {
                on_the_way: 1 << 10,
                wait: Duration::ZERO,
                pause: BEAT / 20,
                put: |out, message| out.try_send(Ok(message)).is_ok(),
            },
        }
    }
}

/// What was written, as a message.
fn written(store: &Store, changes: Vec<Change>, position: Option<u64>) -> wire::ToFollower {
    let records = changes.into_iter().map(record).collect();
    let facts = store.next_sequence().0;
    ToFollower::Written(Written { records, position, facts }).into()
}

/// Sends what is written after record `from`, or the whole database and then that, until the
/// follower goes away or the coordinator ends.
async fn send(context: &Context, pace: &Pace, from: Option<u64>, out: &Out) -> Result<(), Status> {
    let mut at = match from {
        Some(position) => position,
        None => match whole(context, pace, out).await? {
            Some(position) => position,
            None => return Ok(()),
        },
    };
    let say = async |changes, position| {
        out.send(Ok(written(&context.store, changes, position))).await.is_ok()
    };
    while !is_over(&context.feed, out) {
        let wait = pace.wait;
        let news = move |store: &Store| store.news(at, limits::RECORD_BYTES, wait);
        match called(context, news).await? {
            News::Changes { changes, position } => {
                let mut parts = parts(changes);
                let last = parts.pop().unwrap_or_default();
                for part in parts {
                    say(part, None).await;
                }
                say(last, Some(position)).await;
                at = position;
            }
            News::Nothing => {
                say(Vec::new(), Some(at)).await;
                tokio::time::sleep(pace.pause).await;
            }
            News::Gone => {
                let late = "what was written meanwhile is no longer known: the copy is made anew";
                return Err(Status::unavailable(late));
            }
        }
    }
    Ok(())
}

/// Sends the whole database as it is now. Returns the number of its last record, or `None` if it
/// was broken off.
async fn whole(context: &Context, pace: &Pace, out: &Out) -> Result<Option<u64>, Status> {
    let (put, sender, feed) = (pace.put, out.clone(), Arc::clone(&context.feed));
    let position = called(context, move |store| {
        let go_on =
            |changes| !is_over(&feed, &sender) && put(&sender, written(store, changes, None));
        store.whole(limits::RECORD_BYTES, go_on)
    });
    let Some(position) = position.await? else { return Ok(None) };
    let last = written(&context.store, Vec::new(), Some(position));
    Ok(out.send(Ok(last)).await.is_ok().then_some(position))
}

/// Whether the receiver has gone, or the coordinator ends.
fn is_over(feed: &Feed, out: &Out) -> bool {
    feed.total().is_none() || out.is_closed()
}

/// Asks the database, away from the threads that serve all callers.
async fn called<T: Send + 'static>(
    context: &Context,
    question: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Status> {
    let store = Arc::clone(&context.store);
    let answer = context.blocking.call("follower", move || question(&store)).await;
    let answer = answer.map_err(|panic| Status::internal(panic.to_string()))?;
    answer.map_err(|error| Status::internal(error.to_string()))
}

/// The changes in parts that fit into a message.
fn parts(changes: Vec<Change>) -> Vec<Vec<Change>> {
    let mut parts = vec![Vec::new()];
    let mut bytes = 0;
    for change in changes {
        if bytes >= limits::RECORD_BYTES {
            parts.push(Vec::new());
            bytes = 0;
        }
        bytes += change.bytes();
        parts.last_mut().expect("there is one").push(change);
    }
    parts
}

fn record(Change { family, key, value }: Change) -> Record {
    Record { family, key, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_batch_goes_in_parts() {
        let change = |bytes| Change { family: "facts".into(), key: vec![7; bytes], value: None };
        let of = |changes: Vec<Change>| parts(changes).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(of(Vec::new()), [0]);
        assert_eq!(of(vec![change(1), change(2)]), [2]);
        assert_eq!(of((0..5).map(|_| change(limits::RECORD_BYTES / 2)).collect()), [2, 2, 1]);
    }
}
