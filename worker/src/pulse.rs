//! How a worker is doing, for those that watch it.

use std::sync::{Mutex, PoisonError};

use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use sprig_domain::Figures;
use sprig_proto::Build;

/// How a worker is doing. There is a lock, since many threads read what one task writes four times
/// a second.
#[derive(Debug, Default)]
pub struct Pulse(Mutex<Reading>);

/// One look at a worker.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Whether it has a session with its coordinator.
    pub connected: bool,
    /// Whether it works under a lease.
    pub searching: bool,
    /// Reports that are not acknowledged yet.
    pub outbox: usize,
    /// Counters since it started.
    pub figures: Figures,
}

impl Pulse {
    /// How it was doing a moment ago.
    pub fn read(&self) -> Reading {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self, reading: Reading) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = reading;
    }
}

impl Reading {
    /// Registers its figures.
    pub fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("sprig_worker");
        registry.register("build", "The program", Info::new([("id", Build::here().id)]));
        let Self { connected, searching, outbox, figures } = *self;
        for (name, help, value) in [
            ("connected", "Whether it has a session with its coordinator", u64::from(connected)),
            ("searching", "Whether it works under a lease", u64::from(searching)),
            ("outbox", "Reports that are not acknowledged yet", outbox as u64),
            ("lands", "Lands in its tables", figures.lands),
            ("table_bytes", "Memory of its tables", figures.bytes),
        ] {
            registry.register(name, help, ConstGauge::new(value as i64));
        }
        for (name, help, value) in [
            ("expansions", "Lands expanded", figures.expansions),
            ("children", "Children generated", figures.children),
            ("facts", "Nimbers proved", figures.facts),
            ("collections", "Times its tables were collected", figures.collections),
        ] {
            registry.register(name, help, ConstCounter::new(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_shown() {
        let pulse = Pulse::default();
        let figures = Figures { expansions: 7, ..Figures::default() };
        pulse.write(Reading { connected: true, figures, ..Reading::default() });
        let (mut registry, mut text) = (Registry::default(), String::new());
        pulse.read().register(&mut registry);
        prometheus_client::encoding::text::encode(&mut text, &registry).expect("a string");
        for line in ["sprig_worker_connected 1", "sprig_worker_expansions_total 7", "# EOF"] {
            assert!(text.lines().any(|l| l == line), "{line}: {text}");
        }
    }
}
