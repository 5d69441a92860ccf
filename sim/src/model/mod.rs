//! How clusters scale: a discrete-event model of workers, network, coordinator and disk, fed by measured [`Costs`].
//! `docs/scale.md` says what it assumes and how well it predicts.

mod costs;
mod plot;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

pub use costs::Costs;
pub use plot::draw;

/// How facts travel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Design {
    /// For people.
    pub name: &'static str,
    /// Only facts that took more work than it takes all others to learn them leave the worker that proved them.
    pub choosy: bool,
    /// Facts go down a tree of workers, from each to [`FAN`] others; else the coordinator sends to every worker itself.
    pub relays: bool,
    /// Parts of the coordinator that take in facts side by side, by the hash of the land.
    pub shards: usize,
}

/// Today's: everybody is told everything.
pub const ALL: Design =
    Design { name: "every fact to everybody", choosy: false, relays: false, shards: 1 };
/// Easy facts stay at home: proving them again is cheaper than telling everybody.
pub const CHOOSY: Design =
    Design { name: "facts worth telling", choosy: true, relays: false, shards: 1 };
/// The same through relays.
pub const RELAYED: Design =
    Design { name: "and through relays", choosy: true, relays: true, shards: 4 };

impl Design {
    /// The share of its facts that a worker reports. About one fact in k took more than k expansions.
    fn share(&self, costs: &Costs, others: f64) -> f64 {
        let worth = others * costs.fact_learned / costs.expansion;
        if self.choosy { 1.0 / worth.max(1.0) } else { 1.0 }
    }
}

/// What a size of cluster comes to.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// Workers, one core each.
    pub workers: usize,
    /// Useful work, as a share of what so many workers could do alone.
    pub efficiency: f64,
    /// Seconds from a proof until the others know it, on average.
    pub delay: f64,
    /// How busy each part is: 1 is all the time.
    pub load: [(&'static str, f64); 5],
}

impl Prediction {
    /// The part that is busiest.
    pub fn bottleneck(&self) -> &'static str {
        let part = self.load.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        part.map_or("nothing", |(name, load)| if *load < 0.5 { "none" } else { name })
    }
}

/// How long workers gather facts, in seconds.
const GATHER: f64 = 0.1;
/// To how many a relay sends.
const FAN: f64 = 16.0;
/// What a relay adds to the way of a fact, in seconds.
const HOP: f64 = 0.02;
/// Network of a machine, in bytes a second.
const BANDWIDTH: f64 = 1.25e8;
/// Messages of a worker for each report: itself, its progress now and then, and the acknowledgement.
const MESSAGES: f64 = 2.4;
/// Simulated seconds.
const SPAN: f64 = 20.0;

/// A queue with one who serves it, in order.
#[derive(Default)]
struct Desk {
    free_at: f64,
    busy: f64,
}

impl Desk {
    /// When something that comes now is done.
    fn serve(&mut self, now: f64, time: f64) -> f64 {
        self.free_at = self.free_at.max(now) + time;
        self.busy += time;
        self.free_at
    }

    fn load(&self) -> f64 {
        self.busy / SPAN
    }
}

