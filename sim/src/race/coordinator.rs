//! The coordinator of a race: its real state machine, and around that, in virtual time, what its
//! driver, its writer and its streams of facts do.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::num::NonZeroU64;
use std::time::Duration;

use prost::Message;
use sprig_coordinator::gather::before_news;
use sprig_coordinator::machine::{
    Action, CallId, Entry, Event as Told, Machine, Receipt, SessionId,
};
use sprig_coordinator::scout::Scout;
use sprig_domain::{Fact, Game, Goal, JobId, LandNimber};
use sprig_engine::{CanonicalLand, Nimber};
use sprig_proto::{
    FromWorker, Grant, Hello, Job, Report, Submission, ToWorker, WorkerId, limits, wire,
};

use super::Race;
use super::agenda::Agenda;
use super::world::{Event, Pace, Post};

/// Most orders that are written together, as in the coordinator's writer.
const GROUP: usize = 256;

/// What the writer is asked to do.
pub(super) enum Order {
    Commit(Entry),
    Open(JobId, Submission),
}

/// A fact on disk.
struct Stored {
    fact: LandNimber,
    /// The worker that reported it first.
    author: usize,
    /// Bytes that it takes in a message.
    bytes: u64,
}

/// What is known of a land.
struct Known {
    nimber: Nimber,
    /// How many workers have proved it.
    provers: u32,
}

/// The stream of facts to one worker: see `coordinator/src/service/facts.rs`.
#[derive(Clone, Copy, Default)]
struct Stream {
    /// The next fact.
    from: u64,
    /// The stream sends up to here before it gathers again.
    end: u64,
    /// Whether it has something to send even if there are no facts.
    news: bool,
    /// Whether it waits for new facts.
    waits: bool,
    /// Whether its worker need not be told anything now.
    rests: bool,
}

/// The coordinator.
pub(super) struct Coordinator {
    pace: Pace,
    machine: Machine,
    /// When each core of the coordinator is free.
    cores: Vec<Duration>,
    /// When the last message of each worker was read: a stream is read in order.
    read: Vec<Duration>,
    orders: VecDeque<Order>,
    writing: bool,
    stored: Vec<Stored>,
    known: HashMap<CanonicalLand, Known>,
    /// Facts that the streams may tell.
    told: u64,
    /// Facts that were looked up for the streams, as in `coordinator/src/pages.rs`.
    paged: u64,
    streams: Vec<Stream>,
    tick: Option<Duration>,
    /// Who lists the options of leaves.
    scout: Scout,
    pub(super) ended: Option<Job>,
    pub(super) tally: Tally,
}

/// What the coordinator has done.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Tally {
    /// Seconds of processor time.
    pub busy: f64,
    /// Bytes that came in.
    pub bytes_in: u64,
    /// Bytes that went out.
    pub bytes_out: u64,
    /// Facts that were reported, new or not.
    pub reported: u64,
    /// Leaves that were given to workers.
    pub leaves: u64,
}

impl Coordinator {
    /// `leaf`: expansions for a leaf, if workers own leaves.
    pub(super) fn new(pace: Pace, race: &Race, leaf: Option<NonZeroU64>) -> Self {
        let (workers, cores) = (race.workers as usize, race.coordinator_cores as usize);
        let machine = Machine::new(1, 1, 0, JobId(1)).dividing(leaf);
        Self {
            scout: Scout::of(Game::Sprouts),
            pace,
            machine: machine.with_at_most(race.most_workers),
            cores: vec![Duration::ZERO; cores],
            read: vec![Duration::ZERO; workers],
            orders: VecDeque::new(),
            writing: false,
            stored: Vec::new(),
            known: HashMap::new(),
            told: 0,
            paged: 0,
            streams: vec![Stream::default(); workers],
            tick: None,
            ended: None,
            tally: Tally::default(),
        }
    }

    /// The fact with this sequence number.
    pub(super) fn fact(&self, sequence: u64) -> &LandNimber {
        &self.stored[sequence as usize].fact
    }

