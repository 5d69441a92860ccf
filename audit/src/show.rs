//! Showing an answer: every fact that it rests on, step by step, down to the end of the game.
//!
//! Steps are inspected by several threads, those of the smallest lands first. A fact is shown when its
//! step holds and all that it rests on is shown, and is written soon after. So whoever is killed in
//! the middle goes on, the next time, where the first one was.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

use rustc_hash::FxHashMap;
use sprig_engine::{CanonicalPosition, Nimber, shape};
use sprig_search::step::{Finding, Inspector, Key, Sketches};
use sprig_store::{Kind, Status, Store, StoreError, Value};

use crate::patience::Heard;
use crate::{AuditError, Claim, Ledger, Plan, check_nimbers};

/// What has come of an attempt.
#[derive(Debug)]
pub enum Proof {
    /// Every fact is verified now. This many were not verified before.
    Shown(usize),
    /// The claim about this subject does not follow from the facts.
    Baseless(Kind, Key),
    /// The answer itself does not follow from the facts.
    Unfounded,
    /// What is merely claimed says the opposite of the answer.
    Disputed,
    /// It cannot be shown at all; the reason.
    Hopeless(String),
    /// It was told to stop.
    Stopped,
}

/// Facts that are written at once, at least, while others are still to be shown.
const FACTS: usize = 1024;

/// Facts that are still to be shown, shared by the threads.
#[derive(Default)]
struct Work {
    /// To be inspected. The land with the fewest lives comes first: what it rests on has fewer, so
    /// that it is shown before any land beside it is looked at.
    open: BinaryHeap<(Reverse<u16>, Key)>,
    /// All that were ever in `open`, or were verified when something that rests on them was shown.
    met: FxHashMap<Key, Standing>,
    /// Those that are shown and not written, each after what it rests on.
    shown: Vec<(Key, Nimber)>,
    /// How many were shown.
    count: usize,
    /// Threads that may still find more.
    busy: usize,
    end: Option<Result<Key, StoreError>>,
}

/// How far a fact is.
enum Standing {
    Open(Open),
    Shown,
}

/// A fact that is not shown.
struct Open {
    nimber: Nimber,
    /// How many facts that are not shown it rests on; 0 before it was inspected.
    missing: usize,
    /// Facts that rest on it.
    above: Vec<Key>,
}

/// What the threads share.
struct Shared<'a> {
    plan: &'a Plan<'a>,
    store: &'a Store,
    sketches: &'a Arc<Sketches>,
    work: Mutex<Work>,
    turn: Condvar,
    /// Who holds it writes what is shown: nothing is on disk before what it rests on.
    ledger: Mutex<Ledger<'a>>,
    /// Hears of claims that are found again, one after the other.
    heard: Mutex<Heard>,
}

/// An answer about normal play.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// The position that it is about.
    pub position: &'a CanonicalPosition,
    /// The Nim heap beside it.
    pub heap: Nimber,
    /// Whether both together are won for the player to move.
    pub wins: bool,
}

