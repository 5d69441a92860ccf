//! What is wrong between two ends that do not agree about TLS, in words.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{
    self, AlertDescription as Alert, CertificateError as Bad, ClientConfig, RootCertStore,
};

use crate::ClientTls;

/// How long a coordinator may take to say what is wrong.
const WORD: Duration = Duration::from_secs(2);
/// What a client of HTTP/2 says first (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The first byte of an alert of TLS (RFC 8446, 5.1). No frame of HTTP/2 that comes first begins with it.
const ALERT: u8 = 21;

/// Why no encrypted connection comes about, as the client sees it. Trying again does not help.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TlsProblem {
    /// The client spoke plain text to a coordinator that speaks TLS, or to something else.
    #[error(
        "it does not speak plain HTTP/2; if it speaks TLS, write https:// and name its authority with --tls-ca FILE"
    )]
    Encrypted,
    /// The client spoke TLS to a coordinator that does not.
    #[error("it does not speak TLS: write http://")]
    Plain,
    /// Another authority.
    #[error("its certificate is of another authority than the one that --tls-ca names")]
    OtherAuthority,
    /// Too late, or too early.
    #[error(
        "its certificate has expired or is not valid yet; look at both clocks, else make a new one (`sprig certs DIR --renew`)"
    )]
    Expired,
    /// Another name.
    #[error(
        "its certificate is for another host; use the name that it was made for, or make one for this name (`sprig certs DIR --host HOST --renew`)"
    )]
    OtherHost,
    /// The coordinator's certificate is wrong in another way.
    #[error(
        "its certificate cannot be used as that of a coordinator; `sprig certs` makes one that can"
    )]
    Unfit,
    /// The coordinator wants to see a certificate.
    #[error("it wants a certificate of those who call: --tls-cert FILE and --tls-key FILE")]
    NoCertificate,
    /// The coordinator does not take the client's certificate.
    #[error(
        "it does not take our certificate: it is of another authority, has expired, or is none of a client"
    )]
    Refused,
}

impl TlsProblem {
    /// The problem that an error comes from, if it comes from one.
    pub fn behind(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref().and_then(Self::of) {
                return Some(found);
            }
            // The error inside an `io::Error` is not its source.
            let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            if let Some(found) = inner.and_then(|inner| Self::behind(inner)) {
                return Some(found);
            }
            next = error.source();
        }
        None
    }

    fn of(error: &rustls::Error) -> Option<Self> {
        Some(match error {
            rustls::Error::InvalidMessage(_) => Self::Plain,
            rustls::Error::InvalidCertificate(bad) => match bad {
                Bad::UnknownIssuer | Bad::BadSignature => Self::OtherAuthority,
                Bad::Expired
                | Bad::ExpiredContext { .. }
                | Bad::NotValidYet
                | Bad::NotValidYetContext { .. } => Self::Expired,
                Bad::NotValidForName | Bad::NotValidForNameContext { .. } => Self::OtherHost,
                _ => Self::Unfit,
            },
            rustls::Error::AlertReceived(alert) => match alert {
                Alert::CertificateRequired => Self::NoCertificate,
                Alert::UnknownCA
                | Alert::BadCertificate
                | Alert::UnsupportedCertificate
                | Alert::CertificateExpired
                | Alert::CertificateUnknown
                | Alert::CertificateRevoked
                | Alert::DecryptError
                | Alert::AccessDenied => Self::Refused,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// What the coordinator at `host` and `port` has against the client. It looks at a client's
    /// certificate only after the client has begun to speak, and then hangs up. A client that
    /// speaks HTTP/2 at once never reads the reason, so this one only listens.
    pub(crate) async fn heard(tls: &ClientTls, host: &str, port: u16) -> Option<Self> {
        let config = config(tls)?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let stream = TcpStream::connect((host.as_str(), port)).await.ok()?;
        let name = ServerName::try_from(host).ok()?;
        let mut stream = match TlsConnector::from(Arc::new(config)).connect(name, stream).await {
            Ok(stream) => stream,
            Err(error) => return Self::behind(&error),
        };
        match timeout(WORD, stream.read(&mut [0])).await {
            Ok(Err(error)) => Self::behind(&error),
            _ => None,
        }
    }

    /// Whether what takes connections at `host` and `port` answers plain HTTP/2 with an alert of TLS.
    pub(crate) async fn is_alarmed(host: &str, port: u16) -> bool {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let heard = async {
            let mut stream = TcpStream::connect((host, port)).await?;
            stream.write_all(PREFACE).await?;
            stream.read_u8().await
        };
        matches!(timeout(WORD, heard).await, Ok(Ok(ALERT)))
    }
}

/// The client's side as `tonic` makes it from the same texts.
fn config(tls: &ClientTls) -> Option<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for authority in CertificateDer::pem_slice_iter(tls.authority.as_bytes()) {
        roots.add(authority.ok()?).ok()?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().ok()?.with_root_certificates(roots);
    let mut config = match &tls.own {
        None => config.with_no_client_auth(),
        Some((certificates, key)) => {
            let chain = CertificateDer::pem_slice_iter(certificates.as_bytes());
            let chain = chain.collect::<Result<_, _>>().ok()?;
            let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).ok()?;
            config.with_client_auth_cert(chain, key).ok()?
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    Some(config)
}
