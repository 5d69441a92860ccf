//! The checks of `sprig doctor`. Each gives findings, and changes nothing.

mod cluster;
#[cfg(feature = "coordinator")]
mod database;
#[cfg(feature = "coordinator")]
mod files;
mod machine;

use serde::Serialize;

pub use cluster::{access, cluster};
#[cfg(feature = "coordinator")]
pub use database::database;
#[cfg(feature = "coordinator")]
pub use files::{Files, files};
pub use machine::machine;

/// How something is.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Good,
    /// It works, and may not for long, or not well.
    Warning,
    /// Something does not work.
    Bad,
}

/// Something that was looked at.
#[derive(Serialize, Clone, PartialEq, Eq, Debug, schemars::JsonSchema)]
pub struct Finding {
    /// What was looked at.
    pub about: &'static str,
    /// How it is.
    pub verdict: Verdict,
    /// What was seen.
    pub detail: String,
    /// What to do, unless it is good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Finding {
    pub fn good(about: &'static str, detail: impl Into<String>) -> Self {
        Self { about, verdict: Verdict::Good, detail: detail.into(), remedy: None }
    }

    pub fn warning(
        about: &'static str,
        detail: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let remedy = Some(remedy.into());
        Self { about, verdict: Verdict::Warning, detail: detail.into(), remedy }
    }

    pub fn bad(about: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        let remedy = Some(remedy.into());
        Self { about, verdict: Verdict::Bad, detail: detail.into(), remedy }
    }

    /// A finding from an error. Most say after what is wrong what to do; for the others it is
    /// `otherwise`.
    pub fn error(about: &'static str, error: &anyhow::Error, otherwise: &str) -> Self {
        let line = crate::failure::one_line(error);
        match line.split_once("; ") {
            Some((detail, remedy)) => Self::bad(about, detail, remedy),
            None => Self::bad(about, line, otherwise),
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn what_is_bad_has_a_remedy_whatever_its_error_says() {
        let found = Finding::error("tokens", &anyhow!("it is wrong; do this; then that"), "look");
        assert_eq!(
            (found.detail, found.remedy),
            ("it is wrong".into(), Some("do this; then that".into()))
        );
        let found =
            Finding::error("tokens", &anyhow!("no such file").context("cannot read x"), "look");
        assert_eq!(
            (found.detail, found.remedy),
            ("cannot read x: no such file".into(), Some("look".into()))
        );
    }
}