/// A time, ordered.
#[derive(Clone, Copy, PartialEq)]
struct At(f64);
impl Eq for At {}
impl Ord for At {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Runs the model. `overlap`: the share of its facts that a worker proves in vain for each second that it does not know
/// what one other worker knows.
pub fn predict(
    costs: &Costs,
    design: &Design,
    workers: usize,
    overlap: f64,
    seed: u64,
) -> Prediction {
    let mut rng = SmallRng::seed_from_u64(seed);
    let others = workers.saturating_sub(1) as f64;
    let receivers = if design.relays { others.min(FAN) } else { others };
    let hops = if design.relays { (workers as f64).log(FAN).ceil() } else { 1.0 };
    // A relay is a worker beside its work: one that passes on what it learns.
    let learning = costs.fact_learned + if design.relays { costs.fact_out } else { 0.0 };
    // Facts a second that a worker reports while it searches.
    let rate = design.share(costs, others) * costs.facts / costs.expansion;
    // What learning leaves of a core: the more is learned, the less is proved.
    let searching = 1.0 / (1.0 + others * rate * learning);
    let facts_a_report = searching * rate * GATHER;

    let mut driver = Desk::default();
    let mut intake: Vec<Desk> = (0..design.shards).map(|_| Desk::default()).collect();
    let mut disk: Vec<Desk> = (0..design.shards).map(|_| Desk::default()).collect();
    let mut outlet = Desk::default();
    let mut network = Desk::default();
    let mut waiting: Vec<(f64, f64)> = vec![(0.0, 0.0); design.shards];
    let (mut delays, mut count, mut sending, mut rounds) = (0.0, 0.0, 0.0, 0.0);
    let mut unsent = 0.0;
    let mut queue = BinaryHeap::new();
    for worker in 0..workers {
        queue.push(Reverse((At(rng.random_range(0.0..GATHER)), worker)));
    }
    while let Some(Reverse((At(now), worker))) = queue.pop() {
        if now > SPAN {
            break;
        }
        let facts = facts_a_report * rng.random_range(0.5..1.5);
        let shard = worker % design.shards;
        let read = intake[shard].serve(now, MESSAGES * costs.message + facts * costs.fact_in);
        let taken = driver.serve(read, costs.message / 4.0);
        // Group commit: what comes while the disk is busy is written with the next group.
        let (group, begun) = &mut waiting[shard];
        *group += facts;
        if disk[shard].free_at <= taken {
            let written = disk[shard].serve(taken, costs.sync + *group * costs.fact_written);
            delays += (written - now) + (now - *begun).clamp(0.0, GATHER) + GATHER / 2.0;
            count += 1.0;
            unsent += *group;
            (*group, *begun) = (0.0, taken);
            // The same for those who follow: what comes while they are sent to goes with the next round.
            if outlet.free_at <= written {
                let copies = unsent * receivers;
                let round = copies * costs.fact_out + receivers * costs.message;
                let sent = outlet.serve(written, round);
                let arrived = network.serve(sent, copies * costs.fact_bytes / BANDWIDTH);
                sending += 1.5 * (arrived - written) + HOP * (hops - 1.0);
                rounds += 1.0;
                unsent = 0.0;
            }
        }
        queue.push(Reverse((At(now + GATHER), worker)));
    }
    let mean = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
    let delay = mean(delays, count) + mean(sending, rounds);
    let in_vain = 1.0 - (-overlap * others * delay.min(SPAN)).exp();
    let most = |desks: &[Desk]| desks.iter().map(Desk::load).fold(0.0, f64::max);
    Prediction {
        workers,
        // At worst everybody does everything again: as good as one worker.
        efficiency: (searching * (1.0 - in_vain)).max(1.0 / workers as f64),
        delay,
        load: [
            ("workers learn", 1.0 - searching),
            ("coordinator reads", most(&intake).max(driver.load())),
            ("disk", most(&disk)),
            ("coordinator sends", outlet.load()),
            ("network", network.load()),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_is_efficient_and_a_seed_repeats() {
        let one = predict(&Costs::MEASURED, &ALL, 1, 0.0, 1);
        assert!(one.efficiency > 0.999, "{one:?}");
        let (a, b) = (
            predict(&Costs::MEASURED, &ALL, 50, 1e-3, 7),
            predict(&Costs::MEASURED, &ALL, 50, 1e-3, 7),
        );
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
    }

    #[test]
    fn telling_everybody_everything_does_not_scale_and_choosing_does() {
        let all = predict(&Costs::MEASURED, &ALL, 1_000, 1e-4, 1);
        let chosen = predict(&Costs::MEASURED, &RELAYED, 1_000, 1e-4, 1);
        assert!(all.efficiency < 0.2 && chosen.efficiency > 0.5, "{all:?} {chosen:?}");
    }
}
