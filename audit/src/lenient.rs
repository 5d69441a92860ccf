//! What would follow if claims were true: an honest source may have believed a liar.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use sprig_domain::Node;
use sprig_engine::CanonicalLand;
use sprig_misere::{Limits, Search};
use sprig_search::step::{Finding, Inspector, Key};
use sprig_store::{Fact, Kind, Store, StoreError, Value};
use sprig_trees::Base;

use crate::lands::learn_tree;
use crate::{Claim, Plan};

/// A database in which all claims are believed.
pub struct Lenient<'a> {
    plan: &'a Plan<'a>,
    store: &'a Store,
    inspector: Inspector,
    /// Made when a claim of misère play is looked at first.
    misere: Option<(Base, Search)>,
}

impl<'a> Lenient<'a> {
    /// All claims of `store`, looked at as the plan says.
    #[must_use]
    pub fn new(plan: &'a Plan<'a>, store: &'a Store) -> Self {
        let inspector = Inspector::of(store.game()).watched(Arc::clone(plan.watched));
        Self { plan, store, inspector, misere: None }
    }

    /// Whether a claim that does not hold would follow from what its source may have believed: a
    /// nimber from claims that came before it, of which some are `withdrawn`; other claims from all
    /// others. When it is told to stop, the answer means nothing.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn is_tainted(
        &mut self,
        claim: &Claim,
        withdrawn: &FxHashSet<(Kind, Key)>,
    ) -> Result<bool, StoreError> {
        match claim.value {
            Value::Nimber(nimber) => {
                let store = self.store;
                let now = store.fact(Kind::Nimber, &claim.subject)?.map(|known| known.sequence);
                let known = &mut |land: &[u8]| match store.fact(Kind::Nimber, land)? {
                    Some(known) if Some(known.sequence) < now => match known.fact.value {
                        Value::Nimber(nimber) => Ok(Some(nimber)),
                        _ => Ok(None),
                    },
                    _ => Ok::<_, StoreError>(None),
                };
                // What was known differs from claim to claim.
                self.inspector.forget();
                let found = self.inspector.inspect(&claim.subject, nimber, known)?;
                let Finding::Shown(rests) = found else { return Ok(false) };
                Ok(rests.into_iter().any(|land| withdrawn.contains(&(Kind::Nimber, land))))
            }
            Value::Options(_) => Ok(false),
            Value::Rct(key) => {
                let (base, _) = self.misere()?;
                let land = CanonicalLand::from_reduced(&claim.subject);
                let tree = base.forest().find(key);
                Ok(tree.is_some_and(|tree| base.follows(&land, tree) == Ok(Some(true))))
            }
            Value::Loss => {
                let watched = self.plan.watched;
                let (_, search) = self.misere()?;
                let node = Node::decode(&claim.subject).ok();
                let follows = |node| search.follow(&[node], watched) == Ok(vec![Some(true)]);
                Ok(node.is_some_and(follows))
            }
        }
    }

    fn misere(&mut self) -> Result<&mut (Base, Search), StoreError> {
        if self.misere.is_none() {
            let mut base = Base::of(self.store.game());
            let mut trees = self.store.facts(Kind::Tree).collect::<Result<Vec<_>, _>>()?;
            trees.sort_unstable_by_key(|stored| stored.sequence);
            // What does not fit in is believed by no source.
            for Fact { subject, value, .. } in trees.into_iter().map(|stored| stored.fact) {
                if self.plan.is_stopped() {
                    break;
                }
                let _ = learn_tree(&mut base, &subject, &value);
            }
            for stored in self.store.facts(Kind::Rct) {
                if self.plan.is_stopped() {
                    break;
                }
                let Fact { subject, value: Value::Rct(key), .. } = stored?.fact else { continue };
                if let Some(tree) = base.forest().find(key) {
                    let _ = base.learn(&subject, tree);
                }
            }
            let search = Search::new(&base, Limits { memory: self.plan.nodes, threads: 1 });
            for stored in self.store.facts(Kind::Loss) {
                if self.plan.is_stopped() {
                    break;
                }
                let node = Node::decode(&stored?.fact.subject);
                if let Ok(node) = node {
                    let _ = search.learn([node]);
                }
            }
            self.misere = Some((base, search));
        }
        Ok(self.misere.as_mut().expect("made above"))
    }
}
