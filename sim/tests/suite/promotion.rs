//! Simulated promotions. `sprig-sim promote --seed N` runs one again; `docs/simulation.md` says
//! what is checked.

use std::process::Command;

/// What the program says of one promotion, in a process of its own: its line, or what was violated.
fn run(seed: u64, flags: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sprig-sim"));
    let output = command.args(["promote", "--seed", &seed.to_string()]).args(flags).output();
    let output = output.expect("the program was built with this test");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

#[test]
fn nothing_acknowledged_is_lost_and_one_coordinator_has_the_facts_of_both() {
    let reports: Vec<_> = (0..8).map(|seed| run(seed, &[]).expect("nothing is violated")).collect();
    for loss in ["killed", "cut off"] {
        assert!(reports.iter().any(|report| report.contains(loss)), "{loss}: {reports:#?}");
    }
}

#[test]
fn without_a_synchronous_follower_something_is_lost() {
    let lost = |seed| {
        let ran = run(seed, &["--unsynced"]);
        ran.is_err_and(|what| what.contains("was acknowledged, and the store"))
    };
    assert!((0..12).any(lost), "no loss in twelve runs: the check finds nothing");
}

#[test]
fn a_seed_decides_a_promotion() {
    // All lines but those with the random identity of a database, from which its line and the
    // proofs of its reigns are made.
    let is_fixed = |line: &&str| !line.contains("Welcome") && !line.contains(" of line ");
    let log = || run(3, &["--log"]).expect("it passes");
    let (first, second) = (log(), log());
    assert!(first.lines().count() > 100, "there is something to compare");
    let both = first.lines().filter(is_fixed).zip(second.lines().filter(is_fixed));
    let differs = { both }.find(|(a, b)| a != b);
    assert_eq!(differs, None);
}
