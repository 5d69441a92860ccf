//! Texts for people: names, reasons, builds. They end up on the terminals and in the logs of other
//! people.

use super::{Malformed, within};
use crate::limits;

/// Whether a text shows as what it is: no control characters, no line ends, nothing invisible that
/// changes how the rest looks.
#[must_use]
pub fn is_printable(text: &str) -> bool {
    let quotes = |c: &char| matches!(c, '"' | '\'' | '\\');
    let plain: String = text.chars().filter(|c| !quotes(c)).collect();
    plain.escape_debug().eq(plain.chars())
}

/// Checks the length of a text.
pub(super) fn text(what: &'static str, text: String) -> Result<String, Malformed> {
    within(what, text.len(), limits::TEXT_BYTES)?;
    Ok(text)
}

/// Checks a name that others will see.
pub(super) fn name(what: &'static str, name: String) -> Result<String, Malformed> {
    let name = text(what, name)?;
    let flaw = if name.is_empty() {
        "it is empty"
    } else if !is_printable(&name) {
        "it has control characters"
    } else {
        return Ok(name);
    };
    Err(Malformed::Name { what, text: name, flaw })
}

/// Checks an owner or a label of jobs, which others will see. It may be empty.
///
/// # Errors
/// When it is too long, or has characters that do not show.
pub fn label(what: &'static str, label: String) -> Result<String, Malformed> {
    within(what, label.len(), limits::LABEL_BYTES)?;
    if label.is_empty() { Ok(label) } else { name(what, label) }
}

/// A reason that others will see. Characters that cannot be printed are escaped, so that the
/// message is not lost.
pub(super) fn reason(what: &'static str, reason: String) -> Result<String, Malformed> {
    let reason = text(what, reason)?;
    Ok(if is_printable(&reason) { reason } else { reason.escape_debug().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_change_a_terminal_is_no_name() {
        for good in ["node-7", "Zoë's \"box\"", "機械 1", "a\\b"] {
            assert_eq!(name("name", good.into()), Ok(good.into()));
        }
        for bad in
            ["", "x\ty", "a\nb", "\u{1b}]0;title", "a\0", "\u{202e}evil", "a\u{200b}b", "\u{9b}2J"]
        {
            let error = name("name", bad.into()).unwrap_err();
            assert!(error.to_string().chars().all(|c| !c.is_control()), "{error}");
        }
    }

    #[test]
    fn a_reason_is_heard_whatever_is_in_it() {
        assert_eq!(reason("failure", "too large".into()), Ok("too large".into()));
        assert_eq!(reason("failure", "\u{1b}[2Jx\n".into()), Ok("\\u{1b}[2Jx\\n".into()));
    }
}
