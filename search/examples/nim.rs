//! Nim: heaps of tokens; a move takes tokens from one heap. The nimber of a heap is its size.
//! `cargo run --release -p sprig-search --example nim -- 21 50 39`

use std::error::Error;
use std::ops::ControlFlow;

use sprig_search::{Child, Limits, Question, Rules, Search};

/// Lands are heaps: one byte, the number of tokens, at most 63.
#[derive(Clone)]
pub struct Nim;

impl Rules for Nim {
    fn children(&self, heap: &[u8], child: &mut Child) -> ControlFlow<()> {
        (0..heap[0]).try_for_each(|left| child(&[&[left]]))
    }

    fn size(heap: &[u8]) -> u16 {
        heap[0].into()
    }

    /// An empty heap is no land.
    fn canonize(heap: &mut Vec<u8>) {
        heap.retain(|&tokens| tokens > 0);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let heaps: Vec<[u8; 1]> = std::env::args()
        .skip(1)
        .map(|heap| Ok([heap.parse()?]))
        .collect::<Result<_, Box<dyn Error>>>()?;
    let heaps: Vec<&[u8]> = heaps.iter().map(|heap| &heap[..]).collect();
    let search = Search::new(Nim, Limits { memory: 1 << 30, threads: 1 });
    for question in [Question::OUTCOME, Question::Nimber] {
        println!("{:?}", search.solve(&heaps, question, u64::MAX, &())?);
    }
    Ok(())
}
