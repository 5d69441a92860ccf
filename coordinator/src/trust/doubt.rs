//! Doubts about one fact. They are checked before anything else is done: to suspend the cluster
//! costs all workers, so a worker that wants that must be right, or must not want it often.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sprig_audit::{AuditError, Claim, Judge, Plan, Recomputed, Recomputer, Verdict, misere};
use sprig_domain::Game;
use sprig_proto::{Alarm, Proved};
use sprig_search::step::{Finding as Step, Inspector};
use sprig_store::{
    Assertion, Contradiction, Fact, Kind, Status, Store, StoreError, Subject, Value,
};

use super::Means;
use crate::machine::SessionId;
use crate::record;

/// Expansions to compute a doubted fact again.
const EXPANSIONS: u64 = 5_000;
/// How long computing a lost node again may take.
const LONGEST: Duration = Duration::from_secs(5);
/// Doubts of one account are looked at no more often than this.
const PAUSE: Duration = Duration::from_secs(5);
/// An account suspends the cluster without evidence no more often than this.
const PATIENCE: Duration = Duration::from_secs(600);
/// Groundless doubts of one account, after which every claim is looked at: the worker that raises
/// them may have believed a liar.
const STRIKES: u32 = 3;
/// After this time, the doubts of an account are forgotten.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// What a doubt is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    /// The game.
    pub game: Game,
    /// The kind of fact.
    pub kind: Kind,
    /// What the fact is about.
    pub subject: Box<[u8]>,
    /// The nimbers that a proof leaves, one bit each, if it is about a nimber.
    pub possible: u64,
}

impl From<&Alarm> for About {
    fn from(alarm: &Alarm) -> Self {
        let game = alarm.game;
        match &alarm.about {
            Proved::Nimber { land, possible } => {
                let (subject, possible) = (land.key().into(), *possible);
                Self { game, kind: Kind::Nimber, subject, possible }
            }
            Proved::Misere(fact) => {
                let fact = record::fact(game, fact);
                Self { game, kind: fact.kind(), subject: fact.subject, possible: 0 }
            }
        }
    }
}

impl From<&Contradiction> for About {
    fn from(contradiction: &Contradiction) -> Self {
        let possible = match &contradiction.claimed.assertion {
            Assertion::Is(Value::Nimber(nimber)) => 1 << nimber.get(),
            Assertion::IsNot(Value::Nimber(nimber)) => !(1 << nimber.get()),
            _ => 0,
        };
        let Contradiction { game, kind, ref subject, .. } = *contradiction;
        Self { game, kind, subject: subject.clone(), possible }
    }
}

/// A worker says that a fact of the database is wrong.
#[derive(Debug)]
pub(crate) struct Doubt {
    pub(crate) about: About,
    /// The session that says so.
    pub(crate) session: SessionId,
    /// The worker, as its facts are signed.
    pub(crate) source: String,
    /// What it says.
    pub(crate) reason: String,
}

/// What a check has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Finding {
    /// The fact is wrong, for this reason.
    Wrong(String),
    /// The fact is true, or is not contradicted at all.
    Holds,
    /// The check was too short.
    Unclear,
}

/// Looks at one fact: its status, its step from verified facts, and a bounded search.
pub(crate) fn check(store: &Store, about: &About, means: &Means) -> Result<Finding, StoreError> {
    let About { game, kind, subject, possible } = about;
    let store = &store.of(*game);
    let Some(known) = store.fact(*kind, subject)? else { return Ok(Finding::Holds) };
    if known.fact.status == Status::Verified {
        return Ok(Finding::Holds);
    }
    let Value::Nimber(nimber) = known.fact.value else {
        return check_misere(store, known.fact, means);
    };
    if possible >> nimber.get() & 1 == 1 {
        return Ok(Finding::Holds);
    }
    let verified = &mut |land: &[u8]| store.verified_nimber(land);
    let subject_shown = Subject(*kind, subject);
    let mut inspector = Inspector::of(*game).watched(Arc::clone(&means.watched)).hurried();
    Ok(match inspector.inspect(subject, nimber, verified)? {
        Step::Shown(_) => Finding::Holds,
        Step::Refuted(_) => {
            Finding::Wrong(format!("verified facts refute nimber {nimber} of {subject_shown}"))
        }
        Step::TooDear | Step::Stopped => Finding::Unclear,
        Step::Missing => match Recomputer::of(*game).nimber(subject, EXPANSIONS, &means.plan()) {
            Recomputed::Nimber(found) if found == nimber => Finding::Holds,
            Recomputed::Nimber(found) => Finding::Wrong(format!(
                "nimber {nimber} of {subject_shown} is wrong: computed again it is {found}"
            )),
            Recomputed::Open | Recomputed::TooDear => Finding::Unclear,
        },
    })
}

