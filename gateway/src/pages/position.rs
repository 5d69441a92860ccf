//! The page of a position, and the page of its best line.

use std::sync::Arc;

use maud::{Markup, html};
use sprig_ask::{Valued, ending, lives, player};
use sprig_domain::{Game, Outcome, Play};
use sprig_engine::paper::Paper;
use sprig_sketch::Look;

use super::frame::page;
use super::quoted;
use super::thumbs::{href, picture, plural};
use crate::answer::{Answer, OfLand};
use crate::asked::{Asked, for_form, parameter};
use crate::document::value;
use crate::explorer::{Drawn, Explorer};
use crate::problem::Problem;
use crate::target::encode;

/// Moves that one page shows.
const MOVES: usize = 48;

pub(crate) async fn position(
    explorer: &Explorer,
    text: &str,
    play: Play,
    from: usize,
) -> Result<Markup, Problem> {
    let (asked, answer) = explorer.position(text, play).await?;
    let title = asked.canonical.to_string();
    let drawn = explorer.picture(&asked.canonical, Look::default()).await;
    let mut written = Vec::new();
    for land in &answer.standing.lands {
        written.push(explorer.written(land).await?);
    }
    let body = html! {
        (head(&asked, "", &answer))
        (ways(&asked, answer.has_proof))
        div.board {
            div.seen { (figure(&title, drawn)) }
            (moves(&asked, &answer, from))
            section {
                (lands(&asked, &answer, written))
                (more(&asked))
            }
        }
        script type="module" src="/assets/moves.js" {}
    };
    Ok(page(&title, asked.rules(), body))
}

/// The name of the position, who wins, and the way to the other play.
pub(super) fn head(asked: &Asked, below: &str, answer: &Answer) -> Markup {
    let title = asked.canonical.to_string();
    html! {
        div.head {
            h1.position { code { (title) } }
            nav.plays aria-label="Play" {
                @for (play, name) in [(Play::Normal, "Normal play"), (Play::Misere, "Misère play")] {
                    @let current = (play == asked.play).then_some("page");
                    @let to = format!("/p/{}{below}{}", asked.segment(), parameter(play));
                    a href=(to) aria-current=[current] { (name) }
                }
            }
        }
        (verdict(asked, answer))
    }
}

fn verdict(asked: &Asked, answer: &Answer) -> Markup {
    let (class, words) = match answer.standing.outcome {
        Some(Outcome::Win) => ("win", "Win for the player to move"),
        Some(Outcome::Loss) => ("loss", "Loss for the player to move"),
        None => ("open", "It is not known who wins"),
    };
    let [winning, unknown, losing] = answer.tally();
    let total = winning + unknown + losing;
    html! {
        div class={ "verdict " (class) } role="status" {
            strong { (words) }
            @if let Some(nimber) = answer.standing.nimber { span { "Nimber " b { (nimber) } } }
            @if answer.moves.is_none() {
                span { "Too many moves to list" }
            } @else if total == 0 {
                span { "No move is left" }
            } @else {
                span { (plural(total, "move")) ": " (winning) " winning"
                    @if unknown > 0 { ", " (unknown) " unknown" }
                    ", " (losing) " losing" }
            }
            span { (plural(lives(&asked.canonical) as usize, "life").replace("lifes", "lives")) }
        }
        @if let Some(claims) = &answer.standing.claimed {
            p.claim {
                "Merely claimed, and not checked: "
                @if let Some(outcome) = claims.outcome { (outcome) " for the player to move" }
                @if let Some(nimber) = claims.nimber { " nimber " (nimber) }
                ". " a href="/about#verified" { "What that means" }
            }
        }
    }
}

