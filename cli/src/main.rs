//! `sprig`: the command line. One file per subcommand, in `commands`.

#![deny(clippy::print_stderr, reason = "`remark!` does not end a command that nobody listens to")]

#[macro_use]
mod remark;

mod ahead;
mod allowance;
#[cfg(feature = "coordinator")]
mod auditing;
#[cfg(feature = "s3")]
mod bucket;
#[cfg(feature = "coordinator")]
mod campaign;
mod certificate;
mod chain;
mod cli;
mod commands;
mod connect;
#[cfg(feature = "coordinator")]
mod counted;
#[cfg(feature = "coordinator")]
mod database;
mod date;
mod diagrams;
#[cfg(feature = "coordinator")]
mod dial;
mod doctor;
mod draft;
mod drawings;
mod duration;
#[cfg(feature = "coordinator")]
mod embedded;
#[cfg(feature = "coordinator")]
mod export;
mod failure;
#[cfg(feature = "coordinator")]
mod forest;
mod health;
mod help;
mod image;
#[cfg(feature = "coordinator")]
mod import;
mod invitation;
#[cfg(feature = "coordinator")]
mod judge;
mod leave;
#[cfg(feature = "coordinator")]
mod measure;
mod memory;
mod notify;
mod output;
#[cfg(feature = "coordinator")]
mod paths;
#[cfg(feature = "coordinator")]
mod peers;
#[cfg(feature = "coordinator")]
mod plan;
mod play;
mod positions;
mod progress;
#[cfg(feature = "coordinator")]
mod protection;
mod prove;
#[cfg(feature = "coordinator")]
mod publication;
#[cfg(feature = "coordinator")]
mod reference;
mod rows;
#[cfg(feature = "coordinator")]
mod seal;
mod secrets;
mod settings;
mod solved;
mod steps;
mod stop;
mod strategy;
#[cfg(feature = "coordinator")]
mod sums;
mod switch;
mod table;
#[cfg(feature = "coordinator")]
mod target;
#[cfg(feature = "otel")]
mod telemetry;
#[cfg(feature = "coordinator")]
mod temporary;
mod terms;
mod text;
mod trace;
#[cfg(feature = "coordinator")]
mod tree_of;
#[cfg(feature = "coordinator")]
mod trees;
mod usage;
mod variant;
mod watching;
mod x509;

use std::process::ExitCode;

/// The allocator of musl lets threads wait for each other.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let json = failure::reads_json(std::env::args_os());
    let cli = match help::parse() {
        Ok(cli) => cli,
        Err(error) => return failure::report(Err(error), json),
    };
    match cli {
        Ok(cli) => {
            cli.progress.set();
            #[cfg(feature = "coordinator")]
            seal::choose(cli.seal_key);
            let started = trace::start(cli.verbose, cli.command.service());
            let ended = started.map_err(Into::into).and_then(|()| cli.command.run());
            let code = failure::report(ended, json);
            trace::end();
            code
        }
        Err(error) => usage::report(&error, json),
    }
}
