//! Checks the database after the hunt against what was acknowledged and against a search of its
//! own.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use sprig_domain::{Goal, LandNimber, Outcome, Question, Verdict};
use sprig_domain::{Node, TreeKey};
use sprig_engine::{CanonicalLand, CanonicalPosition, Position};
use sprig_proto::limits;
use sprig_search::{Limits, Observer, Solver};
use sprig_store::{Kind, Reader, Secret, Sequence, StoredFact, Value};

/// What the database holds.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    /// Facts in it.
    pub facts: u64,
    /// Acknowledged facts, all of them in it.
    pub acknowledged: usize,
}

/// The goal: who wins `position`.
///
/// # Errors
/// When the text is no position.
pub fn outcome_of(position: &str) -> anyhow::Result<Goal> {
    let position = CanonicalPosition::of(&position.parse::<Position>()?);
    Ok(Goal::normal(position, Question::OUTCOME))
}

/// The goal to find the outcome of a position in misère play.
///
/// # Errors
/// When the text is no position.
pub fn misere_outcome_of(position: &str) -> anyhow::Result<Goal> {
    Ok(Goal::misere(CanonicalPosition::of(&position.parse::<Position>()?)))
}

/// Acknowledged facts that the database does not have.
///
/// # Errors
/// When the database cannot be read.
pub fn lost(db: &Path, acknowledged: &[(String, u8)]) -> anyhow::Result<Vec<String>> {
    let store = Reader::open(db, &Secret::random())?;
    let mut lost = Vec::new();
    for (text, nimber) in acknowledged {
        let position = CanonicalPosition::of(&text.parse::<Position>()?);
        let [land] = position.lands() else { bail!("{text} is not one land") };
        match store.nimber(land.key())? {
            Some(stored) if stored.get() == *nimber => {}
            other => lost.push(format!("{text} = {nimber} was acknowledged, stored is {other:?}")),
        }
    }
    Ok(lost)
}

/// Acknowledged facts of misère play, in words, that the database does not have.
///
/// # Errors
/// When the database cannot be read.
pub fn lost_of_misere(
    db: &Path,
    secret: &Secret,
    acknowledged: &[String],
) -> anyhow::Result<Vec<String>> {
    let store = Reader::open(db, secret)?;
    let mut there = HashSet::new();
    for kind in [Kind::Tree, Kind::Rct, Kind::Loss] {
        for stored in store.facts(kind) {
            let fact = stored?.fact;
            let fact = match fact.value {
                Value::Nimber(_) => continue,
                Value::Options(options) => {
                    let tree = TreeKey::from_bytes((*fact.subject).try_into()?);
                    sprig_domain::Fact::Tree { tree, options: options.into_vec() }
                }
                Value::Rct(tree) => sprig_domain::Fact::Rct {
                    land: CanonicalLand::from_reduced(&fact.subject),
                    tree,
                },
                Value::Loss => sprig_domain::Fact::Loss(Node::decode(&fact.subject)?),
            };
            there.insert(fact.to_string());
        }
    }
    Ok(acknowledged.iter().filter(|fact| !there.contains(*fact)).cloned().collect())
}

/// Checks a database: every acknowledged fact is in it, and a search that takes all its facts for
/// true meets no contradiction and comes to the same outcomes of the goals. With `alone`, a search
/// that starts from nothing does, too.
///
/// # Errors
/// The first violation.
pub fn database(
    db: &Path,
    goals: &[(Goal, Outcome)],
    acknowledged: &[(String, u8)],
    alone: bool,
) -> anyhow::Result<Checked> {
    let lost = lost(db, acknowledged)?;
    ensure!(lost.is_empty(), "{} acknowledged facts are lost, the first: {}", lost.len(), lost[0]);
    let store = Reader::open(db, &Secret::random())?;
    let solver = Solver::new(Limits { memory: 1 << 30, threads: 1 });
    let agrees = |by: &str| -> anyhow::Result<()> {
        for (goal, outcome) in goals {
            let verdict = solver.solve(goal.position(), goal.question(), u64::MAX, &Silent)?;
            let is_so = match outcome {
                Outcome::Win => verdict == Verdict::Win,
                Outcome::Loss => verdict == Verdict::Loss,
            };
            ensure!(is_so, "{}: the job says {outcome}, {by} {verdict:?}", goal.position());
        }
        Ok(())
    };
    // What the search proves by itself first is compared with the database.
    if alone {
        agrees("a search alone")?;
    }
    for fact in nimbers(&store)? {
        solver.learn(&fact).context("the facts of the database contradict a search")?;
    }
    agrees("its facts")?;
    Ok(Checked { facts: store.counts()?.total(), acknowledged: acknowledged.len() })
}

/// The nimbers that the database knows, in the order in which they came there.
///
/// # Errors
/// When it cannot be read, or one is about no land.
pub fn nimbers(store: &Reader) -> anyhow::Result<Vec<LandNimber>> {
    let (mut facts, mut from) = (Vec::new(), Sequence(0));
    loop {
        let stored = store.facts_from(from, limits::FACTS)?;
        let Some(last) = stored.last() else { return Ok(facts) };
        from = Sequence(last.sequence.0 + 1);
        for StoredFact { fact, .. } in stored {
            if let Value::Nimber(nimber) = fact.value {
                facts.push(LandNimber { land: CanonicalLand::from_key(&fact.subject)?, nimber });
            }
        }
    }
}

struct Silent;

impl Observer<LandNimber> for Silent {
    fn stop(&self) -> bool {
        false
    }
    fn proved(&self, _: LandNimber) {}
}
