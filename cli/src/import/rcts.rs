//! Gathers claims about trees and the trees of lands, and has them checked.
//!
//! Trees are rebuilt from their options, so their names need to mean something only in their own
//! files. The tree of a land follows from those of its children, or is found from all lands below
//! it. The base for this is held in memory.

use std::collections::HashSet;

use anyhow::anyhow;
use sprig_audit::{Claim, Judge, Ledger, Verdict, check_lands, find_tree, learn_base};
use sprig_engine::CanonicalPosition;
use sprig_foreign::{Name, TreeError, TreeProblem, Trees};
use sprig_store::{Kind, Status, Store, StoreError, Value};
use sprig_trees::{Base, Tree};

use super::gather::Place;
use super::judge::{Told, ended};
use super::{Check, Plan};

/// What the files claim about trees.
#[derive(Default)]
pub struct Claims {
    trees: Trees,
    lands: Vec<Line>,
}

/// The claim that a position has a tree.
struct Line {
    position: CanonicalPosition,
    rct: Name,
    place: u64,
}

impl Claims {
    /// Takes in the options of a tree.
    ///
    /// # Errors
    /// When another line gives the tree other options.
    pub fn tree(&mut self, place: &Place, rct: Name, options: Vec<Name>) -> Result<(), TreeError> {
        self.trees.add(place.number(), rct, options)
    }

    /// Takes in the claim of a position's tree.
    pub fn land(&mut self, place: &Place, position: CanonicalPosition, rct: Name) {
        self.lands.push(Line { position, rct, place: place.number() });
    }

    /// Makes the trees, and checks that they are what their lines say.
    ///
    /// # Errors
    /// At the first line that is wrong.
    pub fn build(mut self, plan: &Plan) -> anyhow::Result<Ready> {
        let mut base = Base::default();
        self.trees.build(base.forest_mut()).map_err(|error| wrong_tree(plan, error))?;
        self.lands.sort_by(|a, b| (&a.position, a.place).cmp(&(&b.position, b.place)));
        Ok(Ready { base, claims: self })
    }
}

/// The error of a tree in the files.
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

/// Claims whose trees were made.
pub struct Ready {
    base: Base,
    claims: Claims,
}

impl Ready {
    /// Checks all claims. Gives the base, with what the database has if that is needed, and the
    /// meaning of the names of trees.
    ///
    /// # Errors
    /// When the database fails.
    pub fn check(
        self,
        plan: &Plan,
        store: &Store,
        is_needed: bool,
        told: &Told<'_>,
    ) -> anyhow::Result<(Base, Trees)> {
        let Self { mut base, claims: Claims { trees, lands } } = self;
        if !is_needed && trees.is_empty() && lands.is_empty() {
            return Ok((base, trees));
        }
        let audit = plan.audit();
        learn_base(&audit, store, &mut base, &mut Known).map_err(ended)?;
        let mut made: Vec<Tree> = trees.made().collect();
        made.sort_unstable();
        for &tree in &made {
            let is_known = store.options(base.forest().key(tree))?.is_some();
            let mut report = told.report();
            *match plan.check {
                _ if is_known => &mut report.known,
                Check::None => &mut report.unchecked,
                Check::All | Check::Sample(_) => &mut report.followed,
            } += 1;
        }
        let mut sieve = Sieve { plan, store, told, trees: &trees, base: &mut base, named: made };
        let (mut open, mut sums) = (Vec::new(), Vec::new());
        for same in lands.chunk_by(|a, b| a.position == b.position) {
            let Some((tree, line)) = sieve.open(same)? else { continue };
            match line.position.lands() {
                [land] => {
                    let value = Value::Rct(sieve.base.forest().key(tree));
                    open.push(Claim { subject: land.key().into(), value, place: line.place });
                }
                _ => sums.push((tree, line)),
            }
        }
        let named = sieve.named;
        if plan.check != Check::None {
            keep_trees(&audit, store, &base, named)?;
        }
        check_lands(&audit, store, &mut base, open, &mut &*told).map_err(ended)?;
        for (tree, line) in sums {
            plan.go_on()?;
            check_sum(plan, &mut base, tree, line, told)?;
        }
        Ok((base, trees))
    }
}

