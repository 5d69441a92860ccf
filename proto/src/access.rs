//! How each end proves its identity to the other: roles, tokens, and the client's side of TLS.
//! `docs/security.md` says what each role may do.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

use crate::Network;

/// What a peer may do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Ask what is known and what goes on.
    Read,
    /// Read, and give and take back work.
    Submit,
    /// Take leases and report facts.
    Worker,
    /// Keep a copy of the database.
    Follower,
    /// Everything.
    Admin,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 5] =
        [Self::Read, Self::Submit, Self::Worker, Self::Follower, Self::Admin];

    /// Its name in token files and certificates.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Submit => "submit",
            Self::Worker => "worker",
            Self::Follower => "follower",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Not the name of a role.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no role; roles are read, submit, worker, follower and admin")]
pub struct NoRole(pub String);

impl FromStr for Role {
    type Err = NoRole;

    fn from_str(text: &str) -> Result<Self, NoRole> {
        let role = Self::ALL.into_iter().find(|role| role.name() == text);
        role.ok_or_else(|| NoRole(text.to_owned()))
    }
}

/// Fewest characters of a token, so that it cannot be guessed.
pub const TOKEN_CHARS: usize = 32;

/// A secret that a client shows with each call. Its text appears in no log.
#[derive(Clone)]
pub struct Token(MetadataValue<Ascii>);

/// Why a text is no token. The message does not quote it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a token has at least {TOKEN_CHARS} letters, digits, `-` or `_`; `sprig token` makes one")]
pub struct BadToken;

impl Token {
    /// Checks the text of a token.
    ///
    /// # Errors
    /// [`BadToken`].
    pub fn new(text: &str) -> Result<Self, BadToken> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if text.len() < TOKEN_CHARS || text.len() > 1024 || !text.chars().all(plain) {
            return Err(BadToken);
        }
        let mut value = MetadataValue::try_from(format!("Bearer {text}")).map_err(|_| BadToken)?;
        value.set_sensitive(true);
        Ok(Self(value))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// The client's side of TLS, as PEM text.
#[derive(Clone)]
pub struct ClientTls {
    /// Certificates of the authorities that may vouch for a coordinator.
    pub authority: String,
    /// The client's own certificate and its key, when the coordinator wants one.
    pub own: Option<(String, String)>,
}

impl fmt::Debug for ClientTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTls").field("own", &self.own.is_some()).finish_non_exhaustive()
    }
}

/// How a client or worker gets in. The default is for a coordinator on this machine without any
/// protection.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Encryption; `None` for plain text.
    pub tls: Option<ClientTls>,
    /// The token that is shown with each call.
    pub token: Option<Token>,
    /// Whether to show the token even where others could read it on its way.
    pub insecure: bool,
    /// What carries the connections.
    pub network: Network,
}

/// Why a coordinator cannot be asked at an address.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AddressError {
    /// Not an address.
    #[error("`{0}` is not the address of a coordinator: write it like http://127.0.0.1:7425")]
    NoAddress(String),
    /// The address and the given files do not fit together.
    #[error("{0} wants TLS: say whom to trust with --tls-ca FILE")]
    NoAuthority(String),
    /// The address and the given files do not fit together.
    #[error("{0} is not encrypted, but TLS files were given: write https://")]
    NotEncrypted(String),
    /// Others could read the token.
    #[error(
        "a token would travel to {0} for everybody to read: use https:// and --tls-ca, or say --insecure if the network is yours"
    )]
    TokenInClear(String),
    /// A certificate or key cannot be used.
    #[error("the TLS files cannot be used: {0}; `sprig certs` makes a set that fits")]
    Tls(String),
}

/// A channel that shows the token.
pub type Line = InterceptedService<Channel, Bearer>;

/// Shows the token with each call.
#[derive(Clone, Debug)]
pub struct Bearer(Option<Token>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(Token(value)) = &self.0 {
            request.metadata_mut().insert("authorization", value.clone());
        }
        Ok(request)
    }
}

