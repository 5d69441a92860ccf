//! Simulated clusters, each with its own faults and liars. `sprig-sim cluster --seed N` runs one
//! again; `docs/simulation-results.md` has the results of hundreds of them.

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the program says of one cluster, in a process of its own: its line, or what was violated.
fn run(seed: u64, flags: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sprig-sim"));
    let output = command.args(["cluster", "--seed", &seed.to_string()]).args(flags).output();
    let output = output.expect("the program was built with this test");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

/// Runs the seeds on all cores.
fn all(count: u64, flags: &[&str]) -> Vec<Result<String, String>> {
    let next = AtomicU64::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let seeds = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        seeds.take_while(|&seed| seed < count).map(|seed| run(seed, flags)).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// The lines of those that passed, which must be all.
fn passed(reports: &[Result<String, String>]) -> Vec<&String> {
    let failures: Vec<_> = reports.iter().filter_map(|report| report.as_ref().err()).collect();
    assert!(failures.is_empty(), "{} of {} failed: {failures:#?}", failures.len(), reports.len());
    reports.iter().flatten().collect()
}

/// The number before these words.
fn number(line: &str, words: &str) -> u64 {
    let before = line.split(words).next().and_then(|before| before.split_whitespace().last());
    before.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no {words} in {line}"))
}

/// Workers that are all ours, and are believed.
const OURS: [&str; 4] = ["--play", "normal", "--honest", "--believe"];

#[test]
fn nothing_acknowledged_is_lost_and_every_answer_is_right() {
    let reports = all(24, &OURS);
    let lines = passed(&reports);
    // The runs were disturbed, and had facts to keep.
    assert!(lines.iter().map(|line| number(line, " faults;")).sum::<u64>() > 120);
    assert!(lines.iter().all(|line| number(line, " facts acknowledged") > 0));
}

#[test]
fn liars_are_found_out_and_nobody_else_is_banned() {
    let reports = all(8, &[]);
    let lines = passed(&reports);
    let sum = |words| lines.iter().map(|line| number(line, words)).sum::<u64>();
    assert!(sum(" words,") > 20 && sum(" banned;") >= 2, "{lines:#?}");
    assert!(sum(" believed,") > 0);
    assert!(lines.iter().filter(|line| line.contains(" misere ")).count() == 4);
}

#[test]
fn lies_are_believed_where_nobody_checks() {
    let reports = all(12, &["--play", "normal", "--believe"]);
    let signs = ["is believed, and false", "the job ended as", "refused this worker"];
    let is_found = |report: &&Result<String, String>| matches!(report, Err(error) if signs.iter().any(|sign| error.contains(sign)));
    let found = reports.iter().filter(is_found).count();
    assert!(found >= 3, "found in {found} of 12 runs only: {reports:#?}");
}

#[test]
fn a_disk_that_lies_is_found_out() {
    let reports = all(20, &[&OURS[..], &["--lying-disk"]].concat());
    let found = |report: &&Result<String, String>| matches!(report, Err(error) if error.contains("was acknowledged"));
    let found = reports.iter().filter(found).count();
    assert!(found >= 5, "found in {found} of 20 runs only: {reports:#?}");
}

/// Runs a seed twice, and compares what all processes have logged.
fn assert_repeats(seed: u64, flags: &[&str]) {
    let log = || run(seed, &[flags, &["--log"]].concat()).expect("it passes");
    let (first, second) = (log(), log());
    assert!(first.lines().count() > 100, "there is something to compare");
    let differs = first.lines().zip(second.lines()).find(|(a, b)| a != b);
    assert_eq!(differs, None, "seed {seed} {flags:?}");
    assert_eq!(first, second, "seed {seed} {flags:?}");
}

#[test]
fn a_seed_decides_everything() {
    assert_repeats(0, &OURS);
    // Checked, with liars, in both plays.
    (0..2).for_each(|seed| assert_repeats(seed, &[]));
}
