//! The one task that owns the agent: it performs the actions and brings the results back.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sprig_domain::{Fact, Ruleset, Verdict};
use sprig_proto::{
    Alarm, Answer, FromWorker, Grant, LeaseId, Look, ToWorker, Welcome, WorkerId, limits, trace,
    wire,
};
use sprig_search::Limits;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tracing::{Level, Span, debug, enabled, error, field, info, trace, trace_span, warn};

use crate::agent::{Action, Agent, Event};
use crate::follow::{Copies, Follower, Lesson};
use crate::link::{self, Failure, Route, Session};
use crate::search::{Ending, Searcher};
use crate::{Config, Error, Ground, Pulse, Reading, Shutdown};

/// How long facts are gathered before they are reported, while the coordinator writes the earlier
/// ones.
const GATHER: Duration = Duration::from_millis(100);
/// How long facts are gathered when everything before them is on the coordinator's disk: facts that
/// come late are proved twice.
const SOON: Duration = Duration::from_millis(10);
/// How often progress is reported.
const PROGRESS: Duration = Duration::from_millis(100);
/// How long the coordinator may take to hear the last messages.
const FAREWELL: Duration = Duration::from_secs(5);

type Attempt = Pin<Box<dyn Future<Output = Result<(Session, Welcome), Failure>> + Send>>;

enum Link {
    Connecting(Attempt),
    Open(Box<Session>),
}

/// What the link tells.
enum News {
    Opened(Box<Session>, Welcome),
    Told(ToWorker),
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
    ground: Ground,
    id: WorkerId,
    /// The ways to the coordinators, and which of them is taken now.
    routes: Vec<Route>,
    at: usize,
    /// The ways to copies that tell facts.
    copies: Vec<Route>,
    /// How many coordinators in a row have refused this worker, and why the last one did.
    refusals: usize,
    agent: Agent,
    searcher: Searcher,
    limits: Limits,
    pulse: Arc<Pulse>,
    notice: Duration,
    link: Link,
    /// Failed tries to connect in a row.
    failures: u32,
    lessons: (mpsc::Sender<Lesson>, mpsc::Receiver<Lesson>),
    /// The task that follows the facts of others: at most one, of the open session.
    follower: JoinSet<()>,
    /// When gathered facts are to be reported.
    report_at: Option<Instant>,
    progress_at: Instant,
    /// When a worker that is to finish ends, whether or not everything could be delivered.
    give_up_at: Option<Instant>,
    /// Set when the agent has ended.
    ended: bool,
    /// The database of the coordinator, as it has said last.
    database: u64,
    /// The latest search: its lease, its span, and how many expansions there were before it.
    searching: Option<(LeaseId, Span, u64)>,
}

impl Driver {
    pub(crate) fn new(ground: Ground, config: Config) -> Result<Self, Error> {
        let Config { coordinators, copies, access, name, limits, pulse, notice } = config;
        let routes = |urls: Vec<String>| {
            let routes = urls.iter().map(|url| Route::new(url, access.clone()));
            routes.collect::<Result<Vec<_>, _>>()
        };
        let (routes, copies) = (routes(coordinators)?, routes(copies)?);
        let first = routes.first().cloned().ok_or(Error::Nowhere)?;
        let id = WorkerId((ground.random)());
        let threads = u32::try_from(limits.threads).unwrap_or(u32::MAX);
        let agent = Agent::new(id, name, threads);
        let searcher = Searcher::start(Ruleset::default(), limits, &ground)?;
        let hello = agent.hello();
        let attempt = link::open(first, hello, 0, ground.clone());
        let link = Link::Connecting(Box::pin(attempt));
        Ok(Self {
            ground,
            id,
            routes,
            at: 0,
            copies,
            refusals: 0,
            agent,
            searcher,
            limits,
            pulse,
            notice,
            link,
            failures: 0,
            lessons: mpsc::channel(1),
            follower: JoinSet::new(),
            report_at: None,
            progress_at: Instant::now(),
            give_up_at: None,
            ended: false,
            database: 0,
            searching: None,
        })
    }

