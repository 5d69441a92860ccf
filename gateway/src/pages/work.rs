//! The page of current work: jobs and workers of a cluster, or the jobs that a database remembers.

use maud::{Markup, html};
use sprig_domain::{Conclusion, Game, JobId, JobState, Play, Question, Terms};
use sprig_proto::{ClusterStatus, Job, Selection, WorkerStatus};

use super::frame::page;
use super::thumbs::{badge, href, plural};
use crate::explorer::Explorer;
use crate::problem::Problem;
use crate::target::shown;
use crate::work::{ByKind, Statistics, parameters};

/// Most jobs on the page.
const JOBS: usize = 50;

pub(crate) async fn work(explorer: &Explorer, selection: &Selection) -> Result<Markup, Problem> {
    let (statistics, status) = (explorer.statistics().await?, explorer.status().await?);
    let jobs = explorer.jobs(selection, JobId(u64::MAX), JOBS).await?;
    let body = html! {
        h1 { "Work" }
        div #live {
            (sums(&statistics, status.is_none()))
            @match &status {
                Some(status) => { (workers(status)) }
                None => { p.faint {
                    "This is a database: it remembers the jobs that were done on it, and knows no workers."
                } }
            }
            (jobs_of(&jobs, selection, explorer.game()))
        }
        script type="module" src="/assets/live.js" {}
    };
    Ok(page("Work", explorer.rules(Play::Normal), body))
}

/// What is known in all. Who has found it, a database tells alone.
fn sums(statistics: &Statistics, is_database: bool) -> Markup {
    let counted = |name: &str, counts: &ByKind| {
        let kinds = [
            (counts.nimbers, "nimbers of lands"),
            (counts.rcts, "lands with their trees"),
            (counts.trees, "reduced canonical trees"),
            (counts.losses, "sums that are lost in misère play"),
        ];
        html! {
            @for (count, what) in kinds { @if count > 0 {
                tr { th scope="row" { (what) } td { (name) } td.number { (grouped(count)) } }
            } }
        }
    };
    html! {
        p {
            b { (grouped(statistics.facts)) }
            @if statistics.facts == 1 { " fact is" } @else { " facts are" } " known here."
            @if is_database { " " a href="/credit" { "Who has found them?" } }
        }
        @if let (Some(verified), Some(claimed)) = (&statistics.verified, &statistics.claimed)
            && statistics.facts > 0
        {
            div.scroll tabindex="0" role="region" aria-label="Facts" { table {
                thead { tr {
                    th scope="col" { "Facts" } th scope="col" { "are" } th scope="col" { "count" }
                } }
                tbody { (counted("verified", verified)) (counted("claimed", claimed)) }
            } }
        }
    }
}

fn workers(status: &ClusterStatus) -> Markup {
    html! {
        h2 { "Workers" }
        @if status.suspended { p.claim role="status" {
            "Nobody works at the moment: every claim is being looked at."
        } }
        @if status.drained { p.claim role="status" { "No work is granted until somebody says so." } }
        @if status.workers.is_empty() { p { "No worker is connected." } } @else {
            div.scroll tabindex="0" role="region" aria-label="Workers" { table {
                thead { tr {
                    th scope="col" { "Worker" } th scope="col" { "threads" } th scope="col" { "job" }
                    th scope="col" { "expansions" } th scope="col" { "facts" }
                } }
                tbody { @for worker in &status.workers { (of_worker(worker)) } }
            } }
        }
    }
}

fn of_worker(worker: &WorkerStatus) -> Markup {
    html! {
        tr {
            th scope="row" { (worker.name) }
            td.number { (worker.threads) }
            td.number { @match worker.job { Some(job) => { (job) } None => { "–" } } }
            td.number { (grouped(worker.figures.expansions)) }
            td.number { (grouped(worker.figures.facts)) }
        }
    }
}

fn jobs_of(jobs: &[Job], selection: &Selection, game: Game) -> Markup {
    let is_all = *selection == Selection::default();
    html! {
        h2 { "Jobs" }
        @if !is_all { p {
            "Only those"
            @if !selection.owner.is_empty() { " of " b { (shown(&selection.owner)) } }
            @if !selection.label.is_empty() { " with the label " b { (shown(&selection.label)) } }
            ". " a href="/work" { "All jobs" }
        } }
        p.faint { "Answers are as the jobs ended; what is proved here stands on the page of each position." }
        @if jobs.is_empty() {
            p { @if is_all { "Nobody has submitted a job." } @else { "There is none." } }
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Jobs" { table {
                thead { tr {
                    th scope="col" { "Job" } th scope="col" { "position" } th scope="col" { "asked" }
                    th scope="col" { "for" }
                    th scope="col" { "state" } th scope="col" { "answer" }
                    th scope="col" { "expansions" } th scope="col" { "time" }
                } }
                tbody { @for job in jobs { (of_job(job, game)) } }
            } }
            @if jobs.len() == JOBS { p.faint {
                "The latest " (plural(JOBS, "job")) "; "
                a href=(address("/v1/jobs", selection)) { code { "/v1/jobs" } } " has the others."
            } }
        }
    }
}

