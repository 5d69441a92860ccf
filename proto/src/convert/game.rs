//! Lands, positions, goals, verdicts, figures, builds.

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_search::{Figures, Verdict};

use super::words::text;
use super::{Malformed, need, within};
use crate::{Build, Goal, Question, limits, wire};

/// Checks the key of a land.
pub(super) fn land(key: &[u8]) -> Result<CanonicalLand, Malformed> {
    within("land", key.len(), limits::KEY_BYTES)?;
    Ok(CanonicalLand::from_key(key)?)
}

/// Checks a nimber.
pub(super) fn nimber(value: u32) -> Result<Nimber, Malformed> {
    Ok(Nimber::new(value.into())?)
}

/// A nimber for the wire.
pub(super) fn number(nimber: Nimber) -> u32 {
    nimber.get().into()
}

impl From<&CanonicalPosition> for wire::Position {
    fn from(position: &CanonicalPosition) -> Self {
        Self { lands: position.lands().iter().map(|land| land.key().to_vec()).collect() }
    }
}

impl TryFrom<wire::Position> for CanonicalPosition {
    type Error = Malformed;

    fn try_from(position: wire::Position) -> Result<Self, Malformed> {
        within("position", position.lands.len(), limits::LANDS)?;
        let lands = position.lands.iter().map(|key| land(key)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::from_lands(lands))
    }
}

impl From<Goal> for wire::Goal {
    fn from(goal: Goal) -> Self {
        use sprig_search::Question::{Nimber, Outcome};
        use wire::goal::Question as Wire;
        let question = match goal.question {
            Question::Normal(Outcome { heap }) => Wire::OutcomeWithHeap(number(heap)),
            Question::Normal(Nimber) => Wire::Nimber(true),
            Question::Misere => Wire::Misere(true),
        };
        Self { position: Some((&goal.position).into()), question: Some(question) }
    }
}

impl TryFrom<wire::Goal> for Goal {
    type Error = Malformed;

    fn try_from(goal: wire::Goal) -> Result<Self, Malformed> {
        use sprig_search::Question::{Nimber, Outcome};
        use wire::goal::Question as Wire;
        let question = match need(goal.question, "question")? {
            Wire::OutcomeWithHeap(heap) => Question::Normal(Outcome { heap: nimber(heap)? }),
            Wire::Nimber(_) => Question::Normal(Nimber),
            Wire::Misere(_) => Question::Misere,
        };
        Ok(Self { position: need(goal.position, "position")?.try_into()?, question })
    }
}

impl From<Verdict> for wire::Verdict {
    fn from(verdict: Verdict) -> Self {
        use wire::verdict;
        let verdict = match verdict {
            Verdict::Win => verdict::Verdict::Win(true),
            Verdict::Loss => verdict::Verdict::Win(false),
            Verdict::Nimber(nimber) => verdict::Verdict::Nimber(number(nimber)),
            Verdict::Open { proof, disproof } => {
                verdict::Verdict::Open(verdict::Open { proof, disproof })
            }
        };
        Self { verdict: Some(verdict) }
    }
}

impl TryFrom<wire::Verdict> for Verdict {
    type Error = Malformed;

    fn try_from(verdict: wire::Verdict) -> Result<Self, Malformed> {
        use wire::verdict;
        Ok(match need(verdict.verdict, "verdict")? {
            verdict::Verdict::Win(true) => Self::Win,
            verdict::Verdict::Win(false) => Self::Loss,
            verdict::Verdict::Nimber(value) => Self::Nimber(nimber(value)?),
            verdict::Verdict::Open(open) => {
                Self::Open { proof: open.proof, disproof: open.disproof }
            }
        })
    }
}

impl From<Figures> for wire::Figures {
    fn from(figures: Figures) -> Self {
        let Figures { expansions, children, lands, facts, bytes, collections, proof, disproof } =
            figures;
        Self { expansions, children, lands, facts, bytes, collections, proof, disproof }
    }
}

impl From<wire::Figures> for Figures {
    fn from(figures: wire::Figures) -> Self {
        let wire::Figures {
            expansions,
            children,
            lands,
            facts,
            bytes,
            collections,
            proof,
            disproof,
        } = figures;
        Self { expansions, children, lands, facts, bytes, collections, proof, disproof }
    }
}

impl From<Build> for wire::Build {
    fn from(build: Build) -> Self {
        Self { protocol: build.protocol, canonical: build.canonical, id: build.id }
    }
}

impl TryFrom<wire::Build> for Build {
    type Error = Malformed;

    fn try_from(build: wire::Build) -> Result<Self, Malformed> {
        let id = text("build", build.id)?;
        Ok(Self { protocol: build.protocol, canonical: build.canonical, id })
    }
}
