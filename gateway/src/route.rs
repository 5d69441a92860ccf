//! Which function answers which address.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{Method, Request, Response, Uri, header};
use sprig_ask::{SightRow, WishesRow};
use sprig_coordinator::Wanted;
use sprig_domain::{JobId, Play, TreeKey};
use sprig_engine::Nimber;
use sprig_proto::Selection;
use sprig_sketch::{Look, Theme};

use crate::asked::{of_form, parameter, play};
use crate::batch::batch;
use crate::document::{LineOf, MovesOf, OfPosition};
use crate::explorer::Explorer;
use crate::pages;
use crate::problem::{Kind, Problem};
use crate::proofs::file_name;
use crate::reply::{Body, EVENTS, Holds, Reply, events};
use crate::sight::At;
use crate::steer;
use crate::target::{LONGEST, Target, encode, of_hex, shown};
use crate::trees::tree_key;
use crate::work::{JobsOf, OfJob, number};

/// Most moves on a page of them, and the number unless a request names one.
const MOVES: (usize, usize) = (1_000, 100);

/// Most jobs on a page of them, and the number unless a request names one.
const JOBS: (usize, usize) = (500, 50);

/// The beginning of the addresses whose answers are kept as they are written.
const POSITIONS: &str = "/v1/positions/";

/// The address to which positions are sent, one a line.
const BATCH: &str = "/v1/positions:batch";

/// The address of the stream of events.
const NEWS: &str = "/v1/events";

/// The themes of pictures.
const THEMES: [(&str, Theme); 3] =
    [("light", Theme::Light), ("dark", Theme::Dark), ("print", Theme::Print)];

/// The jobs that a request asks for.
fn selection(target: &Target) -> Selection {
    let text = |name| target.value(name).unwrap_or_default().to_owned();
    Selection { owner: text("owner"), label: text("label") }
}

/// Answers a request. There is always an answer.
pub(crate) async fn answer(explorer: Arc<Explorer>, request: Request<Incoming>) -> Response<Body> {
    let (method, headers) = (request.method().clone(), request.headers().clone());
    let path = request.uri().path();
    if (path, &method, request.uri().query()) == (NEWS, &Method::GET, None) {
        return events(explorer.events(&headers));
    }
    let is_api = path.starts_with("/v1/") || path == "/healthz";
    let of_wishes = steer::methods(path);
    let methods = match of_wishes {
        Some(methods) => methods,
        None if path == BATCH => "POST, OPTIONS",
        None => "GET, HEAD, OPTIONS",
    };
    let is_change = of_wishes.is_some() && !matches!(method, Method::GET | Method::HEAD);
    let reply = match method {
        _ if !methods.split(", ").any(|known| known == method.as_str()) => Err(Problem::new(
            Kind::NoMethod,
            format!("`{}` cannot be done here", shown(method.as_str())),
            format!("here is done: {methods}"),
        )),
        // No script of another site learns that it may ask for a change.
        Method::OPTIONS if is_change => Ok(Reply::options(methods)),
        Method::OPTIONS => Ok(Reply::options_for_all(methods)),
        Method::GET | Method::HEAD => kept(&explorer, request.uri()).await,
        _ if is_change => steer::order(&explorer, request).await,
        _ => match Target::of(request.uri()) {
            Ok(target) => batch(&explorer, &target, request).await,
            Err(problem) => Err(problem),
        },
    };
    let reply = reply.unwrap_or_else(|problem| {
        let page = (!is_api).then(|| pages::problem(&problem));
        Reply::problem(&problem, methods, page)
    });
    let reply = if is_change { reply.for_this_site() } else { reply };
    reply.response(&method, &headers)
}

/// The answer at an address. For addresses about positions it may be one that was written before,
/// if no new facts have come since.
async fn kept(explorer: &Arc<Explorer>, uri: &Uri) -> Result<Reply, Problem> {
    let address = uri.path_and_query().map_or("", |address| address.as_str());
    if !address.starts_with(POSITIONS) || address.len() > LONGEST {
        return find(explorer, uri).await;
    }
    let generation = explorer.generation();
    if let Some(reply) = explorer.replies.get(address, generation) {
        return Ok(reply);
    }
    let reply = find(explorer, uri).await?;
    explorer.replies.keep(address, generation, &reply);
    Ok(reply)
}

/// The key of a tree in an address.
fn tree(text: &str) -> Result<TreeKey, Problem> {
    tree_key(text).ok_or_else(|| {
        let detail = format!("`{}` is no key of a tree", shown(text));
        Problem::new(Kind::NotFound, detail, "write all 32 hexadecimal digits of the key")
    })
}