    /// Lands with a proved nimber, and how many of them more than one worker has proved.
    pub(super) fn proved(&self) -> (usize, usize) {
        let twice = self.known.values().filter(|known| known.provers > 1).count();
        (self.known.len(), twice)
    }

    /// Takes up a core for `seconds`, from `from` or from when one is free. Returns when that is
    /// done.
    fn serve(&mut self, from: Duration, seconds: f64) -> Duration {
        self.tally.busy += seconds;
        let core = self.cores.iter_mut().min().expect("it has a core");
        *core = (*core).max(from) + Duration::from_secs_f64(seconds);
        *core
    }

    /// A message has come in, and is read.
    pub(super) fn hear(&mut self, agenda: &mut Agenda<Event>, worker: usize, message: FromWorker) {
        let (facts, empty) = match &message {
            FromWorker::Report(Report { game, sequence, facts }) => {
                let none = Report { game: *game, sequence: *sequence, facts: Vec::new() };
                (facts.len(), FromWorker::Report(none))
            }
            other => (0, other.clone()),
        };
        let whole = wire::FromWorker::from(message.clone()).encoded_len() as f64;
        let rest = wire::FromWorker::from(empty).encoded_len() as f64;
        self.tally.bytes_in += ((whole - rest) * self.pace.factor + rest) as u64;
        let costs = self.pace.costs;
        let seconds = costs.message + facts as f64 * self.pace.factor * costs.fact_in;
        let from = agenda.now().max(self.read[worker]);
        let done = self.serve(from, seconds);
        self.read[worker] = done;
        agenda.at(done, Event::Read(worker, message));
    }

    /// A worker has connected.
    pub(super) fn join(
        &mut self,
        agenda: &mut Agenda<Event>,
        post: &mut Post,
        worker: usize,
        hello: Hello,
    ) -> Result<(), String> {
        let session = SessionId(worker as u64);
        self.apply(agenda, post, Told::Joined { session, hello })
    }

    /// A message has been read.
    pub(super) fn read(
        &mut self,
        agenda: &mut Agenda<Event>,
        post: &mut Post,
        worker: usize,
        message: FromWorker,
    ) -> Result<(), String> {
        let session = SessionId(worker as u64);
        self.apply(agenda, post, Told::Said { session, message })
    }

    /// A client submits the goal.
    pub(super) fn submit(
        &mut self,
        agenda: &mut Agenda<Event>,
        post: &mut Post,
        goal: Goal,
    ) -> Result<(), String> {
        self.apply(agenda, post, Told::Submitted { call: CallId(0), submission: goal.into() })
    }

    /// The machine's deadline may be over.
    pub(super) fn tick(
        &mut self,
        agenda: &mut Agenda<Event>,
        post: &mut Post,
    ) -> Result<(), String> {
        self.tick = None;
        if self.machine.deadline().is_some_and(|deadline| deadline <= agenda.now()) {
            return self.apply(agenda, post, Told::Tick);
        }
        self.wind(agenda);
        Ok(())
    }

    fn wind(&mut self, agenda: &mut Agenda<Event>) {
        if let Some(deadline) = self.machine.deadline()
            && self.tick.is_none_or(|tick| deadline < tick)
        {
            self.tick = Some(deadline);
            agenda.at(deadline, Event::Tick);
        }
    }

    fn apply(
        &mut self,
        agenda: &mut Agenda<Event>,
        post: &mut Post,
        event: Told,
    ) -> Result<(), String> {
        let mut actions = Vec::new();
        self.machine.apply(agenda.now(), event, &mut actions);
        for action in actions {
            match action {
                Action::Tell(session, message) => self.say(agenda, post, session, message),
                Action::Commit(entry) => self.orders.push_back(Order::Commit(entry)),
                Action::Open(job, submission) => {
                    self.orders.push_back(Order::Open(job, submission));
                }
                Action::TakeApart(job, leaf) => self.take_apart(agenda, job, leaf),
                Action::Publish(total) => self.publish(agenda, total),
                Action::Rest(workers) => self.rest(agenda, &workers),
                Action::Show(job) if job.state.is_final() => self.ended = Some(job),
                Action::Show(_) | Action::Reply(..) => {}
                Action::Warn(line) => return Err(line),
                Action::Dismiss(_, reason)
                | Action::Suspect { reason, .. }
                | Action::Doubt { reason, .. } => return Err(reason),
                Action::Prove(_) => return Err("nothing is checked in a race".into()),
            }
        }
        self.write(agenda);
        self.wind(agenda);
        Ok(())
    }

