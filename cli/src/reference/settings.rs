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

/// An option, which several commands may have, with variables and defaults of their own.
#[derive(Default)]
struct Setting {
    commands: Vec<String>,
    /// Each variable, and the commands that heed it.
    variables: BTreeMap<String, Vec<String>>,
    /// Each default, and the commands that have it.
    defaults: BTreeMap<String, Vec<String>>,
}

impl Setting {
    /// What commands have, with their names where not all have it.
    fn cell(&self, values: &BTreeMap<String, Vec<String>>) -> String {
        let value = |(value, of): (&String, &Vec<String>)| match of.len() {
            all if all == self.commands.len() => code(value),
            _ => format!("{} (of {})", code(value), of.join(", ")),
        };
        values.iter().map(value).collect::<Vec<_>>().join("; ")
    }
}

pub fn page() -> String {
    let mut root = help::command();
    root.build();
    let mut settings = BTreeMap::new();
    collect(&root, "", &mut settings);
    let rows = settings.iter().map(|(name, setting): (&String, &Setting)| {
        let commands = match &setting.commands[..] {
            [all] if all.is_empty() => "all".to_owned(),
            commands => commands.join(", "),
        };
        let [variable, default] =
            [&setting.variables, &setting.defaults].map(|of| setting.cell(of));
        [code(name), variable, default, commands]
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
        let values = [(variable, &mut setting.variables), (default(arg), &mut setting.defaults)];
        for (value, of) in values {
            if let Some(value) = value {
                of.entry(value).or_default().push(path.to_owned());
            }
        }
        setting.commands.push(path.to_owned());
    }
    for sub in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        collect(sub, format!("{path} {}", sub.get_name()).trim_start(), settings);
    }
}
