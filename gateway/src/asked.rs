//! The position and the play that a request is about.

use sprig_domain::{Game, NotAsked, Play, Ruleset};
use sprig_engine::paper::{Paper, Witness};
use sprig_engine::{CanonicalPosition, Position};

use crate::problem::{Kind, Problem};
use crate::target::{Target, encode, shown};

/// Longest text of a position, in bytes.
const TEXT: usize = 2 << 10;
/// Most lives of a position. To canonize one takes a moment, even if all about it is known.
const LIVES: usize = 3_000;

/// A position, as it was asked for.
#[derive(Clone)]
pub(crate) struct Asked {
    /// The text that was typed.
    pub(crate) typed: String,
    /// The position as it was read. The words of moves refer to it.
    pub(crate) paper: Paper,
    pub(crate) canonical: CanonicalPosition,
    pub(crate) play: Play,
    pub(crate) game: Game,
}

/// The play that a request names: normal, unless it says misère.
pub(crate) fn play(target: &Target) -> Result<Play, Problem> {
    target.word("play", &[("normal", Play::Normal), ("misere", Play::Misere)])
}

/// The parameter that names a play, where it is not the usual one.
pub(crate) fn parameter(play: Play) -> &'static str {
    match play {
        Play::Normal => "",
        Play::Misere => "?play=misere",
    }
}

/// Reads what was written into a form. There a number is always a number of spots, also where
/// notation reads it in another way.
pub(crate) fn of_form(text: &str) -> String {
    let text = text.trim();
    // `0` is one spot in notation, and no start position has no spots.
    let is_number =
        text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0');
    if is_number { format!("0*{text}") } else { text.to_owned() }
}

/// A position as it has to stand in a form, so that it is read as notation and not as a number.
pub(crate) fn for_form(position: &str) -> String {
    match position {
        _ if of_form(position) != position => format!("{position}.}}]!"),
        _ => position.to_owned(),
    }
}

/// Reads a text as a position. Tildes stand for bars.
pub(crate) fn read(text: &str) -> Result<Position, Problem> {
    if text.len() > TEXT {
        return Err(Problem::new(
            Kind::TooLong,
            format!("the position has {} bytes", text.len()),
            format!("write at most {TEXT}; `sprig query` reads longer ones"),
        ));
    }
    let read = sprig_ask::read(&text.replace('~', "|"));
    let position = read.map_err(|error| Problem {
        column: error.column(),
        ..Problem::new(
            Kind::NoPosition,
            format!("`{}`: {error}", shown(text)),
            "write a number of spots (`14`) or a position in notation (`0*2.AB|AB`); /about has more",
        )
    })?;
    let spots = position.0.iter().flat_map(|land| &land.0).flat_map(|region| &region.0);
    let spots: usize = spots.map(|boundary| boundary.0.len()).sum();
    if spots * 3 > LIVES {
        let detail = format!("the position has {spots} spots, and at most {} are read", LIVES / 3);
        return Err(Problem::too_dear(detail, "sprig query"));
    }
    Ok(position)
}

impl Asked {
    /// Reads the position that stands at this place of a path.
    pub(crate) fn of(text: &str, rules: Ruleset) -> Result<Self, Problem> {
        let Ruleset { game, play } = rules;
        let paper = Paper::of(&read(text)?);
        let canonical = paper.canonical();
        if !game.has(&canonical) {
            let detail = NotAsked::Surface(game).to_string();
            return Err(Problem::new(Kind::NoPosition, detail, "ask for a position of the plane"));
        }
        Ok(Self { typed: text.to_owned(), paper, canonical, play, game })
    }

    /// The game and the play.
    pub(crate) fn rules(&self) -> Ruleset {
        Ruleset { game: self.game, play: self.play }
    }

    /// The position after a move on this paper.
    pub(crate) fn after(&self, witness: &Witness) -> Result<Self, Problem> {
        let illegal = |error: sprig_engine::paper::Illegal| {
            let remedy = "tell the makers of Sprig, with the address that you asked";
            Problem::new(Kind::Failed, format!("a move is illegal: {error}"), remedy)
        };
        let paper = self.paper.play(witness).map_err(illegal)?;
        let (typed, canonical) = (paper.position().to_string(), paper.canonical());
        Ok(Self { typed, paper, canonical, play: self.play, game: self.game })
    }

    /// The canonical form as part of a path.
    pub(crate) fn segment(&self) -> String {
        encode(&self.canonical.to_string())
    }
}
