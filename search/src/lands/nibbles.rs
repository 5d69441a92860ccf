//! Keys in half bytes.
//!
//! Most bytes of a land are small: numbers of spots, signs, and the first letters. So a byte takes
//! as few *nibbles* of four bits as it can:
//!
//! ```text
//! byte      nibbles
//!  0 .. 14  the byte
//! 14 .. 30  14, byte - 14
//! 30 ..     15, its low half, its high half
//! ```
//!
//! A word has eight nibbles, the first one lowest, and the rest of the last word is zero.

/// The first nibble of a byte that takes two, and the first such byte.
const TWO: u8 = 14;
/// The first byte that takes three nibbles.
const THREE: u8 = TWO + 16;
/// The first nibble of these.
const ESCAPE: u8 = 15;
/// Bits of a nibble.
const BITS: usize = 4;
/// Nibbles of a word.
pub(super) const PER_WORD: usize = u32::BITS as usize / BITS;
/// The most nibbles of a byte.
pub(super) const MOST: usize = 3;

/// The nibbles of each byte, the first one lowest, and how many bits they have.
static CODES: [(u16, u8); 1 << u8::BITS] = {
    let mut codes = [(0, 0); 1 << u8::BITS];
    let mut byte = 0;
    while byte < codes.len() {
        let value = byte as u16;
        codes[byte] = if value < TWO as u16 {
            (value, BITS as u8)
        } else if value < THREE as u16 {
            (TWO as u16 | (value - TWO as u16) << BITS, 2 * BITS as u8)
        } else {
            (ESCAPE as u16 | value << BITS, MOST as u8 * BITS as u8)
        };
        byte += 1;
    }
    codes
};

/// Writes bytes as nibbles into `words`, which are emptied before, and returns how many nibbles
/// these are.
pub(super) fn pack(bytes: &[u8], words: &mut Vec<u32>) -> usize {
    words.clear();
    let (mut word, mut filled) = (0u64, 0u32);
    let mut add = |code: u32, bits: u32| {
        word |= u64::from(code) << filled;
        filled += bits;
        if filled >= u32::BITS {
            words.push(word as u32);
            word >>= u32::BITS;
            filled -= u32::BITS;
        }
    };
    for bytes in bytes.chunks(PER_WORD) {
        let mut eight = [0; PER_WORD];
        eight[..bytes.len()].copy_from_slice(bytes);
        if let Some(code) = close_up(eight) {
            add(code, (bytes.len() * BITS) as u32);
        } else {
            for &byte in bytes {
                let (code, bits) = CODES[usize::from(byte)];
                add(code.into(), bits.into());
            }
        }
    }
    let nibbles = words.len() * PER_WORD + filled as usize / BITS;
    if filled > 0 {
        words.push(word as u32);
    }
    nibbles
}

/// Eight bytes as a word, if each is one nibble.
#[inline]
fn close_up(bytes: [u8; PER_WORD]) -> Option<u32> {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let bytes = u64::from_le_bytes(bytes);
    let large = bytes | bytes.wrapping_add(HIGH - HIGH / 0x80 * TWO as u64);
    if large & HIGH != 0 {
        return None;
    }
    let pairs = (bytes | bytes >> 4) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    Some((fours | fours >> 16) as u32)
}

/// The bytes of a word, if each is one nibble.
#[inline]
fn spread(word: u32) -> Option<[u8; PER_WORD]> {
    if word >> 3 & word >> 2 & word >> 1 & 0x1111_1111 != 0 {
        return None;
    }
    let fours = (u64::from(word) | u64::from(word) << 16) & 0x0000_ffff_0000_ffff;
    let pairs = (fours | fours << 8) & 0x00ff_00ff_00ff_00ff;
    Some(((pairs | pairs << 4) & 0x0f0f_0f0f_0f0f_0f0f).to_le_bytes())
}

/// The byte that begins with the lowest nibble, and its bits.
#[inline]
fn first(nibbles: u64) -> (u8, u32) {
    let width = |count: usize| (count * BITS) as u32;
    match nibbles as u8 & 15 {
        TWO => (TWO + ((nibbles >> BITS) as u8 & 15), width(2)),
        ESCAPE => ((nibbles >> BITS) as u8, width(MOST)),
        small => (small, width(1)),
    }
}

/// Writes the bytes that have these words, and as many nibbles, into `bytes`, which are emptied
/// before.
pub(super) fn unpack(words: impl Iterator<Item = u32>, nibbles: usize, bytes: &mut Vec<u8>) {
    bytes.clear();
    let (mut begun, mut filled, mut left) = (0u64, 0u32, nibbles);
    for word in words {
        let here = left.min(PER_WORD);
        left -= here;
        if filled == 0
            && let Some(eight) = spread(word)
        {
            bytes.extend_from_slice(&eight[..here]);
            continue;
        }
        begun |= u64::from(word) << filled;
        filled += (here * BITS) as u32;
        loop {
            let (byte, bits) = first(begun);
            if bits > filled {
                break;
            }
            bytes.push(byte);
            begun >>= bits;
            filled -= bits;
        }
    }
    assert_eq!((filled, left), (0, 0), "no key ends within a byte");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(bytes: &[u8]) -> usize {
        let (mut words, mut read) = (vec![7], vec![8]);
        let nibbles = pack(bytes, &mut words);
        assert_eq!(words.len(), nibbles.div_ceil(PER_WORD));
        unpack(words.iter().copied(), nibbles, &mut read);
        assert_eq!(read, bytes);
        nibbles
    }

    #[test]
    fn bytes_are_read_as_they_were_written() {
        for byte in 0..=u8::MAX {
            let nibbles = if byte < 14 {
                1
            } else if byte < 30 {
                2
            } else {
                3
            };
            assert_eq!(there_and_back(&[byte]), nibbles);
            for length in 0..20 {
                there_and_back(&vec![byte; length]);
                there_and_back(
                    &(0..length).map(|i| byte.wrapping_add(i as u8)).collect::<Vec<_>>(),
                );
            }
        }
    }

    #[test]
    fn different_keys_of_as_many_nibbles_have_different_words() {
        let keys: Vec<Vec<u8>> = (0..3 * 32 * 32)
            .map(|i| [vec![i as u8 % 32], vec![(i / 32) as u8 % 32; i / 1024]].concat())
            .collect();
        let mut seen = std::collections::HashMap::new();
        for key in &keys {
            let mut words = Vec::new();
            let nibbles = pack(key, &mut words);
            let other = seen.insert((nibbles, words), key);
            assert!(other.is_none_or(|other| other == key), "{key:?} and {other:?}");
        }
    }
}
