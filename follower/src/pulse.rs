//! How a follower is doing, for those that watch it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use sprig_proto::Build;

/// How a follower is doing by now.
#[derive(Debug)]
pub struct Pulse(Mutex<State>, Arc<AtomicU64>);

#[derive(Clone, Copy, Debug)]
struct State {
    connected: bool,
    facts: u64,
    known: u64,
    level: Instant,
}

/// How a follower was doing at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Whether it has a coordinator.
    pub connected: bool,
    /// Facts that it has on disk.
    pub facts: u64,
    /// Facts that its coordinator had beyond those, as far as it has heard.
    pub behind: u64,
    /// How long ago it had everything that it had heard of.
    pub lag: Duration,
    /// Facts that it has told workers; each as often as it was told.
    pub told: u64,
}

impl Default for Pulse {
    fn default() -> Self {
        let level = Instant::now();
        Self(Mutex::new(State { connected: false, facts: 0, known: 0, level }), Arc::default())
    }
}

impl Pulse {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that it has `facts` facts.
    pub(crate) fn has(&self, facts: u64) {
        let mut state = self.lock();
        (state.facts, state.known) = (facts, state.known.max(facts));
    }

    pub(crate) fn joined(&self) {
        self.lock().connected = true;
    }

    /// Notes that it has no coordinator any more. Returns whether it had one.
    pub(crate) fn left(&self) -> bool {
        std::mem::replace(&mut self.lock().connected, false)
    }

    /// Notes that its coordinator has `known` facts.
    pub(crate) fn hears(&self, known: u64) {
        self.lock().known = known;
    }

    /// Notes that it has `facts` facts on disk, while its coordinator had `known`.
    pub(crate) fn wrote(&self, facts: u64, known: u64) {
        let mut state = self.lock();
        (state.facts, state.known) = (facts, known);
        if facts >= known {
            state.level = Instant::now();
        }
    }

    /// Counts the facts that it has told workers, for those that tell them.
    pub fn told(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.1)
    }

    /// How it is doing now.
    pub fn read(&self) -> Reading {
        let State { connected, facts, known, level } = *self.lock();
        let (behind, told) = (known.saturating_sub(facts), self.1.load(Ordering::Relaxed));
        Reading { connected, facts, behind, lag: level.elapsed(), told }
    }
}

impl Reading {
    /// Registers its figures for Prometheus.
    pub fn register(&self, registry: &mut Registry) {
        let Self { connected, facts, behind, lag, told } = *self;
        let registry = registry.sub_registry_with_prefix("sprig_follower");
        registry.register("build", "The program", Info::new([("id", Build::here().id)]));
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        for (name, help, value) in [
            ("connected", "Whether it has a coordinator", i64::from(connected)),
            ("facts", "Facts that it has on disk", count(facts)),
            ("behind", "Facts that its coordinator had beyond those", count(behind)),
        ] {
            registry.register(name, help, ConstGauge::new(value));
        }
        let help = "Facts that it has told workers; each as often as it was told";
        registry.register("told_facts", help, ConstCounter::new(told));
        let help = "Time since it had everything that its coordinator had";
        registry.register("lag_seconds", help, ConstGauge::new(lag.as_secs_f64()));
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text;

    use super::*;

    #[test]
    fn what_it_lacks_is_its_lag() {
        let pulse = Pulse::default();
        pulse.has(5);
        pulse.joined();
        pulse.hears(9);
        let reading = pulse.read();
        assert_eq!((reading.connected, reading.facts, reading.behind), (true, 5, 4));
        pulse.wrote(9, 9);
        let lag = pulse.read().lag;
        assert!(pulse.read().behind == 0 && lag < Duration::from_secs(60), "{lag:?}");
        assert!(pulse.left() && !pulse.left());
        let (mut registry, mut page) = (Registry::default(), String::new());
        pulse.read().register(&mut registry);
        text::encode(&mut page, &registry).expect("text");
        assert!(page.contains("\nsprig_follower_facts 9\n"), "{page}");
    }
}
