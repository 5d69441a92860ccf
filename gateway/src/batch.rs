//! Many positions in one request: each stands in a line, and is answered by a line.

use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Limited};
use hyper::Request;
use hyper::body::Incoming;
use serde::Serialize;

use crate::asked::play;
use crate::document::OfPosition;
use crate::explorer::Explorer;
use crate::problem::{Document, Kind, Problem};
use crate::reply::{Holds, Reply};
use crate::target::Target;

/// Most lines of a request.
const LINES: usize = 1_000;
/// Most bytes of a request.
const BYTES: usize = 256 << 10;
/// How long the lines may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(10);
/// How long it may take to find all answers.
const ALL: Duration = Duration::from_secs(60);

/// A line without an answer.
#[derive(Serialize)]
struct Unanswered<'a> {
    position: &'a str,
    problem: Document<'a>,
}

/// Answers every line of the request. A line that is no position is answered by a problem.
pub(crate) async fn batch(
    explorer: &Explorer,
    target: &Target,
    request: Request<Incoming>,
) -> Result<Reply, Problem> {
    target.only(&["play"])?;
    let play = play(target)?;
    let text = body(request).await?;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() > LINES {
        let detail = format!("there are {} positions", lines.len());
        return Err(Problem::new(Kind::TooLarge, detail, format!("send {LINES} at most at once")));
    }
    let end = Instant::now() + ALL;
    let mut answers = String::new();
    for line in lines {
        let found = match Instant::now() < end {
            true => explorer.standing(line, play).await,
            false => {
                let remedy = "ask for the rest again: what was found is kept for a while";
                Err(Problem::new(Kind::Busy, "the time for one request is over", remedy))
            }
        };
        let answer = match &found {
            Ok((asked, standing)) => serde_json::to_string(&OfPosition::new(asked, standing)),
            Err(problem) => {
                let problem = problem.document();
                serde_json::to_string(&Unanswered { position: line, problem })
            }
        };
        // The objects hold texts and numbers alone, so they can always be written.
        answers += &answer.unwrap_or_default();
        answers.push('\n');
    }
    Ok(Reply::new("application/jsonl", answers, Holds::Never))
}

/// The lines of the request.
async fn body(request: Request<Incoming>) -> Result<String, Problem> {
    let body = Limited::new(request.into_body(), BYTES).collect();
    let wrong = |detail: &str| {
        let remedy = format!("send one position a line, in UTF-8, {BYTES} bytes at most");
        Problem::new(Kind::TooLarge, detail, remedy)
    };
    let late = |_| Problem::new(Kind::BadRequest, "the lines do not arrive", "send them at once");
    let body = tokio::time::timeout(ARRIVAL, body).await.map_err(late)?;
    let bytes = body.map_err(|_| wrong("the lines are too long, or broke off"))?.to_bytes();
    String::from_utf8(bytes.into()).map_err(|_| {
        Problem::new(Kind::BadRequest, "the lines are no UTF-8", "send text, one position a line")
    })
}
