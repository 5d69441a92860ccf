//! `sprig`: the command line. One file per subcommand, in `commands`.

#[cfg(feature = "coordinator")]
mod auditing;
#[cfg(feature = "coordinator")]
mod campaign;
mod certificate;
mod cli;
mod commands;
mod connect;
#[cfg(feature = "coordinator")]
mod database;
mod date;
#[cfg(feature = "coordinator")]
mod duration;
#[cfg(feature = "coordinator")]
mod embedded;
#[cfg(feature = "coordinator")]
mod export;
mod failure;
#[cfg(feature = "coordinator")]
mod forest;
mod health;
#[cfg(feature = "coordinator")]
mod import;
#[cfg(feature = "coordinator")]
mod measure;
mod memory;
#[cfg(feature = "coordinator")]
mod misere;
mod output;
mod positions;
mod progress;
#[cfg(feature = "coordinator")]
mod protection;
mod prove;
mod rows;
#[cfg(feature = "coordinator")]
mod seal;
mod secrets;
mod solved;
mod steps;
mod stop;
mod strategy;
mod table;
mod text;
mod trace;
#[cfg(feature = "coordinator")]
mod trees;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    trace::start(cli.verbose, cli.command.is_service());
    #[cfg(feature = "coordinator")]
    seal::choose(cli.seal_key);
    failure::report(cli.command.run())
}
