//! What single steps of the engine and of the search cost, over fixed pools of lands, and a small
//! solve that uses them all.
//!
//! A sample is one pass over the pool; read the throughput (items are lands, or children where it
//! says so). Allocations are counted too: the hot paths make none.

use std::hint::black_box;
use std::ops::ControlFlow;

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use sprig_bench::pool;
use sprig_domain::{LandNimber, Question};
use sprig_engine::{CanonicalPosition, Canonizer, Effort, Generator, Land, Position, shape};
use sprig_search::steps::Steps;
use sprig_search::{Limits, Observer, Solver};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

const POOL: usize = 512;

fn main() {
    divan::main();
}

/// The pool as the generator hands lands over.
fn raw() -> Vec<Vec<u8>> {
    let mut generator = Generator::default();
    let raw = |land: &Land| generator.reduce(land).iter().next().map(<[u8]>::to_vec);
    pool::lands(POOL).iter().filter_map(raw).collect()
}

/// The pool as keys.
fn keys() -> Vec<Vec<u8>> {
    let mut canonizer = Canonizer::new(Effort::Greedy);
    raw().iter().map(|land| canonizer.key(land).to_vec()).collect()
}

#[divan::bench]
fn parse(bencher: Bencher) {
    let texts: Vec<String> =
        pool::lands(POOL).into_iter().map(|land| Position(vec![land]).to_string()).collect();
    bencher.counter(ItemsCount::new(texts.len())).bench_local(|| {
        for text in &texts {
            let _ = black_box(text.parse::<Position>());
        }
    });
}

#[divan::bench]
fn reduce(bencher: Bencher) {
    let lands = pool::lands(POOL);
    let mut generator = Generator::default();
    bencher.counter(ItemsCount::new(lands.len())).bench_local(|| {
        for land in &lands {
            black_box(generator.reduce(land));
        }
    });
}

#[divan::bench(args = [Effort::Greedy, Effort::Exact])]
fn canonize(bencher: Bencher, effort: Effort) {
    let lands = raw();
    let mut canonizer = Canonizer::new(effort);
    bencher.counter(ItemsCount::new(lands.len())).bench_local(|| {
        for land in &lands {
            black_box(canonizer.key(land));
        }
    });
}

/// Reduced, but not canonized. Items are children.
#[divan::bench]
fn children(bencher: Bencher) {
    let keys = keys();
    let mut generator = Generator::default();
    let mut pass = || {
        let mut children = 0usize;
        for key in &keys {
            let _ = generator.children(key, |lands| {
                black_box(lands);
                children += 1;
                ControlFlow::<()>::Continue(())
            });
        }
        children
    };
    bencher.counter(ItemsCount::new(pass())).bench_local(pass);
}

#[divan::bench]
fn describe(bencher: Bencher) {
    let keys = keys();
    bencher.counter(ItemsCount::new(keys.len())).bench_local(|| {
        for key in &keys {
            black_box(shape(key));
        }
    });
}

/// What a search of 18 spots leaves in the tables when it has just begun.
fn steps() -> Steps {
    let start = CanonicalPosition::of(&Position::start(18));
    Steps::after(10_000, start.lands()[0].key())
}

/// From raw land to index in the tables: canonical form, key, table, without the memory of recent
/// lands.
#[divan::bench]
fn intern(bencher: Bencher) {
    let (raw, mut steps) = (raw(), steps());
    bencher.counter(ItemsCount::new(raw.len())).bench_local(|| {
        steps.forget();
        raw.iter().for_each(|land| steps.intern(land));
    });
}

/// From raw land to index in the tables, for lands met a moment ago.
#[divan::bench]
fn intern_recent(bencher: Bencher) {
    let (raw, mut steps) = (raw(), steps());
    bencher.counter(ItemsCount::new(raw.len())).bench_local(|| {
        raw.iter().for_each(|land| steps.intern(land));
    });
}

/// Look-ups of all lands by their keys, in an order that the processor cannot guess.
#[divan::bench]
fn table(bencher: Bencher) {
    let mut steps = steps();
    bencher.counter(ItemsCount::new(steps.lands())).bench_local(|| steps.find_all());
}

/// The numbers of couples from those of their options. Items are couples.
#[divan::bench]
fn update(bencher: Bencher) {
    let steps = steps();
    bencher.counter(ItemsCount::new(steps.couples())).bench_local(|| steps.look_at_all());
}

struct Quiet;

impl Observer<LandNimber> for Quiet {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, _: LandNimber) {}
}

/// Everything at once: generation, canonization, interning and look-ups, the search. Items are
/// children.
#[divan::bench(args = [8, 11], sample_count = 10)]
fn solve(bencher: Bencher, spots: usize) {
    let position = CanonicalPosition::of(&Position::start(spots));
    let pass = || {
        let solver = Solver::new(Limits { memory: 1 << 30, threads: 1 });
        let _ = black_box(solver.solve(&position, Question::OUTCOME, u64::MAX, &Quiet));
        solver.figures().children
    };
    bencher.counter(ItemsCount::new(pass())).bench_local(pass);
}
