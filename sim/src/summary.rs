//! What came of many simulated clusters.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use sprig_chaos::liars::Lie;

use crate::cluster::Report;

/// All seeds together.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Seeds that were run.
    pub seeds: u64,
    /// What was violated, by the seed.
    pub failed: BTreeMap<u64, String>,
    /// Sums over the seeds of normal play that passed.
    pub normal: Sums,
    /// Sums over the seeds of misère play that passed.
    pub misere: Sums,
    /// Liars by kind, in the seeds that passed.
    pub liars: BTreeMap<Lie, usize>,
}

/// What came of some clusters.
#[derive(Debug, Default, Serialize)]
pub struct Sums {
    /// Clusters.
    pub clusters: usize,
    /// Faults.
    pub faults: usize,
    /// Facts whose acknowledgement a worker has heard.
    pub acknowledged: usize,
    /// Facts that are stored in the end.
    pub facts: u64,
    /// Those of the facts that count, each of which is true.
    pub believed: u64,
    /// Claims that were withdrawn.
    pub withdrawn: usize,
    /// Messages of liars.
    pub words: u64,
    /// Names that were banned.
    pub banned: usize,
    /// Clusters in which a worker was banned.
    pub with_a_ban: usize,
    /// Simulated seconds until the answer, on average.
    pub seconds: f64,
    /// Simulated seconds of the cluster that took longest.
    pub longest: f64,
}

impl Summary {
    /// Sums up what came of each seed.
    #[must_use]
    pub fn of(ran: impl IntoIterator<Item = (u64, Result<Report, String>)>) -> Self {
        let mut summary = Self::default();
        ran.into_iter().for_each(|(seed, report)| summary.add(seed, report));
        for figures in [&mut summary.normal, &mut summary.misere] {
            figures.seconds /= figures.clusters.max(1) as f64;
        }
        summary
    }

    fn add(&mut self, seed: u64, ran: Result<Report, String>) {
        self.seeds += 1;
        let report = match ran {
            Ok(report) => report,
            Err(reason) => return drop(self.failed.insert(seed, reason)),
        };
        for &lie in &report.liars {
            *self.liars.entry(lie).or_default() += 1;
        }
        let figures = if report.start.misere { &mut self.misere } else { &mut self.normal };
        figures.clusters += 1;
        figures.faults += report.faults;
        figures.acknowledged += report.acknowledged;
        figures.facts += report.facts;
        figures.believed += report.believed;
        figures.withdrawn += report.withdrawn;
        figures.words += report.words;
        figures.banned += report.banned;
        figures.with_a_ban += usize::from(report.banned > 0);
        figures.seconds += report.seconds;
        figures.longest = figures.longest.max(report.seconds);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, start, seconds, faults, acknowledged, facts, believed, .. } = self;
        let Self { withdrawn, words, banned, digest, .. } = self;
        write!(
            f,
            "seed {seed}: {start} answered after {seconds:.0} s and {faults} faults; \
             {acknowledged} facts acknowledged, {facts} stored, {believed} believed, \
             {withdrawn} withdrawn; "
        )?;
        if self.liars.is_empty() {
            f.write_str("all honest")?;
        } else {
            let liars: Vec<String> =
                self.liars.iter().map(|lie| format!("{lie:?}").to_lowercase()).collect();
            write!(f, "{} said {words} words, {banned} banned", liars.join(" and "))?;
        }
        write!(f, "; digest {digest}")
    }
}
