//! Who lists the options of a couple, and says what a search expects of each before it has begun.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use sprig_blocking::Blocking;
use sprig_domain::{Game, Goal, JobId, LandNimber, Question, Verdict};
use sprig_engine::{Budget, CanonicalLand, CanonicalPosition, Nimber};
use sprig_search::{Limits, Solver};
use sprig_store::{Kind, Store, Value};
use tokio::sync::mpsc;

use crate::driver::Inbound;
use crate::feed::Feed;
use crate::machine::{Event, Parts};

/// Most children of a couple that are listed, and bytes that they take.
const CHILDREN: u64 = 1 << 16;
const BYTES: usize = 32 << 20;
/// Memory of a search that is only asked what it expects.
const MEMORY: usize = 64 << 20;

/// A search that is never begun.
pub struct Scout {
    solver: Solver,
}

impl Scout {
    /// Of a game.
    #[must_use]
    pub fn of(game: Game) -> Self {
        Self { solver: Solver::of(game, Limits { memory: MEMORY, threads: 1 }) }
    }

    /// The options of a couple, and what `known` knows of their lands. `None` where they cannot be
    /// listed, and for several lands: these are searched together, and the search itself finds out
    /// which nimbers it needs.
    #[must_use]
    pub fn parts(
        &self,
        couple: &Goal,
        known: impl Fn(&CanonicalLand) -> Option<Nimber>,
    ) -> Option<Parts> {
        let (position, Question::Outcome { heap }) = (couple.position(), couple.question()) else {
            return None;
        };
        if position.lands().len() != 1 {
            return None;
        }
        let (mut moves, mut budget) = (couple.game().generator(), Budget::new(CHILDREN, BYTES));
        let children = position.children_by(&mut moves, &mut budget).ok()?;
        let mut couples: Vec<_> = children.into_iter().map(|child| (child, heap)).collect();
        for lower in 0..heap.get() {
            couples.push((position.clone(), Nimber::new(u64::from(lower)).ok()?));
        }
        couples.sort();
        couples.dedup();
        let lands: BTreeSet<_> = couples.iter().flat_map(|(at, _)| at.lands()).cloned().collect();
        let facts = lands.into_iter().filter_map(|land| {
            let nimber = known(&land)?;
            Some(LandNimber { land, nimber })
        });
        let known = facts.collect();
        let options = couples.into_iter().map(|(position, heap)| {
            let question = Question::Outcome { heap };
            let expected = self.expect(&position, question)?;
            let option = Goal::new(couple.ruleset(), position, question).ok()?;
            Some((option, expected))
        });
        Some(Parts { options: options.collect::<Option<_>>()?, known })
    }

    /// What a search expects. Tables that have not been searched never make room by themselves.
    fn expect(&self, position: &CanonicalPosition, question: Question) -> Option<Verdict> {
        let expect = || self.solver.expect(position, question).ok();
        expect().or_else(|| {
            self.solver.forget();
            expect()
        })
    }
}

/// Scouts of all games, at work where nothing waits for them.
pub(crate) struct Scouts {
    blocking: Blocking,
    inbox: mpsc::WeakSender<Inbound>,
    store: Arc<Store>,
    feed: Arc<Feed>,
    /// One of each game, made when it is first wanted. The lock is held while options are listed.
    scouts: Arc<Mutex<BTreeMap<Game, Scout>>>,
}

impl Scouts {
    /// Scouts that tell what they have found here, as long as anybody else may.
    pub(crate) fn new(
        blocking: Blocking,
        inbox: &mpsc::Sender<Inbound>,
        store: Arc<Store>,
        feed: Arc<Feed>,
    ) -> Self {
        Self { blocking, inbox: inbox.downgrade(), store, feed, scouts: Arc::default() }
    }

    /// Lists the options of a leaf of a job.
    pub(crate) fn send(&self, job: JobId, leaf: Goal) {
        let (inbox, scouts) = (self.inbox.clone(), Arc::clone(&self.scouts));
        let (store, feed) = (self.store.of(leaf.game()), Arc::clone(&self.feed));
        let (blocking, wanted) = (self.blocking.clone(), leaf.clone());
        let work = move || {
            let mut scouts = scouts.lock().unwrap_or_else(PoisonError::into_inner);
            let game = wanted.game();
            let scout = scouts.entry(game).or_insert_with(|| Scout::of(game));
            scout.parts(&wanted, |land| told(&store, &feed, land))
        };
        tokio::spawn(async move {
            // A panic was printed; the leaf stays whole.
            let parts = blocking.call("scout", work).await.unwrap_or_default();
            if let Some(inbox) = inbox.upgrade() {
                // Fails only if the coordinator has ended.
                let _ = inbox.send(Inbound::Event(Event::TakenApart { job, leaf, parts })).await;
            }
        });
    }
}

/// The nimber of a land, if it was told to all workers. A disk that fails is found out by the
/// writer.
fn told(store: &Store, feed: &Feed, land: &CanonicalLand) -> Option<Nimber> {
    let stored = store.fact(Kind::Nimber, land.key()).ok()??;
    let Value::Nimber(nimber) = stored.fact.value else { return None };
    (!feed.waits(stored.sequence.0)).then_some(nimber)
}

#[cfg(test)]
mod tests {
    use sprig_domain::{Play, Ruleset};
    use sprig_engine::Position;

    use super::*;

    #[test]
    fn each_game_has_options_of_its_own() {
        let position = CanonicalPosition::of(&Position::start(5));
        let counts = Game::ALL.map(|game| {
            let ruleset = Ruleset { game, play: Play::Normal };
            let goal =
                Goal::new(ruleset, position.clone(), Question::OUTCOME).expect("it is asked");
            let parts = Scout::of(game).parts(&goal, |_| None).expect("they are few");
            let found: Vec<_> = parts.options.into_iter().map(|(option, _)| option).collect();
            let children = game.children(&position).expect("they are few");
            let children = children
                .into_iter()
                .map(|child| Goal::new(ruleset, child, Question::OUTCOME).expect("it is asked"));
            assert_eq!(found, children.collect::<Vec<_>>());
            found.len()
        });
        assert_ne!(counts[0], counts[1]);
    }

    #[test]
    fn smaller_heaps_are_options_and_sums_stay_whole() {
        let question = Question::Outcome { heap: Nimber::new(2).expect("small") };
        let alone = Goal::normal(CanonicalPosition::of(&Position::start(4)), question);
        let parts = Scout::of(Game::Sprouts).parts(&alone, |_| None).expect("they are few");
        let heaps = parts.options.iter().filter(|(at, _)| at.position() == alone.position());
        assert_eq!(heaps.count(), 2);
        let sum: Position = "0*3+0*4".parse().expect("a position");
        let sum = Goal::normal(CanonicalPosition::of(&sum), question);
        assert!(Scout::of(Game::Sprouts).parts(&sum, |_| None).is_none());
    }
}
