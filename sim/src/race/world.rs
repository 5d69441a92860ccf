//! The loop of a race: what happens next, and to whom.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sprig_coordinator::machine::Event as Machined;
use sprig_domain::{Figures, Goal, LandNimber, Verdict};
use sprig_proto::{FromWorker, ToWorker, WorkerId};
use sprig_search::Limits;
use sprig_worker::agent::{Action, Event as Told};

use super::agenda::Agenda;
use super::coordinator::{Coordinator, Order};
use super::finish::Finish;
use super::hand::{Hand, Step};
use super::{Race, Scheme};
use crate::costs::Costs;

/// How often a worker tells of its progress.
const PROGRESS: Duration = Duration::from_millis(100);
/// All workers have connected when the goal is submitted.
const SUBMITTED: Duration = Duration::from_secs(1);
/// Workers come within this time.
const COMING: Duration = Duration::from_millis(500);

/// What happens. Workers go by their numbers.
pub(super) enum Event {
    /// A worker comes.
    Comes(usize),
    /// The goal is submitted.
    Submitted,
    /// A worker goes on with what it does.
    Steps(usize),
    /// It has searched.
    Searched(usize, Vec<LandNimber>, Option<Verdict>),
    /// It reports what it has gathered, if that is still due.
    Reports(usize),
    /// It tells of its progress.
    Progress(usize),
    /// A message has come to it.
    Told(usize, ToWorker),
    /// Facts have come to it, by their sequence numbers, with the number below which it has heard
    /// everything.
    Lesson(usize, Vec<u64>, u64),
    /// A message of it has come to the coordinator.
    Heard(usize, FromWorker),
    /// The coordinator has read it.
    Read(usize, FromWorker),
    /// It has asked for the facts from this number on.
    Follows(usize, u64),
    /// Its stream has gathered facts.
    Gathered(usize),
    /// Its stream has sent a batch.
    Sent(usize, Vec<u64>, u64),
    /// Something that the machine has ordered is done.
    Settled(Machined),
    /// A group is on disk.
    Written(Vec<Order>),
    /// The machine's deadline.
    Tick,
}

/// How long things take.
///
/// Each expansion and each fact stands for `factor` of them, so that a small job has as much to do
/// between two messages as a large one; delays and the costs of messages stay as they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) costs: Costs,
    pub(super) factor: f64,
    /// By how much workers are slower than on cores of their own.
    pub(super) slow: f64,
    /// Threads of each search.
    pub(super) threads: f64,
}

impl Pace {
    /// Seconds of a search between two readings of its counters.
    pub(super) fn seconds(&self, before: Figures, after: Figures) -> f64 {
        let expansions = (after.expansions - before.expansions) as f64;
        let children = (after.children - before.children) as f64;
        self.costs.searched(expansions, children) * self.factor * self.slow / self.threads
    }

    /// Seconds of an expansion, as they were so far.
    pub(super) fn expansion(&self, so_far: Figures) -> f64 {
        // A search that has only begun has no mean.
        let expansions = so_far.expansions as f64 + 100.0;
        let children = so_far.children as f64 + 2_000.0;
        self.costs.searched(expansions, children) * self.factor * self.slow
            / (self.threads * expansions)
    }
}

/// The network: how long messages take, and that messages in one direction of one worker keep their
/// order.
pub(super) struct Post {
    latency: f64,
    dice: SmallRng,
    to_worker: Vec<Duration>,
    from_worker: Vec<Duration>,
}

impl Post {
    fn new(race: &Race) -> Self {
        let workers = race.workers as usize;
        Self {
            latency: race.latency.as_secs_f64(),
            dice: SmallRng::seed_from_u64(race.seed),
            to_worker: vec![Duration::ZERO; workers],
            from_worker: vec![Duration::ZERO; workers],
        }
    }

    /// The identity of a worker, and back.
    pub(super) fn id(worker: usize) -> WorkerId {
        WorkerId(worker as u64 + 1)
    }

    pub(super) fn number(id: WorkerId) -> usize {
        id.0 as usize - 1
    }

    fn wait(&mut self) -> Duration {
        Duration::from_secs_f64(self.latency * self.dice.random_range(0.5..1.5))
    }

