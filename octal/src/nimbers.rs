//! Nimbers of heaps in normal play, and their periods.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::code::Code;

/// Heaps that are always worked out, so that a short period is found also for small heaps.
const AT_LEAST: u32 = 1_000;

/// After this many heaps there is a first look for a period.
const FIRST_LOOK: usize = 64;

/// The nimbers of the heaps of a game.
pub struct Nimbers {
    /// The nimbers that were worked out, by the size of the heap.
    values: Vec<u32>,
    period: Option<Period>,
}

/// A period of nimbers that is proved: heaps of n and of n + `length` tokens have equal nimbers for
/// every n from `from` on. Both numbers are the least for which this is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Period {
    /// Tokens from a heap to the next one with its nimber.
    pub length: u32,
    /// The smallest heap of the period.
    pub from: u32,
    /// The nimbers of heaps up to this size prove it.
    pub proved_by: u32,
}

impl Period {
    /// The period that the first nimbers of a game prove, if they do. The game has a code of
    /// `digits` digits.
    ///
    /// It is proved when heaps n and n + p have equal nimbers for all n with f <= n < 2f + p + k,
    /// with f above 0 and k the number of digits (Guy and Smith 1956; the proof is in
    /// `docs/octal.md`).
    fn of(values: &[u32], digits: u32) -> Option<Self> {
        let (count, digits) = (values.len(), digits as usize);
        for length in 1..count / 2 {
            let is_equal = |heap: &usize| values[*heap] == values[heap + length];
            let equal = (0..count - length).rev().take_while(is_equal).count();
            let from = count - length - equal;
            // The theorem wants a period that begins with a heap.
            let needed = 2 * from.max(1) + 2 * length + digits;
            if needed <= count {
                let [length, from, proved_by] = [length, from, needed - 1].map(|n| n as u32);
                return Some(Self { length, from, proved_by });
            }
        }
        None
    }
}

impl Nimbers {
    /// Works out the nimbers of heaps up to `most` tokens, or of fewer if these prove a period.
    /// `done` is set to the largest heap that was worked out.
    #[must_use]
    pub fn up_to(code: &Code, most: u32, done: &AtomicU64) -> Self {
        let (mut values, mut period) = (vec![0], None);
        // For each nimber, the last heap of which an option has it. Sums of options have no other
        // nimbers, as the length is a power of two.
        let mut last_met = vec![0u32];
        let most = most.max(AT_LEAST);
        for heap in 1..=most {
            let _ = code.moves(heap, |a, b| {
                last_met[(values[a as usize] ^ values[b as usize]) as usize] = heap;
                ControlFlow::Continue(())
            });
            let mex = last_met.iter().position(|&met| met != heap).unwrap_or(last_met.len());
            if mex == last_met.len() {
                last_met.resize(2 * mex, 0);
            }
            values.push(mex as u32);
            done.store(heap.into(), Relaxed);
            let is_time = values.len() >= FIRST_LOOK && values.len().is_power_of_two();
            if is_time || heap == most {
                period = code.length().and_then(|digits| Period::of(&values, digits));
                if period.is_some() {
                    break;
                }
            }
        }
        Self { values, period }
    }

    /// The nimber of a heap, if it was worked out or the period tells it.
    #[must_use]
    pub fn get(&self, heap: u32) -> Option<u32> {
        let place = match self.period {
            Some(Period { length, from, .. }) if heap >= from => from + (heap - from) % length,
            _ => heap,
        };
        self.values.get(place as usize).copied()
    }

    /// The largest heap that was worked out. It is at least the one asked for, or the period is
    /// proved.
    #[must_use]
    pub fn worked_out(&self) -> u32 {
        self.values.len() as u32 - 1
    }

    /// The period, if one is proved.
    #[must_use]
    pub fn period(&self) -> Option<Period> {
        self.period
    }
}
