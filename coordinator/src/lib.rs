//! Splits the game tree, leases jobs, takes in facts, answers queries. `docs/cluster.md` tells the life of a job.
//!
//! [`machine`] decides, in pure code; the driver and the librarian act; the gRPC services translate.

mod driver;
mod error;
mod feed;
mod knowledge;
mod librarian;
pub mod machine;
mod record;
mod service;
pub mod tree;

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc as sync_mpsc};

use sprig_proto::JobId;
use sprig_store::Store;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tonic::transport::server::TcpIncoming;

pub use error::Error;
pub use knowledge::knowledge;

use driver::{Driver, Inbound};
use feed::Feed;
use librarian::Librarian;
use machine::Machine;
use service::Desk;

/// How to run a coordinator.
pub struct Config {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The database.
    pub store: Arc<Store>,
}

/// A running coordinator. It goes on until [`Coordinator::shutdown`]; dropping it stops it at once, like a crash.
#[derive(Debug)]
pub struct Coordinator {
    address: SocketAddr,
    inbox: mpsc::Sender<Inbound>,
    driver: JoinHandle<Result<(), Error>>,
    /// Told when calls are to end.
    close: Option<oneshot::Sender<()>>,
    server: JoinHandle<Result<(), tonic::transport::Error>>,
}

impl Coordinator {
    /// Starts on the current tokio runtime; goes on with the unfinished jobs of the database.
    ///
    /// # Errors
    /// [`Error::Listen`], [`Error::Store`], [`Error::Thread`].
    pub async fn start(config: Config) -> Result<Self, Error> {
        let Config { listen, store } = config;
        let failed = |source| Error::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;

        let total = store.next_sequence().0;
        let machine = Machine::new(random(), total, JobId(store.next_job()?.0));
        let first = librarian::unfinished(&store)?;
        let feed = Arc::new(Feed::new(total));
        let (inbox, inbound) = mpsc::channel(driver::INBOX);
        let (orders, order_queue) = sync_mpsc::channel();
        let librarian =
            Librarian::start(Arc::clone(&store), Arc::clone(&feed), inbox.clone(), order_queue)
                .map_err(Error::Thread)?;
        let desk =
            Desk { inbox: inbox.clone(), store, feed: Arc::clone(&feed), boards: Arc::default() };
        let driver = Driver {
            machine,
            inbox: inbound,
            orders: Some(orders),
            librarian,
            feed,
            boards: Arc::clone(&desk.boards),
            sessions: HashMap::new(),
            calls: HashMap::new(),
            next_call: 1,
            begun: Instant::now(),
        };
        let (close, closed) = oneshot::channel();
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let server = service::router(&desk).serve_with_incoming_shutdown(incoming, async {
            let _ = closed.await;
        });
        Ok(Self {
            address,
            inbox,
            driver: tokio::spawn(driver.run(first)),
            close: Some(close),
            server: tokio::spawn(server),
        })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Its address for workers and clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until it fails: the database cannot be used any more, or there is a bug. Does not return otherwise.
    pub async fn failure(&mut self) -> Error {
        tokio::select! {
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
        }
    }

    /// Commits and acknowledges what it has, writes down how far jobs have come, and ends.
    ///
    /// # Errors
    /// [`Error::Store`] when that could not be written.
    pub async fn shutdown(mut self) -> Result<(), Error> {
        // Fails only if the driver has ended already; its result says why.
        let _ = self.inbox.send(Inbound::Stop).await;
        let ended = (&mut self.driver).await;
        drop(self.close.take());
        // Calls end by themselves when the driver has gone, unless their peer keeps them open.
        if tokio::time::timeout(driver::GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
        ended.unwrap_or_else(|panic| Err(Error::Driver(panic.to_string())))
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.driver.abort();
        self.server.abort();
    }
}

/// A number that no other run has: the standard library seeds every hasher anew.
fn random() -> u64 {
    std::hash::RandomState::new().hash_one(std::time::SystemTime::now())
}
