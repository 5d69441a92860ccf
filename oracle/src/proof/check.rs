//! One step of a proof: a fact, from the others.

use std::collections::HashSet;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

use sprig_engine::{Nimber, Position};

use super::facts::Facts;
use super::finder::{Finder, Finders};
use super::land::{Spot, TooManyMoves, manageable};
use super::lands::Lands;
use super::name::Name;
use super::open::Open;
use super::reduce::{lands_of, written};
use super::sketch::sketch;
use crate::Rules;

/// The number of lands for which a checker remembers what their moves reach.
const MAX_REMEMBERED: usize = 1 << 19;

/// Why a step is not proved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// What is written is not one land.
    #[error("this is not one land; it reduces to `{0}`")]
    NotOneLand(Position),
    /// An option has the very nimber the land is said to have.
    #[error("the move to `{0}` leads to the same nimber, so the land cannot have it")]
    SameNimber(Position),
    /// An option may have the nimber the land is said to have.
    #[error(
        "the move to `{0}` is not answered: neither are all its lands certified, nor does a move from there lead to certified \
         lands of nim-sum {1}"
    )]
    Unanswered(Position, Nimber),
    /// A smaller nimber is not excluded.
    #[error("no move leads to certified lands of nim-sum {0}, so the nimber may be {0}")]
    TooLarge(Nimber),
    /// The claim about the position does not follow.
    #[error("{0}")]
    Claim(&'static str),
    /// A land has too many options.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
    /// The checker was told to stop before this was found out.
    #[error("the check was stopped here")]
    Stopped,
}

/// Checks facts by other facts. One checker serves all threads.
pub struct Checker<'a> {
    rules: Rules,
    facts: &'a Facts,
    /// What is remembered. It is forgotten when it becomes too much.
    memory: Mutex<Arc<Memory>>,
    /// Options looked at.
    options: AtomicU64,
    stop: Option<&'a AtomicBool>,
}

/// What is remembered of lands that are not certified.
#[derive(Default)]
struct Memory {
    open: Open<Reached>,
    finders: Finders,
}

impl Memory {
    fn of(rules: Rules) -> Self {
        Self { finders: Finders::of(rules), ..Self::default() }
    }
}

/// Nim-sums of certified lands that one move in a land leads to.
#[derive(Clone, Copy, Default)]
struct Reached {
    /// One bit for each nim-sum that was found.
    nimbers: u64,
    /// One bit for each nimber of which it is known whether it is among them.
    asked: u64,
}

impl Reached {
    fn has(self, nimber: Nimber) -> bool {
        self.nimbers >> nimber.get() & 1 == 1
    }

    /// Whether it is known if this nimber is among them.
    fn tells(self, nimber: Nimber) -> bool {
        (self.nimbers | self.asked) >> nimber.get() & 1 == 1
    }
}

/// A sum of reduced lands, as far as facts tell.
struct Sum {
    /// The facts about the certified lands.
    known: Vec<u32>,
    /// Their nim-sum.
    nimber: Nimber,
    /// The numbers of the other lands, of which no two are equal: A + A has nimber 0.
    open: Vec<u32>,
}

impl Sum {
    fn of_fact(fact: u32, nimber: Nimber) -> Self {
        Self { known: vec![fact], nimber, open: Vec::new() }
    }

    fn of_open(open: u32) -> Self {
        Self { known: Vec::new(), nimber: Nimber::ZERO, open: vec![open] }
    }
}

impl<'a> Checker<'a> {
    /// A checker of steps that rest on `facts`.
    #[must_use]
    pub fn new(facts: &'a Facts) -> Self {
        Self::by(Rules::Sprouts, facts)
    }

    /// A checker of steps in a game, that all facts are about.
    #[must_use]
    pub fn by(rules: Rules, facts: &'a Facts) -> Self {
        let memory = Mutex::new(Arc::new(Memory::of(rules)));
        Self { rules, facts, memory, options: AtomicU64::new(0), stop: None }
    }

