//! Access control: every connection and every call passes here first. `docs/security.md` describes
//! it.
//!
//! The `listener` makes connections: it bounds their number and the time they may take to say
//! something, speaks TLS, and reads the name in a client's certificate. The `guard` stands before
//! both services: it identifies the caller by certificate or token, looks the call up in the table
//! of `rpcs`, and slows down callers that call too often. Behind both is the `gate`: the tokens
//! and certificates that count now. When they are read again, open calls of callers that are no
//! longer known end (`leave`).

mod caller;
mod certificate;
mod gate;
mod guard;
mod leave;
mod listener;
mod newcomers;
mod pace;
mod rpcs;
mod tls;
mod tokens;

use std::fmt;
use std::sync::Arc;

use sprig_proto::Role;

pub use gate::ReloadError;
pub use listener::Peer;
pub use rpcs::CALLS;
pub use tls::{ServerTls, TlsError};
pub use tokens::{Tokens, TokensError, hash_of};

pub(crate) use caller::Caller;
pub(crate) use gate::Gate;
pub(crate) use guard::GuardLayer;
pub(crate) use listener::listen;
pub(crate) use pace::Pace;

/// What a coordinator asks of its callers. The default asks for nothing and is for loopback only.
#[derive(Clone, Default)]
pub struct Protection {
    /// Encryption, and certificates of clients.
    pub tls: Option<ServerTls>,
    /// Tokens of clients.
    pub tokens: Option<Tokens>,
}

impl Protection {
    /// Whether every caller must prove who it is.
    pub fn is_closed(&self) -> bool {
        self.tokens.is_some() || self.tls.as_ref().is_some_and(|tls| tls.clients.is_some())
    }
}

/// A caller that has proved who it is, or need not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Identity {
    /// What it may do.
    pub(crate) role: Role,
    /// Its name in the certificate or in the file of tokens; `None` where names are not asked for.
    pub(crate) name: Option<Arc<str>>,
    /// How many workers may work in this name at once; `None`: as many as come.
    pub(crate) workers: Option<u32>,
}

impl Identity {
    fn named(role: Role, name: &str) -> Self {
        Self { role, name: Some(name.into()), workers: None }
    }

    /// The signature of facts of a worker that calls itself `own`: the name that it has proved
    /// comes first.
    pub(crate) fn source(&self, own: &str) -> String {
        match &self.name {
            Some(name) => format!("{own}@{name}"),
            None => own.to_owned(),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} ({})", self.role),
            None => write!(f, "anybody"),
        }
    }
}

/// A name that may stand in a token file or certificate: what a log line and a path can hold.
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=63).contains(&name.len())
        && name.chars().all(plain)
        && !name.starts_with('-')
        && !name.ends_with('-')
}
