//! Misère outcomes of positions, one after the other in one process, on the trees of a base:
//! `[THREADS=N] [MEMORY=MIB] [PROOF=1] cargo run --release -p sprig-misere --example outcomes --
//! BASE POSITION..`
//!
//! Prints CPU seconds and counters, which add up from position to position. With `PROOF`, also
//! prints the lost nodes that a proof needs.

use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use sprig_domain::Node;
use sprig_engine::Watched;
use sprig_engine::{CanonicalPosition, Position};
use sprig_misere::{Limits, Observer, Search};
use sprig_trees::Base;

struct Quiet;

impl Observer<Node> for Quiet {
    fn stop(&self) -> bool {
        false
    }
    fn proved(&self, _: Node) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let text = arguments.next().ok_or("name a base, such as 0*6")?;
    let position = CanonicalPosition::of(&text.parse::<Position>()?);
    let mut base = Base::default();
    base.build(&position, NonZeroUsize::MIN, |_| ControlFlow::Continue(()))?;
    let threads = std::env::var("THREADS").map_or(Ok(1), |t| t.parse())?;
    let memory = std::env::var("MEMORY").map_or(Ok(8000), |t| t.parse::<usize>())? << 20;
    let search = Search::new(&base, Limits { memory, threads });
    for text in arguments {
        let start = cpu();
        let position = CanonicalPosition::of(&text.parse::<Position>()?);
        let outcome = search.solve(&position, &Quiet)?;
        if std::env::var("PROOF").is_ok() {
            let proof = search.proof(&position, &|_| false, &Watched::default())?;
            let lands = proof.iter().filter(|node| !node.lands().lands().is_empty()).count();
            println!("{text}: {} lost nodes, {lands} with lands", proof.len());
        }
        println!("{text} {outcome:?} {:.2} {:?}", cpu() - start, search.figures());
    }
    Ok(())
}

/// CPU seconds of this process.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks =
        |n| stat.split_whitespace().nth(n).and_then(|t| t.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(13) + ticks(14)) / 100.0
}
