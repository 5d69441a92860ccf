//! Lands, positions, goals, verdicts, figures, builds.

use sprig_domain::{Figures, Game, Goal, Play, Question, Ruleset, Verdict};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};

use super::words::text;
use super::{Malformed, need, within};
use crate::{Build, Versions, limits, wire};

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
        let lands: Vec<_> = position.lands().iter().map(|land| land.key().to_vec()).collect();
        let is_short = lands.iter().map(Vec::len).sum::<usize>() <= limits::TEXT_BYTES;
        let text = if is_short { position.to_string() } else { String::new() };
        Self { lands, text }
    }
}

impl TryFrom<wire::Position> for CanonicalPosition {
    type Error = Malformed;

    fn try_from(position: wire::Position) -> Result<Self, Malformed> {
        if position.lands.is_empty() && !position.text.is_empty() {
            return written(&position.text);
        }
        within("position", position.lands.len(), limits::LANDS)?;
        let bytes = position.lands.iter().map(Vec::len).sum();
        within("bytes of a position", bytes, limits::POSITION_BYTES)?;
        let lands = position.lands.iter().map(|key| land(key)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::from_lands(lands))
    }
}

/// Reads a position in notation. It is bounded like positions in bytes.
fn written(text: &str) -> Result<CanonicalPosition, Malformed> {
    within("text of a position", text.len(), limits::POSITION_BYTES)?;
    let position = CanonicalPosition::of(&text.parse::<Position>()?);
    within("position", position.lands().len(), limits::LANDS)?;
    let bytes = position.lands().iter().map(|land| land.key().len());
    bytes.clone().try_for_each(|bytes| within("land", bytes, limits::KEY_BYTES))?;
    within("bytes of a position", bytes.sum(), limits::POSITION_BYTES)?;
    Ok(position)
}

impl From<Goal> for wire::Goal {
    fn from(goal: Goal) -> Self {
        use wire::goal::Question as Wire;
        let question = match goal.question() {
            Question::Outcome { heap } => Wire::OutcomeWithHeap(number(heap)),
            Question::Nimber => Wire::Nimber(true),
        };
        let (position, ruleset) = (goal.position().into(), goal.ruleset().into());
        Self { position: Some(position), question: Some(question), ruleset: Some(ruleset) }
    }
}

impl TryFrom<wire::Goal> for Goal {
    type Error = Malformed;

    fn try_from(goal: wire::Goal) -> Result<Self, Malformed> {
        use wire::goal::Question as Wire;
        let question = need(goal.question, "question")?;
        let position = need(goal.position, "position")?.try_into()?;
        let question = match question {
            Wire::OutcomeWithHeap(heap) => Question::Outcome { heap: nimber(heap)? },
            Wire::Nimber(_) => Question::Nimber,
        };
        Ok(Self::new(ruleset(goal.ruleset)?, position, question)?)
    }
}

/// Checks a ruleset, which must be there.
pub fn ruleset(ruleset: Option<wire::Ruleset>) -> Result<Ruleset, Malformed> {
    need(ruleset, "ruleset")?.try_into()
}

impl From<Ruleset> for wire::Ruleset {
    fn from(Ruleset { game, play }: Ruleset) -> Self {
        Self { game: wire::Game::from(game).into(), play: wire::Play::from(play).into() }
    }
}

impl TryFrom<wire::Ruleset> for Ruleset {
    type Error = Malformed;

    fn try_from(ruleset: wire::Ruleset) -> Result<Self, Malformed> {
        let play = match wire::Play::try_from(ruleset.play) {
            Ok(wire::Play::Normal) => Play::Normal,
            Ok(wire::Play::Misere) => Play::Misere,
            Ok(wire::Play::Unspecified) => return Err(Malformed::Missing("play")),
            Err(_) => return Err(Malformed::Unknown { what: "play", number: ruleset.play }),
        };
        Ok(Self { game: game(ruleset.game)?, play })
    }
}

/// Checks a game.
pub(super) fn game(number: i32) -> Result<Game, Malformed> {
    match wire::Game::try_from(number) {
        Ok(wire::Game::Sprouts) => Ok(Game::Sprouts),
        Ok(wire::Game::BlackAndWhite) => Ok(Game::BlackAndWhite),
        Ok(wire::Game::Unspecified) => Err(Malformed::Missing("game")),
        Err(_) => Err(Malformed::Unknown { what: "game", number }),
    }
}

impl wire::Inquiry {
    /// The question about a position under these rules.
    #[must_use]
    pub fn of(position: &CanonicalPosition, rules: impl Into<Ruleset>) -> Self {
        let ruleset = rules.into();
        Self { position: Some(position.into()), ruleset: Some(ruleset.into()) }
    }
}

impl From<Game> for wire::Game {
    fn from(game: Game) -> Self {
        match game {
            Game::Sprouts => Self::Sprouts,
            Game::BlackAndWhite => Self::BlackAndWhite,
        }
    }
}

impl From<Play> for wire::Play {
    fn from(play: Play) -> Self {
        match play {
            Play::Normal => Self::Normal,
            Play::Misere => Self::Misere,
        }
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
        Self {
            expansions: figures.expansions,
            generations: figures.generations,
            children: figures.children,
            lands: figures.lands,
            nodes: figures.nodes,
            facts: figures.facts,
            bytes: figures.bytes,
            collections: figures.collections,
            proof: figures.proof,
            disproof: figures.disproof,
        }
    }
}

impl From<wire::Figures> for Figures {
    fn from(figures: wire::Figures) -> Self {
        Self {
            expansions: figures.expansions,
            generations: figures.generations,
            children: figures.children,
            lands: figures.lands,
            nodes: figures.nodes,
            facts: figures.facts,
            bytes: figures.bytes,
            collections: figures.collections,
            proof: figures.proof,
            disproof: figures.disproof,
        }
    }
}

impl From<Build> for wire::Build {
    fn from(build: Build) -> Self {
        let Versions { oldest: protocol_from, newest: protocol } = build.protocol;
        Self { protocol, protocol_from, canonical: build.canonical, id: build.id }
    }
}

impl TryFrom<wire::Build> for Build {
    type Error = Malformed;

    fn try_from(build: wire::Build) -> Result<Self, Malformed> {
        let id = text("build", build.id)?;
        let newest = build.protocol;
        let oldest = if build.protocol_from == 0 { newest } else { build.protocol_from };
        Ok(Self { protocol: Versions { oldest, newest }, canonical: build.canonical, id })
    }
}