    /// Lists the options of a leaf.
    fn take_apart(&mut self, agenda: &mut Agenda<Event>, job: JobId, leaf: Goal) {
        let parts = self.scout.parts(&leaf, |land| Some(self.known.get(land)?.nimber));
        // Each is generated, and asked for its start numbers.
        let costs = self.pace.costs;
        let generated = parts.as_ref().map_or(0, |parts| parts.options.len()) as f64;
        let done = self.serve(agenda.now(), generated * (costs.child + costs.fact_learned));
        agenda.at(done, Event::Settled(Told::TakenApart { job, leaf, parts }));
    }

    /// Something that the machine has ordered is done.
    pub(super) fn settled(
        &mut self,
        agenda: &mut Agenda<Event>,
        post: &mut Post,
        event: Told,
    ) -> Result<(), String> {
        self.apply(agenda, post, event)
    }

    fn say(
        &mut self,
        agenda: &mut Agenda<Event>,
        post: &mut Post,
        session: SessionId,
        message: ToWorker,
    ) {
        if let ToWorker::Grant(Grant { expansions: Some(_), .. }) = &message {
            self.tally.leaves += 1;
        }
        self.tally.bytes_out += wire::ToWorker::from(message.clone()).encoded_len() as u64;
        let done = self.serve(agenda.now(), self.pace.costs.message);
        let worker = session.0 as usize;
        agenda.at(post.down(worker, done), Event::Told(worker, message));
    }

    /// The writer begins with what has come meanwhile, if it is free.
    fn write(&mut self, agenda: &mut Agenda<Event>) {
        if self.writing || self.orders.is_empty() {
            return;
        }
        let group: Vec<Order> = self.orders.drain(..self.orders.len().min(GROUP)).collect();
        let facts: usize = group
            .iter()
            .map(|order| match order {
                Order::Commit(Entry::Report { facts, .. }) => facts.len(),
                _ => 0,
            })
            .sum();
        let costs = self.pace.costs;
        let seconds = facts as f64 * self.pace.factor * costs.fact_written;
        let done = self.serve(agenda.now(), seconds) + Duration::from_secs_f64(costs.sync);
        self.writing = true;
        agenda.at(done, Event::Written(group));
    }

    /// A group is on disk.
    pub(super) fn written(
        &mut self,
        agenda: &mut Agenda<Event>,
        post: &mut Post,
        group: Vec<Order>,
    ) -> Result<(), String> {
        self.writing = false;
        let mut receipt = Receipt::default();
        let mut opened = Vec::new();
        for order in group {
            match order {
                Order::Commit(Entry::Report { worker, game, sequence, facts, .. }) => {
                    receipt.reports.extend(sequence.map(|sequence| (worker, sequence)));
                    for fact in &facts {
                        self.keep(worker, fact)?;
                    }
                    receipt.facts.extend(facts.into_iter().map(|fact| (game, fact)));
                }
                Order::Commit(Entry::Job(job)) if job.state.is_final() => {
                    receipt.closed.push(job.id);
                }
                Order::Commit(Entry::Job(job)) => receipt.noted.push(job.id),
                Order::Open(id, submission) => opened.push(Job::submitted(id, submission)),
            }
        }
        receipt.total = self.stored.len() as u64;
        self.apply(agenda, post, Told::Committed(receipt))?;
        for job in opened {
            self.apply(agenda, post, Told::Opened { job, known: Vec::new() })?;
        }
        Ok(())
    }

