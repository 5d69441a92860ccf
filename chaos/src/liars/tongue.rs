//! A session whose every word is chosen.

use std::fmt;
use std::time::Duration;

use anyhow::Context;
use sprig_domain::{Figures, Game, Ruleset};
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{Access, Build, FromWorker, Hello, ToWorker, WorkerId, limits, wire};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

/// Words that may wait for the network.
const WAITING: usize = 64;

/// How long a coordinator may take for its welcome.
const PATIENCE: Duration = Duration::from_secs(60);

/// Under which identity a liar speaks.
#[derive(Clone)]
pub struct Guise {
    /// Where the coordinator is.
    pub url: String,
    /// The token, if names are proved.
    pub access: Access,
    /// The name that it gives.
    pub name: String,
    /// The identity that it gives.
    pub worker: u64,
}

impl fmt::Debug for Guise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, name, worker, .. } = self;
        write!(f, "Guise({name} as {worker:x} at {url})")
    }
}

/// A session that was welcomed.
#[derive(Debug)]
pub struct Tongue {
    out: mpsc::Sender<wire::FromWorker>,
    incoming: Streaming<wire::ToWorker>,
    facts: Streaming<wire::FactBatch>,
}

/// What it hears.
#[derive(Debug)]
pub enum Heard {
    /// Something meant for this worker.
    Word(ToWorker),
    /// Facts of others.
    Facts(Vec<sprig_domain::Fact>),
}

impl Tongue {
    /// Opens a session.
    ///
    /// # Errors
    /// When it is refused, or the coordinator does not answer.
    pub async fn join(guise: &Guise) -> anyhow::Result<Self> {
        tokio::time::timeout(PATIENCE, Self::open(guise)).await.context("no welcome")?
    }

    async fn open(guise: &Guise) -> anyhow::Result<Self> {
        let endpoint = guise.access.endpoint(&guise.url)?;
        let channel = guise.access.network.connect(endpoint).await?;
        let mut calls = WorkersClient::new(guise.access.line(channel))
            .max_decoding_message_size(limits::MESSAGE_BYTES);
        let (out, outgoing) = mpsc::channel(WAITING);
        let hello = Hello {
            build: Build::here(),
            name: guise.name.clone(),
            worker: WorkerId(guise.worker),
            threads: 1,
            holding: None,
            figures: Figures::default(),
            games: vec![Game::Sprouts],
            reign: None,
            looks: false,
        };
        out.send(FromWorker::Hello(hello).into()).await?;
        let mut session = calls.clone();
        let incoming = session.work(ReceiverStream::new(outgoing)).await?.into_inner();
        let request = wire::FactsRequest {
            worker: guise.worker,
            ruleset: Some(Ruleset::NORMAL.into()),
            ..Default::default()
        };
        let facts = calls.facts(request).await?.into_inner();
        Ok(Self { out, incoming, facts })
    }

    /// Says something; waits while the network is full.
    ///
    /// # Errors
    /// When the session has ended.
    pub async fn say(&self, word: wire::FromWorker) -> anyhow::Result<()> {
        self.out.send(word).await.context("the session has ended")
    }

    /// What comes next.
    ///
    /// # Errors
    /// When the session has ended.
    pub async fn hear(&mut self) -> anyhow::Result<Heard> {
        tokio::select! {
            biased;
            word = self.incoming.message() => {
                Ok(Heard::Word(ToWorker::try_from(word?.context("the session has ended")?)?))
            }
            batch = self.facts.message() => {
                let batch = sprig_proto::FactBatch::try_from(batch?.context("the facts have ended")?)?;
                Ok(Heard::Facts(batch.facts))
            }
        }
    }
}
