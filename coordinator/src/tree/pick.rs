//! The most-proving node that is free.

use rustc_hash::FxHashSet;
use sprig_engine::Nimber;
use sprig_proto::WorkerId;
use sprig_search::Question;

use super::numbers::Sum;
use super::{Couple, Dispute, LandId, Numbers, Open, Options, Root, Tree, heaps};

/// What to do next for a root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// Let a worker search this couple.
    Lease(Couple),
    /// Generate the options of this land, then pick again.
    Expand(LandId),
}

/// One walk down from a root.
struct Walk {
    worker: WorkerId,
    /// Couples below which there is nothing to do now; many ways lead to the same couple.
    barren: FxHashSet<Couple>,
}

impl Tree {
    /// The most-proving free leaf below `root`. The way to it is marked as `worker`'s, so that the worker comes back
    /// to where its tables are warm. `None` when all of it is leased, being expanded or solved.
    ///
    /// # Errors
    /// [`Dispute`]: a couple that is asked for for the first time may be solved by what is known below it.
    pub fn pick(&mut self, root: &Root, worker: WorkerId) -> Result<Option<Pick>, Dispute> {
        let mut walk = Walk { worker, barren: FxHashSet::default() };
        match root.question {
            Question::Outcome { heap } => self.pick_sum(&root.lands, heap, &mut walk),
            Question::Nimber => self.pick_nimber(root.lands.clone(), &mut walk),
        }
    }

    fn pick_sum(
        &mut self,
        lands: &[LandId],
        heap: Nimber,
        walk: &mut Walk,
    ) -> Result<Option<Pick>, Dispute> {
        match self.reduce(lands, heap) {
            Sum::Heap(_) => Ok(None),
            Sum::One(couple) => self.pick_couple(couple, walk),
            Sum::Many(lands) => self.pick_nimber(lands, walk),
        }
    }

    /// Works on the land whose nimber is the least effort.
    fn pick_nimber(
        &mut self,
        mut lands: Vec<LandId>,
        walk: &mut Walk,
    ) -> Result<Option<Pick>, Dispute> {
        lands.retain(|&land| self.node(land).nimber.is_none());
        lands.sort_by_cached_key(|&land| (self.nimber_effort(land), land));
        lands.dedup();
        for land in lands {
            // Each couple that turns out won brings up the next.
            while self.node(land).nimber.is_none() {
                let couple = self.least_open(land);
                if let Some(pick) = self.pick_couple(couple, walk)? {
                    return Ok(Some(pick));
                }
                if self.couple(couple).outcome().is_none() {
                    break;
                }
            }
        }
        Ok(None)
    }

    fn pick_couple(&mut self, couple: Couple, walk: &mut Walk) -> Result<Option<Pick>, Dispute> {
        if walk.barren.contains(&couple) || self.is_solved_once_open(couple)? {
            return Ok(None);
        }
        let &mut Open { leased, tried, .. } = self.open(couple);
        let pick = match self.node(couple.land).options {
            Options::Asked => None,
            Options::Known(_) => self.pick_option(couple, walk)?,
            Options::TooMany => (!leased).then_some(Pick::Lease(couple)),
            Options::Unknown if leased || tried => Some(Pick::Expand(couple.land)),
            Options::Unknown => Some(Pick::Lease(couple)),
        };
        match pick {
            Some(_) => self.open(couple).last = Some(walk.worker),
            None => drop(walk.barren.insert(couple)),
        }
        Ok(pick)
    }

    fn pick_option(&mut self, couple: Couple, walk: &mut Walk) -> Result<Option<Pick>, Dispute> {
        for (lands, heap) in self.options_by_promise(couple, walk.worker) {
            let pick = self.pick_sum(&lands, heap, walk)?;
            // What was solved on the way may have solved this couple too.
            if pick.is_some() || self.couple(couple).outcome().is_some() {
                return Ok(pick);
            }
        }
        Ok(None)
    }

    /// Opens a couple; its options, if they are known, may solve it at once.
    fn is_solved_once_open(&mut self, couple: Couple) -> Result<bool, Dispute> {
        let node = self.node(couple.land);
        let fresh =
            !node.open.contains_key(&couple.heap) && matches!(node.options, Options::Known(_));
        if fresh && self.couple(couple).outcome().is_none() {
            self.open(couple);
            self.update(couple.land)?;
        }
        Ok(self.couple(couple).outcome().is_some())
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
        let numbers = self.by_options(couple).unwrap_or_else(|| self.start_numbers(couple));
        let fresh = Open { numbers, leased: false, tried: false, last: None };
        self.node_mut(couple.land).open.entry(couple.heap).or_insert(fresh)
    }
}

/// What options are ranked by, the least first.
fn promise(numbers: Numbers, known: bool) -> u64 {
    let disproof = u64::from(numbers.disproof) * 4;
    if known { disproof * 3 / 4 } else { disproof }
}
