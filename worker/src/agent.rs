//! Every decision of a worker, as one state machine without input, output or clock.

#[cfg(test)]
mod tests;

use std::time::Duration;

use sprig_domain::{Fact, Figures, Game, Reign, Ruleset, Verdict};
use sprig_proto::{
    Acknowledge, Alarm, Answer, Build, FromWorker, Grant, Hello, LeaseId, Look, Pull, ToWorker,
    Welcome, WorkerId,
};

use crate::Shutdown;
use crate::outbox::Outbox;

/// Something that has happened.
#[derive(Debug)]
pub enum Event {
    /// The coordinator has replied to the `Hello` of a new connection.
    Welcomed(Welcome),
    /// The connection is gone.
    Lost,
    /// The coordinator has said something else.
    Told(ToWorker),
    /// The search has taken in the facts of others below this sequence number.
    Learned(u64),
    /// The search has proved facts.
    Proved(Vec<Fact>),
    /// The search has ended.
    Answered(Answer),
    /// The search makes progress; these are its counters.
    Progressed(Figures),
    /// A fact of others contradicts what the search has proved.
    Contradicted(Alarm),
    /// The owner wants the worker to go on or to end.
    Shutdown(Shutdown),
}

/// Something to be done, in order.
#[derive(Debug)]
pub enum Action {
    /// Say this to the coordinator.
    Say(FromWorker),
    /// Follow the facts of others.
    Follow {
        /// The first sequence number.
        from: u64,
        /// The game and the play of the facts.
        ruleset: Ruleset,
        /// Below this sequence number, its own facts are wanted as well: they were forgotten.
        forgotten: u64,
    },
    /// Begin to search.
    Search(Grant),
    /// Stop the search, which still answers.
    StopSearch,
    /// Forget all that was learned and found, and begin anew with these rules. A search that is on
    /// ends without an answer.
    Forget(Ruleset),
    /// Say what the search sees.
    Look(Look),
    /// Close the connection when all is said, and end.
    End,
}

/// What a worker is doing.
#[derive(Debug)]
enum Work {
    /// Nothing. `pulled` says whether the coordinator knows.
    Idle { pulled: bool },
    /// Taking in what is known, to search then.
    Preparing(Grant),
    /// Searching under a lease.
    Searching(LeaseId),
    /// The answer cannot be sent yet.
    Answered(Answer),
}

/// A worker's state.
#[derive(Debug)]
pub struct Agent {
    id: WorkerId,
    name: String,
    threads: u32,
    /// The database of the coordinator last spoken to.
    database: Option<u64>,
    /// The latest reign that it has heard of.
    reign: Option<Reign>,
    /// Whether it has raised an alarm: what it knows contradicts itself.
    doubtful: bool,
    /// How often claims had been withdrawn when it first spoke to the coordinator, or last forgot.
    withdrawals: Option<u64>,
    /// The rules of its search.
    ruleset: Ruleset,
    /// Facts of others under these rules have been taken in below this sequence number of that
    /// database.
    learned: u64,
    /// How many facts there were when it last forgot its own.
    forgotten: u64,
    /// Facts to take in before the first pull of a connection, or before a search begins; `None`
    /// while there is no connection.
    connected: Option<u64>,
    outbox: Outbox,
    /// For how long facts are gathered, at least, before they are reported.
    gathers: Duration,
    work: Work,
    shutdown: Shutdown,
    ended: bool,
    /// The counters of its search as the coordinator has heard of them.
    told: Figures,
}

impl Agent {
    /// A worker that has not connected yet.
    pub fn new(id: WorkerId, name: String, threads: u32) -> Self {
        Self {
            id,
            name,
            threads,
            database: None,
            reign: None,
            doubtful: false,
            gathers: Duration::ZERO,
            withdrawals: None,
            ruleset: Ruleset::default(),
            learned: 0,
            forgotten: 0,
            connected: None,
            outbox: Outbox::default(),
            work: Work::Idle { pulled: false },
            shutdown: Shutdown::Run,
            ended: false,
            told: Figures::default(),
        }
    }

    /// What to say first on a new connection. Its counters are those that were told last, so that
    /// what was done without a connection is counted with the next progress.
    pub fn hello(&self) -> Hello {
        let holding = match &self.work {
            Work::Idle { .. } => None,
            Work::Preparing(grant) => Some(grant.lease),
            Work::Searching(lease) => Some(*lease),
            Work::Answered(answer) => Some(answer.lease),
        };
        let (build, name) = (Build::here(), self.name.clone());
        let (threads, figures, games) = (self.threads, self.told, Game::ALL.to_vec());
        let reign = self.reign;
        let looks = true;
        Hello { build, name, worker: self.id, threads, holding, figures, games, reign, looks }
    }

