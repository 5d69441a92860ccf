//! Who may speak to whom: both ends name their build first, and one that does not fit is sent away with the remedy.

use sprig_engine::CANONICAL_VERSION;

/// Version of the messages. It changes whenever an old peer could misunderstand a new one.
pub const PROTOCOL_VERSION: u32 = 2;

/// A program that speaks the protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Build {
    /// Version of the messages.
    pub protocol: u32,
    /// Version of the canonical form of lands.
    pub canonical: u32,
    /// Program version and platform. Part of the provenance of facts; different builds may work together.
    pub id: String,
}

/// Two builds that must not work together.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{peer} speaks {what} {theirs}, this program ({here}) speaks {ours}: install the same version of sprig on both sides"
)]
pub struct Mismatch {
    /// Build of the peer.
    pub peer: String,
    /// Build of this program.
    pub here: String,
    /// Which version differs.
    pub what: &'static str,
    /// The peer's version.
    pub theirs: u32,
    /// This program's version.
    pub ours: u32,
}

impl Build {
    /// This program.
    pub fn here() -> Self {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let id = format!("sprig {} {os} {arch}", env!("CARGO_PKG_VERSION"));
        Self { protocol: PROTOCOL_VERSION, canonical: CANONICAL_VERSION, id }
    }

    /// Whether `self`, a peer, may work with this program.
    ///
    /// # Errors
    /// [`Mismatch`] when the protocol or the canonical form differs.
    pub fn check(&self) -> Result<(), Mismatch> {
        let here = Self::here();
        let versions = [
            ("protocol version", self.protocol, here.protocol),
            ("canonical form version", self.canonical, here.canonical),
        ];
        for (what, theirs, ours) in versions {
            if theirs != ours {
                return Err(Mismatch { peer: self.id.clone(), here: here.id, what, theirs, ours });
            }
        }
        Ok(())
    }
}

impl From<Mismatch> for tonic::Status {
    fn from(mismatch: Mismatch) -> Self {
        Self::failed_precondition(mismatch.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_versions_fit() {
        assert_eq!(Build::here().check(), Ok(()));
        assert_eq!(Build { id: "another".into(), ..Build::here() }.check(), Ok(()));
        let newer = Build { protocol: PROTOCOL_VERSION + 1, ..Build::here() };
        assert!(newer.check().unwrap_err().to_string().contains("protocol version"));
        let other = Build { canonical: CANONICAL_VERSION + 1, ..Build::here() };
        assert!(other.check().unwrap_err().to_string().contains("install the same version"));
    }
}
