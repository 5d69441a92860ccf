//! The list of commands in groups, which clap cannot draw by itself.

use clap::{Command, CommandFactory, FromArgMatches};

use crate::cli::Cli;
use crate::settings::Settings;

/// The groups, with their commands in the order in which a person meets them.
pub const GROUPS: [(&str, &[&str]); 8] = [
    (
        "Solve",
        &[
            "solve", "nimber", "campaign", "starts", "plan", "surfaces", "moves", "best", "query",
            "explore", "canon", "children", "length", "draw",
        ],
    ),
    ("Proofs", &["certify", "verify", "certificate", "play-out"]),
    ("Games on paper", &["play", "replay", "cards"]),
    (
        "Data",
        &[
            "import", "export", "merge", "publish", "fetch", "audit", "adopt", "db", "backup",
            "restore",
        ],
    ),
    (
        "Cluster",
        &[
            "coordinator",
            "worker",
            "follow",
            "promote",
            "hand-in",
            "submit",
            "status",
            "jobs",
            "workers",
            "top",
            "look",
            "wish",
            "pause",
            "resume",
            "cancel",
            "priority",
            "budget",
            "deadline",
            "drain",
            "certs",
            "token",
            "invite",
            "credit",
            "unban",
        ],
    ),
    (
        "Misère play",
        &["rct", "rct-base", "tree-counts", "small-trees", "compare", "quotient", "node"],
    ),
    ("Other games", &["brussels", "antwerp", "pousse", "impossible", "octal"]),
    (LAST, &["doctor", "config", "bench", "version", "completions", "man", "help"]),
];

/// The heading of commands that no group names.
const LAST: &str = "Tools";

/// clap's own text for the command `help`.
const HELP: &str = "Print this message or the help of the given subcommand(s)";

/// The widest help text, in columns.
pub const WIDEST: usize = 100;

/// The narrowest width to which text is wrapped.
const NARROWEST: usize = 40;

/// The whole command line, with its list of commands.
pub fn command() -> Command {
    let command = Cli::command();
    let width = terminal_size::terminal_size().map_or(WIDEST, |(width, _)| width.0.into());
    let list = list(&command, width.clamp(NARROWEST, WIDEST));
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"
    ))
}

/// Reads the arguments of the process, beside the settings of its file.
///
/// # Errors
/// What is wrong with the file. What is wrong with the arguments, and help that was asked for, is
/// in the inner result.
pub fn parse() -> anyhow::Result<Result<Cli, clap::Error>> {
    let command = Settings::find(std::env::args_os())?.give(command())?;
    let matches = command.try_get_matches();
    Ok(matches.and_then(|matches| Cli::from_arg_matches(&matches)))
}

fn list(command: &Command, width: usize) -> String {
    // clap makes `help` only when it builds all commands, which would cost a millisecond at each
    // start.
    let help = Command::new("help").about(HELP);
    let commands = command.get_subcommands().filter(|c| !c.is_hide_set());
    let commands: Vec<_> = commands.chain([&help]).collect();
    let column = commands.iter().map(|c| c.get_name().len()).max().unwrap_or(0) + 4;
    let named = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let mut text = String::new();
    for (group, names) in GROUPS {
        let listed =
            names.iter().filter_map(|&name| commands.iter().find(|c| c.get_name() == name));
        let others = commands.iter().filter(|c| group == LAST && !named(c.get_name()));
        text += &format!("{group}:\n");
        for command in listed.chain(others) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let name = format!("  {}", command.get_name());
            text += &format!("{name:column$}{}\n", hanging(&about, column, width));
        }
        text.push('\n');
    }
    text
}

/// The text wrapped so that every line but the first begins at `column`, and none is wider than
/// `width`.
fn hanging(text: &str, column: usize, width: usize) -> String {
    let (mut lines, mut used) = (String::new(), column);
    for (number, word) in text.split_whitespace().enumerate() {
        let length = word.chars().count();
        if number > 0 && used + 1 + length > width {
            lines += &format!("\n{:column$}", "");
            used = column;
        } else if number > 0 {
            lines.push(' ');
            used += 1;
        }
        lines += word;
        used += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_a_group() {
        let mut command = command();
        command.build();
        for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = command.get_name();
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&name));
            assert_eq!(groups.count(), 1, "{name}");
        }
    }

    #[test]
    fn no_line_of_the_list_is_wider_than_the_terminal() {
        let list = list(&Cli::command(), 60);
        let mut built = Cli::command();
        built.build();
        let help = built.find_subcommand("help").and_then(Command::get_about);
        assert_eq!(help.map(ToString::to_string).as_deref(), Some(HELP));
        assert!(list.lines().all(|line| line.chars().count() <= 60), "{list}");
    }
}