    /// The facts of a report that is not acknowledged yet.
    pub fn reported(&self, report: u64) -> &[Fact] {
        self.outbox.report(report)
    }

    /// Whether a coordinator that leads in this reign was succeeded by one that this worker knows.
    pub fn knows_better(&self, reign: Option<Reign>) -> bool {
        let (Some(known), Some(reign)) = (&self.reign, &reign) else { return false };
        known.succeeds(reign)
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        matches!(self.work, Work::Searching(_))
    }

    /// Reports that are not acknowledged yet.
    pub fn unacknowledged(&self) -> usize {
        self.outbox.len()
    }

    /// For how long the coordinator wants facts to be gathered before they are reported, at least.
    pub fn gathers(&self) -> Duration {
        self.gathers
    }

    /// Takes in an event and appends what is to be done.
    pub fn apply(&mut self, event: Event, actions: &mut Vec<Action>) {
        match event {
            Event::Welcomed(welcome) => self.welcomed(&welcome, actions),
            Event::Lost => {
                self.connected = None;
                if let Work::Idle { pulled } = &mut self.work {
                    *pulled = false;
                }
            }
            Event::Told(message) => self.told(message, actions),
            Event::Learned(next) => self.learned = self.learned.max(next),
            Event::Proved(facts) => {
                self.outbox.add(self.ruleset.game, facts);
                // Its answer waits for the coordinator like everything else.
                if self.outbox.is_full() && self.is_searching() {
                    actions.push(Action::StopSearch);
                }
            }
            // After a contradiction its answer means nothing.
            Event::Answered(answer) => {
                if let Work::Searching(_) = self.work {
                    self.work = Work::Answered(answer);
                }
            }
            Event::Progressed(figures) => {
                if let (&Work::Searching(lease), Some(_)) = (&self.work, self.connected) {
                    self.told = figures;
                    actions.push(Action::Say(FromWorker::Progress { lease, figures }));
                }
            }
            Event::Contradicted(alarm) => self.contradicted(alarm, actions),
            Event::Shutdown(shutdown) => self.shut_down(shutdown, actions),
        }
        self.speak(actions);
    }

    fn welcomed(&mut self, welcome: &Welcome, actions: &mut Vec<Action>) {
        // A coordinator of another line belongs to another cluster. One of an older program has no
        // reign.
        self.reign = welcome.reign.or(self.reign);
        // Another database, or one that was put back to an earlier day, lacks what was reported
        // before. What is found from now on by building on those facts would follow from nothing
        // there.
        let before = self.database.replace(welcome.database);
        let other = before.is_some_and(|before| before != welcome.database);
        let earlier = welcome.facts < self.learned;
        self.connected = Some(welcome.facts);
        let before = self.withdrawals.replace(welcome.withdrawals);
        let doubtful = std::mem::take(&mut self.doubtful);
        if other
            || earlier
            || doubtful
            || before.is_some_and(|before| before != welcome.withdrawals)
        {
            // What it has learned may be wrong, and with it all that it has found out since.
            self.outbox.clear();
            self.work = Work::Idle { pulled: false };
            self.forget(welcome.facts, actions);
        }
        self.outbox.rewind();
        self.follow(actions);
    }

    /// Begins with empty tables, when there are `facts` facts.
    fn forget(&mut self, facts: u64, actions: &mut Vec<Action>) {
        self.learned = 0;
        self.told = Figures::default();
        self.forgotten = facts;
        actions.push(Action::Forget(self.ruleset));
    }

    fn follow(&self, actions: &mut Vec<Action>) {
        let Self { learned: from, ruleset, forgotten, .. } = *self;
        actions.push(Action::Follow { from, ruleset, forgotten });
    }

    /// Takes a grant up: at once, or, when the search has other rules, after taking in all that is
    /// known under these.
    fn take_up(&mut self, grant: Grant, actions: &mut Vec<Action>) {
        if self.ruleset != grant.goal.ruleset() {
            self.ruleset = grant.goal.ruleset();
            self.connected = Some(grant.facts);
            self.forget(grant.facts, actions);
            self.follow(actions);
        }
        self.work = Work::Preparing(grant);
    }

