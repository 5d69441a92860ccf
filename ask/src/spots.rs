//! Start positions as people type them: a number of spots alone.

use std::borrow::Cow;

use sprig_campaign::MAX_SPOTS;

/// Most digits of a number that can be meant as a number of spots.
const LONGEST: usize = 9;

/// Longest sum that can be meant as one of numbers, in bytes: remarks quote it.
const LONGEST_SUM: usize = 60;

/// The text in notation. A number alone, `0x14` and `0×14` are start positions, so are `S14` and
/// `S_14`, also in a sum, and every other text stays as it is. What is notation already keeps its
/// meaning: `0`, and numbers of ones and twos, which are boundaries.
pub fn in_notation(typed: &str) -> Cow<'_, str> {
    let text = typed.trim_ascii();
    if let Some(number) = spots(text) {
        return Cow::Owned(format!("0*{number}"));
    }
    if !text.split('+').any(|part| named(part).is_some()) {
        return Cow::Borrowed(typed);
    }
    let part = |part| named(part).map_or(Cow::Borrowed(part), |spots| format!("0*{spots}").into());
    Cow::Owned(text.split('+').map(part).collect::<Vec<_>>().join("+"))
}

/// The number of spots of `S14` and `S_14`, the names of start positions in papers. In notation no
/// letter stands once in its land, so these texts mean nothing else.
fn named(text: &str) -> Option<&str> {
    let number = text.strip_prefix('S')?;
    let number = number.strip_prefix('_').unwrap_or(number);
    is_number(number).then_some(number)
}

/// Whether a text can be meant as a number of spots.
fn is_number(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A remark on a text that could have been meant in another way.
pub fn notice(typed: &str) -> Option<String> {
    let typed = typed.trim_ascii();
    match typed {
        _ if typed.contains('+') => notice_of_sum(typed),
        _ if !is_boundary(typed) => None,
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

/// A remark on a sum of numbers alone, which looks like one of start positions or of Nim-heaps.
fn notice_of_sum(typed: &str) -> Option<String> {
    if typed.len() > LONGEST_SUM {
        return None;
    }
    let start = |part: &str| match part {
        // One spot, which is a start position in any case.
        "0" => Some("0".to_owned()),
        _ => is_boundary(part).then(|| format!("0*{part}")),
    };
    let starts = typed.split('+').map(start).collect::<Option<Vec<String>>>()?.join("+");
    starts.contains('*').then(|| {
        format!(
            "`{typed}` is a sum of boundaries, whose digits are the curve ends of spots; the sum of \
             start positions is `{starts}`, and one of Nim-heaps needs braces, as in `{{0;1}}+2`"
        )
    })
}

/// Whether a text is a number that notation reads as a boundary, and that a start position could
/// have as its number of spots.
fn is_boundary(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'1' | b'2'))
        && text.parse::<u16>().is_ok_and(|spots| spots <= MAX_SPOTS)
}

/// The number of spots that a text names without notation.
fn spots(typed: &str) -> Option<&str> {
    let times = ["0x", "0X", "0×"].into_iter().find_map(|times| typed.strip_prefix(times));
    let number = times.unwrap_or(typed);
    let is_boundary = number == "0" || number.bytes().all(|byte| matches!(byte, b'1' | b'2'));
    (is_number(number) && (times.is_some() || !is_boundary)).then_some(number)
}

#[cfg(test)]
mod tests {
    use sprig_engine::notation;

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
            ("S4", "0*4"),
            (" S_12 ", "0*12"),
            ("S1", "0*1"),
            ("S5+S_4", "0*5+0*4"),
            ("S2+22", "0*2+22"),
            ("S0", "0*0"),
            ("S", "S"),
            ("S_", "S_"),
            ("s4", "s4"),
            ("S4a", "S4a"),
            ("S2S", "S2S"),
            ("0x", "0x"),
            ("", ""),
            ("1111111111", "1111111111"),
        ] {
            assert_eq!(in_notation(typed), notation, "{typed:?}");
        }
    }

    #[test]
    fn the_name_of_a_start_position_is_no_notation() {
        for spots in 0..1_000 {
            for text in [format!("S{spots}"), format!("S_{spots}")] {
                notation::read(&text).expect_err(&text);
            }
        }
    }

    #[test]
    fn what_could_mean_two_things_is_said() {
        for (typed, part) in [
            ("12", "`0*12`"),
            ("2", "`0*2`"),
            (" 1", "1 curve end;"),
            ("2+2", "`0*2+0*2`"),
            ("0+12", "`0+0*12`"),
            ("1+2", "`{0;1}+2`"),
        ] {
            assert!(notice(typed).is_some_and(|notice| notice.contains(part)), "{typed}");
        }
        for clear in [
            "0", "14", "20", "", "1a1a", "0*2", "0+0", "0*2+22", "2+3", "2+", "+", "111", "2222",
            "2+111",
        ] {
            assert_eq!(notice(clear), None, "{clear}");
        }
        assert_eq!(notice(&["1"; 100].join("+")), None, "too long to be quoted");
    }
}
