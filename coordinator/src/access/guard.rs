//! The guard before all calls.

use std::sync::Arc;
use std::task::{Context, Poll};

use sprig_proto::{Role, trace};
use tonic::body::Body;
use tonic::codegen::{BoxFuture, http};
use tonic::{Code, Status};
use tower_layer::Layer;
use tower_service::Service;
use tracing::{Span, field, info, trace_span};

use super::gate::Proof;
use super::leave::{Leave, Way};
use super::listener::Peer;
use super::{Gate, Identity, rpcs, tokens};

/// Puts a [`Guard`] before a service.
#[derive(Clone)]
pub(crate) struct GuardLayer(pub(crate) Gate);

/// Lets a call pass if its caller may make it, and tells the service who the caller is.
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
        let span = span_of(&request);
        match self.gate.admit(&request) {
            Ok((identity, None)) => {
                request.extensions_mut().insert(identity);
                let answer = self.inner.call(request);
                Box::pin(async move { answer.await.inspect(|answer| note(&span, answer)) })
            }
            Ok((identity, Some(proof))) => {
                request.extensions_mut().insert(identity.clone());
                let gate = self.gate.clone();
                let request =
                    request.map(|body| Leave::body(body, Way::In, &gate, &proof, &identity));
                let answer = self.inner.call(request);
                Box::pin(async move {
                    let answer = answer.await?;
                    note(&span, &answer);
                    Ok(answer.map(|body| Leave::body(body, Way::Out, &gate, &proof, &identity)))
                })
            }
            Err(status) => {
                let answer = status.into_http();
                note(&span, &answer);
                Box::pin(async move { Ok(answer) })
            }
        }
    }
}

/// The span of a call until its answer begins, within the caller's own span if it names one.
fn span_of(request: &http::Request<Body>) -> Span {
    let named = request.headers().get("traceparent").and_then(|named| named.to_str().ok());
    let (id, parent) = named.and_then(trace::of_caller).unwrap_or_default();
    trace_span!(
        target: trace::TARGET, parent: None, "call",
        trace.id = id, trace.parent = parent, trace.remote = parent != 0, trace.serves = true,
        rpc.system = "grpc", rpc.method = request.uri().path(),
        rpc.grpc.status_code = field::Empty, error = field::Empty,
    )
}

/// Notes how a call was answered. What goes well has no status before the end of its answer.
fn note<B>(span: &Span, answer: &http::Response<B>) {
    if span.is_disabled() {
        return;
    }
    let status = Status::from_header_map(answer.headers());
    span.record("rpc.grpc.status_code", status.as_ref().map_or(0, |status| status.code() as i64));
    if let Some(status) = status.filter(|status| status.code() != Code::Ok) {
        span.record("error", status.message());
    }
}

impl Gate {
    /// Who makes this call, if that caller may, and the proof of it. There is no proof where every
    /// caller may make it.
    fn admit(&self, request: &http::Request<Body>) -> Result<(Identity, Option<Proof>), Status> {
        let peer = request.extensions().get::<Arc<Peer>>();
        if let Some(Err(pause)) = peer.map(|peer| peer.calls.take()) {
            let wait = pause.as_millis().max(1);
            return Err(Status::resource_exhausted(format!(
                "too many calls on one connection: wait {wait} ms, and make fewer"
            )));
        }
        let path = request.uri().path();
        let identity = self.recognize(request.headers(), peer);
        let verdict =
            identity.and_then(|(identity, proof)| match rpcs::allows(identity.role, path) {
                Some(true) => Ok((identity, proof)),
                Some(false) => Err(Status::permission_denied(format!(
                    "{identity} may not call {path}: that takes a token or certificate of the role {}",
                    rpcs::roles(path)
                ))),
                None => Err(Status::unimplemented(format!("there is no call {path}"))),
            });
        if let (Err(status), Some(peer)) = (&verdict, peer) {
            // A caller that is refused over and over must not fill the disk with log lines.
            if peer.refusals.take().is_ok() {
                let (address, reason) = (peer.address, status.message());
                info!(%address, path, code = ?status.code(), reason, "call refused");
            }
        }
        verdict
    }

    /// Recognizes a caller by the token, if one is shown, else by the certificate.
    fn recognize(
        &self,
        headers: &http::HeaderMap,
        peer: Option<&Arc<Peer>>,
    ) -> Result<(Identity, Option<Proof>), Status> {
        if !self.is_closed() {
            return Ok((Identity { role: Role::Admin, name: None, workers: None }, None));
        }
        let proof = match headers.get(http::header::AUTHORIZATION) {
            Some(shown) if self.takes_tokens() => {
                let token = shown.as_bytes().strip_prefix(b"Bearer ");
                token.map(|token| Proof::Token(tokens::hash(token)))
            }
            _ => peer.and_then(|peer| peer.proof.clone()),
        };
        let found = proof.and_then(|proof| Some((self.identify(&proof)?, Some(proof))));
        found.ok_or_else(|| {
            Status::unauthenticated(
                "this coordinator must know who calls: show a token (--token-file) or a certificate (--tls-cert, --tls-key) that it knows",
            )
        })
    }
}
