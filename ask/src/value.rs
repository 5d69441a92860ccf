//! A move, and its value.

use std::collections::HashMap;

use serde::Serialize;
use sprig_domain::{Outcome, Play, Ruleset};
use sprig_engine::paper::{Course as Run, Paper, Place, Reached, Witness};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_proto::Move;

/// Lengths of games are found where a position has at most this many lives, and at most this many
/// positions lie below its children.
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
    /// What is known of the child.
    pub found: Move,
    /// Where the value comes from. None where nothing is known.
    pub source: Option<Source>,
    /// Moves that are left after this one, if that is known.
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

    /// What the move does for the player who makes it: it wins, loses, or is unknown.
    pub fn word(&self) -> &'static str {
        match self.outcome {
            Some("loss") => "wins",
            Some(_) => "loses",
            None => "unknown",
        }
    }

    /// Where the value comes from, and whether it is verified.
    pub fn known(&self) -> &'static str {
        match (self.status, self.source) {
            (Some("claimed"), _) => "claimed",
            (Some(_), Some(Source::Here)) => "computed",
            (Some(status), _) => status,
            (None, _) => "-",
        }
    }
}

/// Pairs moves with the source of their values. In a position that is lost all moves lose.
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
/// are found if the rules are given.
pub fn valued(
    mut reached: Vec<Reached>,
    found: Vec<(Move, Option<Source>)>,
    lengths: Option<Ruleset>,
) -> Vec<Valued> {
    let mut found: HashMap<_, _> =
        found.into_iter().map(|(found, source)| (found.child.clone(), (found, source))).collect();
    // Small children come first, so that the lengths of most are found. They are then the same ones
    // however the position is written.
    reached.sort_by_cached_key(|reached| (lives(&reached.child), reached.child.clone()));
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
            // The whole game tree was searched, which is better than a claim.
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

/// The outcome and the nimber of a position that follow from its moves, from what is verified of those that `count`.
pub fn follows(
    moves: &[Valued],
    play: Play,
    count: impl Fn(&Valued) -> bool,
) -> (Option<Outcome>, Option<Nimber>) {
    // Claims about moves say nothing certain about the position.
    let sure = moves.iter().map(|valued| match valued.found.verified && count(valued) {
        true => valued.found.clone(),
        false => Move { outcome: None, nimber: None, ..valued.found.clone() },
    });
    let sure: Vec<_> = sure.collect();
    let outcome = Move::outcome_before(&sure, play);
    let nimber = match play {
        Play::Normal => Move::nimber_before(&sure),
        Play::Misere => None,
    };
    // The nimber of a loss is 0, also where not every move has a known nimber.
    let is_lost = outcome == Some(Outcome::Loss) && play == Play::Normal;
    (outcome, nimber.or(is_lost.then_some(Nimber::ZERO)))
}

/// The order of moves, the best first: those that win, then those of which nothing is known, then
/// those that lose. A claim may be wrong, so it stands nearer to the unknown moves than a verified
/// value does. Among equal moves those come first of which more is known. Among equally known ones
/// the winner's are short and small, and the loser's long and large.
fn rank(valued: &Valued) -> impl Ord + use<> {
    let Valued { found, length, .. } = valued;
    let (class, sign) = match (found.outcome, found.verified) {
        (Some(Outcome::Loss), true) => (0, 1),
        (Some(Outcome::Loss), false) => (1, 1),
        (None, _) => (2, 1),
        (Some(Outcome::Win), false) => (3, -1),
        (Some(Outcome::Win), true) => (4, -1),
    };
    let length = (length.is_none(), length.map(|length| sign * i64::from(length)));
    let has_no_value = found.nimber.is_none() && found.tree.is_none();
    let size = size(&found.child).map(|size| sign * i64::from(size));
    // Shorter texts come first, so that numbers in them are in their order.
    let text = found.child.to_string();
    (class, length, has_no_value, size, text.len(), text)
}

/// How much there is to search below a position: the lives of its largest land, the most spots
/// around a region, and all lives. The largest land counts first, as lands are solved one by one.
fn size(position: &CanonicalPosition) -> [u32; 3] {
    let lands = position.lands();
    let largest = lands.iter().map(CanonicalLand::lives).max();
    let regions = lands.iter().flat_map(|land| land.to_land().0);
    let spots =
        regions.map(|region| region.0.iter().map(|boundary| boundary.0.len()).sum::<usize>());
    let widest = u32::try_from(spots.max().unwrap_or(0)).unwrap_or(u32::MAX);
    [largest.unwrap_or(0), widest, lives(position)]
}

/// The player who makes a move of a line of play, whose moves count from 0. The first player is to
/// move where the line begins.
pub fn player(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "first" } else { "second" }
}

