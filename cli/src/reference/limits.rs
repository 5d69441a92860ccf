//! The page of the limits on what a peer may send.

use super::markdown::{code, sentence, table};

const SOURCE: &str = include_str!("../../../proto/src/limits.rs");

const INTRO: &str = "\
# Limits

Bounds on what a peer may send, of `proto/src/limits.rs`. Both sides keep to them and both sides enforce them.
[Security](../security.md#limits) says what becomes of who does not, [budgets](../budgets.md) what work may cost.

";

pub fn page() -> String {
    let rows = limits().map(|(name, value, about)| {
        let text = match value {
            bytes if name.ends_with("BYTES") && bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
            bytes if name.ends_with("BYTES") && bytes >= 1 << 10 => format!("{} KiB", bytes >> 10),
            other => other.to_string(),
        };
        [code(name), text, sentence(&about.replace(['[', ']'], ""))]
    });
    INTRO.to_owned() + &table(["limit", "value", "meaning"], rows)
}

/// Each limit: its name, its value, and its doc comment.
fn limits() -> impl Iterator<Item = (&'static str, u64, String)> {
    let mut about = String::new();
    SOURCE.lines().filter_map(move |line| {
        if let Some(words) = line.strip_prefix("///") {
            about += words;
        }
        let (name, rest) = line.strip_prefix("pub const ")?.split_once(": ")?;
        let (_, value) = rest.trim_end_matches(';').split_once(" = ")?;
        Some((name, worth(value), std::mem::take(&mut about)))
    })
}

/// The value of a number, which may be written with a shift.
fn worth(value: &str) -> u64 {
    let number = |text: &str| text.trim().replace('_', "").parse::<u64>().expect("a number");
    match value.split_once("<<") {
        Some((number_of, by)) => number(number_of) << number(by),
        None => number(value),
    }
}

#[cfg(test)]
mod tests {
    use sprig_proto::limits as of_the_wire;

    use super::*;

    #[test]
    fn the_values_are_those_of_the_code() {
        let of = |name: &str| limits().find(|limit| limit.0 == name).expect("it is listed").1;
        assert_eq!(of("MESSAGE_BYTES"), of_the_wire::MESSAGE_BYTES as u64);
        assert_eq!(of("CONNECTIONS"), of_the_wire::CONNECTIONS as u64);
        assert_eq!(of("CALLS_PER_SECOND"), u64::from(of_the_wire::CALLS_PER_SECOND));
        assert_eq!(limits().count(), SOURCE.matches("pub const ").count());
        assert!(limits().all(|(name, _, about)| !about.is_empty() || name.is_empty()));
    }
}
