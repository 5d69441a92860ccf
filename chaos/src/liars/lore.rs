//! What liars know: the truth, and what follows from a lie.

use std::collections::HashMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::Context;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use sprig_domain::Fact;
use sprig_domain::Node;
use sprig_domain::{LandNimber, Outcome, Play, Question, Verdict};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_misere::Search;
use sprig_search::{Limits, Observer, Solver};
use sprig_store::{Kind, Reader, Status, Value};
use sprig_trees::Base;

use crate::prove::secret;
use crate::start::Start;

const MEMORY: usize = 256 << 20;
const LIMITS: Limits = Limits { memory: MEMORY, threads: 1 };

/// The truth, kept from round to round.
pub struct Lore {
    /// The trees of five spots, and who wins misère play; made when they are needed first.
    misere: OnceLock<(Base, Search)>,
    known: Mutex<HashMap<Start, Arc<Vec<Fact>>>>,
    /// Finds nimbers.
    solver: Solver,
}

/// Collects what a search proves, until it has done too much.
#[derive(Default)]
struct Recorder(Mutex<Vec<Fact>>);

/// More facts than an honest search of these positions has.
const MANY: usize = 200_000;

impl Recorder {
    fn push(&self, fact: Fact) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(fact);
    }

    fn is_full(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len() > MANY
    }

    fn facts(self) -> Vec<Fact> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer<LandNimber> for Recorder {
    fn stop(&self) -> bool {
        self.is_full()
    }

    fn proved(&self, fact: LandNimber) {
        self.push(fact.into());
    }
}

impl Observer<Node> for Recorder {
    fn stop(&self) -> bool {
        self.is_full()
    }

    fn proved(&self, node: Node) {
        self.push(Fact::Loss(node));
    }
}

impl Default for Lore {
    fn default() -> Self {
        let solver = Solver::new(LIMITS);
        Self { misere: OnceLock::new(), known: Mutex::default(), solver }
    }
}

impl Lore {
    fn misere(&self) -> &(Base, Search) {
        self.misere.get_or_init(|| {
            let mut base = Base::default();
            let five = CanonicalPosition::of(&Position::start(5));
            let built = base.build(&five, NonZero::<usize>::MIN, |_| ControlFlow::Continue(()));
            built.expect("five spots are few");
            let search = Search::new(&base, LIMITS);
            (base, search)
        })
    }

