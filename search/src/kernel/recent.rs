//! What a thread has looked up lately, by short strings of bytes.

/// Longest string that is kept: with the rest of its line it fills one line of the processor's
/// cache.
const LONGEST: usize = 59;
/// The length of a line that holds nothing: longer than a line.
const NONE: u8 = u8::MAX;

/// Numbers of strings met lately, each in the one line that its hash names. A line holds the whole
/// string, so a hit is certain.
pub struct Recent<const LINES: usize>(Vec<Line>);

#[derive(Clone)]
#[repr(align(64))]
struct Line {
    value: u32,
    length: u8,
    bytes: [u8; LONGEST],
}

impl<const LINES: usize> Default for Recent<LINES> {
    fn default() -> Self {
        Self(vec![Line { value: 0, length: NONE, bytes: [0; LONGEST] }; LINES])
    }
}

impl<const LINES: usize> Recent<LINES> {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(|line| line.length = NONE);
    }

    /// The number of a string with this hash, if it was met lately.
    #[inline]
    pub fn get(&self, hash: u32, bytes: &[u8]) -> Option<u32> {
        let line = &self.0[hash as usize % LINES];
        (line.bytes.get(..line.length.into()) == Some(bytes)).then_some(line.value)
    }

    /// Keeps the number of a string in the place of what was in its line, unless the string is too
    /// long.
    #[inline]
    pub fn set(&mut self, hash: u32, bytes: &[u8], value: u32) {
        let line = &mut self.0[hash as usize % LINES];
        if let Some(place) = line.bytes.get_mut(..bytes.len()) {
            place.copy_from_slice(bytes);
            line.length = bytes.len() as u8;
            line.value = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_whole_and_lost_to_others_of_their_line() {
        let mut recent = Recent::<4>::default();
        assert_eq!(recent.get(0, b""), None);
        recent.set(1, b"ab", 7);
        recent.set(2, b"", 8);
        assert_eq!(
            (recent.get(1, b"ab"), recent.get(1, b"a"), recent.get(2, b"")),
            (Some(7), None, Some(8))
        );
        recent.set(5, b"c", 9);
        assert_eq!((recent.get(1, b"ab"), recent.get(5, b"c")), (None, Some(9)));
        recent.set(5, &[0; LONGEST + 1], 1);
        assert_eq!(recent.get(5, b"c"), Some(9), "long strings are not kept");
        recent.clear();
        assert_eq!((recent.get(2, b""), recent.get(5, b"c")), (None, None));
    }
}
