//! Jobs that are divided: most workers of a job own leaves of its [board](super::board), for some
//! expansions each.
//!
//! One search in eight has the whole goal, the first of them as if it were alone. So what a worker
//! says of its leaf may lead others to the wrong places, and costs time that they would have won.
//! Words of newcomers count nothing, and those of a worker that has given a wrong answer no more.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use sprig_domain::{Fact, Game, Goal, JobId, LandNimber, Verdict};
use sprig_proto::WorkerId;
use sprig_search::Noise;

use super::board::{Board, Share};
use super::jobs::Running;
use super::leases::Lease;
use super::{Action, Machine, Parts, Turn};

/// A job is divided among this many workers and more: two are no sooner done.
const CROWD: usize = 3;
/// One worker has the whole goal, and one more for each of these.
const EACH: usize = 8;
/// How often it is looked at whether the right worker has the whole goal.
const WATCH: Duration = Duration::from_secs(10);
/// A worker that proves as many times what the one with the whole goal proves takes its place.
const BETTER: u64 = 3;
/// But not if it has proved less than this.
const ENOUGH: u64 = 30;
/// Where a job has a multiple of this many workers, each stays at its leaf for as many budgets: who comes
/// back costs the coordinator time.
pub(super) const FULL: usize = 64;
/// Leaves of a job that are taken apart at a time.
const APART: usize = 4;
/// No thread of a worker does as many expansions in a second.
const RATE: f64 = 500_000.0;

/// How jobs are divided, and among whom.
#[derive(Clone, Debug, Default)]
pub(super) struct Division {
    /// Expansions of each thread for one leaf; `None`: all workers have the whole goal.
    budget: Option<NonZeroU64>,
    /// Names whose first claims were shown. `None`: nothing is checked, and all names count.
    admitted: Option<BTreeSet<String>>,
    /// Names whose words were refuted.
    refuted: BTreeSet<Arc<str>>,
}

/// There is no work yet.
pub(super) struct Wait;

/// A leaf under a lease.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Owned {
    goal: Goal,
    /// Whether another worker has it, too.
    shared: bool,
    /// Expansions of the lease.
    budget: u64,
}

impl Owned {
    pub(super) fn goal(&self) -> &Goal {
        &self.goal
    }

    pub(super) fn is_shared(&self) -> bool {
        self.shared
    }

    pub(super) fn budget(&self) -> u64 {
        self.budget
    }
}

impl Division {
    pub(super) fn new(budget: Option<NonZeroU64>) -> Self {
        Self { budget, ..Self::default() }
    }

    /// From now on a name counts when its first claims were shown.
    pub(super) fn checked(self) -> Self {
        Self { admitted: Some(BTreeSet::new()), ..self }
    }

    pub(super) fn admit(&mut self, name: String) {
        if let Some(admitted) = &mut self.admitted {
            admitted.insert(name);
        }
    }

    pub(super) fn trusts(&self, name: &str) -> bool {
        self.admitted.as_ref().is_none_or(|names| names.contains(name))
            && !self.refuted.contains(name)
    }
}

impl Machine {
    fn may_own(&self, worker: WorkerId) -> bool {
        self.workers.get(&worker).is_some_and(|worker| self.division.trusts(&worker.name))
    }

    /// Divides jobs that have workers enough and have gone on for a while: their workers are called
    /// back from the whole goal.
    pub(super) fn divide(&mut self, turn: &mut Turn<'_>) {
        let Some(budget) = self.division.budget else { return };
        let mut crowds = BTreeMap::<JobId, usize>::new();
        let here = self.workers.values().filter(|worker| worker.session.is_some());
        for job in here.filter_map(|worker| worker.job) {
            *crowds.entry(job).or_default() += 1;
        }
        for (id, crowd) in crowds.into_iter().filter(|(_, crowd)| *crowd >= CROWD) {
            let Some(job) = self.jobs.get_mut(&id).filter(|job| job.wants_work()) else { continue };
            if job.spent.expansions / budget < crowd as u64 {
                continue;
            }
            match &job.board {
                None => {
                    job.board = Board::new(&job.goal, budget.get());
                    if job.board.is_some() && job.scouted.insert(job.goal.clone()) {
                        turn.act(Action::TakeApart(id, job.goal.clone()));
                    }
                }
                Some(board) if board.is_open() => {
                    self.call_back(turn, id);
                    self.lead(turn, id);
                }
                Some(_) => {}
            }
        }
    }

