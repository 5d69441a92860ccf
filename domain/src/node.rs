//! Nodes of a misère search, in the one form in which they are stored and sent.

use std::fmt;

use sprig_engine::{CanonicalLand, CanonicalPosition};

use crate::tree_key::TreeKey;
use crate::varint::{put_varint, take_varint};

/// The sum of lands whose RCT is not known, of 0 or 1, and of RCTs.
///
/// The RCTs have no factor 1 and none of them is empty: their factors are gathered in the 0 or 1.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    lands: CanonicalPosition,
    one: bool,
    trees: Vec<TreeKey>,
}

impl Node {
    /// The sum of `lands` and `trees`, which may have factors 1, and of 1 if `one`.
    #[must_use]
    pub fn new(
        lands: CanonicalPosition,
        one: bool,
        trees: impl IntoIterator<Item = TreeKey>,
    ) -> Self {
        let mut node = Self { lands, one, trees: Vec::new() };
        for tree in trees {
            node.one ^= tree.has_factor();
            node.trees.push(tree.without_factor());
        }
        node.trees.retain(|&tree| tree != TreeKey::ZERO);
        node.trees.sort_unstable();
        node
    }

    /// Whether this is just the position.
    #[must_use]
    pub fn is(&self, position: &CanonicalPosition) -> bool {
        self.lands == *position && !self.one && self.trees.is_empty()
    }

    /// The lands whose RCT is not known.
    #[must_use]
    pub fn lands(&self) -> &CanonicalPosition {
        &self.lands
    }

    /// Whether there is a 1.
    #[must_use]
    pub fn one(&self) -> bool {
        self.one
    }

    /// The RCTs, sorted; equal ones stand side by side.
    #[must_use]
    pub fn trees(&self) -> &[TreeKey] {
        &self.trees
    }

    /// The bytes of the node: `docs/store-format.md` draws them. Equal nodes have equal bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_varint(&mut out, self.lands.lands().len() as u64);
        for land in self.lands.lands() {
            put_varint(&mut out, land.key().len() as u64);
            out.extend_from_slice(land.key());
        }
        out.push(self.one.into());
        self.trees.iter().for_each(|tree| out.extend_from_slice(tree.as_bytes()));
        out
    }

    /// Checks bytes from outside and takes them if they are those of a node. That says nothing
    /// about its outcome.
    ///
    /// # Errors
    /// When they are not exactly what [`Node::encode`] makes.
    pub fn decode(bytes: &[u8]) -> Result<Self, NodeError> {
        let node = Self::read(bytes).map_err(|reason| NodeError { reason })?;
        if node.encode() == bytes {
            return Ok(node);
        }
        Err(NodeError { reason: "its parts are not sorted or not reduced".into() })
    }

    fn read(mut bytes: &[u8]) -> Result<Self, String> {
        let mut lands = Vec::new();
        for _ in 0..take_length(&mut bytes)? {
            let length = take_length(&mut bytes)?;
            let (key, rest) = bytes.split_at_checked(length).ok_or(SHORT)?;
            bytes = rest;
            lands.push(CanonicalLand::from_key(key).map_err(|e| e.to_string())?);
        }
        let (one, rest) = match bytes.split_first().ok_or(SHORT)? {
            (0, rest) => (false, rest),
            (1, rest) => (true, rest),
            (other, _) => return Err(format!("byte {other} stands where 0 or 1 should")),
        };
        let (trees, []) = rest.as_chunks() else { return Err(SHORT.into()) };
        let trees = trees.iter().copied().map(TreeKey::from_bytes);
        Ok(Self::new(CanonicalPosition::from_lands(lands), one, trees))
    }
}

/// `POSITION 0 KEY ..`.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.lands, u8::from(self.one))?;
        self.trees.iter().try_for_each(|tree| write!(f, " {tree}"))
    }
}

/// Bytes that are no node of a search.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("bytes are refused as a node of misère play: {reason}")]
pub struct NodeError {
    /// What is wrong with them.
    pub reason: String,
}

const SHORT: &str = "it ends in the middle";

/// The length of a list or of a land.
fn take_length(bytes: &mut &[u8]) -> Result<usize, String> {
    let length = take_varint(bytes).ok_or(SHORT)?;
    // No list and no land is as long as that.
    usize::try_from(length)
        .ok()
        .filter(|&length| length < 1 << 28)
        .ok_or_else(|| "it has an impossible length".into())
}
