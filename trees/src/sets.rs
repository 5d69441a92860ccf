//! Sets of numbers, each stored once.

use sprig_domain::Numbered;

/// Sets as sorted lists, which are found by [`hash_all`].
pub(crate) type Sets = Numbered<u32>;

/// The hash of a list is the sum of the hashes of its members: the hashes of all prefixes are found
/// in one walk along the list.
#[inline]
pub(crate) fn hash(member: u32) -> u64 {
    let mut h = (u64::from(member) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h ^= h >> 32;
    h = h.wrapping_mul(0xd6e8_feb8_6659_fd93);
    h ^ h >> 32
}

/// The hash of a whole list.
fn hash_all(members: &[u32]) -> u64 {
    members.iter().fold(0, |sum, &m| sum.wrapping_add(hash(m)))
}

/// Finds or adds a set; `true` when it is new.
///
/// # Panics
/// When 2³¹ sets are stored, since one bit of a number has another use. That is far beyond any
/// memory.
pub(crate) fn intern(sets: &mut Sets, sorted: &[u32]) -> (u32, bool) {
    debug_assert!(sorted.is_sorted());
    let (set, is_new) = sets.intern(sorted, hash_all(sorted), hash_all);
    assert!(set < 1 << 31, "fewer than 2^31 sets");
    (set, is_new)
}
