//! Pousse: the board with its moves, and a game against the solver.

use maud::{Markup, html};
use sprig_domain::Play;
use sprig_pousse::{Board, Choice, Ending, Game, Insertion, Player, Side};

use super::frame::page;
use crate::explorer::Explorer;
use crate::pousse::Visit;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::target::Target;

/// Answers a request about a game of Pousse. If Sprig is to move, its move is made first.
pub(crate) async fn pousse(explorer: &Explorer, target: &Target) -> Result<Reply, Problem> {
    let Some((visit, game)) = Visit::of(target)? else {
        return Ok(Reply::page(page("Pousse", explorer.rules(Play::Normal), begin(None))));
    };
    let is_visitors = visit.makes(game.now().to_move);
    let shows_values = visit.side.is_none() || visit.hints;
    let wants_values = game.ending().is_none() && (shows_values || !is_visitors);
    let choices = if wants_values { explorer.pousse.choices(&game).await } else { None };
    if !is_visitors && let Some(best) = choices.as_ref().and_then(|choices| choices.first()) {
        return Ok(Reply::elsewhere(visit.with(best.insertion).href()));
    }
    let is_late = wants_values && choices.is_none();
    let body = html! {
        h1 { "Pousse, " (visit.size) " × " (visit.size) }
        (told(&visit, &game, choices.as_deref()))
        @if is_late { p.late {
            "The boards of this size are still being worked out, which takes some seconds. "
            a href=(visit.href()) { "Load the page again" } "."
        } }
        div.two {
            (drawn(&visit, &game, choices.as_deref()))
            section { (buttons(&visit)) (history(&visit)) }
        }
        @if game.ending().is_none() && is_visitors { (moves(&visit, &game, choices.as_deref())) }
        (begin(Some(&visit)))
    };
    Ok(Reply::page(page("Pousse", explorer.rules(Play::Normal), body)))
}

/// Who is to move, and who wins.
fn told(visit: &Visit, game: &Game, choices: Option<&[Choice]>) -> Markup {
    let mover = game.now().to_move;
    let (class, words) = match (game.ending(), visit.side) {
        (Some(Ending { winner, .. }), None) => ("open", format!("{winner} has won.")),
        (Some(Ending { winner, .. }), Some(side)) if winner == side => {
            ("win", "You have won.".to_owned())
        }
        (Some(_), Some(_)) => ("loss", "Sprig has won.".to_owned()),
        (None, None) => match choices.map(|choices| choices.iter().any(|choice| choice.wins)) {
            Some(true) => ("win", format!("{mover} is to move and wins.")),
            Some(false) => ("loss", format!("{mover} is to move and loses.")),
            None => ("open", format!("{mover} is to move.")),
        },
        (None, Some(side)) if side == mover => ("open", format!("You are {side}. Your move.")),
        (None, Some(_)) => ("open", "Sprig is thinking.".to_owned()),
    };
    html! {
        div class={ "verdict " (class) } role="status" {
            strong { (words) }
            @if let Some(ending) = game.ending() { span { (ending) } }
            @if visit.side.is_some() && let Some(choices) = choices {
                span { @if choices.iter().any(|choice| choice.wins) { "You can win from here" }
                    @else { "Sprig wins if it errs nowhere" } }
            }
        }
    }
}

/// The board, with a link at every end of a line where a marker can be pushed in.
fn drawn(visit: &Visit, game: &Game, choices: Option<&[Choice]>) -> Markup {
    let board = &game.now().board;
    let lines = 1..=visit.size;
    let end = |side, line| end(visit, game, choices, Insertion { side, line });
    html! {
        div.scroll tabindex="0" role="region" aria-label="Board" {
            table.pousse {
                caption { "The board, with " (marked(board)) ". Arrows push a marker in." }
                tbody {
                    tr { td {} @for line in lines.clone() { td.end { (end(Side::Top, line)) } } td {} }
                    @for line in lines.clone() { tr {
                        td.end { (end(Side::Left, line)) }
                        @for column in lines.clone() { (square(board, line, column)) }
                        td.end { (end(Side::Right, line)) }
                    } }
                    tr { td {} @for line in lines { td.end { (end(Side::Bottom, line)) } } td {} }
                }
            }
        }
    }
}

/// How many markers are on the board.
fn marked(board: &Board) -> String {
    format!("{} X and {} O", board.markers(Player::X), board.markers(Player::O))
}

fn square(board: &Board, row: usize, column: usize) -> Markup {
    let marker = board.square(row - 1, column - 1);
    let class = match marker {
        Some(Player::X) => "x",
        Some(Player::O) => "o",
        None => "empty",
    };
    html! {
        td.square { span class={ "marker " (class) } {
            @match marker {
                Some(player) => (player),
                None => span.unseen { "empty" },
            }
        } }
    }
}

/// The end of a line, where a marker can be pushed in.
fn end(visit: &Visit, game: &Game, choices: Option<&[Choice]>, insertion: Insertion) -> Markup {
    let arrow = match insertion.side {
        Side::Left => "→",
        Side::Right => "←",
        Side::Top => "↓",
        Side::Bottom => "↑",
    };
    let is_open = game.ending().is_none() && visit.makes(game.now().to_move);
    let choice = choices.into_iter().flatten().find(|choice| choice.insertion == insertion);
    let class = match choice {
        Some(choice) if choice.wins => "win",
        Some(_) => "loss",
        None => "open",
    };
    let value = choice.map_or_else(String::new, |choice| format!(", {}", value(choice)));
    html! {
        @if is_open {
            a class=(class) href=(visit.with(insertion).href())
                aria-label={ (insertion) ": " (in_words(insertion)) (value) } { (insertion) br; (arrow) }
        } @else { span.open aria-hidden="true" { (insertion) br; (arrow) } }
    }
}

