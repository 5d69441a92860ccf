//! The page of the ways in which commands end.

use super::markdown::{code, table};
use crate::failure::{ERRORS, EXIT_CODES};

const INTRO: &str = "\
# Exit codes and errors

An error is one line on standard error that says what is wrong, where, and what to do.

";

const BETWEEN: &str = "
A command with `--json` that fails prints `{\"error\": {\"code\": .., \"message\": ..}}` as its last line of standard
output. Of several positions, one that has no answer gives `{\"position\": .., \"line\": NUMBER, \"error\": ..}`; `line`
is there for a position of a file alone. Of several certificates, `verify` says it as `{\"file\": .., \"error\": ..}`.

";

pub fn page() -> String {
    let codes = EXIT_CODES.iter().map(|(code, meaning)| [code.to_string(), (*meaning).to_owned()]);
    let errors = ERRORS.iter().map(|(word, meaning)| [code(word), (*meaning).to_owned()]);
    let codes = table(["exit code", "meaning"], codes);
    INTRO.to_owned() + &codes + BETWEEN + &table(["code", "meaning"], errors)
}
