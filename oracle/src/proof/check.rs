//! One step of a proof: a fact, from the others.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use sprig_engine::{Nimber, Position};

use super::desk::Desk;
use super::facts::Facts;
use super::index::Index;
use super::land::{Spot, TooManyMoves, manageable};
use super::name::{Name, sketch};
use super::options::all_options;
use super::reduce::{Reducer, lands_of, written};

/// Of how many lands a checker remembers what their moves reach.
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
    /// A smaller nimber is not shown to be too small.
    #[error("no move leads to certified lands of nim-sum {0}, so the nimber may be {0}")]
    TooLarge(Nimber),
    /// The claim about the position does not follow.
    #[error("{0}")]
    Claim(&'static str),
    /// A land has too many options.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
    /// It was told to stop before this was found out.
    #[error("the check was stopped here")]
    Stopped,
}

/// Checks facts by other facts; one per thread.
pub struct Checker<'a> {
    facts: &'a Facts,
    desk: Desk,
    /// Of lands that are not certified, the nim-sums of certified lands that one move leads to.
    reached: Index<Reached>,
    /// Options looked at.
    options: u64,
    stop: Option<&'a AtomicBool>,
}

/// Nim-sums of certified lands that one move in a land leads to.
#[derive(Clone, Copy, Default)]
struct Reached {
    /// A bit for each.
    nimbers: u64,
    /// Whether there are no others.
    are_all: bool,
}

/// A sum of reduced lands, as far as facts tell.
struct Sum {
    /// The facts about the certified lands.
    known: Vec<u32>,
    /// Their nim-sum.
    nimber: Nimber,
    /// Tints and names of the others, of which no two are equal: A + A has nimber 0.
    open: Vec<(Name, u64)>,
}

impl<'a> Checker<'a> {
    /// A checker of steps that rest on `facts`.
    #[must_use]
    pub fn new(facts: &'a Facts) -> Self {
        let (desk, reached) = (Desk::default(), Index::default());
        Self { facts, desk, reached, options: 0, stop: None }
    }

    /// The same; but it stops when it is told to.
    #[must_use]
    pub fn until(self, stop: &'a AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Relaxed))
    }

    /// How many options of positions have been looked at so far.
    #[must_use]
    pub fn options(&self) -> u64 {
        self.options
    }

    /// Checks that a land has a nimber, if all facts about positions that can follow are true.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check(&mut self, land: &Position, nimber: Nimber) -> Result<(), Flaw> {
        let lands = lands_of(land)?;
        let [land] = &lands[..] else {
            return Err(Flaw::NotOneLand(written(lands.iter().map(Vec::as_slice))));
        };
        manageable(land)?;
        let mut reached = 0u64;
        let (mut seen, mut wordings) = (HashSet::new(), HashSet::new());
        let mut flaw = None;
        all_options(land, |option| {
            // Many options differ in the names of letters only.
            if !wordings.insert(option.key()) {
                return true;
            }
            let sum = self.sum(option.lands());
            if sum.open.is_empty() {
                reached |= 1 << sum.nimber.get();
                if sum.nimber == nimber {
                    flaw = Some(Flaw::SameNimber(self.written(&sum)));
                }
            } else if seen.insert((sum.open.clone(), sum.nimber)) && !self.is_answered(&sum, nimber)
            {
                flaw = Some(Flaw::Unanswered(self.written(&sum), nimber));
            }
            flaw.is_none() && !self.is_stopped()
        });
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

    /// Checks that a position has a nimber, if all facts are true.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check_nimber(&mut self, position: &Position, nimber: Nimber) -> Result<(), Flaw> {
        let lands = lands_of(position)?;
        let sum = self.sum(lands.iter().map(Vec::as_slice));
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
    pub fn check_win(&mut self, position: &Position) -> Result<(), Flaw> {
        let lands = lands_of(position)?;
        let sum = self.sum(lands.iter().map(Vec::as_slice));
        let won = match sum.open[..] {
            [] => sum.nimber != Nimber::ZERO,
            _ => self.is_answered(&sum, Nimber::ZERO),
        };
        if self.is_stopped() {
            return Err(Flaw::Stopped);
        }
        if won { Ok(()) } else { Err(Flaw::Claim("no move leads to certified lands of nim-sum 0")) }
    }

