//! Switches that may stand in the environment.

/// Reads yes or no. Any other word is refused: it might be meant as a no, and would be a yes. Nothing is a no, as
/// in `SPRIG_INSECURE=` of a file for systemd, which the parser of the library for options refuses.
///
/// # Errors
/// When it is neither.
pub fn switch(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "1" | "y" | "yes" | "t" | "true" | "on" => Ok(true),
        "" | "0" | "n" | "no" | "f" | "false" | "off" => Ok(false),
        _ => Err("write yes or no".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        assert_eq!(["yes", "1", "TRUE", " on "].map(switch), [const { Ok(true) }; 4]);
        assert_eq!(["", "no", "0", "Off"].map(switch), [const { Ok(false) }; 4]);
        for neither in ["none", "maybe", "no # ours", "disabled"] {
            assert!(switch(neither).is_err(), "{neither}");
        }
    }
}
