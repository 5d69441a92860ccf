//! Builds the RCTs of the game tree of a position, or with `counts` before it, counts it: `cargo run --release -p sprig-misere --example rcts -- 0*6`

use sprig_engine::CanonicalPosition;
use sprig_misere::{Base, TreeCounts};
use std::ops::ControlFlow;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let pos = |t: &str| CanonicalPosition::of(&t.parse().unwrap());
    if args[0] == "counts" {
        println!("{:?}", TreeCounts::of(&pos(&args[1])));
        return;
    }
    let mut base = Base::default();
    let t = base.build(&pos(&args[0]), |_| ControlFlow::Continue(())).unwrap();
    let f = base.forest();
    println!(
        "{:?} {:?} height {} {:?} key {} {:?}",
        base.progress(),
        t,
        f.height(t),
        f.outcome(t),
        f.key(t),
        f.nested(t, 1000)
    );
}
