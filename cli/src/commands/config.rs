//! `sprig config`: the settings in force, and where each comes from.

use std::env;
use std::process::ExitCode;

use clap::{Arg, Args, Command, Subcommand};
use serde::Serialize;

use crate::failure::{Usage, quote};
use crate::help;
use crate::output::{self, Answer, Format};
use crate::settings::{Settings, is_setting};
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  sprig config show worker               every option of `sprig worker`: its value, and where that comes from
  sprig config show coordinator --json   for programs
  sprig --config site.toml config show   the file is right, or it is said what is wrong

A file is TOML. A setting has the name of its option; before the first section it is for every command that has the
option, in the section of a command it is for that one alone:

  coordinator = \"https://10.0.0.1:7425\"
  tls-ca = \"/etc/sprig/ca.pem\"

  [worker]
  threads = 8
  memory = \"16G\"
  insecure = false";

/// The service of this program whose settings are shown by default.
const USUAL: &str = if cfg!(feature = "coordinator") { "coordinator" } else { "worker" };

/// Show what the settings are worth, and where they come from: the environment, the configuration file, or built in
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Config {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Every option of a command, its value, and where that comes from
    #[command(after_help = EXAMPLES)]
    Show(Show),
}

#[derive(Args)]
struct Show {
    /// The command; with several words, as in `db check`
    #[arg(default_values = [USUAL])]
    command: Vec<String>,
    #[command(flatten)]
    format: Format,
}

/// Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Shown {
    /// The command.
    command: String,
    file: Option<String>,
    /// Its options.
    settings: Vec<Row>,
}

/// One option.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Row {
    /// The option.
    option: String,
    /// None where nothing is set: the help says what the command does then.
    value: Option<String>,
    /// `environment`, `file`, `default` or `none`.
    from: &'static str,
    /// The variable, or the file and line.
    place: Option<String>,
}

impl Answer for Shown {
    fn text(&self) -> String {
        let file = self.file.as_deref().unwrap_or("none");
        let rows = self.settings.iter().map(|row| {
            let place = row.place.clone().unwrap_or_else(|| row.from.to_owned());
            [row.option.clone(), row.value.clone().unwrap_or_default(), place]
        });
        format!(
            "sprig {}, configuration file: {file}\n{}",
            self.command,
            table(["OPTION", "VALUE", "FROM"], &[], rows)
        )
    }

    fn line(&self) -> String {
        self.command.clone()
    }
}

impl Config {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let What::Show(show) = self.what;
        let settings = Settings::find(env::args_os())?;
        let mut root = help::command();
        root.build();
        let found =
            show.command.iter().try_fold(&root, |command, name| command.find_subcommand(name));
        let Some(command) = found else {
            let name = show.command.join(" ");
            return Err(
                Usage(format!("there is no command {}", quote(&format!("sprig {name}")))).into()
            );
        };
        let shown = Shown {
            command: show.command.join(" "),
            file: settings.file.as_ref().map(|file| file.display().to_string()),
            settings: options(command)
                .map(|option| row(&settings, &show.command, option))
                .collect(),
        };
        output::answer(&show.format, &shown)
    }
}

fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|option| is_setting(option))
}

fn row(settings: &Settings, path: &[String], option: &Arg) -> Row {
    let name = option.get_long().unwrap_or_default();
    let variable = option.get_env().map(|variable| variable.to_string_lossy().into_owned());
    let said = variable.as_ref().and_then(env::var_os);
    let (value, from, place) = if let Some(value) = said {
        (Some(value.to_string_lossy().into_owned()), "environment", variable)
    } else if let Some(setting) = settings.of(path, name) {
        let file =
            settings.file.as_ref().map(|file| format!("{}:{}", file.display(), setting.line));
        (Some(setting.values.join(" ")), "file", file)
    } else {
        let built_in: Vec<_> =
            option.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        match built_in.as_slice() {
            [] => (None, "none", None),
            values => (Some(values.join(" ")), "default", None),
        }
    };
    Row { option: format!("--{name}"), value, from, place }
}
