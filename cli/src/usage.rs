//! Wrong usage, in the same style as every other failure: one line with the remedy.

use std::process::ExitCode;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::failure::{self, Usage};
use crate::help;

/// The remedy for options about nimbers in misère play.
const NO_NIMBERS: &str = "is about normal play: in misère play a position is worth a tree and not a number; `sprig solve POS --misere` says who wins, `sprig rct POS` prints the tree";

/// Why a program lacks most commands.
const SMALL: &str = "this program is a worker and a client, built without a database: the whole sprig has more commands";

/// Prints the help that was asked for, or the error of the arguments, and gives the exit code.
pub fn report(error: &Error, json: bool) -> ExitCode {
    match error.kind() {
        // clap prints help to standard output, and missing arguments to standard error.
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            if !(json && error.use_stderr()) =>
        {
            // If the reader is gone, the help need not be printed.
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1))
        }
        _ => failure::report(Err(Usage(message(error)).into()), json),
    }
}

/// The line that says what is wrong.
fn message(error: &Error) -> String {
    let text = error.render().to_string();
    let command = command(&text);
    let argument = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.as_str(),
        _ => "",
    };
    if error.kind() == ErrorKind::UnknownArgument && argument == "--misere" {
        return format!("`{command}` {NO_NIMBERS}");
    }
    let paragraphs = text.trim_start_matches("error: ").split("\n\n");
    let parts = paragraphs.flat_map(|paragraph| paragraph.split("\n  tip: ")).filter_map(|part| {
        let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
        let part = part.trim_start_matches("tip: ").trim_end_matches('.').to_owned();
        let is_said = !["Usage:", "For more information", "to pass "]
            .iter()
            .any(|start| part.starts_with(start));
        (is_said && !part.is_empty()).then_some(part)
    });
    let mut parts: Vec<String> = parts.collect();
    if !cfg!(feature = "coordinator") && error.kind() == ErrorKind::InvalidSubcommand {
        parts.push(SMALL.to_owned());
    }
    if matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation) {
        parts.extend(empty_variable(&command, argument));
    }
    if error.kind() == ErrorKind::UnknownArgument {
        parts.extend(value_apart(&command, argument));
    }
    format!("{}; `{command} --help` has examples", parts.join("; "))
}

/// The options of a command, as its usage names it.
fn options(command: &str) -> Vec<clap::Arg> {
    let mut options = help::command();
    for word in command.split_whitespace().skip(1) {
        let Some(deeper) = options.find_subcommand(word) else { break };
        options = deeper.clone();
    }
    options.get_arguments().cloned().collect()
}

/// What to do about an option without a value, if an empty variable stands in its place.
fn empty_variable(command: &str, argument: &str) -> Option<String> {
    let name = argument.strip_prefix("--")?.split_whitespace().next()?;
    let options = options(command);
    let variable = options.iter().find(|option| option.get_long() == Some(name))?.get_env()?;
    let is_given = std::env::args().any(|typed| {
        let typed = typed.strip_prefix("--").unwrap_or_default();
        typed.split('=').next() == Some(name)
    });
    let is_empty = std::env::var_os(variable).is_some_and(|value| value.is_empty());
    let variable = variable.to_string_lossy();
    (is_empty && !is_given).then(|| format!("{variable} is set and empty: unset it, or fill it in"))
}

/// What to do about an argument that stands behind an option which takes its value after `=`.
fn value_apart(command: &str, argument: &str) -> Option<String> {
    let typed: Vec<String> = std::env::args().collect();
    let before = typed.iter().zip(typed.iter().skip(1));
    let (option, _) = before.into_iter().find(|(_, next)| *next == argument)?;
    let options = options(command);
    let long = options.iter().find(|known| known.get_long() == option.strip_prefix("--"))?;
    long.is_require_equals_set()
        .then(|| format!("its value stands behind `=`: `{option}={argument}`"))
}

/// The command that was meant, as its usage names it.
fn command(text: &str) -> String {
    if let Some(usage) = text.split("Usage: ").nth(1) {
        let words = usage.split_whitespace();
        let words = words.take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
        return words.collect::<Vec<_>>().join(" ");
    }
    // The error of a value comes without the usage, so the command is taken from the arguments.
    let typed = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let typed = typed.filter(|name| help::command().find_subcommand(name).is_some());
    typed.map_or_else(|| "sprig".to_owned(), |name| format!("sprig {name}"))
}
