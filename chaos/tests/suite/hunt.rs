//! A short hunt of real processes, and its control. `scripts/chaos` goes further.

use std::path::PathBuf;

use sprig_chaos::hunt::{Hunt, HuntReport};

/// The program that was built beside this test.
fn sprig() -> PathBuf {
    let test = std::env::current_exe().expect("this test has a path");
    let sprig = test.parent().and_then(|deps| deps.parent()).expect("target/release").join("sprig");
    assert!(sprig.exists(), "build {} first: cargo build --release -p sprig", sprig.display());
    sprig
}

/// A coordinator and a worker are killed in the first second, and 0*34 takes some ten.
fn hunt(lying_disk: bool) -> anyhow::Result<HuntReport> {
    let hunt = Hunt {
        sprig: sprig(),
        positions: vec!["0*34".into()],
        workers: 4,
        most: None,
        kills: 6,
        pause: 0.5,
        everything: false,
        full_disk: false,
        lying_disk,
        alone: false,
        seed: 1,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(hunt.run())
}

#[test]
fn nothing_acknowledged_is_lost_to_kill_9() {
    let report = hunt(false).expect("a good end");
    assert!(report.workers_killed > 0 && report.coordinators_killed > 0, "{report:?}");
    assert!(report.checked.acknowledged > 0, "{report:?}");
}

#[test]
fn a_disk_that_lies_is_found_out() {
    let error = hunt(true).expect_err("acknowledged facts were lost");
    assert!(format!("{error:#}").contains("acknowledged facts are lost"), "{error:#}");
}
