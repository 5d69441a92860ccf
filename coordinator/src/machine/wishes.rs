//! Where people want the searches of a job to go.
//!
//! A pin sends one worker of the job to its place, and a boost all that have no pin: their leases
//! have that place as their goal. A ban goes with every lease of the job. All of it decides where
//! work is done and nothing else: facts count as they do elsewhere, and what a worker says of a
//! place ends the wish and answers no job.

use std::time::Duration;

use sprig_domain::{Goal, JobId, Play, Question, Verdict, Wish, WishEnd, WishKind};
use sprig_proto::{GaveUp, Wanted};
use sprig_search::Noise;

use super::jobs::Running;
use super::leases::Lease;
use super::leaves::Owned;
use super::terms::size;
use super::{Action, CallId, Machine, Reply, Turn};

/// Most wishes of a job that hold at once.
const HOLDING: usize = 32;
/// Most wishes of a job that are kept: those that hold, and the latest that do not.
const KEPT: usize = 96;

/// What a lease is for, as far as wishes say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Course {
    /// The wish whose place is its goal.
    pub(super) wish: Option<u32>,
    /// The leaf that is its goal.
    pub(super) leaf: Option<Owned>,
    /// The bans that go with it.
    bans: Vec<u32>,
}

impl Course {
    /// Whether the whole goal of the job is its goal.
    pub(super) fn is_whole(&self) -> bool {
        self.wish.is_none() && self.leaf.is_none()
    }
}

impl Running {
    fn holding(&self, kind: WishKind) -> impl Iterator<Item = &Wish> {
        self.wishes.iter().filter(move |wish| wish.holds() && wish.kind == kind)
    }

    fn bans(&self) -> Vec<u32> {
        self.holding(WishKind::Ban).map(|wish| wish.number).collect()
    }

    /// The goal of a lease.
    pub(super) fn goal_of(&self, course: &Course) -> Goal {
        let wish = self.wishes.iter().find(|wish| Some(wish.number) == course.wish);
        let leaf = course.leaf.as_ref().map(Owned::goal);
        wish.map(|wish| &wish.at).or(leaf).unwrap_or(&self.goal).clone()
    }

    /// The same course, but not to a pin.
    pub(super) fn unpinned(&self, course: Course) -> Course {
        let is_pin = |wish: &Wish| Some(wish.number) == course.wish && wish.kind == WishKind::Pin;
        if !self.wishes.iter().any(is_pin) {
            return course;
        }
        Course { wish: self.holding(WishKind::Boost).next().map(|wish| wish.number), ..course }
    }

    /// The places that a lease is to leave alone.
    pub(super) fn avoided(&self) -> Vec<Goal> {
        self.holding(WishKind::Ban).map(|wish| wish.at.clone()).collect()
    }

    /// Ends a wish that holds, and forgets the oldest that have ended if there are too many.
    fn end_wish(&mut self, number: u32, end: WishEnd) {
        let wish = self.wishes.iter_mut().find(|wish| wish.number == number && wish.holds());
        if let Some(wish) = wish {
            wish.end = Some(end);
        }
        while self.wishes.len() > KEPT
            && let Some(oldest) = self.wishes.iter().position(|wish| !wish.holds())
        {
            self.wishes.remove(oldest);
        }
    }
}

impl Machine {
    /// Takes in a wish for a job; the client is told when it is on disk.
    pub(super) fn wish(&mut self, turn: &mut Turn<'_>, call: CallId, id: JobId, wanted: Wanted) {
        let Some(job) = self.jobs.get(&id).filter(|job| job.is_open()) else {
            turn.act(Action::Reply(call, Reply::NoSuchJob(id)));
            return;
        };
        if let Some(flaw) = flaw(job, &wanted) {
            turn.act(Action::Reply(call, Reply::Refused(flaw)));
            return;
        }
        let made =
            self.zero.saturating_add(u64::try_from(turn.now.as_millis()).unwrap_or(u64::MAX));
        let Wanted { kind, at, until, by } = wanted;
        self.alter(turn, call, id, |job| {
            let number = job.wishes.iter().map(|wish| wish.number).max().unwrap_or(0) + 1;
            job.wishes.push(Wish { number, kind, at, by, made, until, expansions: 0, end: None });
        });
    }

    /// Takes a wish back; the client is told when that is on disk.
    pub(super) fn withdraw(&mut self, turn: &mut Turn<'_>, call: CallId, id: JobId, number: u32) {
        let job = self.jobs.get(&id).filter(|job| job.is_open());
        let is_there = job
            .is_none_or(|job| job.wishes.iter().any(|wish| wish.number == number && wish.holds()));
        if !is_there {
            let flaw =
                format!("job {id} has no wish {number} that holds; `sprig wish {id}` lists them");
            turn.act(Action::Reply(call, Reply::Refused(flaw)));
            return;
        }
        self.alter(turn, call, id, |job| job.end_wish(number, WishEnd::Withdrawn));
    }

    /// What the next lease of a job is for: a pin that no worker is at, then a boost.
    pub(super) fn next_course(&self, id: JobId) -> Course {
        let Some(job) = self.jobs.get(&id) else { return Course::default() };
        let pin = job.holding(WishKind::Pin).find(|pin| !self.is_served(id, pin.number));
        let wish = pin.or_else(|| job.holding(WishKind::Boost).next()).map(|wish| wish.number);
        Course { wish, leaf: None, bans: job.bans() }
    }

