//! Who makes a call, and from where: for the log of who did what.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use tonic::Request;

use super::Identity;
use super::listener::Peer;

/// Who makes a call, and from where.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The caller's identity; `None` where no guard stands.
    pub(crate) identity: Option<Identity>,
    /// The address that the call comes from, if the listener tells it.
    pub(crate) address: Option<IpAddr>,
}

impl Caller {
    /// The caller of a request that the guard has let pass.
    pub(crate) fn of<T>(request: &Request<T>) -> Self {
        let identity = request.extensions().get::<Identity>().cloned();
        let address = request.extensions().get::<Arc<Peer>>().map(|peer| peer.address);
        Self { identity, address }
    }

    /// The signature of facts of a worker that calls itself `own`.
    pub(crate) fn source(&self, own: &str) -> String {
        self.identity.as_ref().map_or_else(|| own.to_owned(), |identity| identity.source(own))
    }

    /// The name that was proved, if names are asked for.
    pub(crate) fn name(&self) -> Option<&str> {
        self.identity.as_ref()?.name.as_deref()
    }

    /// The name that was proved, or else the address: neither can be chosen anew at will.
    pub(crate) fn account(&self) -> String {
        match self.name() {
            Some(name) => name.to_owned(),
            None => self.address.map_or_else(String::new, |address| address.to_string()),
        }
    }

    /// The address, for the log.
    pub(crate) fn from(&self) -> String {
        self.address.map_or_else(|| "-".to_owned(), |address| address.to_string())
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.identity {
            Some(identity) => identity.fmt(f),
            None => f.write_str("anybody"),
        }
    }
}
