//! `sprig completions`: the script by which a shell completes commands and options.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use crate::help;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  sprig completions bash > ~/.local/share/bash-completion/completions/sprig
  sprig completions zsh > ~/.zfunc/_sprig            with ~/.zfunc in fpath
  sprig completions fish > ~/.config/fish/completions/sprig.fish";

/// Print the completions for a shell
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut help::command(), "sprig", &mut script);
        output::print(script)?;
        Ok(ExitCode::SUCCESS)
    }
}
