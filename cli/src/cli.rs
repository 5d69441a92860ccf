//! What the command line looks like as a whole.

use std::process::ExitCode;

use clap::{ArgAction, Parser, Subcommand};

use crate::commands::{canon, children, query, status, submit, worker};
#[cfg(feature = "coordinator")]
use crate::commands::{coordinator, nimber, solve};

const EXAMPLES: &str = "\
Examples:
  sprig solve '0*14'                     who wins 14-spot Sprouts?
  sprig nimber '0*2.AB|AB' --json        a nimber, for programs
  sprig children '0*3'                   every different move
  sprig coordinator --db proofs          a cluster, first machine
  sprig worker --coordinator http://127.0.0.1:7425

Positions: `0*14` is the start position with 14 spots, `!` is the empty position; 0 1 2 are
spots with that many curve ends, letters are spots that are seen twice; `.` stands between
boundaries, `|` between regions, `+` between lands.
Exit codes: 0 all answered, 1 something failed, 2 wrong usage, 130 interrupted.";

/// Proves who wins in the game of Sprouts.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// Log to standard error: -v what happens, -vv every message (finer: SPRIG_LOG=target=level,..)
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,

    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands, each in its own file.
#[derive(Subcommand)]
pub enum Command {
    #[cfg(feature = "coordinator")]
    Solve(solve::Solve),
    #[cfg(feature = "coordinator")]
    Nimber(nimber::NimberOf),
    Canon(canon::Canon),
    Children(children::Children),
    Query(query::Query),
    #[cfg(feature = "coordinator")]
    Coordinator(coordinator::Coordinate),
    Worker(worker::Work),
    Submit(submit::Submit),
    Status(status::Status),
}

impl Command {
    /// Whether the command runs until it is stopped, so that its log is what a person looks at.
    pub fn is_service(&self) -> bool {
        match self {
            #[cfg(feature = "coordinator")]
            Self::Coordinator(_) => true,
            Self::Worker(_) => true,
            _ => false,
        }
    }

    /// Runs it.
    ///
    /// # Errors
    /// Whatever kept it from its answer, in one line for a person.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            #[cfg(feature = "coordinator")]
            Self::Solve(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Nimber(command) => command.run(),
            Self::Canon(command) => command.run(),
            Self::Children(command) => command.run(),
            Self::Query(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Coordinator(command) => command.run(),
            Self::Worker(command) => command.run(),
            Self::Submit(command) => command.run(),
            Self::Status(command) => command.run(),
        }
    }
}