pub(super) fn figure(title: &str, drawn: Result<Arc<Drawn>, Problem>) -> Markup {
    html! {
        @let is_grouped = drawn.as_ref().is_ok_and(|drawn| drawn.is_grouped);
        figure.large data-position=(encode(title)) data-grouped[is_grouped] {
            @match drawn {
                Ok(_) if title == "!" => { p.over { "No move is left: the game is over." } }
                Ok(drawn) => {
                    (picture(title, &drawn.words, true))
                    figcaption {
                        "A picture that reads as this position, not the drawing that led to it. "
                        a href="/about#pictures" { "How to read it" }
                    }
                }
                Err(problem) => { p { "Not drawn: " (quoted(&problem.detail)) "." } }
            }
        }
    }
}

fn lands(asked: &Asked, answer: &Answer, written: Vec<Option<String>>) -> Markup {
    let is_misere = asked.play == Play::Misere;
    html! {
        h2 { @if answer.standing.lands.len() == 1 { "Its land" } @else { "Its lands" } }
        @if answer.standing.lands.is_empty() { p { "It has none: the game is over." } }
        @else {
            div.scroll tabindex="0" role="region" aria-label="Lands" { table {
                thead { tr {
                    th scope="col" { "Land" }
                    th scope="col" { @if is_misere { "Tree" } @else { "Nimber" } }
                    th scope="col" { "Known from" }
                } }
                tbody { @for land in answer.standing.lands.iter().zip(written) { (of_land(land, asked.play)) } }
            } }
        }
    }
}

fn of_land((land, written): (&OfLand, Option<String>), play: Play) -> Markup {
    html! {
        tr {
            td { a href=(href(&land.land, play)) { code { (land.land) } } }
            td {
                @match (land.nimber, &land.tree) {
                    (Some(nimber), _) => { b { (nimber) } }
                    (_, Some(tree)) => {
                        a href=(super::tree::href(tree)) title=(tree) {
                            code { (written.unwrap_or_else(|| tree[..8.min(tree.len())].to_owned())) }
                        }
                    }
                    _ if !land.excluded.is_empty() => {
                        "not " @for (i, nimber) in land.excluded.iter().enumerate() {
                            @if i > 0 { ", " } (nimber)
                        }
                    }
                    _ => { "–" }
                }
            }
            td {
                @if let Some(claimed) = &land.claimed { span.claim { "claimed: " (claimed) } }
                @else if land.nimber.is_none() && land.tree.is_none() && land.excluded.is_empty() {
                    "–"
                }
                @else if let Some(origin) = &land.origin {
                    "verified; found by " (finder(&origin.worker))
                    @if let Some(job) = origin.job { ", job " (job) }
                }
                @else { "verified" }
            }
        }
    }
}

/// The name of the finder of a fact. Searches inside one process have a name that visitors do not
/// know, so the command is named instead.
fn finder(worker: &str) -> &str {
    if worker.starts_with("inside ") { "sprig solve" } else { worker }
}

/// Links to what a visitor can do with the position.
fn ways(asked: &Asked, has_proof: bool) -> Markup {
    let (segment, play) = (asked.segment(), parameter(asked.play));
    let start = encode(&for_form(&asked.canonical.to_string())).replace('+', "%2B");
    let game = format!("/play?start={start}&play={}", asked.play.name());
    html! {
        nav.buttons aria-label="This position" {
            a.button href=(game) { "Play on" }
            a.button.quiet href={ "/p/" (segment) "/line" (play) } { "Best line" }
            @if has_proof { a.button.quiet href={ "/p/" (segment) "/certificate" (play) } { "Proof" } }
        }
    }
}

fn more(asked: &Asked) -> Markup {
    let (segment, play) = (asked.segment(), parameter(asked.play));
    html! {
        h2 { "More" }
        ul.links {
            li { a href={ "/v1/positions/" (segment) "/picture.svg" } download="position.svg" { "The picture (SVG)" } }
            li { a href={ "/v1/positions/" (segment) (play) } { "This page for programs (JSON)" } }
        }
        p.faint {
            "On your machine: " code { "sprig solve '" (asked.canonical) "'"
            @if asked.play == Play::Misere { " --misere" }
            @if asked.game != Game::Sprouts { " --variant " (asked.game) } }
        }
    }
}

