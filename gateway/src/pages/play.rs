//! The page of a game against the program, which is played by choosing moves.

use maud::{Markup, html};
use sprig_ask::Valued;
use sprig_domain::{Outcome, Play};
use sprig_sketch::Look;

use super::frame::page;
use super::position::figure;
use super::thumbs::{badge, href, picture, picture_of_move};
use crate::asked::for_form;
use crate::document::value;
use crate::explorer::Explorer;
use crate::game::{Game, Stand, at_the_end};
use crate::problem::{Kind, Problem};
use crate::reply::{Holds, Reply};
use crate::target::Target;

/// Answers a request about a game. If the program is to move, its move is made first.
pub(crate) async fn play(explorer: &Explorer, target: &Target) -> Result<Reply, Problem> {
    let Some(game) = Game::of(explorer, target).await? else {
        return Ok(Reply::page(page("Play", explorer.rules(Play::Normal), begin(None))));
    };
    let stand = game.stand(explorer).await?;
    if !game.is_visitors()
        && let Some(best) = stand.best()?
    {
        return Ok(Reply::elsewhere(game.with(best).href()));
    }
    let title = stand.asked.canonical.to_string();
    let drawn = explorer.picture(&stand.asked.canonical, Look::default()).await;
    let reply = reply(explorer, &game, &stand).await;
    let body = html! {
        h1 { "Play against Sprig" }
        (told(&game, &stand))
        @if explorer.game() == sprig_domain::Game::BlackAndWhite {
            p.faint {
                "A curve that is drawn into the picture gets its new spot. A move without it is chosen from \
                 the list."
            }
        }
        (buttons(&game, explorer.game()))
        div.board {
            div.seen { (reply) (figure(&title, drawn)) }
            (choices(&game, &stand)?)
            section { (history(&game, &stand)) }
        }
        script type="module" src="/assets/play.js" {}
        script type="module" src="/assets/moves.js" {}
        (begin(Some(&game)))
    };
    Ok(Reply::page(page("Play", explorer.rules(game.play), body)))
}

/// Answers a request for the record of a game.
pub(crate) async fn record(explorer: &Explorer, target: &Target) -> Result<Reply, Problem> {
    let game = Game::of(explorer, target).await?.ok_or_else(|| {
        Problem::new(Kind::BadParameter, "`start` is missing", "open it from the page of a game")
    })?;
    Ok(Reply::new("text/plain; charset=utf-8", game.written(explorer).await?, Holds::Day))
}

/// Says what the visitor can do, or who has won.
fn told(game: &Game, stand: &Stand) -> Markup {
    let is_over = stand.answer.moves.as_ref().is_some_and(Vec::is_empty);
    let (class, words) = if is_over {
        // The player to move has lost, or won in misère play.
        let mover_wins = at_the_end(game.play) == Outcome::Win;
        match mover_wins == game.is_visitors() {
            true => ("win", "You have won."),
            false => ("loss", "Sprig has won."),
        }
    } else {
        ("open", "Your move.")
    };
    html! {
        div class={ "verdict " (class) } role="status" {
            strong { (words) }
            @if !is_over { span.hint {} }
            @if game.play == Play::Misere { span { "Misère play: who cannot move wins" } }
            @if game.hints && !is_over {
                span { @match stand.answer.standing.outcome {
                    Some(Outcome::Win) => "You can win from here",
                    Some(Outcome::Loss) => "Sprig wins if it errs nowhere",
                    None => "It is not known who wins",
                } }
            }
        }
    }
}

fn buttons(game: &Game, played: sprig_domain::Game) -> Markup {
    let mut other = game.clone();
    other.hints = !game.hints;
    html! {
        p.buttons {
            @if let Some(before) = game.before() { a.button href=(before.href()) rel="prev" { "Take back" } }
            // The association's records are of Sprouts alone.
            @if !game.moves.is_empty() && played == sprig_domain::Game::Sprouts { a.button.quiet href=(game.record()) { "Record" } }
            a.button.quiet href=(other.href()) { @if game.hints { "Hide hints" } @else { "Show hints" } }
        }
    }
}

