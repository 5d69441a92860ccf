//! Settings in a file: the values of options that neither the command line nor the environment
//! gives.
//!
//! A setting has the name of its option. Before the first section it is for every command that has
//! the option. In the section of a command (`[worker]`, `[db.check]`) it is for that command alone,
//! and wins. Each setting becomes the default of its option, so that clap's own order holds:
//! command line, environment, file, built-in default.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::OsStr;
use clap::{Arg, ArgAction, Command};
use toml::de::{DeTable, DeValue};

use crate::failure::{Usage, quote};

/// The environment variable that names the file.
pub const FILE: &str = "SPRIG_CONFIG";

/// Where the file of the system lies.
const SYSTEM: &str = "/etc/sprig/sprig.toml";

/// A larger file is no file of settings.
const LARGEST: u64 = 1 << 20;

/// Options that choose the file, or that cannot be a setting for another reason.
const NO_SETTINGS: [&str; 4] = ["config", "help", "version", "json"];

/// The settings of one file.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The file, if there is one.
    pub file: Option<PathBuf>,
    /// Settings for every command that has the option.
    everywhere: BTreeMap<String, Setting>,
    /// Settings for one command, by the names that lead to it.
    sections: BTreeMap<Vec<String>, BTreeMap<String, Setting>>,
}

/// The value of one setting, and the line where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The value as it would be typed. There are several for an option that may be given several
    /// times.
    pub values: Vec<String>,
    /// The line in the file, counted from 1.
    pub line: usize,
}

impl Settings {
    /// Reads the file that the arguments or the environment name. Without such a name it reads the
    /// user's file, or else the system's, if one of them exists.
    ///
    /// # Errors
    /// What is wrong with the file, and in which line.
    pub fn find(arguments: impl Iterator<Item = OsString>) -> anyhow::Result<Self> {
        let named = named(arguments).or_else(|| env::var_os(FILE).map(PathBuf::from));
        let file = named.filter(|file| !file.as_os_str().is_empty());
        let Some(file) = file.or_else(usual) else { return Ok(Self::default()) };
        let text = read(&file).with_context(|| format!("configuration {}", file.display()))?;
        Self::parse(&text, &file).map_err(Into::into)
    }

