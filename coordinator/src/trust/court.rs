//! What becomes of claims when all are looked at, and of the sources that made them.

use std::collections::BTreeMap;

use sprig_audit::Claim;
use sprig_domain::Game;
use sprig_search::step::Key;
use sprig_store::{
    BanRecord, BanState, Event, EventKind, Kind, Person, Store, StoreError, Subject, UnixMillis,
};
use tracing::{info, trace, warn};

use super::{Knowers, Suspicion, person};
use crate::feed::Feed;
use crate::record;

/// Baseless claims that could not be computed again, after which their source is banned all the
/// same. A few may come from a report that was on its way when the cluster was suspended.
const PATIENCE: u64 = 8;

/// What has become of the claims.
#[derive(Debug, Default)]
pub(super) struct Cleansed {
    pub(super) verified: u64,
    pub(super) withdrawn: usize,
    /// The workers that know a withdrawn claim, and work on.
    pub(super) knowers: Knowers,
    /// The persons that have made claims up, and why that is known.
    liars: BTreeMap<Person, BanState>,
    /// Set when the coordinator ends before it is done; nothing was withdrawn then.
    pub(super) stopped: bool,
}

impl Cleansed {
    pub(super) fn stopped() -> Self {
        Self { stopped: true, ..Self::default() }
    }

    /// Whether there was a lie: claims were withdrawn, or a source was found out.
    pub(super) fn found(&self) -> bool {
        self.withdrawn > 0 || !self.liars.is_empty()
    }
}

pub(super) struct Court<'a> {
    /// Looks at the game whose claims are judged.
    store: Store,
    feed: &'a Feed,
    /// Why all claims are looked at.
    suspicion: &'a Suspicion,
    unsupported: BTreeMap<String, u64>,
    result: Cleansed,
}

impl<'a> Court<'a> {
    pub(super) fn new(store: &Store, feed: &'a Feed, suspicion: &'a Suspicion) -> Self {
        Self {
            store: store.of(store.game()),
            feed,
            suspicion,
            unsupported: BTreeMap::new(),
            result: Cleansed::default(),
        }
    }

    /// Claims of another game are judged from now on.
    pub(super) fn turn_to(&mut self, game: Game) {
        self.store = self.store.of(game);
    }

    /// Whether the source of a claim has been found out already.
    pub(super) fn is_of_a_liar(&self, claim: &Claim) -> Result<bool, StoreError> {
        Ok(self.result.liars.contains_key(&person(&self.source(claim)?)))
    }

    /// Finds out whether the source of a claim that does not hold is to blame: it is if there is a
    /// `reason`, if it is a newcomer whose claim was doubted, or if it has made many such claims.
    pub(super) fn judge(
        &mut self,
        claim: &Claim,
        reason: Option<String>,
    ) -> Result<(), StoreError> {
        let source = self.source(claim)?;
        // Once there is a liar, others may have believed it. Or their claims were refused where it
        // had spoken first, and what they claim rests on those. In misère play even the names of
        // nodes rest on its trees. So no claim shows then whether its source has lied. A second
        // liar is found the next time.
        if !self.result.liars.is_empty() {
            return Ok(());
        }
        if let Some(reason) = &reason {
            self.blame(&source, claim, reason);
            return Ok(());
        }
        if self.is_made_up(claim)? {
            self.blame(&source, claim, "it was contradicted, and follows from nothing");
            return Ok(());
        }
        let count = self.unsupported.entry(source.clone()).or_default();
        *count += 1;
        if *count >= PATIENCE {
            self.blame(&source, claim, "like others of this source, it follows from nothing");
        }
        Ok(())
    }

    /// Whether a claim that follows from nothing is the one that was doubted, and none of a worker that has
    /// proved itself: nobody else was told of it.
    fn is_made_up(&self, claim: &Claim) -> Result<bool, StoreError> {
        let Some((game, kind, subject)) = &self.suspicion.doubted else { return Ok(false) };
        if (*game, *kind, subject) != (self.store.game(), claim.value.kind(), &claim.subject) {
            return Ok(false);
        }
        let known = self.store.fact(*kind, subject)?;
        Ok(known.is_some_and(|fact| self.feed.knowers(fact.sequence.0).is_some()))
    }

    fn source(&self, claim: &Claim) -> Result<String, StoreError> {
        let provenance = self.store.provenance(claim.value.kind(), &claim.subject)?;
        Ok(provenance.map_or_else(String::new, |provenance| provenance.source.worker))
    }

