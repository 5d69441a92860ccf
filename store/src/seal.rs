//! The seal of a verified fact: a keyed hash under a secret of the owner, which lies outside the
//! database.
//!
//! A bit that says "verified" can be written by every program. A seal can be made only with the
//! secret. So a fact that carries a right seal was marked as verified by the owner, in whatever
//! copy of the database it is found.

use std::fmt;

use sprig_domain::Game;

use crate::fact::{Kind, Value};

/// Bytes of a secret.
const SECRET: usize = 32;

/// Bytes of a seal. To forge one by trying takes 2^63 attempts at opening the database.
pub(crate) const TAG: usize = 8;

/// What keys are derived for. A key for one purpose says nothing about the others.
const OF_FACTS: &str = "Sprig 2026-11-22 seal of a verified fact";
const OF_REIGNS: &str = "Sprig 2026-11-24 proof of a reign";
const OF_NAME: &str = "Sprig 2026-11-22 name of a seal key";

/// What the owner of a database has and others do not. It never lies inside a database.
#[derive(Clone)]
pub struct Secret([u8; SECRET]);

/// The name of a secret: a hash, from which the secret does not follow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeyId(pub(crate) [u8; 8]);

/// Bytes of a seal, at the end of a sealed record.
pub(crate) type Tag = [u8; TAG];

/// Seals facts, and recognizes its own seals.
pub(crate) struct Seal {
    key: [u8; 32],
    reigns: [u8; 32],
    pub(crate) id: KeyId,
}

impl Secret {
    /// How many bytes a secret has.
    pub const BYTES: usize = SECRET;

    /// The secret with these bytes.
    #[must_use]
    pub const fn new(bytes: [u8; SECRET]) -> Self {
        Self(bytes)
    }

    /// A random secret that is never kept, for a database that ends with its process.
    ///
    /// # Panics
    /// When the system has no random numbers; then nothing that needs a secret can be done.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = [0; SECRET];
        getrandom::fill(&mut bytes).expect("the system has random numbers");
        Self(bytes)
    }

    /// The bytes. They must be kept where others cannot read them.
    #[must_use]
    pub fn bytes(&self) -> &[u8; SECRET] {
        &self.0
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> KeyId {
        let hash = blake3::derive_key(OF_NAME, &self.0);
        KeyId(*hash.first_chunk().expect("a hash is longer"))
    }
}

impl Seal {
    pub(crate) fn new(secret: &Secret) -> Self {
        let [key, reigns] = [OF_FACTS, OF_REIGNS].map(|of| blake3::derive_key(of, &secret.0));
        Self { key, reigns, id: secret.id() }
    }

    /// The proof that the owner has promoted a follower to this reign of a line.
    pub(crate) fn proof(&self, line: u64, number: u64) -> [u8; 32] {
        let text = [line.to_le_bytes(), number.to_le_bytes()].concat();
        *blake3::keyed_hash(&self.reigns, &text).as_bytes()
    }

    /// The seal of the fact that `subject` has `value` in a game. The kind stands for the play:
    /// each has its own.
    pub(crate) fn tag(&self, game: Game, subject: &[u8], value: &Value) -> Tag {
        let kind: Kind = value.kind();
        let mut text = Vec::with_capacity(2 * SECRET + subject.len());
        text.push(kind as u8);
        text.extend(kind.rules(game));
        // The length stands in front, so that no two facts make the same text.
        text.extend((subject.len() as u64).to_le_bytes());
        text.extend(subject);
        match value {
            Value::Nimber(nimber) => text.push(nimber.get()),
            Value::Options(options) => options.iter().for_each(|key| text.extend(key.as_bytes())),
            Value::Rct(tree) => text.extend(tree.as_bytes()),
            Value::Loss => {}
        }
        let hash = blake3::keyed_hash(&self.key, &text);
        *hash.as_bytes().first_chunk().expect("a hash is longer")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", self.id())
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