    /// Takes back leases of the whole goal, but for those that are to have it.
    fn call_back(&mut self, turn: &mut Turn<'_>, id: JobId) {
        let leads = |lease: &Lease| lease.noise == Noise::NONE && lease.course.is_whole();
        if !self.of_job(id).any(|number| leads(&self.leases[&number])) {
            return;
        }
        let leaders = self.leaders(id);
        let is_due = |number: &u64| {
            let lease = &self.leases[number];
            lease.course.is_whole() && lease.noise >= leaders && self.may_own(lease.worker)
        };
        let called: Vec<u64> = self.of_job(id).filter(is_due).collect();
        called.into_iter().for_each(|number| self.take_back(turn, number));
    }

    /// What a worker does for a job: its whole goal, or a leaf if the job is divided and the
    /// worker's word counts. `Err`: it waits until a leaf has been taken apart.
    pub(super) fn next_leaf(
        &mut self,
        turn: &mut Turn<'_>,
        id: JobId,
        (worker, lease): (WorkerId, u64),
        noise: Noise,
    ) -> Result<Option<Owned>, Wait> {
        let Some(each) = self.division.budget.filter(|_| self.may_own(worker)) else {
            return Ok(None);
        };
        let crowd = self.crowd_with_one_more(id);
        if crowd < CROWD || noise < self.leaders(id) {
            return Ok(None);
        }
        let threads = self.workers.get(&worker).map_or(1, |worker| worker.threads);
        let Some(job) = self.jobs.get_mut(&id) else { return Ok(None) };
        let (scouted, avoided) = (&job.scouted, job.avoided());
        let may = |leaf: &Goal| scouted.len() < APART && !scouted.contains(leaf);
        match job.board.as_mut().and_then(|board| board.assign(lease, &avoided, may)) {
            None => Ok(None),
            Some(Share::Leaf(goal, shared)) => {
                let longer = (crowd / FULL).max(1) as u64;
                let budget = each.get().saturating_mul(threads.into()).saturating_mul(longer);
                Ok(Some(Owned { goal, shared, budget }))
            }
            Some(Share::Wait(leaf)) => {
                job.scouted.insert(leaf.clone());
                self.workers.get_mut(&worker).expect("it waits").awaits = Some((id, leaf.clone()));
                turn.act(Action::TakeApart(id, leaf));
                Err(Wait)
            }
        }
    }

    /// The whole goal goes to who proves most: a search that goes slowly, or does nothing, would
    /// hold up all others, which find what it needs.
    fn lead(&mut self, turn: &mut Turn<'_>, id: JobId) {
        if self.heir(id).is_some() {
            return;
        }
        // The oldest leases are of the whole goal, so this finds it soon.
        let is_first = |number: &u64| self.leases[number].noise == Noise::NONE;
        let Some(first) = self.of_job(id).find(is_first) else { return };
        // A search that a wish has sent away leads nobody.
        let is_away = self.leases[&first].course.wish.is_some();
        let job = self.jobs.get_mut(&id).expect("it is divided");
        let is_due = turn.now >= job.watched_at + WATCH;
        if is_due {
            job.watched_at = turn.now;
        } else if !is_away {
            return;
        }
        let workers: Vec<(u64, WorkerId)> =
            self.of_job(id).map(|lease| (lease, self.leases[&lease].worker)).collect();
        let (mut its, mut best) = (0, None);
        for (number, id) in workers {
            let may_own = self.may_own(id);
            let Some(worker) = self.workers.get_mut(&id) else { continue };
            let proved = worker.proved - worker.watched;
            if is_due {
                worker.watched = worker.proved;
            }
            let is_free = self.leases[&number].course.wish.is_none();
            if number == first {
                its = proved;
            } else if may_own && is_free && Some(proved) > best.map(|(_, it, _)| it) {
                best = Some((number, proved, id));
            }
        }
        let Some((best, most, heir)) = best else { return };
        if is_away || (most >= ENOUGH && most > its.saturating_mul(BETTER)) {
            let noise = self.leases[&best].noise;
            self.leases.get_mut(&first).expect("it is of this job").noise = noise;
            self.jobs.get_mut(&id).expect("it is divided").heir = Some(heir);
            self.take_back(turn, best);
        }
    }

    /// The worker that was called back for the first number of a job and is to come for it. None
    /// that has gone, or that cannot work on the job any more.
    pub(super) fn heir(&self, id: JobId) -> Option<WorkerId> {
        let heir = self.jobs.get(&id)?.heir?;
        let worker = self.workers.get(&heir)?;
        let comes = worker.session.is_some() && worker.lease.is_none() && worker.job == Some(id);
        (comes && self.is_fit(heir, id)).then_some(heir)
    }

