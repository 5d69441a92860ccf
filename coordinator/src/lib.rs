//! Leases jobs, takes in facts, answers queries. `docs/cluster.md` tells the life of a job.
//!
//! [`machine`] decides, in pure code; the driver and the writer act; the gRPC services translate.

pub mod access;
mod authors;
mod backlog;
mod copies;
mod driver;
mod error;
mod feed;
mod followers;
pub mod gather;
mod ground;
mod hand_in;
mod knowledge;
pub mod machine;
mod metrics;
mod pages;
mod record;
pub mod scout;
mod service;
mod told;
pub mod trust;
mod waits;
mod watchdog;
mod writer;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use sprig_domain::{JobId, Reign};
use sprig_proto::limits;
use sprig_store::Store;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_stream::Stream;
use tonic::transport::server::Connected;

pub use access::{Peer, Protection, ReloadError};
pub use copies::Copies;
pub use error::Error;
pub use ground::Ground;
pub use hand_in::{HandInError, HandedIn, Heir};
pub use knowledge::{
    LandPage, Unanswered, Wanted, at_sight, knowledge, lands_by_key, moves, options_of,
};
pub use metrics::Watcher;
pub use record::job as told;
pub use trust::Trust;
pub use watchdog::STANDS_STILL;

use access::Gate;
use backlog::Backlog;
use driver::{Attempts, Driver, Inbound, Traces};
use feed::Feed;
use followers::{Followers, Pledge};
use machine::Machine;
use metrics::Taken;
use pages::Pages;
use scout::Scouts;
use service::{Context, Turns};
use trust::{Auditor, Doubters, Means, Standing, Withdrawals};
use waits::Waits;
use watchdog::Part;
use writer::Writer;

/// How long a part may stand still before the process is ended, unless another time is given.
pub const PATIENCE: Duration = Duration::from_secs(900);

/// Expansions of each thread of a worker for a leaf, unless another number is given.
pub const LEAF: u64 = 8_000;

/// The most workers that a job gets, unless another number is given.
pub const MOST_WORKERS: u32 = 64;

/// How long the parts may take to end.
const END: Duration = Duration::from_secs(6);

/// How to run a coordinator.
pub struct Config {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The database.
    pub store: Arc<Store>,
    /// What is asked of clients that connect.
    pub protection: Protection,
    /// Whether the facts of workers are checked.
    pub trust: Trust,
}

/// How a coordinator works.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How long a part may stand still before the process is ended, with the code
    /// [`STANDS_STILL`].
    pub patience: Duration,
    /// Nothing is acknowledged before as many followers have it on disk, too.
    pub sync_followers: usize,
    /// Where three workers or more divide a job: expansions of each thread for one leaf of it.
    /// `None`: all search the whole goal.
    pub leaf: Option<NonZeroU64>,
    /// The most workers that a job gets; others are there for other jobs. `None`: as many as there
    /// are.
    pub most_workers: Option<NonZeroU32>,
}

impl Default for Settings {
    fn default() -> Self {
        let (leaf, most_workers) = (NonZeroU64::new(LEAF), NonZeroU32::new(MOST_WORKERS));
        Self { patience: PATIENCE, sync_followers: 0, leaf, most_workers }
    }
}

/// A running coordinator. It goes on until [`Coordinator::shutdown`]; dropping it stops it at once,
/// like a crash.
#[derive(Debug)]
pub struct Coordinator {
    address: SocketAddr,
    scheme: &'static str,
    inbox: mpsc::Sender<Inbound>,
    gate: Gate,
    audited: Arc<trust::Audited>,
    taken: Arc<Taken>,
    backlog: Arc<Backlog>,
    waits: Arc<Waits>,
    driver: JoinHandle<Result<(), Error>>,
    /// Set when [`Coordinator::failure`] has told how the driver or the server has ended.
    has_failed: bool,
    /// Tells the server that calls are to end.
    close: Option<oneshot::Sender<()>>,
    server: JoinHandle<Result<(), tonic::transport::Error>>,
    parts: Vec<Arc<Part>>,
    store: Weak<Store>,
    /// The watchdog ends when this is dropped.
    watchdog: Option<std::sync::mpsc::Sender<()>>,
}

impl Coordinator {
    /// Starts on the current tokio runtime, and goes on with the unfinished jobs of the database.
    ///
    /// # Errors
    /// [`Error::Clock`], [`Error::Listen`], [`Error::Tls`], [`Error::Store`], [`Error::Thread`].
    pub async fn start(config: Config) -> Result<Self, Error> {
        Self::start_with(config, Settings::default()).await
    }

