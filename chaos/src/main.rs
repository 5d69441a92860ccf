//! Hunts real processes.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::{Args, Parser, Subcommand};
use sprig_chaos::check;
use sprig_chaos::cluster::{Cluster, Plan, Signal, Trust};
use sprig_chaos::crowd::Crowd;
use sprig_chaos::damage::Damage;
use sprig_chaos::disk::SmallDisk;
use sprig_chaos::hunt::Hunt;
use sprig_chaos::proxy::Way;
use sprig_chaos::race::{Known, Race};

mod runs;

const EXAMPLES: &str = "\
Examples:
  sprig-chaos hunt '0*27' --kills 20                kill -9 of workers and coordinator
  sprig-chaos hunt '0*27' --everything --seed 7     also stopped processes and broken networks
  sprig-chaos hunt '0*27' --lying-disk              the control, which must fail
  sprig-chaos back '0*33'                           how soon all are at work again
  sprig-chaos crowd --idle 1000 --busy 200           how long a lease takes, and what it costs
  sprig-chaos race '0*46' '0*47'                     how much sooner two workers are done than one
  sprig-chaos race '0*18' --misere --db facts --seal-key seal.key  .. from what a database knows
  sprig-chaos full-disk '0*27'                      needs the rights of root
  sprig-chaos damage --rounds 500                    bits, cuts, deletions, half copies of databases
  sprig-chaos storms --kills 200 --journal s.jsonl   kill -9 over many short jobs of both plays
  sprig-chaos power-cuts --cuts 100                  what was not synced is gone
  sprig-chaos power-cuts --cuts 10 --disk lies       the control: losses must be found out
  sprig-chaos promote --rounds 5                     a synchronous follower takes the place of its coordinator
  sprig-chaos liars --rounds 200 --seed 7            clusters with lying workers of every kind
  sprig-chaos malice --minutes 10                    what an attack costs the honest";

/// Hunt real processes, and check that nothing acknowledged is lost
#[derive(Parser)]
#[command(name = "sprig-chaos", after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Kill processes at random until positions are solved
    Hunt(Quarry),
    /// Kill the coordinator, then partition everybody for a minute: how soon are all at work again?
    Back(Target),
    /// Let simulated workers wait for leases of one real coordinator
    Crowd(Size),
    /// Let clusters of several sizes solve the same positions in turns: how much sooner, and at what cost
    Race(Lanes),
    /// Let the disk run full in the middle of a job, then make room
    FullDisk(Target),
    /// Damage copies of databases at random: each is refused, complete, or says what is missing
    Damage(Copies),
    /// Kill workers and coordinators over many short jobs of both plays; every answer is certified and verified
    Storms(runs::Kills),
    /// Cut the power: what was written and not synced is gone, and nothing acknowledged may be
    PowerCuts(runs::Cuts),
    /// Kill the coordinator under load, promote its follower: nothing acknowledged is lost, and the old one leads no more
    Promote(runs::Promotions),
    /// Let workers lie in every way beside honest ones: no wrong answer, no failed job, no honest worker banned
    Liars(runs::Rounds),
    /// Let a reader and workers attack from one core: what does it cost the honest ones on another?
    Malice(runs::Minutes),
    /// The attackers of `malice`, until they are killed
    #[command(hide = true)]
    Attack(runs::Target),
}

#[derive(Args)]
struct Copies {
    /// How many copies are damaged
    #[arg(long, default_value = "500")]
    rounds: u32,
    /// The program [default: the one beside this program]
    #[arg(long)]
    sprig: Option<PathBuf>,
    /// Seconds until a process is killed, for the databases that a kill leaves
    #[arg(long, default_value = "15")]
    killed_after: u64,
    /// Seed of what happens to which copy
    #[arg(long, default_value = "1")]
    seed: u64,
}

#[derive(Args)]
struct Target {
    /// A position that takes long enough
    position: String,
    /// The program [default: the one beside this program]
    #[arg(long)]
    sprig: Option<PathBuf>,
    /// Worker processes
    #[arg(long, default_value = "4")]
    workers: usize,
}

