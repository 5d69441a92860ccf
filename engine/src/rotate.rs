//! Cyclic walks that begin where they read least.

use std::cmp::Ordering;

/// Tokens that fit into one number.
const SHORT: usize = 8;

/// A cyclic walk as it reads least.
#[derive(Clone, Copy)]
pub(crate) struct Word {
    /// Its first tokens as a number, the first of them in the highest byte, and zeros after its
    /// end. No token is zero, so these are ordered like the walks.
    head: u64,
    /// Where the whole walk stands, if it is long.
    start: u32,
    length: u32,
    /// Where in the walk that was given, or in its reverse, it begins.
    pub first: u32,
}

/// The walks of a region. Nearly all are short, and these are turned and compared as numbers.
#[derive(Clone, Default)]
pub(crate) struct Rotated {
    /// Long walks, one after the other.
    long: Vec<u8>,
    mirrored: Vec<u8>,
}

impl Rotated {
    pub fn clear(&mut self) {
        self.long.clear();
    }

    /// Turns a walk, or its reverse, to where it reads least.
    #[inline]
    pub fn add(&mut self, tokens: &[u8], mirror: bool) -> Word {
        if tokens.len() > SHORT {
            return self.add_long(tokens, mirror);
        }
        let append = |word: u64, &token: &u8| word << 8 | u64::from(token);
        let word = if mirror {
            tokens.iter().rev().fold(0, append)
        } else {
            tokens.iter().fold(0, append)
        };
        let (length, unused) = (tokens.len() as u32, 64 - 8 * tokens.len() as u32);
        let (mut least, mut first, mut turned) = (word, 0, word);
        for start in 1..length {
            turned = (turned << 8 | turned >> (8 * length - 8)) << unused >> unused;
            if turned < least {
                (least, first) = (turned, start);
            }
        }
        Word { head: least << unused, start: 0, length, first }
    }

    fn add_long(&mut self, tokens: &[u8], mirror: bool) -> Word {
        self.mirrored.clear();
        self.mirrored.extend(tokens.iter().rev());
        let tokens = if mirror { &self.mirrored } else { tokens };
        let mut least = 0;
        for start in 1..tokens.len() {
            let turned = |start: usize| tokens[start..].iter().chain(&tokens[..start]);
            if tokens[start] <= tokens[least] && turned(start).lt(turned(least)) {
                least = start;
            }
        }
        let start = self.long.len();
        self.long.extend_from_slice(&tokens[least..]);
        self.long.extend_from_slice(&tokens[..least]);
        let head = self.long[start..][..SHORT].iter().fold(0, |head, &t| head << 8 | u64::from(t));
        Word { head, start: start as u32, length: tokens.len() as u32, first: least as u32 }
    }

    fn long(&self, word: &Word) -> &[u8] {
        &self.long[word.start as usize..][..word.length as usize]
    }

    /// The order of two walks.
    #[inline]
    pub fn compare(&self, a: &Word, b: &Word) -> Ordering {
        let is_long = |word: &Word| word.length as usize > SHORT;
        a.head.cmp(&b.head).then_with(|| match (is_long(a), is_long(b)) {
            (true, true) => self.long(a).cmp(self.long(b)),
            (a, b) => a.cmp(&b),
        })
    }

    /// Appends a walk.
    #[inline]
    pub fn write(&self, word: &Word, out: &mut Vec<u8>) {
        if word.length as usize > SHORT {
            out.extend_from_slice(self.long(word));
        } else {
            out.extend_from_slice(&word.head.to_be_bytes()[..word.length as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// A walk with few kinds of tokens, so that many rotations begin alike.
    fn walk(random: &mut Rng) -> Vec<u8> {
        (0..random.usize(1..=20)).map(|_| random.u8(3..6)).collect()
    }

    /// All rotations of a walk, or of its reverse.
    fn rotations(walk: &[u8], mirror: bool) -> Vec<Vec<u8>> {
        let mut walk = walk.to_vec();
        if mirror {
            walk.reverse();
        }
        (0..walk.len()).map(|first| [&walk[first..], &walk[..first]].concat()).collect()
    }

    #[test]
    fn walks_of_every_length_read_least_and_are_ordered() {
        let mut random = Rng::with_seed(5);
        for _ in 0..2_000 {
            let mut rotated = Rotated::default();
            let mut words = Vec::new();
            for mirror in [false, true, false] {
                let walk = walk(&mut random);
                let (word, mut bytes) = (rotated.add(&walk, mirror), Vec::new());
                rotated.write(&word, &mut bytes);
                let rotations = rotations(&walk, mirror);
                assert_eq!(Some(&bytes), rotations.iter().min(), "{walk:?}");
                assert_eq!(bytes, rotations[word.first as usize], "{walk:?}");
                words.push((word, bytes));
            }
            for (word, bytes) in &words {
                for (other, others) in &words {
                    assert_eq!(rotated.compare(word, other), bytes.cmp(others));
                }
            }
        }
    }
}
