//! Where the texts of GLOP and SPOTS differ.

use std::borrow::Cow;

use crate::spelling::Mark;

/// The program a text is for. Both read the same files; they name letters beyond the alphabet
/// differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// GLOP 2.x: the 26th upper-case letter is `Z(26)`.
    Glop,
    /// SPOTS: the 26th upper-case letter is `n(26)`.
    Spots,
}

/// Lower-case letters with a character of their own: `a` to `l`.
const LOWER: u16 = 12;
/// Upper-case letters with a character of their own: `A` to `Y`.
const UPPER: u16 = 25;

impl Dialect {
    /// The text of a mark; letters are numbered from 0.
    pub(crate) fn name(self, mark: Mark) -> Cow<'static, str> {
        match (mark, self) {
            (Mark::Zero, _) => "0".into(),
            (Mark::One, _) => "1".into(),
            (Mark::Two, _) => "2".into(),
            (Mark::Lower(k), _) if k < LOWER => char::from(b'a' + k as u8).to_string().into(),
            (Mark::Lower(k), _) => format!("m({})", k + 1).into(),
            (Mark::Upper(k), _) if k < UPPER => char::from(b'A' + k as u8).to_string().into(),
            (Mark::Upper(k), Self::Glop) => format!("Z({})", k + 1).into(),
            (Mark::Upper(k), Self::Spots) => format!("n({})", k + 1).into(),
            (Mark::EndBoundary, _) => ".".into(),
            (Mark::EndRegion, _) => "|".into(),
            (Mark::EndLand, _) => "+".into(),
        }
    }
}
