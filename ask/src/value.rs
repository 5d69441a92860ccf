//! A move, and what it is worth.

use std::collections::HashMap;

use serde::Serialize;
use sprig_domain::{Outcome, Ruleset};
use sprig_engine::paper::{Course as Run, Paper, Place, Reached, Witness};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_proto::Move;

/// Lengths of games are found where a position has at most this many lives, and its children this many positions below.
const SMALL: (u32, usize) = (12, 3_000);

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Facts of a database.
    Database,
    /// Facts of a cluster, or proved there now.
    Cluster,
    /// Found by this process.
    Here,
}

/// A move with its value, as the program sees it.
#[derive(Clone)]
pub struct Valued {
    /// The move.
    pub reached: Reached,
    /// What is known of where it leads.
    pub found: Move,
    /// Where that comes from. None where nothing is known.
    pub source: Option<Source>,
    /// Moves that are left after it, if that is known.
    pub length: Option<u32>,
}

/// A move, and what it is worth. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Value {
    /// The move in the words of the position as it is written.
    #[serde(rename = "move")]
    pub words: String,
    /// Where it leads.
    pub child: String,
    /// What it makes of the written position, where that is not the child but one with the same game tree.
    pub drawn: Option<String>,
    /// The outcome there, for the opponent.
    pub outcome: Option<&'static str>,
    /// The nimber there, in normal play.
    pub nimber: Option<u8>,
    /// The key of the tree there, in misère play.
    pub tree: Option<String>,
    /// Moves that are left after it when the winner hurries and the loser resists.
    pub length: Option<u32>,
    /// `verified` or `claimed`; none if nothing is known.
    pub status: Option<&'static str>,
    /// Where that comes from.
    pub source: Option<Source>,
    /// The curve, counted from 0 through the written position.
    pub witness: Curve,
}

/// A curve in a written position. Everything is counted from 0 through its text.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Curve {
    /// The region that it runs in.
    pub region: usize,
    /// The boundary and the place in it where it begins.
    pub from: [usize; 2],
    /// The same of its end.
    pub to: [usize; 2],
    /// The boundaries on one side of it.
    pub along: Vec<usize>,
    /// How it runs over handles and through cross-caps; none where it meets none, and all of them
    /// stay on its second side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<Course>,
    /// Whether its new spot is left out, as black-and-white Sprouts allows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_spot: bool,
}

/// How a curve runs over handles and through cross-caps. A genus counts handles, or below 0
/// cross-caps.
#[derive(Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Course {
    /// It joins two boundaries through a cross-cap.
    Crossed,
    /// It separates two sides.
    Shared {
        /// The genus of the first side and of the second.
        genus: [i16; 2],
        /// Boundaries that are read in their other direction from now on.
        turned: Vec<usize>,
    },
    /// Its ends are on one boundary, and it separates nothing.
    Open {
        /// Whether it runs through an odd number of cross-caps.
        one_sided: bool,
        /// The genus that is left.
        genus: i16,
        /// Boundaries that are read in their other direction from now on.
        turned: Vec<usize>,
    },
}

impl From<&Witness> for Curve {
    fn from(witness: &Witness) -> Self {
        let Witness { region, ends, along, course, is_bare } = witness;
        let [from, to] = ends.map(|Place { boundary, spot }| [boundary, spot]);
        let course = match course {
            Run::Plain => None,
            Run::Crossed => Some(Course::Crossed),
            Run::Shared { surfaces, turned } => Some(Course::Shared {
                genus: surfaces.map(|surface| surface.genus()),
                turned: turned.clone(),
            }),
            Run::Open { is_one_sided, left, turned } => Some(Course::Open {
                one_sided: *is_one_sided,
                genus: left.genus(),
                turned: turned.clone(),
            }),
        };
        Self { region: *region, from, to, along: along.clone(), course, without_spot: *is_bare }
    }
}

