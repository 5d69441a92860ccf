//! The page about these pages: the game, the notation, the words and marks, and the interface.

use maud::{Markup, html};
use sprig_domain::{Play, Ruleset};

use super::frame::page;
use super::thumbs::{href, picture};
use crate::problem::Kind;

/// What can be asked under `/v1`.
const ADDRESSES: [(&str, &str); 21] = [
    ("/v1/positions/{position}", "outcome, nimber, lands, where facts come from"),
    ("/v1/positions/{position}/moves", "every move with its value, the best first; limit, cursor"),
    ("/v1/positions/{position}/line", "the best move, the best answer and so on"),
    (
        "/v1/positions/{position}/picture.svg",
        "the picture; theme=light, dark or print; labels=on or off",
    ),
    ("/v1/positions/{position}/certificate", "the proof of who wins; form=gzip or text"),
    (
        "/v1/positions/{position}/stroke",
        "which move a curve is that is drawn into the picture; points=x,y;x,y;..",
    ),
    (
        "POST /v1/positions:batch",
        "many positions, a line each, answered by a line each (JSON Lines)",
    ),
    ("/v1/lands", "lands whose nimbers are verified; nimber, prefix, limit, cursor"),
    ("/v1/trees/{key}", "a reduced canonical tree, its options, and the tree as nested sets"),
    (
        "/v1/trees/{key}/picture.svg",
        "its picture, with all that is below it; theme=light, dark or print",
    ),
    ("/v1/jobs", "what was submitted, the latest first; owner, label, limit, before"),
    ("/v1/jobs/{job}", "one of these, and what happened to it"),
    (
        "/v1/jobs/{job}/search",
        "what its searches see, where a coordinator is asked; at, heap, limit",
    ),
    ("/v1/jobs/{job}/wishes", "where people want its searches to go"),
    (
        "POST /v1/jobs/{job}/wishes",
        "makes a wish, with a token of yours, where visitors may steer; an object of kind, at, heap, until",
    ),
    ("DELETE /v1/jobs/{job}/wishes/{number}", "withdraws it"),
    ("/v1/workers", "who works at the moment, and who is banned"),
    ("/v1/events", "changes of all that as they come (server-sent events)"),
    ("/v1/statistics", "how many facts there are"),
    ("/v1/openapi.json", "all of this for programs that make programs (OpenAPI 3.1)"),
    ("/healthz", "says ok"),
];

/// Example positions that show the notation.
const WRITTEN: [(&str, &str); 4] = [
    ("0*3", "Three spots without any curve."),
    (
        "1a1a",
        "Two spots that were joined. The curve's new spot is met twice on the way around it all.",
    ),
    ("0.AB|0.AB", "A spot was joined with itself, around another. Both regions touch A and B."),
    ("0*2+22", "Two games side by side. Each 2 has one life left: one more curve can join them."),
];

pub(crate) fn about(rules: Ruleset) -> Markup {
    let body = html! {
        h1 { "About these pages" }
        h2 #game { "The game" }
        p {
            "Sprouts is played with pencil and paper. A move joins two spots, or a spot with itself, by a \
             curve that crosses nothing, and puts a new spot on the curve. No spot has more than three \
             curve ends. In normal play who cannot move loses, in misère play who cannot move wins."
        }
        h2 #notation { "How positions are written" }
        p {
            "A number alone is a start position: " code { "14" } " is " code { "0*14" } ". A digit is a spot \
             with that many curve ends; a letter is a spot with two ends that is seen twice. "
            code { "." } " stands between boundaries, " code { "|" } " between regions, " code { "+" }
            " between lands, which are independent games. In addresses " code { "~" } " may stand for "
            code { "|" } "."
        }
        ul.cards {
            @for (position, words) in WRITTEN {
                li { a.card href=(href(position, Play::Normal)) {
                    span.thumb { (picture(position, "", false)) }
                    code { (position) }
                    span.words { (words) }
                } }
            }
        }
        h2 #pictures { "Pictures" }
        p {
            "A picture shows the canonical form: all positions that are the same game have the same picture. \
             Green spots have three lives, blue ones two, orange ones one; grey ones are dead. Each region \
             has a colour; where nothing can happen any more it is hatched. Every picture is read back from \
             its geometry before it is shown."
        }
        h2 #verified { "Verified and claimed" }
        p {
            "Whatever is said here without further words follows from verified facts: each was checked step \
             by step, or proved by a process of the owner of the database. What others merely claim is \
             called so. “Not known” means that nothing in this database says it; it may be known elsewhere."
        }
        h2 #certificates { "Certificates" }
        p {
            "A certificate is a proof in a file: facts that follow from each other, so that who does not trust \
             this page can check all of them. " code { "sprig verify" } " does it on your machine, and the page \
             of a proof in your browser, with a program that is loaded once. The server takes no part in it."
        }
        h2 #nimbers { "Nimbers and trees" }
        p {
            "In normal play every position is worth a heap of Nim; the nimber is its size, and 0 is a loss for \
             the player to move. The nimbers of independent lands add up by nim-sum. Misère play has no \
             nimbers; there a land is worth its reduced canonical tree. A tree is written as the set of its \
             options, with Nim-heaps as numbers; a long one is named by the first digits of its key."
        }
        h2 #others { "Other games" }
        p {
            a href="/pousse" { "Pousse" } " pushes markers into a board; " a href="/impossible" { "Impossible!" }
            " lays rows of cards. Both are played here against the program, and need no database."
        }
        h2 #interface { "For programs" }
        p {
            "Everything can be read without a key, from any site. Positions in addresses are percent-encoded. \
             " code { "play=misere" } " asks about misère play. What is proved and whole may be kept for \
             ever; all else says for how long it holds. Every answer has an ETag. Nothing can be changed but wishes, \
             and those only where this explorer was started with " code { "--steer" } "."
        }
        div.scroll tabindex="0" role="region" aria-label="Addresses" { table {
            thead { tr { th scope="col" { "Address" } th scope="col" { "gives" } } }
            tbody { @for (address, what) in ADDRESSES { tr {
                // A narrow column can break the address after slashes.
                td { code { @for part in address.split_inclusive('/') { (part) wbr; } } }
                td { (what) }
            } } }
        } }
        h2 #problems { "Problems" }
        p {
            "What has no answer gets " code { "application/problem+json" } " with " code { "type" } ", "
            code { "title" } ", " code { "status" } ", " code { "detail" } ", " code { "remedy" }
            " and, in a text that is no position, its " code { "column" } "."
        }
        div.scroll tabindex="0" role="region" aria-label="Problems" { table {
            thead { tr { th scope="col" { "type" } th scope="col" { "status" } th scope="col" { "title" } } }
            tbody { @for kind in Kind::ALL {
                @let (name, status, title) = kind.words();
                tr id=(name) { td { code { (name) } } td { (status.as_u16()) } td { (title) } }
            } }
        } }
    };
    page("About these pages", rules, body)
}
