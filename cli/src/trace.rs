//! Logs on standard error, only where somebody wants them.

use std::io;

use tracing_subscriber::EnvFilter;

/// Starts logging: by `SPRIG_LOG` if it is set, else by `-v`. A service says what happens without being asked; other
/// commands are silent and do not even set up a log.
pub fn start(verbose: u8, service: bool) {
    let filter = match (std::env::var("SPRIG_LOG"), verbose) {
        (Ok(filter), _) => EnvFilter::new(filter),
        (Err(_), 0) if !service => return,
        (Err(_), 0) => EnvFilter::new("info"),
        (Err(_), 1) => EnvFilter::new(
            "warn,sprig=debug,sprig_coordinator=debug,sprig_worker=debug,sprig_store=debug",
        ),
        (Err(_), _) => EnvFilter::new("debug"),
    };
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
}
