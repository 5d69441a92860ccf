//! The pages. They need no scripts, and every visitor sees the same ones.

mod about;
mod cards;
mod certificate;
mod credit;
mod frame;
mod impossible;
mod impossible_play;
mod job;
mod play;
mod position;
mod pousse;
mod pousse_record;
mod search;
mod start;
mod steering;
mod thumbs;
mod tree;
mod work;

use hyper::header;

use crate::problem::{Kind, Problem};
use crate::reply::{Holds, Reply, WORKER};

pub(crate) use about::about;
pub(crate) use certificate::certificate;
pub(crate) use credit::credit;
pub(crate) use impossible::impossible;
pub(crate) use impossible_play::impossible_play;
pub(crate) use job::job;
pub(crate) use play::{play, record};
pub(crate) use position::{line, position};
pub(crate) use pousse::pousse;
pub(crate) use pousse_record::pousse_record;
pub(crate) use search::search;
pub(crate) use start::start;
pub(crate) use tree::tree;
pub(crate) use work::work;

use maud::{Markup, html};

/// A file that pages load.
pub(crate) fn asset(name: &str) -> Result<Reply, Problem> {
    let script = "text/javascript; charset=utf-8";
    let (kind, text) = match name {
        "explorer.css" => ("text/css; charset=utf-8", include_str!("../../assets/explorer.css")),
        "play.js" => (script, include_str!("../../assets/play.js")),
        "moves.js" => (script, include_str!("../../assets/moves.js")),
        "search.js" => (script, include_str!("../../assets/search.js")),
        "steer.js" => (script, include_str!("../../assets/steer.js")),
        "live.js" => (script, include_str!("../../assets/live.js")),
        "certificate.js" => (script, include_str!("../../assets/certificate.js")),
        "verifier.js" => return Ok(worker(include_str!("../../assets/verifier.js"))),
        "board.js" => return Ok(worker(include_str!("../../assets/board.js"))),
        "verify.wasm" => return Ok(module(include_bytes!("../../assets/verify.wasm"))),
        "sketch.wasm" => return Ok(module(include_bytes!("../../assets/sketch.wasm"))),
        "icon.svg" => ("image/svg+xml", include_str!("../../assets/icon.svg")),
        _ => {
            let detail = "there is no such file";
            return Err(Problem::new(Kind::NotFound, detail, "begin at /"));
        }
    };
    Ok(Reply::new(kind, text, Holds::Check).with(header::VARY, "Accept-Encoding"))
}

/// A script that runs beside a page, and may run WebAssembly.
fn worker(text: &'static str) -> Reply {
    let reply = Reply::new("text/javascript; charset=utf-8", text, Holds::Check);
    reply.with(header::CONTENT_SECURITY_POLICY, WORKER)
}

/// WebAssembly.
fn module(bytes: &'static [u8]) -> Reply {
    Reply::new("application/wasm", bytes, Holds::Check)
}

/// Words for a person. What stands between backticks is shown as code.
fn quoted(words: &str) -> Markup {
    html! {
        @for (number, part) in words.split('`').enumerate() {
            @if number.is_multiple_of(2) { (part) } @else { code { (part) } }
        }
    }
}

/// The page of a problem, for a person.
pub(crate) fn problem(problem: &Problem) -> Markup {
    let (name, status, title) = problem.kind.words();
    let body = html! {
        h1 { (title) "." }
        p.detail { (quoted(&problem.detail)) }
        p { "What to do: " (quoted(&problem.remedy)) "." }
        p.faint { "Status " (status.as_u16()) ", " a href={ "/about#" (name) } { (name) } "." }
    };
    frame::page(title, sprig_domain::Play::Normal, body)
}
