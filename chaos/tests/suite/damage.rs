//! A few random damages of databases. `sprig-chaos damage` goes further.

use std::path::PathBuf;
use std::time::Duration;

use sprig_chaos::damage::Damage;

/// The program that was built beside this test.
fn sprig() -> PathBuf {
    let test = std::env::current_exe().expect("this test has a path");
    let sprig = test.parent().and_then(|deps| deps.parent()).expect("target/release").join("sprig");
    assert!(sprig.exists(), "build {} first: cargo build --release -p sprig", sprig.display());
    sprig
}

#[test]
fn nothing_is_missing_without_a_word() {
    let killed_after = Duration::from_secs(2);
    let damage = Damage { sprig: sprig(), rounds: 12, killed_after, seed: 1 };
    let report = damage.run().expect("the program runs");
    assert!(report.violations.is_empty(), "{:#?}", report.violations);
    let sum = report.damages.values().map(|o| o.refused + o.complete + o.short).sum::<u32>();
    assert_eq!(sum, report.rounds);
    assert!(report.damages.values().any(|outcomes| outcomes.refused > 0), "{report:#?}");
}
