//! The reference: pages that are written from the code, so that they cannot contradict it.

mod answers;
mod commands;
mod errors;
mod http;
mod keys;
mod limits;
mod markdown;
mod messages;
mod metrics;
mod roles;
mod settings;

/// The line above every page.
const HEAD: &str =
    "<!-- Written by `sprig reference docs/reference` from the code; change that. -->\n";

/// Every page: the name of its file, and its text.
///
/// # Errors
/// When no coordinator can be started to ask for its metrics.
pub fn pages() -> anyhow::Result<Vec<(&'static str, String)>> {
    let pages = [
        ("commands.md", commands::page()),
        ("json.md", answers::page()),
        ("configuration.md", settings::page()),
        ("exit-codes.md", errors::page()),
        ("http.md", http::page()),
        ("limits.md", limits::page()),
        ("messages.md", messages::page()),
        ("metrics.md", metrics::page()?),
        ("roles.md", roles::page()),
    ];
    Ok(pages.map(|(name, text)| (name, format!("{HEAD}{text}"))).into())
}