    /// When a message that leaves the coordinator at `sent` is at a worker.
    pub(super) fn down(&mut self, worker: usize, sent: Duration) -> Duration {
        let comes = (sent + self.wait()).max(self.to_worker[worker]);
        self.to_worker[worker] = comes;
        comes
    }

    fn up(&mut self, worker: usize, sent: Duration) -> Duration {
        let comes = (sent + self.wait()).max(self.from_worker[worker]);
        self.from_worker[worker] = comes;
        comes
    }
}

/// Everything in a race.
struct World<'r> {
    race: &'r Race,
    goal: &'r Goal,
    agenda: Agenda<Event>,
    post: Post,
    coordinator: Coordinator,
    hands: Vec<Hand>,
}

/// Runs a race to its end.
pub(super) fn run(race: &Race, goal: &Goal) -> Result<Finish, String> {
    let workers = race.workers as usize;
    let busy = f64::from(race.workers) * race.threads as f64;
    let slow = race.cores.map_or(1.0, |cores| (busy / f64::from(cores)).max(1.0));
    let (costs, factor, threads) = (race.costs, race.factor, race.threads as f64);
    let pace = Pace { costs, factor, slow, threads };
    let limits = Limits { memory: race.memory, threads: race.threads };
    let hands = (0..workers).map(|worker| Hand::new(pace, Post::id(worker), limits));
    let leaf = match race.scheme {
        Scheme::Facts => None,
        Scheme::Owned { budget } => Some(budget),
    };
    let mut world = World {
        race,
        goal,
        agenda: Agenda::new(),
        post: Post::new(race),
        coordinator: Coordinator::new(pace, race, leaf),
        hands: hands.collect::<Result<_, _>>()?,
    };
    for worker in 0..workers {
        let comes = COMING.mul_f64(world.post.dice.random());
        world.agenda.at(comes, Event::Comes(worker));
    }
    world.agenda.at(SUBMITTED, Event::Submitted);
    while let Some(event) = world.agenda.next() {
        world.happens(event)?;
        if let Some(job) = &world.coordinator.ended {
            let sprig_domain::JobState::Done(conclusion) = &job.state else {
                return Err(format!("the job ended as {:?}", job.state));
            };
            let seconds = (world.agenda.now() - SUBMITTED).as_secs_f64();
            return Ok(world.finish(conclusion.outcome, seconds));
        }
    }
    Err("nothing is left to happen, and the job is not done".into())
}

