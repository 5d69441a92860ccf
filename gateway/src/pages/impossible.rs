//! Impossible!: rows of cards, and whether a challenge of them can be met.

use maud::{Markup, html};
use sprig_domain::Play;
use sprig_impossible::{Answer, Deal, MAX_ROWS, Table, TableError, read_table};

use super::cards::{self, Shown};
use super::frame::page;
use crate::explorer::Explorer;
use crate::impossible::{SEEDS, TURNED, seed, seeded, turned};
use crate::problem::{Kind, Problem};
use crate::reply::Reply;
use crate::target::Target;

/// Rows that the form shows at first: those of the document.
const EXAMPLE: &str = "R3 B3 R0\nB0 R3 B2\nR2 B0 BQ";

/// What a visitor wants to know of some rows.
struct Asked {
    table: Table,
    /// The seed by which they were dealt.
    dealt: Option<usize>,
    /// Whether the visitor tries first to meet the challenge.
    tries: bool,
    /// What the visitor turns over.
    turned: Option<Vec<usize>>,
}

/// Answers a request about rows of cards. Without rows it shows the forms for them.
pub(crate) async fn impossible(explorer: &Explorer, target: &Target) -> Result<Reply, Problem> {
    target.only(&[&["rows", "deal", "seed", "try"][..], &TURNED].concat())?;
    let shown = |body: Markup| page("Impossible!", explorer.rules(Play::Normal), body);
    let tries = target.word("try", &[("off", false), ("on", true)])?;
    let (table, dealt) = match (target.value("rows"), target.value("deal")) {
        (Some(_), Some(_)) => {
            let what = "rows are both given and dealt";
            return Err(Problem::new(Kind::BadParameter, what, "leave `rows` or `deal` out"));
        }
        (Some(text), None) => match read_table(text) {
            Ok(table) => (table, None),
            Err(error) => {
                let (problem, body) = (problem(&error), refused(&error, text));
                return Ok(Reply::problem(&problem, "", Some(shown(body))));
            }
        },
        (None, Some(_)) => {
            let (rows, seed) = (target.number("deal", 1..=MAX_ROWS, 6)?, seed(target)?);
            if target.value("seed").is_none_or(str::is_empty) {
                let tries = if tries { "&try=on" } else { "" };
                return Ok(Reply::elsewhere(format!("/impossible?deal={rows}&seed={seed}{tries}")));
            }
            (Deal::table(rows, &mut seeded(seed)), Some(seed))
        }
        (None, None) => return Ok(Reply::page(shown(about()))),
    };
    let turned = turned(target, table.rows().len())?;
    let asked = Asked { table, dealt, tries, turned };
    // The core of many rows takes some time.
    let body = explorer.work(move |_| Ok(answered(&asked))).await?;
    Ok(Reply::page(shown(body)))
}

/// The game, and the forms for rows and for a game.
fn about() -> Markup {
    html! {
        section.begin {
            h1 { "Impossible!" }
            p {
                "A game with cards by Torben Mogensen (2009). Players lay rows of three cards by turns. After a \
                 row the other player may say “Impossible!”. Then who laid the row turns over one card in each row \
                 on the table, so that no value stays in both red and black, and wins. Who cannot loses."
            }
            p {
                "Suits do not matter: every red card shows a diamond here, every black one a spade. N, Q and K are \
                 knave, queen and king."
            }
            p.buttons { a.button href="/impossible/play" { "Play against Sprig" } }
        }
        (forms(EXAMPLE, false))
    }
}

/// What is known of some rows, or the form to try them.
fn answered(asked: &Asked) -> Markup {
    let Asked { table, dealt, tries, turned } = asked;
    let text = table.to_string();
    html! {
        h1 { "Impossible!" }
        @match turned {
            Some(turned) => (judged(table, turned)),
            None if *tries && !table.rows().is_empty() => (trial(table)),
            None => (answer(table)),
        }
        @if turned.is_some() || *tries {
            p.buttons {
                a.button.quiet href=(href(table, false)) { "Show the answer" }
                @if turned.is_some() { a.button.quiet href=(href(table, true)) { "Try again" } }
            }
        }
        @if let Some(seed) = dealt {
            @let command = format!("sprig impossible deal --rows {} --seed {seed}", table.rows().len());
            p.faint { "Dealt from seed " (seed) ", as " code { (command) } " does." }
        }
        (forms(&text, *tries))
    }
}

