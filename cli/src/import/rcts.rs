//! Checks claims about trees and the trees of lands, and commits what is true.
//!
//! Trees are rebuilt from their options, so their names need to mean something in their files only. That a land has a tree
//! is checked by finding it from those of its children; the base that this takes is held in memory.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow::{Break, Continue};

use anyhow::{Context, anyhow};
use sprig_engine::CanonicalPosition;
use sprig_foreign::{Name, TreeError, TreeProblem, Trees};
use sprig_misere::{Base, MisereError, Tree};
use sprig_store::{Fact, Kind, Status, Store, Value};

use super::check::Sampler;
use super::gather::Place;
use super::keeper::Keeper;
use super::progress::Checking;
use super::{Plan, Report};
use crate::forest;

/// Facts that are committed together, about.
const COMMIT: usize = 4096;
/// How much of a tree a message shows, in characters.
const SHOWN: usize = 80;

/// What the files claim about trees.
#[derive(Default)]
pub struct Claims {
    trees: Trees,
    lands: Vec<Claim>,
}

/// That a position has a tree.
struct Claim {
    position: CanonicalPosition,
    rct: Name,
    place: u64,
}

impl Claims {
    /// Takes in the options of a tree.
    ///
    /// # Errors
    /// When another line gives it other options.
    pub fn tree(&mut self, place: &Place, rct: Name, options: Vec<Name>) -> Result<(), TreeError> {
        self.trees.add(place.number(), rct, options)
    }

    /// Takes in the tree of a position.
    pub fn land(&mut self, place: &Place, position: CanonicalPosition, rct: Name) {
        self.lands.push(Claim { position, rct, place: place.number() });
    }

    /// Makes the trees, which must be what their lines say.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn build(mut self, plan: &Plan) -> anyhow::Result<Ready> {
        let mut base = Base::default();
        let wrong = |error| wrong_tree(plan, error);
        self.trees.build(base.forest_mut()).map_err(wrong)?;
        self.lands.sort_by_cached_key(|claim| {
            let lives: u32 = claim.position.lands().iter().map(|land| land.lives()).sum();
            (lives, claim.position.clone(), claim.place)
        });
        Ok(Ready { base, claims: self })
    }
}

/// What is wrong with a tree of the files.
pub fn wrong_tree(plan: &Plan, TreeError { line, name, problem }: TreeError) -> anyhow::Error {
    let place = plan.place(line);
    match problem {
        TreeProblem::Twice(first) => {
            anyhow!(
                "{place}: RCT {name} has other options in {}; take out the wrong line",
                plan.place(first)
            )
        }
        problem => anyhow!("{place}: RCT {name} {problem}"),
    }
}

/// Takes in all trees of the database, and the lands whose trees are verified.
fn learn(base: &mut Base, store: &Store) -> anyhow::Result<()> {
    forest::read(store, base.forest_mut())?;
    for fact in store.facts(Kind::Rct) {
        let fact = fact?.fact;
        if let (Value::Rct(key), Status::Verified) = (&fact.value, fact.status) {
            let tree = base.forest().find(*key).context("the database names a tree it lacks")?;
            base.learn(&fact.subject, tree)?;
        }
    }
    Ok(())
}

/// Claims whose trees are made.
pub struct Ready {
    base: Base,
    claims: Claims,
}

impl Ready {
    /// Checks all claims; gives the base, with what the database has if somebody needs it, and what the names of trees
    /// mean.
    ///
    /// # Errors
    /// When the database fails.
    pub fn check(
        self,
        plan: &Plan,
        store: &Store,
        is_needed: bool,
        report: &mut Report<'_>,
    ) -> anyhow::Result<(Base, Trees)> {
        let Self { mut base, claims: Claims { trees, lands } } = self;
        if is_needed || !trees.is_empty() || !lands.is_empty() {
            learn(&mut base, store)?;
        }
        let threads = NonZeroUsize::new(plan.threads).unwrap_or(NonZeroUsize::MIN);
        let (keeper, sampler) = (Keeper::new(store, plan), Sampler::new(plan.check));
        let mut judge = Judge {
            plan,
            store,
            base,
            trees,
            threads,
            sampler,
            keeper,
            kept: HashSet::new(),
            report,
        };
        let progress = Checking::start();
        judge.keep_file()?;
        for (decided, same) in (0..).zip(lands.chunk_by(|a, b| a.position == b.position)) {
            let lives: u32 = same[0].position.lands().iter().map(|land| land.lives()).sum();
            progress.show(decided, lives);
            if let Err(error) = plan.go_on().and_then(|()| judge.position(same)) {
                judge.keeper.commit()?;
                return Err(error);
            }
        }
        judge.keeper.commit()?;
        Ok((judge.base, judge.trees))
    }
}

struct Judge<'a, 'b> {
    plan: &'a Plan,
    store: &'a Store,
    base: Base,
    trees: Trees,
    threads: NonZeroUsize,
    sampler: Sampler,
    keeper: Keeper<'a>,
    /// Trees that are, or will be, in the database.
    kept: HashSet<Tree>,
    report: &'a mut Report<'b>,
}

