//! Files from the web, by one connection and one request for each file.

use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response, StatusCode, Uri, header};
use tokio::time::timeout;

use crate::dial::{Broken, Dialer};
use crate::failure::{Usage, escaped};

/// How long a server may be silent.
const SILENCE: Duration = Duration::from_secs(60);
/// How often a server may redirect a request.
const ELSEWHERE: usize = 5;

/// A folder on the web.
pub struct Web {
    /// The address of the folder, which ends in a slash.
    base: Uri,
    dialer: Dialer,
}

/// A file on its way.
pub struct Coming {
    /// The byte where the body begins: the one that was asked for, or 0 if the server sends the
    /// whole file again.
    pub from: u64,
    body: Incoming,
    address: String,
}

impl Web {
    /// The folder at an address. The address may also name its page or its manifest.
    ///
    /// # Errors
    /// [`Usage`] when the text is no address.
    pub fn at(address: &str) -> anyhow::Result<Self> {
        let usage = |why: &str| Usage(format!("`{}` {why}", escaped(address)));
        let folder = address.split(['?', '#']).next().unwrap_or_default();
        let folder = [super::manifest::NAME, super::page::NAME]
            .iter()
            .find_map(|name| folder.strip_suffix(name).filter(|rest| rest.ends_with('/')))
            .unwrap_or(folder);
        let base = format!("{}/", folder.trim_end_matches('/'));
        let base: Uri = base.parse().map_err(|_| usage("is no address"))?;
        let has_host = base.host().is_some_and(|host| !host.is_empty());
        if !has_host || !matches!(base.scheme_str(), Some("http" | "https")) {
            return Err(usage("begins with neither http:// nor https:// and a host").into());
        }
        Ok(Self { base, dialer: Dialer::new()? })
    }

    /// Begins to fetch a file of the folder, from a byte on.
    ///
    /// # Errors
    /// When the server cannot be reached, or does not have the file.
    pub async fn open(&self, name: &str, from: u64) -> anyhow::Result<Coming> {
        let mut uri: Uri = format!("{}{name}", self.base).parse()?;
        for _ in 0..=ELSEWHERE {
            let address = uri.to_string();
            let asked = timeout(SILENCE, self.ask(&uri, from));
            let response = asked.await.map_err(|_| silent(&address))?;
            let response = response.with_context(|| format!("cannot fetch {address}"))?;
            match response.status() {
                StatusCode::OK => {
                    return Ok(Coming { from: 0, body: response.into_body(), address });
                }
                StatusCode::PARTIAL_CONTENT => {
                    let begins = response.headers().get(header::CONTENT_RANGE);
                    let begins = begins.and_then(|range| range.to_str().ok());
                    let wanted = format!("bytes {from}-");
                    let is_wanted = begins.is_some_and(|range| range.starts_with(&wanted));
                    ensure!(is_wanted, "{address} sends another part than was asked for");
                    return Ok(Coming { from, body: response.into_body(), address });
                }
                // The server has no more bytes than were fetched, so the file cannot be what was
                // wanted.
                StatusCode::RANGE_NOT_SATISFIABLE if from > 0 => {
                    bail!("{address} is shorter than what was fetched of it")
                }
                status if status.is_redirection() => uri = moved(&uri, &response)?,
                status => bail!("{address} answers {status}; check the address"),
            }
        }
        bail!("{}{name} leads elsewhere more than {ELSEWHERE} times", self.base)
    }

    async fn ask(&self, uri: &Uri, from: u64) -> anyhow::Result<Response<Incoming>> {
        let mut request = Request::get(uri)
            .header(header::USER_AGENT, concat!("sprig/", env!("CARGO_PKG_VERSION")))
            // A body with another encoding could not be counted in bytes of the file.
            .header(header::ACCEPT_ENCODING, "identity");
        if from > 0 {
            request = request.header(header::RANGE, format!("bytes={from}-"));
        }
        match self.dialer.send(request.body(Empty::<Bytes>::new())?).await {
            Ok(response) => Ok(response),
            Err(Broken::Connect(error)) => Err(error),
            Err(Broken::Lost(error)) => Err(error.into()),
        }
    }
}

impl Coming {
    /// The next bytes, or none at the end.
    ///
    /// # Errors
    /// When the connection is lost.
    pub async fn next(&mut self) -> anyhow::Result<Option<Bytes>> {
        loop {
            let frame = timeout(SILENCE, self.body.frame()).await;
            let Some(frame) = frame.map_err(|_| silent(&self.address))? else { return Ok(None) };
            let lost =
                || format!("{} broke off; the same command goes on from there", self.address);
            if let Ok(bytes) = frame.with_context(lost)?.into_data() {
                return Ok(Some(bytes));
            }
        }
    }
}

fn silent(address: &str) -> anyhow::Error {
    let seconds = SILENCE.as_secs();
    anyhow!("{address} was silent for {seconds} seconds; the same command goes on from there")
}

/// The address to which a response redirects. A redirection never leads from TLS to a connection
/// that others can change.
fn moved(from: &Uri, response: &Response<Incoming>) -> anyhow::Result<Uri> {
    let location = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
    let location = location.with_context(|| format!("{from} leads nowhere"))?;
    let to: Uri = location.parse().with_context(|| format!("{from} leads to no address"))?;
    let mut parts = to.into_parts();
    parts.scheme = parts.scheme.or_else(|| from.scheme().cloned());
    parts.authority = parts.authority.or_else(|| from.authority().cloned());
    let to = Uri::from_parts(parts).with_context(|| format!("{from} leads to no address"))?;
    let is_safe = to.scheme_str() == Some("https")
        || (to.scheme_str() == Some("http") && from.scheme_str() == Some("http"));
    ensure!(is_safe, "{from} leads to {to}, over a connection that is not protected");
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_and_its_manifest_mean_the_folder() {
        for address in
            ["http://a.example/x", "http://a.example/x/", "http://a.example/x/index.html"]
        {
            let web = Web::at(address).unwrap_or_else(|e| panic!("{address}: {e}"));
            assert_eq!(web.base, "http://a.example/x/", "{address}");
        }
        let root = Web::at("https://a.example:8443/manifest.json").expect("an address");
        assert_eq!(root.base, "https://a.example:8443/");
        for address in ["", "facts", "ftp://a.example/", "http://", "http:///x", "http://a b/"] {
            assert!(Web::at(address).is_err(), "{address}");
        }
    }
}
