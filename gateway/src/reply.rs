//! Responses, with the headers that say how long they hold.

use http_body_util::{Either, Full, StreamBody};
use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, Response, StatusCode};
use maud::Markup;
use serde::Serialize;

use crate::events::Frames;
use crate::problem::{Kind, Problem};

/// What a page may load, and from where: only what this server has.
const PAGES: &str = "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; \
                     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The same for pages that may run WebAssembly, as certificates are checked in the browser.
const COMPUTES: &str = "default-src 'none'; img-src 'self'; style-src 'self'; \
                        script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
                        connect-src 'self'; form-action 'self'; base-uri 'none'; \
                        frame-ancestors 'none'";
/// The worker of such a page asks for its own files, and for nothing else.
pub(crate) const WORKER: &str =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
/// A picture loads nothing.
const PICTURES: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
/// After this many seconds a visitor who was sent away may ask again.
const AGAIN: &str = "2";

/// For how long an answer holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// The answer is proved, and whole.
    Forever,
    /// Another version of this program may give a better answer.
    Day,
    /// Something may be proved at any moment.
    Seconds,
    /// The browser has to ask whether its copy is still the same.
    Check,
    /// The answer is about this moment.
    Never,
}

/// The body of a response: all at once, or events as they come.
pub(crate) type Body = Either<Full<Bytes>, StreamBody<Frames>>;

/// A stream of events without an end.
pub(crate) fn events(frames: Frames) -> Response<Body> {
    let response = Reply::new(EVENTS, "", Holds::Never).response(&Method::GET, &HeaderMap::new());
    let (mut head, _) = response.into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Either::Right(StreamBody::new(frames)))
}

/// The media type of server-sent events.
pub(crate) const EVENTS: &str = "text/event-stream";

/// A response before it is sent.
#[derive(Clone)]
pub(crate) struct Reply {
    status: StatusCode,
    kind: &'static str,
    body: Bytes,
    holds: Holds,
    others: Vec<(HeaderName, String)>,
    /// Whether scripts of other sites may read it.
    is_open: bool,
}

impl Reply {
    pub(crate) fn new(kind: &'static str, body: impl Into<Bytes>, holds: Holds) -> Self {
        let (status, body) = (StatusCode::OK, body.into());
        Self { status, kind, body, holds, others: Vec::new(), is_open: true }
    }

    /// An object for programs.
    pub(crate) fn json(object: &impl Serialize, holds: Holds) -> Self {
        // The objects hold numbers and texts alone, so they can always be written.
        let mut text = serde_json::to_string(object).unwrap_or_default();
        text.push('\n');
        Self::new("application/json", text, holds)
    }

    pub(crate) fn page(page: Markup) -> Self {
        let reply = Self::new("text/html; charset=utf-8", page.into_string(), Holds::Check);
        reply.with(header::CONTENT_SECURITY_POLICY, PAGES)
    }

    /// A page that may run WebAssembly.
    pub(crate) fn page_that_computes(page: Markup) -> Self {
        let reply = Self::new("text/html; charset=utf-8", page.into_string(), Holds::Check);
        reply.with(header::CONTENT_SECURITY_POLICY, COMPUTES)
    }

    pub(crate) fn picture(svg: &str) -> Self {
        let reply = Self::new("image/svg+xml", svg.to_owned(), Holds::Day);
        reply.with(header::CONTENT_SECURITY_POLICY, PICTURES)
    }

    /// Sends the visitor to another address.
    pub(crate) fn elsewhere(location: String) -> Self {
        let reply = Self::new("text/plain; charset=utf-8", "see Location\n", Holds::Check);
        let reply = Self { status: StatusCode::SEE_OTHER, ..reply };
        reply.with(header::LOCATION, location)
    }

    /// A problem, as JSON for programs, or as this page for people.
    pub(crate) fn problem(problem: &Problem, methods: &str, page: Option<Markup>) -> Self {
        let (_, status, _) = problem.kind.words();
        let reply = match page {
            Some(page) => Self::page(page),
            None => Self::new("application/problem+json", problem.json(), Holds::Never),
        };
        let reply = Self { status, holds: Holds::Never, ..reply };
        match problem.kind {
            Kind::Busy => reply.with(header::RETRY_AFTER, AGAIN),
            Kind::NoMethod => reply.with(header::ALLOW, methods),
            Kind::NoToken => reply.with(header::WWW_AUTHENTICATE, "Bearer"),
            _ => reply,
        }
    }

    /// What can be done at an address.
    pub(crate) fn options(methods: &str) -> Self {
        let reply = Self::new("text/plain; charset=utf-8", "", Holds::Never);
        Self { status: StatusCode::NO_CONTENT, ..reply }.with(header::ALLOW, methods)
    }

    /// The same, for a browser that asks whether a script of another site may do it: it may.
    pub(crate) fn options_for_all(methods: &str) -> Self {
        Self::options(methods)
            .with(header::ACCESS_CONTROL_ALLOW_METHODS, methods)
            .with(header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type")
            .with(header::ACCESS_CONTROL_MAX_AGE, "86400")
    }

    /// The bytes of the body, which is nearly all that the reply takes in a cache.
    pub(crate) fn bytes(&self) -> usize {
        self.body.len()
    }

    pub(crate) fn holds(&self) -> Holds {
        self.holds
    }

    /// The same reply, which scripts of other sites may not read.
    pub(crate) fn for_this_site(self) -> Self {
        Self { is_open: false, ..self }
    }

    /// The same reply with another header.
    pub(crate) fn with(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.others.push((name, value.into()));
        self
    }

    /// The response to a request with this method and these headers.
    pub(crate) fn response(self, method: &Method, asked: &HeaderMap) -> Response<Body> {
        let Self { mut status, kind, mut body, holds, others, is_open } = self;
        let mut response = Response::new(Either::Left(Full::default()));
        let headers = response.headers_mut();
        let fixed = HeaderValue::from_static;
        if status == StatusCode::OK && holds != Holds::Never {
            let tag = format!("\"{}\"", &blake3::hash(&body).to_hex()[..32]);
            if has_tag(asked, &tag) {
                (status, body) = (StatusCode::NOT_MODIFIED, Bytes::new());
            }
            headers.insert(header::ETAG, value(&tag));
        }
        headers.insert(
            header::CACHE_CONTROL,
            fixed(match holds {
                Holds::Forever => "public, max-age=31536000, immutable",
                Holds::Day => "public, max-age=86400",
                Holds::Seconds => "public, max-age=5",
                Holds::Check => "no-cache",
                Holds::Never => "no-store",
            }),
        );
        if status != StatusCode::NO_CONTENT && status != StatusCode::NOT_MODIFIED {
            headers.insert(header::CONTENT_TYPE, fixed(kind));
            headers.insert(header::CONTENT_LENGTH, body.len().into());
        }
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
        headers.insert(header::REFERRER_POLICY, fixed("no-referrer"));
        if is_open {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, fixed("*"));
        }
        for (name, text) in others {
            headers.insert(name, value(&text));
        }
        *response.status_mut() = status;
        if method != Method::HEAD {
            *response.body_mut() = Either::Left(Full::new(body));
        }
        response
    }
}

/// Whether the browser has a copy with this tag.
fn has_tag(asked: &HeaderMap, tag: &str) -> bool {
    let tags = asked.get_all(header::IF_NONE_MATCH).into_iter().filter_map(|v| v.to_str().ok());
    let mut tags = tags.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|has| has == "*" || has.strip_prefix("W/").unwrap_or(has) == tag)
}

/// A text of this program as a header. A text that cannot stand in a header is left out.
fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}