    /// As for [`Self::start`], with other settings.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn start_with(config: Config, settings: Settings) -> Result<Self, Error> {
        let Config { listen, store, protection, trust } = config;
        record::check_clock(SystemTime::now())?;
        let gate = Gate::new(protection)?;
        let failed = |source| Error::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;

        let incoming = access::listen(listener, gate.clone());
        let ground = Ground::real();
        let coordinator = Self::behind(gate, ground, store, trust, settings, address, incoming)?;
        coordinator.watch(settings.patience)
    }

    /// Has a thread watch the parts.
    fn watch(mut self, patience: Duration) -> Result<Self, Error> {
        let (close, closed) = std::sync::mpsc::channel();
        let (parts, store) = (self.parts.clone(), Weak::clone(&self.store));
        let bark = move |part: &Part| {
            // If the database is gone, the coordinator has ended.
            if let Some(store) = store.upgrade() {
                watchdog::end_process(part, patience, &store);
            }
        };
        let thread = std::thread::Builder::new().name("watchdog".into());
        thread
            .spawn(move || watchdog::watch(&parts, patience, &closed, bark))
            .map_err(Error::Thread)?;
        self.watchdog = Some(close);
        Ok(self)
    }

    /// Starts in another environment, on connections that the caller accepts at `address`, from any
    /// peer. Nobody watches it there.
    ///
    /// # Errors
    /// [`Error::Store`], [`Error::Thread`].
    pub fn on<IO>(
        ground: Ground,
        store: Arc<Store>,
        trust: Trust,
        settings: Settings,
        address: SocketAddr,
        incoming: impl Stream<Item = io::Result<IO>> + Send + 'static,
    ) -> Result<Self, Error>
    where
        IO: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    {
        let gate = Gate::new(Protection::default())?;
        Self::behind(gate, ground, store, trust, settings, address, incoming)
    }

    fn behind<IO>(
        gate: Gate,
        ground: Ground,
        store: Arc<Store>,
        trust: Trust,
        settings: Settings,
        address: SocketAddr,
        incoming: impl Stream<Item = io::Result<IO>> + Send + 'static,
    ) -> Result<Self, Error>
    where
        IO: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    {
        if trust != Trust::Own {
            store.may_lead()?;
        }
        let followers = Followers::new(settings.sync_followers);
        let scheme = if gate.is_encrypted() { "https" } else { "http" };
        let Ground { epoch, blocking, environment, threads } = ground;
        let total = store.next_sequence().0;
        let standing = Standing::read(&store)?;
        let next = JobId(store.next_job()?.0);
        let reign = store.succession()?.reign;
        let traces = Traces::new(store.identity()?, epoch);
        let machine = Machine::new(epoch, store.identity()?, total, next).reigning(reign);
        let machine = machine.begun_at(record::time().0);
        let machine = machine.dividing(settings.leaf);
        let mut machine = machine.with_at_most(settings.most_workers);
        let withdrawals = Withdrawals::before(standing.withdrawals);
        if trust == Trust::Checked {
            machine = machine.checked(withdrawals.clone());
        }
        // A command that solves in this process has asked for one goal, and not for those that a
        // killed process had begun.
        let first = match trust {
            Trust::Own => Vec::new(),
            Trust::Checked | Trust::Believed => writer::unfinished(&store, trust)?,
        };
        let feed = Arc::new(Feed::new(total, trust == Trust::Checked));
        let (backlog, waits) = (Arc::new(Backlog::default()), Arc::<Waits>::default());
        let (inbox, inbound) = mpsc::channel(driver::INBOX);
        let (orders, order_queue) = mpsc::unbounded_channel();
        let audited = Arc::new(trust::Audited::default());
        let taken = Arc::new(Taken::default());
        let watched_backlog = Arc::clone(&backlog);
        let parts = ["driver", "writer", "auditor"].map(Part::new);
        let [driven, written, checked] = parts.clone();
        let auditor = match trust {
            Trust::Own | Trust::Believed => None,
            Trust::Checked => {
                let audited = Arc::clone(&audited);
                let (store, feed) = (Arc::clone(&store), Arc::clone(&feed));
                let means = Means { environment, threads, watched: Arc::clone(&checked.watched) };
                let inbox = inbox.clone();
                let auditor =
                    Auditor::start(&blocking, means, store, feed, inbox, audited, checked);
                Some(auditor.map_err(Error::Thread)?)
            }
        };
        let writer = Writer {
            store: Arc::clone(&store),
            feed: Arc::clone(&feed),
            trust,
            auditor,
            part: written,
            backlog: Arc::clone(&backlog),
            taken: Arc::clone(&taken),
            failed: None,
            pledge: Pledge::start(&followers, &inbox, &backlog),
        };
        let writer = blocking.keep("writer", writer, order_queue, inbox.clone());
        let context = Context {
            inbox: inbox.clone(),
            store,
            blocking,
            feed: Arc::clone(&feed),
            backlog: Arc::clone(&backlog),
            boards: Arc::default(),
            trust,
            followers: Arc::clone(&followers),
            readers: Turns::new(limits::READERS),
            short_readers: Turns::new(limits::READERS),
            queries: Turns::new(limits::QUERIES),
            pages: Arc::new(Pages::new(threads)),
        };
        let known = Arc::clone(&context.store);
        let scouts =
            Scouts::new(context.blocking.clone(), &inbox, known, Arc::clone(&context.feed));
        let store = Arc::downgrade(&context.store);
        let driver = Driver {
            machine,
            scouts,
            inbox: inbound,
            orders: Some(orders),
            backlog,
            writer,
            reign,
            followers,
            feed,
            boards: Arc::clone(&context.boards),
            waits: Arc::clone(&waits),
            sessions: BTreeMap::new(),
            calls: HashMap::new(),
            next_call: 1,
            standing,
            withdrawals,
            held: None,
            attempts: Attempts::default(),
            excused: BTreeSet::new(),
            doubters: Doubters::default(),
            store: Arc::clone(&context.store),
            traces,
            begun: Instant::now(),
            part: driven,
        };
        let (close, closed) = oneshot::channel();
        let server =
            service::router(&context, gate.clone()).serve_with_incoming_shutdown(incoming, async {
                let _ = closed.await;
            });
        Ok(Self {
            address,
            scheme,
            inbox,
            gate,
            audited,
            taken,
            backlog: watched_backlog,
            waits,
            driver: tokio::spawn(driver.run(first)),
            has_failed: false,
            close: Some(close),
            server: tokio::spawn(server),
            parts: parts.into(),
            store,
            watchdog: None,
        })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Its address for workers and clients.
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// From now on, other tokens and certificates count, without a restart. Open calls of callers
    /// that they do not know end.
    ///
    /// # Errors
    /// [`ReloadError`]; then the old ones count on.
    pub fn reload(&self, protection: Protection) -> Result<(), ReloadError> {
        self.gate.exchange(protection)
    }

    /// Tells it of a reign: it ends if that reign succeeds its own, and the owner has proved it.
    pub async fn hear_of(&self, reign: Reign) {
        // Fails only if the driver has ended already.
        let _ = self.inbox.send(Inbound::Reigns(reign)).await;
    }

    /// A way to watch it from outside.
    pub fn watcher(&self) -> Watcher {
        Watcher {
            inbox: self.inbox.clone(),
            audited: Arc::clone(&self.audited),
            taken: Arc::clone(&self.taken),
            backlog: Arc::clone(&self.backlog),
            waits: Arc::clone(&self.waits),
        }
    }

    /// Waits until it fails: the database cannot be used any more, or there is a bug. Does not
    /// return otherwise.
    pub async fn failure(&mut self) -> Error {
        let error = tokio::select! {
            ended = &mut self.driver => match ended {
                Ok(Ok(())) => Error::Driver("without an error".into()),
                Ok(Err(error)) => error,
                Err(panic) => Error::Driver(panic.to_string()),
            },
            ended = &mut self.server => Error::Serve(match ended {
                Ok(Ok(())) => "it has closed".into(),
                Ok(Err(error)) => error.to_string(),
                Err(panic) => panic.to_string(),
            }),
        };
        self.has_failed = true;
        error
    }

    /// Commits and acknowledges what it has, writes down how far jobs have come, and ends.
    ///
    /// # Errors
    /// [`Error::Store`] when that could not be written.
    pub async fn shutdown(mut self) -> Result<(), Error> {
        // A check can be made again, and what is to be written waits behind it.
        self.parts.iter().for_each(|part| part.watched.stop());
        // Fails only if the driver has ended already; its result says why.
        let _ = self.inbox.send(Inbound::Stop).await;
        // A part that has failed has given its result already, and gives it once.
        let is_told = self.has_failed && self.driver.is_finished();
        let ended = if is_told {
            Ok(Ok(Ok(())))
        } else {
            tokio::time::timeout(END, &mut self.driver).await
        };
        drop(self.close.take());
        if self.has_failed && self.server.is_finished() {
            return Ok(());
        }
        // Calls end by themselves when the driver has gone, unless their peer keeps them open.
        if tokio::time::timeout(driver::GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
        match ended {
            Ok(ended) => ended.unwrap_or_else(|panic| Err(Error::Driver(panic.to_string()))),
            Err(_) => Err(Error::Late(END.as_secs())),
        }
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.driver.abort();
        self.server.abort();
    }
}
