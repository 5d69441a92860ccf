//! Calls of people who show tokens of their own over a connection of this process.

use tonic::Code;
use tonic::transport::Channel;

use crate::access::showing;
use crate::reach::{Patience, not_greeted, patiently};
use crate::{Access, Client, ClientError, ClientTls, TlsProblem, Token};

/// A connection over which each visitor shows a token of its own.
///
/// It has neither the token nor the certificate of this process. A coordinator that knows nothing
/// of a visitor's token looks at the certificate of the connection, and would take the visitor for
/// this process.
#[derive(Clone, Debug)]
pub struct Visitors(Channel);

impl Visitors {
    /// Connects to the coordinator at `url`, which should be there already. Of `access`, its own
    /// token and certificate are left out.
    ///
    /// # Errors
    /// As for [`Client::connect_to_running`], also where a token would travel in clear;
    /// [`ClientError::NoTokens`] if the coordinator does not ask for tokens.
    pub async fn connect(url: &str, access: &Access) -> Result<Self, ClientError> {
        let tls = access.tls.clone().map(|tls| ClientTls { own: None, ..tls });
        let access = Access { tls, token: None, ..access.clone() };
        let (channel, endpoint) = patiently(access.way(url, true)?, url, Patience::Running).await?;
        let no_tokens = || ClientError::NoTokens { url: url.to_owned() };
        let status = match Client::on(access.line(channel.clone())).greet().await {
            Ok(_) => return Err(no_tokens()),
            Err(status) => status,
        };
        if status.code() == Code::Unauthenticated {
            return Ok(Self(channel));
        }
        match not_greeted(status, url, &access, &endpoint).await {
            ClientError::Tls { problem: TlsProblem::NoCertificate, .. } => Err(no_tokens()),
            error => Err(error),
        }
    }

    /// A client that shows the token of a visitor.
    #[must_use]
    pub fn client(&self, token: Token) -> Client {
        Client::on(showing(self.0.clone(), Some(token)))
    }
}
