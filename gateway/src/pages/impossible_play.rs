//! A game of Impossible! against the program.

use maud::{Markup, html};
use sprig_domain::Play;
use sprig_impossible::{Answer, Card, Game, Player, Row};

use super::cards::{self, Shown};
use super::frame::page;
use super::impossible::{explained, href};
use crate::explorer::Explorer;
use crate::impossible::{CHOSEN, End, SEEDS, Stand, Visit, now, turned};
use crate::problem::{Kind, Problem};
use crate::reply::Reply;
use crate::target::Target;

/// Answers a request about a game. If Sprig is to lay a row, it is laid first.
pub(crate) async fn impossible_play(
    explorer: &Explorer,
    target: &Target,
) -> Result<Reply, Problem> {
    let shown = |body: Markup| page("Impossible!", explorer.rules(Play::Normal), body);
    let Some((visit, game)) = Visit::of(target)? else {
        let body = html! { h1 { "Play Impossible!" } (begin(None)) };
        return Ok(Reply::page(shown(body)));
    };
    if target.value("seed") == Some("") {
        return Ok(Reply::elsewhere(visit.href()));
    }
    let now = now();
    match visit.stand(target, &game, now)? {
        Stand::Programs => {
            let answer = explorer.work(move |_| Ok(game.answer())).await?;
            Ok(Reply::elsewhere(visit.with(answer).href()))
        }
        Stand::Visitors => match chosen(target, &game)? {
            None => Ok(Reply::page(shown(to_lay(&visit, &game, None)))),
            Some(Ok(row)) => Ok(Reply::elsewhere(visit.with(row).href())),
            Some(Err(places)) => {
                let what = format!("a row has three cards, not {}", places.len());
                let problem = Problem::new(Kind::BadParameter, what, "choose three cards");
                let body = to_lay(&visit, &game, Some(&places));
                Ok(Reply::problem(&problem, "", Some(shown(body))))
            }
        },
        Stand::Challenged(until) => {
            if let Some(turned) = turned(target, visit.rows.len())? {
                let places: Vec<String> =
                    turned.iter().map(|place| (place + 1).to_string()).collect();
                return Ok(Reply::elsewhere(format!("{}&turn={}", visit.href(), places.join("."))));
            }
            // The clock runs from when the challenge is made.
            if let (None, Some(until)) = (until, visit.deadline(now)) {
                return Ok(Reply::elsewhere(format!("{}&until={until}", visit.href())));
            }
            Ok(Reply::page(shown(challenged(&visit, &game, until))))
        }
        Stand::Over(end) => {
            let body = explorer.work(move |_| Ok(over(&visit, &game, &end))).await?;
            Ok(Reply::page(shown(body)))
        }
    }
}

/// The hand as it is shown: sorted by value, then by colour.
fn hand(game: &Game) -> Vec<Card> {
    let mut hand = game.hand().to_vec();
    hand.sort_by_key(|card| (card.value, card.colour));
    hand
}

/// The cards that a visitor has chosen for a row: three, or the places of others. None where the
/// address chooses none.
fn chosen(target: &Target, game: &Game) -> Result<Option<Result<Row, Vec<usize>>>, Problem> {
    let hand = hand(game);
    let mut places = Vec::new();
    for (place, name) in CHOSEN.iter().enumerate() {
        if !target.word(name, &[("", false), ("on", true)])? {
            continue;
        }
        if place >= hand.len() {
            let what = format!("`{name}` names a card that is not in your hand");
            return Err(Problem::new(Kind::BadParameter, what, "leave it out"));
        }
        places.push(place);
    }
    // The button of the form says that cards were chosen, even if none were.
    let is_asked = target.value("lay").is_some() || !places.is_empty();
    Ok(is_asked.then_some(match places[..] {
        [a, b, c] => Ok([hand[a], hand[b], hand[c]]),
        _ => Err(places),
    }))
}

/// Who laid each row.
fn layers(visit: &Visit) -> Vec<&'static str> {
    let who = |row| match visit.laid_by(row) {
        Player::Person => "you",
        Player::Program => "Sprig",
    };
    (0..visit.rows.len()).map(who).collect()
}

/// What stays the same in a form: the visit.
fn hidden(visit: &Visit) -> Markup {
    html! {
        input type="hidden" name="seed" value=(visit.seed);
        input type="hidden" name="begins" value=(visit.beginner());
        input type="hidden" name="bluff" value=(visit.bluff);
        input type="hidden" name="minutes" value=(visit.minutes);
        input type="hidden" name="rows" value=(visit.words());
    }
}

/// The page on which a visitor lays a row or challenges the last one; `wrong` are the places of
/// cards that make no row.
fn to_lay(visit: &Visit, game: &Game, wrong: Option<&[usize]>) -> Markup {
    let hand = hand(game);
    let is_chosen = |place: usize| wrong.is_some_and(|places| places.contains(&place));
    let can_challenge = !visit.rows.is_empty();
    html! {
        h1 { "Impossible!" }
        @match wrong {
            Some(places) => div.verdict.loss role="status" {
                strong { "A row has three cards, not " (places.len()) "." } span { "Choose three" }
            },
            None => div.verdict.open role="status" {
                strong { @if can_challenge { "Lay a row, or challenge Sprig’s." } @else { "Your row." } }
                span { (game.deck()) " cards can still be drawn" }
            },
        }
        section {
            h2 { "Your hand" }
            form.rows action="/impossible/play" method="get" {
                (hidden(visit))
                fieldset.laid {
                    legend { "Choose three cards" }
                    @for (place, &card) in hand.iter().enumerate() {
                        label.pick.lifts {
                            input type="checkbox" name=(CHOSEN[place]) checked[is_chosen(place)];
                            (cards::card(card, false))
                        }
                    }
                }
                p.buttons {
                    button type="submit" name="lay" value="on" { "Lay them as a row" }
                    @if can_challenge {
                        a.button.quiet href={ (visit.href()) "&say=impossible" } { "Impossible!" }
                    }
                }
            }
            @if can_challenge {
                p.faint {
                    "Say “Impossible!” where you think that Sprig cannot turn over one card in each row so that \
                     no value stays in both colours."
                }
            }
        }
        (on_table(visit, game))
        (begin(Some(visit)))
    }
}

