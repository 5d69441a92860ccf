//! What is known of a position and of every move.

use serde::Serialize;
use sprig_ask::{Source, Valued, valued, word};
use sprig_domain::{Outcome, Play};
use sprig_engine::Watched;
use sprig_engine::{Budget, CanonicalPosition, Nimber, Unlisted};
use sprig_proto::{Knowledge, LandKnowledge, Move};
use sprig_store::Provenance;

use crate::asked::Asked;
use crate::problem::Problem;
use crate::source::{Told, stopped};

/// What is known of a position.
pub(crate) struct Answer {
    /// For the player to move.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) nimber: Option<Nimber>,
    pub(crate) lands: Vec<OfLand>,
    pub(crate) claimed: Option<Claims>,
    /// The best first; none where they are too many to list.
    pub(crate) moves: Option<Vec<Valued>>,
    /// Whether nothing can be added to it: all is known, and verified.
    pub(crate) is_complete: bool,
}

/// What is known of a land. Its fields are the keys of the JSON object.
#[derive(Serialize, Clone)]
pub(crate) struct OfLand {
    pub(crate) land: String,
    pub(crate) nimber: Option<u8>,
    /// Nimbers that it does not have.
    pub(crate) excluded: Vec<u8>,
    pub(crate) tree: Option<String>,
    /// What is merely claimed of it.
    pub(crate) claimed: Option<String>,
    /// Who found the fact.
    pub(crate) origin: Option<Origin>,
}

/// Who found a fact, and when.
#[derive(Serialize, Clone)]
pub(crate) struct Origin {
    pub(crate) worker: String,
    pub(crate) build: String,
    pub(crate) job: Option<u64>,
    pub(crate) unix_millis: u64,
}

/// What would be known if claims were believed, as far as it is not known without them.
#[derive(Serialize, Clone, PartialEq)]
pub(crate) struct Claims {
    pub(crate) outcome: Option<&'static str>,
    pub(crate) nimber: Option<u8>,
}

impl Answer {
    /// Puts together what was told, and what follows from it.
    pub(crate) fn new(asked: &Asked, told: Told, watched: &Watched) -> Result<Self, Problem> {
        let Told { knowledge, claimed, origins, moves, source } = told;
        let is_lost = knowledge.outcome == Some(Outcome::Loss);
        let moves = moves.map(|moves| sourced(moves, source, is_lost));
        let reached = match asked.paper.moves(&mut Budget::default().until(watched.flag())) {
            Ok(reached) => Some(reached),
            Err(Unlisted::Stopped) => return Err(stopped()),
            Err(_) => None,
        };
        let moves = moves.zip(reached);
        let moves = moves.map(|(known, reached)| valued(reached, known, Some(asked.play)));
        let (mut outcome, mut nimber) = (knowledge.outcome, knowledge.nimber);
        if let Some(moves) = &moves {
            let sure: Vec<_> = moves.iter().map(sure).collect();
            outcome = outcome.or_else(|| Move::outcome_before(&sure, asked.play));
            if asked.play == Play::Normal {
                nimber = nimber.or_else(|| Move::nimber_before(&sure));
            }
        }
        // A loss is worth nothing, also where not every move has a known nimber.
        if asked.play == Play::Normal && outcome == Some(Outcome::Loss) {
            nimber = nimber.or(Some(Nimber::ZERO));
        }
        let is_complete =
            outcome.is_some() && is_complete(&knowledge, moves.as_deref(), asked.play);
        let claims = claimed.as_ref().and_then(|claimed| Claims::beside(&knowledge, claimed));
        let of_land = claimed.map_or_else(Vec::new, |claimed| claimed.lands);
        let lands = knowledge.lands.into_iter().zip(origins);
        let lands = lands.map(|(land, origin)| OfLand::new(land, origin, &of_land)).collect();
        Ok(Self { outcome, nimber, lands, claimed: claims, moves, is_complete })
    }

