//! The page of the searches of a job: where each of them goes, and what people wish.

use maud::{Markup, html};
use sprig_ask::{BranchRow, ExpectedRow, LookerRow, SightRow, ViewRow, WishRow};
use sprig_domain::{JobId, Play};
use sprig_store::UnixMillis;

use super::frame::page;
use super::steering;
use super::thumbs::{picture, plural};
use super::work::grouped;
use crate::explorer::Explorer;
use crate::problem::Problem;
use crate::sight::At;
use crate::target::encode;

/// Most places of a line that are shown.
const LINE: usize = 12;

pub(crate) async fn search(explorer: &Explorer, id: JobId, at: &At) -> Result<Markup, Problem> {
    let sight = explorer.sight(id, at).await?;
    let page_of = Search {
        id,
        play: sight.job.goal.play(),
        has_ended: sight.job.state.is_final(),
        is_steered: explorer.visitors.is_some() && !sight.job.state.is_final(),
    };
    let sight = SightRow::from(sight);
    let steering = page_of.steering(at, &sight);
    let title = format!("Search of job {id}");
    let body = html! {
        h1 { (title) }
        p {
            a href={ "/jobs/" (id) } { "Job " (id) } " is about " code { (sight.job.position) } ": "
            (sight.job.question) ". "
            @if !page_of.has_ended {
                "The numbers say how much work seems to be left: the proof number to prove that the player \
                to move wins, the disproof number that he loses. Options come in the order of the search, \
                the most promising first."
            }
        }
        @if !page_of.has_ended {
            figure #course hidden {
                svg viewBox="0 0 640 160" role="img" aria-label="Proof and disproof number over time" {}
                figcaption { "Proof (full) and disproof number (dashed) of the job since this page was opened, \
                              on a logarithmic scale." }
            }
        }
        @if page_of.is_steered { (steering) }
        div #live {
            (page_of.wishes(&sight.wishes))
            @if let Some(position) = &at.position {
                p { "Looking at " code { (position) } @if at.heap.get() > 0 { " beside " (at.heap) } ". "
                    a href={ "/jobs/" (id) "/search" } { "Where the searches are" }
                    (page_of.wishing(position, at.heap.get())) }
            }
            @if let Some(ExpectedRow { low, likely, high }) = sight.expected {
                p {
                    (grouped(sight.job.expansions))
                    @if sight.job.expansions == 1 { " expansion" } @else { " expansions" }
                    @if page_of.has_ended { " in all." } @else { " until now." }
                    " One search alone needs some " (grouped(likely)) " for such a start position, if it begins with nothing ("
                    (grouped(low)) " to " (grouped(high))
                    "). Several workers repeat some of the work of each other; known facts save some."
                }
            }
            @if page_of.has_ended {
                p { "It has ended (" (sight.job.state) "), and is searched no more. "
                    a href={ "/jobs/" (id) } { "What came of it" } }
            } @else if sight.workers.is_empty() {
                p { "No worker is at it: " (sight.job.waiting.as_deref().unwrap_or(&sight.job.state)) "." }
            }
            @for worker in &sight.workers { (page_of.looker(worker)) }
        }
        @if !page_of.is_steered && !page_of.has_ended { (steering) }
        p { a href={ "/v1/jobs/" (id) "/search" } { "This page for programs (JSON)" } }
        script type="module" src="/assets/live.js" {}
        script type="module" src="/assets/search.js" {}
        @if page_of.is_steered {
            p #said role="status" {}
            script type="module" src="/assets/steer.js" {}
        }
    };
    Ok(page(&title, explorer.rules(Play::Normal), body))
}

/// The search that the page is about.
struct Search {
    id: JobId,
    play: Play,
    has_ended: bool,
    /// Whether visitors may steer it.
    is_steered: bool,
}