#[derive(Args)]
struct Quarry {
    /// Positions that take long enough, all submitted at once
    #[arg(required = true)]
    positions: Vec<String>,
    /// The program [default: the one beside this program]
    #[arg(long)]
    sprig: Option<PathBuf>,
    /// Worker processes
    #[arg(long, default_value = "4")]
    workers: usize,
    /// End after this many minutes, although not all is solved [default: when all is]
    #[arg(long)]
    minutes: Option<u64>,
    /// Kills that hit running jobs
    #[arg(long, default_value = "20")]
    kills: u32,
    /// Longest pause between two deeds, in seconds
    #[arg(long, default_value = "2")]
    pause: f64,
    /// Also stop processes, break networks, end processes in good order
    #[arg(long)]
    everything: bool,
    /// Once, after half of the kills, the coordinator's disk is full for a while (needs the rights of root)
    #[arg(long)]
    full_disk: bool,
    /// Control: the coordinator's disk loses what was written last, so the hunt must fail
    #[arg(long)]
    lying_disk: bool,
    /// Check the database against a search that knows nothing, too; that takes as long as solving alone
    #[arg(long)]
    alone: bool,
    /// Seed of what happens in which order
    #[arg(long, default_value = "1")]
    seed: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Task::Hunt(target) => hunt(target).await,
        Task::Back(target) => back(target).await,
        Task::FullDisk(target) => full_disk(target).await,
        Task::Crowd(size) => crowd(size).await,
        Task::Race(lanes) => race(lanes).await,
        Task::Damage(copies) => damage(copies),
        Task::Storms(kills) => kills.run().await,
        Task::PowerCuts(cuts) => cuts.run().await,
        Task::Promote(promotions) => promotions.run().await,
        Task::Liars(rounds) => rounds.run().await,
        Task::Malice(minutes) => minutes.run().await,
        Task::Attack(target) => target.run().await,
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sprig-chaos: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn damage(copies: Copies) -> anyhow::Result<()> {
    let Copies { rounds, sprig, killed_after, seed } = copies;
    let killed_after = Duration::from_secs(killed_after);
    let damage = Damage { sprig: program(sprig)?, rounds, killed_after, seed };
    let report = damage.run()?;
    println!("{}", serde_json::to_string_pretty(&report)?);
    ensure!(report.violations.is_empty(), "{} violations", report.violations.len());
    Ok(())
}

#[derive(Args)]
struct Size {
    /// Workers that only hold a session and follow the facts
    #[arg(long, default_value = "1000")]
    idle: usize,
    /// Workers that take leases, and report facts and progress
    #[arg(long, default_value = "200")]
    busy: usize,
    /// How long to measure, in seconds
    #[arg(long, default_value = "60")]
    seconds: u64,
    /// How long a lease is kept, in seconds
    #[arg(long, default_value = "2")]
    lease: f64,
    /// A position that nothing they report decides
    #[arg(long, default_value = "0*60")]
    position: String,
    /// A database whose facts they report, each once; without one they report the same few again and again
    #[arg(long, value_name = "DB")]
    facts: Option<PathBuf>,
    /// The program [default: the one beside this program]
    #[arg(long)]
    sprig: Option<PathBuf>,
}

#[derive(Args)]
struct Lanes {
    /// Positions that take one worker a minute or more
    #[arg(required = true)]
    positions: Vec<String>,
    /// Sizes of the clusters
    #[arg(long, default_value = "1,2", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..))]
    workers: Vec<u16>,
    /// Memory of a worker
    #[arg(long, default_value = "2G")]
    memory: String,
    /// The coordinator checks nothing
    #[arg(long)]
    believe: bool,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    /// Database of which each lap gets a copy; without it laps begin with nothing
    #[arg(long, requires = "seal_key")]
    db: Option<PathBuf>,
    /// The key that sealed its facts
    #[arg(long, requires = "db")]
    seal_key: Option<PathBuf>,
    /// The program [default: the one beside this program]
    #[arg(long)]
    sprig: Option<PathBuf>,
}

async fn race(lanes: Lanes) -> anyhow::Result<()> {
    let race = Race {
        sprig: program(lanes.sprig)?,
        memory: lanes.memory,
        trust: if lanes.believe { Trust::Believe } else { Trust::Check },
        misere: lanes.misere,
        known: lanes.db.zip(lanes.seal_key).map(|(db, seal_key)| Known { db, seal_key }),
    };
    println!("{}", sprig_chaos::race::HEADER);
    let mut seconds = vec![Vec::new(); lanes.workers.len()];
    for position in &lanes.positions {
        for (&workers, seconds) in lanes.workers.iter().zip(&mut seconds) {
            let lap = race.lap(position, workers.into()).await?;
            println!("{lap}");
            seconds.push(lap.searching);
        }
    }
    let mean = |seconds: &[f64]| {
        (seconds.iter().map(|s| s.ln()).sum::<f64>() / seconds.len() as f64).exp()
    };
    let first = mean(&seconds[0]);
    for (workers, seconds) in lanes.workers.iter().zip(&seconds).skip(1) {
        println!("{workers} workers: {:.2} times as fast (geometric mean)", first / mean(seconds));
    }
    Ok(())
}

/// The program that was named, or the one that lies beside this one.
fn program(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    match named {
        Some(path) => Ok(path),
        None => Ok(std::env::current_exe()?.with_file_name("sprig")),
    }
}

/// How long 99 of 100 leases may be waited for, and how many cores the coordinator may use.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
const MOST_CORES: f64 = 1.0;

async fn crowd(size: Size) -> anyhow::Result<()> {
    let sprig = program(size.sprig)?;
    let crowd = Crowd {
        idle: size.idle,
        busy: size.busy,
        time: Duration::from_secs(size.seconds),
        lease: Duration::from_secs_f64(size.lease),
        position: size.position,
        facts: size.facts,
    };
    let measured = crowd.run(&sprig).await?;
    let [half, p99, longest] = [0.5, 0.01, 0.0].map(|rest| measured.quantile(rest));
    println!(
        "{} idle and {} busy workers: {} leases, half of them within {half:.1?}, 99 % within {p99:.1?}, all within {longest:.1?}\n\
         {:.0} facts reported a second; the coordinator took {:.2} cores and {:.0} MB",
        crowd.idle,
        crowd.busy,
        measured.waits.len(),
        measured.facts,
        measured.cores,
        measured.memory as f64 / 1e6,
    );
    ensure!(p99 < LONGEST_WAIT && measured.cores < MOST_CORES, "that is too much");
    Ok(())
}

async fn hunt(quarry: Quarry) -> anyhow::Result<()> {
    let hunt = Hunt {
        sprig: program(quarry.sprig)?,
        positions: quarry.positions.clone(),
        workers: quarry.workers,
        most: quarry.minutes.map(|minutes| Duration::from_secs(60 * minutes)),
        kills: quarry.kills,
        pause: quarry.pause,
        everything: quarry.everything,
        full_disk: quarry.full_disk,
        lying_disk: quarry.lying_disk,
        alone: quarry.alone,
        seed: quarry.seed,
    };
    let report = hunt.run().await.with_context(|| format!("seed {}", quarry.seed))?;
    println!(
        "{}: {} solved in {:.1} s under {} kills of workers, {} of the coordinator, {} other deeds{}\n\
         {} facts, {} acknowledged ones all there (acknowledged {} times), no contradiction\n\
         {} expansions of the workers that lived at the end\n\
         {:.1} s of processor time in all, {:.2} s of the coordinator that lived at the end",
        quarry.positions.join(" "),
        report.solved,
        report.seconds,
        report.workers_killed,
        report.coordinators_killed,
        report.others,
        if report.was_full { " and a full disk" } else { "" },
        report.checked.facts,
        report.checked.acknowledged,
        report.acknowledgements,
        report.expansions,
        report.cpu,
        report.coordinator_cpu,
    );
    Ok(())
}

/// All workers must be back at work within this time.
const BACK: Duration = Duration::from_secs(10);

async fn back(target: Target) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let db = folder.path().join("db");
    let plan = Plan::of_target(&program(target.sprig)?, target.workers, Trust::Check);
    let mut cluster = Cluster::start(plan, &db).await?;
    cluster.client().await?.submit(check::outcome_of(&target.position)?, 0).await?;
    cluster.at_work(Duration::from_secs(60)).await?;
    for round in 1..=3 {
        tokio::time::sleep(Duration::from_secs(3)).await;
        cluster.signal_coordinator(Signal::Kill)?;
        tokio::time::sleep(Duration::from_secs(round * round * round)).await;
        cluster.restart().await?;
        let time = cluster.at_work(3 * BACK).await?;
        println!("coordinator killed, away for {} s: all at work after {time:.1?}", round.pow(3));
        ensure!(time < BACK, "that is too long");
    }
    cluster.hands.iter().for_each(|hand| hand.proxy.set(Way::Stalled));
    tokio::time::sleep(Duration::from_secs(60)).await;
    cluster.hands.iter().for_each(|hand| hand.proxy.set(Way::Open));
    let time = cluster.at_work(3 * BACK).await?;
    println!("partition of 60 s healed: all at work after {time:.1?}");
    ensure!(time < BACK, "that is too long");
    Ok(())
}

