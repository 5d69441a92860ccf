//! `sprig`: the command line. One file per subcommand, in `commands`.

mod cli;
mod commands;
mod failure;
mod output;
mod positions;
mod trace;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    trace::start(cli.verbose, cli.command.is_service());
    failure::report(cli.command.run())
}