fn on_table(visit: &Visit, game: &Game) -> Markup {
    html! {
        section {
            h2 { "On the table" }
            (cards::rows(game.table(), &Shown { beside: &layers(visit), ..Shown::default() }))
        }
    }
}

/// The page on which a challenged visitor turns over cards.
fn challenged(visit: &Visit, game: &Game, until: Option<u64>) -> Markup {
    html! {
        h1 { "Impossible!" }
        div.verdict.loss role="status" {
            strong { "Sprig says “Impossible!” to your row." }
            @if let Some(until) = until { span { "You have until " (clock(until)) } }
        }
        p {
            "Choose one card in each row to turn over, so that no value stays in both red and black. If you can, \
             you have won. "
            @if visit.bluff > 0 { "Sprig does not always speak the truth." }
            @else { "Sprig speaks the truth in this game." }
        }
        form.rows action="/impossible/play" method="get" {
            (hidden(visit))
            @if let Some(until) = until { input type="hidden" name="until" value=(until); }
            (cards::choices(game.table()))
            p.buttons {
                button type="submit" { "Turn them over" }
                a.button.quiet href={ (visit.href()) "&turn=none" } { "Give up" }
            }
        }
    }
}

/// A second as a time of day.
fn clock(second: u64) -> String {
    let (hours, minutes, seconds) = (second / 3600 % 24, second / 60 % 60, second % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02} UTC")
}

/// The page of a game that is over.
fn over(visit: &Visit, game: &Game, end: &End) -> Markup {
    let (table, beside) = (game.table(), layers(visit));
    let answer = table.challenge();
    let can_be_met = matches!(answer, Answer::Possible(_));
    let (is_won, words) = match end {
        End::ByVisitor if can_be_met => (false, "Sprig meets your challenge"),
        End::ByVisitor => (true, "Sprig cannot meet your challenge"),
        End::Turned(_, clashes) if clashes.is_empty() => (true, "You meet the challenge"),
        End::Turned(..) => (false, "You do not meet the challenge"),
        End::GivenUp => (false, "You have turned nothing over"),
        End::Late => (false, "The time is up"),
    };
    let (class, verdict) =
        if is_won { ("win", "You have won.") } else { ("loss", "Sprig has won.") };
    html! {
        h1 { "Impossible!" }
        div class={ "verdict " (class) } role="status" { strong { (verdict) } span { (words) } }
        @if let End::Turned(turned, clashes) = end {
            (cards::clashes(clashes))
            (cards::rows(table, &Shown { turned: Some(turned), beside: &beside, ..Shown::default() }))
        }
        @if !(is_won && can_be_met) {
            section {
                @if can_be_met { h2 { "How it can be met" } }
                p.faint { "Of this table, " (cards::ways(table)) "." }
                (explained(table, &answer))
            }
        }
        p.buttons {
            a.button href=(visit.again().href()) { "The same cards again" }
            a.button.quiet href=(href(table, false)) { "Look at the rows" }
        }
        (begin(Some(visit)))
    }
}

/// The form that begins a game.
fn begin(visit: Option<&Visit>) -> Markup {
    let begins = visit.map_or(Player::Person, |visit| visit.begins);
    let (bluff, minutes) = visit.map_or((20, 3), |visit| (visit.bluff, visit.minutes));
    let bluffs = [(0, "never"), (20, "now and then"), (50, "often"), (100, "always")];
    let limits = [(2, "2 minutes"), (3, "3 minutes"), (5, "5 minutes"), (0, "as long as you like")];
    html! {
        section.begin {
            @if visit.is_some() { h2 { "Another game" } }
            @else { p {
                "Each player has seven cards. Lay three of them as a row, or say “Impossible!” to Sprig’s last \
                 row; after a row three cards are drawn. Sprig may say it to yours. Who is challenged turns over \
                 one card in each row, so that no value stays in both red and black, and wins, or loses."
            } }
            form.game action="/impossible/play" method="get" {
                label { "Who begins"
                    select name="begins" {
                        option value="you" selected[begins == Player::Person] { "you" }
                        option value="sprig" selected[begins == Player::Program] { "Sprig" }
                    }
                }
                label { "Sprig challenges wrongly"
                    select name="bluff" { @for (percent, words) in bluffs {
                        option value=(percent) selected[percent == bluff] { (words) }
                    } }
                }
                label { "Time to meet a challenge"
                    select name="minutes" { @for (limit, words) in limits {
                        option value=(limit) selected[limit == minutes] { (words) }
                    } }
                }
                label { "Seed"
                    input name="seed" type="number" min="0" max=(SEEDS) placeholder="another one every time";
                }
                button type="submit" { "Deal" }
            }
            p { a href="/impossible" { "Can these rows be met?" } " Ask about any rows of cards." }
        }
    }
}