impl Search {
    /// How the search is steered: from a shell, and where visitors may, from here. It stands
    /// outside of what changes, so that it can be copied and typed into.
    fn steering(&self, at: &At, sight: &SightRow) -> Markup {
        html! { section #wishing {
            h2 { "Steering" }
            p {
                "Whoever may submit jobs can send a worker to a place, or keep all away from it"
                @if let Some((position, heap)) = example(at, sight) {
                    ": " code { "sprig wish " (self.id) " pin '" (position) "'"
                        @if heap > 0 { " --heap " (heap) } }
                } @else { " (" code { "sprig wish --help" } ")" }
                ". A wish proves nothing; a wrong one costs time."
            }
            @if self.is_steered { (steering::form()) }
        } }
    }

    /// Buttons that make a wish for a place, if visitors may.
    fn wishing(&self, position: &str, heap: u8) -> Markup {
        html! { @if self.is_steered { (steering::wishing(position, heap, self.play)) } }
    }

    fn wishes(&self, wishes: &[WishRow]) -> Markup {
        html! {
            @if !wishes.is_empty() {
                h2 { "Wishes" }
                div.scroll tabindex="0" role="region" aria-label="Wishes" { table {
                    thead { tr {
                        th scope="col" { "Wish" } th scope="col" { "place" } th scope="col" { "by" }
                        th scope="col" { "made" } th scope="col" { "state" } th scope="col" { "expansions" }
                    } }
                    tbody { @for wish in wishes { tr {
                        th scope="row" { (wish.kind) " " (wish.number)
                            @if self.is_steered && wish.end.is_none() { (steering::withdrawing(wish.number)) } }
                        td.place { code { (wish.position) } @if wish.heap > 0 { " beside " (wish.heap) } }
                        td { (wish.by.as_deref().unwrap_or("–")) }
                        td.when { (UnixMillis(wish.made).date()) }
                        td.state { @match (&wish.end, wish.until) {
                            (Some(end), _) => { (end) }
                            (None, Some(until)) => { "holds until " (UnixMillis(until).date()) }
                            (None, None) => { "holds until decided" }
                        } }
                        td.number { (grouped(wish.expansions)) }
                    } } }
                } }
            }
        }
    }

    fn looker(&self, worker: &LookerRow) -> Markup {
        let seconds = worker.age as f64 / 1000.0;
        html! {
            section {
                h2 { (worker.name) }
                p {
                    "At " code { (worker.at) }
                    @if let Some(wish) = worker.wish { ", sent by wish " (wish) }
                    ". " (grouped(worker.expansions)) " expansions, as it said " (format!("{seconds:.1}")) " s ago."
                }
                @match &worker.view {
                    None => { p.faint { "It sees nothing there: it has not come there, or knows the answer." } }
                    Some(view) => { (self.seen(&worker.name, view)) }
                }
            }
        }
    }

    fn seen(&self, worker: &str, view: &ViewRow) -> Markup {
        let ViewRow { at, line, options, open } = view;
        html! {
            p { code { (at.place) } ": " (numbers(at)) }
            @if !line.is_empty() {
                h3 { "Where it goes" }
                ol.cards aria-label={ "Where " (worker) " goes" } { @for branch in line.iter().take(LINE) { li { (self.card(branch)) } } }
                @if line.len() > LINE { p.faint { (plural(line.len() - LINE, "place")) " further down." } }
            }
            h3 { (plural(*open as usize, "open option")) }
            ol.cards aria-label={ "Options of " (worker) } { @for branch in options { li { (self.card(branch)) } } }
            @if options.len() < *open as usize { p.faint { "The first " (options.len()) " are shown." } }
        }
    }

    /// A place with its picture; it leads to what is seen there.
    fn card(&self, branch: &BranchRow) -> Markup {
        let inner = html! {
            @if let Some(position) = &branch.position {
                span.thumb { (picture(position, &branch.place, false)) }
            }
            code.move { (branch.place) }
            span.facts { (numbers(branch)) }
        };
        html! {
            @match &branch.position {
                Some(position) => {
                    a.card href={ "/jobs/" (self.id) "/search?at=" (encode(position).replace('+', "%2B"))
                        @if let Some(heap) = branch.heap.filter(|&heap| heap > 0) { "&heap=" (heap) } } { (inner) }
                    (self.wishing(position, branch.heap.unwrap_or(0)))
                }
                None => { div.card { (inner) } }
            }
        }
    }
}

/// A place that could be wished, with its heap: the one that is looked at, or one that a search
/// sees. All searches are at the goal anyway.
fn example<'a>(at: &'a At, sight: &'a SightRow) -> Option<(&'a str, u8)> {
    let views = sight.workers.iter().filter_map(|worker| worker.view.as_ref());
    let seen = views.flat_map(|view| view.options.iter().chain(&view.line));
    let seen =
        seen.filter_map(|branch| Some((branch.position.as_deref()?, branch.heap.unwrap_or(0))));
    let looked_at = at.position.as_deref().map(|position| (position, at.heap.get()));
    let mut places = looked_at.into_iter().chain(seen);
    places.find(|(position, _)| *position != sight.job.position)
}

fn numbers(branch: &BranchRow) -> Markup {
    html! {
        "proof " (grouped(branch.proof.into())) ", disproof " (grouped(branch.disproof.into()))
        @if branch.walks > 0 { ", " (plural(branch.walks as usize, "thread")) " there" }
    }
}