/// Decides a claim about a sum. The tree of a sum follows from those of its lands, and is no fact
/// of its own.
fn check_sum(
    plan: &Plan,
    base: &mut Base,
    tree: Tree,
    Line { position, rct, place }: &Line,
    told: &Told<'_>,
) -> anyhow::Result<()> {
    match find_tree(&plan.audit(), base, position, plan.expansions).map_err(ended)? {
        Some(found) if found == tree => told.report().followed += 1,
        Some(_) => told.wrong(*place, &format!("`{position}` does not have RCT {rct}")),
        None => told.undecided(*place, &format!("`{position}` has RCT {rct}")),
    }
    Ok(())
}

/// The judge of trees that the database itself has, which are no claims of the files.
struct Known;

impl Judge for Known {
    fn patience(&mut self, _: &Claim) -> Result<u64, StoreError> {
        Ok(0)
    }

    fn decided(&mut self, _: &Claim, _: Verdict) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Sifts the claims about positions.
struct Sieve<'a, 'b> {
    plan: &'a Plan,
    store: &'a Store,
    told: &'a Told<'b>,
    trees: &'a Trees,
    base: &'a mut Base,
    /// All trees that the files name.
    named: Vec<Tree>,
}

impl Sieve<'_, '_> {
    /// The claim that the lines about one position make, if it is to be checked.
    fn open<'l>(&mut self, lines: &'l [Line]) -> anyhow::Result<Option<(Tree, &'l Line)>> {
        let Self { plan, store, told, trees, base, named } = self;
        let mut said: Option<(Tree, &Line)> = None;
        for line @ Line { position, rct, place } in lines {
            let tree = match trees.find(base.forest_mut(), *rct) {
                Ok(tree) => tree,
                Err(problem) => {
                    told.wrong(*place, &format!("RCT {rct} {problem}"));
                    return Ok(None);
                }
            };
            if let Some((before, first)) = said
                && before != tree
            {
                let what = format!(
                    "`{position}` is said to have RCT {rct} here and {} in {}; neither is taken in",
                    first.rct,
                    plan.place(first.place)
                );
                told.contradiction(*place, &what);
                return Ok(None);
            }
            said = said.or(Some((tree, line)));
        }
        let Some((tree, Line { position, rct, place })) = said else { return Ok(None) };
        if let [land] = position.lands()
            && let Some(known) = store.fact(Kind::Rct, land.key())?.map(|known| known.fact)
        {
            let is_verified = known.status == Status::Verified;
            if is_verified && known.value != Value::Rct(base.forest().key(tree)) {
                let what = format!(
                    "land `{land}` is said to have RCT {rct}, but the database has {}; nothing was overwritten, find out which is wrong",
                    known.value
                );
                told.contradiction(*place, &what);
                return Ok(None);
            }
            if is_verified {
                told.report().known += 1;
                return Ok(None);
            }
        }
        if !told.chooses(position.to_string().as_bytes()) {
            return Ok(None);
        }
        named.push(tree);
        Ok(said)
    }
}

/// Writes trees and all trees below them, options first. A tree's options need no other facts to be
/// known.
///
/// # Errors
/// When the disk fails.
pub fn keep_trees(
    audit: &sprig_audit::Plan<'_>,
    store: &Store,
    base: &Base,
    trees: impl IntoIterator<Item = Tree>,
) -> anyhow::Result<()> {
    let forest = base.forest();
    let mut path: Vec<Tree> = trees.into_iter().map(Tree::without_factor).collect();
    let mut kept: HashSet<Tree> = HashSet::new();
    while let Some(tree) = path.pop() {
        if kept.insert(tree) {
            path.extend(forest.options(tree).map(Tree::without_factor));
        }
    }
    // Trees are numbered in the order in which they were made, so options come first.
    let mut kept: Vec<Tree> = kept.into_iter().collect();
    kept.sort_unstable();
    let mut ledger = Ledger::new(store, &audit.source);
    for tree in kept {
        let options = Value::Options(forest.option_keys(tree).into());
        ledger.mark(forest.key(tree).as_bytes()[..].into(), options)?;
    }
    Ok(ledger.write()?)
}
