//! The RCT of a position, found with those of its whole game tree; or, with `counts`, the sizes of
//! that tree: `cargo run --release -p sprig-misere --example rcts -- '0*6' [THREADS|counts]`

use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use sprig_engine::{CanonicalPosition, Position};
use sprig_trees::{Base, TreeCounts};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let text = arguments.next().ok_or("name a position, such as 0*6")?;
    let position = CanonicalPosition::of(&text.parse::<Position>()?);
    let how = arguments.next().unwrap_or_else(|| "1".into());
    let start = Instant::now();
    if how == "counts" {
        println!("{:?}", TreeCounts::of(&position)?);
    } else {
        let threads: NonZeroUsize = how.parse()?;
        let mut base = Base::default();
        let tree = base.build(&position, threads, |_| ControlFlow::Continue(()))?;
        let forest = base.forest();
        println!("{:?}", base.progress());
        println!(
            "key {}, height {}, {:?}",
            forest.key(tree),
            forest.height(tree),
            forest.outcome(tree)
        );
        println!("{}", forest.nested(tree, 10_000).as_deref().unwrap_or("too long to print"));
    }
    println!("{:.2?}", start.elapsed());
    Ok(())
}