async fn find(explorer: &Arc<Explorer>, uri: &Uri) -> Result<Reply, Problem> {
    let target = Target::of(uri)?;
    let parts: Vec<&str> = target.parts.iter().map(String::as_str).collect();
    match parts[..] {
        [""] => Ok(Reply::page(pages::start(explorer).await)),
        ["go"] => go(explorer, &target).await,
        ["p", position] => {
            let play = play(&target)?;
            let from = target.number("from", 0..=usize::MAX, 0)?;
            match typed_elsewhere(explorer, position, play, "").await? {
                Some(reply) => Ok(reply),
                None => Ok(Reply::page(pages::position(explorer, position, play, from).await?)),
            }
        }
        ["p", position, "line"] => {
            let play = play(&target)?;
            match typed_elsewhere(explorer, position, play, "/line").await? {
                Some(reply) => Ok(reply),
                None => Ok(Reply::page(pages::line(explorer, position, play).await?)),
            }
        }
        ["p", position, "certificate"] => {
            target.only(&["play"])?;
            let play = play(&target)?;
            match typed_elsewhere(explorer, position, play, "/certificate").await? {
                Some(reply) => Ok(reply),
                None => Ok(Reply::page_that_computes(
                    pages::certificate(explorer, position, play).await?,
                )),
            }
        }
        ["play"] => pages::play(explorer, &target).await,
        ["play", "record"] => pages::record(explorer, &target).await,
        ["pousse"] => pages::pousse(explorer, &target).await,
        ["pousse", "record"] => pages::pousse_record(explorer, &target).await,
        ["impossible"] => pages::impossible(explorer, &target).await,
        ["impossible", "play"] => pages::impossible_play(explorer, &target).await,
        ["about"] => Ok(Reply::page(pages::about(explorer.rules(Play::Normal)))),
        ["assets", name] => pages::asset(name),
        ["healthz"] => Ok(Reply::new("text/plain; charset=utf-8", "ok\n", Holds::Never)),
        ["v1", "positions", position] => {
            target.only(&["play"])?;
            let (asked, standing) = explorer.standing(position, play(&target)?).await?;
            let holds = holds(standing.is_complete);
            Ok(Reply::json(&OfPosition::new(&asked, &standing), holds))
        }
        ["v1", "positions", position, "moves"] => moves(explorer, &target, position).await,
        ["v1", "positions", position, "line"] => {
            target.only(&["play"])?;
            let (asked, answer) = explorer.position(position, play(&target)?).await?;
            let line = explorer.line(&asked).await?;
            Ok(Reply::json(&LineOf::new(&asked, &answer, line.ended, line.steps), Holds::Seconds))
        }
        ["v1", "positions", position, "picture.svg"] => {
            target.only(&["theme", "labels", "child"])?;
            let look = Look {
                theme: target.word("theme", &THEMES)?,
                labels: target.word("labels", &[("on", true), ("off", false)])?,
            };
            let position = explorer.read(position).await?;
            let child = match target.value("child") {
                Some(child) => Some(explorer.read(child).await?),
                None => None,
            };
            Ok(Reply::picture(&explorer.picture_of(&position, look, child).await?.svg))
        }
        ["v1", "positions", position, "certificate"] => {
            certificate(explorer, &target, position).await
        }
        ["v1", "positions", position, "stroke"] => {
            target.only(&["points"])?;
            let stroke = explorer.stroke(position, target.points("points")?).await?;
            Ok(Reply::json(&stroke, Holds::Day))
        }
        ["v1", "statistics"] => {
            target.only(&[])?;
            Ok(Reply::json(&explorer.statistics().await?, Holds::Seconds))
        }
        ["v1", "jobs"] => {
            target.only(&["limit", "before", "owner", "label"])?;
            let limit = target.number("limit", 1..=JOBS.0, JOBS.1)?;
            let before = target.number("before", 1..=usize::MAX, usize::MAX)?;
            let selection = selection(&target);
            let jobs = explorer.jobs(&selection, JobId(before as u64), limit).await?;
            Ok(Reply::json(&JobsOf::new(jobs, &selection, limit), Holds::Seconds))
        }
        ["v1", "jobs", job] => {
            target.only(&[])?;
            let (job, history) = explorer.job(number(job)?).await?;
            Ok(Reply::json(&OfJob::new(job, history), Holds::Seconds))
        }
        ["v1", "jobs", job, "search"] => {
            let sight = explorer.sight(number(job)?, &At::of(&target)?).await?;
            Ok(Reply::json(&SightRow::from(sight), Holds::Never))
        }
        ["v1", "jobs", job, "wishes"] => {
            target.only(&[])?;
            let (job, _) = explorer.job(number(job)?).await?;
            Ok(Reply::json(&WishesRow::from(job), Holds::Check))
        }
        ["v1", "workers"] => {
            target.only(&[])?;
            Ok(Reply::json(&explorer.workers().await?, Holds::Seconds))
        }
        ["v1", "lands"] => lands(explorer, &target).await,
        ["v1", "trees", key] => {
            target.only(&[])?;
            Ok(Reply::json(&explorer.written_tree(tree(key)?).await?, Holds::Forever))
        }
        ["v1", "trees", key, "picture.svg"] => {
            target.only(&["theme"])?;
            let look = Look { theme: target.word("theme", &THEMES)?, labels: true };
            let svg = explorer.picture_of_tree(tree(key)?, &look).await?;
            Ok(Reply::new("image/svg+xml", svg, Holds::Forever))
        }
        ["tree", key] => {
            target.only(&[])?;
            Ok(Reply::page(pages::tree(explorer, tree(key)?).await?))
        }
        ["work"] => {
            target.only(&["owner", "label"])?;
            Ok(Reply::page(pages::work(explorer, &selection(&target)).await?))
        }
        ["jobs"] => Ok(Reply::elsewhere("/work".to_owned())),
        ["jobs", job] => {
            target.only(&[])?;
            Ok(Reply::page(pages::job(explorer, number(job)?).await?))
        }
        ["jobs", job, "search"] => {
            let at = At::of(&target)?;
            Ok(Reply::page(pages::search(explorer, number(job)?, &at).await?))
        }
        ["credit"] => {
            target.only(&[])?;
            Ok(Reply::page(pages::credit(explorer).await))
        }
        ["v1", "events"] => {
            target.only(&[])?;
            Ok(Reply::new(EVENTS, "", Holds::Never))
        }
        ["v1"] | ["v1", ""] => Ok(Reply::elsewhere("/v1/openapi.json".to_owned())),
        ["v1", "openapi.json"] => {
            target.only(&[])?;
            Ok(Reply::new("application/json", include_str!("../assets/openapi.json"), Holds::Check))
        }
        _ => Err(Problem::new(
            Kind::NotFound,
            format!("`{}` is no address here", shown(uri.path())),
            "begin at / with a browser, or at /v1/positions/14 with a program; /about lists all",
        )),
    }
}

