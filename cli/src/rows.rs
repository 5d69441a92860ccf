//! Jobs and workers, as `status`, `jobs`, `workers` and `top` show them.

use sprig_ask::{BanRow, JobRow, WorkerRow};

use crate::date;
use crate::failure::escaped;
use crate::table::table;

/// A job on one line.
pub fn line(job: &JobRow) -> String {
    format!("job {} {}, priority {}", job.id, escaped(&job.state), job.priority)
}

/// A table of workers, for people.
pub fn workers(workers: &[WorkerRow]) -> String {
    let rows = workers.iter().map(|w| {
        let job = w.job.map_or_else(|| "-".to_owned(), |job| job.to_string());
        [
            w.name.clone(),
            w.threads.to_string(),
            job,
            w.expansions.to_string(),
            w.facts.to_string(),
            w.build.clone(),
        ]
    });
    let heading = ["WORKER", "THREADS", "JOB", "EXPANSIONS", "FACTS", "BUILD"];
    table(heading, &["BUILD", "FACTS", "THREADS"], rows)
}

/// A table of bans, for people. It is empty if there are none.
pub fn bans(bans: &[BanRow]) -> String {
    let rows = bans.iter().map(|ban| {
        let proved = if ban.proved { "proved" } else { "free" };
        let why = match &ban.claim {
            Some(claim) => format!("{claim}; {}", ban.reason),
            None => ban.reason.clone(),
        };
        [ban.name.clone(), proved.to_owned(), date::utc(ban.time), why]
    });
    if bans.is_empty() {
        String::new()
    } else {
        table(["BANNED", "NAME IS", "SINCE", "WHY"], &[], rows)
    }
}

/// A table of jobs, for people. The facts and the proof numbers of ended jobs are not kept, so they
/// are not shown.
pub fn jobs(jobs: &[JobRow]) -> String {
    let rows = jobs.iter().map(|j| {
        let answer = match (&j.outcome, j.nimber) {
            (Some(outcome), Some(nimber)) => format!("{outcome}, nimber {nimber}"),
            (Some(outcome), None) => outcome.clone(),
            (None, _) => "-".to_owned(),
        };
        let open = j.proof > 0 || j.disproof > 0;
        let if_open = |text: String| if open { text } else { "-".to_owned() };
        [
            j.id.to_string(),
            j.position.clone(),
            j.question.clone(),
            j.owner.clone().unwrap_or_else(|| "-".to_owned()),
            j.label.clone().unwrap_or_else(|| "-".to_owned()),
            j.priority.to_string(),
            j.waiting.clone().unwrap_or_else(|| j.state.clone()),
            answer,
            j.expansions.to_string(),
            if_open(j.facts.to_string()),
            if_open(format!("{}/{}", j.proof, j.disproof)),
            j.workers.to_string(),
            format!("{:.1}", j.seconds),
        ]
    });
    let heading = [
        "JOB",
        "POSITION",
        "ASKED",
        "OWNER",
        "LABEL",
        "PRIORITY",
        "STATE",
        "ANSWER",
        "EXPANSIONS",
        "FACTS",
        "PN/DN",
        "WORKERS",
        "SECONDS",
    ];
    let spare =
        ["PN/DN", "FACTS", "PRIORITY", "SECONDS", "WORKERS", "OWNER", "LABEL", "EXPANSIONS"];
    table(heading, &spare, rows)
}