fn of_job(job: &Job, game: Game) -> Markup {
    html! {
        tr {
            th scope="row" { a href={ "/jobs/" (job.id) } { (job.id) } }
            td { (asked_of(job, game)) }
            td { (asked(job)) }
            td { (whose(job)) }
            td { (state(job)) }
            td { (answer(job)) }
            td.number { (grouped(job.figures.expansions)) }
            td.number { (time(job.seconds)) }
        }
    }
}

/// The position that a job asks about. The pages tell about one game, so positions of other games
/// are no links.
pub(super) fn asked_of(job: &Job, game: Game) -> Markup {
    let position = job.goal.position().to_string();
    html! {
        @if job.goal.game() == game { a href=(href(&position, job.goal.play())) { code { (position) } } }
        @else { code { (position) } " (" (job.goal.game()) ")" }
    }
}

/// What a job asks.
pub(super) fn asked(job: &Job) -> Markup {
    html! {
        @match (job.goal.play(), job.goal.question()) {
            (Play::Misere, _) => { "who wins in misère play" }
            (Play::Normal, Question::Nimber) => { "its nimber" }
            (Play::Normal, Question::OUTCOME) => { "who wins" }
            (Play::Normal, Question::Outcome { heap }) => { "who wins beside " (heap) }
        }
    }
}

/// The answer of a job.
pub(super) fn answer(job: &Job) -> Markup {
    concluded(job.state.conclusion())
}

fn concluded(conclusion: Option<Conclusion>) -> Markup {
    html! {
        @match conclusion {
            Some(Conclusion { outcome, nimber }) => {
                (badge(Some(outcome)))
                @if let Some(nimber) = nimber { " nimber " b { (nimber) } }
            }
            None => { "–" }
        }
    }
}

/// Who has submitted a job, and what it belongs to.
pub(super) fn whose(job: &Job) -> Markup {
    let Terms { owner, label, .. } = &job.terms;
    let of = |owner: &str, label: &str| {
        address("/work", &Selection { owner: owner.into(), label: label.into() })
    };
    html! {
        @if owner.is_empty() && label.is_empty() { "–" }
        @if !owner.is_empty() { a href=(of(owner, "")) { (owner) } }
        @if !owner.is_empty() && !label.is_empty() { ": " }
        @if !label.is_empty() { a href=(of(owner, label)) { (label) } }
    }
}

/// The address of a list of the selected jobs alone.
fn address(path: &str, selection: &Selection) -> String {
    let said: Vec<_> =
        parameters(selection).map(|(name, value)| format!("{name}={value}")).collect();
    if said.is_empty() { path.into() } else { format!("{path}?{}", said.join("&")) }
}

/// The state of a job.
pub(super) fn state(job: &Job) -> Markup {
    html! {
        @match &job.state {
            JobState::Running => {
                @match &job.waiting {
                    Some(waiting) => { (waiting) }
                    None if job.workers > 0 => { "running, " (plural(job.workers as usize, "worker")) }
                    None => { "running" }
                }
            }
            JobState::Paused => { "paused" }
            JobState::Done(_) => { "done" }
            JobState::Cancelled => { "cancelled" }
            JobState::Failed(reason) => { span.claim { "failed: " (reason) } }
        }
    }
}

/// A number with a narrow space after each third digit from the right.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(2 * digits.len());
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of seconds as a person says it.
pub(super) fn time(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.1} s"),
        100.0..6_000.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3_600.0),
    }
}

#[cfg(test)]
mod tests {
    use sprig_domain::Outcome;
    use sprig_engine::Nimber;

    use super::*;

    #[test]
    fn an_answer_says_who_wins_and_the_nimber_where_it_is_known() {
        let said = |outcome, nimber: Option<u64>| {
            let nimber = nimber.map(|nimber| Nimber::new(nimber).expect("small"));
            concluded(Some(Conclusion { outcome, nimber })).into_string()
        };
        let known = said(Outcome::Win, Some(1));
        assert!(known.contains(">win</span> nimber <b>1</b>"), "{known}");
        let unknown = said(Outcome::Loss, None);
        assert!(unknown.contains(">loss</span>") && !unknown.contains("nimber"), "{unknown}");
        assert_eq!(concluded(None).into_string(), "–");
    }

    #[test]
    fn numbers_and_times_read_well() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(grouped(100), "100");
        assert_eq!(
            (time(0.04), time(99.94), time(150.0)),
            ("0.0 s".into(), "99.9 s".into(), "2 min".into())
        );
        assert_eq!(time(36_000.0), "10.0 h");
    }
}