/// The address of the page about some rows.
pub(super) fn href(table: &Table, tries: bool) -> String {
    let row = |row: &sprig_impossible::Row| row.map(|card| card.to_string()).join("+");
    let rows: Vec<String> = table.rows().iter().map(row).collect();
    format!("/impossible?rows={}{}", rows.join("/"), if tries { "&try=on" } else { "" })
}

/// Whether a challenge can be met, and how, or why not.
fn answer(table: &Table) -> Markup {
    let answer = table.challenge();
    let (class, words) = match answer {
        Answer::Possible(_) => ("win", "It can be met."),
        Answer::Impossible(_) => ("loss", "Impossible!"),
    };
    html! {
        div class={ "verdict " (class) } role="status" {
            strong { (words) }
            @if !table.rows().is_empty() { span { (cards::ways(table)) } }
        }
        (explained(table, &answer))
    }
}

/// The rows with the cards to turn over, or with the core and its reasons.
pub(super) fn explained(table: &Table, answer: &Answer) -> Markup {
    html! {
        @match answer {
            Answer::Possible(turned) => (cards::rows(table, &Shown { turned: Some(turned), ..Shown::default() })),
            Answer::Impossible(core) => {
                (cards::rows(table, &Shown { core: &core.rows, ..Shown::default() }))
                (cards::reasons(core))
            }
        }
    }
}

/// The form in which a visitor turns over a card in each row.
fn trial(table: &Table) -> Markup {
    html! {
        div.verdict.open role="status" { strong { "Can you meet it?" } }
        p {
            "Choose one card in each row to turn over, so that no value stays in both red and black. It may be \
             impossible."
        }
        form.rows action="/impossible" method="get" {
            input type="hidden" name="rows" value=(table);
            input type="hidden" name="try" value="on";
            (cards::choices(table))
            button type="submit" { "Turn them over" }
        }
    }
}

/// What came of the cards that a visitor has turned over.
fn judged(table: &Table, turned: &[usize]) -> Markup {
    let clashes = table.clashes(turned);
    html! {
        @if clashes.is_empty() {
            div.verdict.win role="status" { strong { "You meet it." } span { "No value stays in both colours" } }
        } @else {
            div.verdict.loss role="status" { strong { "That does not meet it." } }
            (cards::clashes(&clashes))
        }
        (cards::rows(table, &Shown { turned: Some(turned), ..Shown::default() }))
    }
}

fn problem(error: &TableError) -> Problem {
    let remedy = "mend it in the form and ask again; a row is three cards, as in R3 B3 R0";
    Problem::new(Kind::BadParameter, error.to_string(), remedy)
}

/// The page about a text that is no table.
fn refused(error: &TableError, text: &str) -> Markup {
    html! {
        h1 { "These are no rows of cards" }
        div.verdict.loss role="status" {
            strong { "Line " (error.line) ", column " (error.column) }
            span { (super::quoted(&error.mistake.to_string())) }
        }
        p { "What to do: " (problem(error).remedy) "." }
        (forms(text, false))
    }
}

/// The forms for rows of one's own and for rows off a shuffled deck.
fn forms(text: &str, tries: bool) -> Markup {
    let show = |id: &str| {
        html! {
            select id=(id) name="try" {
                option value="off" selected[!tries] { "the answer" }
                option value="on" selected[tries] { "the rows alone; I try first" }
            }
        }
    };
    html! {
        div.two.forms {
            section {
                h2 { "Can these rows be met?" }
                form.record action="/impossible" method="get" {
                    label for="rows" {
                        "Three cards a row, rows by line or with / between them: R3 is a red three, B0 a black ten"
                    }
                    textarea #rows name="rows" rows="8" maxlength="1500" autocomplete="off" autocapitalize="characters"
                        spellcheck="false" { (text) }
                    label for="show-rows" { "Show" }
                    (show("show-rows"))
                    button type="submit" { "Ask" }
                }
            }
            div { section {
                h2 { "Rows off a shuffled deck" }
                form.record action="/impossible" method="get" {
                    label for="deal" { "How many rows" }
                    select #deal name="deal" { @for rows in 1..=MAX_ROWS {
                        option value=(rows) selected[rows == 6] { (rows) }
                    } }
                    label for="seed" { "Seed: the same number deals the same cards" }
                    input #seed name="seed" type="number" min="0" max=(SEEDS) placeholder="another one every time";
                    label for="show-dealt" { "Show" }
                    (show("show-dealt"))
                    button type="submit" { "Deal" }
                }
            } }
        }
        p { a href="/impossible/play" { "Play against Sprig" } }
    }
}
