//! What is known of a position, and of each of its moves.

use serde::Serialize;
use sprig_ask::{Source, Valued, follows, sourced, valued, word};
use sprig_domain::{Outcome, Play, TreeKey};
use sprig_engine::Watched;
use sprig_engine::{Budget, CanonicalPosition, Nimber, Unlisted};
use sprig_proto::{Knowledge, LandKnowledge};
use sprig_store::Provenance;

use crate::asked::Asked;
use crate::problem::Problem;
use crate::source::{Ahead, Told, stopped};

/// What is known of a position.
#[derive(Clone)]
pub(crate) struct Standing {
    /// The outcome for the player to move.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) nimber: Option<Nimber>,
    pub(crate) lands: Vec<OfLand>,
    pub(crate) claimed: Option<Claims>,
    /// Whether nothing can be added: the outcome and all lands are known, and verified.
    pub(crate) is_complete: bool,
}

/// What is known of a position and of every move.
pub(crate) struct Answer {
    pub(crate) standing: Standing,
    /// The moves, the best first; none where there are too many to list.
    pub(crate) moves: Option<Vec<Valued>>,
    /// Whether facts say who wins, and not a look at the whole of a small game here.
    pub(crate) has_proof: bool,
    /// Whether nothing can be added to the answer, moves included.
    pub(crate) is_complete: bool,
}

/// What is known of a land. Its fields are the keys of the JSON object.
#[derive(Serialize, Clone)]
pub(crate) struct OfLand {
    pub(crate) land: String,
    pub(crate) nimber: Option<u8>,
    /// Nimbers that the land does not have.
    pub(crate) excluded: Vec<u8>,
    pub(crate) tree: Option<String>,
    /// What is merely claimed of the land.
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

/// What would be known if claims were believed, where verified facts do not say it.
#[derive(Serialize, Clone, PartialEq)]
pub(crate) struct Claims {
    pub(crate) outcome: Option<&'static str>,
    pub(crate) nimber: Option<u8>,
}

impl Standing {
    /// Puts together what the source has told.
    pub(crate) fn new(play: Play, told: Told) -> Self {
        let Told { knowledge, claimed, origins } = told;
        let is_whole = |land: &LandKnowledge| is_whole(play, land.nimber, land.tree);
        let is_complete = knowledge.outcome.is_some() && knowledge.lands.iter().all(is_whole);
        let claims = claimed.as_ref().and_then(|claimed| Claims::beside(&knowledge, claimed));
        let of_land = claimed.map_or_else(Vec::new, |claimed| claimed.lands);
        let Knowledge { outcome, nimber, lands, winning: _ } = knowledge;
        let lands = lands.into_iter().zip(origins);
        let lands = lands.map(|(land, origin)| OfLand::new(land, origin, &of_land)).collect();
        // A loss is worth nothing, also where not every move has a known nimber.
        let is_lost = play == Play::Normal && outcome == Some(Outcome::Loss);
        let nimber = nimber.or_else(|| is_lost.then_some(Nimber::ZERO));
        Self { outcome, nimber, lands, claimed: claims, is_complete }
    }

    /// Whether the moves could say more about who wins, or by which nimber.
    pub(crate) fn is_open(&self, play: Play) -> bool {
        self.outcome.is_none() || play == Play::Normal && self.nimber.is_none()
    }

    /// About how many bytes the standing takes in a cache.
    pub(crate) fn bytes(&self) -> usize {
        1_000 + 300 * self.lands.len()
    }
}

impl Answer {
    /// Adds what is known of the moves to what is known of their position, and what follows from
    /// that.
    pub(crate) fn new(
        asked: &Asked,
        mut standing: Standing,
        ahead: Option<Ahead>,
        watched: &Watched,
    ) -> Result<Self, Problem> {
        let play = asked.play;
        let is_lost = standing.outcome == Some(Outcome::Loss);
        let reached =
            match asked.game.moves(&asked.paper, &mut Budget::default().until(watched.flag())) {
                Ok(reached) => Some(reached),
                Err(Unlisted::Stopped) => return Err(stopped()),
                Err(_) => None,
            };
        let moves = ahead.zip(reached).map(|(Ahead { moves, source }, reached)| {
            valued(reached, sourced(moves, source, is_lost), Some(asked.rules()))
        });
        let mut has_proof = standing.outcome.is_some();
        if let Some(moves) = &moves {
            let told = |valued: &Valued| valued.source != Some(Source::Here);
            // Proofs of small games find the nimbers of small lands, and the trees of the plane, by themselves.
            let is_small = play == Play::Normal || asked.canonical.is_spherical();
            has_proof |= follows(moves, play, |valued| is_small || told(valued)).0.is_some();
            let (outcome, nimber) = follows(moves, play, |_| true);
            standing.outcome = standing.outcome.or(outcome);
            standing.nimber = standing.nimber.or(nimber);
        }
        let of_move = |valued: &Valued| is_move_complete(valued, play);
        let is_complete =
            standing.is_complete && moves.as_ref().is_some_and(|moves| moves.iter().all(of_move));
        Ok(Self { standing, moves, has_proof, is_complete })
    }

    /// How many moves win, how many are unknown, and how many lose.
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

    /// About how many bytes the answer takes in a cache.
    pub(crate) fn bytes(&self) -> usize {
        let moves = self.moves.iter().flatten();
        let of_move = |valued: &Valued| {
            let lands = valued.reached.child.lands().iter();
            300 + 3 * lands.map(|land| 32 + land.key().len()).sum::<usize>()
        };
        self.standing.bytes() + moves.map(of_move).sum::<usize>()
    }
}

/// Whether all that a play can ask is known of a land, or of a position.
fn is_whole(play: Play, nimber: Option<Nimber>, tree: Option<TreeKey>) -> bool {
    match play {
        Play::Normal => nimber.is_some(),
        Play::Misere => tree.is_some(),
    }
}

/// Whether nothing can be added to what is known of a move.
fn is_move_complete(valued: &Valued, play: Play) -> bool {
    let Valued { found, source, .. } = valued;
    let is_told = *source != Some(Source::Here);
    // In misère play only a single land has a tree of its own.
    let is_single = found.child.lands().len() == 1;
    let is_known = play == Play::Misere && !is_single || is_whole(play, found.nimber, found.tree);
    found.verified && is_told && is_known
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
