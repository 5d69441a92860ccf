//! From the lands of a goal to the couples that are worked on.

use sprig_domain::{Question, Verdict, cancel};

use crate::couples::{Couple, Couples, News};
use crate::game::Game;
use crate::kernel::numbers::Numbers;
use crate::kernel::walk::{UNBOUNDED, Walk};
use crate::lands::{LandId, Listed, nimber};
use crate::look::{LandTask, Step};
use crate::tables::{Leave, Tables};

/// What is to be done for a goal next.
pub(super) enum Head {
    /// Nothing.
    Decided(Verdict),
    /// This couple is to be decided.
    Couple(Couple),
    /// The nimbers of several lands are needed, and this task is the cheapest.
    Sum(LandTask),
}

/// What is to be done for a question about a sum of lands.
pub(super) fn head(tables: &Tables, lands: &[LandId], question: Question) -> Head {
    let mut known = 0;
    let mut open = Vec::new();
    for &land in lands {
        match tables.lands.possible(land).known() {
            Some(nimber) => known ^= nimber,
            None => open.push(land),
        }
    }
    cancel(&mut open);
    match (question, &open[..]) {
        (Question::Nimber, []) => Head::Decided(Verdict::Nimber(nimber(known))),
        (Question::Outcome { heap }, []) if heap.get() == known => Head::Decided(Verdict::Loss),
        (Question::Outcome { .. }, []) => Head::Decided(Verdict::Win),
        (Question::Outcome { heap }, &[land]) => {
            let heap = heap.get() ^ known;
            if !tables.lands.possible(land).contains(heap) {
                return Head::Decided(Verdict::Win);
            }
            Head::Couple(Couple { land, heap })
        }
        _ => {
            let task = LandTask::cheapest(tables, open.iter().copied().map(Listed::Named));
            Head::Sum(task.expect("several lands are open"))
        }
    }
}

/// Walks from the goal until it is decided.
pub(super) fn pursue<G: Game>(
    couples: &mut Couples<'_, G, impl News>,
    lands: &[&[u8]],
    question: Question,
) -> Result<Verdict, Leave> {
    let (tables, counters) = (couples.tables, &couples.run.shared().counters);
    let lands: Vec<LandId> =
        lands.iter().map(|land| couples.tools.intern(tables, land)).collect::<Result<_, _>>()?;
    let mut walk = Walk::new(couples);
    loop {
        let (couple, bounds) = match head(tables, &lands, question) {
            Head::Decided(verdict) => return Ok(verdict),
            Head::Couple(couple) => {
                let numbers = tables.numbers(couple.land, couple.heap);
                if tables.is_hopeless(numbers) {
                    return Err(Leave::TooManyMoves);
                }
                counters.reached(numbers);
                (couple, UNBOUNDED)
            }
            Head::Sum(task) => {
                let numbers = Numbers { proof: task.disproof, disproof: task.disproof };
                if tables.is_hopeless(numbers) {
                    return Err(Leave::TooManyMoves);
                }
                counters.reached(Numbers { proof: task.total, disproof: task.total });
                let Step { land: Listed::Named(land), heap, bounds } = task.step(Numbers::INFINITE)
                else {
                    unreachable!("the lands of the goal have names")
                };
                (Couple { land, heap }, bounds)
            }
        };
        walk.work(couple, bounds)?;
    }
}
