//! Measures what `docs/store-format.md` says about size and speed: `measure [DIR]`, on the disk of
//! DIR.
//!
//! The lands are those of the game tree of six spots, in the order in which a walk finds them, and
//! lands on random ways down from 14 spots. Nimbers are made up: their values do not change the
//! size.

use std::collections::HashSet;
use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use std::{env, fs};

use sprig_domain::JobId;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_store::{
    Batch, Contribution, Fact, Provenance, Secret, Sequence, Source, Store, StoreError, UnixMillis,
};
use sprig_trees::Base;

/// Facts of one commit.
const BATCH: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let base = env::args_os().nth(1).map_or_else(env::temp_dir, Into::into);
    let base = base.join(format!("sprig-measure-{}", std::process::id()));
    opening(&base.join("empty"))?;
    let nimbers = |lands: &[CanonicalLand]| -> Vec<Fact> {
        lands.iter().map(|land| Fact::nimber(land.key(), Nimber::ZERO)).collect()
    };
    facts("game tree of 6 spots", &nimbers(&tree(6)?), &base.join("tree"))?;
    facts("on ways down from 14 spots", &nimbers(&ways_down(14, 1000)?), &base.join("ways"))?;
    let (trees, lands) = trees(6)?;
    facts("RCTs of the lands of 6 spots", &lands, &base.join("rcts"))?;
    facts("options of the RCTs of 6 spots", &trees, &base.join("trees"))?;
    commits(&base.join("commits"))?;
    seals(&base.join("seals"))?;
    Ok(fs::remove_dir_all(base)?)
}

fn open(dir: &Path) -> Result<Store, StoreError> {
    Store::open(dir, &Secret::random())
}

fn opening(dir: &Path) -> Result<(), Box<dyn Error>> {
    const TIMES: u32 = 50;
    let (start, cpu) = (Instant::now(), cpu_ticks()?);
    for i in 0..TIMES {
        drop(open(&dir.join(i.to_string()))?);
    }
    let (wall, cpu) = (start.elapsed() / TIMES, cpu_ticks()? - cpu);
    println!("create and close: {} ms CPU, {wall:?}", cpu as f64 * 10.0 / f64::from(TIMES));
    let start = Instant::now();
    for _ in 0..TIMES {
        drop(open(&dir.join("0"))?);
    }
    println!("open and close again: {:?}", start.elapsed() / TIMES);
    Ok(())
}

/// CPU time of this process in hundredths of a second.
fn cpu_ticks() -> Result<u64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<_> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    Ok(fields[11].parse::<u64>()? + fields[12].parse::<u64>()?)
}

fn facts(name: &str, facts: &[Fact], dir: &Path) -> Result<(), Box<dyn Error>> {
    let store = open(dir)?;
    let start = Instant::now();
    for facts in facts.chunks(BATCH) {
        store.commit(&batch(facts.to_vec()))?;
    }
    let commit = start.elapsed();
    drop(store);
    // Recovery moves everything from the write-ahead log into tables.
    let store = open(dir)?;
    let start = Instant::now();
    let read = store.facts_from(Sequence(0), usize::MAX)?.len();
    let stream = start.elapsed();
    drop(store);
    let count = facts.len();
    assert!(read <= count, "a land may be found twice");
    let key_bytes: usize = facts.iter().map(|fact| fact.subject.len()).sum();
    let per_fact = |bytes: u64| bytes as f64 / count as f64;
    println!(
        "{name}: {count} facts, {:.1} bytes a subject; {:.1} bytes a fact on disk; committed in {commit:?}, streamed in {stream:?}",
        per_fact(key_bytes as u64),
        per_fact(tables(dir)?),
    );
    Ok(())
}

/// Bytes of all tables in a database.
fn tables(dir: &Path) -> Result<u64, Box<dyn Error>> {
    let mut sum = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|e| e == "sst") {
            sum += entry.metadata()?.len();
        }
    }
    Ok(sum)
}

fn commits(dir: &Path) -> Result<(), Box<dyn Error>> {
    const TIMES: u32 = 200;
    let store = open(dir)?;
    for facts in [1u32, 10, 100, 1000] {
        let start = Instant::now();
        for i in 0..TIMES {
            let fact = |n: u32| Fact::nimber(format!("{facts} {i} {n}").as_bytes(), Nimber::ZERO);
            store.commit(&batch((0..facts).map(fact).collect()))?;
        }
        println!("commit of {facts} facts: {:?}", start.elapsed() / TIMES);
    }
    Ok(())
}

