//! Kayles (Dudeney 1908): rows of pins; a move takes one pin or two neighbours, and what is left of
//! the row may be two rows. `cargo run --release -p sprig-search --example kayles -- 40` lists the
//! nimbers of rows of 0 to 40 pins.

use std::error::Error;
use std::ops::ControlFlow;

use sprig_search::{Child, Limits, Question, Rules, Search, Verdict};

/// Lands are rows: one byte, the number of pins.
#[derive(Clone)]
pub struct Kayles;

impl Rules for Kayles {
    fn children(&self, row: &[u8], child: &mut Child) -> ControlFlow<()> {
        for taken in 1..=row[0].min(2) {
            let left = row[0] - taken;
            // The other half of the rows mirrors this one.
            for first in 0..=left / 2 {
                child(&[&[first], &[left - first]])?;
            }
        }
        ControlFlow::Continue(())
    }

    fn size(row: &[u8]) -> u16 {
        row[0].into()
    }

    /// A row without pins is no land.
    fn canonize(row: &mut Vec<u8>) {
        row.retain(|&pins| pins > 0);
    }
}

/// The nimber of a row follows from its length modulo 12, except for 14 rows that are shorter than
/// 71 (Guy and Smith 1956).
fn main() -> Result<(), Box<dyn Error>> {
    let most = std::env::args().nth(1).map_or(Ok(40), |pins| pins.parse())?;
    let search = Search::new(Kayles, Limits { memory: 1 << 30, threads: 1 });
    for pins in 0..=most {
        if let Verdict::Nimber(nimber) =
            search.solve(&[&[pins]], Question::Nimber, u64::MAX, &())?
        {
            println!("{pins} {nimber}");
        }
    }
    Ok(())
}
