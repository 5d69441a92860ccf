//! Logs on standard error, for commands that are asked for them and for services.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

use tracing::info;
use tracing_subscriber::EnvFilter;

use crate::failure::Usage;

/// The environment variable for the format of the log: `text` or `json`.
const FORMAT: &str = "SPRIG_LOG_FORMAT";

/// Set if each line of standard error is a JSON object.
static JSON: OnceLock<()> = OnceLock::new();

/// Starts a log, as `SPRIG_LOG` says if it is set, or else as `-v` says. A service logs without
/// being asked. Other commands are silent then, and do not even set up a log.
///
/// # Errors
/// When the format of the log is unknown.
pub fn start(verbose: u8, service: bool) -> Result<(), Usage> {
    let filter = match (std::env::var("SPRIG_LOG"), verbose) {
        (Ok(filter), _) => EnvFilter::new(filter),
        (Err(_), 0) if !service => return Ok(()),
        (Err(_), 0) => EnvFilter::new("info"),
        (Err(_), 1) => EnvFilter::new(
            "warn,sprig=debug,sprig_coordinator=debug,sprig_worker=debug,sprig_store=debug",
        ),
        (Err(_), _) => EnvFilter::new("debug"),
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match std::env::var(FORMAT).as_deref() {
        Ok("json") => {
            log.json().flatten_event(true).init();
            JSON.get_or_init(|| ());
        }
        Ok("text") | Err(_) if is_journal() => log.without_time().with_ansi(false).init(),
        Ok("text") | Err(_) => log.init(),
        Ok(other) => return Err(Usage(format!("{FORMAT} is text or json, not `{other}`"))),
    }
    Ok(())
}

/// Tells people what a service does, on standard error and in the format of its log.
pub fn say(line: &str) {
    match JSON.get() {
        Some(()) => info!("{line}"),
        None => eprintln!("sprig: {line}"),
    }
}

/// Whether standard error goes to the journal of systemd, which gives each line its time.
fn is_journal() -> bool {
    let Ok(stream) = std::env::var("JOURNAL_STREAM") else { return false };
    let here = fs::metadata("/proc/self/fd/2");
    here.is_ok_and(|here| stream == format!("{}:{}", here.dev(), here.ino()))
}
