//! The page that judges a record of Pousse.

use maud::{Markup, html};
use sprig_domain::Play;
use sprig_pousse::{MAX_SIZE, MAX_SOLVED, Record, RecordError, Repeat};

use super::frame::page;
use crate::explorer::Explorer;
use crate::pousse::Visit;
use crate::problem::{Kind, Problem};
use crate::reply::Reply;
use crate::target::Target;

/// Answers a request about a record. Without a record it shows the form for one.
pub(crate) async fn pousse_record(explorer: &Explorer, target: &Target) -> Result<Reply, Problem> {
    target.only(&["record", "repeat"])?;
    let repeats = [("player", Repeat::Player), ("board", Repeat::Board)];
    let repeat = target.word("repeat", &repeats)?;
    let shown = |body: Markup| page("A record of Pousse", explorer.rules(Play::Normal), body);
    let Some(text) = target.value("record").map(str::to_owned) else {
        let body = html! { h1 { "Judge a record of Pousse" } (form("", repeat)) };
        return Ok(Reply::page(shown(body)));
    };
    let read = text.clone();
    let record = explorer.work(move |_| Ok(Record::read(&read, repeat))).await?;
    match record {
        Ok(record) => Ok(Reply::page(shown(html! {
            h1 { "Judge a record of Pousse" }
            (judged(&record, repeat))
            (form(&text, repeat))
        }))),
        Err(error) => {
            let problem = problem(&error);
            let body = html! {
                h1 { "This is no record" }
                div.verdict.loss role="status" {
                    strong { "Line " (error.line) ", column " (error.column) }
                    span { (super::quoted(&error.reason.to_string())) }
                }
                p { "What to do: " (problem.remedy) "." }
                (form(&text, repeat))
            };
            Ok(Reply::problem(&problem, "", Some(shown(body))))
        }
    }
}

fn problem(error: &RecordError) -> Problem {
    let remedy = "mend it in the form and judge it again; a record is the size of the board, the moves, and QUIT";
    Problem::new(Kind::BadParameter, error.to_string(), remedy)
}

/// Who has won, and by which rule.
fn judged(record: &Record, repeat: Repeat) -> Markup {
    let (game, moves) = (&record.game, record.moves.len());
    let now = game.now();
    let visit =
        Visit { size: now.board.size(), side: None, moves: record.moves.clone(), hints: false };
    let can_be_played = visit.size <= MAX_SOLVED && repeat == Repeat::Player;
    html! {
        div.verdict.open role="status" {
            @match game.ending() {
                Some(ending) => strong { (ending) "." },
                None => strong { "Unfinished: " (now.to_move) " is to move." },
            }
            span { "after " (super::thumbs::plural(moves, "move")) }
        }
        pre.text tabindex="0" role="region" aria-label="The last board" { (rows(&now.board.to_string())) }
        @if can_be_played {
            p.buttons { a.button.quiet href=(visit.href()) { "Look at it, move by move" } }
        }
    }
}

fn rows(board: &str) -> String {
    board.replace('/', "\n")
}

fn form(text: &str, repeat: Repeat) -> Markup {
    html! {
        form.record action="/pousse/record" method="get" {
            label for="record" { "The record: the size of the board, 1 to " (MAX_SIZE) ", the moves, and QUIT, with blanks or line ends between them" }
            textarea #record name="record" rows="10" required maxlength="3500" autocomplete="off" autocapitalize="off" spellcheck="false"
                placeholder="4\nL1\nT2\nQUIT" { (text) }
            label for="repeat" { "What must not be repeated" }
            select #repeat name="repeat" {
                option value="player" selected[repeat == Repeat::Player] { "the board with the player to move (the contest)" }
                option value="board" selected[repeat == Repeat::Board] { "the board alone" }
            }
            button type="submit" { "Judge" }
        }
        p.faint {
            "Moves are L, R, T or B, for the side from which a marker is pushed in, and the row or column, \
             counted from 1 at the top left. Longer records: " code { "sprig pousse judge" } "."
        }
        p { a href="/pousse" { "Play Pousse" } }
    }
}
