//! Numbers with their nouns.

use std::fmt::Display;

/// A number with its noun: `1 worker`, `2 workers`.
pub fn plural<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    let end = match (count == N::from(1), hisses) {
        (true, _) => "",
        (false, true) => "es",
        (false, false) => "s",
    };
    format!("{count} {noun}{end}")
}

/// A number with its noun and its verb, in the forms for one and for more: `1 fact is`,
/// `2 facts are`.
pub fn with_verb<N: Display + PartialEq + From<u8>>(
    count: N,
    noun: &str,
    [one, more]: [&str; 2],
) -> String {
    let verb = if count == N::from(1) { one } else { more };
    format!("{} {verb}", plural(count, noun))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        let said = [0_usize, 1, 2].map(|count| plural(count, "worker"));
        assert_eq!(said, ["0 workers", "1 worker", "2 workers"]);
        assert_eq!([1, 2].map(|count| plural(count, "wish")), ["1 wish", "2 wishes"]);
        let said = [1_u64, 7].map(|count| with_verb(count, "fact", ["is", "are"]));
        assert_eq!(said, ["1 fact is", "7 facts are"]);
    }
}