    /// Reads the text of a file. Its settings are checked later, by [`Settings::give`].
    ///
    /// # Errors
    /// What is wrong with the text, and in which line.
    fn parse(text: &str, file: &Path) -> Result<Self, Usage> {
        let place = Place { text, file };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            place.refuse(at, &format!("is no TOML: {}", error.message()))
        })?;
        let mut settings = Self { file: Some(file.to_owned()), ..Self::default() };
        settings.gather(table.get_ref(), &mut Vec::new(), &place)?;
        Ok(settings)
    }

    fn gather(
        &mut self,
        table: &DeTable,
        path: &mut Vec<String>,
        place: &Place,
    ) -> Result<(), Usage> {
        for (key, value) in table {
            let (name, at) = (key.get_ref().to_string(), key.span().start);
            if let DeValue::Table(section) = value.get_ref() {
                path.push(name);
                self.sections.entry(path.clone()).or_default();
                self.gather(section, path, place)?;
                path.pop();
                continue;
            }
            let values = values(value.get_ref()).ok_or_else(|| {
                place.refuse(
                    at,
                    &format!("`{name}` is no text, number, yes or no, or list of these"),
                )
            })?;
            let setting = Setting { values, line: place.line(at) };
            if path.is_empty() {
                self.everywhere.insert(name, setting);
            } else {
                self.sections.entry(path.clone()).or_default().insert(name, setting);
            }
        }
        Ok(())
    }

    /// Gives the settings to the options of a command line.
    ///
    /// # Errors
    /// A section without a command, a setting without an option, or a value that its option does
    /// not take.
    pub fn give(&self, mut root: Command) -> Result<Command, Usage> {
        for (path, section) in &self.sections {
            let found = path.iter().try_fold(&root, |command, name| command.find_subcommand(name));
            let Some(command) = found.filter(|command| command.get_name() != "help") else {
                let line = section.values().map(|setting| setting.line).min();
                return Err(
                    self.refuse(line, &format!("there is no command `sprig {}`", path.join(" ")))
                );
            };
            for (name, setting) in section {
                let Some(option) = option(command, name) else {
                    let command = format!("`sprig {}` has no option `--{name}`", path.join(" "));
                    return Err(self.refuse(Some(setting.line), &command));
                };
                self.check(option, name, setting)?;
            }
        }
        for (name, setting) in &self.everywhere {
            let Some(option) = anywhere(&root, name) else {
                return Err(self
                    .refuse(Some(setting.line), &format!("no command has an option `--{name}`")));
            };
            self.check(&option, name, setting)?;
        }
        if self.file.is_some() {
            root = self.dress(root, &[]);
        }
        Ok(root)
    }

    /// The setting for an option of a command.
    pub fn of(&self, path: &[String], name: &str) -> Option<&Setting> {
        let own = self.sections.get(path).and_then(|section| section.get(name));
        own.or_else(|| self.everywhere.get(name))
    }

    fn dress(&self, command: Command, path: &[String]) -> Command {
        let command = command.mut_args(|arg| {
            let setting = is_setting(&arg).then(|| arg.get_long()).flatten();
            match setting.and_then(|name| self.of(path, name)) {
                Some(setting) => {
                    let values = setting.values.iter().map(|value| OsStr::from(leak(value)));
                    arg.required(false).default_values(values)
                }
                None => arg,
            }
        });
        command.mut_subcommands(|sub| {
            let mut path = path.to_vec();
            path.push(sub.get_name().to_owned());
            self.dress(sub, &path)
        })
    }

    /// Checks a value by the parser of its own option.
    fn check(&self, option: &Arg, name: &str, setting: &Setting) -> Result<(), Usage> {
        let is_flag = matches!(option.get_action(), ArgAction::SetTrue);
        let mut arguments = vec!["sprig".to_owned()];
        for value in &setting.values {
            match value.as_str() {
                "true" | "false" if is_flag => {}
                _ if is_flag => {
                    let problem = format!("`{name}` is true or false, not {}", quote(value));
                    return Err(self.refuse(Some(setting.line), &problem));
                }
                _ => arguments.push(format!("--{name}={value}")),
            }
        }
        let parsed = Command::new("sprig").arg(lonely(option)).try_get_matches_from(arguments);
        parsed.map(drop).map_err(|error| {
            let text = error.render().to_string();
            let first = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
            let said = first.split_whitespace().collect::<Vec<_>>().join(" ");
            self.refuse(Some(setting.line), &said)
        })
    }

    fn refuse(&self, line: Option<usize>, problem: &str) -> Usage {
        let file = self.file.as_deref().unwrap_or(Path::new(""));
        let line = line.map_or_else(String::new, |line| format!(", line {line}"));
        Usage(format!(
            "configuration {}{line}: {problem}; `sprig config show` lists what can be set",
            file.display()
        ))
    }
}

/// The option without its environment, and without its relations to other options.
fn lonely(option: &Arg) -> Arg {
    let lone = Arg::new("value").long(leak(option.get_long().unwrap_or_default()));
    let lone =
        lone.action(option.get_action().clone()).value_parser(option.get_value_parser().clone());
    match (option.get_value_names(), option.get_num_args()) {
        (Some(names), Some(number)) => lone.value_names(names.to_vec()).num_args(number),
        (Some(names), None) => lone.value_names(names.to_vec()),
        (None, _) => lone,
    }
}

/// A text and its file, for the lines in messages.
struct Place<'a> {
    text: &'a str,
    file: &'a Path,
}

impl Place<'_> {
    fn line(&self, at: usize) -> usize {
        self.text.as_bytes()[..at.min(self.text.len())]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1
    }

    fn refuse(&self, at: usize, problem: &str) -> Usage {
        Usage(format!("configuration {}, line {}: {problem}", self.file.display(), self.line(at)))
    }
}

/// The file that `--config` names. It must be known before clap reads the arguments.
fn named(arguments: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    let mut arguments = arguments.take_while(|argument| argument != "--");
    while let Some(argument) = arguments.next() {
        if argument == "--config" {
            return arguments.next().map(PathBuf::from);
        }
        if let Some(file) = argument.to_str().and_then(|text| text.strip_prefix("--config=")) {
            return Some(PathBuf::from(file));
        }
    }
    None
}

