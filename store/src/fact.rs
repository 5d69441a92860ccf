//! Facts: what is known for ever of a land, a tree or a node.

use std::fmt;

use sprig_domain::{Game, Node, TreeKey};
use sprig_engine::{CanonicalLand, Nimber};

/// Place of a fact in the order in which facts were committed: 0 for the first, without gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Sequence(pub u64);

/// How far a fact can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// A source says so.
    Claimed,
    /// Its step of the proof was checked against verified facts, or it was proved by a process of
    /// the owner. On disk it carries a seal.
    Verified,
}

/// The kinds of facts. Of each kind there is at most one fact about a subject.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The nimber of a land, in normal play.
    Nimber,
    /// The options of an RCT.
    Tree,
    /// The RCT of a land, in misère play.
    Rct,
    /// A node that is lost in misère play.
    Loss,
}

impl Kind {
    /// Every kind. The index of a kind is its byte on disk, so new ones go to the end.
    pub const ALL: [Self; 4] = [Self::Nimber, Self::Tree, Self::Rct, Self::Loss];
}

/// What is true of a subject.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The land has this nimber: the couple (land, nimber) is lost.
    Nimber(Nimber),
    /// The tree has these options, sorted.
    Options(Box<[TreeKey]>),
    /// The land has this RCT. The key says whether it has a factor 1.
    Rct(TreeKey),
    /// The node is lost.
    Loss,
}

impl Value {
    /// What kind of fact says this.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Nimber(_) => Kind::Nimber,
            Self::Options(_) => Kind::Tree,
            Self::Rct(_) => Kind::Rct,
            Self::Loss => Kind::Loss,
        }
    }
}

/// A subject, what is true of it, and how sure that is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fact {
    /// The game in which it is true. A tree is the same in every game.
    pub game: Game,
    /// For a nimber or an RCT, the canonical bytes of the land. For a tree, the bytes of its key,
    /// without factor 1. For a loss, [`Node::encode`].
    pub subject: Box<[u8]>,
    /// What is true of it.
    pub value: Value,
    /// Whether it was checked.
    pub status: Status,
}

impl Fact {
    /// A claim that the land with these canonical bytes has this nimber in Sprouts.
    #[must_use]
    pub fn nimber(land: &[u8], nimber: Nimber) -> Self {
        Self::claimed(land, Value::Nimber(nimber))
    }

    /// A claim that the RCT without factor 1 that has this key has these options, sorted.
    #[must_use]
    pub fn tree(tree: TreeKey, options: impl Into<Box<[TreeKey]>>) -> Self {
        Self::claimed(tree.as_bytes(), Value::Options(options.into()))
    }

    /// A claim that the land with these canonical bytes has this RCT in Sprouts.
    #[must_use]
    pub fn rct(land: &[u8], tree: TreeKey) -> Self {
        Self::claimed(land, Value::Rct(tree))
    }

    /// A claim that the node with these bytes ([`Node::encode`]) is lost in Sprouts.
    #[must_use]
    pub fn loss(node: &[u8]) -> Self {
        Self::claimed(node, Value::Loss)
    }

    fn claimed(subject: &[u8], value: Value) -> Self {
        Self { game: Game::Sprouts, subject: subject.into(), value, status: Status::Claimed }
    }

    /// The same fact in another game than Sprouts.
    #[must_use]
    pub fn of(self, game: Game) -> Self {
        Self { game, ..self }
    }

    /// The same fact as a verified one: its step was checked, or this process has proved it.
    #[must_use]
    pub fn verified(self) -> Self {
        Self { status: Status::Verified, ..self }
    }

    /// What kind of fact this is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.value.kind()
    }

    /// What is wrong with the form of the fact, if anything is. No other facts are needed to see
    /// that.
    pub(crate) fn flaw(&self) -> Option<String> {
        if self.subject.is_empty() {
            return Some("nothing that it is about".into());
        }
        let Value::Options(options) = &self.value else { return None };
        match (*self.subject).try_into() {
            Ok(key) => TreeKey::from_bytes(key).check(options).err().map(|e| e.to_string()),
            Err(_) => Some("a tree whose key is not of 16 bytes".into()),
        }
    }
}

/// A fact and its place in the order of commits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StoredFact {
    /// Its place.
    pub sequence: Sequence,
    /// The fact, with the status it has by now.
    pub fact: Fact,
}

/// A subject for people: notation or a key, or bytes in hexadecimal when it is neither.
pub struct Subject<'a>(pub Kind, pub &'a [u8]);

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(kind, bytes) = *self;
        match kind {
            Kind::Nimber | Kind::Rct => {
                if let Ok(land) = CanonicalLand::from_key(bytes) {
                    return write!(f, "land `{land}`");
                }
                f.write_str("land 0x")?;
            }
            Kind::Tree => f.write_str("tree ")?,
            Kind::Loss => {
                if let Ok(node) = Node::decode(bytes) {
                    return write!(f, "node `{node}`");
                }
                f.write_str("node 0x")?;
            }
        }
        bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nimber(nimber) => write!(f, "nimber {nimber}"),
            Self::Options(options) => write!(f, "options {options:?}"),
            Self::Rct(tree) => write!(f, "tree {tree}"),
            Self::Loss => f.write_str("lost"),
        }
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
