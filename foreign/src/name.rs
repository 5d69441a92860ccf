//! What files call reduced canonical trees.

use std::fmt;

use sprig_domain::TreeKey;

/// The largest heap that is read; no game of ours lasts longer.
const MAX_HEAP: u16 = 400;

/// The name of an RCT in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Name {
    /// The Nim-heap of this size.
    Heap(u16),
    /// A number that means something in one file only.
    Numbered(Number),
    /// Its content key, the same everywhere.
    Key(TreeKey),
}

/// `height-number[+1]-W|L`, as GLOP and SPOTS number trees in the order in which a run meets them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Number {
    /// Height of the tree without its factor 1.
    pub height: u16,
    /// Its number among the trees of that height, from 1.
    pub number: u32,
    /// Whether the tree has a factor 1.
    pub factor: bool,
    /// Whether the tree, with its factor, is a win in misère play.
    pub win: bool,
}

impl Name {
    /// Reads a name as GLOP and SPOTS write it: `2`, `3-1-L`, `3-1+1-W`; also the paper's `2-0-W`
    /// for the heap 2.
    pub fn read(text: &str) -> Option<Self> {
        if let Some(heap) = number(text) {
            return Some(Self::Heap(heap)).filter(|_| heap <= MAX_HEAP);
        }
        let (rest, outcome) = text.rsplit_once('-')?;
        let win = match outcome {
            "W" => true,
            "L" => false,
            _ => return None,
        };
        let (rest, factor) = rest.strip_suffix("+1").map_or((rest, false), |rest| (rest, true));
        let (height, tree) = rest.split_once('-')?;
        let (height, tree) = (number(height)?, number(tree)?);
        Some(match tree {
            0 if height > MAX_HEAP => return None,
            // A heap plus 1. Whether the outcome fits is not worth a second error.
            0 => Self::Heap(height ^ u16::from(factor)),
            tree => Self::Numbered(Number { height, number: tree, factor, win }),
        })
    }

    /// Reads a content key as [`TreeKey`] prints it.
    pub fn read_key(text: &str) -> Option<Self> {
        let digits = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let key = u128::from_str_radix(text, 16).ok().filter(|_| digits)?;
        Some(Self::Key(TreeKey::from_bytes(key.to_be_bytes())))
    }
}

/// A decimal number without sign.
fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()))
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Heap(heap) => heap.fmt(f),
            Self::Numbered(Number { height, number, factor, win }) => {
                let factor = if *factor { "+1" } else { "" };
                let outcome = if *win { 'W' } else { 'L' };
                write!(f, "{height}-{number}{factor}-{outcome}")
            }
            Self::Key(key) => key.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_printed_as_they_were_read() {
        for text in ["0", "7", "3-1-L", "3-1+1-W", "13-24593-W"] {
            assert_eq!(Name::read(text).map(|name| name.to_string()).as_deref(), Some(text));
        }
        let key = "fe7dbbf9ea2bfc8725c3cbc64cfd745c";
        assert_eq!(Name::read_key(key).map(|name| name.to_string()).as_deref(), Some(key));
        assert_eq!(Name::read("2-0-W"), Some(Name::Heap(2)));
        assert_eq!(Name::read("2-0+1-W"), Some(Name::Heap(3)));
        assert_eq!(Name::read("0-0+1-L"), Some(Name::Heap(1)));
    }

    #[test]
    fn other_texts_are_no_names() {
        for text in [
            "", "-", "W", "3-1", "3-1-X", "3-1-W-L", "-3-1-W", "+3", "3-+1-W", "70000", "401",
            "401-0-W", "3--W",
        ] {
            assert_eq!(Name::read(text), None, "{text}");
        }
        for text in
            ["", "fe7d", "+e7dbbf9ea2bfc8725c3cbc64cfd745c", "xe7dbbf9ea2bfc8725c3cbc64cfd745c"]
        {
            assert_eq!(Name::read_key(text), None, "{text}");
        }
    }
}
