//! The one task that owns the agent: it performs the actions and brings the results back.

use std::pin::Pin;
use std::time::Duration;

use sprig_proto::{Alarm, Welcome, WorkerId};
use sprig_search::Contradiction;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tonic::transport::Endpoint;
use tracing::{debug, info};

use crate::agent::{Action, Agent, Event};
use crate::link::{self, Failure, Lesson, Session};
use crate::search::{Outcome, Searcher};
use crate::{Config, Error, Shutdown};

/// How long facts are gathered before they are reported.
const GATHER: Duration = Duration::from_millis(100);
/// How often progress is reported.
const PROGRESS: Duration = Duration::from_millis(250);
/// How long the coordinator may take to hear the last words.
const FAREWELL: Duration = Duration::from_secs(5);

type Attempt = Pin<Box<dyn Future<Output = Result<(Session, Welcome), Failure>> + Send>>;

enum Link {
    Connecting(Attempt),
    Open(Box<Session>),
}

/// What the link has to say.
enum News {
    Opened(Box<Session>, Welcome),
    Told(sprig_proto::ToWorker),
    Failed(Failure),
}

impl Link {
    /// Waits for news. Nothing is lost when it is dropped before there are any.
    async fn news(&mut self) -> News {
        match self {
            Self::Connecting(attempt) => match attempt.await {
                Ok((session, welcome)) => News::Opened(Box::new(session), welcome),
                Err(failure) => News::Failed(failure),
            },
            Self::Open(session) => match session.next().await {
                Ok(message) => News::Told(message),
                Err(failure) => News::Failed(failure),
            },
        }
    }
}

pub(crate) struct Driver {
    id: WorkerId,
    url: String,
    endpoint: Endpoint,
    agent: Agent,
    searcher: Searcher,
    link: Link,
    /// Failed tries to connect in a row.
    failures: u32,
    lessons: (mpsc::Sender<Lesson>, mpsc::Receiver<Lesson>),
    /// Follows the facts of others; at most one, of the open session.
    follower: JoinSet<()>,
    /// When gathered facts are to be reported.
    report_at: Option<Instant>,
    progress_at: Instant,
    /// Set when the agent has said that it is over.
    ended: bool,
}

impl Driver {
    pub(crate) fn new(config: Config) -> Result<Self, Error> {
        let Config { coordinator: url, name, limits } = config;
        let endpoint = link::endpoint(&url)?;
        let id = WorkerId(link::random());
        let threads = u32::try_from(limits.threads).unwrap_or(u32::MAX);
        let agent = Agent::new(id, name, threads);
        let searcher = Searcher::start(limits)?;
        let hello = agent.hello(searcher.solver.figures());
        let link = Link::Connecting(Box::pin(link::open(endpoint.clone(), hello, 0)));
        Ok(Self {
            id,
            url,
            endpoint,
            agent,
            searcher,
            link,
            failures: 0,
            lessons: mpsc::channel(1),
            follower: JoinSet::new(),
            report_at: None,
            progress_at: Instant::now(),
            ended: false,
        })
    }