    /// Notes which workers know a claim that is to be withdrawn. Any worker may have been told of
    /// facts of misère play.
    fn note_knowers(
        &mut self,
        (game, kind, subject): &(Game, Kind, Key),
    ) -> Result<(), StoreError> {
        let Some(fact) = self.store.of(*game).fact(*kind, subject)? else { return Ok(()) };
        let is_nimber = *kind == Kind::Nimber;
        let names = is_nimber.then(|| self.feed.knowers(fact.sequence.0)).flatten();
        let Cleansed { knowers, liars, .. } = &mut self.result;
        let people = names.map(|names| {
            let people = names.into_iter().map(|name| person(&name));
            people.filter(|person| !liars.contains_key(person))
        });
        knowers.join(people);
        Ok(())
    }

    fn blame(&mut self, source: &str, Claim { subject, value, .. }: &Claim, reason: &str) {
        let claim = Some(format!("{}: {value}", Subject(value.kind(), subject)));
        let state = BanState::Banned { reason: format!("{source}: {reason}"), claim };
        self.result.liars.entry(person(source)).or_insert(state);
    }

    /// Withdraws and bans.
    pub(super) fn end(
        mut self,
        verified: u64,
        withdrawn: &[(Game, Kind, Key)],
    ) -> Result<Cleansed, StoreError> {
        let suspicion = self.suspicion;
        for claim in withdrawn {
            self.note_knowers(claim)?;
            // For checks that nothing acknowledged is lost.
            trace!(claim = %Subject(claim.1, &claim.2), "withdrawn");
        }
        // A worker that has been told nothing false, and says what is false, has made it up.
        let was_misled = self.result.knowers == Knowers::All;
        // Nor has one that contradicts what nothing shows.
        let is_gone = suspicion.doubted.as_ref().is_some_and(|claim| withdrawn.contains(claim));
        if let (Some(accused), false) = (&suspicion.accused, was_misled || is_gone) {
            let reason = format!("{accused}: {}", suspicion.reason);
            let state = BanState::Banned { reason, claim: None };
            self.result.liars.entry(person(accused)).or_insert(state);
        }
        let time = record::time();
        let mut events = Vec::new();
        let bans: Vec<BanRecord> =
            self.result.liars.iter().map(|(person, state)| banned(person, state, time)).collect();
        if !withdrawn.is_empty() {
            let detail = format!("{} claims: {}", withdrawn.len(), suspicion.reason);
            events.push(Event { time, kind: EventKind::Withdrawn, detail });
        }
        self.result.verified = verified;
        self.result.withdrawn = self.store.withdraw(withdrawn, &events, &bans)?;
        info!(
            verified = self.result.verified,
            withdrawn = self.result.withdrawn,
            banned = self.result.liars.len(),
            "every claim has been looked at; the cluster goes on"
        );
        Ok(self.result)
    }
}

fn banned(person: &Person, state: &BanState, time: UnixMillis) -> BanRecord {
    if let BanState::Banned { reason, claim } = state {
        let (name, proved, claim) = (&*person.name, person.proved, claim.as_deref());
        warn!(name, proved, reason, claim, "banned");
    }
    BanRecord { person: person.clone(), time, state: state.clone() }
}

#[cfg(test)]
mod tests {
    use sprig_engine::{CanonicalPosition, Nimber, Position};
    use sprig_proto::WorkerId;
    use sprig_store::{Batch, Contribution, Fact, Provenance, Source, Value};

    use super::*;

    fn suspicion(accused: Option<&str>, doubted: Option<(Game, Kind, Key)>) -> Suspicion {
        let accused = accused.map(str::to_owned);
        Suspicion { reason: "a test".into(), accused, doubted, job: None }
    }

    /// After a liar was found, the other claims that do not hold may have rested on what the liar's
    /// claims kept out.
    #[test]
    fn nothing_counts_against_others_once_a_liar_is_found() {
        let store = Store::in_memory().expect("memory");
        let claim_of = |worker: &str, spots: usize| {
            let position = CanonicalPosition::of(&Position::start(spots));
            let fact = Fact::nimber(position.lands()[0].key(), Nimber::ZERO);
            let claim =
                Claim { subject: fact.subject.clone(), value: fact.value.clone(), place: 0 };
            let source = Source { worker: worker.into(), build: String::new() };
            let provenance = Provenance { source, job: None, time: UnixMillis(0) };
            let facts = vec![fact];
            let contributions = vec![Contribution { provenance, facts, exclusions: Vec::new() }];
            store.commit(&Batch { contributions, ..Batch::default() }).expect("written");
            claim
        };
        let lie = claim_of("liar", 2);
        let honest: Vec<Claim> = (10..30).map(|spots| claim_of("honest", spots)).collect();
        let banned = |lie: Option<&Claim>| {
            let (feed, suspicion) = (Feed::new(0, true), suspicion(None, None));
            let mut court = Court::new(&store, &feed, &suspicion);
            if let Some(lie) = lie {
                court.judge(lie, Some("it is 1".into())).expect("read");
            }
            honest.iter().for_each(|claim| court.judge(claim, None).expect("read"));
            court.result.liars.into_keys().map(|person| person.name).collect::<Vec<_>>()
        };
        assert_eq!(banned(Some(&lie)), ["liar"]);
        assert_eq!(banned(None), ["honest"], "so many cannot be on their way");
    }