    /// The same checker, which also stops when `stop` is set.
    #[must_use]
    pub fn until(self, stop: &'a AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// How many options of positions have been looked at so far.
    #[must_use]
    pub fn options(&self) -> u64 {
        self.options.load(Relaxed)
    }

    /// Does one step with what is remembered. During the step, open lands keep their numbers.
    fn step<R>(&self, step: impl FnOnce(&mut Step<'_>, &mut Finder) -> R) -> R {
        let memory = {
            let mut memory = self.memory.lock().expect("nobody panics with it");
            if memory.open.len() > MAX_REMEMBERED {
                // The old memory is freed when the last thread has done its present step.
                *memory = Arc::new(Memory::of(self.rules));
            }
            memory.clone()
        };
        let mut steps = Step { facts: self.facts, open: &memory.open, stop: self.stop, options: 0 };
        let done = memory.finders.with_one(|finder| step(&mut steps, finder));
        self.options.fetch_add(steps.options, Relaxed);
        done
    }

    /// Checks that a land has a nimber, if all facts about positions that can follow are true.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check(&self, land: &Position, nimber: Nimber) -> Result<(), Flaw> {
        let lands = lands_of(land)?;
        let [land] = &lands[..] else {
            return Err(Flaw::NotOneLand(written(lands.iter().map(Vec::as_slice))));
        };
        self.step(|step, finder| step.check(finder, land, nimber))
    }

    /// Checks one of the facts; they are counted from 0 in the order in which they were added.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow from the others.
    ///
    /// # Panics
    /// When there is no fact of this number.
    pub fn check_fact(&self, number: usize) -> Result<(), Flaw> {
        let fact = u32::try_from(number).expect("a certificate has fewer than 2^32 facts");
        self.step(|step, finder| step.check(finder, self.facts.land(fact), self.facts.nimber(fact)))
    }

    /// Checks that a position has a nimber, if all facts are true.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check_nimber(&self, position: &Position, nimber: Nimber) -> Result<(), Flaw> {
        let lands = lands_of(position)?;
        let sum = self.step(|step, finder| step.sum(finder, with_sketches(&lands)));
        if !sum.open.is_empty() {
            return Err(Flaw::Claim("not all lands of the position are certified"));
        }
        if sum.nimber != nimber {
            return Err(Flaw::Claim("the certified lands of the position have another nim-sum"));
        }
        Ok(())
    }

    /// Checks that a position is won, if all facts are true.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check_win(&self, position: &Position) -> Result<(), Flaw> {
        let lands = lands_of(position)?;
        let won = self.step(|step, finder| {
            let sum = step.sum(finder, with_sketches(&lands));
            match sum.open[..] {
                [] => sum.nimber != Nimber::ZERO,
                _ => step.is_answered(finder, &sum, Nimber::ZERO),
            }
        });
        if self.stop.is_some_and(|stop| stop.load(Relaxed)) {
            return Err(Flaw::Stopped);
        }
        if won { Ok(()) } else { Err(Flaw::Claim("no move leads to certified lands of nim-sum 0")) }
    }
}

#[cfg(test)]
impl Checker<'_> {
    /// Whether one move leads from an open land to certified lands with this nim-sum.
    pub(super) fn reaches_nimber(&self, land: &Position, goal: Nimber) -> bool {
        let lands = lands_of(land).expect("a test's land is small");
        self.step(|step, finder| {
            let open = step.open.number(finder, sketch(&lands[0]), &lands[0]);
            step.reaches(finder, open, goal)
        })
    }
}

fn with_sketches(lands: &[Vec<Spot>]) -> impl Iterator<Item = (u64, &[Spot])> {
    lands.iter().map(|land| (sketch(land), &land[..]))
}

/// A step that is being done.
struct Step<'s> {
    facts: &'s Facts,
    open: &'s Open<Reached>,
    stop: Option<&'s AtomicBool>,
    options: u64,
}