/// Measures what a seal costs, and what it would cost to write the record with every commit.
fn seals(dir: &Path) -> Result<(), Box<dyn Error>> {
    const FACTS: u32 = 200_000;
    const TIMES: u32 = 200;
    let store = open(dir)?;
    let nanos = |ticks: u64| ticks as f64 * 1e7 / f64::from(FACTS);
    // In turns, as the speed of a busy machine changes.
    for round in 0..3 {
        for (name, seal) in [("claimed", false), ("sealed", true)] {
            let fact = |n: u32| {
                let land = format!("a land of some {round} {name} {n} bytes");
                let fact = Fact::nimber(land.as_bytes(), Nimber::ZERO);
                if seal { fact.verified() } else { fact }
            };
            let all: Vec<Fact> = (0..FACTS).map(fact).collect();
            let before = cpu_ticks()?;
            for facts in all.chunks(BATCH) {
                store.commit(&batch(facts.to_vec()))?;
            }
            let written = cpu_ticks()? - before;
            let before = cpu_ticks()?;
            for fact in &all {
                store.verified_nimber(&fact.subject)?;
            }
            let read = cpu_ticks()? - before;
            println!(
                "{name}: {} ns to commit a fact, {} ns to read it",
                nanos(written),
                nanos(read)
            );
        }
    }
    let start = Instant::now();
    for _ in 0..TIMES {
        store.record()?;
    }
    println!("a record: {:?}", start.elapsed() / TIMES);
    Ok(())
}

fn batch(facts: Vec<Fact>) -> Batch {
    let source = Source { worker: "measure".into(), build: env!("CARGO_PKG_VERSION").into() };
    let provenance =
        Provenance { source, job: Some(JobId(1)), time: UnixMillis(1_700_000_000_000) };
    let contribution = Contribution { provenance, facts, exclusions: vec![] };
    Batch { contributions: vec![contribution], ..Batch::default() }
}

/// The RCTs of all lands of the game tree of `spots` spots: trees, and lands.
fn trees(spots: usize) -> Result<(Vec<Fact>, Vec<Fact>), Box<dyn Error>> {
    let (mut trees, mut lands) = (Vec::new(), Vec::new());
    let start = CanonicalPosition::of(&Position::start(spots));
    Base::default().build(&start, NonZeroUsize::MIN, |news| {
        let forest = news.forest();
        let options = |tree| Fact::tree(forest.key(tree), forest.option_keys(tree));
        trees.extend(news.trees().map(options));
        lands.extend(news.lands().map(|(land, tree)| Fact::rct(&land, forest.key(tree))));
        ControlFlow::Continue(())
    })?;
    Ok((trees, lands))
}

/// All lands of the game tree of `spots` spots.
fn tree(spots: usize) -> Result<Vec<CanonicalLand>, Box<dyn Error>> {
    let mut lands = CanonicalPosition::of(&Position::start(spots)).lands().to_vec();
    let mut seen: HashSet<_> = lands.iter().cloned().collect();
    let mut next = 0;
    while let Some(land) = lands.get(next) {
        next += 1;
        for child in land.children()? {
            for land in child.lands() {
                if seen.insert(land.clone()) {
                    lands.push(land.clone());
                }
            }
        }
    }
    Ok(lands)
}

/// Lands on `ways` random ways down from `spots` spots, from half of the lives on.
fn ways_down(spots: usize, ways: usize) -> Result<Vec<CanonicalLand>, Box<dyn Error>> {
    let (mut lands, mut seen) = (Vec::new(), HashSet::new());
    let mut random = 1u64;
    for _ in 0..ways {
        let mut position = CanonicalPosition::of(&Position::start(spots));
        loop {
            let longest = position.lands().iter().max_by_key(|land| land.lives()).cloned();
            let Some(land) = longest else { break };
            let children = land.children()?;
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let Some(child) = children.get((random >> 33) as usize % children.len().max(1)) else {
                break;
            };
            position = child.clone();
            for land in position.lands() {
                if land.lives() as usize * 2 <= 3 * spots && seen.insert(land.clone()) {
                    lands.push(land.clone());
                }
            }
        }
    }
    Ok(lands)
}
