//! From the lands of a goal to the couples that are worked on.

use sprig_domain::{Question, Verdict, cancel};

use crate::couples::{Couple, Couples, News};
use crate::game::Game;
use crate::kernel::numbers::Numbers;
use crate::kernel::walk::{UNBOUNDED, Walk};
use crate::lands::{LandId, Listed, nimber};
use crate::look::{LandTask, Step};
use crate::tables::Leave;

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
        let mut known = 0;
        let mut open = Vec::new();
        for &land in &lands {
            match tables.lands.possible(land).known() {
                Some(nimber) => known ^= nimber,
                None => open.push(land),
            }
        }
        cancel(&mut open);
        let (couple, bounds) = match (question, &open[..]) {
            (Question::Nimber, []) => return Ok(Verdict::Nimber(nimber(known))),
            (Question::Outcome { heap }, []) if heap.get() == known => return Ok(Verdict::Loss),
            (Question::Outcome { .. }, []) => return Ok(Verdict::Win),
            (Question::Outcome { heap }, &[land]) => {
                let heap = heap.get() ^ known;
                if !tables.lands.possible(land).contains(heap) {
                    return Ok(Verdict::Win);
                }
                let numbers = tables.numbers(land, heap);
                if tables.is_hopeless(numbers) {
                    return Err(Leave::TooManyMoves);
                }
                counters.reached(numbers);
                (Couple { land, heap }, UNBOUNDED)
            }
            _ => {
                let task = LandTask::cheapest(tables, open.iter().copied().map(Listed::Named));
                let task = task.expect("several lands are open");
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
