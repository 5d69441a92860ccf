//! A few rounds of each long run, and the controls: `sprig-chaos storms`, `power-cuts`, `liars`,
//! `malice` and `promote` go further.

use std::future::Future;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use sprig_chaos::liars::Liars;
use sprig_chaos::power::{Disk, PowerCuts, Summary};
use sprig_chaos::promote::Promote;
use sprig_chaos::storm::Storms;

/// The program that was built beside this test.
fn sprig() -> PathBuf {
    let test = std::env::current_exe().expect("this test has a path");
    let sprig = test.parent().and_then(|deps| deps.parent()).expect("target/release").join("sprig");
    assert!(sprig.exists(), "build {} first: cargo build --release -p sprig", sprig.display());
    sprig
}

const PATIENCE: Duration = Duration::from_secs(600);

/// No jobs of misère play: to verify their base takes seconds.
#[expect(clippy::reversed_empty_ranges, reason = "it is to be empty")]
const NONE: RangeInclusive<usize> = 1..=0;

fn block_on<T>(run: impl Future<Output = anyhow::Result<T>>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.expect("threads").block_on(run).expect("the processes start")
}

#[test]
fn liars_have_no_answer_wrong_no_job_failed_and_no_honest_worker_banned() {
    let (rounds, seed, journal) = (3, 1, None);
    let liars = Liars { sprig: sprig(), rounds, seed, journal, patience: PATIENCE };
    let summary = block_on(liars.run(|_, _| {}));
    assert!(summary.violations.is_empty(), "{:#?}", summary.violations);
    assert!(summary.words > 0 && summary.bans > 0, "{summary}");
    assert_eq!(summary.verified, summary.answered, "{summary}");
}

#[test]
fn kills_leave_every_answer_right_and_proved() {
    let storms = Storms {
        sprig: sprig(),
        kills: 8,
        pause: Duration::from_millis(800),
        normal: 16..=18,
        misere: NONE,
        seed: 2,
        journal: None,
        patience: PATIENCE,
    };
    let summary = block_on(storms.run(|_, _| {}));
    assert!(summary.violations.is_empty(), "{:#?}", summary.violations);
    assert_eq!(summary.workers_killed + summary.coordinators_killed, 8, "{summary}");
    assert_eq!(summary.verified, summary.jobs, "{summary}");
}

fn power_cuts(disk: Disk) -> Summary {
    let cuts = PowerCuts {
        sprig: sprig(),
        cuts: 3,
        disk,
        pause: Duration::from_secs(2),
        normal: 18..=19,
        misere: NONE,
        seed: 2,
        journal: None,
        patience: PATIENCE,
    };
    block_on(cuts.run(|_, _| {}))
}

#[test]
fn nothing_acknowledged_is_lost_to_a_power_cut() {
    let summary = power_cuts(Disk::Honest);
    assert!(summary.violations.is_empty(), "{:#?}", summary.violations);
    assert!(summary.acknowledged_at_cuts > 0, "{summary}");
    assert_eq!(summary.verified, summary.jobs, "{summary}");
}

#[test]
fn disks_that_do_not_sync_are_found_out() {
    for disk in [Disk::Forgets, Disk::Lies] {
        let summary = power_cuts(disk);
        assert!(summary.violations.is_empty(), "{:#?}", summary.violations);
        assert!(summary.found_out > 0, "{summary}");
    }
}

#[test]
fn a_follower_takes_the_place_of_a_killed_coordinator() {
    let promote = Promote {
        sprig: sprig(),
        rounds: 1,
        spots: 22,
        pause: Duration::from_millis(800),
        seed: 1,
        patience: PATIENCE,
    };
    let rounds = block_on(promote.run(|_| {}));
    assert!(rounds[0].violations.is_empty(), "{:#?}", rounds[0].violations);
    assert!(rounds[0].acknowledged > 0, "{}", rounds[0]);
}
