//! A worker of a race: its real agent and its real search, and around them, in virtual time, what
//! its driver does.

use std::collections::VecDeque;
use std::time::Duration;

use sprig_domain::{Fact, Figures, LandNimber, Verdict};
use sprig_proto::{Answer, Grant, WorkerId};
use sprig_search::Limits;
use sprig_worker::agent::{Action, Agent, Event};

use super::lane::Lane;
use super::world::Pace;

/// How long facts are gathered before they are reported, while the coordinator writes the earlier
/// ones, as in the worker's driver.
const GATHER: Duration = Duration::from_millis(100);
/// How long facts are gathered when everything before them is on the coordinator's disk.
const SOON: Duration = Duration::from_millis(10);
/// A search stands still about this many seconds after it began, so that what it tells is never
/// much later.
const SLICE: f64 = 2e-3;

/// A worker.
pub(super) struct Hand {
    pace: Pace,
    agent: Agent,
    pub(super) lane: Lane,
    grant: Option<Grant>,
    /// Expansions that are left of its lease, if these were bounded.
    left: Option<u64>,
    /// Whether its next word of progress is on the agenda.
    pub(super) tells: bool,
    /// Whether the agent wants the search stopped.
    stops: bool,
    /// Whether its next step is on the agenda.
    pub(super) steps: bool,
    /// Facts that were proved, and not reported yet.
    proved: Vec<Fact>,
    /// When they are to be reported.
    pub(super) report_at: Option<Duration>,
    /// Facts of others that are not taken in yet, by their sequence numbers.
    lessons: VecDeque<u64>,
    /// When they are taken in, everything below this is taken in.
    next: u64,
    /// Seconds that it still has to search before it learns again. Where others prove more than it
    /// can take in, the search and the learning share the core.
    debt: f64,
    /// Seconds that messages took, which the search must go without.
    owed: f64,
    pub(super) tally: Toil,
}

/// How a worker has spent its time, in virtual seconds of its core.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Toil {
    /// Searching.
    pub searched: f64,
    /// Taking in facts of others.
    pub learned: f64,
    /// Facts taken in.
    pub lessons: u64,
}

/// What a worker does next.
pub(super) enum Step {
    /// Nothing, until it hears something.
    Rest,
    /// It learns, for this many seconds.
    Learn(f64),
    /// It has searched for this many seconds, and proved these facts, and maybe answered its lease.
    Search(f64, Vec<LandNimber>, Option<Verdict>),
}

impl Hand {
    pub(super) fn new(pace: Pace, id: WorkerId, limits: Limits) -> Result<Self, String> {
        let threads = u32::try_from(limits.threads).unwrap_or(u32::MAX);
        Ok(Self {
            pace,
            agent: Agent::new(id, format!("worker-{}", id.0), threads),
            lane: Lane::new(limits).map_err(|error| error.to_string())?,
            grant: None,
            left: None,
            tells: false,
            stops: false,
            steps: false,
            proved: Vec::new(),
            report_at: None,
            lessons: VecDeque::new(),
            next: 0,
            debt: 0.0,
            owed: 0.0,
            tally: Toil::default(),
        })
    }

    pub(super) fn hello(&self) -> sprig_proto::Hello {
        self.agent.hello()
    }

    /// The agent takes in an event. Returns what is left for the world to do.
    pub(super) fn apply(&mut self, event: Event) -> Vec<Action> {
        let mut actions = Vec::new();
        self.agent.apply(event, &mut actions);
        for action in &actions {
            match action {
                Action::Say(_) => self.message(),
                Action::Search(grant) => {
                    self.lane.differ(grant.noise);
                    self.left = grant.expansions;
                    (self.grant, self.stops) = (Some(grant.clone()), false);
                }
                Action::StopSearch => self.stops = true,
                _ => {}
            }
        }
        actions
    }

    /// A message is sent or received.
    pub(super) fn message(&mut self) {
        self.owed += self.pace.costs.message * self.pace.slow;
    }

    pub(super) fn is_searching(&self) -> bool {
        self.grant.is_some()
    }

    pub(super) fn figures(&self) -> Figures {
        self.lane.figures()
    }

