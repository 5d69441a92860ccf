//! `sprig`: the command line. One file per subcommand, in `commands`.

mod cli;
mod commands;
mod connect;
#[cfg(feature = "coordinator")]
mod database;
#[cfg(feature = "coordinator")]
mod embedded;
mod failure;
mod memory;
mod output;
mod positions;
mod progress;
mod prove;
mod solved;
mod stop;
mod table;
mod trace;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    trace::start(cli.verbose, cli.command.is_service());
    failure::report(cli.command.run())
}