/// Looks at one fact of misère play, with the trees that it may rest on.
fn check_misere(store: &Store, fact: Fact, means: &Means) -> Result<Finding, StoreError> {
    let Fact { subject, value, .. } = fact;
    let mut opinion =
        Opinion { claim: Claim { subject, value, place: 0 }, finding: Finding::Unclear };
    let claim = opinion.claim.clone();
    let plan = Plan { longest: Some(LONGEST), ..means.plan() };
    // After any other failure, what was found before still holds.
    let checked = misere::check_claim(&plan, store, claim, &mut opinion);
    if let Err(AuditError::Store(error)) = checked {
        return Err(error);
    }
    Ok(opinion.finding)
}

/// Hears what becomes of the claim that is doubted.
struct Opinion {
    claim: Claim,
    finding: Finding,
}

impl Opinion {
    fn is_about(&self, claim: &Claim) -> bool {
        claim.value.kind() == self.claim.value.kind() && claim.subject == self.claim.subject
    }
}

impl Judge for Opinion {
    fn patience(&mut self, claim: &Claim) -> Result<u64, StoreError> {
        Ok(if self.is_about(claim) { EXPANSIONS } else { 0 })
    }

    fn decided(&mut self, claim: &Claim, verdict: Verdict) -> Result<(), StoreError> {
        if self.is_about(claim) {
            self.finding = match verdict {
                Verdict::Followed | Verdict::Searched => Finding::Holds,
                Verdict::Refuted(why) => {
                    let Claim { subject, value, .. } = claim;
                    let subject = Subject(value.kind(), subject);
                    Finding::Wrong(format!("{value} of {subject} is wrong: {why}"))
                }
                Verdict::Open | Verdict::TooDear => Finding::Unclear,
            };
        }
        Ok(())
    }
}

/// What follows from a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ruling {
    /// Every claim is to be looked at.
    Suspend,
    /// The worker is let go and begins anew. No other worker notices.
    LetGo,
}

/// The workers that have raised doubts lately, by account: the name that was proved, or the
/// address.
#[derive(Debug, Default)]
pub(crate) struct Doubters(BTreeMap<String, Doubter>);

#[derive(Debug)]
struct Doubter {
    /// When a doubt was looked at last.
    asked: Duration,
    strikes: u32,
    /// When the cluster was last suspended because of its doubts.
    suspended: Option<Duration>,
}

impl Doubters {
    /// Whether a doubt of this account is looked at now.
    pub(crate) fn may_ask(&mut self, account: &str, now: Duration) -> bool {
        self.0.retain(|_, doubter| now < doubter.asked + FORGOTTEN);
        match self.0.get_mut(account) {
            Some(doubter) if now < doubter.asked + PAUSE => false,
            Some(doubter) => {
                doubter.asked = now;
                true
            }
            None => {
                let doubter = Doubter { asked: now, strikes: 0, suspended: None };
                self.0.insert(account.to_owned(), doubter);
                true
            }
        }
    }

    /// A lie was found, which explains doubts that seemed groundless: they no longer count against
    /// the accounts that raised them.
    pub(crate) fn excuse(&mut self) {
        for doubter in self.0.values_mut() {
            (doubter.strikes, doubter.suspended) = (0, None);
        }
    }

