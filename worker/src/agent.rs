//! Every decision of a worker, as one state machine without input, output or clock.

#[cfg(test)]
mod tests;

use sprig_proto::{
    Alarm, Answer, Build, FromWorker, Grant, Hello, LeaseId, Pull, ToWorker, Welcome, WorkerId,
};
use sprig_search::{Fact, Figures, Verdict};

use crate::Shutdown;
use crate::outbox::Outbox;

/// Something that has happened.
#[derive(Debug)]
pub enum Event {
    /// The coordinator has replied to the `Hello` of a new connection.
    Welcomed(Welcome),
    /// The connection is gone.
    Lost,
    /// The coordinator says something else.
    Told(ToWorker),
    /// The search has taken in the facts of others below this sequence number.
    Learned(u64),
    /// The search has proved facts.
    Proved(Vec<Fact>),
    /// The search has ended.
    Answered(Answer),
    /// The search gets on.
    Progressed(Figures),
    /// A fact of others contradicts what the search has proved.
    Contradicted(Alarm),
    /// The owner wants something.
    Shutdown(Shutdown),
}

/// Something to be done, in order.
#[derive(Debug)]
pub enum Action {
    /// Say this to the coordinator.
    Say(FromWorker),
    /// Follow the facts of others from this sequence number on.
    Follow(u64),
    /// Begin to search.
    Search(Grant),
    /// Stop the search; it still answers.
    StopSearch,
    /// Close the connection when all is said, and end.
    End,
}

/// What a worker is doing.
#[derive(Debug)]
enum Work {
    /// Nothing; `pulled`: the coordinator knows.
    Idle { pulled: bool },
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
    /// The run of the coordinator last spoken to.
    epoch: Option<u64>,
    /// Facts of others below this sequence number of that run have been taken in.
    learned: u64,
    /// Facts to take in before the first pull of a connection; none while there is no connection.
    connected: Option<u64>,
    outbox: Outbox,
    work: Work,
    shutdown: Shutdown,
    ended: bool,
}

impl Agent {
    /// A worker that has not connected yet.
    pub fn new(id: WorkerId, name: String, threads: u32) -> Self {
        Self {
            id,
            name,
            threads,
            epoch: None,
            learned: 0,
            connected: None,
            outbox: Outbox::default(),
            work: Work::Idle { pulled: false },
            shutdown: Shutdown::Run,
            ended: false,
        }
    }

    /// What to say first on a new connection.
    pub fn hello(&self, figures: Figures) -> Hello {
        let holding = match &self.work {
            Work::Idle { .. } => None,
            Work::Searching(lease) => Some(*lease),
            Work::Answered(answer) => Some(answer.lease),
        };
        let (build, name) = (Build::here(), self.name.clone());
        Hello { build, name, worker: self.id, threads: self.threads, holding, figures }
    }

    /// Whether a search is on.
    pub fn is_searching(&self) -> bool {
        matches!(self.work, Work::Searching(_))
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
            Event::Proved(facts) => self.outbox.add(facts),
            Event::Answered(answer) => self.work = Work::Answered(answer),
            Event::Progressed(figures) => {
                if let (Work::Searching(lease), Some(_)) = (&self.work, self.connected) {
                    actions.push(Action::Say(FromWorker::Progress { lease: *lease, figures }));
                }
            }
            Event::Contradicted(alarm) => self.contradicted(alarm, actions),
            Event::Shutdown(shutdown) => self.shut_down(shutdown, actions),
        }
        self.speak(actions);
    }

    fn welcomed(&mut self, welcome: &Welcome, actions: &mut Vec<Action>) {
        if self.epoch.replace(welcome.epoch) != Some(welcome.epoch) {
            self.learned = 0;
        }
        self.connected = Some(welcome.facts);
        self.outbox.rewind();
        actions.push(Action::Follow(self.learned));
    }

    fn told(&mut self, message: ToWorker, actions: &mut Vec<Action>) {
        match message {
            ToWorker::Welcome(_) => {}
            ToWorker::Acknowledge(reports) => {
                reports.into_iter().for_each(|sequence| self.outbox.acknowledge(sequence));
            }
            ToWorker::Grant(grant) if self.shutdown == Shutdown::Run => {
                self.work = Work::Searching(grant.lease);
                actions.push(Action::Search(grant));
            }
            // It crossed with the news that this worker is going away.
            ToWorker::Grant(grant) => self.work = Work::Answered(handed_back(grant.lease)),
            ToWorker::Revoke(lease) => match self.work {
                Work::Searching(held) if held == lease => actions.push(Action::StopSearch),
                _ => {}
            },
        }
    }

    fn contradicted(&mut self, alarm: Alarm, actions: &mut Vec<Action>) {
        self.send_reports(actions);
        actions.push(Action::Say(FromWorker::Alarm(alarm)));
        self.end(actions);
    }

    fn shut_down(&mut self, shutdown: Shutdown, actions: &mut Vec<Action>) {
        self.shutdown = self.shutdown.max(shutdown);
        match (self.shutdown, &self.work) {
            (Shutdown::Run, _) => {}
            (Shutdown::Drop, _) => self.end(actions),
            (Shutdown::Finish, Work::Searching(_)) => actions.push(Action::StopSearch),
            // The coordinator shall not grant anything now.
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

    /// Says what can be said now: reports, then the answer that rests on them, then the request for more.
    fn speak(&mut self, actions: &mut Vec<Action>) {
        if self.ended {
            return;
        }
        if let Some(needed) = self.connected {
            self.send_reports(actions);
            self.pull(needed, actions);
        }
        let idle = matches!(self.work, Work::Idle { .. });
        if self.shutdown == Shutdown::Finish && idle && self.outbox.is_empty() {
            self.end(actions);
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
            Work::Answered(answer) if self.outbox.is_sent() => Some(answer),
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
fn handed_back(lease: LeaseId) -> Answer {
    let verdict = Ok(Verdict::Open { proof: 1, disproof: 1 });
    Answer { lease, verdict, figures: Figures::default() }
}
