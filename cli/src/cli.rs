//! The command line as a whole.

use std::process::ExitCode;

use clap::{ArgAction, Parser, Subcommand};
use sprig_proto::JobOrder;

#[cfg(feature = "coordinator")]
use crate::commands::{
    adopt, audit, backup, bench, campaign, certify, certs, compare, coordinator, credit, db,
    explore, export, fetch, follow, hand_in, import, invite, merge, nimber, node, plan, promote,
    publish, rct, rct_base, reference, replay, restore, solve, starts, surfaces, token,
    tree_counts,
};
use crate::commands::{
    antwerp, best, brussels, canon, cards, certificate, children, completions, config, doctor,
    drain, draw, impossible, jobs, length, look, man, moves, octal, order, play, play_out, pousse,
    query, quotient, small_trees, status, submit, top, unban, verify, version, wish, worker,
    workers,
};
use crate::help::WIDEST;
use crate::progress::Mode;

const EXAMPLES: &str = "\
Examples:
  sprig solve 14                         who wins 14-spot Sprouts?
  sprig moves 6 --solve                  every move with its value, the best first
  sprig nimber '0*2.AB|AB' --json        a nimber, for programs
  sprig coordinator --db proofs          a cluster, first machine
  sprig worker --coordinator http://127.0.0.1:7425

Positions: a number is the start position with that many spots, also written `0*14`; `!` is the empty position; 0 1 2 are \
spots with that many curve ends, letters are spots that are seen twice; `.` stands between boundaries, `|` between \
regions, `+` between lands.

Exit codes: 0 all answered, 1 something failed, 2 wrong usage, 130 interrupted.";

/// The heading of the options of all commands in the help.
const EVERYWHERE: &str = "Options of all commands";

/// Proves who wins in the game of Sprouts.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, max_term_width = WIDEST)]
pub struct Cli {
    /// Log to standard error: -v what happens, -vv every message (finer: SPRIG_LOG=target=level,..)
    #[arg(short, long, global = true, help_heading = EVERYWHERE, action = ArgAction::Count)]
    pub verbose: u8,

    /// Key that seals verified facts; made on first use [default: $STATE_DIRECTORY/seal.key, $XDG_STATE_HOME/sprig/seal.key or
    /// ~/.local/state/sprig/seal.key]
    #[cfg(feature = "coordinator")]
    #[arg(
        long,
        value_name = "FILE",
        env = "SPRIG_SEAL_KEY",
        global = true,
        help_heading = EVERYWHERE,
        hide_short_help = true
    )]
    pub seal_key: Option<std::path::PathBuf>,

    /// How far it is, on standard error: drawn on a terminal, else a line a minute (auto); plain or json, also every N seconds
    /// (plain=N); none
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "HOW", env = "SPRIG_PROGRESS", default_value = "auto")]
    pub progress: Mode,

    /// Settings for options that neither the command line nor the environment gives [default: $XDG_CONFIG_HOME/sprig/sprig.toml,
    /// ~/.config/sprig/sprig.toml or /etc/sprig/sprig.toml, the first that is there]
    #[arg(
        long,
        value_name = "FILE",
        env = crate::settings::FILE,
        global = true,
        help_heading = EVERYWHERE,
        hide_short_help = true
    )]
    pub config: Option<std::path::PathBuf>,

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
    #[cfg(feature = "coordinator")]
    Campaign(campaign::Run),
    #[cfg(feature = "coordinator")]
    Starts(starts::Starts),
    #[cfg(feature = "coordinator")]
    Plan(plan::Plan),
    #[cfg(feature = "coordinator")]
    Surfaces(surfaces::Surfaces),
    Canon(canon::Canon),
    Children(children::Children),
    Length(length::LengthOf),
    Moves(moves::Moves),
    Best(best::Best),
    Draw(draw::Draw),
    Query(query::Query),
    #[cfg(feature = "coordinator")]
    Explore(explore::Explore),
    #[cfg(feature = "coordinator")]
    Import(import::Import),
    #[cfg(feature = "coordinator")]
    Export(export::Export),
    #[cfg(feature = "coordinator")]
    Certify(certify::Certify),
    Verify(verify::Verify),
    Certificate(certificate::OfCertificate),
    Play(play::Play),
    PlayOut(play_out::PlayOut),
    Cards(cards::Cards),
    #[cfg(feature = "coordinator")]
    Replay(replay::Replay),
    Brussels(brussels::Brussels),
    Antwerp(antwerp::Antwerp),
    Pousse(pousse::Pousse),
    Impossible(impossible::Impossible),
    Octal(octal::Octal),
    #[cfg(feature = "coordinator")]
    Rct(rct::Rct),
    #[cfg(feature = "coordinator")]
    RctBase(rct_base::RctBase),
    #[cfg(feature = "coordinator")]
    TreeCounts(tree_counts::Counts),
    SmallTrees(small_trees::SmallTrees),
    Quotient(quotient::QuotientOf),
    #[cfg(feature = "coordinator")]
    Compare(compare::Compare),
    #[cfg(feature = "coordinator")]
    Node(node::NodeOf),
    #[cfg(feature = "coordinator")]
    Merge(merge::Merge),
    #[cfg(feature = "coordinator")]
    Publish(publish::Publish),
    #[cfg(feature = "coordinator")]
    Fetch(fetch::Fetch),
    #[cfg(feature = "coordinator")]
    Audit(audit::Audit),
    #[cfg(feature = "coordinator")]
    Db(db::Db),
    #[cfg(feature = "coordinator")]
    Adopt(adopt::Adopt),
    #[cfg(feature = "coordinator")]
    Backup(backup::Backup),
    #[cfg(feature = "coordinator")]
    Restore(restore::Restore),
    #[cfg(feature = "coordinator")]
    Coordinator(coordinator::Coordinate),
    #[cfg(feature = "coordinator")]
    Follow(follow::Follow),
    #[cfg(feature = "coordinator")]
    Promote(promote::Promote),
    #[cfg(feature = "coordinator")]
    HandIn(hand_in::HandIn),
    Worker(worker::Work),
    Submit(submit::Submit),
    Status(status::Status),
    Workers(workers::Workers),
    Jobs(jobs::Jobs),
    Top(top::Top),
    Look(look::LookAt),
    Wish(wish::Wish),
    /// Pause a job: its workers go to other jobs
    #[command(after_help = order::PAUSE)]
    Pause(order::OfJob),
    /// Resume a paused job
    #[command(after_help = order::RESUME)]
    Resume(order::OfJob),
    /// Cancel a job: it ends without an answer, its facts stay
    #[command(after_help = order::CANCEL)]
    Cancel(order::OfJob),
    Priority(order::Prioritize),
    Budget(order::Allot),
    Deadline(order::Postpone),
    Drain(drain::Drain),
    Unban(unban::Unban),
    #[cfg(feature = "coordinator")]
    Certs(certs::Certs),
    #[cfg(feature = "coordinator")]
    Token(token::MakeToken),
    #[cfg(feature = "coordinator")]
    Invite(invite::Invite),
    #[cfg(feature = "coordinator")]
    Credit(credit::CreditOf),
    #[cfg(feature = "coordinator")]
    Bench(bench::Bench),
    Doctor(doctor::Doctor),
    Config(config::Config),
    Version(version::Version),
    Completions(completions::Completions),
    Man(man::Manual),
    #[cfg(feature = "coordinator")]
    #[command(hide = true)]
    Reference(reference::Reference),
}

