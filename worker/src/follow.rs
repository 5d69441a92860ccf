//! Following the facts of others: told by the coordinator, or read from copies of its database.

use std::sync::Arc;
use std::time::Duration;

use sprig_blocking::Blocking;
use sprig_proto::wire::copies_client::CopiesClient;
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{Alarm, FactBatch, GaveUp, Line, wire};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tracing::{debug, info, warn};

use crate::link::{Failure, Route};
use crate::solver::{self, Solver};

/// How long a copy may take to say something.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the coordinator is asked instead when no copy tells what it should.
const INSTEAD: Duration = Duration::from_secs(30);

/// What has come of following the facts.
#[derive(Debug)]
pub(crate) enum Lesson {
    /// All below this sequence number has been taken in.
    Learned(u64),
    /// A fact contradicts what was proved here.
    Contradicted(Alarm),
    /// No more will come on this connection.
    Ended(Failure),
}

/// Follows the facts for a session.
pub(crate) struct Follower {
    pub(crate) coordinator: WorkersClient<Line>,
    /// Identity of the coordinator's database.
    pub(crate) database: u64,
    pub(crate) request: wire::FactsRequest,
    pub(crate) copies: Copies,
    pub(crate) solver: Arc<Solver>,
    /// Is told how far it has come.
    pub(crate) learned: mpsc::Sender<Lesson>,
    pub(crate) blocking: Blocking,
}

/// Copies of the coordinator's database.
pub(crate) struct Copies {
    routes: Vec<Route>,
    /// The one that was used last, and the connection to it.
    at: usize,
    open: Option<CopiesClient<Line>>,
    /// Until then none of them is asked.
    away: Option<Instant>,
}

/// Nobody waits for lessons any more, or one says why there will be none.
struct Over;

impl Follower {
    /// Feeds the facts of others to the solver for as long as they come.
    pub(crate) async fn run(mut self) {
        while self.follow().await.is_ok() {}
    }

    /// Follows one stream of the coordinator's. Returns when another one is wanted.
    async fn follow(&mut self) -> Result<(), Over> {
        self.request.from_copy = self.copies.are_asked();
        let mut batches = match self.coordinator.facts(self.request).await {
            Ok(response) => response.into_inner(),
            Err(status) => return self.ends(Lesson::Ended(status.into())).await,
        };
        loop {
            let batch = match batches.message().await {
                Ok(Some(batch)) => batch,
                Ok(None) => {
                    let ended = Failure::Away("the stream of facts has ended".into());
                    return self.ends(Lesson::Ended(ended)).await;
                }
                Err(status) => return self.ends(Lesson::Ended(status.into())).await,
            };
            if !batch.stretches.is_empty() && !self.read(&batch).await? {
                return Ok(());
            }
            let next = batch.next;
            if let Err(lesson) = self.learn(batch).await {
                return self.ends(lesson).await;
            }
            self.request.from = self.request.from.max(next);
            self.say(Lesson::Learned(next)).await?;
            if !self.request.from_copy && self.copies.are_asked() {
                return Ok(());
            }
        }
    }

    /// Takes in what a message of the coordinator's names, from the first copy that has it. Returns
    /// `false` if there is none.
    async fn read(&mut self, told: &wire::FactBatch) -> Result<bool, Over> {
        let request = wire::CopyRequest {
            database: self.database,
            position: told.position,
            stretches: told.stretches.clone(),
            ruleset: self.request.ruleset,
        };
        for _ in 0..self.copies.routes.len() {
            match self.read_there(request.clone()).await? {
                Ok(()) => return Ok(true),
                Err(failure) => self.copies.failed(&failure),
            }
        }
        warn!("no copy tells the facts; the coordinator is asked for them");
        self.copies.away = Some(Instant::now() + INSTEAD);
        Ok(false)
    }