impl Step<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Relaxed))
    }

    fn check(&mut self, finder: &mut Finder, land: &[Spot], nimber: Nimber) -> Result<(), Flaw> {
        manageable(land)?;
        let mut reached = 0u64;
        // The options that are answered. Most are one open land, the others are sums.
        let (mut answered, mut answered_sums) = (HashSet::new(), HashSet::new());
        let mut flaw = None;
        // Each option must be shown to have another nimber, so none is passed over.
        let options = finder.visit(
            land,
            |_| true,
            |finder, option| {
                let sum = match option.only() {
                    Some((sketch, land)) => match self.facts.find(finder, sketch, land) {
                        Some(fact) => Sum::of_fact(fact, self.facts.nimber(fact)),
                        None => {
                            let open = self.open.number(finder, sketch, land);
                            if !answered.insert(open) || self.reaches(finder, open, nimber) {
                                return !self.is_stopped();
                            }
                            Sum::of_open(open)
                        }
                    },
                    None => self.sum(finder, option.iter()),
                };
                if sum.open.is_empty() {
                    reached |= 1 << sum.nimber.get();
                    if sum.nimber == nimber {
                        flaw = Some(Flaw::SameNimber(self.written(&sum)));
                    }
                } else if answered_sums.insert((sum.open.clone(), sum.nimber))
                    && !self.is_answered(finder, &sum, nimber)
                {
                    flaw = Some(Flaw::Unanswered(self.written(&sum), nimber));
                }
                flaw.is_none() && !self.is_stopped()
            },
        );
        self.options += options;
        match flaw {
            _ if self.is_stopped() => Err(Flaw::Stopped),
            Some(flaw) => Err(flaw),
            None => match (0..nimber.get()).find(|smaller| reached >> smaller & 1 == 0) {
                Some(smaller) => {
                    Err(Flaw::TooLarge(Nimber::new(smaller.into()).expect("smaller than a nimber")))
                }
                None => Ok(()),
            },
        }
    }

    /// Whether some move leads from a sum with open lands to certified lands with the nim-sum
    /// `goal`: then `goal` is not the nimber of the sum.
    fn is_answered(&mut self, finder: &mut Finder, sum: &Sum, goal: Nimber) -> bool {
        let heap = goal.nim_sum(sum.nimber);
        if let [land] = sum.open[..] {
            if self.reaches(finder, land, heap) {
                return true;
            }
        } else {
            for (i, &land) in sum.open.iter().enumerate() {
                let others = [&sum.open[..i], &sum.open[i + 1..]].concat();
                if self.has_option(finder, &self.open.land(land), &others, heap) {
                    return true;
                }
            }
        }
        // A move in a certified land may make twins of all open lands.
        let facts = self.facts;
        sum.known.iter().any(|&fact| {
            let heap = heap.nim_sum(facts.nimber(fact));
            self.has_option(finder, facts.land(fact), &sum.open, heap)
        })
    }

    /// Whether one move leads from an open land to certified lands with the nim-sum `goal`.
    fn reaches(&mut self, finder: &mut Finder, land: u32, goal: Nimber) -> bool {
        let mut reached = self.open.noted(land);
        if reached.tells(goal) {
            return reached.has(goal);
        }
        let spots = self.open.land(land);
        if manageable(&spots).is_ok() {
            let facts = self.facts;
            let options = finder.visit(
                &spots,
                |sketches| may_reach(facts, sketches, goal),
                |finder, option| {
                    if let Some(nimber) = self.nim_sum(finder, option) {
                        reached.nimbers |= 1 << nimber.get();
                    }
                    !reached.has(goal) && !self.is_stopped()
                },
            );
            self.options += options;
            if !self.is_stopped() {
                reached.asked |= 1 << goal.get();
            }
            // Another thread may have found out more nimbers, or others.
            self.open.note(land, |noted| {
                noted.nimbers |= reached.nimbers;
                noted.asked |= reached.asked;
            });
        }
        reached.has(goal)
    }

    /// The nim-sum of an option, if all its lands but pairs of equal ones are certified.
    fn nim_sum(&mut self, finder: &mut Finder, option: &Lands) -> Option<Nimber> {
        if let Some((sketch, land)) = option.only() {
            let fact = self.facts.find(finder, sketch, land)?;
            return Some(self.facts.nimber(fact));
        }
        let sum = self.sum(finder, option.iter());
        sum.open.is_empty().then_some(sum.nimber)
    }

    /// Whether a land has an option that consists of certified lands with the nim-sum `goal`, and
    /// of the lands `twins`.
    fn has_option(
        &mut self,
        finder: &mut Finder,
        land: &[Spot],
        twins: &[u32],
        goal: Nimber,
    ) -> bool {
        if manageable(land).is_err() {
            return false;
        }
        let mut found = false;
        let options = finder.visit(
            land,
            |_| true,
            |finder, option| {
                let sum = self.sum(finder, option.iter());
                // Both lists are free of pairs, so lists of equal length are the same if one
                // contains the other.
                let twinned = sum.open.len() == twins.len()
                    && sum.open.iter().all(|open| twins.contains(open));
                found = sum.nimber == goal && twinned;
                !found && !self.is_stopped()
            },
        );
        self.options += options;
        found
    }

    fn sum<'l>(
        &mut self,
        finder: &mut Finder,
        lands: impl Iterator<Item = (u64, &'l [Spot])>,
    ) -> Sum {
        let mut sum = Sum { known: Vec::new(), nimber: Nimber::ZERO, open: Vec::new() };
        for (sketch, land) in lands {
            match self.facts.find(finder, sketch, land) {
                Some(fact) => {
                    sum.nimber = sum.nimber.nim_sum(self.facts.nimber(fact));
                    sum.known.push(fact);
                }
                None => sum.open.push(self.open.number(finder, sketch, land)),
            }
        }
        cancel(&mut sum.open);
        sum
    }

    fn written(&self, sum: &Sum) -> Position {
        let known = sum.known.iter().map(|&fact| Name::from(self.facts.land(fact)));
        let lands: Vec<Name> =
            known.chain(sum.open.iter().map(|&open| self.open.land(open))).collect();
        written(lands.iter().map(|land| &land[..]))
    }
}

/// Whether lands with these sketches may be certified with this nim-sum, but for pairs of equal
/// ones.
fn may_reach(facts: &Facts, sketches: &[u64], goal: Nimber) -> bool {
    match *sketches {
        [sketch] => facts.may_have_nimber(sketch, goal),
        _ => may_cancel(facts, sketches),
    }
}

/// Whether lands with these sketches may be certified but for pairs of equal ones. Equal lands have
/// the same sketch. So a sketch that no certified land has must occur an even number of times.
fn may_cancel(facts: &Facts, sketches: &[u64]) -> bool {
    sketches.iter().all(|sketch| {
        facts.may_have(*sketch) || sketches.iter().filter(|other| *other == sketch).count() % 2 == 0
    })
}

/// Sorts and drops pairs of equal things.
fn cancel<T: Ord>(things: &mut Vec<T>) {
    things.sort();
    let mut left: Vec<T> = Vec::with_capacity(things.len());
    for thing in things.drain(..) {
        if left.last() == Some(&thing) {
            left.pop();
        } else {
            left.push(thing);
        }
    }
    *things = left;
}
