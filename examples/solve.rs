//! Solves a position, from Rust.
//!
//! ```sh
//! cargo run --release -p sprig-search --example solve -- '0*14'
//! cargo run --release -p sprig-search --example solve -- '0*34' 20000000    # in so many bytes
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use sprig_domain::{Figures, LandNimber, Question, Verdict};
use sprig_engine::{CanonicalPosition, notation};
use sprig_search::{Limits, Observer, Solver};

/// Counts the facts; a program that keeps them has them all for its next question.
#[derive(Default)]
struct Counting(AtomicU64);

impl Observer<LandNimber> for Counting {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, _fact: LandNimber) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = std::env::args().nth(1).unwrap_or_else(|| "0*11".to_owned());
    let position = CanonicalPosition::of(&notation::read(&text)?);
    let memory = std::env::args().nth(2).map_or(Ok(1 << 30), |bytes| bytes.parse())?;
    // One thread does the same steps in every run.
    let solver = Solver::new(Limits { memory, threads: 1 });
    let facts = Counting::default();
    let verdict = solver.solve(&position, Question::OUTCOME, u64::MAX, &facts)?;
    let answer = match verdict {
        Verdict::Win => "a win",
        Verdict::Loss => "a loss",
        Verdict::Nimber(_) | Verdict::Open { .. } => "open",
    };
    let Figures { expansions, bytes, collections, .. } = solver.figures();
    println!("{position} is {answer} for the player to move");
    println!("{expansions} expansions, {} facts", facts.0.load(Ordering::Relaxed));
    println!("{bytes} bytes at the end, {collections} collections");
    Ok(())
}
