//! Looking at every claim there is. Nothing else is written meanwhile: the cluster is suspended.
//!
//! A claim is
//! - *verified* when it follows from verified facts, or when computing it again gives the same;
//! - *tainted* when it would follow from claims that are withdrawn: its source has believed another
//!   source;
//! - *baseless* when not even that: its source has made it up.

use rustc_hash::FxHashSet;
use sprig_audit::{AuditError, Claim, Judge, Lenient, Patience, Verdict, check_database};
use sprig_domain::Game;
use sprig_search::step::Key;
use sprig_store::{Kind, Store, StoreError};
use tracing::{error, warn};

use super::court::{Cleansed, Court};
use super::{Means, Suspicion};
use crate::feed::Feed;

/// Decides what becomes of claims, and who is to blame.
struct Bench<'a> {
    court: Court<'a>,
    lenient: Lenient<'a>,
    verified: u64,
    withdrawn: FxHashSet<(Kind, Key)>,
    /// The time for searches. Claims that could not be looked at when it is over are withdrawn, and
    /// their sources are not blamed: true facts are found again.
    patience: Patience,
}

impl Bench<'_> {
    /// Whether a claim that does not hold says nothing about its source: the source has been found
    /// out already, or has believed another.
    fn is_excused(&mut self, claim: &Claim) -> Result<bool, StoreError> {
        let Self { court, lenient, withdrawn, .. } = self;
        Ok(court.is_of_a_liar(claim)? || lenient.is_tainted(claim, withdrawn)?)
    }
}

impl Judge for Bench<'_> {
    fn patience(&mut self, claim: &Claim) -> Result<u64, StoreError> {
        let kind = claim.value.kind();
        // A worker with fewer trees names the same game differently, so a node may follow all the
        // same.
        let deserves_it = kind == Kind::Loss || !self.is_excused(claim)?;
        Ok(if deserves_it { self.patience.begin(kind) } else { 0 })
    }

    fn decided(&mut self, claim: &Claim, verdict: Verdict) -> Result<(), StoreError> {
        let is_hurried = self.patience.is_over();
        self.patience.end();
        let reason = match verdict {
            Verdict::Followed | Verdict::Searched => {
                self.verified += 1;
                return Ok(());
            }
            Verdict::Refuted(reason) => Some(reason),
            Verdict::Open if !is_hurried => None,
            Verdict::Open | Verdict::TooDear => {
                // The claim cannot be checked. It need not be a lie, but nothing may rest on it.
                self.withdrawn.insert((claim.value.kind(), claim.subject.clone()));
                return Ok(());
            }
        };
        if !self.is_excused(claim)? {
            self.court.judge(claim, reason)?;
        }
        self.withdrawn.insert((claim.value.kind(), claim.subject.clone()));
        Ok(())
    }
}