impl World<'_> {
    fn finish(&self, outcome: sprig_domain::Outcome, seconds: f64) -> Finish {
        let figures: Vec<_> = self.hands.iter().map(Hand::figures).collect();
        let (facts, repeated) = self.coordinator.proved();
        Finish {
            outcome,
            workers: self.race.workers,
            seconds,
            expansions: figures.iter().map(|figures| figures.expansions).collect(),
            children: figures.iter().map(|figures| figures.children).sum(),
            collections: figures.iter().map(|figures| figures.collections).sum(),
            bytes: figures.iter().map(|figures| figures.bytes).max().unwrap_or(0),
            toil: self.hands.iter().map(|hand| hand.tally).collect(),
            facts,
            repeated,
            coordinator: self.coordinator.tally,
        }
    }

    fn happens(&mut self, event: Event) -> Result<(), String> {
        let (agenda, post, coordinator) = (&mut self.agenda, &mut self.post, &mut self.coordinator);
        match event {
            Event::Comes(worker) => {
                let hello = self.hands[worker].hello();
                coordinator.join(agenda, post, worker, hello)
            }
            Event::Submitted => coordinator.submit(agenda, post, self.goal.clone()),
            Event::Steps(worker) => self.step(worker),
            Event::Settled(event) => coordinator.settled(agenda, post, event),
            Event::Searched(worker, facts, ending) => {
                let now = self.agenda.now();
                let hand = &mut self.hands[worker];
                hand.gather(now, facts);
                if let Some(due) = hand.report_at {
                    self.agenda.at(due, Event::Reports(worker));
                }
                match ending {
                    None => {}
                    Some(verdict) => {
                        let actions = self.hands[worker].answer(verdict);
                        self.perform(worker, actions)?;
                    }
                }
                self.step(worker)
            }
            Event::Reports(worker) => {
                let now = self.agenda.now();
                let hand = &mut self.hands[worker];
                let actions = match hand.report_at {
                    Some(due) if due <= now => hand.report(),
                    _ => return Ok(()),
                };
                self.perform(worker, actions)
            }
            Event::Progress(worker) => {
                let hand = &mut self.hands[worker];
                if !hand.is_searching() {
                    hand.tells = false;
                    return Ok(());
                }
                let actions = hand.apply(Told::Progressed(hand.figures()));
                let next = self.agenda.now() + PROGRESS.max(hand.gathers());
                self.agenda.at(next, Event::Progress(worker));
                self.perform(worker, actions)
            }
            Event::Told(worker, message) => {
                let now = self.agenda.now();
                let acknowledged = matches!(message, ToWorker::Acknowledge(_));
                let hand = &mut self.hands[worker];
                hand.message();
                let event = match message {
                    ToWorker::Welcome(welcome) => Told::Welcomed(welcome),
                    other => Told::Told(other),
                };
                let actions = hand.apply(event);
                if acknowledged {
                    hand.hurry(now);
                    if let Some(due) = hand.report_at {
                        self.agenda.at(due, Event::Reports(worker));
                    }
                }
                self.perform(worker, actions)
            }
            Event::Lesson(worker, batch, next) => {
                self.hands[worker].hear(batch, next);
                self.wake(worker);
                // A batch without facts is taken in at once.
                self.caught_up(worker)
            }
            Event::Heard(worker, message) => {
                coordinator.hear(agenda, worker, message);
                Ok(())
            }
            Event::Read(worker, message) => coordinator.read(agenda, post, worker, message),
            Event::Follows(worker, from) => {
                coordinator.follow(agenda, worker, from);
                Ok(())
            }
            Event::Gathered(worker) => {
                coordinator.gathered(agenda, worker);
                Ok(())
            }
            Event::Sent(worker, batch, next) => {
                let comes = post.down(worker, agenda.now());
                agenda.at(comes, Event::Lesson(worker, batch, next));
                coordinator.stream(agenda, worker);
                Ok(())
            }
            Event::Written(group) => coordinator.written(agenda, post, group),
            Event::Tick => coordinator.tick(agenda, post),
        }
    }

    /// Has a worker go on, if it rests.
    fn wake(&mut self, worker: usize) {
        if !std::mem::replace(&mut self.hands[worker].steps, true) {
            self.agenda.at(self.agenda.now(), Event::Steps(worker));
        }
    }

    fn step(&mut self, worker: usize) -> Result<(), String> {
        let coordinator = &self.coordinator;
        let step = self.hands[worker].step(|sequence| coordinator.fact(sequence))?;
        let now = self.agenda.now();
        match step {
            Step::Rest => self.hands[worker].steps = false,
            Step::Learn(seconds) => {
                let done = now + Duration::from_secs_f64(seconds);
                self.agenda.at(done, Event::Steps(worker));
                self.caught_up(worker)?;
            }
            Step::Search(seconds, facts, ending) => {
                let done = now + Duration::from_secs_f64(seconds);
                self.agenda.at(done, Event::Searched(worker, facts, ending));
            }
        }
        Ok(())
    }

    fn caught_up(&mut self, worker: usize) -> Result<(), String> {
        let Some(next) = self.hands[worker].caught_up() else { return Ok(()) };
        let actions = self.hands[worker].apply(Told::Learned(next));
        self.perform(worker, actions)
    }

    fn perform(&mut self, worker: usize, actions: Vec<Action>) -> Result<(), String> {
        let now = self.agenda.now();
        for action in actions {
            match action {
                Action::Say(message) => {
                    let comes = self.post.up(worker, now);
                    self.agenda.at(comes, Event::Heard(worker, message));
                }
                Action::Follow { from, .. } => {
                    let comes = self.post.up(worker, now);
                    self.agenda.at(comes, Event::Follows(worker, from));
                }
                Action::Search(_) => {
                    if !std::mem::replace(&mut self.hands[worker].tells, true) {
                        self.agenda.at(now + PROGRESS, Event::Progress(worker));
                    }
                    self.wake(worker);
                }
                Action::StopSearch => self.wake(worker),
                // Nobody looks at a race.
                Action::Look(_) => {}
                Action::Forget(_) | Action::End => {
                    return Err("a worker of a race neither forgets nor ends".into());
                }
            }
        }
        Ok(())
    }
}