impl Judge<'_, '_> {
    /// Takes in the trees of the files.
    fn keep_file(&mut self) -> anyhow::Result<()> {
        let mut made: Vec<Tree> = self.trees.made().collect();
        made.sort_unstable();
        for tree in made {
            let is_known = self.store.options(self.base.forest().key(tree))?.is_some();
            *(if is_known { &mut self.report.known } else { &mut self.report.followed }) += 1;
            self.keep_tree(tree)?;
        }
        Ok(())
    }

    /// Takes in a tree and all that are below it, options first.
    fn keep_tree(&mut self, tree: Tree) -> anyhow::Result<()> {
        let forest = self.base.forest();
        let mut fresh = Vec::new();
        let mut path = vec![tree.without_factor()];
        while let Some(tree) = path.pop() {
            if self.kept.insert(tree) {
                fresh.push(tree);
                path.extend(forest.options(tree).map(Tree::without_factor));
            }
        }
        // Trees are numbered in the order in which they were made.
        fresh.sort_unstable();
        for tree in fresh {
            let fact = Fact::tree(forest.key(tree), forest.option_keys(tree));
            self.keeper.add(fact);
        }
        if self.keeper.len() >= COMMIT { self.keeper.commit() } else { Ok(()) }
    }

    /// Decides what is claimed about one position.
    fn position(&mut self, claims: &[Claim]) -> anyhow::Result<()> {
        let mut said: Option<(Tree, &Claim)> = None;
        for claim in claims {
            let tree = match self.trees.find(self.base.forest_mut(), claim.rct) {
                Ok(tree) => tree,
                Err(problem) => {
                    self.report.complain(claim.place, &format!("RCT {} {problem}", claim.rct));
                    self.report.wrong += 1;
                    return Ok(());
                }
            };
            match said {
                Some((before, first)) if before != tree => {
                    let other = self.plan.place(first.place);
                    let Claim { position, rct, place } = claim;
                    let what = format!(
                        "`{position}` is said to have RCT {rct} here and {} in {other}; neither is taken in",
                        first.rct
                    );
                    self.report.complain(*place, &what);
                    self.report.contradictions += 1;
                    return Ok(());
                }
                _ => said = said.or(Some((tree, claim))),
            }
        }
        said.map_or(Ok(()), |(tree, claim)| self.claim(tree, claim))
    }

    /// Decides whether a position has a tree.
    fn claim(&mut self, tree: Tree, claim: &Claim) -> anyhow::Result<()> {
        let Claim { position, rct, place } = claim;
        if let [land] = position.lands()
            && let Some(known) = self.store.fact(Kind::Rct, land.key())?.map(|known| known.fact)
        {
            if known.value != Value::Rct(self.base.forest().key(tree)) {
                let what = format!(
                    "land `{land}` is said to have RCT {rct}, but the database has {}; nothing was overwritten, find out which is wrong",
                    known.value
                );
                self.report.complain(*place, &what);
                self.report.contradictions += 1;
                return Ok(());
            }
            if known.status == Status::Verified {
                self.report.known += 1;
                return Ok(());
            }
        }
        if !self.sampler.chooses(position.to_string().as_bytes()) {
            self.report.unchecked += 1;
            return Ok(());
        }
        let Some(actual) = self.find(position)? else {
            let what = format!(
                "it could not be decided whether `{position}` has RCT {rct}; it is left out, --expansions allows longer searches"
            );
            self.report.complain(*place, &what);
            self.report.undecided += 1;
            return Ok(());
        };
        if actual == tree {
            self.report.followed += 1;
            return self.keep(position, tree);
        }
        let forest = self.base.forest();
        let shown = forest.nested(actual, SHOWN).unwrap_or_else(|| forest.key(actual).to_string());
        let what = format!("`{position}` does not have RCT {rct}: it has {shown}");
        self.report.complain(*place, &what);
        self.report.wrong += 1;
        Ok(())
    }

    /// The tree of a position, from those of its children; none if that takes too many lands that nothing is known of.
    fn find(&mut self, position: &CanonicalPosition) -> anyhow::Result<Option<Tree>> {
        let limit = self.base.progress().met as u64 + self.plan.expansions;
        let stopped = || self.plan.is_stopped();
        let found = self.base.build(position, self.threads, |news| {
            let too_many = news.progress().met as u64 > limit;
            if too_many || stopped() { Break(()) } else { Continue(()) }
        });
        match found {
            Ok(tree) => Ok(Some(tree)),
            Err(MisereError::Stopped { .. }) => self.plan.go_on().map(|()| None),
            Err(error) => Err(error).context("cannot find a tree"),
        }
    }

    /// Takes in the tree of a land; a sum follows from its lands, and is no fact of its own.
    fn keep(&mut self, position: &CanonicalPosition, tree: Tree) -> anyhow::Result<()> {
        let [land] = position.lands() else { return Ok(()) };
        self.keep_tree(tree)?;
        let key = self.base.forest().key(tree);
        self.keeper.add(Fact::rct(land.key(), key));
        Ok(())
    }
}
