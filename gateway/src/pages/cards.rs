//! Cards and rows of cards, and why they cannot be met.

use maud::{Markup, html};
use sprig_impossible::{Card, Clash, Colour, Core, Reason, Table, Value};

use super::work::grouped;

/// The sign of a value on its card.
fn face(value: Value) -> String {
    match value.to_string().as_str() {
        "0" => "10".to_owned(),
        sign => sign.to_owned(),
    }
}

/// A value in words.
pub(super) fn spoken_value(value: Value) -> String {
    match value.to_string().as_str() {
        "0" => "10".to_owned(),
        "N" => "knave".to_owned(),
        "Q" => "queen".to_owned(),
        "K" => "king".to_owned(),
        number => number.to_owned(),
    }
}

/// A card in words.
pub(super) fn spoken(card: Card) -> String {
    format!("{} {}", card.colour, spoken_value(card.value))
}

/// A card, face up or turned over. Suits do not matter: a red card shows a diamond, a black one a
/// spade, so that colours can be told apart without their colour.
pub(super) fn card(card: Card, is_turned: bool) -> Markup {
    let (class, suit) = match card.colour {
        Colour::Red => ("red", "♦"),
        Colour::Black => ("black", "♠"),
    };
    html! {
        span class={ "playing " (class) @if is_turned { " turned" } } {
            span.unseen { (spoken(card)) @if is_turned { ", turned over" } }
            b aria-hidden="true" { (face(card.value)) }
            span aria-hidden="true" { (suit) }
        }
    }
}

/// What is shown of a table.
#[derive(Default)]
pub(super) struct Shown<'a> {
    /// The place of the card that is turned over in each row.
    pub(super) turned: Option<&'a [usize]>,
    /// Rows to point out.
    pub(super) core: &'a [usize],
    /// Words beside the number of each row.
    pub(super) beside: &'a [&'a str],
}

/// The rows on the table.
pub(super) fn rows(table: &Table, shown: &Shown<'_>) -> Markup {
    html! {
        @if table.rows().is_empty() { p.faint { "There is no row on the table yet." } }
        ol.rows {
            @for (number, row) in table.rows().iter().enumerate() {
                @let turned = shown.turned.map(|turned| turned[number]);
                li class=[shown.core.contains(&number).then_some("core")] {
                    span.number { "Row " (number + 1)
                        @if let Some(words) = shown.beside.get(number) { span.faint { ", " (words) } }
                    }
                    span.laid { @for (place, &of) in row.iter().enumerate() { (card(of, turned == Some(place))) } }
                    @if let Some(place) = turned { span { "turn over " (spoken(row[place])) } }
                }
            }
        }
    }
}

/// The rows with a choice of one card in each, for a form.
pub(super) fn choices(table: &Table) -> Markup {
    html! {
        @for (number, row) in table.rows().iter().enumerate() {
            fieldset.laid {
                legend { "Row " (number + 1) }
                @for (place, &of) in row.iter().enumerate() {
                    label.pick {
                        input type="radio" name={ "t" (number + 1) } value=(place + 1) required;
                        (card(of, false))
                    }
                }
            }
        }
    }
}

/// Rows by their numbers from 0, in words: `row 1`, `rows 1, 2 and 4`.
fn rows_in_words(rows: &[usize]) -> String {
    let numbers: Vec<String> = rows.iter().map(|row| (row + 1).to_string()).collect();
    match &numbers[..] {
        [] => "no row".to_owned(),
        [row] => format!("row {row}"),
        [before @ .., last] => format!("rows {} and {last}", before.join(", ")),
    }
}

/// The values that stay in both colours, and where.
pub(super) fn clashes(clashes: &[Clash]) -> Markup {
    html! {
        ul.links { @for Clash { value, red, black } in clashes {
            @let [red, black] = [red, black].map(|rows| rows_in_words(rows));
            li { b { (spoken_value(*value)) } " stays red in " (red) " and black in " (black) "." }
        } }
    }
}

/// How many ways meet a challenge.
pub(super) fn ways(table: &Table) -> String {
    let all = grouped(table.all_ways());
    match table.ways() {
        0 => format!("none of the {all} ways to turn over one card in each row meets it"),
        1 => format!("1 of the {all} ways to turn over one card in each row meets it"),
        ways => {
            let ways = grouped(ways);
            format!("{ways} of the {all} ways to turn over one card in each row meet it")
        }
    }
}

/// Why a table is impossible: the fewest rows, and the chains of reasons.
pub(super) fn reasons(core: &Core) -> Markup {
    let value = spoken_value(core.value);
    let chains = [(Colour::Red, &core.not_red), (Colour::Black, &core.not_black)];
    html! {
        h2 { "Why it is impossible" }
        p {
            "Of the rows on the table, " (rows_in_words(&core.rows)) " are impossible alone, and no fewer are. In \
             them " b { (value) } " can stay in neither colour:"
        }
        @for (colour, chain) in chains {
            p { "Suppose that no " (colour.other()) " " (value) " stays." }
            ol.links { @for &Reason { row, wrong, right } in chain {
                li { "Row " (row + 1) ": " (spoken(wrong)) " is turned over, so " (spoken(right)) " stays"
                    @if right.value == core.value { " after all." }
                    @else { ", and no " (right.colour.other()) " " (spoken_value(right.value)) " may stay." }
                }
            } }
            p { "So " (value) " cannot be " (colour) "." }
        }
    }
}
