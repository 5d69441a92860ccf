//! The coordinator's side of TLS 1.3.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, version};

/// PEM text of the files of a coordinator.
#[derive(Clone)]
pub struct ServerTls {
    /// Its certificate, with the chain below the authority.
    pub certificate: String,
    /// The key of the certificate.
    pub key: String,
    /// Certificates of the authorities that vouch for clients; `None`: clients show tokens.
    pub clients: Option<String>,
}

/// Why certificates cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the {what} cannot be used: {reason}; `sprig certs` makes a set that fits")]
pub struct TlsError {
    what: &'static str,
    reason: String,
}

impl ServerTls {
    /// Looks whether a coordinator could start with its certificate and key, which must belong
    /// together. The authority of the clients is not looked at.
    ///
    /// # Errors
    /// What would keep the coordinator from starting.
    pub fn check(&self) -> Result<(), TlsError> {
        Acceptor::new(self, None).map(|_| ())
    }
}

/// Takes in encrypted connections.
#[derive(Clone)]
pub(super) struct Acceptor(pub(super) TlsAcceptor);

/// What checks the certificates of clients; `None`: they show tokens. With `tokens`, a client may
/// come without a certificate and show a token.
pub(super) fn authority(
    tls: &ServerTls,
    tokens: bool,
) -> Result<Option<Arc<dyn ClientCertVerifier>>, TlsError> {
    let Some(authority) = &tls.clients else { return Ok(None) };
    let what = "authority of the clients";
    let mut roots = RootCertStore::empty();
    for certificate in certificates(what, authority)? {
        roots.add(certificate).map_err(|e| failed(what, e))?;
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let verifier = if tokens { verifier.allow_unauthenticated() } else { verifier };
    Ok(Some(verifier.build().map_err(|e| failed(what, e))?))
}

impl Acceptor {
    /// Takes in connections with the coordinator's certificate; `authority` checks those of
    /// clients.
    pub(super) fn new(
        tls: &ServerTls,
        authority: Option<Arc<dyn ClientCertVerifier>>,
    ) -> Result<Self, TlsError> {
        let chain = certificates("certificate of the coordinator", &tls.certificate)?;
        let what = "key of the coordinator";
        let key = PrivateKeyDer::from_pem_slice(tls.key.as_bytes()).map_err(|e| failed(what, e))?;
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&version::TLS13])
            .map_err(|e| failed("version of TLS", e))?;
        let builder = match authority {
            None => builder.with_no_client_auth(),
            Some(authority) => builder.with_client_cert_verifier(authority),
        };
        let mut config = builder.with_single_cert(chain, key).map_err(|e| failed(what, e))?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }
}

fn certificates(what: &'static str, pem: &str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let all: Vec<_> = CertificateDer::pem_slice_iter(pem.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|e| failed(what, e))?;
    if all.is_empty() { Err(failed(what, "it holds no certificate")) } else { Ok(all) }
}

fn failed(what: &'static str, reason: impl ToString) -> TlsError {
    TlsError { what, reason: reason.to_string() }
}
