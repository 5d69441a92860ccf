//! The page of a proof: what it says, and a button that checks it in the visitor's browser.

use maud::{Markup, html};
use sprig_certificate::Play as Rule;
use sprig_domain::Play;

use super::frame::page;
use super::position::head;
use super::thumbs::{href, plural};
use crate::asked::parameter;
use crate::explorer::Explorer;
use crate::problem::Problem;
use crate::proofs::{Proof, file_name};

/// Up to this many facts the browser begins to check without a click.
const BY_ITSELF: u64 = 500;
/// Lines of the certificate's text that are shown.
const SHOWN: usize = 400;

pub(crate) async fn certificate(
    explorer: &Explorer,
    text: &str,
    play: Play,
) -> Result<Markup, Problem> {
    let (asked, answer) = explorer.position(text, play).await?;
    let proof = explorer.proof(&asked).await?;
    let title = asked.canonical.to_string();
    let (segment, misere) = (asked.segment(), play == Play::Misere);
    let file = format!("/v1/positions/{segment}/certificate{}", parameter(play));
    let plain = format!("{file}{}form=text", if misere { "&" } else { "?" });
    let facts = proof.header.facts;
    let by_itself = (facts <= BY_ITSELF).then_some("");
    let body = html! {
        (head(&asked, "/certificate", &answer))
        h2 { "The proof" }
        p {
            @if title == "!" {
                "No move is left, so nothing has to be proved. "
            } @else if facts == 0 && !misere {
                "Equal lands cancel each other, so no fact has to be proved. "
            } @else if facts == 0 {
                "It follows from the trees of its base alone, and nobody has to be believed: they are found \
                 again by playing every game of the base to its end. "
            } @else {
                (plural(facts as usize, "fact")) @if facts == 1 { " proves" } @else { " prove" }
                " it, and nobody has to be believed: each fact follows \
                 from others about later positions, by two moves of look-ahead. "
            }
            "Your browser can check every step with a program of its own, the slow rules of Sprig, which \
             share nothing with the search."
        }
        section #check data-file=(file) data-by-itself=[by_itself] aria-label="Check" {
            p.buttons hidden {
                button type="button" #begin { "Check it in this browser" }
                button.quiet type="button" #stop hidden { "Stop" }
            }
            progress #progress hidden max="1" value="0" aria-label="How far the check is" {}
            p #verdict role="status" {}
            noscript { p { "Without scripts nothing can be checked here; the command below does it." } }
        }
        p.faint {
            "On your machine: " code { "sprig verify " (file_name(&asked)) }
            " checks the file. "
            a href="/about#certificates" { "What a certificate is" }
        }
        ul.links {
            li { a href=(file) download { "The certificate (" (kilobytes(proof.packed.len())) ", gzip)" } }
            li { a href=(plain) { "The same as text (" (kilobytes(proof.text.len())) ")" } }
            li { a href=(href(&title, play)) { "Back to the position" } }
        }
        (lines(&proof))
        script type="module" src="/assets/certificate.js" {}
    };
    Ok(page(&format!("{title}: the proof"), asked.rules(), body))
}

/// A number of bytes in words.
fn kilobytes(bytes: usize) -> String {
    format!("{} KB", bytes.div_ceil(1000))
}

/// The lines of the certificate.
fn lines(proof: &Proof) -> Markup {
    let count = proof.text.lines().count();
    let shown: String = proof.text.split_inclusive('\n').take(SHOWN).collect();
    html! {
        h2 { "What stands in it" }
        p.faint {
            @match proof.header.play {
                Rule::Normal => { "A land and its nimber a line. " }
                Rule::Misere { .. } => { "A sum a line that the player to move loses. " }
            }
            @if count > SHOWN { "The first " (SHOWN) " of " (count) " lines." }
        }
        pre.text tabindex="0" { (shown) }
    }
}
