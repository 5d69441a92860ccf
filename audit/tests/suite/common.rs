//! Databases of strangers, and a judge that counts.

use std::num::NonZeroUsize;
use std::sync::Arc;

use sprig_audit::{AuditError, Claim, Environment, Judge, Plan, Verdict, check_database};
use sprig_engine::Watched;
use sprig_engine::{CanonicalPosition, Position};
use sprig_store::{
    Batch, Contribution, Fact, Kind, Provenance, Source, Status, Store, StoreError, UnixMillis,
};

pub fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

/// A database in memory with these claims, in this order.
pub fn claimed(facts: impl IntoIterator<Item = Fact>) -> Store {
    let store = Store::in_memory().expect("memory");
    add(&store, facts);
    store
}

/// Adds claims to a database.
pub fn add(store: &Store, facts: impl IntoIterator<Item = Fact>) {
    let source = Source { worker: "stranger".into(), build: "0".into() };
    let provenance = Provenance { source, job: None, time: UnixMillis(0) };
    let facts = facts.into_iter().collect();
    let contributions = vec![Contribution { provenance, facts, exclusions: Vec::new() }];
    store.commit(&Batch { contributions, ..Batch::default() }).expect("no contradiction");
}

/// Counts verdicts, and raises the flag after some of them.
#[derive(Default)]
pub struct Counter<'a> {
    pub followed: u64,
    pub searched: u64,
    pub refuted: u64,
    pub open: u64,
    pub patience: u64,
    pub end: Option<(u64, &'a Arc<Watched>)>,
}

impl Counter<'_> {
    pub fn all(&self) -> u64 {
        self.followed + self.searched + self.refuted + self.open
    }
}

impl Judge for Counter<'_> {
    fn patience(&mut self, _: &Claim) -> Result<u64, StoreError> {
        Ok(self.patience)
    }

    fn decided(&mut self, _: &Claim, verdict: Verdict) -> Result<(), StoreError> {
        match verdict {
            Verdict::Followed => self.followed += 1,
            Verdict::Searched => self.searched += 1,
            Verdict::Refuted(_) => self.refuted += 1,
            Verdict::Open | Verdict::TooDear => self.open += 1,
        }
        if let Some((end, flag)) = self.end
            && self.all() >= end
        {
            flag.stop();
        }
        Ok(())
    }
}

/// Checks a database on two threads.
pub fn check(store: &Store, counter: &mut Counter<'_>) -> Result<(), AuditError> {
    let never = Arc::default();
    let watched = counter.end.map_or(&never, |(_, watched)| watched);
    check_database(&plan(watched), store, counter)
}

/// Two threads, and all the time there is.
pub fn plan(watched: &Arc<Watched>) -> Plan<'_> {
    let source = Source { worker: "audit".into(), build: "0".into() };
    let threads = NonZeroUsize::new(2).expect("not zero");
    let environment = Environment::default();
    let (memory, nodes, longest) = (64 << 20, 256 << 20, None);
    Plan { source, threads, memory, nodes, longest, environment, watched }
}

/// The facts of a kind that have this status.
pub fn facts(store: &Store, kind: Kind, status: Status) -> Vec<Fact> {
    let facts = store.facts(kind).map(|stored| stored.expect("readable").fact);
    facts.filter(|fact| fact.status == status).collect()
}
