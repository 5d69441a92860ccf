//! Tests against real databases in temporary directories.

mod backup;
mod crash;
mod damage;
mod follow;
mod layout;
mod model;
mod opening;
mod records;
mod seals;
mod trees;
mod whole;

use std::path::Path;
use std::process::{Command, Stdio};

use sprig_domain::JobId;
use sprig_engine::Nimber;

use crate::*;

/// Tells a test that it runs as the child of another, and with which directory.
const CHILD_DIR: &str = "SPRIG_STORE_TEST_DIR";

/// This test program again, as a process of its own that runs only the ignored test `test` on
/// `dir`.
fn child(test: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]);
    command.env(CHILD_DIR, dir).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// The directory a child test works on.
fn child_dir() -> std::path::PathBuf {
    std::env::var_os(CHILD_DIR).expect("only another test runs this one").into()
}

/// The secret of the owner.
fn ours() -> Secret {
    Secret::new([7; Secret::BYTES])
}

/// The database as its owner opens it.
fn open(dir: &Path) -> Result<Store, StoreError> {
    Store::open(dir, &ours())
}

/// Copies the files of a database, which may be in use.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn nimber(value: u64) -> Nimber {
    Nimber::new(value).expect("in range")
}

fn claimed(land: &[u8], value: u64) -> Fact {
    Fact::nimber(land, nimber(value))
}

fn verified(land: &[u8], value: u64) -> Fact {
    Fact { status: Status::Verified, ..claimed(land, value) }
}

fn provenance(worker: &str) -> Provenance {
    let source = Source { worker: worker.into(), build: "0.1.0-test".into() };
    Provenance { source, job: Some(JobId(7)), time: UnixMillis(1_700_000_000_000) }
}

/// A batch of facts from one worker.
fn facts(worker: &str, facts: Vec<Fact>) -> Batch {
    let provenance = provenance(worker);
    let contribution = Contribution { provenance, facts, exclusions: vec![] };
    Batch { contributions: vec![contribution], ..Batch::default() }
}

/// A batch of one exclusion from one worker.
fn exclusion(worker: &str, land: &[u8], values: u64) -> Batch {
    let exclusions = vec![Exclusion {
        game: sprig_domain::Game::Sprouts,
        land: land.into(),
        values,
        status: Status::Claimed,
    }];
    let contribution = Contribution { provenance: provenance(worker), facts: vec![], exclusions };
    Batch { contributions: vec![contribution], ..Batch::default() }
}

fn refused(result: Result<Committed, StoreError>) -> Contradiction {
    match result {
        Err(StoreError::Contradiction(contradiction)) => *contradiction,
        other => panic!("expected a contradiction, got {other:?}"),
    }
}