impl Value {
    /// The value of a move on this paper. `print` writes positions.
    pub fn new(
        paper: &Paper,
        valued: &Valued,
        print: &dyn Fn(&CanonicalPosition) -> String,
    ) -> Self {
        let Valued { reached: Reached { child, witness, drawn }, found, source, length } = valued;
        Self {
            words: paper.words(witness),
            child: print(child),
            drawn: (drawn != child).then(|| print(drawn)),
            outcome: found.outcome.map(word),
            nimber: found.nimber.map(Nimber::get),
            tree: found.tree.map(|tree| tree.to_string()),
            length: *length,
            status: found.outcome.map(|_| if found.verified { "verified" } else { "claimed" }),
            source: *source,
            witness: witness.into(),
        }
    }

    /// What the move does for the player who makes it.
    pub fn word(&self) -> &'static str {
        match self.outcome {
            Some("loss") => "wins",
            Some(_) => "loses",
            None => "unknown",
        }
    }

    /// Where the value comes from, and what that is worth.
    pub fn known(&self) -> &'static str {
        match (self.status, self.source) {
            (Some("claimed"), _) => "claimed",
            (Some(_), Some(Source::Here)) => "computed",
            (Some(status), _) => status,
            (None, _) => "-",
        }
    }
}

/// Moves with where their values come from. In a position that is lost all of them lose.
pub fn sourced(moves: Vec<Move>, source: Source, is_lost: bool) -> Vec<(Move, Option<Source>)> {
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

/// Moves with what is known of the children they lead to, the best first. Lengths of small games
/// are found if the rules are told.
pub fn valued(
    reached: Vec<Reached>,
    found: Vec<(Move, Option<Source>)>,
    lengths: Option<Ruleset>,
) -> Vec<Valued> {
    let mut found: HashMap<_, _> =
        found.into_iter().map(|(found, source)| (found.child.clone(), (found, source))).collect();
    let small = reached.iter().all(|reached| lives(&reached.child) < SMALL.0);
    let lengths = lengths.filter(|_| small);
    let mut lengths = lengths.map(|rules| rules.game.lengths(rules.play, SMALL.1));
    let valued = reached.into_iter().map(|reached| {
        let nothing = |child: &CanonicalPosition| Move {
            child: child.clone(),
            outcome: None,
            nimber: None,
            tree: None,
            verified: false,
        };
        let (mut found, mut source) =
            found.remove(&reached.child).unwrap_or_else(|| (nothing(&reached.child), None));
        let length = lengths.as_mut().and_then(|lengths| lengths.of(&reached.child));
        if let Some(length) = length {
            // A whole game tree is better than a claim.
            if !found.verified || found.outcome.is_none() {
                found = Move { verified: true, tree: found.tree, ..nothing(&reached.child) };
                source = Some(Source::Here);
            }
            found.outcome = Some(Outcome::from(length.wins));
        }
        Valued { reached, found, source, length: length.map(|length| length.moves) }
    });
    let mut valued: Vec<_> = valued.collect();
    valued.sort_by_cached_key(rank);
    valued
}

/// The best move first: those that win, soon or with few lives left, what is merely claimed behind what is verified; then those of
/// which nothing is known; then those that lose, late or with many lives left.
fn rank(valued: &Valued) -> (u8, bool, i64, i64, String) {
    let Valued { found, length, .. } = valued;
    let (lives, length) = (i64::from(lives(&found.child)), i64::from(length.unwrap_or(0)));
    let (class, sign) = match found.outcome {
        Some(Outcome::Loss) => (0, 1),
        None => (1, 1),
        Some(Outcome::Win) => (2, -1),
    };
    (class, !found.verified, sign * length, sign * lives, found.child.to_string())
}

/// Lives of a position.
pub fn lives(position: &CanonicalPosition) -> u32 {
    position.lands().iter().map(CanonicalLand::lives).sum()
}

/// An outcome as programs read it.
pub fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "win",
        Outcome::Loss => "loss",
    }
}
