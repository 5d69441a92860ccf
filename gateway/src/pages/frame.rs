//! The frame of every page.

use maud::{DOCTYPE, Markup, html};
use sprig_domain::{Game, Play, Ruleset};

/// A whole page about a game. The form on it asks about this play.
pub(crate) fn page(title: &str, rules: impl Into<Ruleset>, body: Markup) -> Markup {
    let Ruleset { game, play } = rules.into();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Sprig" }
                link rel="icon" type="image/svg+xml" href="/assets/icon.svg";
                link rel="stylesheet" href="/assets/explorer.css";
            }
            body {
                a.skip href="#content" { "To the content" }
                header.top {
                    a.brand href="/" { img src="/assets/icon.svg" alt="" width="28" height="28"; "Sprig" }
                    nav aria-label="Pages" {
                        a href="/" { "Explore" }
                        a href="/play" { "Play" }
                        a href="/work" { "Work" }
                        a href="/about" { "About" }
                    }
                    (search(play))
                }
                main #content {
                    @if game == Game::BlackAndWhite {
                        p.faint {
                            b { "Black-and-white Sprouts. " }
                            "A move is a move of Sprouts, but the mover may leave the new spot out."
                        }
                    }
                    (body)
                }
                footer.bottom {
                    "Facts that "
                    a href="/about#verified" { "were verified" }
                    "; visitors change none of them. Programs ask under "
                    a href="/about#interface" { code { "/v1" } }
                    "."
                }
            }
        }
    }
}

/// The form for a position.
fn search(play: Play) -> Markup {
    html! {
        form.search action="/go" method="get" role="search" {
            @if play == Play::Misere { input type="hidden" name="play" value="misere"; }
            input type="search" name="position" required autocomplete="off" autocapitalize="off"
                spellcheck="false" maxlength="2000" aria-label="A position, or a number of spots"
                placeholder="14 or 0*2.AB|AB";
            button type="submit" { "Go" }
        }
    }
}
