//! Logs on standard error, for commands that are asked for them and for services.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

use tracing::info;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry, fmt};

use crate::failure::Usage;

/// The environment variable for the format of the log: `text` or `json`.
const FORMAT: &str = "SPRIG_LOG_FORMAT";

/// Set if each line of standard error is a JSON object.
static JSON: OnceLock<()> = OnceLock::new();

type Taker = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts a log, as `SPRIG_LOG` says if it is set, or else as `-v` says. A service, which has the
/// name of its part in a cluster, logs without being asked, and its spans go to the collector that
/// the environment names. Other commands are silent then, and do not even set up a log.
///
/// # Errors
/// When the format of the log is unknown, or the collector cannot be used.
pub fn start(verbose: u8, service: Option<&str>) -> Result<(), Usage> {
    let takers = [log(verbose, service.is_some())?, spans(service)?];
    let takers: Vec<Taker> = takers.into_iter().flatten().collect();
    if !takers.is_empty() {
        tracing_subscriber::registry().with(takers).init();
    }
    Ok(())
}

/// Sends what is left to the collector, before the process ends.
pub fn end() {
    #[cfg(feature = "otel")]
    crate::telemetry::end();
}

fn log(verbose: u8, is_service: bool) -> Result<Option<Taker>, Usage> {
    let filter = match (std::env::var("SPRIG_LOG"), verbose) {
        (Ok(filter), _) => EnvFilter::new(filter),
        (Err(_), 0) if !is_service => return Ok(None),
        (Err(_), 0) => EnvFilter::new("info"),
        (Err(_), 1) => EnvFilter::new(
            "warn,sprig=debug,sprig_coordinator=debug,sprig_worker=debug,sprig_store=debug",
        ),
        (Err(_), _) => EnvFilter::new("debug"),
    };
    // What it cannot write it would complain of in the same place, and end the process.
    let log = fmt::layer().with_writer(io::stderr).log_internal_errors(false);
    Ok(Some(match std::env::var(FORMAT).as_deref() {
        Ok("json") => {
            JSON.get_or_init(|| ());
            log.json().flatten_event(true).with_filter(filter).boxed()
        }
        Ok("text") | Err(_) if is_journal() => {
            log.without_time().with_ansi(false).with_filter(filter).boxed()
        }
        Ok("text") | Err(_) => log.with_filter(filter).boxed(),
        Ok(other) => return Err(Usage(format!("{FORMAT} is text or json, not `{other}`"))),
    }))
}

/// What sends spans, if the environment names a collector.
fn spans(service: Option<&str>) -> Result<Option<Taker>, Usage> {
    #[cfg(feature = "otel")]
    if let Some(part) = service
        && let Some(spans) = crate::telemetry::start(part)?
    {
        use tracing_subscriber::filter::{LevelFilter, Targets};
        let target = sprig_proto::trace::TARGET;
        let taken = Targets::new().with_target(target, LevelFilter::TRACE);
        return Ok(Some(spans.with_filter(taken).boxed()));
    }
    #[cfg(not(feature = "otel"))]
    let _ = service;
    Ok(None)
}

/// Tells people what a service does, on standard error and in the format of its log.
pub fn say(line: &str) {
    match JSON.get() {
        Some(()) => info!("{line}"),
        None => remark!("sprig: {line}"),
    }
}

/// Whether standard error goes to the journal of systemd, which gives each line its time.
fn is_journal() -> bool {
    let Ok(stream) = std::env::var("JOURNAL_STREAM") else { return false };
    let here = fs::metadata("/proc/self/fd/2");
    here.is_ok_and(|here| stream == format!("{}:{}", here.dev(), here.ino()))
}
