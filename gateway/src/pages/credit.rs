//! The page that says who has found what is known.

use maud::{Markup, html};
use sprig_domain::Play;
use sprig_store::Credited;

use super::frame::page;
use super::work::grouped;
use crate::explorer::Explorer;
use crate::source::Source;

/// Most names on the page.
const NAMES: usize = 500;

pub(crate) async fn credit(explorer: &Explorer) -> Markup {
    let body = match &explorer.source {
        Source::Cluster(..) => html! {
            p { "A coordinator does not say who has found what. Its owner can show this page from its database: "
                code { "sprig explore --db DIR" } "." }
        },
        Source::Database(replica) => match explorer.credits.of(replica).await {
            None => {
                html! { p role="status" { "The facts are being counted. Look again in a minute." } }
            }
            Some(people) if people.is_empty() => html! { p { "Nobody has found anything yet." } },
            Some(people) => found(&people),
        },
    };
    let body = html! {
        h1 { "Who has found it" }
        p { "Each fact counts for the worker that reported it first. What counts is what was verified: checked here, step by step." }
        (body)
    };
    page("Credit", explorer.rules(Play::Normal), body)
}

fn found(people: &[Credited]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Names" { table {
            thead { tr {
                th scope="col" { "Name" } th scope="col" { "verified facts" }
                th scope="col" { "not needed yet" } th scope="col" { "last" }
            } }
            tbody { @for Credited { name, is_proved, credit } in people.iter().take(NAMES) { tr {
                th scope="row" {
                    (name)
                    @if !is_proved { span.faint { " (a name that nobody has proved)" } }
                }
                td.number { (grouped(credit.verified.total())) }
                td.number { (grouped(credit.claimed.total())) }
                td.when { (credit.time.1.date()) }
            } } }
        } }
        @if people.len() > NAMES { p.faint { "The first " (NAMES) " of " (people.len()) "." } }
        p.faint { "Facts that are not needed yet are claims: they are checked when an answer rests on them." }
    }
}
