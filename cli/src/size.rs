//! Sizes of memory on the command line: `512M`, `4G`.

/// Reads a number of bytes with an optional binary suffix K, M, G or T.
///
/// # Errors
/// What is expected, when the text is something else.
pub fn parse(text: &str) -> Result<usize, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[number.len()..].to_ascii_uppercase().as_str() {
        "" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err("a size is a number with K, M, G or T, as in 512M or 4G".to_owned()),
    };
    number
        .parse::<usize>()
        .ok()
        .and_then(|n| n.checked_mul(1 << shift))
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| "a size is a whole number above 0 with K, M, G or T, as in 512M or 4G".to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes_are_binary() {
        assert_eq!(parse("4096"), Ok(4096));
        assert_eq!(parse("512M"), Ok(512 << 20));
        assert_eq!(parse("4g"), Ok(4 << 30));
        assert_eq!(parse("1GiB"), Ok(1 << 30));
        for bad in ["", "G", "0", "-1G", "1.5G", "4X", "99999999999999999999", "99999999999T"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
