//! A coordinator, and workers whose every message is chosen by the test.

use std::sync::Arc;
use std::time::Duration;

use sprig_coordinator::{Config, Coordinator, Protection, Trust};
use sprig_domain::{Figures, Game};
use sprig_engine::{CanonicalPosition, Position};
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{Access, Build, Client, FromWorker, Hello, ToWorker, WorkerId, wire};
use sprig_search::Limits;
use sprig_store::{Secret, Store};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Status, Streaming};

pub async fn start() -> (Coordinator, Arc<Store>, tempfile::TempDir) {
    start_with(Trust::Checked).await
}

pub async fn start_with(trust: Trust) -> (Coordinator, Arc<Store>, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a directory");
    let store =
        Arc::new(Store::open(dir.path(), &Secret::new([7; Secret::BYTES])).expect("a database"));
    let listen = "127.0.0.1:0".parse().expect("an address");
    let config =
        Config { listen, store: Arc::clone(&store), protection: Protection::default(), trust };
    (Coordinator::start(config).await.expect("it starts"), store, dir)
}

pub fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

pub fn hello(worker: u64) -> Hello {
    Hello {
        build: Build::here(),
        name: format!("worker-{worker}"),
        worker: WorkerId(worker),
        threads: 1,
        holding: None,
        figures: Figures::default(),
        games: vec![Game::Sprouts],
        reign: None,
        looks: false,
    }
}

/// A worker whose every message is chosen by the test.
pub struct Puppet {
    pub out: mpsc::UnboundedSender<wire::FromWorker>,
    pub incoming: Streaming<wire::ToWorker>,
}

impl Puppet {
    pub async fn connect(url: String, first: wire::FromWorker) -> Result<Self, Status> {
        let mut calls = WorkersClient::connect(url).await.expect("a connection");
        let (out, outgoing) = mpsc::unbounded_channel();
        out.send(first).expect("open");
        let incoming = calls.work(UnboundedReceiverStream::new(outgoing)).await?.into_inner();
        Ok(Self { out, incoming })
    }

    /// A puppet that has been welcomed.
    pub async fn join(url: String, worker: u64) -> Self {
        let mut puppet =
            Self::connect(url, FromWorker::Hello(hello(worker)).into()).await.expect("a session");
        assert!(matches!(puppet.hear().await, Ok(ToWorker::Welcome(_))));
        puppet
    }

    pub fn say(&self, message: FromWorker) {
        self.out.send(message.into()).expect("open");
    }

    pub async fn hear(&mut self) -> Result<ToWorker, Status> {
        let message = self.incoming.message().await?.ok_or_else(|| Status::ok("closed"))?;
        Ok(ToWorker::try_from(message).expect("well formed"))
    }
}

/// How a worker of this name runs.
pub fn worker(url: &str, name: &str, limits: Limits) -> sprig_worker::Config {
    sprig_worker::Config {
        coordinators: vec![url.into()],
        copies: Vec::new(),
        access: Access::default(),
        name: name.into(),
        limits,
        pulse: Arc::default(),
        notice: sprig_worker::NOTICE,
    }
}

/// Waits until `workers` workers have a lease, or the job is done.
pub async fn at_work(client: &mut Client, workers: usize) {
    let busy = async {
        loop {
            let status = client.status().await.expect("it answers");
            let at_work = status.workers.iter().filter(|worker| worker.job.is_some()).count();
            if at_work >= workers || status.jobs.is_empty() {
                return;
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(60), busy).await.expect("they get leases");
}
