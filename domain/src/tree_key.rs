//! Content keys, which identify a tree outside the process.

use std::fmt;

/// The content key of an RCT: equal for equal trees, in every process and at every time.
///
/// 127 bits of the BLAKE3 hash of the sorted content keys of the options of the tree without its
/// factor 1; the last bit is that factor. Why a collision cannot lead to a wrong proof:
/// `docs/misere.md`, "Identity by content".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeKey([u8; 16]);

/// The beginning of every hashed message. No other use of the hash function makes the same
/// messages.
const DOMAIN: &[u8] = b"sprig reduced canonical tree 1\n";
const FACTOR: u8 = 1;

impl TreeKey {
    /// The key of the empty tree, the Nim-heap 0.
    pub const ZERO: Self = Self(0xacdc_1b29_3a2e_906c_13ad_eb3c_6af4_a654u128.to_be_bytes());

    /// The key of the tree, without factor 1, that has these options.
    ///
    /// `options` are sorted and all different. The key does not say whether that tree is reduced.
    pub fn of_sorted(options: &[Self]) -> Self {
        debug_assert!(options.is_sorted_by(|a, b| a < b));
        let mut hasher = blake3::Hasher::new();
        hasher.update(DOMAIN);
        options.iter().for_each(|option| {
            hasher.update(&option.0);
        });
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        key[15] &= !FACTOR;
        Self(key)
    }

    /// The key of this tree plus 1.
    #[must_use]
    pub fn plus_one(mut self) -> Self {
        self.0[15] ^= FACTOR;
        self
    }

    /// The key of the tree without its factor 1.
    #[must_use]
    pub fn without_factor(mut self) -> Self {
        self.0[15] &= !FACTOR;
        self
    }

    /// Checks that this is the key of the tree without factor 1 that has these options. That the
    /// options are trees, and the tree is reduced, is for `Forest::learn` to see.
    ///
    /// # Errors
    /// [`TreeFlaw::Unsorted`], [`TreeFlaw::WrongKey`].
    pub fn check(self, options: &[Self]) -> Result<(), TreeFlaw> {
        let key = self;
        if !options.is_sorted_by(|a, b| a < b) {
            return Err(TreeFlaw::Unsorted { key });
        }
        let actual = Self::of_sorted(options);
        if actual == key { Ok(()) } else { Err(TreeFlaw::WrongKey { key, actual }) }
    }

    /// Whether the tree has a factor 1.
    #[must_use]
    pub fn has_factor(self) -> bool {
        self.0[15] & FACTOR == FACTOR
    }

    /// The 16 bytes of the key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// A key read from a disk or a message. Every 16 bytes are a key, of some tree or of none.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for TreeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for TreeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why trees are not the options of a tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeFlaw {
    /// The children of a tree are not sorted, or one of them stands twice.
    #[error("tree {key} is refused: its children are not in strictly ascending order")]
    Unsorted {
        /// The key that was offered.
        key: TreeKey,
    },
    /// The children of a tree do not have its key.
    #[error("tree {key} is refused: its children make tree {actual}")]
    WrongKey {
        /// The key that was offered.
        key: TreeKey,
        /// The key of the set of the children.
        actual: TreeKey,
    },
}
