//! What things cost, in seconds of one core and in bytes: measured here by `sprig-sim costs`, or
//! given.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use prost::Message;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use sprig_coordinator::{Config, Coordinator, Protection, Trust};
use sprig_domain::{Goal, LandNimber, Verdict};
use sprig_proto::{Build, FactBatch, FromWorker, Report, limits, wire};
use sprig_search::{Limits, Observer, Solver};
use sprig_store::{Batch, Contribution, Provenance, Secret, Sequence, Source, Store, UnixMillis};
use tonic::transport::Endpoint;

/// Costs of one kind of machine and of one kind of job. Times in seconds of one core.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Costs {
    /// One expansion of the search, without its children.
    pub expansion: f64,
    /// Each child that it generates.
    pub child: f64,
    /// The coordinator reads and checks one fact of a report.
    pub fact_in: f64,
    /// The coordinator looks up a stored fact, once for all workers that want it about then.
    pub fact_read: f64,
    /// The coordinator sends a fact that it has looked up to one worker.
    pub fact_out: f64,
    /// A worker reads, checks and learns a fact of others.
    pub fact_learned: f64,
    /// The database compares and writes a fact.
    pub fact_written: f64,
    /// The disk syncs a group. No processor is busy with it.
    pub sync: f64,
    /// A message, whatever is in it, for one side of a connection.
    pub message: f64,
}

impl Costs {
    /// What `sprig-sim costs` found on a cloud machine with two cores, over the search of 34 spots.
    /// Sending is from a crowd of 400 followers: it comes to more than a message takes to encode. It and
    /// learning are of another hour, in proportion to the rest (`docs/scale.md`).
    pub const MEASURED: Self = Self {
        expansion: 21.2e-6,
        child: 0.24e-6,
        fact_in: 4.7e-6,
        fact_read: 0.96e-6,
        fact_out: 0.1e-6,
        fact_learned: 3.1e-6,
        fact_written: 1.8e-6,
        sync: 2.75e-3,
        message: 9.9e-6,
    };

    /// Seconds of `expansions` expansions with `children` children in all.
    pub fn searched(&self, expansions: f64, children: f64) -> f64 {
        self.expansion * expansions + self.child * children
    }

    /// Measures, with the search for `goal` as the example.
    ///
    /// # Errors
    /// When the database or the search fails.
    pub fn measure(goal: &Goal) -> Result<Self, String> {
        let (expansion, child, all) = search(goal)?;
        let sample = &all[..all.len().min(20_000)];
        let count = sample.len() as f64;
        if sample.is_empty() {
            return Err("this search proves no facts; take a larger position".into());
        }
        let (written, sync, read) = disk(sample)?;
        Ok(Self {
            expansion,
            child,
            fact_in: fact_in(sample) / count,
            fact_read: read,
            fact_out: fact_out(sample) / count,
            fact_learned: fact_learned(sample)? / count,
            fact_written: written,
            sync,
            message: message()?,
        })
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("expansion, without its children", self.expansion),
            ("child", self.child),
            ("the coordinator reads a fact", self.fact_in),
            ("the coordinator looks up a fact, for all workers", self.fact_read),
            ("the coordinator sends a fact to one worker", self.fact_out),
            ("a worker learns a fact", self.fact_learned),
            ("the database writes a fact", self.fact_written),
            ("sync of a group (time, not processor time)", self.sync),
            ("message, each side", self.message),
        ];
        writeln!(f, "| cost | microseconds |\n| --- | --: |")?;
        rows.iter().try_for_each(|(what, seconds)| writeln!(f, "| {what} | {:.2} |", 1e6 * seconds))
    }
}

struct Collect(Mutex<Vec<LandNimber>>);

impl Observer<LandNimber> for Collect {
    fn stop(&self) -> bool {
        false
    }
    fn proved(&self, fact: LandNimber) {
        self.0.lock().expect("no panic").push(fact);
    }
}

/// Steps of the search that are timed together.
const STRETCH: u64 = 1_000;

/// Seconds of an expansion, of a child, and the facts. The first two are told apart by least
/// squares, from stretches of the search with few and with many children.
fn search(goal: &Goal) -> Result<(f64, f64, Vec<LandNimber>), String> {
    let solver = Solver::new(Limits { memory: 2 << 30, threads: 1 });
    let collect = Collect(Mutex::default());
    let (mut ee, mut ec, mut cc, mut et, mut ct) = (0.0, 0.0, 0.0, 0.0, 0.0);
    loop {
        let before = solver.figures();
        let mut came = Ok(Verdict::Loss);
        let seconds = timed(|| {
            came = solver.solve(goal.position(), goal.question(), STRETCH, &collect);
        });
        let came = came.map_err(|error| error.to_string())?;
        let after = solver.figures();
        let expansions = (after.expansions - before.expansions) as f64;
        let children = (after.children - before.children) as f64;
        ee += expansions * expansions;
        ec += expansions * children;
        cc += children * children;
        et += expansions * seconds;
        ct += children * seconds;
        if !matches!(came, Verdict::Open { .. }) {
            break;
        }
    }
    let determinant = ee * cc - ec * ec;
    if determinant <= 0.0 {
        return Err("this search is too short to be measured; take a larger position".into());
    }
    let expansion = (et * cc - ct * ec) / determinant;
    let child = (ct * ee - et * ec) / determinant;
    Ok((expansion, child, collect.0.into_inner().expect("no panic")))
}

/// Facts that a report has at a usual rate.
const REPORT: usize = 200;

/// Facts as they are told.
fn told(facts: &[LandNimber]) -> Vec<sprig_domain::Fact> {
    facts.iter().cloned().map(Into::into).collect()
}