/// Shows an answer from the facts of `store`, and writes those it rests on as verified. `sketches`
/// are those of all its facts but the latest.
///
/// # Errors
/// When the disk fails.
pub fn show(
    plan: &Plan<'_>,
    store: &Store,
    answer: Statement<'_>,
    sketches: &Arc<Sketches>,
) -> Result<Proof, StoreError> {
    let Statement { position, heap, wins } = answer;
    let mut known = |land: &[u8]| store.nimber(land);
    let mut inspector = Inspector::of(store.game()).watched(Arc::clone(plan.watched));
    let root = inspector.inspect_outcome(position, heap, wins, &mut known)?;
    let rests = match root {
        Finding::Shown(rests) => rests,
        Finding::Refuted(rests) if !all_verified(store, &rests)? => return Ok(Proof::Disputed),
        _ => return Ok(Proof::Unfounded),
    };
    let shared = Shared {
        plan,
        store,
        sketches,
        work: Mutex::default(),
        turn: Condvar::new(),
        ledger: Mutex::new(Ledger::new(store, &plan.source)),
        heard: Mutex::new(Heard::new(plan)),
    };
    lock(&shared.work).enter(store, rests, None)?;
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.get() {
            scope.spawn(|| shared.inspect_all());
        }
    });
    let failed = lock(&shared.work).end.take_if(|end| end.is_err());
    if let Some(Err(error)) = failed {
        // What could not be written may be what the rest stands on.
        return Err(error);
    }
    // Whatever has come of the answer, these facts are shown.
    shared.write(lock(&shared.ledger))?;
    let work = shared.work.into_inner().unwrap_or_else(PoisonError::into_inner);
    match work.end {
        Some(Ok(land)) => return Ok(Proof::Baseless(Kind::Nimber, land)),
        Some(Err(error)) => return Err(error),
        None if plan.is_stopped() => return Ok(Proof::Stopped),
        None => {}
    }
    let is_open = |standing: &Standing| matches!(standing, Standing::Open(_));
    assert!(!work.met.values().any(is_open), "facts rest on each other in a circle");
    Ok(Proof::Shown(work.count))
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the nimbers of all these lands are verified.
fn all_verified(store: &Store, lands: &[Key]) -> Result<bool, StoreError> {
    for land in lands {
        if store.verified_nimber(land)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Work {
    /// The step of the fact about `land` holds, and rests on these lands (`None`: the answer does).
    /// Those that are not verified are to be shown.
    fn enter(
        &mut self,
        store: &Store,
        rests: Vec<Key>,
        land: Option<&Key>,
    ) -> Result<(), StoreError> {
        let mut missing = 0;
        for below in rests {
            if !self.met.contains_key(&below) {
                let standing = self.meet(store, &below)?;
                self.met.insert(below.clone(), standing);
            }
            if let Some(Standing::Open(open)) = self.met.get_mut(&below) {
                missing += 1;
                open.above.extend(land.cloned());
            }
        }
        if let Some(land) = land {
            match self.met.get_mut(land) {
                Some(Standing::Open(open)) if missing > 0 => open.missing = missing,
                _ => self.show(land.clone()),
            }
        }
        Ok(())
    }

    /// The next fact to be inspected.
    fn next(&mut self) -> Option<(Key, Nimber)> {
        let (_, land) = self.open.pop()?;
        match self.met.get(&land) {
            Some(Standing::Open(open)) => Some((land, open.nimber)),
            Some(Standing::Shown) | None => unreachable!("it is shown after it was inspected"),
        }
    }

    /// How far a fact is that nothing rested on before.
    fn meet(&mut self, store: &Store, land: &Key) -> Result<Standing, StoreError> {
        let Some(known) = store.fact(Kind::Nimber, land)? else {
            // It was taken out after the step was looked at. Nothing may rest on it.
            self.end = Some(Ok(land.clone()));
            let (nimber, missing, above) = (Nimber::ZERO, 0, Vec::new());
            return Ok(Standing::Open(Open { nimber, missing, above }));
        };
        let (Value::Nimber(nimber), Status::Claimed) = (known.fact.value, known.fact.status) else {
            return Ok(Standing::Shown);
        };
        self.open.push((Reverse(shape(land).lives), land.clone()));
        Ok(Standing::Open(Open { nimber, missing: 0, above: Vec::new() }))
    }

    /// Notes that a fact is shown, and those above it that rest on nothing else that is not.
    fn show(&mut self, land: Key) {
        let mut shown = vec![land];
        while let Some(land) = shown.pop() {
            let Some(Standing::Open(open)) = self.met.insert(land.clone(), Standing::Shown) else {
                continue;
            };
            self.shown.push((land, open.nimber));
            self.count += 1;
            for above in open.above {
                let Some(Standing::Open(rests)) = self.met.get_mut(&above) else { continue };
                rests.missing -= 1;
                if rests.missing == 0 {
                    shown.push(above);
                }
            }
        }
    }
}

impl Shared<'_> {
    /// What one thread does.
    fn inspect_all(&self) {
        let Self { plan, store, sketches, work, turn, .. } = self;
        let inspector = Inspector::of(store.game()).guided(Arc::clone(sketches));
        let mut inspector = inspector.watched(Arc::clone(plan.watched));
        let mut guard = lock(work);
        loop {
            if guard.end.is_some() || plan.is_stopped() {
                break;
            }
            let Some((land, nimber)) = guard.next() else {
                if guard.busy == 0 {
                    break;
                }
                guard = turn.wait(guard).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            guard.busy += 1;
            drop(guard);
            let mut found = inspector.inspect(&land, nimber, &mut |land| store.nimber(land));
            if let Ok(Finding::Missing) = found {
                found = self.look_again(&land, nimber);
            }
            guard = lock(work);
            guard.busy -= 1;
            let entered = match found {
                Ok(Finding::Shown(rests)) => guard.enter(store, rests, Some(&land)),
                Ok(Finding::Stopped) => Ok(()),
                // What cannot be checked is as good as baseless here. Its source is not blamed for
                // that.
                Ok(Finding::Refuted(_) | Finding::Missing | Finding::TooDear) => {
                    guard.end = Some(Ok(land));
                    Ok(())
                }
                Err(error) => Err(error),
            };
            if let Err(error) = entered {
                guard.end = Some(Err(error));
            }
            turn.notify_all();
            if guard.shown.len() >= FACTS {
                drop(guard);
                let written = self.write_some();
                guard = lock(work);
                if let Err(error) = written {
                    guard.end = Some(Err(error));
                }
            }
        }
        turn.notify_all();
    }

    /// Writes what is shown, unless another thread is at it.
    fn write_some(&self) -> Result<(), StoreError> {
        match self.ledger.try_lock() {
            Ok(ledger) => self.write(ledger),
            Err(TryLockError::Poisoned(ledger)) => self.write(ledger.into_inner()),
            Err(TryLockError::WouldBlock) => Ok(()),
        }
    }

    fn write(&self, mut ledger: MutexGuard<'_, Ledger<'_>>) -> Result<(), StoreError> {
        let shown = std::mem::take(&mut lock(&self.work).shown);
        for (land, nimber) in shown {
            ledger.mark(land, Value::Nimber(nimber))?;
        }
        ledger.write()
    }

    /// Looks at a step without the sketches: another job may have proved what the step rests on
    /// after the sketches were drawn.
    fn look_again(&self, land: &Key, nimber: Nimber) -> Result<Finding, StoreError> {
        let mut inspector = Inspector::of(self.store.game()).watched(Arc::clone(self.plan.watched));
        match inspector.inspect(land, nimber, &mut |land| self.store.nimber(land))? {
            Finding::Missing => self.find_again(land, nimber),
            found => Ok(found),
        }
    }

    /// Searches for a claim that follows from nothing. What was found is written, and rests only on
    /// verified facts.
    fn find_again(&self, land: &Key, nimber: Nimber) -> Result<Finding, StoreError> {
        let Self { plan, store, heard, .. } = self;
        let claim = Claim { subject: land.clone(), value: Value::Nimber(nimber), place: 0 };
        let mut heard = lock(heard);
        let none = Sketches::default();
        match check_nimbers(&plan.hurried(), store, [Ok(claim)].into_iter(), none, &mut *heard) {
            Ok(()) if heard.failed.is_none() => Ok(Finding::Shown(Vec::new())),
            Err(AuditError::Stopped) => Ok(Finding::Stopped),
            Err(AuditError::Store(error)) => Err(error),
            Ok(()) | Err(_) => Ok(Finding::Missing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_rests_on_a_fact_that_was_taken_out() {
        let store = Store::in_memory().expect("memory");
        let (mut work, land) = (Work::default(), Key::from(*b"0"));
        work.enter(&store, vec![land.clone()], None).expect("read");
        assert!(matches!(&work.end, Some(Ok(gone)) if *gone == land));
        assert!(work.next().is_none());
    }
}