fn moves(asked: &Asked, answer: &Answer, from: usize) -> Markup {
    let Some(moves) = &answer.moves else {
        return html! { section { p {
            "There are too many moves to list. " code { "sprig solve" } " may still find who wins."
        } } };
    };
    if moves.is_empty() {
        return html! {};
    }
    let shown: Vec<&Valued> = moves.iter().skip(from).take(MOVES).collect();
    let groups = shown.chunk_by(|a, b| a.found.outcome == b.found.outcome);
    let to = |from: usize| {
        let play = asked.play.name();
        format!("/p/{}?play={play}&from={from}#moves", asked.segment())
    };
    html! {
        section #moves {
            @for group in groups {
                @let (class, name) = match group[0].found.outcome {
                    Some(Outcome::Loss) => ("win", "Winning moves"),
                    None => ("open", "Moves of which nothing is known"),
                    Some(Outcome::Win) => ("loss", "Losing moves"),
                };
                h2 class={ "group " (class) } { (name) }
                ul.cards { @for valued in group { (card(&asked.paper, valued, asked.play)) } }
            }
            @if moves.len() > MOVES {
                nav.pages aria-label="Moves" {
                    @if from > 0 { a rel="prev" href=(to(from.saturating_sub(MOVES))) { "← Better moves" } }
                    @let next = from.saturating_add(MOVES);
                    span {
                        (from.min(moves.len()) + 1) "–" (moves.len().min(next)) " of " (moves.len())
                    }
                    @if next < moves.len() {
                        a rel="next" href=(to(next)) { "Further moves →" }
                    }
                }
            }
        }
    }
}

fn card(paper: &Paper, valued: &Valued, play: Play) -> Markup {
    let value = value(paper, valued);
    html! {
        li { a.card href=(href(&value.child, play)) data-child=(value.child) {
            span.thumb { (picture(&value.child, "", false)) }
            span.move { (value.words) }
            code { (value.child) }
            span.facts {
                @if let Some(nimber) = value.nimber { span { "nimber " (nimber) } }
                @if let Some(length) = value.length { span { (plural(length as usize, "move")) " left" } }
                @if value.status == Some("claimed") { span.claim { "claimed" } }
            }
        } }
    }
}

/// The best line: the best move, the best answer and so on.
pub(crate) async fn line(explorer: &Explorer, text: &str, play: Play) -> Result<Markup, Problem> {
    let (asked, answer) = explorer.position(text, play).await?;
    let line = explorer.line(&asked).await?;
    let title = asked.canonical.to_string();
    let body = html! {
        (head(&asked, "/line", &answer))
        h2 { "The best line" }
        p {
            "The first player is who is to move now"
            @match answer.standing.outcome {
                Some(Outcome::Win) => { ", and wins: the first player hurries, the second resists." }
                Some(Outcome::Loss) => { ", and loses: the second player hurries, the first resists." }
                None => { "." }
            }
        }
        p.faint {
            "Each picture shows a position in its canonical form, so that spots may move and change their \
             letters from one to the next."
        }
        ol.cards {
            li { a.card href=(href(&title, play)) {
                span.thumb { (picture(&title, "", true)) }
                span.move { "Here it begins" }
                code { (title) }
            } }
            @for (number, step) in line.steps.iter().enumerate() {
                li { a.card href=(href(&step.child, play)) {
                    span.thumb { (picture(&step.child, "", false)) }
                    span.move { (number + 1) ". The " (player(number)) " player: " (step.words) }
                    code { (step.child) }
                    @if let Some(length) = step.length {
                        span.facts { span { (plural(length as usize, "move")) " left" } }
                    }
                } }
            }
        }
        p {
            @if line.ended {
                "The game is over after " (plural(line.steps.len(), "move")) ": "
                (ending(play, line.steps.len())) "."
            }
            @else if line.steps.is_empty() { "It is not known which move is the best." }
            @else {
                "It is the " (player(line.steps.len())) " player's move, and nothing that is known says which."
            }
        }
        p { a href=(href(&title, play)) { "Back to the position" } }
    };
    Ok(page(&format!("Best line of {title}"), asked.rules(), body))
}
