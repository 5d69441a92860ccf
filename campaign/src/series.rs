//! Which numbers of spots.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

/// The most spots of a start position that the engine can name.
pub const MAX_SPOTS: u16 = 106;

/// Numbers of spots, as in `2..62`, `64` or `2..35,40,41`. Both ends of a range belong to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series(BTreeSet<u16>);

/// Numbers of spots that a campaign leaves out: a [`Series`], or a residue as in `0mod3` or
/// `0mod3:34..`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Skip {
    /// These numbers.
    Numbers(Series),
    /// All numbers of `range` that leave `residue` when they are divided by `modulus`.
    Residue {
        /// The remainder, less than `modulus`.
        residue: u16,
        /// The divisor, at least 2.
        modulus: u16,
        /// Where the rule holds.
        range: (u16, u16),
    },
}

/// Why a text is no series and no rule for leaving out.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SeriesError {
    /// Something else stands where a number should.
    #[error("`{0}` is no number of spots; a series is written as in `2..62` or `2..35,40,41`")]
    NotANumber(String),
    /// The number of spots cannot be solved.
    #[error("{0} spots: a start position has 1 to {MAX_SPOTS} spots")]
    OutOfReach(u64),
    /// The range ends before it begins.
    #[error("the range `{0}..{1}` is empty; write the smaller number first")]
    Backwards(u16, u16),
    /// The residue is not one.
    #[error("`{0}` is no residue; write it as in `0mod3` or `0mod3:34..`")]
    NotAResidue(String),
}

impl Series {
    /// The numbers of `series` together, less those that a rule of `skips` leaves out.
    #[must_use]
    pub fn plan(series: &[Self], skips: &[Skip]) -> Self {
        let all = series.iter().flat_map(|series| series.0.iter().copied());
        Self(all.filter(|&spots| !skips.iter().any(|skip| skip.leaves_out(spots))).collect())
    }

    /// The numbers, ascending: the order in which a campaign solves them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u16> + '_ {
        self.0.iter().copied()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the numbers out that `keep` does not want.
    pub fn retain(&mut self, mut keep: impl FnMut(u16) -> bool) {
        self.0.retain(|&spots| keep(spots));
    }

    /// Numbers from 2 to the largest of this series that are not in it and that no rule of `skips`
    /// leaves out. They are gaps in the chain, and make what comes after them dearer.
    #[must_use]
    pub fn gaps(&self, skips: &[Skip]) -> Self {
        let last = self.0.last().copied().unwrap_or_default();
        let missing = (2..last).filter(|spots| !self.0.contains(spots));
        Self(missing.filter(|&spots| !skips.iter().any(|skip| skip.leaves_out(spots))).collect())
    }
}

impl Skip {
    /// Whether the rule leaves this number of spots out.
    #[must_use]
    pub fn leaves_out(&self, spots: u16) -> bool {
        match self {
            Self::Numbers(series) => series.0.contains(&spots),
            Self::Residue { residue, modulus, range } => {
                spots % modulus == *residue && (range.0..=range.1).contains(&spots)
            }
        }
    }
}

impl FromStr for Series {
    type Err = SeriesError;

    fn from_str(text: &str) -> Result<Self, SeriesError> {
        let mut numbers = BTreeSet::new();
        for part in text.split(',') {
            numbers.extend(match part.split_once("..") {
                None => number(part).map(|n| n..=n)?,
                Some((first, last)) => range(first, last)?,
            });
        }
        Ok(Self(numbers))
    }
}

impl FromStr for Skip {
    type Err = SeriesError;