    /// What an honest worker would report of a start position.
    ///
    /// # Errors
    /// When the search fails.
    pub fn facts(&self, start: Start) -> anyhow::Result<Arc<Vec<Fact>>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(facts) = known.get(&start) {
            return Ok(Arc::clone(facts));
        }
        let facts = Arc::new(self.from(start, None)?);
        known.insert(start, Arc::clone(&facts));
        Ok(facts)
    }

    /// Expansions that the goal of a start position takes a search alone.
    ///
    /// # Errors
    /// When the search fails.
    pub fn effort(&self, start: Start) -> anyhow::Result<u64> {
        let (goal, position, recorder) = (start.goal(), start.position(), Recorder::default());
        if goal.play() == Play::Normal {
            let solver = Solver::new(LIMITS);
            solver.solve(&position, goal.question(), u64::MAX, &recorder)?;
            return Ok(solver.figures().expansions);
        }
        let (base, _) = self.misere();
        let search = Search::new(base, LIMITS);
        search.solve(&position, &recorder)?;
        Ok(search.figures().expansions)
    }

    /// What a worker would report that believes `lie`.
    ///
    /// # Errors
    /// When the search fails otherwise than by the lie.
    pub fn from(&self, start: Start, lie: Option<&Fact>) -> anyhow::Result<Vec<Fact>> {
        let recorder = Recorder::default();
        recorder.0.lock().unwrap_or_else(PoisonError::into_inner).extend(lie.cloned());
        let (goal, position) = (start.goal(), start.position());
        if goal.play() == Play::Normal {
            let solver = Solver::new(LIMITS);
            if let Some(Fact::Nimber(lie)) = lie {
                solver.learn(lie)?;
            }
            // What was proved before the lie came to light is enough.
            let solved = solver.solve(&position, goal.question(), MOST, &recorder);
            solved.map(drop).or_else(|error| if lie.is_some() { Ok(()) } else { Err(error) })?;
            return Ok(recorder.facts());
        }
        let (base, _) = self.misere();
        let forest = base.forest();
        for tree in forest.trees() {
            recorder.push(Fact::Tree { tree: forest.key(tree), options: forest.option_keys(tree) });
        }
        for (land, tree) in base.facts() {
            recorder.push(Fact::Rct { land, tree: forest.key(tree) });
        }
        let search = Search::new(base, LIMITS);
        if let Some(Fact::Loss(lie)) = lie {
            // A search does not learn what it knows to be false.
            let _ = search.learn([lie.clone()]);
        }
        let solved = search.solve(&position, &recorder);
        solved.map(drop).or_else(|error| if lie.is_some() { Ok(()) } else { Err(error) })?;
        Ok(recorder.facts())
    }

    /// A lie about one fact of a start position, and what follows from it.
    ///
    /// # Errors
    /// When the search fails otherwise than by the lie.
    pub fn poisoned(&self, start: Start, dice: &mut SmallRng) -> anyhow::Result<Vec<Fact>> {
        let truth = self.facts(start)?;
        let can_lie = |fact: &&Fact| matches!(fact, Fact::Nimber(_) | Fact::Loss(_));
        let some: Vec<&Fact> = truth.iter().filter(can_lie).collect();
        let chosen = some.choose(dice).context("there is something to lie about")?;
        let lie = falsified(chosen, 1).context("it can be falsified")?;
        self.from(start, Some(&lie))
    }

    /// Facts of the database in `folder` that are verified and yet false.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn wrong(&self, folder: &Path) -> anyhow::Result<Vec<String>> {
        let store = Reader::open(&folder.join("db"), &secret(folder)?)?;
        let mut wrong = Vec::new();
        for kind in [Kind::Nimber, Kind::Rct, Kind::Loss] {
            for stored in store.facts(kind) {
                let fact = stored?.fact;
                if fact.status == Status::Verified && !self.holds(&fact)? {
                    wrong.push(format!("{fact:?}"));
                }
            }
        }
        Ok(wrong)
    }

    /// Whether a fact of a database is true, by searches that hear of no other facts. That the key
    /// of a tree fits its options is checked by the reader of the tree.
    ///
    /// # Errors
    /// When the fact is about nothing, or cannot be searched.
    pub fn holds(&self, fact: &sprig_store::Fact) -> anyhow::Result<bool> {
        Ok(match &fact.value {
            Value::Nimber(nimber) => {
                let land = CanonicalLand::from_key(&fact.subject)?;
                let position = CanonicalPosition::from_lands([land]);
                let found = self.solver.solve(&position, Question::Nimber, u64::MAX, &Silent)?;
                found == Verdict::Nimber(*nimber)
            }
            Value::Rct(key) => {
                let (base, _) = self.misere();
                let own = base.rct(&fact.subject).map(|tree| base.forest().key(tree));
                own.is_none_or(|own| own == *key)
            }
            Value::Loss => {
                let node = Node::decode(&fact.subject)?;
                self.misere().1.settle(&node, &Recorder::default())? == Some(Outcome::Loss)
            }
            Value::Options(_) => true,
        })
    }
}

/// Expansions that a search may take that has believed a lie.
const MOST: u64 = 1_000_000;

struct Silent;

impl Observer<LandNimber> for Silent {
    fn stop(&self) -> bool {
        false
    }
    fn proved(&self, _: LandNimber) {}
}

/// A false fact made of this one: a nimber that differs by `by`; a tree, or a node, with a 1 beside
/// it, so that what is lost is won.
pub fn falsified(fact: &Fact, by: u64) -> Option<Fact> {
    match fact {
        Fact::Nimber(LandNimber { land, nimber }) => {
            let nimber = Nimber::new(u64::from(nimber.get()) ^ by).ok()?;
            Some(Fact::Nimber(LandNimber { land: land.clone(), nimber }))
        }
        Fact::Rct { land, tree } => Some(Fact::Rct { land: land.clone(), tree: tree.plus_one() }),
        Fact::Loss(node) => {
            let trees = node.trees().iter().copied();
            Some(Fact::Loss(Node::new(node.lands().clone(), !node.one(), trees)))
        }
        // A tree that does not have its key is no message.
        Fact::Tree { .. } => None,
    }
}