impl Command {
    /// The part of a cluster that the command is, if it runs until it is stopped. A person then
    /// looks at its log.
    pub fn service(&self) -> Option<&'static str> {
        match self {
            #[cfg(feature = "coordinator")]
            Self::Coordinator(_) => Some("coordinator"),
            #[cfg(feature = "coordinator")]
            Self::Follow(_) => Some("follower"),
            #[cfg(feature = "coordinator")]
            Self::Explore(_) => Some("explorer"),
            Self::Worker(_) => Some("worker"),
            _ => None,
        }
    }

    /// Runs the command.
    ///
    /// # Errors
    /// What kept the command from its answer, in one line for a person.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            #[cfg(feature = "coordinator")]
            Self::Solve(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Nimber(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Campaign(command) => command.run(),
            Self::Canon(command) => command.run(),
            Self::Children(command) => command.run(),
            Self::Length(command) => command.run(),
            Self::SmallTrees(command) => command.run(),
            Self::Quotient(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Starts(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Plan(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Surfaces(command) => command.run(),
            Self::Moves(command) => command.run(),
            Self::Best(command) => command.run(),
            Self::Draw(command) => command.run(),
            Self::Query(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Explore(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Import(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Export(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Certify(command) => command.run(),
            Self::Verify(command) => command.run(),
            Self::Certificate(command) => command.run(),
            Self::Play(command) => command.run(),
            Self::PlayOut(command) => command.run(),
            Self::Cards(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Replay(command) => command.run(),
            Self::Brussels(command) => command.run(),
            Self::Antwerp(command) => command.run(),
            Self::Pousse(command) => command.run(),
            Self::Impossible(command) => command.run(),
            Self::Octal(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Rct(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::RctBase(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::TreeCounts(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Compare(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Node(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Merge(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Publish(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Fetch(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Audit(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Db(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Adopt(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Backup(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Restore(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Coordinator(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Follow(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Promote(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::HandIn(command) => command.run(),
            Self::Worker(command) => command.run(),
            Self::Submit(command) => command.run(),
            Self::Status(command) => command.run(),
            Self::Workers(command) => command.run(),
            Self::Jobs(command) => command.run(),
            Self::Top(command) => command.run(),
            Self::Look(command) => command.run(),
            Self::Wish(command) => command.run(),
            Self::Pause(command) => command.run(JobOrder::Pause),
            Self::Resume(command) => command.run(JobOrder::Resume),
            Self::Cancel(command) => command.run(JobOrder::Cancel),
            Self::Priority(command) => command.run(),
            Self::Budget(command) => command.run(),
            Self::Deadline(command) => command.run(),
            Self::Drain(command) => command.run(),
            Self::Unban(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Certs(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Token(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Invite(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Credit(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Bench(command) => command.run(),
            Self::Doctor(command) => command.run(),
            Self::Config(command) => command.run(),
            Self::Version(command) => command.run(),
            Self::Completions(command) => command.run(),
            Self::Man(command) => command.run(),
            #[cfg(feature = "coordinator")]
            Self::Reference(command) => command.run(),
        }
    }
}
