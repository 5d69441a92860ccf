//! Hundreds of simulated clusters, each with its own disasters. `sprig-sim cluster --seed N` runs one again.

use std::sync::atomic::{AtomicU64, Ordering};

use sprig_sim::cluster::{Report, Scenario, run};

const SEEDS: u64 = 300;

fn scenario(seed: u64) -> Scenario {
    Scenario { seed, spots: 5 + seed as usize % 4, lying_disk: false, log: false }
}

/// Runs the seeds on all cores.
fn all(count: u64, scenario: impl Fn(u64) -> Scenario + Sync) -> Vec<Result<Report, String>> {
    let next = AtomicU64::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let seeds = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        seeds.take_while(|&seed| seed < count).map(|seed| run(&scenario(seed))).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn nothing_acknowledged_is_lost_and_every_answer_is_right() {
    let reports = all(SEEDS, scenario);
    let failures: Vec<_> = reports.iter().filter_map(|report| report.as_ref().err()).collect();
    assert!(failures.is_empty(), "{} of {SEEDS} failed: {failures:#?}", failures.len());
    // The runs were disturbed, and said something worth keeping.
    let reports = || reports.iter().flatten();
    assert!(reports().map(|report| report.faults).sum::<usize>() > 5 * SEEDS as usize);
    assert!(reports().all(|report| report.acknowledged > 0));
}

#[test]
fn a_disk_that_lies_is_found_out() {
    let reports = all(20, |seed| Scenario { lying_disk: true, ..scenario(seed) });
    let found = |report: &&Result<Report, String>| matches!(report, Err(error) if error.contains("was acknowledged"));
    let found = reports.iter().filter(found).count();
    assert!(found >= 5, "found in {found} of 20 runs only: {reports:#?}");
}

#[test]
#[ignore = "open finding 6: since workers tell each other where they are, replays differ"]
fn a_seed_decides_everything() {
    for seed in [3, 4] {
        let logged = || run(&Scenario { log: true, ..scenario(seed) }).expect("it passes");
        let (first, second) = (logged(), logged());
        let differs = first.log.lines().zip(second.log.lines()).find(|(a, b)| a != b);
        assert_eq!(differs, None);
        assert_eq!(first.digest, second.digest);
    }
}