    /// Searches whose noise is less have the whole goal of a job although that is divided.
    fn leaders(&self, id: JobId) -> Noise {
        Noise(u32::try_from(1 + self.crowd(id) / EACH).unwrap_or(u32::MAX))
    }

    /// Workers of a job, with those between two leases.
    pub(super) fn crowd(&self, id: JobId) -> usize {
        let here = self.workers.values().filter(|worker| worker.session.is_some());
        here.filter(|worker| worker.job == Some(id)).count()
    }

    /// The workers of a job when one of them gets a lease, which may not be counted yet.
    pub(super) fn crowd_with_one_more(&self, id: JobId) -> usize {
        self.crowd(id).max(self.workers_of(id) as usize + 1)
    }

    /// A worker comes back from its leaf.
    pub(super) fn settle_leaf(
        &mut self,
        now: Duration,
        lease: &Lease,
        leaf: &Owned,
        verdict: Verdict,
    ) {
        let Some(worker) = self.workers.get(&lease.worker) else { return };
        let passed = now.saturating_sub(lease.granted).as_secs_f64();
        let could = (passed * RATE * f64::from(worker.threads)) as u64;
        let spent = lease.spent.min(could);
        let is_answer = !matches!(verdict, Verdict::Open { .. });
        // Who comes back early has not looked closely.
        if !self.division.trusts(&worker.name) || !(is_answer || spent >= leaf.budget / 2) {
            return;
        }
        if let Some(board) = self.jobs.get_mut(&lease.job).and_then(|job| job.board.as_mut()) {
            board.settle(&leaf.goal, verdict, spent, &worker.name);
        }
    }

    /// A worker cannot work at its leaf. A search of the whole goal goes around such places.
    pub(super) fn give_up_leaf(&mut self, lease: &Lease, leaf: &Owned) {
        let trusted = self.may_own(lease.worker);
        let board = self.jobs.get_mut(&lease.job).and_then(|job| job.board.as_mut());
        if let Some(board) = board.filter(|_| trusted) {
            board.give_up(&leaf.goal);
        }
    }

    /// Whether a job has leaves to give.
    pub(super) fn is_divided(&self, id: JobId) -> bool {
        let board = self.jobs.get(&id).and_then(|job| job.board.as_ref());
        board.is_some_and(Board::is_open)
    }

    /// Whether one of as many workers is to search the whole goal of a job, for the others have leaves
    /// of it.
    pub(super) fn needs_whole(&self, id: JobId, workers: usize) -> bool {
        workers >= CROWD && self.is_divided(id)
    }

    /// A lease is over.
    pub(super) fn leave_leaf(&mut self, job: JobId, lease: u64) {
        if let Some(board) = self.jobs.get_mut(&job).and_then(|job| job.board.as_mut()) {
            board.leave(lease);
        }
    }

    /// A worker has reported facts. They are not on disk yet, and need not be.
    pub(super) fn heed(&mut self, worker: WorkerId, game: Game, facts: &[Fact]) {
        if !self.may_own(worker) {
            return;
        }
        let of_game = |job: &&mut Running| job.goal.game() == game;
        for job in self.jobs.values_mut().filter(of_game) {
            let Some(board) = &mut job.board else { continue };
            let nimbers = facts.iter().filter_map(|fact| match fact {
                Fact::Nimber(fact) => Some(fact),
                _ => None,
            });
            self.division.refuted.extend(nimbers.flat_map(|fact| board.learn(fact)));
        }
    }

    /// The options of a leaf have been listed; `None`: they cannot be.
    pub(super) fn taken_apart(&mut self, id: JobId, leaf: &Goal, parts: Option<Parts>) {
        for worker in self.workers.values_mut() {
            worker.awaits.take_if(|(job, awaited)| *job == id && awaited == leaf);
        }
        let Some(job) = self.jobs.get_mut(&id) else { return };
        job.scouted.remove(leaf);
        let Some(board) = &mut job.board else { return };
        let (options, known) = parts.map(|Parts { options, known }| (options, known)).unzip();
        board.take_apart(leaf, options);
        let known: Vec<LandNimber> = known.unwrap_or_default();
        self.division.refuted.extend(known.iter().flat_map(|fact| board.learn(fact)));
    }
}