    /// Keeps a fact, if it is new.
    fn keep(&mut self, worker: WorkerId, fact: &Fact) -> Result<(), String> {
        let Fact::Nimber(fact) = fact else { return Err("a fact of misère play".into()) };
        self.tally.reported += 1;
        if let Some(known) = self.known.get_mut(&fact.land) {
            known.provers += 1;
            if known.nimber != fact.nimber {
                return Err(format!("two proofs contradict each other: {}", fact.land));
            }
            return Ok(());
        }
        self.known.insert(fact.land.clone(), Known { nimber: fact.nimber, provers: 1 });
        let message = wire::Fact::from(Fact::Nimber(fact.clone()));
        // Its field number and its length stand before it.
        let bytes = message.encoded_len() as u64 + 2;
        let author = Post::number(worker);
        self.stored.push(Stored { fact: fact.clone(), author, bytes });
        Ok(())
    }

    /// Wakes the streams that wait.
    fn publish(&mut self, agenda: &mut Agenda<Event>, total: u64) {
        self.told = total;
        let wait = self.gathers();
        for (worker, stream) in self.streams.iter_mut().enumerate() {
            if !stream.rests && std::mem::take(&mut stream.waits) {
                agenda.at(agenda.now() + wait, Event::Gathered(worker));
            }
        }
    }

    /// How long a stream gathers facts. Those that rest send none.
    fn gathers(&self) -> Duration {
        before_news(self.streams.iter().filter(|stream| !stream.rests).count())
    }

    /// The streams of these workers, and no others, rest from now on.
    fn rest(&mut self, agenda: &mut Agenda<Event>, workers: &BTreeSet<WorkerId>) {
        for (worker, stream) in self.streams.iter_mut().enumerate() {
            stream.rests = workers.contains(&Post::id(worker));
            if !stream.rests && stream.end < self.told && std::mem::take(&mut stream.waits) {
                agenda.at(agenda.now(), Event::Gathered(worker));
            }
        }
    }

    /// A worker follows the facts.
    pub(super) fn follow(&mut self, agenda: &mut Agenda<Event>, worker: usize, from: u64) {
        self.streams[worker] = Stream { from, end: self.told, news: true, ..Stream::default() };
        self.stream(agenda, worker);
    }

    /// A stream has gathered facts.
    pub(super) fn gathered(&mut self, agenda: &mut Agenda<Event>, worker: usize) {
        self.streams[worker].end = self.told;
        self.stream(agenda, worker);
    }

    /// The stream sends its next batch, or waits until there is one.
    pub(super) fn stream(&mut self, agenda: &mut Agenda<Event>, worker: usize) {
        let most = ((limits::FACTS as f64 / self.pace.factor) as usize).max(1);
        let mut stream = self.streams[worker];
        if stream.rests && !stream.news {
            self.streams[worker].waits = true;
            return;
        }
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while stream.from < stream.end && batch.len() < most {
            let stored = &self.stored[stream.from as usize];
            if stored.author != worker {
                batch.push(stream.from);
                bytes += stored.bytes;
            }
            stream.from += 1;
        }
        if !batch.is_empty() || stream.news {
            stream.news = stream.from < stream.end;
            let costs = self.pace.costs;
            let facts = batch.len() as f64 * self.pace.factor;
            self.tally.bytes_out += (bytes as f64 * self.pace.factor) as u64 + 8;
            let looked_up = stream.from.saturating_sub(self.paged) as f64 * self.pace.factor;
            self.paged = self.paged.max(stream.from);
            let seconds = costs.message + facts * costs.fact_out + looked_up * costs.fact_read;
            let done = self.serve(agenda.now(), seconds);
            agenda.at(done, Event::Sent(worker, batch, stream.from));
        } else if self.told > stream.end {
            agenda.at(agenda.now() + self.gathers(), Event::Gathered(worker));
        } else {
            stream.waits = true;
        }
        self.streams[worker] = stream;
    }
}
