//! Wishes for the searches of a job: visitors make and withdraw them, each with a token of its own.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::{HeaderMap, Request, header};
use serde::Deserialize;
use sprig_ask::WishesRow;
use sprig_domain::{JobId, WishKind};
use sprig_engine::Nimber;
use sprig_proto::{ClientError, Code, JobOrder, Token, Wanted};

use crate::explorer::{Explorer, busy};
use crate::problem::{Kind, Problem};
use crate::reply::{Holds, Reply};
use crate::target::{Target, shown};
use crate::work::{no_job, number};

/// Most bytes of a wish. A position has half of them at most.
const BYTES: usize = 4 << 10;
/// How long a wish may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(10);
/// How long the coordinator may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most characters that are told of what a reader of JSON says.
const TOLD: usize = 300;

/// A wish as it is sent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wished {
    kind: String,
    at: String,
    #[serde(default)]
    heap: u64,
    until: Option<u64>,
}

/// What can be done at an address of wishes; None if it is no such address.
pub(crate) fn methods(path: &str) -> Option<&'static str> {
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        ["", "v1", "jobs", _, "wishes"] => Some("GET, HEAD, POST, OPTIONS"),
        ["", "v1", "jobs", _, "wishes", _] => Some("DELETE, OPTIONS"),
        _ => None,
    }
}

/// Makes or withdraws a wish. Tells the job and its wishes after that.
///
/// The coordinator is shown the token of the visitor and nothing else, and judges it.
pub(crate) async fn order(
    explorer: &Explorer,
    request: Request<Incoming>,
) -> Result<Reply, Problem> {
    let Some(visitors) = &explorer.visitors else {
        let remedy = "steer from a shell (`sprig wish`), or ask who started this page for \
                      `sprig explore --coordinator URL --steer`";
        return Err(Problem::new(Kind::NotAllowed, "nothing can be changed here", remedy));
    };
    of_this_site(request.headers())?;
    let token = token(request.headers())?;
    let target = Target::of(request.uri())?;
    target.only(&[])?;
    let parts: Vec<&str> = target.parts.iter().map(String::as_str).collect();
    let (id, order) = match parts[..] {
        ["v1", "jobs", job, "wishes", wish] => (number(job)?, JobOrder::Withdraw(wish_of(wish)?)),
        ["v1", "jobs", job, ..] => {
            let id = number(job)?;
            is_json(request.headers())?;
            let wished = read(&body(request).await?)?;
            (id, JobOrder::Wish(wanted(explorer, id, wished).await?))
        }
        _ => return Err(no_job("there is no job at this address")),
    };
    let mut client = visitors.client(token);
    let ordered = tokio::time::timeout(PATIENCE, client.order(id, order)).await;
    let job = ordered.map_err(|_| unheard())?.map_err(refused)?;
    Ok(Reply::json(&WishesRow::from(job), Holds::Never))
}

/// Refuses what a page of another site sends. It has no token of the visitor, but could try some.
fn of_this_site(headers: &HeaderMap) -> Result<(), Problem> {
    let host = headers.get(header::HOST).map(|host| host.as_bytes());
    let is_here = |origin: &[u8]| {
        let begin = origin.windows(3).position(|three| three == b"://");
        let origin = begin.map(|begin| &origin[begin + 3..]);
        host.zip(origin).is_some_and(|(host, origin)| host.eq_ignore_ascii_case(origin))
    };
    if headers.get_all(header::ORIGIN).iter().all(|origin| is_here(origin.as_bytes())) {
        return Ok(());
    }
    Err(Problem::new(
        Kind::NotAllowed,
        "the request comes from a page of another site",
        "steer from the pages of this explorer; a proxy before it has to pass `Host` on as it is",
    ))
}

/// The token that the visitor shows.
fn token(headers: &HeaderMap) -> Result<Token, Problem> {
    let mut shown = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (shown.next(), shown.next()) else {
        return Err(no_token("the request shows no token"));
    };
    let (scheme, token) =
        value.to_str().ok().and_then(|text| text.split_once(' ')).unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(no_token("the request shows no token"));
    }
    Token::new(token.trim()).map_err(|error| no_token(&error.to_string()))
}

/// The problem without a token. The token itself is never told.
fn no_token(detail: &str) -> Problem {
    let remedy = "show `Authorization: Bearer TOKEN` with a token of the role submit; who runs the \
                  cluster makes one with `sprig token submit NAME`";
    Problem::new(Kind::NoToken, detail, remedy)
}