fn in_words(Insertion { side, line }: Insertion) -> String {
    let (from, what) = match side {
        Side::Left => ("left", "row"),
        Side::Right => ("right", "row"),
        Side::Top => ("top", "column"),
        Side::Bottom => ("bottom", "column"),
    };
    format!("push from the {from} into {what} {line}")
}

/// What a move is worth to the player who makes it.
fn value(choice: &Choice) -> String {
    format!("{} {}", if choice.wins { "wins" } else { "loses" }, how(choice))
}

fn how(choice: &Choice) -> String {
    match (choice.after.ending(), choice.plies()) {
        (Some(_), _) => "at once".to_owned(),
        (None, Some(plies)) => format!("in {plies} moves"),
        (None, None) => "only by repetition".to_owned(),
    }
}

fn buttons(visit: &Visit) -> Markup {
    let mut other = visit.clone();
    other.hints = !visit.hints;
    html! {
        p.buttons {
            @if let Some(before) = visit.before() { a.button href=(before.href()) rel="prev" { "Take back" } }
            @if visit.side.is_some() {
                a.button.quiet href=(other.href()) { @if visit.hints { "Hide values" } @else { "Show values" } }
            }
            @if !visit.moves.is_empty() { a.button.quiet href=(visit.record()) { "Record" } }
        }
    }
}

fn history(visit: &Visit) -> Markup {
    html! {
        h2 { "The game" }
        @if visit.moves.is_empty() { p.faint { "The board is empty. X begins." } }
        ol.history {
            @for (number, insertion) in visit.moves.iter().enumerate() {
                @let player = if number.is_multiple_of(2) { Player::X } else { Player::O };
                li {
                    b {
                        (player)
                        @if let Some(side) = visit.side { @if side == player { ", you" } @else { ", Sprig" } }
                    }
                    " " code { (insertion) } " " span.faint { (in_words(*insertion)) }
                }
            }
        }
    }
}

/// All moves. Where values are to be shown, each has its value, and the best come first.
fn moves(visit: &Visit, game: &Game, choices: Option<&[Choice]>) -> Markup {
    html! {
        section #moves {
            h2 { "Moves of " (game.now().to_move) }
            @if let Some(choices) = choices {
                p.faint {
                    "“Only by repetition”: neither player can force straights, and the rule of repetition \
                     decides."
                }
                div.scroll tabindex="0" role="region" aria-label="Moves" { table {
                    thead { tr {
                        th scope="col" { "Move" } th scope="col" { "Value" }
                        th scope="col" { "How" } th scope="col" { "Board after it" }
                    } }
                    tbody { @for choice in choices { tr {
                        td { a href=(visit.with(choice.insertion).href()) { (choice.insertion) } }
                        td { (badge(choice.wins)) }
                        td { (how(choice)) }
                        td { code { (choice.after.now().board) } }
                    } } }
                } }
            } @else {
                ul.answers { @for insertion in Insertion::all(visit.size) {
                    li { a href=(visit.with(insertion).href()) { (insertion) } }
                } }
            }
        }
    }
}

fn badge(wins: bool) -> Markup {
    let word = if wins { "win" } else { "loss" };
    html! { span class={ "badge " (word) } { (word) } }
}

/// The rules, and the form that begins a game.
fn begin(visit: Option<&Visit>) -> Markup {
    let size = visit.map_or(4, |visit| visit.size);
    let side = visit.map_or(Some(Player::X), |visit| visit.side);
    html! {
        section.begin {
            @if visit.is_none() {
                h1 { "Pousse" }
                p {
                    "X and O push markers into the rows and columns of a square board by turns. A marker \
                     pushes what lies before it, up to the first empty square; in a full line the last \
                     one falls off. Who has more rows and columns of one colour alone wins, and who \
                     repeats a board with the same player to move loses."
                }
                p {
                    "Sprig has solved the boards up to 4 × 4: X wins each of them, those of 3 × 3 and 4 × 4 \
                     only by the rule of repetition. It never gives a won game away."
                }
            } @else { h2 { "Another game" } }
            form.game action="/pousse" method="get" {
                label { "Board"
                    select name="size" { @for n in 1..=4_usize {
                        option value=(n) selected[n == size] { (n) " × " (n) }
                    } }
                }
                label { "You play"
                    select name="side" {
                        option value="x" selected[side == Some(Player::X)] { "X, and begin" }
                        option value="o" selected[side == Some(Player::O)] { "O; Sprig begins" }
                        option value="both" selected[side.is_none()] { "both, with all values" }
                    }
                }
                label { "Moves made already"
                    input name="moves" maxlength="2000" autocomplete="off" spellcheck="false"
                        placeholder="none, or L1 T2 B3";
                }
                button type="submit" { "Begin" }
            }
            p { a href="/pousse/record" { "Judge a record" } " of the contest of 1998." }
        }
    }
}