    /// Runs until the agent ends.
    pub(crate) async fn run(
        mut self,
        mut shutdown: watch::Receiver<Shutdown>,
    ) -> Result<(), Error> {
        let mut beat = interval(PROGRESS);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.ended {
            let searching = self.agent.is_searching();
            tokio::select! {
                // In this order, so that a flood of news does not put off what is due and what is
                // rare.
                biased;
                changed = shutdown.changed() => {
                    let wanted = if changed.is_ok() { *shutdown.borrow_and_update() } else { Shutdown::Drop };
                    self.apply(Event::Shutdown(wanted))?;
                    if wanted == Shutdown::Drop {
                        return Ok(());
                    }
                    if wanted == Shutdown::Finish {
                        let delivering = self.notice.saturating_sub(FAREWELL);
                        self.give_up_at.get_or_insert(Instant::now() + delivering);
                    }
                }
                () = sleep_until(self.give_up_at.unwrap_or_else(Instant::now)), if self.give_up_at.is_some() => {
                    warn!("the coordinator does not take the last reports; what they say must be proved again");
                    return Ok(());
                }
                _ = beat.tick() => self.show(),
                () = sleep_until(self.report_at.unwrap_or_else(Instant::now)), if self.report_at.is_some() => {
                    self.report()?;
                }
                () = sleep_until(self.progress_at), if searching => {
                    self.progress_at = Instant::now() + PROGRESS.max(self.agent.gathers());
                    self.apply(self.searcher.progress())?;
                }
                () = self.searcher.news.notified() => {
                    self.gather(GATHER.max(self.agent.gathers()));
                    self.hurry();
                }
                outcome = self.searcher.outcomes.recv() => match outcome {
                    Some(Ending::Answered(answer)) => {
                        self.report()?;
                        self.searched(&answer);
                        self.apply(Event::Answered(answer))?;
                    }
                    Some(Ending::Contradicted(alarm)) => self.alarm(alarm)?,
                    None => return Err(Error::Search("its thread panicked; see above".into())),
                },
                Some(lesson) = self.lessons.1.recv() => match lesson {
                    Lesson::Learned(next) => self.apply(Event::Learned(next))?,
                    Lesson::Contradicted(alarm) => self.alarm(alarm)?,
                    Lesson::Ended(failure) => self.hear(News::Failed(failure))?,
                },
                news = self.link.news() => self.hear(news)?,
            }
        }
        self.part().await;
        Ok(())
    }

    /// Notes how the worker is doing.
    fn show(&self) {
        self.pulse.write(Reading {
            connected: matches!(self.link, Link::Open(_)),
            searching: self.agent.is_searching(),
            outbox: self.agent.unacknowledged(),
            figures: self.searcher.solver.figures(),
        });
    }

    fn hear(&mut self, news: News) -> Result<(), Error> {
        match news {
            News::Told(message) => {
                debug!(?message, "told");
                let acknowledged = matches!(message, ToWorker::Acknowledge(_));
                if let ToWorker::Acknowledge(acknowledge) = &message {
                    self.trace_acknowledged(&acknowledge.reports);
                }
                self.apply(Event::Told(message))?;
                if acknowledged && self.report_at.is_some() {
                    self.hurry();
                }
                Ok(())
            }
            News::Opened(_, welcome) if self.agent.knows_better(welcome.reign) => {
                // That coordinator has heard of it from this worker, too, and ends.
                let reason = "another coordinator was promoted in its place".into();
                self.hear(News::Failed(Failure::Away(reason)))
            }
            News::Opened(session, welcome) => {
                info!(url = self.routes[self.at].url, "connected");
                (self.failures, self.refusals) = (0, 0);
                self.link = Link::Open(session);
                self.database = welcome.database;
                self.show();
                self.apply(Event::Welcomed(welcome))
            }
            News::Failed(Failure::Refused(reason)) => {
                let of = |url, reason| Error::Refused { url, reason };
                self.refused(reason, of)
            }
            News::Failed(Failure::Outdated(reason)) => {
                let of = |url, reason| Error::Outdated { url, reason };
                self.refused(reason, of)
            }
            News::Failed(Failure::Away(reason)) => {
                self.refusals = 0;
                self.go_on(&reason)
            }
        }
    }

    /// Goes on elsewhere, unless all have refused it in a row.
    fn refused(
        &mut self,
        reason: String,
        error: impl FnOnce(String, String) -> Error,
    ) -> Result<(), Error> {
        self.refusals += 1;
        if self.refusals >= self.routes.len() {
            return Err(error(self.routes[self.at].url.clone(), reason));
        }
        self.go_on(&reason)
    }

    /// Tries the next coordinator: at once, unless all were tried, then after a pause.
    fn go_on(&mut self, reason: &str) -> Result<(), Error> {
        link::log_failure(&self.routes[self.at].url, reason, self.failures);
        self.follower.abort_all();
        self.failures += 1;
        self.at = (self.at + 1) % self.routes.len();
        self.apply(Event::Lost)?;
        let (hello, route) = (self.agent.hello(), self.routes[self.at].clone());
        let rounds = self.failures / u32::try_from(self.routes.len()).unwrap_or(u32::MAX);
        let attempt = link::open(route, hello, rounds, self.ground.clone());
        self.link = Link::Connecting(Box::pin(attempt));
        self.show();
        Ok(())
    }

    /// Logs facts, for checks that nothing acknowledged is lost.
    fn trace_acknowledged(&self, reports: &[u64]) {
        if !enabled!(Level::TRACE) {
            return;
        }
        for fact in reports.iter().flat_map(|&report| self.agent.reported(report)) {
            match fact {
                Fact::Nimber(fact) => {
                    let (land, nimber) = (fact.land.to_string(), fact.nimber.get());
                    trace!(land, nimber, "acknowledged");
                }
                fact => trace!(%fact, "acknowledged"),
            }
        }
    }