/// How a line of `moves` moves ends, if it leads to the end of the game.
pub fn ending(play: Play, moves: usize) -> String {
    let (mover, last) = (player(moves), player(moves + 1));
    match play {
        Play::Normal => format!("the {mover} player cannot move, and the {last} wins"),
        Play::Misere => format!("the {mover} player cannot move, and wins"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use sprig_domain::{Game, TreeKey};
    use sprig_engine::{Budget, Position};

    /// The moves of a position in order, with what `told` says of each child.
    fn ordered(
        text: &str,
        lengths: Option<Ruleset>,
        told: impl Fn(&CanonicalPosition) -> (Option<Outcome>, Option<u64>, bool),
    ) -> Vec<Valued> {
        let paper = Paper::of(&text.parse::<Position>().expect("a position"));
        let reached = Game::Sprouts.moves(&paper, &mut Budget::default()).expect("few");
        let found = reached.iter().map(|reached| {
            let child = reached.child.clone();
            let (outcome, nimber, verified) = told(&child);
            let nimber = nimber.map(|nimber| Nimber::new(nimber).expect("small"));
            (Move { child, outcome, nimber, tree: None::<TreeKey>, verified }, None)
        });
        let found = found.collect();
        valued(reached, found, lengths)
    }

    fn children(moves: &[Valued]) -> Vec<String> {
        moves.iter().map(|valued| valued.found.child.to_string()).collect()
    }

    #[test]
    fn what_wins_comes_before_what_is_unknown_and_claims_stand_next_to_that() {
        let kinds = [
            (Some(Outcome::Loss), true),
            (Some(Outcome::Loss), false),
            (None, false),
            (Some(Outcome::Win), false),
            (Some(Outcome::Win), true),
        ];
        // The six moves are of different kinds, and their order says nothing about their worth.
        let all = children(&ordered("0*9", None, |_| (None, None, false)));
        assert_eq!(all.len(), 6);
        let kind = |child: &CanonicalPosition| {
            let place = all.iter().position(|text| *text == child.to_string()).expect("a child");
            kinds[(2 * place + 1) % kinds.len()]
        };
        let moves = ordered("0*9", None, |child| (kind(child).0, None, kind(child).1));
        let places = moves.iter().map(|valued| {
            let found = (valued.found.outcome, valued.found.verified);
            kinds.iter().position(|kind| *kind == found).expect("one of them")
        });
        let places: Vec<_> = places.collect();
        assert!(places.is_sorted(), "{places:?}");
        assert!((0..kinds.len()).all(|kind| places.contains(&kind)), "{places:?}");
    }

    #[test]
    fn of_equal_moves_the_better_known_come_first_and_then_small_ones_or_for_the_loser_large_ones()
    {
        let nothing = |_: &CanonicalPosition| (None, None, false);
        let open = children(&ordered("0*6", None, nothing));
        assert_eq!(open.first().map(String::as_str), Some("0*2.AB|0*3.AB"), "{open:?}");
        let lost = |_: &CanonicalPosition| (Some(Outcome::Win), None, true);
        let lost = children(&ordered("0*6", None, lost));
        assert_ne!(lost.first(), open.first());
        let known = open.last().expect("a move").clone();
        let told = |child: &CanonicalPosition| {
            (Some(Outcome::Loss), (child.to_string() == known).then_some(0), true)
        };
        assert_eq!(children(&ordered("0*6", None, told))[0], known);
    }

    #[test]
    fn the_order_is_the_same_however_the_position_is_written() {
        let nothing = |_: &CanonicalPosition| (None, None, false);
        for play in [Play::Normal, Play::Misere] {
            let lengths = Some(Ruleset { game: Game::Sprouts, play });
            for [one, other] in [
                ["0*2.AB|AB", "BA|0.AB.0"],
                ["0.AB|0.ACB|C", "C|BAC.0|BA.0"],
                ["0*3+0.AB|AB", "AB|AB.0+0.0.0"],
            ] {
                let [one, other] = [one, other].map(|text| ordered(text, lengths, nothing));
                assert_eq!(children(&one), children(&other));
                let left = |moves: &[Valued]| moves.iter().map(|m| m.length).collect::<Vec<_>>();
                assert_eq!(left(&one), left(&other));
                // The winner hurries, and the loser resists.
                for group in one.chunk_by(|a, b| a.found.outcome == b.found.outcome) {
                    let known: Vec<_> = group.iter().filter_map(|valued| valued.length).collect();
                    let is_won = group[0].found.outcome == Some(Outcome::Loss);
                    assert!(known.is_sorted_by(|a, b| if is_won { a <= b } else { a >= b }));
                    assert!(group.is_sorted_by_key(|valued| valued.length.is_none()));
                }
            }
        }
    }

    #[test]
    fn a_line_is_that_of_two_players() {
        assert_eq!([0, 1, 2].map(player), ["first", "second", "first"]);
        // One spot lasts two moves.
        assert_eq!(ending(Play::Normal, 2), "the first player cannot move, and the second wins");
        assert_eq!(ending(Play::Misere, 2), "the first player cannot move, and wins");
    }
}
