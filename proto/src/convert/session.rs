//! The session of a worker.

use std::ops::Range;
use std::time::Duration;

use prost::Message;
use sprig_domain::{Figures, Game, JobId, Reign, View};
use sprig_search::Noise;

use super::fact::{claims, told};
use super::game::{game, land};
use super::words::{name, reason};
use super::{Malformed, all, into_all, need, within};
use crate::{
    Acknowledge, Alarm, Answer, Build, FactBatch, FromWorker, GaveUp, Grant, Hello, LeaseId, Look,
    Obstacle, Proved, Pull, Report, ToWorker, Welcome, WorkerId, limits, wire,
};

impl From<FromWorker> for wire::FromWorker {
    fn from(message: FromWorker) -> Self {
        use wire::from_worker::Message;
        let message = match message {
            FromWorker::Hello(hello) => Message::Hello(hello.into()),
            FromWorker::Report(report) => Message::Report(report.into()),
            FromWorker::Pull(pull) => {
                Message::Pull(wire::Pull { answer: pull.answer.map(Into::into), more: pull.more })
            }
            FromWorker::Progress { lease, figures } => Message::Progress(wire::Progress {
                lease: Some(lease.into()),
                figures: Some(figures.into()),
            }),
            FromWorker::Alarm(alarm) => Message::Alarm(alarm.into()),
            FromWorker::Seen { number, view } => {
                Message::Seen(wire::Seen { number, view: view.map(Into::into) })
            }
        };
        Self { message: Some(message) }
    }
}

impl TryFrom<wire::FromWorker> for FromWorker {
    type Error = Malformed;

    fn try_from(message: wire::FromWorker) -> Result<Self, Malformed> {
        use wire::from_worker::Message;
        Ok(match need(message.message, "message")? {
            Message::Hello(hello) => Self::Hello(hello.try_into()?),
            Message::Report(report) => Self::Report(report.try_into()?),
            Message::Pull(pull) => Self::Pull(Pull {
                answer: pull.answer.map(Answer::try_from).transpose()?,
                more: pull.more,
            }),
            Message::Progress(progress) => Self::Progress {
                lease: need(progress.lease, "lease")?.into(),
                figures: figures(progress.figures)?,
            },
            Message::Alarm(alarm) => Self::Alarm(alarm.try_into()?),
            Message::Seen(wire::Seen { number, view }) => {
                Self::Seen { number, view: view.map(View::try_from).transpose()? }
            }
        })
    }
}

impl From<ToWorker> for wire::ToWorker {
    fn from(message: ToWorker) -> Self {
        use wire::to_worker::Message;
        let message = match message {
            ToWorker::Welcome(welcome) => Message::Welcome(welcome.into()),
            ToWorker::Grant(grant) => Message::Grant(grant.into()),
            ToWorker::Revoke(lease) => Message::Revoke(wire::Revoke { lease: Some(lease.into()) }),
            ToWorker::Acknowledge(Acknowledge { reports, gather }) => {
                let gather = u32::try_from(gather.as_millis()).unwrap_or(u32::MAX);
                Message::Acknowledge(wire::Acknowledge { reports, gather })
            }
            ToWorker::Look(Look { number, at, limit }) => {
                Message::Look(wire::Look { number, at: Some(at.into()), limit })
            }
        };
        Self { message: Some(message) }
    }
}

impl TryFrom<wire::ToWorker> for ToWorker {
    type Error = Malformed;

    fn try_from(message: wire::ToWorker) -> Result<Self, Malformed> {
        use wire::to_worker::Message;
        Ok(match need(message.message, "message")? {
            Message::Welcome(welcome) => Self::Welcome(welcome.try_into()?),
            Message::Grant(grant) => Self::Grant(grant.try_into()?),
            Message::Revoke(revoke) => Self::Revoke(need(revoke.lease, "lease")?.into()),
            Message::Acknowledge(wire::Acknowledge { reports, gather }) => {
                let gather = Duration::from_millis(gather.min(limits::GATHER_MILLIS).into());
                Self::Acknowledge(Acknowledge { reports, gather })
            }
            Message::Look(wire::Look { number, at, limit }) => {
                Self::Look(Look { number, at: need(at, "at")?.try_into()?, limit })
            }
        })
    }
}

