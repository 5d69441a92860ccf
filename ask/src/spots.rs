//! Start positions as people type them: a number of spots alone.

use std::borrow::Cow;

/// Most digits of a number that can be meant as a number of spots.
const LONGEST: usize = 9;

/// The text in notation. A number alone, `0x14` and `0×14` are start positions, and every other
/// text stays as it is. What is notation already keeps its meaning: `0`, and numbers of ones and
/// twos, which are boundaries.
pub fn in_notation(typed: &str) -> Cow<'_, str> {
    match spots(typed.trim_ascii()) {
        Some(number) => Cow::Owned(format!("0*{number}")),
        None => Cow::Borrowed(typed),
    }
}

/// A remark on a text that could have been meant in another way.
pub fn notice(typed: &str) -> Option<String> {
    let typed = typed.trim_ascii();
    let is_boundary = (1..=LONGEST).contains(&typed.len())
        && typed.bytes().all(|byte| matches!(byte, b'1' | b'2'));
    match typed {
        _ if !is_boundary => None,
        "1" | "2" => Some(format!(
            "`{typed}` is one spot with {typed} curve end{}; the start position is `0*{typed}`",
            if typed == "1" { "" } else { "s" }
        )),
        _ => Some(format!(
            "`{typed}` is a boundary of {} spots, each with the curve ends written; the start position with {typed} spots is `0*{typed}`",
            typed.len()
        )),
    }
}

/// The number of spots that a text names without notation.
fn spots(typed: &str) -> Option<&str> {
    let times = ["0x", "0X", "0×"].into_iter().find_map(|times| typed.strip_prefix(times));
    let number = times.unwrap_or(typed);
    let is_number =
        (1..=LONGEST).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_boundary = number == "0" || number.bytes().all(|byte| matches!(byte, b'1' | b'2'));
    (is_number && (times.is_some() || !is_boundary)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_alone_is_a_start_position() {
        for (typed, notation) in [
            ("14", "0*14"),
            (" 3 ", "0*3"),
            ("12", "12"),
            ("1222", "1222"),
            ("20", "0*20"),
            ("0x12", "0*12"),
            ("0x14", "0*14"),
            ("0X2", "0*2"),
            ("0×7", "0*7"),
            ("0", "0"),
            ("1", "1"),
            ("2", "2"),
            ("12.}]!", "12.}]!"),
            ("0*2+22", "0*2+22"),
            ("0x", "0x"),
            ("", ""),
            ("1111111111", "1111111111"),
        ] {
            assert_eq!(in_notation(typed), notation, "{typed:?}");
        }
    }

    #[test]
    fn what_could_mean_two_things_is_said() {
        for (typed, part) in [("12", "`0*12`"), ("2", "`0*2`"), (" 1", "1 curve end;")] {
            assert!(notice(typed).is_some_and(|notice| notice.contains(part)), "{typed}");
        }
        for clear in ["0", "14", "20", "", "1a1a", "0*2"] {
            assert_eq!(notice(clear), None, "{clear}");
        }
    }
}