    /// Takes in what one copy has. What it told before it failed is true as well.
    async fn read_there(
        &mut self,
        request: wire::CopyRequest,
    ) -> Result<Result<(), Failure>, Over> {
        let asked = async {
            let copy = self.copies.connected().await?;
            Ok(copy.facts(request).await?.into_inner())
        };
        let mut batches = match in_time(asked).await {
            Ok(batches) => batches,
            Err(failure) => return Ok(Err(failure)),
        };
        loop {
            match in_time(async { Ok(batches.message().await?) }).await {
                Ok(Some(batch)) => match self.learn(batch).await {
                    Ok(()) => {}
                    Err(Lesson::Ended(failure)) => return Ok(Err(failure)),
                    Err(lesson) => return self.ends(lesson).await.map(Ok),
                },
                Ok(None) => return Ok(Ok(())),
                Err(failure) => return Ok(Err(failure)),
            }
        }
    }

    /// Takes in facts, away from the async threads: each land is checked and canonized.
    async fn learn(&self, batch: wire::FactBatch) -> Result<(), Lesson> {
        let solver = Arc::clone(&self.solver);
        let learned = self.blocking.call("learn", move || learn(&solver, batch)).await;
        learned.unwrap_or_else(|panic| Err(Lesson::Ended(Failure::Refused(panic.to_string()))))
    }

    async fn say(&self, lesson: Lesson) -> Result<(), Over> {
        self.learned.send(lesson).await.map_err(|_| Over)
    }

    async fn ends(&self, lesson: Lesson) -> Result<(), Over> {
        self.say(lesson).await?;
        Err(Over)
    }
}

impl Copies {
    pub(crate) fn new(routes: Vec<Route>) -> Self {
        Self { routes, at: 0, open: None, away: None }
    }

    /// Whether facts are read from copies now.
    fn are_asked(&self) -> bool {
        !self.routes.is_empty() && self.away.is_none_or(|away| away <= Instant::now())
    }

    async fn connected(&mut self) -> Result<&mut CopiesClient<Line>, Failure> {
        let open = match self.open.take() {
            Some(open) => open,
            None => {
                let route = &self.routes[self.at];
                let copy = CopiesClient::new(route.connect().await?);
                info!(url = route.url, "reads facts from a copy");
                copy.max_decoding_message_size(sprig_proto::limits::MESSAGE_BYTES)
            }
        };
        Ok(self.open.insert(open))
    }

    /// The next one is tried from now on.
    fn failed(&mut self, failure: &Failure) {
        let url = &self.routes[self.at].url;
        match failure {
            Failure::Away(reason) => debug!(url, reason, "a copy is away"),
            Failure::Refused(reason) | Failure::Outdated(reason) => {
                warn!(url, reason, "a copy tells nothing");
            }
        }
        self.open = None;
        self.at = (self.at + 1) % self.routes.len();
    }
}

async fn in_time<T>(asked: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let late = |_| Failure::Away(format!("it says nothing for {} s", PATIENCE.as_secs()));
    timeout(PATIENCE, asked).await.map_err(late)?
}

/// Takes in facts, or says why the lessons end.
fn learn(solver: &Solver, batch: wire::FactBatch) -> Result<(), Lesson> {
    let refused = |reason| Err(Lesson::Ended(Failure::Refused(reason)));
    let batch = match FactBatch::try_from(batch) {
        Ok(batch) => batch,
        Err(malformed) => return refused(malformed.to_string()),
    };
    if batch.game != solver.ruleset().game {
        return refused(format!("facts of {} were sent to a search of another game", batch.game));
    }
    for fact in &batch.facts {
        match solver.learn(fact) {
            Ok(()) => {}
            Err(solver::Failure::Contradiction(about)) => {
                return Err(Lesson::Contradicted(Alarm { game: batch.game, about }));
            }
            // It only means that this help is not taken.
            Err(solver::Failure::GaveUp(GaveUp { reason, .. })) => {
                debug!(reason, "a fact was not taken in");
            }
        }
    }
    Ok(())
}
