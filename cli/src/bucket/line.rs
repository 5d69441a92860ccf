//! How requests go to storage: by this program's own client, as a second client would bring another
//! TLS library.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::Response;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::dial::{Broken, Dialer};

/// How long a server may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// Connects the storage client to its server.
#[derive(Debug)]
pub struct Line;

impl HttpConnector for Line {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let failed = |error: anyhow::Error| object_store::Error::Generic {
            store: "S3",
            source: error.into(),
        };
        Ok(HttpClient::new(Way(Arc::new(Dialer::new().map_err(failed)?))))
    }
}

struct Way(Arc<Dialer>);

impl std::fmt::Debug for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Way")
    }
}

/// The result of a request, in the type that the trait wants.
type Called<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for Way {
    fn call<'life, 'call>(&'life self, request: HttpRequest) -> Called<'call>
    where
        'life: 'call,
        Self: 'call,
    {
        Box::pin(async move {
            match timeout(SILENCE, self.0.send(request)).await {
                Ok(Ok(response)) => Ok(heard(response)),
                Ok(Err(Broken::Connect(error))) => {
                    Err(HttpError::new_boxed(HttpErrorKind::Connect, error.into()))
                }
                Ok(Err(Broken::Lost(error))) => {
                    Err(HttpError::new(HttpErrorKind::Interrupted, error))
                }
                Err(late) => Err(HttpError::new(HttpErrorKind::Timeout, late)),
            }
        })
    }
}

fn heard(response: Response<Incoming>) -> HttpResponse {
    let body = |incoming| Heard { incoming, silence: Box::pin(sleep(SILENCE)) };
    response.map(|incoming| HttpResponseBody::new(body(incoming)))
}

/// A body that fails when the server is silent for too long.
struct Heard {
    incoming: Incoming,
    silence: Pin<Box<Sleep>>,
}

impl Body for Heard {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.incoming).poll_frame(cx) {
            self.silence.as_mut().reset(Instant::now() + SILENCE);
            let lost = |error| HttpError::new(HttpErrorKind::Interrupted, error);
            return Poll::Ready(frame.map(|frame| frame.map_err(lost)));
        }
        ready!(self.silence.as_mut().poll(cx));
        let silent = std::io::Error::from(std::io::ErrorKind::TimedOut);
        Poll::Ready(Some(Err(HttpError::new(HttpErrorKind::Timeout, silent))))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