/// A page of the moves of a position.
async fn moves(explorer: &Explorer, target: &Target, position: &str) -> Result<Reply, Problem> {
    target.only(&["play", "limit", "cursor"])?;
    let limit = target.number("limit", 1..=MOVES.0, MOVES.1)?;
    let from = target.number("cursor", 0..=usize::MAX, 0)?;
    let (asked, answer) = explorer.position(position, play(target)?).await?;
    let Some(moves) = &answer.moves else {
        return Err(Problem::too_dear("there are too many moves to list", "sprig moves"));
    };
    let moves = MovesOf::new(&asked, &answer, moves, from, limit);
    Ok(Reply::json(&moves, holds(answer.is_complete)))
}

/// The proof of who wins a position.
async fn certificate(
    explorer: &Explorer,
    target: &Target,
    position: &str,
) -> Result<Reply, Problem> {
    target.only(&["play", "form"])?;
    let is_text = target.word("form", &[("gzip", false), ("text", true)])?;
    let (asked, _) = explorer.position(position, play(target)?).await?;
    let proof = explorer.proof(&asked).await?;
    // A later certificate may prove the same with fewer facts, but this one stays right.
    if is_text {
        return Ok(Reply::new("text/plain; charset=utf-8", proof.text.clone(), Holds::Day));
    }
    let named = format!("attachment; filename=\"{}\"", file_name(&asked));
    let reply = Reply::new("application/gzip", proof.packed.clone(), Holds::Day);
    Ok(reply.with(header::CONTENT_DISPOSITION, named))
}

/// A page of the lands whose nimbers are verified.
async fn lands(explorer: &Explorer, target: &Target) -> Result<Reply, Problem> {
    target.only(&["prefix", "nimber", "limit", "cursor"])?;
    let largest = usize::from(Nimber::LIMIT - 1);
    let nimber = match target.value("nimber") {
        None => None,
        Some(_) => Nimber::new(target.number("nimber", 0..=largest, 0)? as u64).ok(),
    };
    let cursor = target.value("cursor").map(|cursor| {
        of_hex(cursor).ok_or_else(|| {
            let detail = format!("`cursor` cannot be `{}`", shown(cursor));
            Problem::new(Kind::BadParameter, detail, "follow `next` of the page before")
        })
    });
    let wanted = Wanted {
        prefix: target.value("prefix").unwrap_or_default().replace('~', "|"),
        nimber,
        after: cursor.transpose()?.unwrap_or_default(),
        limit: target.number("limit", 1..=MOVES.0, MOVES.1)?,
    };
    Ok(Reply::json(&explorer.lands(wanted).await?, Holds::Seconds))
}

fn holds(is_complete: bool) -> Holds {
    if is_complete { Holds::Forever } else { Holds::Seconds }
}

/// Leads from the form for a position to the page of the position.
async fn go(explorer: &Explorer, target: &Target) -> Result<Reply, Problem> {
    let (typed, play) = (of_form(target.value("position").unwrap_or("")), play(target)?);
    if typed.is_empty() {
        return Ok(Reply::elsewhere("/".to_owned()));
    }
    let position = explorer.read(&typed).await?;
    Ok(Reply::elsewhere(page(&position.to_string(), play, "")))
}

/// The address of the page of a position.
fn page(position: &str, play: Play, below: &str) -> String {
    format!("/p/{}{below}{}", encode(position), parameter(play))
}

/// Each position has one page, at its canonical form. Other texts of the position lead there.
async fn typed_elsewhere(
    explorer: &Explorer,
    typed: &str,
    play: Play,
    below: &str,
) -> Result<Option<Reply>, Problem> {
    let canonical = explorer.read(typed).await?.to_string();
    let is_there = typed.replace('~', "|") == canonical;
    Ok((!is_there).then(|| Reply::elsewhere(page(&canonical, play, below))))
}