    /// How many moves win, of how many nothing is known, how many lose.
    pub(crate) fn tally(&self) -> [usize; 3] {
        let mut tally = [0; 3];
        for valued in self.moves.iter().flatten() {
            tally[match valued.found.outcome {
                Some(Outcome::Loss) => 0,
                None => 1,
                Some(Outcome::Win) => 2,
            }] += 1;
        }
        tally
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let moves = self.moves.iter().flatten();
        let of_move = |valued: &Valued| {
            let lands = valued.reached.child.lands().iter();
            300 + 3 * lands.map(|land| 32 + land.key().len()).sum::<usize>()
        };
        1_000 + moves.map(of_move).sum::<usize>() + 300 * self.lands.len()
    }
}

/// Whether everything about the lands and the moves is known, and verified.
fn is_complete(knowledge: &Knowledge, moves: Option<&[Valued]>, play: Play) -> bool {
    let is_whole = |nimber: bool, tree: bool| match play {
        Play::Normal => nimber,
        Play::Misere => tree,
    };
    let land = |land: &LandKnowledge| is_whole(land.nimber.is_some(), land.tree.is_some());
    let of_move = |valued: &Valued| {
        let Valued { found, source, .. } = valued;
        // In misère play only a single land has a tree of its own.
        let tree = found.tree.is_some() || found.child.lands().len() != 1;
        let is_told = *source != Some(Source::Here);
        found.verified && is_told && is_whole(found.nimber.is_some(), tree)
    };
    knowledge.lands.iter().all(land) && moves.is_some_and(|moves| moves.iter().all(of_move))
}

/// Moves with where their values come from. In a position that is lost all of them lose.
fn sourced(moves: Vec<Move>, source: Source, is_lost: bool) -> Vec<(Move, Option<Source>)> {
    let with_source = |mut found: Move| {
        let is_known = found.verified && found.outcome.is_some();
        if is_lost && !is_known {
            found = Move { outcome: Some(Outcome::Win), nimber: None, verified: true, ..found };
        }
        let source = found.outcome.map(|_| source);
        (found, source)
    };
    moves.into_iter().map(with_source).collect()
}

/// What of a move follows from verified facts.
fn sure(valued: &Valued) -> Move {
    match valued.found.verified {
        true => valued.found.clone(),
        false => Move { outcome: None, nimber: None, ..valued.found.clone() },
    }
}

impl OfLand {
    fn new(known: LandKnowledge, origin: Option<Provenance>, claimed: &[LandKnowledge]) -> Self {
        let claim = claimed.iter().find(|claimed| claimed.land == known.land);
        let claim = claim.and_then(|claimed| match (claimed.nimber, claimed.tree) {
            (Some(nimber), _) if known.nimber.is_none() => Some(format!("nimber {nimber}")),
            (_, Some(tree)) if known.tree.is_none() => Some(format!("tree {tree}")),
            _ => None,
        });
        Self {
            land: CanonicalPosition::from_lands([known.land]).to_string(),
            nimber: known.nimber.map(Nimber::get),
            excluded: known.excluded.into_iter().map(Nimber::get).collect(),
            tree: known.tree.map(|tree| tree.to_string()),
            claimed: claim,
            origin: origin.map(Origin::from),
        }
    }
}

impl From<Provenance> for Origin {
    fn from(Provenance { source, job, time }: Provenance) -> Self {
        let (worker, build) = (source.worker, source.build);
        Self { worker, build, job: job.map(|job| job.0), unix_millis: time.0 }
    }
}

impl Claims {
    fn beside(verified: &Knowledge, claimed: &Knowledge) -> Option<Self> {
        let outcome = claimed.outcome.filter(|_| verified.outcome.is_none()).map(word);
        let nimber = claimed.nimber.filter(|_| verified.nimber.is_none()).map(Nimber::get);
        (outcome.is_some() || nimber.is_some()).then_some(Self { outcome, nimber })
    }
}
