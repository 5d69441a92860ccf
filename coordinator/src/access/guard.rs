//! The guard before all calls.

use std::sync::Arc;
use std::task::{Context, Poll};

use sprig_proto::Role;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, http};
use tower_layer::Layer;
use tower_service::Service;
use tracing::debug;

use super::listener::Peer;
use super::{Gate, Identity, rpcs};

/// Puts a [`Guard`] before a service.
#[derive(Clone)]
pub(crate) struct GuardLayer(pub(crate) Gate);

/// Lets a call pass if its caller may make it, and tells the service who that is.
#[derive(Clone)]
pub(crate) struct Guard<S> {
    gate: Gate,
    inner: S,
}

impl<S> Layer<S> for GuardLayer {
    type Service = Guard<S>;

    fn layer(&self, inner: S) -> Guard<S> {
        Guard { gate: self.0.clone(), inner }
    }
}

impl<S> Service<http::Request<Body>> for Guard<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = S::Error;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        match self.gate.admit(&request) {
            Ok(identity) => {
                request.extensions_mut().insert(identity);
                Box::pin(self.inner.call(request))
            }
            Err(status) => Box::pin(async move { Ok(status.into_http()) }),
        }
    }
}

impl Gate {
    /// Who makes this call, if they may.
    fn admit(&self, request: &http::Request<Body>) -> Result<Identity, Status> {
        let peer = request.extensions().get::<Arc<Peer>>();
        if let Some(Err(pause)) = peer.map(|peer| peer.calls.take()) {
            let wait = pause.as_millis().max(1);
            return Err(Status::resource_exhausted(format!(
                "too many calls on one connection: wait {wait} ms, and make fewer"
            )));
        }
        let path = request.uri().path();
        let identity = self.identify(request.headers(), peer);
        let verdict = identity.and_then(|identity| match rpcs::allows(identity.role, path) {
            Some(true) => Ok(identity),
            Some(false) => Err(Status::permission_denied(format!(
                "{identity} may not call {path}: ask for a token or certificate of another role"
            ))),
            None => Err(Status::unimplemented(format!("there is no call {path}"))),
        });
        if let (Err(status), Some(peer)) = (&verdict, peer) {
            debug!(address = %peer.address, path, code = ?status.code(), "refused");
        }
        verdict
    }

    /// By the token, if one is shown; else by the certificate.
    fn identify(
        &self,
        headers: &http::HeaderMap,
        peer: Option<&Arc<Peer>>,
    ) -> Result<Identity, Status> {
        if !self.closed {
            return Ok(Identity { role: Role::Admin, name: None });
        }
        let found = match (headers.get(http::header::AUTHORIZATION), &self.tokens) {
            (Some(shown), Some(tokens)) => {
                let token = shown.as_bytes().strip_prefix(b"Bearer ");
                token.and_then(|token| tokens.find(token)).cloned()
            }
            _ => peer.and_then(|peer| peer.identity.clone()),
        };
        found.ok_or_else(|| {
            Status::unauthenticated(
                "this coordinator must know who calls: show a token (--token-file) or a certificate (--tls-cert, --tls-key) that it knows",
            )
        })
    }
}
