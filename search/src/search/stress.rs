//! Threads that share tables which are always full: the tables grow, are collected and are taught
//! from outside all the time. The threads must prove what one thread with plenty of room proves.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;

use sprig_engine::{CanonicalPosition, Position};

use super::*;
use crate::sprouts::{KNOWLEDGE, Sprouts};

type Facts = HashMap<Vec<u8>, u8>;

/// Collects facts and refuses two nimbers for one land. Delays threads at random, so that they meet
/// in always new ways.
struct Chaos<'a> {
    facts: &'a Mutex<Facts>,
    /// A stream of choices; 0 for no delays.
    state: AtomicU32,
}

impl Observer<Found<'_>> for Chaos<'_> {
    fn stop(&self) -> bool {
        let state = self.state.load(Relaxed);
        // A linear congruence (Knuth). Threads may lose steps of each other, which only makes it
        // more random.
        self.state.store(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) | 1, Relaxed);
        match state >> 28 {
            1 => std::thread::yield_now(),
            2 => (0..state >> 18 & 0x3ff).for_each(|_| std::hint::spin_loop()),
            _ => {}
        }
        false
    }

    fn proved(&self, Found { land, nimber }: Found<'_>) {
        let nimber = nimber.get();
        let before = self.facts.lock().expect("no panics").insert(land.to_vec(), nimber);
        assert!(before.is_none_or(|n| n == nimber), "{land:?} is {before:?} and {nimber}");
    }
}

/// Solves start positions in one search, while another thread teaches it `lessons`. Returns how
/// often tables were collected.
fn solve(spots: &[usize], limits: Limits, seed: u32, facts: &Mutex<Facts>, lessons: &Facts) -> u64 {
    let search = Search::taught(Sprouts::default(), limits, KNOWLEDGE);
    let observer = Chaos { facts, state: AtomicU32::new(seed) };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (land, &nimber) in lessons {
                search.learn(land, lands::nimber(nimber)).expect("what is taught is true");
            }
        });
        for &spots in spots {
            let position = CanonicalPosition::of(&Position::start(spots));
            let lands: Vec<&[u8]> = position.lands().iter().map(|land| land.key()).collect();
            let answer = search.solve(&lands, Question::Nimber, u64::MAX, &observer);
            // 0 exactly when the number of spots is 0, 1 or 2 modulo 6, else 1 (Applegate, Jacobson
            // and Sleator 1991).
            let expected = Verdict::Nimber(lands::nimber(u8::from(spots % 6 >= 3)));
            assert_eq!(answer, Ok(expected), "{spots} spots, {limits:?}, seed {seed}");
        }
    });
    search.figures().collections
}

#[test]
fn full_tables_and_many_threads_prove_what_is_true() {
    let facts = Mutex::default();
    let spots = [6, 7, 8, 9, 10];
    let roomy = Limits { memory: 1 << 28, threads: 1 };
    assert_eq!(solve(&spots, roomy, 0, &facts, &Facts::new()), 0);
    let known = facts.lock().expect("no panics").clone();
    assert!(known.len() > 300, "{}", known.len());
    let mut collections = 0;
    for seed in 1..=16 {
        let threads = 1 + seed as usize % 4;
        let memory = Limits::least_memory(threads) + ((8 + 2 * (seed as usize % 5)) << 15);
        // Every other search is taught a part of the truth from outside.
        let part = |&(_, &nimber): &(&Vec<u8>, &u8)| seed % 2 == 0 && nimber as u32 % 3 == seed % 3;
        let lessons = known.iter().filter(part).map(|(land, &n)| (land.clone(), n)).collect();
        collections += solve(&spots, Limits { memory, threads }, seed, &facts, &lessons);
    }
    assert!(collections > 16, "the tables were collected {collections} times only");
}
