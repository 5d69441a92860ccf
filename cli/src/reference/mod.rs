//! The reference: pages that say what the code says, so that they cannot say anything else.

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

/// What stands above every page.
const HEAD: &str =
    "<!-- Written by `sprig reference docs/reference` from the code; change that. -->\n";

/// Every page: the name of its file, and what stands in it.
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
