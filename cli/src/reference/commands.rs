//! The page of every command with its options.

use clap::{Arg, ArgAction, Command};

use super::markdown::{code, sentence, table};
use crate::help;

const INTRO: &str = "\
# Commands

Every command of `sprig`, in the groups of `sprig --help`. [What programs read](json.md) with `--json`, [exit
codes](exit-codes.md), and [how options are set](configuration.md) by a file or by the environment
have pages of their own.

";

pub fn page() -> String {
    let mut root = help::command();
    root.build();
    let mut text = INTRO.to_owned();
    text += "## Options of all commands\n\n";
    text += &options(root.get_arguments().filter(|arg| arg.is_global_set()));
    for (group, names) in help::GROUPS {
        text += &format!("\n## {group}\n");
        for name in names.iter().filter(|&&name| name != "help") {
            let Some(command) = root.find_subcommand(name) else { continue };
            describe(&mut text, &format!("sprig {name}"), command);
        }
    }
    text
}

fn describe(text: &mut String, name: &str, command: &Command) {
    *text += &format!("\n### {name}\n\n");
    let about = command.get_long_about().or(command.get_about());
    for part in about.map(ToString::to_string).unwrap_or_default().split("\n\n") {
        *text += &format!("{}\n\n", sentence(part));
    }
    let subcommands: Vec<_> = shown(command).collect();
    if subcommands.is_empty() {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").replace('\n', " ");
        *text += &format!(
            "```text\n{}\n```\n\n",
            usage.split_whitespace().collect::<Vec<_>>().join(" ")
        );
        let own = |arg: &&Arg| !arg.is_global_set() && !arg.is_hide_set();
        *text += &options(command.get_arguments().filter(own));
    }
    if let Some(after) = command.get_after_help().filter(|_| subcommands.is_empty()) {
        *text += &format!("\n```text\n{}\n```\n", after.to_string().trim_end());
    }
    for command in subcommands {
        describe(text, &format!("{name} {}", command.get_name()), command);
    }
}

/// The subcommands that people see.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help")
}

fn options<'a>(arguments: impl Iterator<Item = &'a Arg>) -> String {
    let ours = |arg: &&Arg| !matches!(arg.get_id().as_str(), "help" | "version");
    let rows: Vec<_> =
        arguments.filter(ours).map(|arg| [code(&spelt(arg)), meaning(arg)]).collect();
    match rows.is_empty() {
        true => "No options.\n".to_owned(),
        false => table(["option", "meaning"], rows.into_iter()),
    }
}

/// How the option is typed.
pub(super) fn spelt(arg: &Arg) -> String {
    let takes = !matches!(
        arg.get_action(),
        ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count | ArgAction::Help
    );
    let value = || {
        let names = arg.get_value_names().unwrap_or_default();
        names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let Some(long) = arg.get_long() else {
        return if value().is_empty() { arg.get_id().as_str().to_uppercase() } else { value() };
    };
    let short = arg.get_short().map_or_else(String::new, |short| format!("-{short}, "));
    if takes { format!("{short}--{long} {}", value()) } else { format!("{short}--{long}") }
}

/// The meaning of the option, its values, its variable and its default.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help());
    let mut text = sentence(&help.map(ToString::to_string).unwrap_or_default());
    let values = arg.get_possible_values();
    let values: Vec<_> = values.iter().filter(|value| !value.is_hide_set()).collect();
    if !values.is_empty() && values.iter().any(|value| value.get_name() != "true") {
        let values: Vec<_> = values.iter().map(|value| code(value.get_name())).collect();
        text += &format!(" One of {}.", values.join(", "));
    }
    if let Some(default) = default(arg) {
        text += &format!(" Default: {}.", code(&default));
    }
    if let Some(variable) = arg.get_env() {
        text += &format!(" Variable: `{}`.", variable.to_string_lossy());
    }
    text.trim_start().to_owned()
}

/// The built-in default of an option, unless the option hides it.
pub(super) fn default(arg: &Arg) -> Option<String> {
    let values = arg.get_default_values();
    let is_flag = !arg.get_action().takes_values();
    if values.is_empty() || is_flag || arg.is_hide_default_value_set() {
        return None;
    }
    Some(values.iter().map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(" "))
}
