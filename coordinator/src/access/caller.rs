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
    /// Who; none where no guard stands.
    pub(crate) identity: Option<Identity>,
    /// From where, if whoever accepts connections says so.
    pub(crate) address: Option<IpAddr>,
}

impl Caller {
    /// The caller of a request that the guard has let pass.
    pub(crate) fn of<T>(request: &Request<T>) -> Self {
        let identity = request.extensions().get::<Identity>().cloned();
        let address = request.extensions().get::<Arc<Peer>>().map(|peer| peer.address);
        Self { identity, address }
    }

    /// How facts of a worker that calls itself `own` are signed.
    pub(crate) fn source(&self, own: &str) -> String {
        self.identity.as_ref().map_or_else(|| own.to_owned(), |identity| identity.source(own))
    }

    /// The name that was proved, if anybody is asked.
    pub(crate) fn name(&self) -> Option<&str> {
        self.identity.as_ref()?.name.as_deref()
    }

    /// The name that was proved, or else the address: what cannot be chosen anew at will.
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
