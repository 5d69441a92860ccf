//! The page of a job: how far it is, and what has happened to it.

use maud::{Markup, html};
use sprig_domain::{JobId, Play};
use sprig_proto::Job;
use sprig_store::{Event, UnixMillis};

use super::frame::page;
use super::work::{answer, asked, asked_of, grouped, state, time, whose};
use crate::explorer::Explorer;
use crate::problem::Problem;

/// Most events on the page. The latest ones are shown.
const EVENTS: usize = 200;

pub(crate) async fn job(explorer: &Explorer, id: JobId) -> Result<Markup, Problem> {
    let (job, history) = explorer.job(id).await?;
    let title = format!("Job {id}");
    let body = html! {
        h1 { (title) }
        div #live {
            (facts(explorer, &job))
            // A database has no searches, and an ended job has none any more.
            @if history.is_none() && !job.state.is_final() { p {
                a href={ "/jobs/" (id) "/search" } {
                    @if job.workers > 0 { "What its searches see at the moment" }
                    @else { "Its searches, and the wishes for them" }
                }
            } }
            h2 { "What has happened" }
            @match &history {
                Some(events) => { (happened(events)) }
                None => { p.faint {
                    "A coordinator does not tell it. Its owner can show this page from its database: "
                    code { "sprig explore --db DIR" } "."
                } }
            }
        }
        p { a href="/work" { "All jobs" } " · " a href={ "/v1/jobs/" (id) } { "This page for programs (JSON)" } }
        script type="module" src="/assets/live.js" {}
    };
    Ok(page(&title, explorer.rules(Play::Normal), body))
}

fn facts(explorer: &Explorer, job: &Job) -> Markup {
    let rows = [
        ("Position", asked_of(job, explorer.game())),
        ("Asked", asked(job)),
        ("For", whose(job)),
        ("State", state(job)),
        ("Answer", answer(job)),
        ("Priority", html! { (job.priority) }),
        ("Expansions", html! { (grouped(job.figures.expansions)) }),
        ("Working time", html! { (time(job.seconds)) }),
        (
            "Core time",
            html! {
                (time(job.core_seconds))
                @if let Some(budget) = job.terms.budget { " of " (time(budget.as_secs_f64())) }
            },
        ),
    ];
    html! {
        div.scroll tabindex="0" role="region" aria-label="The job" { table { tbody {
            @for (name, what) in rows { tr { th scope="row" { (name) } td { (what) } } }
            @if let Some(deadline) = job.terms.deadline {
                tr { th scope="row" { "Ends at" } td { (UnixMillis(deadline).date()) } }
            }
        } } }
        @if job.state.conclusion().is_some() { p.faint {
            "The answer is as the job ended; what is proved here stands on the page of the position."
        } }
    }
}

fn happened(events: &[Event]) -> Markup {
    let earlier = events.len().saturating_sub(EVENTS);
    html! {
        @if earlier > 0 { p.faint { (grouped(earlier as u64)) " earlier events are left out; the JSON has them." } }
        @if events.is_empty() { p { "Nothing is kept of it." } } @else {
            div.scroll tabindex="0" role="region" aria-label="What has happened" { table {
                thead { tr {
                    th scope="col" { "When" } th scope="col" { "what" } th scope="col" { "whom it concerns" }
                } }
                tbody { @for Event { time, kind, detail } in &events[earlier..] { tr {
                    td.when { (time.date()) }
                    td { (kind.name()) }
                    td { @if detail.is_empty() { "–" } @else { (detail) } }
                } } }
            } }
        }
    }
}
