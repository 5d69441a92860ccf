//! The first page: the start positions in both plays.

use std::sync::Arc;

use maud::{Markup, html};
use sprig_domain::{Game, JobId, Play};
use sprig_proto::{Job, Selection};

use super::frame::page;
use super::thumbs::{badge, href, picture};
use super::work::grouped;
use crate::explorer::Explorer;
use crate::source::Source;
use crate::starts::{LEAST, Start};

/// Positions that the page offers as examples.
const SHOWN: [&str; 6] =
    ["0*5", "0*2.AB|AB", "0.AB|0.AB", "0*3.AB|0.2.AC|BC.1", "0.ABC|ABD|CD", "1ab2bc1ca"];

/// Most answers that are shown.
const NEWEST: usize = 6;
/// The latest jobs, among which answers are looked for.
const LOOKED_AT: usize = 50;

pub(crate) async fn start(explorer: &Arc<Explorer>) -> Markup {
    // The rest of the page is worth showing also when jobs cannot be listed.
    let jobs =
        explorer.jobs(&Selection::default(), JobId(u64::MAX), LOOKED_AT).await.unwrap_or_default();
    let starts = explorer.start_positions();
    let known = |start: &&Start| start.outcomes.iter().any(Option::is_some);
    let last = starts.iter().rev().find(known).map_or(0, |start| start.spots);
    let rows = &starts[..starts.len().min(last.max(LEAST))];
    let body = html! {
        section.hero {
            h1 { "Who wins at Sprouts?" }
            p {
                "Two players draw curves between spots; each curve gets a new spot, no spot more \
                 than three ends, and no two curves cross. Here is what has been "
                a href="/about#verified" { "proved" }
                " of any position: who wins, which moves win, and what it is worth."
            }
            p.buttons {
                a.button href="/play" { "Play against Sprig" }
                a.button.quiet href="/about#game" { "How the game goes" }
                a.button.quiet href="/pousse" { "Another game: Pousse" }
                a.button.quiet href="/impossible" { "With cards: Impossible!" }
            }
        }
        div.two {
            section {
                h2 { "Start positions" }
                p.faint {
                    "For the player to move. In normal play who cannot move loses; in misère play who \
                     cannot move wins."
                }
                @if rows.is_empty() { p { "The table is being counted; load the page again." } }
                div.scroll tabindex="0" role="region" aria-label="Start positions" {
                    table.starts {
                        thead { tr {
                            th scope="col" { "Spots" }
                            th scope="col" { "Normal" }
                            th scope="col" { "Nimber" }
                            th scope="col" { "Misère" }
                        } }
                        tbody { @for start in rows { (row(start)) } }
                    }
                }
                @if let Source::Database(replica) = &explorer.source {
                    @let worth = replica.worth();
                    p.faint {
                        (grouped(worth.verified.total())) " verified facts in this database"
                        @if worth.claimed.total() > 0 {
                            ", and " (grouped(worth.claimed.total())) " that are merely claimed. No answer rests on \
                             those before the owner of the database has had them checked ("
                            code { "sprig audit" } ") or vouches for them (" code { "sprig adopt" } ")"
                        }
                        "."
                    }
                }
            }
            div {
                section {
                    h2 { "Positions to look at" }
                    ul.cards {
                        @for position in SHOWN {
                            li { a.card href=(href(position, Play::Normal)) {
                                span.thumb { (picture(position, "", false)) }
                                code { (position) }
                            } }
                        }
                    }
                }
                (newest(&jobs, explorer.game()))
            }
        }
    };
    page("Who wins at Sprouts?", explorer.rules(Play::Normal), body)
}

/// The jobs that were answered last. Anybody could have written the record of how a job ended, so
/// it is not shown as proved. It leads to the page that says what is proved.
fn newest(jobs: &[Job], game: Game) -> Markup {
    let answered = jobs.iter().filter(|job| job.state.conclusion().is_some());
    let goals = answered.map(|job| &job.goal).filter(|goal| goal.game() == game);
    let goals: Vec<_> = goals.take(NEWEST).collect();
    html! {
        @if !goals.is_empty() { section {
            h2 { "Answered last" }
            ul.answers { @for goal in goals {
                @let position = goal.position().to_string();
                li {
                    a href=(href(&position, goal.play())) { code { (position) } }
                    @if goal.play() == Play::Misere { " in misère play" }
                }
            } }
            p.faint { a href="/work" { "All jobs" } }
        } }
    }
}

fn row(start: &Start) -> Markup {
    let position = format!("0*{}", start.spots);
    let [normal, misere] = start.outcomes;
    html! {
        tr {
            th scope="row" { (start.spots) }
            td { a href=(href(&position, Play::Normal)) { (badge(normal)) } }
            td { @match start.nimber { Some(nimber) => { (nimber) } None => { "–" } } }
            td { a href=(href(&position, Play::Misere)) { (badge(misere)) } }
        }
    }
}