    /// An honest worker that has reported it, too, takes it for written down, and must say it
    /// again.
    #[test]
    fn what_a_liar_alone_knows_is_no_secret_once_another_has_said_it() {
        let store = Store::in_memory().expect("memory");
        let position = CanonicalPosition::of(&Position::start(20));
        let fact = Fact::nimber(position.lands()[0].key(), Nimber::ZERO);
        let claim = Claim { subject: fact.subject.clone(), value: fact.value.clone(), place: 0 };
        let source = Source { worker: "liar".into(), build: String::new() };
        let provenance = Provenance { source, job: None, time: UnixMillis(0) };
        let contribution = Contribution { provenance, facts: vec![fact], exclusions: Vec::new() };
        let contributions = vec![contribution];
        store.commit(&Batch { contributions, ..Batch::default() }).expect("written");
        let feed = Feed::new(0, true);
        feed.note(0..1, WorkerId(1), "liar", true);
        let knowers = |is_liar: bool| {
            let suspicion = suspicion(None, None);
            let mut court = Court::new(&store, &feed, &suspicion);
            if is_liar {
                court.judge(&claim, Some("it is 1".into())).expect("read");
            }
            court
                .note_knowers(&(Game::Sprouts, Kind::Nimber, claim.subject.clone()))
                .expect("read");
            court.result.knowers
        };
        let these = |names: &[&str]| Knowers::These(names.iter().copied().map(person).collect());
        assert_eq!(knowers(false), these(&["liar"]), "its author works on");
        assert_eq!(knowers(true), these(&[]));
        feed.second([0].into_iter(), WorkerId(2), "honest");
        assert_eq!(knowers(true), these(&["honest"]));
        feed.admit("liar");
        assert_eq!(knowers(true), Knowers::All);
    }

    /// A claim that no other worker was told of explains nothing that others say. But if it is what they
    /// contradict, and follows from nothing, its author has made it up.
    #[test]
    fn who_accuses_without_ground_is_banned_and_who_contradicts_a_lie_of_a_newcomer_is_not() {
        let banned = |is_told: bool, is_doubted: bool| {
            let store = Store::in_memory().expect("memory");
            let position = CanonicalPosition::of(&Position::start(20));
            let fact = Fact::nimber(position.lands()[0].key(), Nimber::ZERO);
            let claim = (Game::Sprouts, Kind::Nimber, fact.subject.clone());
            let source = Source { worker: "newcomer".into(), build: String::new() };
            let provenance = Provenance { source, job: None, time: UnixMillis(0) };
            let facts = vec![fact];
            let contributions = vec![Contribution { provenance, facts, exclusions: Vec::new() }];
            store.commit(&Batch { contributions, ..Batch::default() }).expect("written");
            let feed = Feed::new(0, true);
            feed.note(0..1, WorkerId(1), "newcomer", true);
            if is_told {
                feed.admit("newcomer");
            }
            let (_, kind, subject) = claim.clone();
            let suspicion = suspicion(Some("accuser"), is_doubted.then(|| claim.clone()));
            let mut court = Court::new(&store, &feed, &suspicion);
            let value = Value::Nimber(Nimber::ZERO);
            assert_eq!(value.kind(), kind);
            court.judge(&Claim { subject, value, place: 0 }, None).expect("read");
            let cleansed = court.end(0, &[claim]).expect("ends");
            assert_eq!(cleansed.withdrawn, 1);
            store.bans().expect("read").into_iter().map(|ban| ban.person.name).collect::<Vec<_>>()
        };
        assert_eq!(banned(false, false), ["accuser"]);
        assert_eq!(banned(false, true), ["newcomer"]);
        for is_doubted in [false, true] {
            assert!(banned(true, is_doubted).is_empty(), "it may have believed that");
        }
    }
}