/// The user's file, or else the system's, if one of them exists.
fn usual() -> Option<PathBuf> {
    let home = env::var_os("HOME")
        .filter(|home| !home.is_empty())
        .map(|home| PathBuf::from(home).join(".config"));
    let folder = env::var_os("XDG_CONFIG_HOME")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
        .or(home);
    let users = folder.map(|folder| folder.join("sprig/sprig.toml"));
    users.into_iter().chain([PathBuf::from(SYSTEM)]).find(|file| file.exists())
}

fn read(file: &Path) -> anyhow::Result<String> {
    let about = fs::metadata(file)?;
    anyhow::ensure!(about.is_file(), "is no file");
    anyhow::ensure!(about.len() <= LARGEST, "has {} bytes, which is no configuration", about.len());
    Ok(fs::read_to_string(file)?)
}

fn values(value: &DeValue) -> Option<Vec<String>> {
    let one = match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(is) => is.to_string(),
        DeValue::Array(list) => {
            let all = list.iter().map(|value| values(value.get_ref()));
            return all.collect::<Option<Vec<_>>>().map(|all| all.concat());
        }
        DeValue::Table(_) | DeValue::Datetime(_) => return None,
    };
    Some(vec![one])
}

/// Whether an option can be set by a file.
pub fn is_setting(option: &Arg) -> bool {
    let is_option = option.get_long().is_some_and(|name| !NO_SETTINGS.contains(&name));
    is_option && !matches!(option.get_action(), ArgAction::Count)
}

fn option<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().filter(|arg| is_setting(arg)).find(|arg| arg.get_long() == Some(name))
}

/// An option with this name, of any command.
fn anywhere(command: &Command, name: &str) -> Option<Arg> {
    let own = option(command, name).cloned();
    own.or_else(|| command.get_subcommands().find_map(|sub| anywhere(sub, name)))
}

/// A text that lives as long as the process, as clap wants for defaults.
fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    fn given(text: &str) -> Result<Command, String> {
        let settings = Settings::parse(text, Path::new("x.toml")).map_err(|usage| usage.0)?;
        settings.give(Cli::command()).map_err(|usage| usage.0)
    }

    #[test]
    fn a_setting_is_a_default() {
        let text = "progress = 'none'\nthreads = 3\n[worker]\nthreads = 5\nname = 'x'\n";
        let command = given(text).expect("it is right");
        let matches = command.clone().try_get_matches_from(["sprig", "worker"]).expect("it parses");
        let (_, worker) = matches.subcommand().expect("a command");
        let threads = |found: &clap::ArgMatches| {
            found.get_raw("threads").expect("set").next().expect("one").to_owned()
        };
        assert_eq!(threads(worker), "5");
        assert_eq!(worker.get_one::<String>("name").map(String::as_str), Some("x"));
        let typed =
            command.try_get_matches_from(["sprig", "worker", "--threads", "2"]).expect("it parses");
        assert_eq!(threads(typed.subcommand().expect("a command").1), "2");
    }

    #[test]
    fn what_is_wrong_names_its_line() {
        for (text, said) in [
            ("a = 1\n", "line 1: no command has an option `--a`"),
            ("\n[worker]\n\nthread = 1\n", "line 4: `sprig worker` has no option `--thread`"),
            ("[wroker]\nthreads = 1\n", "line 2: there is no command `sprig wroker`"),
            ("[worker]\nthreads = 'many'\n", "line 2: invalid value 'many' for '--threads"),
            ("[worker]\nthreads = \n", "line 2: is no TOML"),
            ("[worker]\ninsecure = 3\n", "line 2: `insecure` is true or false, not `3`"),
            ("[worker]\nname = 1979-05-27\n", "line 2: `name` is no text"),
            ("config = 'y'\n", "line 1: no command has an option `--config`"),
        ] {
            let error = given(text).expect_err(text);
            assert!(
                error.starts_with("configuration x.toml, ") && error.contains(said),
                "{text:?}: {error}"
            );
        }
    }
}
