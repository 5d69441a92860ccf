//! The page of a publication: its files, and how to fetch them.

use maud::{DOCTYPE, Markup, html};
use sprig_store::UnixMillis;

use super::{Manifest, Published};

/// The name of the page in the folder.
pub const NAME: &str = "index.html";

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8885; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { line-height: 1.2; }
pre, td code { overflow-wrap: anywhere; white-space: pre-wrap; }
pre { padding: .7rem 1rem; border: 1px solid var(--line); border-radius: 8px; }
div { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
";

/// The whole page.
pub fn page(manifest: &Manifest) -> String {
    let Manifest { title, made_by, made_unix_millis, facts, certificates, .. } = manifest;
    let count = |kind: &str| -> u64 {
        facts.iter().filter(|facts| facts.kind == kind).map(|facts| facts.lines).sum()
    };
    let page: Markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (maud::PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                p {
                    "Facts about the game of Sprouts, proved and verified by " (made_by) " on "
                    (UnixMillis(*made_unix_millis).date()) ": " (count("nimbers")) " nimbers of lands, "
                    (count("trees")) " reduced canonical trees, " (count("rcts")) " trees of lands, "
                    (count("losses")) " lost nodes of misère play, and " (certificates.len())
                    " certificates."
                }
                h2 { "To take them into a database" }
                pre { "sprig fetch ADDRESS-OF-THIS-PAGE --db facts" }
                p {
                    "It compares sizes and hashes, and believes nothing: every fact is a claim until it "
                    "has been checked by rules on your machine. An interrupted download goes on where it "
                    "was. Without Sprig: " a href="SHA256SUMS" { "SHA256SUMS" } " is for "
                    code { "sha256sum -c" } ", the facts are JSON Lines packed by gzip, and "
                    a href="manifest.json" { "manifest.json" } " says all of this to programs."
                }
                @if !facts.is_empty() {
                    h2 { "Facts" }
                    div { table {
                        thead { tr {
                            th { "File" } th { "Facts" } th.number { "Lines" }
                            th.number { "Bytes" } th { "SHA-256" }
                        } }
                        tbody { @for facts in facts { tr {
                            td { (link(&facts.file)) } td { (facts.kind) }
                            td.number { (facts.lines) } (measures(&facts.file))
                        } } }
                    } }
                }
                @if !certificates.is_empty() {
                    h2 { "Certificates" }
                    p {
                        "Each is a whole proof in a file: " code { "sprig verify FILE" } " checks it."
                    }
                    div { table {
                        thead { tr {
                            th { "Position" } th { "Play" } th { "Claim" } th.number { "Facts" }
                            th { "File" } th.number { "Bytes" } th { "SHA-256" }
                        } }
                        tbody { @for certified in certificates { tr {
                            td { code { (certified.position) } }
                            td { @if certified.play == "misere" { "misère" } @else { (certified.play) } }
                            td { (certified.claim) } td.number { (certified.facts) }
                            td { (link(&certified.file)) } (measures(&certified.file))
                        } } }
                    } }
                }
            }
        }
    };
    page.into_string()
}

fn link(file: &Published) -> Markup {
    html! { a href=(file.name) { (file.name) } }
}

fn measures(file: &Published) -> Markup {
    html! { td.number { (file.bytes) } td { code { (file.sha256) } } }
}