    /// What to do about a doubt of this account that was looked at.
    pub(crate) fn rule(&mut self, account: &str, finding: &Finding, now: Duration) -> Ruling {
        let Some(doubter) = self.0.get_mut(account) else { return Ruling::LetGo };
        match finding {
            Finding::Wrong(_) => return Ruling::Suspend,
            Finding::Holds => {
                doubter.strikes += 1;
                if doubter.strikes < STRIKES {
                    return Ruling::LetGo;
                }
            }
            Finding::Unclear => {}
        }
        if doubter.suspended.is_some_and(|then| now < then + PATIENCE) {
            return Ruling::LetGo;
        }
        doubter.suspended = Some(now);
        doubter.strikes = 0;
        Ruling::Suspend
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::ops::ControlFlow;

    use sprig_domain::Node;
    use sprig_engine::{CanonicalPosition, Nimber, Position};
    use sprig_store::{Batch, Contribution, Provenance, Source};
    use sprig_trees::Base;

    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn groundless_doubts_suspend_the_cluster_seldom() {
        let mut doubters = Doubters::default();
        let mut suspended = 0;
        for second in 0..600 {
            if doubters.may_ask("10.0.0.1", seconds(second)) {
                let ruling = doubters.rule("10.0.0.1", &Finding::Holds, seconds(second));
                suspended += u32::from(ruling == Ruling::Suspend);
            }
        }
        assert_eq!(suspended, 1, "in ten minutes");
        // An unclear doubt counts the same, and each account is counted by itself.
        assert!(doubters.may_ask("10.0.0.2", seconds(600)));
        assert_eq!(doubters.rule("10.0.0.2", &Finding::Unclear, seconds(600)), Ruling::Suspend);
        assert!(!doubters.may_ask("10.0.0.2", seconds(601)));
        assert!(doubters.may_ask("10.0.0.2", seconds(700)));
        assert_eq!(doubters.rule("10.0.0.2", &Finding::Unclear, seconds(700)), Ruling::LetGo);
        // A worker that is right is always heard.
        let wrong = Finding::Wrong("it is 1".into());
        assert_eq!(doubters.rule("10.0.0.2", &wrong, seconds(700)), Ruling::Suspend);
    }

    #[test]
    fn who_was_right_is_heard_again() {
        let mut doubters = Doubters::default();
        for second in [0, 100, 200] {
            assert!(doubters.may_ask("10.0.0.1", seconds(second)));
            let ruling = doubters.rule("10.0.0.1", &Finding::Unclear, seconds(second));
            assert_eq!(ruling, Ruling::Suspend, "after {second} s");
            doubters.excuse();
        }
    }

    #[test]
    fn a_check_tells_a_wrong_fact_from_a_true_one() {
        let store = Store::in_memory().expect("memory");
        let land = |spots| CanonicalPosition::of(&Position::start(spots)).lands()[0].clone();
        let nimber = |value| Nimber::new(value).expect("in range");
        let source = Source { worker: "w".into(), build: "b".into() };
        let provenance = Provenance { source, job: None, time: record::time() };
        // 0*3 has nimber 1, 0*4 has not 5.
        let facts =
            vec![Fact::nimber(land(3).key(), nimber(1)), Fact::nimber(land(4).key(), nimber(5))];
        let contribution = Contribution { provenance, facts, exclusions: Vec::new() };
        store
            .commit(&Batch { contributions: vec![contribution], ..Batch::default() })
            .expect("written");
        let doubt = |spots, possible| {
            let about = About::from(&Alarm {
                game: Game::Sprouts,
                about: Proved::Nimber { land: land(spots), possible },
            });
            check(&store, &about, &Means::default()).expect("read")
        };
        assert_eq!(doubt(3, 0b100), Finding::Holds);
        assert_eq!(doubt(7, 0b100), Finding::Holds, "nothing is said about it");
        assert_eq!(doubt(4, 1 << 5), Finding::Holds, "that is no contradiction");
        assert!(matches!(doubt(4, 0b10), Finding::Wrong(_)));
    }

    #[test]
    fn a_doubt_about_misere_play_is_computed_again() {
        let store = Store::in_memory().expect("memory");
        let position = |spots| CanonicalPosition::of(&Position::start(spots));
        let source = Source { worker: "w".into(), build: "b".into() };
        let provenance = Provenance { source, job: None, time: record::time() };
        let (mut base, mut facts) = (Base::default(), Vec::new());
        let built = base.build(&position(3), NonZeroUsize::MIN, |news| {
            facts.extend(sprig_audit::facts_of(Game::Sprouts, news));
            ControlFlow::Continue(())
        });
        let tree = base.forest().key(built.expect("it is small"));
        // 0*4 does not have this tree; 0*7 is lost, 0*6 is won.
        facts.push(Fact::rct(position(4).lands()[0].key(), tree));
        let node = |spots| Node::new(position(spots), false, []).encode();
        facts.extend([7, 6].map(|spots| Fact::loss(&node(spots))));
        facts.iter_mut().for_each(|fact| fact.status = Status::Claimed);
        let contribution = Contribution { provenance, facts, exclusions: Vec::new() };
        store
            .commit(&Batch { contributions: vec![contribution], ..Batch::default() })
            .expect("written");
        let doubt = |kind, subject: &[u8]| {
            let about = About { game: Game::Sprouts, kind, subject: subject.into(), possible: 0 };
            check(&store, &about, &Means::default()).expect("read")
        };
        assert_eq!(doubt(Kind::Loss, &node(7)), Finding::Holds);
        assert_eq!(doubt(Kind::Loss, &node(8)), Finding::Holds, "nothing is said about it");
        assert!(matches!(doubt(Kind::Loss, &node(6)), Finding::Wrong(_)));
        assert_eq!(doubt(Kind::Rct, position(3).lands()[0].key()), Finding::Holds);
        assert!(matches!(doubt(Kind::Rct, position(4).lands()[0].key()), Finding::Wrong(_)));
        assert_eq!(doubt(Kind::Tree, tree.as_bytes()), Finding::Holds);
    }
}