/// The move that Sprig made last, as a curve in the picture of the position before it. Where many
/// fresh spots are drawn as one, no curve can be shown.
async fn reply(explorer: &Explorer, game: &Game, stand: &Stand) -> Markup {
    let own = usize::from(!game.is_first);
    let was_sprigs = |number: usize| number % 2 != own;
    let made_last = stand.history.last().filter(|_| was_sprigs(stand.history.len() - 1));
    let Some(made) = made_last else { return html! {} };
    let before = stand.history.iter().rev().nth(1).map_or(&game.start, |made| &made.child);
    let (Ok(at), Ok(child)) = (explorer.read(before).await, explorer.read(&made.child).await)
    else {
        return html! {};
    };
    if explorer.picture_of(&at, Look::default(), Some(child)).await.is_err() {
        return html! {};
    }
    html! {
        figure.reply {
            (picture_of_move(before, &made.child, "Sprig's move as a curve in the picture of before"))
            figcaption { "Sprig drew " b { (made.words) } " into " code { (before) } }
        }
    }
}

fn history(game: &Game, stand: &Stand) -> Markup {
    html! {
        h2 { "The game" }
        @if stand.history.is_empty() { p.faint { "It begins at " code { (game.start) } "." } }
        ol.history {
            @for (number, made) in stand.history.iter().enumerate() {
                @let is_visitors = number.is_multiple_of(2) == game.is_first;
                li {
                    b { @if is_visitors { "You" } @else { "Sprig" } }
                    " " (made.words) " "
                    a href=(href(&made.child, game.play)) { code { (made.child) } }
                }
            }
        }
    }
}

fn choices(game: &Game, stand: &Stand) -> Result<Markup, Problem> {
    let moves = stand.moves()?;
    Ok(html! {
        @if !moves.is_empty() {
            section #moves {
                h2 { "Your moves" }
                ul.cards { @for (number, valued) in moves { (choice(game, stand, number, valued)) } }
            }
        }
    })
}

fn choice(game: &Game, stand: &Stand, number: usize, valued: &Valued) -> Markup {
    let value = value(&stand.asked.paper, valued);
    html! {
        li { a.card href=(game.with(number).href()) data-child=(value.child) {
            span.thumb { (picture(&value.child, "", false)) }
            span.move { (value.words) }
            code { (value.child) }
            @if game.hints {
                // A move that leaves a loss for the opponent wins for the visitor.
                span.facts {
                    @match valued.found.outcome {
                        Some(Outcome::Loss) => (badge(Some(Outcome::Win))),
                        Some(Outcome::Win) => (badge(Some(Outcome::Loss))),
                        None => (badge(None)),
                    }
                    @if let Some(length) = value.length { span { (length) " left" } }
                }
            }
        } }
    }
}

/// The form that begins a game.
fn begin(game: Option<&Game>) -> Markup {
    let start = game.map_or_else(|| "5".to_owned(), |game| for_form(&game.start));
    let play = game.map_or(Play::Normal, |game| game.play);
    let is_first = game.is_none_or(|game| game.is_first);
    html! {
        section.begin {
            @if game.is_none() {
                h1 { "Play against Sprig" }
                p {
                    "Sprig answers by what is proved: where it can win and knows how, it wins. Who can win \
                     depends on the number of spots, and on who begins."
                }
            } @else { h2 { "Another game" } }
            form.game action="/play" method="get" {
                label { "Spots, or a position"
                    input name="start" value=(start) required maxlength="2000" autocomplete="off" spellcheck="false";
                }
                label { "Who begins"
                    select name="first" {
                        option value="you" selected[is_first] { "You" }
                        option value="sprig" selected[!is_first] { "Sprig" }
                    }
                }
                label { "Who cannot move"
                    select name="play" {
                        option value="normal" selected[play == Play::Normal] { "loses (normal)" }
                        option value="misere" selected[play == Play::Misere] { "wins (misère)" }
                    }
                }
                button type="submit" { "Begin" }
            }
        }
    }
}
