//! Which builds may work together: both ends name their build first, and one that does not fit is
//! sent away with the remedy.

use std::fmt;

use sprig_engine::CANONICAL_VERSION;

/// The newest version of the messages that this program speaks. It grows whenever an old peer
/// could misunderstand a new one.
pub const PROTOCOL_VERSION: u32 = 3;

/// The oldest version that it understands.
pub const OLDEST_PROTOCOL: u32 = 3;

/// Versions from one to another, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Versions {
    /// The oldest.
    pub oldest: u32,
    /// The newest.
    pub newest: u32,
}

/// A program that speaks the protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Build {
    /// Versions of the messages that it understands.
    pub protocol: Versions,
    /// Version of the canonical form of lands.
    pub canonical: u32,
    /// Program version and platform. Part of the provenance of facts; different builds may work
    /// together.
    pub id: String,
}

/// Two builds that must not work together.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{peer} speaks {what} {theirs}, this program ({here}) speaks {ours}: {}", self.remedy())]
pub struct Mismatch {
    /// Build of the peer.
    pub peer: String,
    /// Build of this program.
    pub here: String,
    /// Which version differs.
    pub what: &'static str,
    /// The peer's versions.
    pub theirs: Versions,
    /// This program's versions.
    pub ours: Versions,
}

impl Versions {
    /// The range of one version only.
    const fn only(version: u32) -> Self {
        Self { oldest: version, newest: version }
    }

    /// Whether both ranges have a version in common.
    const fn meet(self, other: Self) -> bool {
        self.oldest <= other.newest && other.oldest <= self.newest
    }
}

/// `3`, or `3 to 5`.
impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { oldest, newest } = self;
        if oldest == newest { newest.fmt(f) } else { write!(f, "{oldest} to {newest}") }
    }
}

impl Build {
    /// This program.
    pub fn here() -> Self {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let id = format!("sprig {} {os} {arch}", env!("CARGO_PKG_VERSION"));
        let protocol = Versions { oldest: OLDEST_PROTOCOL, newest: PROTOCOL_VERSION };
        Self { protocol, canonical: CANONICAL_VERSION, id }
    }

    /// Whether `self`, a peer, may work with this program: a version of the messages is
    /// common to both, and they name lands
    /// alike.
    ///
    /// # Errors
    /// [`Mismatch`].
    pub fn check(&self) -> Result<(), Mismatch> {
        let here = Self::here();
        let (what, theirs, ours) = if !self.protocol.meet(here.protocol) {
            ("protocol version", self.protocol, here.protocol)
        } else if self.canonical != here.canonical {
            let versions = [self.canonical, here.canonical].map(Versions::only);
            ("canonical form version", versions[0], versions[1])
        } else {
            return Ok(());
        };
        Err(Mismatch { peer: self.id.clone(), here: here.id, what, theirs, ours })
    }
}

/// What the newer side is told.
const NEWER_THERE: &str = "install the newer sprig on the other side";
/// What the side that is older says.
const NEWER_HERE: &str = "install the newer sprig here";

impl Mismatch {
    /// The remedy: which of the two is to be replaced.
    fn remedy(&self) -> &'static str {
        if self.theirs.newest < self.ours.oldest { NEWER_THERE } else { NEWER_HERE }
    }

    /// Whether this program, which speaks with a peer, is the older one. `refusal` is what either
    /// of them said.
    pub fn is_here(refusal: &str, by_peer: bool) -> bool {
        refusal.ends_with(if by_peer { NEWER_THERE } else { NEWER_HERE })
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
    fn builds_fit_that_have_a_version_in_common() {
        let speaks = |oldest, newest| {
            let protocol = Versions { oldest, newest };
            Build { protocol, ..Build::here() }.check()
        };
        let (oldest, newest) = (OLDEST_PROTOCOL, PROTOCOL_VERSION);
        for (from, to) in
            [(oldest, newest), (newest, newest + 3), (oldest - 1, oldest), (1, newest + 1)]
        {
            assert_eq!(speaks(from, to), Ok(()));
        }
        let newer = speaks(newest + 1, newest + 2).unwrap_err().to_string();
        assert!(newer.contains("install the newer sprig here"), "{newer}");
        assert!(Mismatch::is_here(&newer, false) && !Mismatch::is_here(&newer, true));
        let older = speaks(oldest - 1, oldest - 1).unwrap_err().to_string();
        assert!(older.contains("speaks protocol version 2, "), "{older}");
        assert!(older.contains("install the newer sprig on the other side"), "{older}");
        assert_eq!(Build { id: "another".into(), ..Build::here() }.check(), Ok(()));
        let other = Build { canonical: CANONICAL_VERSION + 1, ..Build::here() };
        assert!(other.check().unwrap_err().to_string().contains("canonical form version"));
    }
}
