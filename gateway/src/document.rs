//! Answers as programs read them: the objects of `/v1`. The names of fields are the keys.

use serde::Serialize;
use sprig_ask::{Value, Valued, lives, word};
use sprig_engine::Nimber;
use sprig_engine::paper::Paper;

use crate::answer::{Answer, Claims, OfLand, Standing};
use crate::asked::{Asked, parameter};
use crate::target::encode;

/// What every answer about a position begins with.
#[derive(Serialize)]
pub(crate) struct Head {
    position: String,
    /// The position as it was read, not reduced. The words of the moves refer to it.
    written: String,
    canonical: String,
    /// A remark on a text that could have been meant in another way.
    notice: Option<String>,
    game: &'static str,
    play: &'static str,
    outcome: Option<&'static str>,
    nimber: Option<u8>,
}

/// `/v1/positions/{position}`.
#[derive(Serialize)]
pub(crate) struct OfPosition<'a> {
    #[serde(flatten)]
    head: Head,
    lives: u32,
    lands: &'a [OfLand],
    claimed: Option<&'a Claims>,
    links: Links,
}

/// Counts of moves, by what they do for the player who makes them.
#[derive(Serialize)]
struct Counts {
    winning: usize,
    unknown: usize,
    losing: usize,
}

#[derive(Serialize)]
struct Links {
    page: String,
    moves: String,
    line: String,
    picture: String,
}

/// `/v1/positions/{position}/moves`.
#[derive(Serialize)]
pub(crate) struct MovesOf {
    #[serde(flatten)]
    head: Head,
    /// How many moves there are, on all pages.
    total: usize,
    counts: Counts,
    moves: Vec<Value>,
    /// The address of the next page.
    next: Option<String>,
}

/// `/v1/positions/{position}/line`.
#[derive(Serialize)]
pub(crate) struct LineOf {
    #[serde(flatten)]
    head: Head,
    /// Whether the line leads to the end of the game.
    ended: bool,
    line: Vec<Step>,
}

/// A move of the best line.
#[derive(Serialize, Clone)]
pub(crate) struct Step {
    /// The position before the move, as it lies on paper.
    pub(crate) written: String,
    #[serde(rename = "move")]
    pub(crate) words: String,
    pub(crate) child: String,
    pub(crate) outcome: Option<&'static str>,
    pub(crate) nimber: Option<u8>,
    /// Moves that are left after this one, if that is known.
    pub(crate) length: Option<u32>,
}

/// `/v1/positions/{position}/stroke`.
#[derive(Serialize)]
pub(crate) struct StrokeOf {
    pub(crate) canonical: String,
    pub(crate) child: String,
    #[serde(rename = "move")]
    pub(crate) words: String,
}

impl Head {
    pub(crate) fn new(asked: &Asked, standing: &Standing) -> Self {
        Self {
            position: asked.typed.clone(),
            written: asked.paper.position().to_string(),
            canonical: asked.canonical.to_string(),
            notice: sprig_ask::notice(&asked.typed),
            game: asked.game.name(),
            play: asked.play.name(),
            outcome: standing.outcome.map(word),
            nimber: standing.nimber.map(Nimber::get),
        }
    }
}

impl<'a> OfPosition<'a> {
    pub(crate) fn new(asked: &Asked, standing: &'a Standing) -> Self {
        let (segment, play) = (asked.segment(), parameter(asked.play));
        let api = |what: &str| format!("/v1/positions/{segment}/{what}{play}");
        Self {
            head: Head::new(asked, standing),
            lives: lives(&asked.canonical),
            lands: &standing.lands,
            claimed: standing.claimed.as_ref(),
            links: Links {
                page: format!("/p/{segment}{play}"),
                moves: api("moves"),
                line: api("line"),
                picture: format!("/v1/positions/{segment}/picture.svg"),
            },
        }
    }
}

impl MovesOf {
    /// A page of moves, from number `from` on.
    pub(crate) fn new(
        asked: &Asked,
        answer: &Answer,
        moves: &[Valued],
        from: usize,
        limit: usize,
    ) -> Self {
        let page = moves.iter().skip(from).take(limit);
        let cursor = from.saturating_add(limit);
        let next = (cursor < moves.len()).then(|| {
            let (position, play) = (encode(&asked.typed), asked.play.name());
            format!("/v1/positions/{position}/moves?play={play}&limit={limit}&cursor={cursor}")
        });
        let [winning, unknown, losing] = answer.tally();
        Self {
            head: Head::new(asked, &answer.standing),
            total: moves.len(),
            counts: Counts { winning, unknown, losing },
            moves: page.map(|valued| value(&asked.paper, valued)).collect(),
            next,
        }
    }
}

impl LineOf {
    pub(crate) fn new(asked: &Asked, answer: &Answer, ended: bool, line: Vec<Step>) -> Self {
        Self { head: Head::new(asked, &answer.standing), ended, line }
    }
}

impl Step {
    /// A move on this paper.
    pub(crate) fn new(paper: &Paper, valued: &Valued) -> Self {
        let Value { words, child, outcome, nimber, length, .. } = value(paper, valued);
        Self { written: paper.position().to_string(), words, child, outcome, nimber, length }
    }
}

/// A move as programs read it.
pub(crate) fn value(paper: &Paper, valued: &Valued) -> Value {
    Value::new(paper, valued, &|child| child.to_string())
}