    /// Whether some move leads from a sum with open lands to certified lands with the nim-sum `goal`: then `goal` is not the
    /// nimber of the sum.
    fn is_answered(&mut self, sum: &Sum, goal: Nimber) -> bool {
        let heap = goal.nim_sum(sum.nimber);
        if let [(name, tint)] = &sum.open[..] {
            if self.reaches(*tint, name, heap) {
                return true;
            }
        } else {
            for (i, (land, _)) in sum.open.iter().enumerate() {
                let others = sum.open[..i].iter().chain(&sum.open[i + 1..]);
                let others: Vec<&Name> = others.map(|(name, _)| name).collect();
                if self.has_option(land, &others, heap) {
                    return true;
                }
            }
        }
        // A move in a certified land may make twins of all that is open.
        let facts = self.facts;
        let open: Vec<&Name> = sum.open.iter().map(|(name, _)| name).collect();
        sum.known
            .iter()
            .any(|&fact| self.has_option(facts.land(fact), &open, heap.nim_sum(facts.nimber(fact))))
    }

    /// Whether one move leads from an open land to certified lands with the nim-sum `goal`.
    fn reaches(&mut self, tint: u64, land: &Name, goal: Nimber) -> bool {
        if self.reached.len() == MAX_REMEMBERED {
            self.reached = Index::default();
        }
        let known = self.reached.named(tint, land);
        let known = known.unwrap_or_else(|| self.reached.insert(tint, land, Reached::default()));
        let mut reached = *self.reached.noted(known);
        let is_reached = |reached: Reached| reached.nimbers >> goal.get() & 1 == 1;
        if !is_reached(reached) && !reached.are_all && manageable(land).is_ok() {
            reached.are_all = all_options(land, |option| {
                self.options += 1;
                if let Some(nimber) = self.nim_sum(option) {
                    reached.nimbers |= 1 << nimber.get();
                }
                !is_reached(reached) && !self.is_stopped()
            });
            *self.reached.noted_mut(known) = reached;
        }
        is_reached(reached)
    }

    /// The nim-sum of an option, if all its lands but pairs of equal ones are certified.
    fn nim_sum(&mut self, option: &Reducer) -> Option<Nimber> {
        let (mut sum, mut sketches) = (Nimber::ZERO, Vec::new());
        for land in option.lands() {
            match self.facts.find(&mut self.desk, land) {
                Some(fact) => sum = sum.nim_sum(self.facts.nimber(fact)),
                None if option.lands().len() == 1 => return None,
                None => sketches.push(sketch(land)),
            }
        }
        if sketches.is_empty() {
            return Some(sum);
        }
        cancel(&mut sketches);
        if !sketches.is_empty() {
            return None;
        }
        // What looks the same is nearly always the same.
        let sum = self.sum(option.lands());
        sum.open.is_empty().then_some(sum.nimber)
    }

    /// Whether a land has an option that consists of certified lands with the nim-sum `goal`, and of the lands `twins`.
    fn has_option(&mut self, land: &[Spot], twins: &[&Name], goal: Nimber) -> bool {
        if manageable(land).is_err() {
            return false;
        }
        let mut found = false;
        all_options(land, |option| {
            let sum = self.sum(option.lands());
            // Both are free of pairs, so that equally many are the same if all are there.
            let twinned = sum.open.len() == twins.len()
                && sum.open.iter().all(|(name, _)| twins.contains(&name));
            found = sum.nimber == goal && twinned;
            !found && !self.is_stopped()
        });
        found
    }

    fn sum<'l>(&mut self, lands: impl Iterator<Item = &'l [Spot]>) -> Sum {
        self.options += 1;
        let mut sum = Sum { known: Vec::new(), nimber: Nimber::ZERO, open: Vec::new() };
        for land in lands {
            match self.facts.find(&mut self.desk, land) {
                Some(fact) => {
                    sum.nimber = sum.nimber.nim_sum(self.facts.nimber(fact));
                    sum.known.push(fact);
                }
                None => {
                    let (tint, name) = self.desk.name(land);
                    sum.open.push((name, tint));
                }
            }
        }
        cancel(&mut sum.open);
        sum
    }

    fn written(&self, sum: &Sum) -> Position {
        let known = sum.known.iter().map(|&fact| self.facts.land(fact));
        written(known.chain(sum.open.iter().map(|(name, _)| &name[..])))
    }
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
