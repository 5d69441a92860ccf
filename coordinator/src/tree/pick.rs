//! The most-proving node that is free.

use sprig_engine::Nimber;
use sprig_proto::WorkerId;
use sprig_search::Question;

use super::numbers::Sum;
use super::{Couple, LandId, Numbers, Open, Options, Root, Tree, heaps};

/// What to do next for a root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// Let a worker search this couple.
    Lease(Couple),
    /// Generate the options of this land, then pick again.
    Expand(LandId),
}

impl Tree {
    /// The most-proving free leaf below `root`. The way to it is marked as `worker`'s, so that the worker comes back
    /// to where its tables are warm. `None` when all of it is leased, being expanded or solved.
    pub fn pick(&mut self, root: &Root, worker: WorkerId) -> Option<Pick> {
        match root.question {
            Question::Outcome { heap } => self.pick_sum(&root.lands, heap, worker),
            Question::Nimber => match self.reduce(&root.lands, Nimber::ZERO) {
                Sum::Heap(_) => None,
                Sum::One(Couple { land, .. }) => self.pick_couple(self.least_open(land), worker),
                Sum::Many(lands) => self.pick_nimber(lands, worker),
            },
        }
    }

    fn pick_sum(&mut self, lands: &[LandId], heap: Nimber, worker: WorkerId) -> Option<Pick> {
        match self.reduce(lands, heap) {
            Sum::Heap(_) => None,
            Sum::One(couple) => self.pick_couple(couple, worker),
            Sum::Many(lands) => self.pick_nimber(lands, worker),
        }
    }

    /// Works on the land whose nimber is the least effort.
    fn pick_nimber(&mut self, mut lands: Vec<LandId>, worker: WorkerId) -> Option<Pick> {
        lands.sort_by_cached_key(|&land| (self.nimber_effort(land), land));
        lands.dedup();
        lands.into_iter().find_map(|land| self.pick_couple(self.least_open(land), worker))
    }

    fn pick_couple(&mut self, couple: Couple, worker: WorkerId) -> Option<Pick> {
        if self.couple(couple).outcome().is_some() {
            return None;
        }
        let open = self.open(couple);
        let (leased, tried) = (open.leased, open.tried);
        let pick = match self.node(couple.land).options {
            Options::Asked => None,
            Options::Known(_) => {
                let options = self.options_by_promise(couple, worker);
                options.into_iter().find_map(|(lands, heap)| self.pick_sum(&lands, heap, worker))
            }
            Options::TooMany => (!leased).then_some(Pick::Lease(couple)),
            Options::Unknown if leased || tried => Some(Pick::Expand(couple.land)),
            Options::Unknown => Some(Pick::Lease(couple)),
        };
        if pick.is_some() {
            self.open(couple).last = Some(worker);
        }
        pick
    }

    /// Unsolved options, the one most easily lost first; those the worker knows are favoured.
    fn options_by_promise(&self, couple: Couple, worker: WorkerId) -> Vec<(Box<[LandId]>, Nimber)> {
        let Options::Known(options) = &self.node(couple.land).options else { return Vec::new() };
        let moves = options.iter().map(|lands| (lands.clone(), couple.heap));
        let smaller = heaps().take(couple.heap.get().into());
        let heap_moves = smaller.map(|heap| (Box::from([couple.land]), heap));
        let mut ranked: Vec<_> = moves
            .chain(heap_moves)
            .filter_map(|(lands, heap)| {
                let numbers = self.sum(&lands, heap);
                numbers.outcome().is_none().then(|| {
                    let known = self.was_last(&lands, heap, worker);
                    (promise(numbers, known), (lands, heap))
                })
            })
            .collect();
        // Ties by the order of generation, which is that of the bytes.
        ranked.sort_by_key(|&(promise, _)| promise);
        ranked.into_iter().map(|(_, option)| option).collect()
    }

    fn was_last(&self, lands: &[LandId], heap: Nimber, worker: WorkerId) -> bool {
        let Sum::One(couple) = self.reduce(lands, heap) else { return false };
        let open = self.node(couple.land).open.get(&couple.heap);
        open.is_some_and(|open| open.last == Some(worker))
    }

    /// The record of an open couple, made when somebody first asks for it.
    pub(super) fn open(&mut self, couple: Couple) -> &mut Open {
        let numbers = self.from_options(couple).unwrap_or_else(|| self.start_numbers(couple));
        let fresh = Open { numbers, leased: false, tried: false, last: None };
        self.node_mut(couple.land).open.entry(couple.heap).or_insert(fresh)
    }
}

/// What options are ranked by, the least first.
fn promise(numbers: Numbers, known: bool) -> u64 {
    let disproof = u64::from(numbers.disproof) * 4;
    if known { disproof * 3 / 4 } else { disproof }
}