impl From<LeaseId> for wire::LeaseId {
    fn from(lease: LeaseId) -> Self {
        Self { epoch: lease.epoch, number: lease.number }
    }
}

impl From<wire::LeaseId> for LeaseId {
    fn from(lease: wire::LeaseId) -> Self {
        Self { epoch: lease.epoch, number: lease.number }
    }
}

impl From<Hello> for wire::Hello {
    fn from(hello: Hello) -> Self {
        Self {
            build: Some(hello.build.into()),
            name: hello.name,
            worker: hello.worker.0,
            threads: hello.threads,
            holding: hello.holding.map(Into::into),
            figures: Some(hello.figures.into()),
            games: hello.games.into_iter().map(|game| wire::Game::from(game).into()).collect(),
            reign: hello.reign.map(Into::into),
            looks: hello.looks,
        }
    }
}

impl TryFrom<wire::Hello> for Hello {
    type Error = Malformed;

    fn try_from(hello: wire::Hello) -> Result<Self, Malformed> {
        let build = Build::try_from(need(hello.build, "build")?)?;
        Ok(Self {
            build: Build { id: name("build", build.id)?, ..build },
            name: name("name", hello.name)?,
            worker: WorkerId(hello.worker),
            threads: hello.threads,
            holding: hello.holding.map(Into::into),
            figures: figures(hello.figures)?,
            // The worker may know games that this program does not.
            games: hello.games.into_iter().filter_map(|number| game(number).ok()).collect(),
            reign: hello.reign.map(Reign::try_from).transpose()?,
            looks: hello.looks,
        })
    }
}

impl From<Welcome> for wire::Welcome {
    fn from(welcome: Welcome) -> Self {
        let Welcome { build, epoch, database, facts, withdrawals, reign } = welcome;
        let (build, reign) = (Some(build.into()), reign.map(Into::into));
        Self { build, epoch, database, facts, withdrawals, reign }
    }
}

impl TryFrom<wire::Welcome> for Welcome {
    type Error = Malformed;

    fn try_from(welcome: wire::Welcome) -> Result<Self, Malformed> {
        Ok(Self {
            build: need(welcome.build, "build")?.try_into()?,
            epoch: welcome.epoch,
            facts: welcome.facts,
            withdrawals: welcome.withdrawals,
            database: welcome.database,
            reign: welcome.reign.map(Reign::try_from).transpose()?,
        })
    }
}

impl From<Report> for wire::Report {
    fn from(report: Report) -> Self {
        let game = wire::Game::from(report.game).into();
        Self { sequence: report.sequence, facts: into_all(report.facts), game }
    }
}

impl TryFrom<wire::Report> for Report {
    type Error = Malformed;

    fn try_from(report: wire::Report) -> Result<Self, Malformed> {
        let game = game(report.game)?;
        Ok(Self { sequence: report.sequence, game, facts: claims(report.facts)? })
    }
}

impl From<Answer> for wire::Answer {
    fn from(answer: Answer) -> Self {
        let obstacle = match answer.verdict {
            Err(GaveUp { obstacle: Obstacle::Memory, .. }) => wire::Obstacle::Memory,
            Err(GaveUp { obstacle: Obstacle::Goal, .. }) => wire::Obstacle::Goal,
            Err(GaveUp { obstacle: Obstacle::Other, .. }) | Ok(_) => wire::Obstacle::Unspecified,
        };
        Self {
            obstacle: obstacle.into(),
            lease: Some(answer.lease.into()),
            figures: Some(answer.figures.into()),
            result: Some(match answer.verdict {
                Ok(verdict) => wire::answer::Result::Verdict(verdict.into()),
                Err(gave_up) => wire::answer::Result::Failure(gave_up.reason),
            }),
        }
    }
}

impl TryFrom<wire::Answer> for Answer {
    type Error = Malformed;

