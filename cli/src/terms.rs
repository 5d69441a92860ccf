//! The terms of jobs, and the selection of jobs.

use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use sprig_domain::{JobId, Terms};
use sprig_proto::{Client, Job, Selection};

use crate::date;
use crate::duration::some_time;
use crate::failure::quote;

/// Most jobs of one page.
const PAGE: u32 = 500;

/// Owner, label, budget and deadline of what is submitted.
#[derive(Args)]
pub struct Given {
    /// What you call these jobs, to see and to cancel them together
    #[arg(long, value_name = "TEXT", value_parser = label)]
    pub label: Option<String>,
    /// Who you are, where the coordinator asks for no token; owners share the workers evenly
    #[arg(long, value_name = "NAME", env = "SPRIG_OWNER", value_parser = label)]
    owner: Option<String>,
    /// Core time that each job may take, as in 90s, 30m or 2h; one that has taken it waits until it
    /// gets more
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    budget: Option<Duration>,
    /// When they stop, as in 8h or 2026-12-01T18:00 (UTC); they wait until they get more time
    #[arg(long, value_name = "TIME", value_parser = date::coming)]
    deadline: Option<u64>,
}

impl Given {
    /// The terms of a job that is in no campaign.
    pub fn terms(&self) -> Terms {
        Terms {
            owner: self.owner.clone().unwrap_or_default(),
            label: self.label.clone().unwrap_or_default(),
            in_turn: false,
            budget: self.budget,
            deadline: self.deadline,
        }
    }
}

/// Which jobs are meant.
#[derive(Args)]
pub struct Chosen {
    /// Only jobs with this label
    #[arg(long, value_name = "TEXT", value_parser = label)]
    label: Option<String>,
    /// Only jobs of this owner
    #[arg(long, value_name = "NAME", value_parser = label)]
    owner: Option<String>,
}

impl Chosen {
    /// The selection in the form of a request to a coordinator.
    pub fn selection(&self) -> Selection {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Selection { owner: text(&self.owner), label: text(&self.label) }
    }

    /// The options as they are typed in a shell, each after a blank.
    pub fn options(&self) -> String {
        let option = |name: &str, text: &Option<String>| {
            let typed = |text: &String| format!(" --{name} '{}'", text.replace('\'', r"'\''"));
            text.as_ref().map(typed).unwrap_or_default()
        };
        option("label", &self.label) + &option("owner", &self.owner)
    }

    /// Whether no owner and no label is given, so that all jobs are selected.
    pub fn is_all(&self) -> bool {
        self.label.is_none() && self.owner.is_none()
    }
}

/// Reads an owner or a label.
pub fn label(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("it is empty; leave the option out".to_owned());
    }
    sprig_proto::label("it", text.to_owned()).map_err(|error| error.to_string())
}

/// All jobs that are selected, the latest first.
///
/// # Errors
/// When the coordinator cannot be asked, and when no job is selected.
pub async fn jobs_of(client: &mut Client, selection: &Selection) -> anyhow::Result<Vec<Job>> {
    let (mut jobs, mut before) = (Vec::new(), None);
    loop {
        let page = client.selected(selection, before, PAGE).await?;
        let Some(last) = page.last() else { break };
        before = Some(JobId(last.id.0));
        jobs.extend(page);
    }
    if jobs.is_empty() { Err(unknown(selection)) } else { Ok(jobs) }
}

/// The error that no job is selected.
pub fn unknown(selection: &Selection) -> anyhow::Error {
    let Selection { owner, label } = selection;
    let label =
        if label.is_empty() { String::new() } else { format!(" the label {}", quote(label)) };
    let owner =
        if owner.is_empty() { String::new() } else { format!(" the owner {}", quote(owner)) };
    let and = if label.is_empty() || owner.is_empty() { "" } else { " and" };
    anyhow!("no job has{label}{and}{owner}; `sprig jobs` shows what there is")
}
