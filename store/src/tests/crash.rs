//! A process that commits is killed at any moment; what it had acknowledged has to be there.
//!
//! SIGKILL leaves the page cache alone, so this shows what is lost with the process, not with the
//! machine.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use sprig_domain::JobId;

use super::*;

const ROUNDS: u64 = 20;

/// The fact that gets number `n`.
fn nth(n: u64) -> Fact {
    claimed(format!("land {n}").as_bytes(), n % 64)
}

/// Commits until the disk takes no more. Every batch appends an event that names the number after
/// it, so that a batch that was written in part would show.
fn commit_until_failure(store: &Store) -> StoreError {
    loop {
        let next = store.next_sequence().0;
        let end = next + 1 + next % 17;
        let mut batch = facts("ada", (next..end).map(nth).collect());
        let event = Event { time: UnixMillis(end), kind: EventKind::Leased, detail: String::new() };
        batch.events.push((JobId(1), event));
        if let Err(error) = store.commit(&batch) {
            return error;
        }
        println!("\nacknowledged {end}");
        std::io::stdout().flush().unwrap();
    }
}

/// Checks that all facts up to a number that is at least `acknowledged` are there, and no others.
fn check(dir: &Path, acknowledged: u64) {
    let store = open(dir).unwrap();
    let stored = store.next_sequence().0;
    assert!(stored >= acknowledged, "{acknowledged} acknowledged, {stored} stored");
    let facts = store.facts_from(Sequence(0), usize::MAX).unwrap();
    assert_eq!(facts.len() as u64, stored);
    for (n, StoredFact { sequence, fact }) in (0..).zip(facts) {
        assert_eq!((sequence, &fact), (Sequence(n), &nth(n)));
    }
    assert_eq!(store.facts(Kind::Nimber).count() as u64, stored);
    let last_event = store.history(JobId(1)).unwrap().pop().expect("at least one commit");
    assert_eq!(last_event.time.0, stored, "a batch was written in part");
}

/// Lets the child test `test` commit on `dir`, kills it some time after `commits` commits, and
/// returns the last number that it acknowledged.
#[allow(
    clippy::disallowed_methods,
    reason = "the kill must come at no particular moment, so there is no event to wait for"
)]
fn kill_after(test: &str, dir: &Path, commits: usize, delay: Duration) -> u64 {
    let mut child = child(test, dir).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acknowledged = lines
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("acknowledged ").map(str::to_owned));
    let mut last =
        acknowledged.by_ref().nth(commits).expect("the child commits until it is killed");
    thread::sleep(delay);
    child.kill().unwrap();
    // Lines that it could still write count, too. The last line may be cut.
    let rest: Vec<_> = acknowledged.collect();
    child.wait().unwrap();
    if let Some(line) = rest.len().checked_sub(2).map(|i| &rest[i]) {
        last.clone_from(line);
    }
    last.parse().expect("a number")
}

#[test]
fn nothing_acknowledged_is_lost_to_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..ROUNDS {
        let commits = (round * 7 % 31) as usize;
        let delay = Duration::from_micros(round * 389 % 2500);
        let last = kill_after("tests::crash::committer", dir.path(), commits, delay);
        check(dir.path(), last);
    }
}

#[test]
fn nothing_acknowledged_is_lost_to_a_full_disk() {
    let dir = tempfile::tempdir().unwrap();
    let full = child("tests::crash::filler", dir.path());
    // A limit on the size of files stands in for a full disk: the log of writes reaches it first.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 400; exec \"$0\" \"$@\""]);
    command.arg(full.get_program()).args(full.get_args()).env(CHILD_DIR, dir.path());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\nfull"), "{text}");
    let acknowledged = text.lines().rev().find_map(|line| line.strip_prefix("acknowledged "));
    check(dir.path(), acknowledged.expect("some commits succeed").parse().unwrap());
}

/// The control: without the write-ahead log the same test has to see the loss.
#[test]
fn without_the_log_a_kill_loses_what_was_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let delay = Duration::from_millis(1);
    let last = kill_after("tests::crash::careless_committer", dir.path(), 20, delay);
    let stored = open(dir.path()).unwrap().next_sequence().0;
    assert!(stored < last, "{last} acknowledged, {stored} stored");
}

#[test]
#[ignore = "the process that nothing_acknowledged_is_lost_to_a_kill kills"]
fn committer() {
    panic!("{}", commit_until_failure(&open(&child_dir()).unwrap()));
}

#[test]
#[ignore = "the process that without_the_log_a_kill_loses_what_was_acknowledged kills"]
fn careless_committer() {
    let mut store = open(&child_dir()).unwrap();
    let core = std::sync::Arc::get_mut(&mut store.core).expect("nobody else has it");
    core.write = rocksdb::WriteOptions::default();
    core.write.disable_wal(true);
    panic!("{}", commit_until_failure(&store));
}

#[test]
#[ignore = "the process that fills the disk of nothing_acknowledged_is_lost_to_a_full_disk"]
fn filler() {
    let store = open(&child_dir()).unwrap();
    let error = commit_until_failure(&store);
    assert!(matches!(error, StoreError::NoSpace { .. }), "{error}");
    let error = store.commit(&facts("ada", vec![claimed(b"more", 0)])).expect_err("refused");
    assert!(matches!(error, StoreError::Closed { .. }), "{error}");
    println!("\nfull");
}