fn wire_reports(facts: &[LandNimber]) -> Vec<Vec<u8>> {
    let report = |facts: &[LandNimber]| Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 1,
        facts: told(facts),
    };
    let encode = |report| wire::FromWorker::from(FromWorker::Report(report)).encode_to_vec();
    facts.chunks(REPORT).map(|facts| encode(report(facts))).collect()
}

fn fact_in(facts: &[LandNimber]) -> f64 {
    let reports = wire_reports(facts);
    timed(|| {
        for report in &reports {
            let message = wire::FromWorker::decode(&report[..]).expect("just encoded");
            std::hint::black_box(FromWorker::try_from(message).expect("well formed"));
        }
    })
}

fn batches(facts: &[LandNimber]) -> Vec<Vec<u8>> {
    let batch = |facts: &[LandNimber]| FactBatch {
        game: sprig_domain::Game::Sprouts,
        facts: told(facts),
        next: 1,
        stretches: Vec::new(),
        position: 0,
    };
    let encode = |batch| wire::FactBatch::from(batch).encode_to_vec();
    facts.chunks(limits::FACTS).map(|facts| encode(batch(facts))).collect()
}

fn fact_out(facts: &[LandNimber]) -> f64 {
    timed(|| drop(std::hint::black_box(batches(facts))))
}

fn fact_learned(facts: &[LandNimber]) -> Result<f64, String> {
    let batches = batches(facts);
    let solver = Solver::new(Limits { memory: 1 << 30, threads: 1 });
    let mut result = Ok(());
    let seconds = timed(|| {
        result = batches.iter().try_for_each(|batch| {
            let batch = wire::FactBatch::decode(&batch[..]).map_err(|error| error.to_string())?;
            let batch = FactBatch::try_from(batch).map_err(|error| error.to_string())?;
            batch.facts.iter().try_for_each(|fact| match fact {
                sprig_domain::Fact::Nimber(fact) => solver.learn(fact).map_err(|e| e.to_string()),
                _ => Ok(()),
            })
        });
    });
    result.map(|()| seconds)
}

/// Seconds to write a fact, to sync, and to read a fact for followers.
fn disk(facts: &[LandNimber]) -> Result<(f64, f64, f64), String> {
    let folder = std::env::temp_dir().join(format!("sprig-costs-{}", std::process::id()));
    let measured = (|| {
        let store = Store::open(&folder, &Secret::random()).map_err(|error| error.to_string())?;
        let group = |facts: &[LandNimber]| batch(facts);
        let commit = |facts: &[LandNimber]| store.commit(&group(facts)).map_err(|e| e.to_string());
        let (few, many) = facts.split_at(facts.len().min(200));
        let begun = Instant::now();
        few.iter().try_for_each(|fact| commit(std::slice::from_ref(fact)).map(drop))?;
        let sync = begun.elapsed().as_secs_f64() / few.len().max(1) as f64;
        let mut written = Ok(());
        let rest = timed(|| {
            written = many.chunks(4_096).try_for_each(|facts| commit(facts).map(drop));
        });
        written?;
        let mut read = Ok(0);
        let reading = timed(|| {
            read = (0..store.next_sequence().0).step_by(limits::FACTS).try_fold(0, |read, from| {
                Ok(read + store.facts_from(Sequence(from), limits::FACTS)?.len())
            });
        });
        let read = read.map_err(|error: sprig_store::StoreError| error.to_string())?;
        Ok((rest / many.len().max(1) as f64, sync, reading / read.max(1) as f64))
    })();
    let _ = std::fs::remove_dir_all(&folder);
    measured
}

fn batch(facts: &[LandNimber]) -> Batch {
    let stored = |fact: &LandNimber| sprig_store::Fact::nimber(fact.land.key(), fact.nimber);
    let source = Source { worker: "costs".into(), build: "sim".into() };
    let provenance = Provenance { source, job: None, time: UnixMillis(0) };
    let facts = facts.iter().map(stored).collect();
    Batch {
        contributions: vec![Contribution { provenance, facts, exclusions: Vec::new() }],
        ..Batch::default()
    }
}

/// Processor time of one side for a message that goes through gRPC on loopback: half of that for a
/// round trip.
fn message() -> Result<f64, String> {
    // Few enough for the limit of calls on one connection.
    const TRIPS: u32 = 100;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let folder = std::env::temp_dir().join(format!("sprig-costs-message-{}", std::process::id()));
    let measured = runtime.block_on(async {
        let store =
            Arc::new(Store::open(&folder, &Secret::random()).map_err(|error| error.to_string())?);
        let listen = (std::net::Ipv4Addr::LOCALHOST, 0).into();
        let config =
            Config { listen, store, protection: Protection::default(), trust: Trust::Believed };
        let coordinator = Coordinator::start(config).await.map_err(|error| error.to_string())?;
        let channel = Endpoint::from_shared(coordinator.url()).map_err(|e| e.to_string())?;
        let channel = channel.connect().await.map_err(|error| error.to_string())?;
        let mut calls = wire::clients_client::ClientsClient::new(channel);
        let begun = processor_time();
        for _ in 0..TRIPS {
            let greeting = wire::Build::from(Build::here());
            calls.greet(greeting).await.map_err(|status| status.to_string())?;
        }
        Ok((processor_time() - begun) / f64::from(TRIPS) / 4.0)
    });
    let _ = std::fs::remove_dir_all(&folder);
    measured
}

/// Processor time of some work in seconds: other processes on the machine do not count.
fn timed(work: impl FnOnce()) -> f64 {
    let begun = processor_time();
    work();
    processor_time() - begun
}

fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