    fn try_from(answer: wire::Answer) -> Result<Self, Malformed> {
        let obstacle = match answer.obstacle() {
            wire::Obstacle::Memory => Obstacle::Memory,
            wire::Obstacle::Goal => Obstacle::Goal,
            wire::Obstacle::Unspecified => Obstacle::Other,
        };
        Ok(Self {
            lease: need(answer.lease, "lease")?.into(),
            figures: figures(answer.figures)?,
            verdict: match need(answer.result, "result")? {
                wire::answer::Result::Verdict(verdict) => Ok(verdict.try_into()?),
                wire::answer::Result::Failure(failure) => {
                    Err(GaveUp { obstacle, reason: reason("failure", failure)? })
                }
            },
        })
    }
}

impl From<Alarm> for wire::Alarm {
    fn from(alarm: Alarm) -> Self {
        use wire::alarm::{About, Nimber};
        let Alarm { game, about } = alarm;
        let about = match about {
            Proved::Nimber { land, possible } => {
                About::Nimber(Nimber { land: land.key().to_vec(), possible })
            }
            Proved::Misere(fact) => About::Misere(fact.into()),
        };
        Self { about: Some(about), game: wire::Game::from(game).into() }
    }
}

impl TryFrom<wire::Alarm> for Alarm {
    type Error = Malformed;

    fn try_from(alarm: wire::Alarm) -> Result<Self, Malformed> {
        use wire::alarm::About;
        // Workers of earlier versions leave it out.
        let game = if alarm.game == 0 { Game::Sprouts } else { game(alarm.game)? };
        let about = match need(alarm.about, "about")? {
            About::Nimber(about) => {
                Proved::Nimber { land: land(&about.land)?, possible: about.possible }
            }
            About::Misere(fact) => Proved::Misere(fact.try_into()?),
        };
        Ok(Self { game, about })
    }
}

impl From<Grant> for wire::Grant {
    fn from(grant: Grant) -> Self {
        Self {
            lease: Some(grant.lease.into()),
            goal: Some(grant.goal.into()),
            expansions: grant.expansions,
            facts: grant.facts,
            noise: grant.noise.0,
            avoid: into_all(grant.avoid),
            job: grant.job.map_or(0, |job| job.0),
        }
    }
}

impl TryFrom<wire::Grant> for Grant {
    type Error = Malformed;

    fn try_from(grant: wire::Grant) -> Result<Self, Malformed> {
        Ok(Self {
            lease: need(grant.lease, "lease")?.into(),
            goal: need(grant.goal, "goal")?.try_into()?,
            expansions: grant.expansions,
            facts: grant.facts,
            noise: Noise(grant.noise),
            avoid: all(grant.avoid)?,
            job: (grant.job != 0).then_some(JobId(grant.job)),
        })
    }
}

impl From<FactBatch> for wire::FactBatch {
    fn from(batch: FactBatch) -> Self {
        let game = wire::Game::from(batch.game).into();
        let stretches = batch.stretches.into_iter();
        let stretches = stretches.map(|Range { start, end }| wire::Stretch { start, end });
        let (stretches, position) = (stretches.collect(), batch.position);
        let facts =
            batch.facts.into_iter().map(|fact| wire::Fact::from(fact).encode_to_vec().into());
        Self { facts: facts.collect(), next: batch.next, game, stretches, position }
    }
}

impl TryFrom<wire::FactBatch> for FactBatch {
    type Error = Malformed;

    fn try_from(batch: wire::FactBatch) -> Result<Self, Malformed> {
        let wire::FactBatch { facts, next, game: about, stretches, position } = batch;
        let (game, facts) = (game(about)?, told(facts)?);
        Ok(Self { game, facts, next, stretches: self::stretches(stretches)?, position })
    }
}

/// The stretches of a message.
///
/// # Errors
/// When there are too many.
pub fn stretches(told: Vec<wire::Stretch>) -> Result<Vec<Range<u64>>, Malformed> {
    within("stretches", told.len(), limits::STRETCHES)?;
    Ok(told.into_iter().map(|wire::Stretch { start, end }| start..end).collect())
}

fn figures(figures: Option<wire::Figures>) -> Result<Figures, Malformed> {
    Ok(need(figures, "figures")?.into())
}

// A full report stays below the limit of a message, with room for the framing of each fact: it is
// closed before the fact that would pass its own limit, and no fact is larger than a tree.
const _: () =
    assert!(limits::FACT_BYTES + 16 * limits::OPTIONS + limits::FACTS * 32 < limits::MESSAGE_BYTES);
