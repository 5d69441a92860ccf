//! The page of every option that a file or the environment can set.

use std::collections::BTreeMap;

use clap::Command;

use super::commands::default;
use super::markdown::{code, table};
use crate::help;
use crate::settings::is_setting;

const INTRO: &str = "\
# Configuration

Every option that a configuration file can set, and the variable that sets it. The command line wins
over the environment, the environment over the file, the file over what is built in. Before the first
section of the file a setting is for every command that has the option; in the section of a command it
is for that one alone. `sprig config show COMMAND` says what holds and where it comes from;
[settings](../settings.md) says where the file lies.

";

/// An option, which several commands may have.
#[derive(Default)]
struct Setting {
    variable: Option<String>,
    default: Option<String>,
    commands: Vec<String>,
    /// Those of them that heed the variable.
    heeding: Vec<String>,
}

pub fn page() -> String {
    let mut root = help::command();
    root.build();
    let mut settings = BTreeMap::new();
    collect(&root, "", &mut settings);
    let rows = settings.iter().map(|(name, setting): (&String, &Setting)| {
        let commands = match setting.commands.len() {
            0 => "all".to_owned(),
            _ => setting.commands.join(", "),
        };
        let variable = setting.variable.as_deref().map(code).unwrap_or_default();
        let variable = match setting.heeding.len() {
            0 => variable,
            all if all == setting.commands.len() => variable,
            _ => format!("{variable} (of {})", setting.heeding.join(", ")),
        };
        [code(name), variable, setting.default.as_deref().map(code).unwrap_or_default(), commands]
    });
    INTRO.to_owned() + &table(["setting", "variable", "default", "commands"], rows)
}

fn collect(command: &Command, path: &str, settings: &mut BTreeMap<String, Setting>) {
    for arg in command.get_arguments().filter(|arg| is_setting(arg) && !arg.is_hide_set()) {
        let is_global = arg.is_global_set();
        if is_global && !path.is_empty() {
            continue;
        }
        let setting = settings.entry(arg.get_long().unwrap_or_default().to_owned()).or_default();
        let variable = arg.get_env().map(|name| name.to_string_lossy().into_owned());
        let is_heeded = variable.is_some();
        setting.variable = setting.variable.take().or(variable);
        setting.default = setting.default.take().or_else(|| default(arg));
        if !is_global {
            setting.commands.push(path.to_owned());
            if is_heeded {
                setting.heeding.push(path.to_owned());
            }
        }
    }
    for sub in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        collect(sub, format!("{path} {}", sub.get_name()).trim_start(), settings);
    }
}
