//! Nodes as words: a sum of lands whose trees are unknown, the factor 1 or not, and trees.
//!
//! ```text
//! node := header part *       header: words of the node | factor 1 << 16
//! part := place of a land     below 2^31
//!       | TREE + number       a tree without factor 1
//! ```
//!
//! Parts are sorted, so lands come first; equal parts are repeated as often as they occur.

use std::hash::Hasher;

use rustc_hash::FxHasher;
use sprig_trees::Tree;

/// Marks the part that is a tree.
pub(crate) const TREE: u32 = 1 << 31;
/// The factor 1 in the header.
pub(crate) const ONE: u32 = 1 << 16;

/// A tree as part of a node, and its factor 1 as a bit for the header.
#[inline]
pub(crate) fn part_of(tree: Tree) -> (u32, u32) {
    (TREE | tree.number(), if tree.has_factor() { ONE } else { 0 })
}

/// Whether the header says that the factor 1 is there.
#[inline]
pub(crate) fn has_one(node: &[u32]) -> bool {
    node[0] & ONE != 0
}

/// The lands of a node, and its trees.
#[inline]
pub(crate) fn split(node: &[u32]) -> (&[u32], &[u32]) {
    let parts = &node[1..];
    let lands = parts.iter().take_while(|&&part| part < TREE).count();
    parts.split_at(lands)
}

/// Appends to `out` the node with the parts `rest` and `more` and, if `one` is [`ONE`], the factor
/// 1.
#[inline]
pub(crate) fn push(out: &mut Vec<u32>, one: u32, rest: &[u32], more: &[u32]) {
    let at = out.len();
    out.push((1 + rest.len() + more.len()) as u32 | one);
    out.extend_from_slice(rest);
    for &part in more {
        // `rest` is sorted and nearly always there is one more part: insertion is faster than every
        // other way.
        let mut hole = out.len();
        out.push(part);
        while hole > at + 1 && out[hole - 1] > part {
            out[hole] = out[hole - 1];
            hole -= 1;
        }
        out[hole] = part;
    }
}

/// A hash of the key of a land, for tables inside the process.
#[inline]
pub(crate) fn hash_bytes(key: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(key);
    hasher.finish()
}

/// A hash of a node that does not depend on the order of its parts.
#[inline]
pub(crate) fn hash(node: &[u32]) -> u32 {
    let mut sum = u64::from(node[0]).wrapping_mul(0xa076_1d64_78bd_642f);
    for &part in &node[1..] {
        let mut h = (u64::from(part) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h ^= h >> 32;
        sum = sum.wrapping_add(h.wrapping_mul(0xd6e8_feb8_6659_fd93));
    }
    sum = (sum ^ sum >> 32).wrapping_mul(0xe703_7ed1_a0b4_28db);
    (sum >> 32) as u32
}