    fn told(&mut self, message: ToWorker, actions: &mut Vec<Action>) {
        match message {
            ToWorker::Welcome(_) => {}
            ToWorker::Acknowledge(Acknowledge { reports, gather }) => {
                self.gathers = gather;
                reports.into_iter().for_each(|sequence| self.outbox.acknowledge(sequence));
            }
            ToWorker::Look(look) => actions.push(Action::Look(look)),
            ToWorker::Grant(grant) if self.shutdown == Shutdown::Run => {
                self.take_up(grant, actions)
            }
            // The grant has crossed with the message that this worker is going away.
            ToWorker::Grant(grant) => {
                self.work = Work::Answered(handed_back(grant.lease, self.told))
            }
            ToWorker::Revoke(lease) => match &self.work {
                Work::Searching(held) if *held == lease => actions.push(Action::StopSearch),
                Work::Preparing(grant) if grant.lease == lease => {
                    self.work = Work::Answered(handed_back(lease, self.told));
                }
                _ => {}
            },
        }
    }

    /// Nothing is asked for until the coordinator has found out which side is wrong, and ended this
    /// connection.
    fn contradicted(&mut self, alarm: Alarm, actions: &mut Vec<Action>) {
        self.send_reports(actions);
        actions.push(Action::Say(FromWorker::Alarm(alarm)));
        if let Work::Searching(_) = self.work {
            actions.push(Action::StopSearch);
        }
        self.work = Work::Idle { pulled: true };
        self.doubtful = true;
    }

    fn shut_down(&mut self, shutdown: Shutdown, actions: &mut Vec<Action>) {
        self.shutdown = self.shutdown.max(shutdown);
        match (self.shutdown, &self.work) {
            (Shutdown::Run, _) => {}
            (Shutdown::Drop, _) => self.end(actions),
            (Shutdown::Finish, Work::Searching(_)) => actions.push(Action::StopSearch),
            (Shutdown::Finish, &Work::Preparing(Grant { lease, .. })) => {
                self.work = Work::Answered(handed_back(lease, self.told));
            }
            // The coordinator must not grant anything now.
            (Shutdown::Finish, Work::Idle { pulled: true }) => {
                actions.push(Action::Say(FromWorker::Pull(Pull { answer: None, more: false })));
            }
            (Shutdown::Finish, _) => {}
        }
    }

    fn end(&mut self, actions: &mut Vec<Action>) {
        if !self.ended {
            self.ended = true;
            actions.push(Action::End);
        }
    }

    /// Sends what can be sent now: reports, then the answer that rests on them, then the request
    /// for more.
    fn speak(&mut self, actions: &mut Vec<Action>) {
        if self.ended {
            return;
        }
        if let Some(needed) = self.connected {
            self.send_reports(actions);
            self.search(needed, actions);
            self.pull(needed, actions);
        }
        let idle = matches!(self.work, Work::Idle { .. });
        if self.shutdown == Shutdown::Finish && idle && self.outbox.is_empty() {
            self.end(actions);
        }
    }

    fn search(&mut self, needed: u64, actions: &mut Vec<Action>) {
        if let Work::Preparing(grant) = &self.work
            && self.learned >= needed
        {
            let grant = grant.clone();
            self.work = Work::Searching(grant.lease);
            actions.push(Action::Search(grant));
        }
    }

    fn send_reports(&mut self, actions: &mut Vec<Action>) {
        if self.connected.is_some() {
            let due = self.outbox.due();
            actions.extend(due.into_iter().map(|report| Action::Say(FromWorker::Report(report))));
        }
    }

    fn pull(&mut self, needed: u64, actions: &mut Vec<Action>) {
        let more = self.shutdown == Shutdown::Run;
        let answer = match std::mem::replace(&mut self.work, Work::Idle { pulled: true }) {
            Work::Answered(answer) if self.outbox.is_sent() => {
                self.told = answer.figures;
                Some(answer)
            }
            Work::Idle { pulled: false } if more && self.learned >= needed => None,
            other => {
                self.work = other;
                return;
            }
        };
        actions.push(Action::Say(FromWorker::Pull(Pull { answer, more })));
    }
}

/// The answer to a lease that was not begun.
fn handed_back(lease: LeaseId, figures: Figures) -> Answer {
    let verdict = Ok(Verdict::Open { proof: 1, disproof: 1 });
    Answer { lease, verdict, figures }
}