/// Looks at every claim of `store`, and verifies or withdraws it.
pub(super) fn revalidate(
    store: &Store,
    feed: &Feed,
    suspicion: &Suspicion,
    means: &Means,
) -> Result<Cleansed, StoreError> {
    warn!("the cluster is suspended until every claim has been looked at: {}", suspicion.reason);
    let plan = means.plan().hurried();
    let stores = Game::ALL.map(|game| store.of(game));
    let (mut court, mut verified, mut withdrawn) =
        (Court::new(store, feed, suspicion), 0, Vec::new());
    for store in &stores {
        let game = store.game();
        court.turn_to(game);
        let mut bench = Bench {
            court,
            lenient: Lenient::new(&plan, store),
            verified: 0,
            withdrawn: FxHashSet::default(),
            patience: Patience::new(&plan),
        };
        match check_database(&plan, store, &mut bench) {
            Ok(()) if !means.watched.is_stopped() => {}
            // What was found after that means nothing.
            Ok(()) | Err(AuditError::Stopped) => return Ok(Cleansed::stopped()),
            Err(AuditError::Store(error)) => return Err(error),
            // What was not looked at stays claimed, and no answer rests on it.
            Err(AuditError::Misere(reason)) => error!("not every claim was looked at: {reason}"),
            Err(error @ (AuditError::Sort(_) | AuditError::Search(_))) => {
                return Err(StoreError::Io { dir: store.dir().into(), detail: error.to_string() });
            }
        }
        verified += bench.verified;
        withdrawn.extend(bench.withdrawn.into_iter().map(|(kind, subject)| (game, kind, subject)));
        court = bench.court;
    }
    court.end(verified, &withdrawn)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::ops::ControlFlow::Continue;

    use sprig_domain::Node;
    use sprig_engine::{CanonicalLand, CanonicalPosition, Position};
    use sprig_store::{Batch, Contribution, Fact, Provenance, Source, UnixMillis};
    use sprig_trees::{Base, Tree};

    use super::*;

    fn said(worker: &str, facts: Vec<Fact>) -> Contribution {
        let source = Source { worker: worker.into(), build: String::new() };
        let provenance = Provenance { source, job: None, time: UnixMillis(0) };
        Contribution { provenance, facts, exclusions: Vec::new() }
    }

    /// Nodes that are lost only where a liar's trees are believed, and got their names from these.
    #[test]
    fn who_has_believed_a_liar_of_misere_play_is_not_taken_for_one() {
        let mut base = Base::default();
        let four = CanonicalPosition::of(&Position::start(4));
        base.build(&four, NonZeroUsize::MIN, |_| Continue(())).expect("built");
        let forest = base.forest();
        let trees = forest.trees().map(|t| Fact::tree(forest.key(t), forest.option_keys(t)));
        let trees: Vec<Fact> = trees.collect();
        let lands: Vec<_> = base.facts().collect();
        let lie =
            |(land, t): &(CanonicalLand, Tree)| Fact::rct(land.key(), forest.key(t.plus_one()));
        let lies: Vec<Fact> = lands.iter().take(6).map(lie).collect();
        // Each with and without 1: at most one of the two is lost.
        let nodes = lands.iter().flat_map(|(land, _)| [false, true].map(|one| (land, one)));
        let nodes = nodes.map(|(land, one)| {
            let position = CanonicalPosition::from_lands([land.clone()]);
            Fact::loss(&Node::new(position, one, []).encode())
        });
        let contributions =
            vec![said("liar", [trees, lies].concat()), said("victim", nodes.collect())];
        let store = Store::in_memory().expect("memory");
        store.commit(&Batch { contributions, ..Batch::default() }).expect("written");

        let suspicion =
            Suspicion { reason: "a test".into(), accused: None, doubted: None, job: None };
        let cleansed = revalidate(&store, &Feed::new(0, true), &suspicion, &Means::default())
            .expect("looked at");
        assert!(cleansed.withdrawn > 8, "{cleansed:?}");
        let banned = store.bans().expect("read").into_iter().map(|ban| ban.person.name);
        assert_eq!(banned.collect::<Vec<_>>(), ["liar"]);
    }

    /// The honest worker's claims about the lands of which the liar spoke were refused. So its
    /// other claims, which are true, follow from nothing that is left.
    #[test]
    fn who_was_refused_for_a_liars_sake_is_not_taken_for_a_liar() {
        let mut base = Base::default();
        let four = CanonicalPosition::of(&Position::start(4));
        base.build(&four, NonZeroUsize::MIN, |_| Continue(())).expect("built");
        let forest = base.forest();
        let trees = forest.trees().map(|t| Fact::tree(forest.key(t), forest.option_keys(t)));
        let mut lands: Vec<_> = base.facts().collect();
        lands.sort_by_key(|(land, _)| land.lives());
        let (small, others) = lands.split_at(6);
        let lies = small.iter().map(|(land, t)| Fact::rct(land.key(), forest.key(t.plus_one())));
        let truth = others.iter().map(|(land, tree)| Fact::rct(land.key(), forest.key(*tree)));
        let contributions =
            vec![said("liar", lies.collect()), said("honest", trees.chain(truth).collect())];
        let store = Store::in_memory().expect("memory");
        store.commit(&Batch { contributions, ..Batch::default() }).expect("written");

        let suspicion =
            Suspicion { reason: "a test".into(), accused: None, doubted: None, job: None };
        revalidate(&store, &Feed::new(0, true), &suspicion, &Means::default()).expect("looked at");
        let banned = store.bans().expect("read").into_iter().map(|ban| ban.person.name);
        assert_eq!(banned.collect::<Vec<_>>(), ["liar"]);
    }
}
