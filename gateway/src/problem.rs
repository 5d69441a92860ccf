//! What is said where there is no answer: problems after RFC 9457, with the place and the remedy.

use hyper::StatusCode;
use serde::Serialize;

/// The kinds of problems. Each is listed on the page about the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The text is no position.
    NoPosition,
    /// A parameter is unknown, or has a value that it cannot have.
    BadParameter,
    /// The request is no text, or its address is written in a wrong way.
    BadRequest,
    /// A change was asked for without a token that is known.
    NoToken,
    /// This may not be done here, or not with this token.
    NotAllowed,
    /// There is nothing at this address.
    NotFound,
    /// The address exists, but does not know this method.
    NoMethod,
    /// The coordinator does not do it as things stand.
    Refused,
    /// The address is longer than any that is answered.
    TooLong,
    /// More was sent than the server reads.
    TooLarge,
    /// What was sent does not say that it is JSON.
    NotJson,
    /// A curve that was drawn is no move.
    Misdrawn,
    /// The answer takes more time or memory than the server spends on one.
    TooDear,
    /// Too many requests come at once.
    Busy,
    /// The coordinator does not answer.
    Unreachable,
    /// The disk failed, or there is a bug.
    Failed,
}

impl Kind {
    /// All kinds, in the order of the page about the interface.
    pub(crate) const ALL: [Self; 16] = [
        Self::NoPosition,
        Self::BadParameter,
        Self::BadRequest,
        Self::NoToken,
        Self::NotAllowed,
        Self::NotFound,
        Self::NoMethod,
        Self::Refused,
        Self::TooLong,
        Self::TooLarge,
        Self::NotJson,
        Self::Misdrawn,
        Self::TooDear,
        Self::Busy,
        Self::Unreachable,
        Self::Failed,
    ];

    /// The name of the kind in `type`, its status and its title.
    pub(crate) fn words(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Self::NoPosition => ("no-position", StatusCode::BAD_REQUEST, "This is no position"),
            Self::BadParameter => {
                ("bad-parameter", StatusCode::BAD_REQUEST, "A parameter cannot be understood")
            }
            Self::BadRequest => {
                ("bad-request", StatusCode::BAD_REQUEST, "The request cannot be understood")
            }
            Self::NoToken => ("no-token", StatusCode::UNAUTHORIZED, "This takes a token"),
            Self::NotAllowed => ("not-allowed", StatusCode::FORBIDDEN, "This may not be done"),
            Self::NotFound => ("not-found", StatusCode::NOT_FOUND, "There is nothing here"),
            Self::NoMethod => {
                ("no-method", StatusCode::METHOD_NOT_ALLOWED, "This cannot be done here")
            }
            Self::Refused => {
                ("refused", StatusCode::CONFLICT, "The coordinator does not do this now")
            }
            Self::TooLong => ("too-long", StatusCode::URI_TOO_LONG, "The address is too long"),
            Self::TooLarge => {
                ("too-large", StatusCode::PAYLOAD_TOO_LARGE, "More was sent than is read")
            }
            Self::NotJson => {
                ("not-json", StatusCode::UNSUPPORTED_MEDIA_TYPE, "Only JSON is read here")
            }
            Self::Misdrawn => {
                ("misdrawn", StatusCode::UNPROCESSABLE_ENTITY, "This curve is no move")
            }
            Self::TooDear => {
                ("too-dear", StatusCode::UNPROCESSABLE_ENTITY, "The answer takes too much")
            }
            Self::Busy => ("busy", StatusCode::SERVICE_UNAVAILABLE, "Too many ask at once"),
            Self::Unreachable => {
                ("unreachable", StatusCode::BAD_GATEWAY, "The coordinator does not answer")
            }
            Self::Failed => ("failed", StatusCode::INTERNAL_SERVER_ERROR, "Something broke"),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) kind: Kind,
    /// What is wrong in this request.
    pub(crate) detail: String,
    /// What a person can do about the problem.
    pub(crate) remedy: String,
    /// The place of the problem in the text of the position, counted from 1.
    pub(crate) column: Option<usize>,
}

/// A problem as programs read it.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    r#type: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    remedy: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

impl Problem {
    pub(crate) fn new(kind: Kind, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), remedy: remedy.into(), column: None }
    }

    /// Too many moves, or too much to draw. A command can answer elsewhere what the server does
    /// not.
    pub(crate) fn too_dear(detail: impl Into<String>, command: &str) -> Self {
        let remedy = format!("ask on your own machine, with `{command}`");
        Self::new(Kind::TooDear, detail, remedy)
    }

    /// The problem as programs read it.
    pub(crate) fn document(&self) -> Document<'_> {
        let (name, status, title) = self.kind.words();
        Document {
            r#type: format!("/about#{name}"),
            title,
            status: status.as_u16(),
            detail: &self.detail,
            remedy: &self.remedy,
            column: self.column,
        }
    }

    /// The object of `application/problem+json`.
    pub(crate) fn json(&self) -> String {
        // A struct of texts and numbers can always be written.
        serde_json::to_string(&self.document()).unwrap_or_default()
    }
}