impl Access {
    /// The way to the coordinator at `url`. Checks that it keeps the secrets.
    ///
    /// # Errors
    /// [`AddressError`].
    pub fn endpoint(&self, url: &str) -> Result<Endpoint, AddressError> {
        self.way(url, self.token.is_some())
    }

    /// As for [`Self::endpoint`]; `shows` says whether calls will show tokens.
    pub(crate) fn way(&self, url: &str, shows: bool) -> Result<Endpoint, AddressError> {
        let bad = || AddressError::NoAddress(url.to_owned());
        let endpoint = Endpoint::from_shared(url.to_owned()).map_err(|_| bad())?;
        let host = endpoint.uri().host().ok_or_else(bad)?.to_owned();
        match (endpoint.uri().scheme_str(), &self.tls) {
            (Some("https"), Some(tls)) => {
                let mut config =
                    ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&tls.authority));
                if let Some((certificate, key)) = &tls.own {
                    config = config.identity(Identity::from_pem(certificate, key));
                }
                endpoint.tls_config(config).map_err(|e| AddressError::Tls(innermost(&e)))
            }
            (Some("https"), None) => Err(AddressError::NoAuthority(url.into())),
            (Some("http"), Some(_)) => Err(AddressError::NotEncrypted(url.into())),
            (Some("http"), None) => {
                if shows && !self.insecure && !is_loopback(&host) {
                    return Err(AddressError::TokenInClear(url.into()));
                }
                Ok(endpoint)
            }
            _ => Err(bad()),
        }
    }

    /// The channel, with the token on every call.
    pub fn line(&self, channel: Channel) -> Line {
        showing(channel, self.token.clone())
    }
}

/// The channel, with this token on every call, or without any.
pub(crate) fn showing(channel: Channel, token: Option<Token>) -> Line {
    InterceptedService::new(channel, Bearer(token))
}

pub(crate) fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    address.map_or(host == "localhost", |address| address.is_loopback())
}

/// What the network said, without the layers above it.
pub fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_and_plain_and_never_printed() {
        assert_eq!(Token::new("short").unwrap_err(), BadToken);
        assert_eq!(Token::new(&" ".repeat(40)).unwrap_err(), BadToken);
        let secret = "s3cret".repeat(8);
        let token = Token::new(&secret).expect("long enough");
        let access = Access { token: Some(token), ..Access::default() };
        let request = access.line_request();
        assert!(!format!("{access:?} {request:?}").contains("s3cret"));
    }

    impl Access {
        fn line_request(&self) -> Request<()> {
            Bearer(self.token.clone()).call(Request::new(())).expect("it lets all through")
        }
    }

    #[test]
    fn a_token_goes_nowhere_in_clear_by_accident() {
        let token = Token::new(&"t".repeat(TOKEN_CHARS)).expect("long enough");
        let mut access = Access { token: Some(token), ..Access::default() };
        for near in ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"] {
            access.endpoint(near).expect(near);
        }
        let far = "http://10.0.0.1:1";
        assert_eq!(access.endpoint(far).unwrap_err(), AddressError::TokenInClear(far.into()));
        let visited = Access::default();
        visited.endpoint(far).expect("it shows no token");
        assert_eq!(visited.way(far, true).unwrap_err(), AddressError::TokenInClear(far.into()));
        access.insecure = true;
        access.endpoint(far).expect("as was said");
        let tls = "https://10.0.0.1:1";
        assert_eq!(access.endpoint(tls).unwrap_err(), AddressError::NoAuthority(tls.into()));
        for nonsense in ["", "http://", "ftp://10.0.0.1", "nonsense"] {
            let error = access.endpoint(nonsense).unwrap_err();
            assert_eq!(error, AddressError::NoAddress(nonsense.into()));
        }
    }
}