    fn from_str(text: &str) -> Result<Self, SeriesError> {
        let (rule, bound) = text.split_once(':').map_or((text, None), |(r, b)| (r, Some(b)));
        let Some((residue, modulus)) = rule.split_once("mod") else {
            return text.parse().map(Self::Numbers);
        };
        let wrong = || SeriesError::NotAResidue(shown(text));
        let (residue, modulus) = (residue.parse::<u16>(), modulus.parse::<u16>());
        let (Ok(residue), Ok(modulus)) = (residue, modulus) else { return Err(wrong()) };
        if modulus < 2 || residue >= modulus {
            return Err(wrong());
        }
        let range = match bound {
            None => 1..=MAX_SPOTS,
            Some(bound) => {
                let (first, last) = bound.split_once("..").ok_or_else(wrong)?;
                let last = if last.is_empty() { MAX_SPOTS } else { number(last)? };
                ordered(number(first)?, last)?
            }
        };
        Ok(Self::Residue { residue, modulus, range: (*range.start(), *range.end()) })
    }
}

fn range(first: &str, last: &str) -> Result<RangeInclusive<u16>, SeriesError> {
    ordered(number(first)?, number(last)?)
}

fn ordered(first: u16, last: u16) -> Result<RangeInclusive<u16>, SeriesError> {
    if first > last { Err(SeriesError::Backwards(first, last)) } else { Ok(first..=last) }
}

fn number(text: &str) -> Result<u16, SeriesError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse::<u64>().ok().filter(|_| digits);
    let number = number.ok_or_else(|| SeriesError::NotANumber(shown(text)))?;
    let spots = u16::try_from(number).ok().filter(|spots| (1..=MAX_SPOTS).contains(spots));
    spots.ok_or(SeriesError::OutOfReach(number))
}

/// The beginning of a text that a person typed, for a message.
fn shown(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

impl fmt::Display for Series {
    /// Writes the numbers as they can be read again, ranges joined.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(u16, u16)> = Vec::new();
        for &spots in &self.0 {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == spots => *last = spots,
                _ => runs.push((spots, spots)),
            }
        }
        for (place, (first, last)) in runs.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { "," })?;
            match last - first {
                0 => write!(f, "{first}")?,
                1 => write!(f, "{first},{last}")?,
                _ => write!(f, "{first}..{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn series(text: &str) -> Series {
        text.parse().expect("a series")
    }

    fn numbers(series: &Series) -> Vec<u16> {
        series.iter().collect()
    }

    #[test]
    fn ranges_have_both_ends() {
        assert_eq!(numbers(&series("2..5,9,7")), [2, 3, 4, 5, 7, 9]);
    }

    #[test]
    fn residues_are_left_out_from_a_bound_on() {
        let skip: Skip = "0mod3:34..".parse().expect("a rule");
        let plan = Series::plan(&[series("30..40")], &[skip]);
        assert_eq!(plan.to_string(), "30..35,37,38,40");
        let skips = ["0mod2".parse().expect("a rule"), "5,7..9".parse().expect("a rule")];
        assert_eq!(Series::plan(&[series("1..12")], &skips).to_string(), "1,3,11");
    }

    #[test]
    fn gaps_are_what_no_rule_leaves_out() {
        let skips = ["0mod3:4..".parse().expect("a rule")];
        assert_eq!(series("2..4,10,14").gaps(&skips).to_string(), "5,7,8,11,13");
    }

    #[test]
    fn mistakes_say_what_is_wrong() {
        let error = |text: &str| text.parse::<Series>().expect_err("a mistake");
        assert_eq!(error("2..x"), SeriesError::NotANumber("x".into()));
        assert_eq!(error(""), SeriesError::NotANumber(String::new()));
        assert_eq!(error("+3"), SeriesError::NotANumber("+3".into()));
        assert_eq!(error("0"), SeriesError::OutOfReach(0));
        assert_eq!(error("2..107"), SeriesError::OutOfReach(107));
        assert_eq!(error("9..3"), SeriesError::Backwards(9, 3));
        let rule = |text: &str| text.parse::<Skip>().expect_err("a mistake");
        for text in ["3mod3", "0mod1", "xmod3", "0mod3:7"] {
            assert_eq!(rule(text), SeriesError::NotAResidue(text.into()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(numbers in prop::collection::btree_set(1..=MAX_SPOTS, 1..60)) {
            let series = Series(numbers);
            prop_assert_eq!(series.to_string().parse::<Series>().expect("written by us"), series);
        }
    }
}
