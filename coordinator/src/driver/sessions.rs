//! Workers come and go: which are let in, which are sent away, and what the log says of it.

use std::fmt;

use sprig_domain::JobId;
use sprig_proto::{Hello, wire};
use tokio::sync::mpsc;
use tonic::Status;
use tracing::{info, warn};

use super::{Driver, Finding, Ruling, Suspicion, Task, person};
use crate::access::Caller;
use crate::machine::{Event, SessionId, fingerprint};
use crate::trust::Doubt;
use crate::writer::Order;

/// The way to a worker.
pub(crate) type SessionSender = mpsc::Sender<Result<wire::ToWorker, Status>>;

/// Messages that a worker may be behind. One that is further behind is gone.
pub(crate) const SESSION_QUEUE: usize = 256;

/// Most persons that are remembered as having doubted a fact and left. When there are so many, nobody
/// is banned any more who has left.
const EXCUSED: usize = 10_000;

/// A connection of a worker.
#[derive(Debug)]
pub(crate) struct Session {
    /// The way to it.
    pub(crate) out: SessionSender,
    /// Its name, as its facts are signed.
    pub(super) name: String,
    caller: Caller,
    /// It has proved what contradicts a fact. The fact is looked at, or was.
    doubts: bool,
}

/// How a connection has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Parting {
    /// The worker has closed it, or has been silent for so long that the server has. The stream ends
    /// in the same way in both cases.
    Ended,
    /// It broke, or the worker may not go on.
    Lost(String),
}

impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => f.write_str("ended, or went silent"),
            Self::Lost(reason) => write!(f, "lost: {reason}"),
        }
    }
}

impl Driver {
    pub(super) fn joined(
        &mut self,
        session: SessionId,
        hello: Hello,
        caller: Caller,
        out: SessionSender,
    ) {
        let (address, name, build) = (caller.from(), &*hello.name, &*hello.build.id);
        if let Some(ban) = self.standing.ban_of(name) {
            info!(name, address, "worker refused: it is banned");
            let (who, why) = (&ban.name, &ban.reason);
            let reason = format!(
                "{who} is banned: {why}; whoever runs the coordinator may say `sprig unban {who}`"
            );
            let _ = out.try_send(Err(Status::permission_denied(reason)));
            return;
        }
        if let Some(reason) = self.beyond_quota(&caller) {
            info!(name, address, "worker refused: {reason}");
            let _ = out.try_send(Err(Status::resource_exhausted(reason)));
            return;
        }
        info!(worker = %fingerprint(hello.worker), name, address, build, "worker joined");
        let name = name.to_owned();
        self.sessions.insert(session, Session { out, name, caller, doubts: false });
        self.apply(Event::Joined { session, hello });
    }

    /// Why one more worker of this caller is too many, if it is. A worker whose connection broke is
    /// let in again when that is seen.
    fn beyond_quota(&self, caller: &Caller) -> Option<String> {
        let identity = caller.identity.as_ref()?;
        let (name, most) = (identity.name.as_ref()?, identity.workers?);
        let same = |other: &&Session| {
            other.caller.identity.as_ref().is_some_and(|other| other.name.as_ref() == Some(name))
        };
        let there = self.sessions.values().filter(same).count();
        (there >= most as usize).then(|| {
            let workers = if most == 1 { "1 worker" } else { &format!("{most} workers") };
            format!("{name} may have {workers} at once, and has as many; ask whoever invited you for more")
        })
    }

    /// The connection is no longer one of ours. That is logged once, with the first reason.
    pub(super) fn parted(&mut self, session: SessionId, why: &str) -> Option<Session> {
        let parted = self.sessions.remove(&session)?;
        if parted.doubts && self.excused.len() < EXCUSED {
            self.excused.insert(person(&parted.name));
        }
        info!(name = parted.name, address = parted.caller.from(), why, "worker left");
        Some(parted)
    }

    /// Ends a session of a worker that may come back at once.
    fn let_go(&mut self, session: SessionId, reason: &str) {
        if let Some(Session { out, .. }) = self.parted(session, reason) {
            let _ = out.try_send(Err(Status::unavailable(reason)));
        }
        self.apply(Event::Left { session });
    }

    /// Has a doubt looked at, unless its account raises doubts too often.
    pub(super) fn doubted(&mut self, doubt: Doubt) {
        let Some(account) = self.account(doubt.session) else { return };
        if let Some(session) = self.sessions.get_mut(&doubt.session) {
            session.doubts = true;
        }
        if self.doubters.may_ask(&account, self.begun.elapsed()) {
            self.order(Order::Audit(Task::Check(doubt)));
        } else {
            self.let_go(doubt.session, "another doubt of this worker has just been looked at");
        }
    }

    /// A doubt was looked at.
    pub(super) fn checked(&mut self, doubt: Doubt, finding: &Finding) {
        if self.held.is_some() {
            // Every claim is being looked at.
            return;
        }
        let Doubt { session, source, reason, about } = doubt;
        // A worker that did not wait for it comes back and says the same again.
        let Some(account) = self.account(session) else { return };
        let ruling = self.doubters.rule(&account, finding, self.begun.elapsed());
        match (ruling, finding) {
            (Ruling::Suspend, Finding::Wrong(found)) => {
                let reason = format!("{reason}: {found}");
                self.suspend(Suspicion { reason, accused: None, doubted: None, job: None });
            }
            (Ruling::Suspend, _) => {
                let doubted = Some((about.game, about.kind, about.subject));
                self.suspend(Suspicion { reason, accused: Some(source), doubted, job: None });
            }
            (Ruling::LetGo, _) => {
                let name = person(&source).name;
                warn!(name, reason, "a doubt has no ground that was found");
                self.let_go(session, "what contradicts your proof holds: begin anew");
            }
        }
    }

    /// A worker's answer to a job does not follow from what was reported.
    ///
    /// Only that worker is sent away, or kept out if it did not wait for that; the job goes on with
    /// the others.
    pub(super) fn unfounded(&mut self, job: JobId, by: &str) {
        if self.held.is_some() {
            // Every claim is being looked at, and then the job begins anew.
            return;
        }
        let liar = person(by);
        let of_liar = |(_, session): &(&SessionId, &Session)| person(&session.name) == liar;
        let sessions: Vec<SessionId> =
            self.sessions.iter().filter(of_liar).map(|(&id, _)| id).collect();
        // Where its proof was refused, the facts that it lacks may be those that another lied
        // about.
        let is_excused = match sessions.is_empty() {
            true => self.excused.contains(&liar) || self.excused.len() == EXCUSED,
            false => sessions.iter().any(|id| self.sessions[id].doubts),
        };
        if !is_excused {
            let reason = format!("{by}: its answer to job {job} does not follow from the facts");
            let ban = self.standing.ban(liar, reason.clone());
            self.order(Order::Ban(ban));
            for session in sessions {
                if let Some(Session { out, .. }) = self.parted(session, &reason) {
                    let _ = out.try_send(Err(Status::permission_denied(&reason)));
                }
                self.apply(Event::Left { session });
            }
        }
        self.apply(Event::Unfounded { job });
    }

    fn account(&self, session: SessionId) -> Option<String> {
        self.sessions.get(&session).map(|session| session.caller.account())
    }
}