async fn full_disk(target: Target) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let disk = SmallDisk::mount(folder.path(), 64)?;
    // Little is left before the database sets anything aside.
    let ballast = disk.fill(2 << 20)?;
    let db = folder.path().join("db");
    let plan = Plan::of_target(&program(target.sprig)?, target.workers, Trust::Check);
    let mut cluster = Cluster::start(plan, &db).await?;
    cluster.client().await?.submit(check::outcome_of(&target.position)?, 0).await?;
    cluster.at_work(Duration::from_secs(60)).await?;
    let code = tokio::time::timeout(Duration::from_secs(120), cluster.coordinator_ended()).await;
    let code = code.context("the coordinator runs on although its disk is full")??;
    ensure!(code == Some(1), "the coordinator ended with {code:?}");
    println!(
        "disk full: the coordinator stopped; {} facts acknowledged",
        cluster.heard.facts().len()
    );
    std::fs::remove_file(ballast)?;
    let lost = check::lost(&db, &cluster.heard.facts())?;
    ensure!(lost.is_empty(), "lost: {lost:?}");
    cluster.restart().await?;
    let time = cluster.at_work(3 * BACK).await?;
    println!("room again: nothing lost, all at work after {time:.1?}");
    let heard = cluster.stop().await?;
    let lost = check::lost(&db, &heard.facts())?;
    ensure!(lost.is_empty(), "lost: {lost:?}");
    println!("{} facts acknowledged in all, none lost", heard.facts().len());
    Ok(())
}
