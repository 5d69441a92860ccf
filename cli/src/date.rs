//! Moments, as people write them.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::duration::duration;

/// How to write a moment.
const WRITTEN: &str = "write a time from now, as in 8h, or a date of UTC, as in 2026-12-01T18:00";

/// The Unix time now, in milliseconds.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Reads a moment in the future, in milliseconds of Unix time: a time from now, or a date and time
/// of UTC.
///
/// # Errors
/// How to write a moment, or that the moment has passed.
pub fn coming(text: &str) -> Result<u64, String> {
    let moment = match duration(text) {
        Ok(time) => now().saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        Err(_) => date(text).ok_or_else(|| WRITTEN.to_owned())?,
    };
    if moment > now() { Ok(moment) } else { Err(format!("it has passed; {WRITTEN}")) }
}

/// Reads a date and time of UTC: `2026-12-01T18:00`. A blank may replace the T, and the time may be
/// left out.
fn date(text: &str) -> Option<u64> {
    let (day, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let time = time.trim_end_matches('Z');
    let number = |text: &str| text.parse::<u64>().ok();
    let [year, month, day] = day.split('-').map(number).collect::<Option<Vec<_>>>()?[..] else {
        return None;
    };
    let [hour, minute] = time.split(':').map(number).collect::<Option<Vec<_>>>()?[..] else {
        return None;
    };
    let is_day =
        (1970..10_000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_day || hour > 23 || minute > 59 {
        return None;
    }
    // This reverses `utc`. Months are counted from March on.
    let (year_of_era, march) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let leaps = year_of_era / 4 - year_of_era / 100 + year_of_era / 400;
    let days = 365 * year_of_era + leaps + (153 * march + 2) / 5 + day - 1 - 719_468;
    let moment = ((days * 24 + hour) * 60 + minute) * 60_000;
    // A date like the thirtieth of February becomes another day, and is refused.
    let same = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC");
    (utc(moment) == same).then_some(moment)
}

/// Milliseconds of Unix time as a date and time of UTC, to the minute.
pub fn utc(millis: u64) -> String {
    let minutes = millis / 60_000;
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    // Days are counted in eras of 400 years. Years begin in March, so that the leap day is the last
    // of its year.
    let days = minutes / 60 / 24 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) =
        if month < 10 { (400 * era + year, month + 3) } else { (400 * era + year + 1, month - 9) };
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_they_are_told() {
        for (text, seconds) in [
            ("1970-01-01", 0),
            ("2000-02-28T23:59", 951_782_340),
            ("2000-02-29 00:00", 951_782_400),
            ("2026-01-01T00:00Z", 1_767_225_600),
            ("2100-03-01T00:00", 4_107_542_400),
        ] {
            assert_eq!(date(text), Some(seconds * 1000), "{text}");
        }
        for text in ["", "2026", "2026-02-30", "2026-13-01", "2026-01-01T24:00", "1-1-1", "26-1-1"]
        {
            assert_eq!(date(text), None, "{text}");
        }
        assert!(coming("2h").is_ok_and(|moment| moment > now()));
        assert!(coming("2001-01-01").is_err_and(|error| error.contains("passed")));
        assert!(coming("0s").is_err() && coming("soon").is_err());
    }

    #[test]
    fn moments_have_their_dates() {
        for (seconds, date) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_767_225_600, "2026-01-01 00:00 UTC"),
            (4_107_542_399, "2100-02-28 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(utc(seconds * 1000), date);
        }
    }
}
