//! The tokens and certificates that count now. They can be exchanged while calls are open.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::sync::watch;
use tokio_rustls::rustls::pki_types::{CertificateDer, UnixTime};
use tokio_rustls::rustls::server::danger::ClientCertVerifier;

use super::tls::{self, Acceptor};
use super::{Identity, Protection, TlsError, Tokens, certificate};

/// The gate in use. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Gate(Arc<Inner>);

struct Inner {
    /// Whether every caller must prove who it is.
    closed: bool,
    encrypted: bool,
    /// The keys in use. Every connection and call reads them; they are exchanged as a whole.
    keys: RwLock<Arc<Keys>>,
    /// How often the keys were exchanged. Open calls watch this.
    exchanges: watch::Sender<u64>,
}

/// What is asked of clients that connect.
#[derive(Default)]
struct Keys {
    acceptor: Option<Acceptor>,
    /// Checks the certificates of clients.
    authority: Option<Arc<dyn ClientCertVerifier>>,
    tokens: Option<Tokens>,
}

/// The certificates that a client has shown.
#[derive(Debug)]
pub(super) struct Shown {
    /// The certificates, the client's own first.
    chain: Vec<CertificateDer<'static>>,
    /// The identity that they prove, with the number of exchanges after which that was found. It is
    /// kept because checking signatures takes time, and each call asks.
    known: Mutex<Option<(u64, Option<Identity>)>>,
}

/// How a caller has proved who it is. Holds no secret.
#[derive(Clone, Debug)]
pub(super) enum Proof {
    /// By a token with this hash.
    Token(blake3::Hash),
    /// By certificates.
    Certificate(Arc<Shown>),
}

impl Proof {
    /// The certificates of a client that TLS has let in.
    pub(super) fn certificate(chain: &[CertificateDer<'_>]) -> Self {
        let chain = chain.iter().map(|der| der.clone().into_owned()).collect();
        Self::Certificate(Arc::new(Shown { chain, known: Mutex::default() }))
    }
}

/// Why new tokens or certificates were not taken. The old ones count on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReloadError {
    /// They cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Callers cannot be asked for proof where they were asked for none before, or the other way
    /// round.
    #[error(
        "whether connections are encrypted and callers must be known cannot change while it runs: start it again"
    )]
    OtherKind,
}

impl Keys {
    fn new(protection: Protection) -> Result<Self, TlsError> {
        let Protection { tls, tokens } = protection;
        let Some(tls) = tls else { return Ok(Self { tokens, ..Self::default() }) };
        let authority = tls::authority(&tls, tokens.is_some())?;
        let acceptor = Some(Acceptor::new(&tls, authority.clone())?);
        Ok(Self { acceptor, authority, tokens })
    }

    /// The identity that certificates prove. They were checked when the connection began, perhaps
    /// by another authority than the one that counts now.
    fn vouch(&self, chain: &[CertificateDer<'_>]) -> Option<Identity> {
        let (own, others) = chain.split_first()?;
        self.authority.as_ref()?.verify_client_cert(own, others, UnixTime::now()).ok()?;
        certificate::identity(own)
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("closed", &self.0.closed).finish_non_exhaustive()
    }
}

impl Gate {
    /// Reads the certificates.
    pub(crate) fn new(protection: Protection) -> Result<Self, TlsError> {
        let closed = protection.is_closed();
        let keys = Keys::new(protection)?;
        let encrypted = keys.acceptor.is_some();
        let (keys, exchanges) = (RwLock::new(Arc::new(keys)), watch::Sender::new(0));
        Ok(Self(Arc::new(Inner { closed, encrypted, keys, exchanges })))
    }

    /// Whether connections are encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.encrypted
    }

    /// Whether every caller must prove who it is.
    pub(super) fn is_closed(&self) -> bool {
        self.0.closed
    }

    /// From now on these tokens and certificates count. Open calls of callers that they do not know
    /// end.
    pub(crate) fn exchange(&self, protection: Protection) -> Result<(), ReloadError> {
        let closed = protection.is_closed();
        let keys = Keys::new(protection)?;
        if (closed, keys.acceptor.is_some()) != (self.0.closed, self.0.encrypted) {
            return Err(ReloadError::OtherKind);
        }
        *self.0.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
        self.0.exchanges.send_modify(|times| *times += 1);
        Ok(())
    }

    /// Tells of every exchange from now on.
    pub(super) fn exchanges(&self) -> watch::Receiver<u64> {
        self.0.exchanges.subscribe()
    }

    fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.0.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What encrypts the next connection; `None`: it is not encrypted.
    pub(super) fn acceptor(&self) -> Option<Acceptor> {
        self.keys().acceptor.clone()
    }

    /// The identity that a proof proves now.
    pub(super) fn identify(&self, proof: &Proof) -> Option<Identity> {
        // The count is read before the keys. So an identity found with newer keys may be looked up
        // once more than needed, and one found with older keys never lasts.
        let now = *self.0.exchanges.borrow();
        let keys = self.keys();
        match proof {
            Proof::Token(hash) => keys.tokens.as_ref()?.find(hash).cloned(),
            Proof::Certificate(shown) => {
                let mut known = shown.known.lock().unwrap_or_else(PoisonError::into_inner);
                match &*known {
                    Some((then, identity)) if *then == now => identity.clone(),
                    _ => {
                        let identity = keys.vouch(&shown.chain);
                        *known = Some((now, identity.clone()));
                        identity
                    }
                }
            }
        }
    }

    /// Whether a token would count here.
    pub(super) fn takes_tokens(&self) -> bool {
        self.keys().tokens.is_some()
    }
}