    /// Reports what is gathered no later than this from now.
    fn gather(&mut self, wait: Duration) {
        let due = Instant::now() + wait;
        self.report_at = Some(self.report_at.map_or(due, |before| before.min(due)));
    }

    /// Reports what is gathered soon if nothing else is on its way.
    fn hurry(&mut self) {
        if self.agent.unacknowledged() == 0 {
            self.gather(SOON.max(self.agent.gathers()));
        }
    }

    /// Hands gathered facts to the agent.
    fn report(&mut self) -> Result<(), Error> {
        self.report_at = None;
        let facts = self.searcher.take_facts();
        if facts.is_empty() {
            return Ok(());
        }
        // Their cost comes first: a job is closed with the fact that decides its goal, and then its
        // costs no longer count.
        self.progress_at = Instant::now() + PROGRESS.max(self.agent.gathers());
        self.apply(self.searcher.progress())?;
        self.apply(Event::Proved(facts))
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
            Action::Follow { from, ruleset, forgotten } => {
                self.follower.abort_all();
                if let Link::Open(session) = &self.link {
                    // What the last stream has taught is true, but its numbers do not count for
                    // this one.
                    self.lessons = mpsc::channel(1);
                    let (worker, ruleset) = (self.id.0, Some(ruleset.into()));
                    let request =
                        wire::FactsRequest { worker, from, ruleset, forgotten, from_copy: false };
                    let follower = Follower {
                        coordinator: session.calls(),
                        database: self.database,
                        request,
                        copies: Copies::new(self.copies.clone()),
                        solver: self.searcher.solver.clone(),
                        learned: self.lessons.0.clone(),
                        blocking: self.ground.blocking.clone(),
                    };
                    self.follower.spawn(follower.run());
                }
            }
            Action::Search(grant) => {
                self.progress_at = Instant::now() + PROGRESS.max(self.agent.gathers());
                let before = self.searcher.solver.figures().expansions;
                let span = span_of(self.database, &grant, self.limits.threads);
                self.searching = Some((grant.lease, span, before));
                self.searcher.begin(grant)?;
            }
            Action::StopSearch => self.searcher.stop(),
            Action::Look(Look { number, at, limit }) => {
                let limit = limits::VIEWED.min(limit as usize);
                let view = self.searcher.solver.view(&at, limit);
                if let Link::Open(session) = &self.link {
                    session.say(FromWorker::Seen { number, view });
                }
            }
            Action::Forget(ruleset) => {
                // A search in the middle of its tables cannot forget them, so another search begins
                // with empty ones.
                self.report_at = None;
                self.searcher = Searcher::start(ruleset, self.limits, &self.ground)?;
            }
            Action::End => self.ended = true,
        }
        Ok(())
    }

    /// Ends the span of a search. What a search before the latest one says comes too late for it.
    fn searched(&mut self, answer: &Answer) {
        let is_of = |(lease, ..): &mut (LeaseId, Span, u64)| *lease == answer.lease;
        let Some((_, span, before)) = self.searching.take_if(is_of) else { return };
        span.record("sprig.expansions", answer.figures.expansions.saturating_sub(before));
        match &answer.verdict {
            Ok(verdict) => {
                span.record("sprig.decided", !matches!(verdict, Verdict::Open { .. }));
            }
            Err(gave_up) => {
                span.record("error", &gave_up.reason);
            }
        }
    }

    /// Tells the coordinator of a contradiction. The coordinator finds out which side is wrong: it
    /// sends this worker away for good, or has it forget everything.
    fn alarm(&mut self, alarm: Alarm) -> Result<(), Error> {
        error!("{alarm}; the coordinator is asked who is wrong");
        self.report()?;
        self.apply(Event::Contradicted(alarm))
    }

    /// Waits until the coordinator has heard the last messages.
    async fn part(mut self) {
        self.follower.abort_all();
        if let Link::Open(session) = self.link {
            let _ = tokio::time::timeout(FAREWELL, session.close()).await;
        }
    }
}

/// The span of a search, within that of its lease at the coordinator.
fn span_of(database: u64, grant: &Grant, threads: usize) -> Span {
    // An earlier coordinator does not say which job it is, and has no spans.
    let Some(job) = grant.job else { return Span::none() };
    trace_span!(
        target: trace::TARGET, parent: None, "search",
        trace.id = trace::of_job(database, job), trace.parent = trace::lease(grant.lease),
        trace.remote = true,
        sprig.job = job.0, sprig.lease = %grant.lease, sprig.position = %grant.goal.position(),
        sprig.threads = threads, sprig.expansions = field::Empty, sprig.decided = field::Empty,
        error = field::Empty,
    )
}
