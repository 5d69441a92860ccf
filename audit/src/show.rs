//! Showing an answer: every fact that it rests on, step by step, down to the end of the game.
//!
//! Steps are inspected in any order and by several threads: each rests on smaller lands, so when
//! all of them hold, all the facts hold, by induction from the smallest.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

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

/// Facts that are still to be shown, shared by the threads.
#[derive(Default)]
struct Work {
    /// To be inspected.
    open: Vec<(Key, Nimber)>,
    /// All that were ever in `open`.
    met: FxHashMap<Key, Nimber>,
    /// Threads that may still find more.
    busy: usize,
    end: Option<Result<Key, StoreError>>,
}

/// What the threads share.
struct Shared<'a> {
    plan: &'a Plan<'a>,
    store: &'a Store,
    sketches: &'a Arc<Sketches>,
    work: Mutex<Work>,
    turn: Condvar,
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
        heard: Mutex::new(Heard::new(plan)),
    };
    enter(store, rests, &mut lock(&shared.work))?;
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.get() {
            scope.spawn(|| shared.inspect_all());
        }
    });
    let work = shared.work.into_inner().unwrap_or_else(PoisonError::into_inner);
    match work.end {
        Some(Ok(land)) => return Ok(Proof::Baseless(Kind::Nimber, land)),
        Some(Err(error)) => return Err(error),
        None if plan.is_stopped() => return Ok(Proof::Stopped),
        None => {}
    }
    let mut ledger = Ledger::new(store, &plan.source);
    let shown = work.met.len();
    let mut met: Vec<_> = work.met.into_iter().collect();
    // They are written in several batches, the small lands first. After a crash in between, no fact
    // may be verified without its support, since what is verified is not looked at again.
    met.sort_unstable_by_key(|(land, _)| shape(land).lives);
    for (land, nimber) in met {
        ledger.mark(land, Value::Nimber(nimber))?;
    }
    ledger.write()?;
    Ok(Proof::Shown(shown))
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
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

/// Adds those of `lands` that are not verified and new.
fn enter(store: &Store, lands: Vec<Key>, work: &mut Work) -> Result<(), StoreError> {
    for land in lands {
        if work.met.contains_key(&land) {
            continue;
        }
        let Some(known) = store.fact(Kind::Nimber, &land)? else { continue };
        if let (Value::Nimber(nimber), Status::Claimed) = (known.fact.value, known.fact.status) {
            work.met.insert(land.clone(), nimber);
            work.open.push((land, nimber));
        }
    }
    Ok(())
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
            let Some((land, nimber)) = guard.open.pop() else {
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
                Ok(Finding::Shown(rests)) => enter(store, rests, &mut guard),
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
        }
        turn.notify_all();
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