    fn is_served(&self, id: JobId, wish: u32) -> bool {
        self.leases.values().any(|lease| lease.job == id && lease.course.wish == Some(wish))
    }

    /// Ends wishes whose time is over, and takes leases back that are not what wishes want.
    pub(super) fn steer(&mut self, turn: &mut Turn<'_>) {
        let steered: Vec<JobId> =
            self.jobs.values().filter(|job| !job.wishes.is_empty()).map(|job| job.id).collect();
        for id in steered {
            self.expire_wishes(turn, id);
            let misled: Vec<u64> = self.misled(id);
            misled.into_iter().for_each(|number| self.take_back(turn, number));
        }
    }

    fn expire_wishes(&mut self, turn: &mut Turn<'_>, id: JobId) {
        let job = &self.jobs[&id];
        let over = |wish: &&Wish| {
            wish.holds() && wish.until.is_some_and(|until| turn.now >= self.moment(until))
        };
        let over: Vec<u32> = job.wishes.iter().filter(over).map(|wish| wish.number).collect();
        if over.is_empty() || !job.is_open() {
            return;
        }
        let job = self.jobs.get_mut(&id).expect("it was just there");
        over.into_iter().for_each(|number| job.end_wish(number, WishEnd::Expired));
        self.note(turn, id);
    }

    /// When the next wish is over.
    pub(super) fn first_over(&self) -> Option<Duration> {
        let open = self.jobs.values().filter(|job| job.is_open()).flat_map(|job| &job.wishes);
        let until = open.filter(|wish| wish.holds()).filter_map(|wish| wish.until);
        until.map(|until| self.moment(until)).min()
    }

    /// The leases of a job that are not what wishes want.
    fn misled(&self, id: JobId) -> Vec<u64> {
        let job = &self.jobs[&id];
        let (bans, is_boosted) = (job.bans(), job.holding(WishKind::Boost).next().is_some());
        // Whoever searches the whole goal of a divided job would get that again, and not the pin.
        let needs_whole = self.needs_whole(id, self.crowd(id));
        let holds = |number| job.wishes.iter().any(|wish| wish.number == number && wish.holds());
        let (mut misled, mut free) = (Vec::new(), Vec::new());
        for number in self.of_job(id) {
            let lease = &self.leases[&number];
            let Course { wish, bans: with, .. } = &lease.course;
            let is_needed = needs_whole && lease.noise == Noise::NONE;
            let is_over = wish.is_some_and(|wish| !holds(wish));
            if is_over || *with != bans || (wish.is_none() && is_boosted) {
                misled.push(number);
            } else if wish.is_none() && !is_needed {
                free.push(number);
            }
        }
        // Workers that are about to pull take the first pins.
        let pins = job.holding(WishKind::Pin).filter(|pin| !self.is_served(id, pin.number));
        let between = self.workers.values().filter(|it| it.session.is_some() && it.lease.is_none());
        let wanted = pins.count().saturating_sub(between.count() + misled.len());
        misled.extend(free.into_iter().rev().take(wanted));
        misled
    }

    /// A worker has answered the place of a wish.
    pub(super) fn settle_wish(
        &mut self,
        turn: &mut Turn<'_>,
        lease: &Lease,
        wish: u32,
        verdict: Result<Verdict, GaveUp>,
    ) {
        let Some(job) = self.jobs.get_mut(&lease.job).filter(|job| job.is_open()) else { return };
        let end = match verdict {
            Ok(verdict) => {
                let at = job.wishes.iter().find(|other| other.number == wish);
                let Some(found) = at.and_then(|wish| wish.at.conclusion(verdict)) else { return };
                WishEnd::Decided(found.outcome)
            }
            Err(gave_up) => WishEnd::GaveUp(gave_up.reason),
        };
        job.end_wish(wish, end);
        self.note(turn, lease.job);
    }
}

/// Why a wish cannot be taken in.
fn flaw(job: &Running, wanted: &Wanted) -> Option<String> {
    let Wanted { kind, at, .. } = wanted;
    if at.ruleset() != job.goal.ruleset() {
        return Some(format!(
            "job {} is about {}, and the place about {}",
            job.id,
            job.goal.ruleset(),
            at.ruleset()
        ));
    }
    if at.question() == Question::Nimber {
        return Some("a wish is about an outcome; say beside which heap".into());
    }
    if *kind == WishKind::Ban && at.play() == Play::Misere {
        return Some("bans guide searches of normal play alone; a pin works in both".into());
    }
    if *kind == WishKind::Ban && at.position().lands().len() != 1 {
        return Some("a ban is about one land beside a heap; ban the lands one by one".into());
    }
    if size(at) > size(&job.goal) {
        return Some(format!(
            "no game from {} comes to {}, which has more lives",
            job.goal.position(),
            at.position()
        ));
    }
    if at.position() == job.goal.position() && at.question().heap() == job.goal.question().heap() {
        return Some(format!(
            "{} is the goal of job {} itself; `sprig look` shows places below it",
            at.position(),
            job.id
        ));
    }
    if job.wishes.iter().filter(|wish| wish.holds()).count() >= HOLDING {
        return Some(format!(
            "{HOLDING} wishes hold already; `sprig wish {} withdraw NUMBER` takes one back",
            job.id
        ));
    }
    None
}
