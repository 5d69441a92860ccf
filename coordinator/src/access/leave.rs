//! The end of what is open when the token or certificate that opened it no longer counts.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::Frame;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::codegen::http::HeaderMap;

use super::Identity;
use super::gate::{Gate, Proof};

/// Which way a body goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// To the coordinator. It ends with an error, so that nothing more is taken from the caller.
    In,
    /// To the caller. It ends with the reason.
    Out,
}

/// A body that ends when its caller is no longer known.
pub(super) struct Leave {
    body: Body,
    way: Way,
    /// Ready when the proof no longer proves what it did.
    gone: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Whether the proof still proves it.
    is_known: Box<dyn Fn() -> bool + Send>,
    over: bool,
}

impl Leave {
    /// A body of a call that `identity` makes by `proof`.
    pub(super) fn body(
        body: Body,
        way: Way,
        gate: &Gate,
        proof: &Proof,
        identity: &Identity,
    ) -> Body {
        let mut exchanges = gate.exchanges();
        let (gate, proof, identity) = (gate.clone(), proof.clone(), identity.clone());
        let is_known = move || gate.identify(&proof).as_ref() == Some(&identity);
        let still = is_known.clone();
        let gone = async move {
            while still() {
                if exchanges.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        let (gone, is_known) = (Box::pin(gone), Box::new(is_known));
        Body::new(Self { body, way, gone, is_known, over: false })
    }
}

/// What a caller is told that is no longer known.
fn farewell() -> Status {
    Status::unauthenticated(
        "the token or certificate of this connection is no longer known to the coordinator: ask its owner for a new one",
    )
}

impl http_body::Body for Leave {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        if this.over {
            return Poll::Ready(None);
        }
        if this.gone.as_mut().poll(context).is_ready() {
            this.over = true;
            let mut trailers = HeaderMap::new();
            return Poll::Ready(Some(match (this.way, farewell().add_header(&mut trailers)) {
                (Way::Out, Ok(())) => Ok(Frame::trailers(trailers)),
                (Way::In, _) | (Way::Out, Err(_)) => Err(farewell()),
            }));
        }
        match Pin::new(&mut this.body).poll_frame(context) {
            // A caller that was told to leave hangs up, and that may be seen before the reason is.
            Poll::Ready(Some(Err(_))) if !(this.is_known)() => {
                this.over = true;
                Poll::Ready(Some(Err(farewell())))
            }
            polled => polled,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.over || self.body.is_end_stream()
    }
}
