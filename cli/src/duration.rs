//! Durations on the command line.

use std::time::Duration;

/// Reads a duration: a number of seconds, or a number with s, m or h.
///
/// # Errors
/// How to write a duration.
pub fn duration(text: &str) -> Result<Duration, String> {
    let number = text.trim_end_matches(['s', 'm', 'h']);
    let unit = match &text[number.len()..] {
        "" | "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3600),
        _ => None,
    };
    let seconds = number.parse::<u32>().ok().zip(unit).map(|(n, unit)| u64::from(n) * unit);
    seconds
        .map(Duration::from_secs)
        .ok_or_else(|| "a time is a whole number with s, m or h, as in 90s or 10m".to_owned())
}

/// Reads a duration that must not be 0, for budgets.
///
/// # Errors
/// How to write a duration, or that nothing can be done in 0 seconds.
pub fn some_time(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("nothing can be done in no time: give more, as in 2h".to_owned()),
        time => Ok(time),
    }
}

/// A duration for people, with as many digits as mean something.
pub fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 0.95 => format!("{s:.2} s"),
        s if s < 9.5 => format!("{s:.1} s"),
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        assert!(some_time("0h").is_err() && some_time("1s").is_ok());
        for text in ["", "m", "1.5h", "-1s", "3d", "1hh"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_told() {
        let told = [0.5, 3.0, 89.0, 91.0, 7200.0, 200_000.0].map(in_words);
        assert_eq!(told, ["0.50 s", "3.0 s", "89 s", "2 min", "2 h", "2 days"]);
    }
}
