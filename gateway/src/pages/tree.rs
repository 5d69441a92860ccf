//! The page of a reduced canonical tree.

use maud::{Markup, html};
use sprig_domain::{Play, TreeKey};
use sprig_trees::Tree;

use super::frame::page;
use super::thumbs::{badge, plural};
use crate::explorer::Explorer;
use crate::problem::Problem;
use crate::trees::Grown;

/// The address of the page of a tree.
pub(super) fn href(key: &str) -> String {
    format!("/tree/{key}")
}

pub(crate) async fn tree(explorer: &Explorer, key: TreeKey) -> Result<Markup, Problem> {
    let plain = explorer.tree(key).await?;
    let grown = explorer.grown(key).await?;
    let key = key.to_string();
    let body = html! {
        h1 { "Reduced canonical tree" }
        p { "What a position is worth in misère play beside any others: two positions with the same tree \
             can stand for each other. Numbers are Nim-heaps. "
            a href="/about#nimbers" { "More about trees" } }
        @match &grown {
            Some(grown) => { (whole(grown)) }
            None => {
                p { "It has too many trees below it to be written here. Its options:" }
                ul.links { @for option in &plain.options {
                    li { a href=(href(option)) { code { (option) } } }
                } }
            }
        }
        h2 { "More" }
        ul.links {
            li { a href={ "/v1/trees/" (key) } { "This page for programs (JSON)" } }
        }
        p.faint { "Key: " code { (key) } }
    };
    Ok(page("Reduced canonical tree", explorer.rules(Play::Misere), body))
}

fn whole(grown: &Grown) -> Markup {
    let Grown { forest, tree } = grown;
    let options: Vec<Tree> = forest.options(*tree).collect();
    let key = forest.key(*tree);
    html! {
        @if let Some(text) = grown.text() { p.tree { code { (text) } } }
        p {
            (badge(Some(forest.outcome(*tree)))) " for the player to move; the longest game has "
            (plural(usize::from(forest.height(*tree)), "move")) "; "
            (plural(forest.below(*tree), "tree")) " from this one down, those with a factor 1 not counted apart"
            @if tree.has_factor() { "; it is 1 + " (link(grown, tree.without_factor())) }
            "."
        }
        h2 { "Options" }
        @if options.is_empty() { p { "It has none: the player to move cannot move, and wins." } }
        @else {
            div.scroll tabindex="0" role="region" aria-label="Options" { table {
                thead { tr { th scope="col" { "Tree" } th scope="col" { "Height" } th scope="col" { "Outcome" } } }
                tbody { @for option in options { tr {
                    td { (link(grown, option)) }
                    td { (forest.height(option)) }
                    td { (badge(Some(forest.outcome(option)))) }
                } } }
            } }
        }
        @if grown.diagram().is_ok_and(|diagram| diagram.cards.len() > 1) {
            @let svg = format!("/v1/trees/{key}/picture.svg");
            h2 { "All that is below it" }
            figure.large {
                picture {
                    source media="(prefers-color-scheme: dark)" srcset={ (svg) "?theme=dark" };
                    img src=(svg) alt="The trees below it, in rows by height, with a line from each to its options" decoding="async";
                }
            }
        }
    }
}

fn link(grown: &Grown, tree: Tree) -> Markup {
    let key = grown.forest.key(tree).to_string();
    html! { a href=(href(&key)) { code { (grown.short(tree)) } } }
}