    /// Facts of others have come.
    pub(super) fn hear(&mut self, batch: Vec<u64>, next: u64) {
        self.message();
        self.lessons.extend(batch);
        self.next = next;
    }

    /// Proved facts wait to be reported.
    pub(super) fn gather(&mut self, now: Duration, facts: Vec<LandNimber>) {
        if facts.is_empty() {
            return;
        }
        let first = self.proved.is_empty();
        self.proved.extend(facts.into_iter().map(Fact::Nimber));
        if first {
            self.report_by(now + GATHER.max(self.gathers()));
            self.hurry(now);
        }
    }

    /// For how long it gathers, at least.
    pub(super) fn gathers(&self) -> Duration {
        self.agent.gathers()
    }

    /// Reports soon if nothing else is on its way.
    pub(super) fn hurry(&mut self, now: Duration) {
        if !self.proved.is_empty() && self.agent.unacknowledged() == 0 {
            self.report_by(now + SOON.max(self.gathers()));
        }
    }

    fn report_by(&mut self, due: Duration) {
        self.report_at = Some(self.report_at.map_or(due, |before| before.min(due)));
    }

    /// Hands what was proved to the agent.
    pub(super) fn report(&mut self) -> Vec<Action> {
        self.report_at = None;
        let facts = std::mem::take(&mut self.proved);
        if facts.is_empty() { Vec::new() } else { self.apply(Event::Proved(facts)) }
    }

    /// The answer to its lease.
    pub(super) fn answer(&mut self, verdict: Verdict) -> Vec<Action> {
        let Some(grant) = self.grant.take() else { return Vec::new() };
        let (lease, figures) = (grant.lease, self.figures());
        let mut actions = self.report();
        actions.extend(self.apply(Event::Answered(Answer {
            lease,
            verdict: Ok(verdict),
            figures,
        })));
        actions
    }

    /// It has taken in what it has heard up to here; `None` if there is more.
    pub(super) fn caught_up(&self) -> Option<u64> {
        self.lessons.is_empty().then_some(self.next)
    }

    /// What it does next. `fact` gives the fact of a sequence number.
    pub(super) fn step<'f>(
        &mut self,
        fact: impl Fn(u64) -> &'f LandNimber,
    ) -> Result<Step, String> {
        if self.stops {
            self.stops = false;
            let halted = self.lane.halt()?;
            let open = Verdict::Open { proof: 1, disproof: 1 };
            return Ok(Step::Search(0.0, halted.facts, Some(open)));
        }
        let costs = self.pace.costs;
        let searching = self.grant.is_some();
        if !self.lessons.is_empty() && (self.debt <= 0.0 || !searching) {
            let halted = self.lane.halt()?;
            self.proved.extend(halted.facts.into_iter().map(Fact::Nimber));
            let one = costs.fact_learned * self.pace.factor * self.pace.slow;
            let most = ((SLICE / one) as usize).max(1).min(self.lessons.len());
            for sequence in self.lessons.drain(..most) {
                self.lane.learn(fact(sequence))?;
            }
            let seconds = one * most as f64;
            if !self.lessons.is_empty() {
                self.debt = seconds;
            }
            self.tally.learned += seconds;
            self.tally.lessons += most as u64;
            return Ok(Step::Learn(seconds + std::mem::take(&mut self.owed)));
        }
        let Some(grant) = &self.grant else { return Ok(Step::Rest) };
        let before = self.lane.figures();
        let steps = ((SLICE / self.pace.expansion(before)) as u64).max(1);
        let steps = self.left.map_or(steps, |left| steps.min(left));
        let slice = self.lane.run(&grant.goal, steps, self.left.is_some())?;
        let after = self.lane.figures();
        let seconds = self.pace.seconds(before, after);
        self.debt -= seconds;
        self.tally.searched += seconds;
        let seconds = seconds + std::mem::take(&mut self.owed);
        let mut facts = slice.facts;
        let mut verdict = slice.verdict;
        if let Some(left) = &mut self.left {
            *left -= steps;
            if *left == 0 && verdict.is_none() {
                let Figures { proof, disproof, .. } = after;
                verdict = Some(Verdict::Open { proof, disproof });
                facts.extend(self.lane.halt()?.facts);
            }
        }
        Ok(Step::Search(seconds, facts, verdict))
    }
}