    /// Runs until the agent ends.
    pub(crate) async fn run(
        mut self,
        mut shutdown: watch::Receiver<Shutdown>,
    ) -> Result<(), Error> {
        while !self.ended {
            let searching = self.agent.is_searching();
            tokio::select! {
                news = self.link.news() => self.hear(news)?,
                Some(lesson) = self.lessons.1.recv() => match lesson {
                    Lesson::Learned(next) => self.apply(Event::Learned(next))?,
                    Lesson::Contradicted(contradiction) => return self.alarm(contradiction).await,
                    Lesson::Ended(failure) => self.hear(News::Failed(failure))?,
                },
                outcome = self.searcher.outcomes.recv() => match outcome {
                    Some(Outcome::Answered(answer)) => {
                        self.report()?;
                        self.apply(Event::Answered(answer))?;
                    }
                    Some(Outcome::Contradicted(contradiction)) => return self.alarm(contradiction).await,
                    None => return Err(Error::Search("its thread panicked; see above".into())),
                },
                () = self.searcher.news.notified() => {
                    self.report_at.get_or_insert(Instant::now() + GATHER);
                }
                () = sleep_until(self.report_at.unwrap_or_else(Instant::now)), if self.report_at.is_some() => {
                    self.report()?;
                }
                () = sleep_until(self.progress_at), if searching => {
                    self.progress_at = Instant::now() + PROGRESS;
                    self.apply(Event::Progressed(self.searcher.solver.figures()))?;
                }
                changed = shutdown.changed() => {
                    let wanted = if changed.is_ok() { *shutdown.borrow_and_update() } else { Shutdown::Drop };
                    self.apply(Event::Shutdown(wanted))?;
                    if wanted == Shutdown::Drop {
                        return Ok(());
                    }
                }
            }
        }
        self.part().await;
        Ok(())
    }

    fn hear(&mut self, news: News) -> Result<(), Error> {
        match news {
            News::Told(message) => {
                debug!(?message, "told");
                self.apply(Event::Told(message))
            }
            News::Opened(session, welcome) => {
                info!(url = self.url, "connected");
                self.failures = 0;
                self.link = Link::Open(session);
                self.apply(Event::Welcomed(welcome))
            }
            News::Failed(Failure::Refused(reason)) => {
                Err(Error::Refused { url: self.url.clone(), reason })
            }
            News::Failed(Failure::Away(reason)) => {
                link::log_failure(&self.url, &reason, self.failures);
                self.follower.abort_all();
                self.failures += 1;
                self.apply(Event::Lost)?;
                let hello = self.agent.hello(self.searcher.solver.figures());
                self.link = Link::Connecting(Box::pin(link::open(
                    self.endpoint.clone(),
                    hello,
                    self.failures,
                )));
                Ok(())
            }
        }
    }

    /// Hands gathered facts to the agent.
    fn report(&mut self) -> Result<(), Error> {
        self.report_at = None;
        let facts = self.searcher.take_facts();
        if facts.is_empty() { Ok(()) } else { self.apply(Event::Proved(facts)) }
    }

    fn apply(&mut self, event: Event) -> Result<(), Error> {
        let mut actions = Vec::new();
        self.agent.apply(event, &mut actions);
        actions.into_iter().try_for_each(|action| self.perform(action))
    }

    fn perform(&mut self, action: Action) -> Result<(), Error> {
        match action {
            Action::Say(message) => {
                if let Link::Open(session) = &self.link {
                    session.say(message);
                }
            }
            Action::Follow(from) => {
                if let Link::Open(session) = &self.link {
                    // Lessons of the last connection are true, but do not count for this one.
                    self.lessons = mpsc::channel(1);
                    let solver = self.searcher.solver.clone();
                    self.follower.spawn(session.follow(
                        self.id,
                        from,
                        solver,
                        self.lessons.0.clone(),
                    ));
                }
            }
            Action::Search(grant) => {
                self.progress_at = Instant::now() + PROGRESS;
                self.searcher.begin(grant)?;
            }
            Action::StopSearch => self.searcher.stop(),
            Action::End => self.ended = true,
        }
        Ok(())
    }

    /// Tells the coordinator of a contradiction, and ends loudly.
    async fn alarm(mut self, contradiction: Contradiction) -> Result<(), Error> {
        self.report()?;
        self.apply(Event::Contradicted(Alarm::from(contradiction.clone())))?;
        self.part().await;
        Err(Error::Contradiction(contradiction))
    }

    /// Waits until the coordinator has heard the last words.
    async fn part(mut self) {
        self.follower.abort_all();
        if let Link::Open(session) = self.link {
            let _ = tokio::time::timeout(FAREWELL, session.close()).await;
        }
    }
}
