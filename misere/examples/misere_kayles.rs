//! Kayles in misère play: the player who takes the last pin loses. The rules are those of the
//! example of normal play, in the same file.
//! `cargo run --release -p sprig-misere --example misere_kayles -- 30` says which rows of 1 to 30
//! pins are won.

use std::error::Error;

use sprig_misere::{Limits, Search};
use sprig_trees::Base;

#[expect(dead_code, reason = "the other example's")]
#[path = "../../search/examples/kayles.rs"]
mod rules;

fn main() -> Result<(), Box<dyn Error>> {
    let most = std::env::args().nth(1).map_or(Ok(30), |pins| pins.parse())?;
    // The trees of small rows, so that the search ends where they begin.
    let mut base = Base::new(rules::Kayles);
    base.tree(&[&[10]])?;
    let search = Search::taught(&base, Limits { memory: 1 << 30, threads: 1 }, &[]);
    for pins in 1..=most {
        if let Some(outcome) = search.outcome(&[&[pins]], &())? {
            println!("{pins} {outcome:?}");
        }
    }
    Ok(())
}