/// Refuses what forms of other sites could send without asking.
fn is_json(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let kind = kind.split(';').next().unwrap_or("").trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let detail = format!("the wish is said to be `{}`", shown(kind));
    Err(Problem::new(Kind::NotJson, detail, "send it with `Content-Type: application/json`"))
}

async fn body(request: Request<Incoming>) -> Result<Vec<u8>, Problem> {
    let body = Limited::new(request.into_body(), BYTES).collect();
    let late = |_| Problem::new(Kind::BadRequest, "the wish does not arrive", "send it at once");
    let body = tokio::time::timeout(ARRIVAL, body).await.map_err(late)?;
    let body = body.map_err(|_| {
        let detail = "the wish is too long, or broke off";
        Problem::new(Kind::TooLarge, detail, format!("send {BYTES} bytes at most"))
    })?;
    Ok(body.to_bytes().into())
}

/// Reads a wish.
fn read(body: &[u8]) -> Result<Wished, Problem> {
    serde_json::from_slice(body).map_err(|error| {
        let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
        let detail: String = error.to_string().chars().take(TOLD).map(clean).collect();
        let remedy = r#"send an object like {"kind": "pin", "at": "0*2.AB|AB", "heap": 0}, perhaps with `until`, in milliseconds of Unix time"#;
        Problem::new(Kind::BadRequest, detail, remedy)
    })
}

/// What is wished, under the rules of the job. Whose token it is, the coordinator knows.
async fn wanted(explorer: &Explorer, id: JobId, wished: Wished) -> Result<Wanted, Problem> {
    let Wished { kind, at, heap, until } = wished;
    let wrong = |detail: String, remedy: &str| Problem::new(Kind::BadParameter, detail, remedy);
    let known = WishKind::ALL.into_iter().find(|known| known.word() == kind);
    let kind = known.ok_or_else(|| {
        wrong(format!("`kind` cannot be `{}`", shown(&kind)), "write one of: pin, boost, ban")
    })?;
    let heap = Nimber::new(heap).map_err(|error| {
        wrong(format!("`heap` cannot be {heap}: {error}"), "write a number from 0 to 63")
    })?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    if until.is_some_and(|until| u128::from(until) <= now) {
        let remedy = "write a coming moment in milliseconds of Unix time, or leave it out";
        return Err(wrong("`until` is over".to_owned(), remedy));
    }
    let rules = explorer.job(id).await?.0.goal.ruleset();
    let at = explorer.place(rules, &at, heap).await.map_err(|problem| match problem.kind {
        // It is no address that is too long here.
        Kind::TooLong => Problem { kind: Kind::TooLarge, ..problem },
        _ => problem,
    })?;
    Ok(Wanted { kind, at, until, by: String::new() })
}

/// The number of a wish, read from an address.
fn wish_of(text: &str) -> Result<u32, Problem> {
    text.parse().map_err(|_| {
        let detail = format!("`{}` is no number of a wish", shown(text));
        Problem::new(Kind::NotFound, detail, "`/v1/jobs/{job}/wishes` lists the wishes of a job")
    })
}

/// The problem when it is not known whether the coordinator has heard.
fn unheard() -> Problem {
    let remedy = "see whether it was done before you ask again: `/v1/jobs/{job}/wishes` tells";
    Problem::new(Kind::Unreachable, "the coordinator behind this page does not answer", remedy)
}

fn refused(error: ClientError) -> Problem {
    let ClientError::Refused(status) = error else {
        tracing::warn!("{error}");
        return unheard();
    };
    // Where the coordinator knows a remedy, it comes after what is wrong.
    let usual = "see the page of the search for its places and wishes";
    let (detail, remedy) = status.message().split_once("; ").unwrap_or((status.message(), usual));
    match status.code() {
        Code::Unauthenticated => no_token("the coordinator does not know this token"),
        Code::PermissionDenied => Problem::new(
            Kind::NotAllowed,
            "the role of this token may not steer",
            "show a token of the role submit",
        ),
        Code::NotFound => no_job(detail),
        Code::InvalidArgument => Problem::new(Kind::BadParameter, detail, remedy),
        Code::FailedPrecondition => Problem::new(Kind::Refused, detail, remedy),
        Code::ResourceExhausted => busy(),
        code => {
            tracing::warn!(?code, detail, "a wish was not answered");
            unheard()
        }
    }
}
