//! Banned workers, which are not listened to any more. Bans are records of the database. What
//! earlier versions wrote into its history is read, too.

use std::collections::BTreeMap;

use sprig_proto::Ban;
use sprig_store::{BanRecord, BanState, Event, EventKind, NO_JOB, Person, Store, StoreError};
use tracing::warn;

use crate::record;

/// Bans that a status shows.
const SHOWN: usize = 100;

/// What the database says about workers that were found out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    /// How often claims were withdrawn. Workers that have learned facts under another number forget
    /// them.
    pub(crate) withdrawals: u64,
    /// The persons whose workers may not work any more.
    banned: BTreeMap<Person, Ban>,
}

impl Standing {
    pub(crate) fn read(store: &Store) -> Result<Self, StoreError> {
        let mut standing = Self::default();
        for event in store.history(NO_JOB)? {
            match event.kind {
                EventKind::Withdrawn => standing.withdrawals += 1,
                EventKind::Banned => standing.take_line(&event),
                _ => {}
            }
        }
        for record in store.bans()? {
            match ban(&record) {
                Some(ban) => drop(standing.banned.insert(record.person, ban)),
                None => drop(standing.banned.remove(&record.person)),
            }
        }
        Ok(standing)
    }

    /// A line of an earlier version: `WHO`, a tab, and a text that begins with the source of the
    /// claim. It did not tell a tab in a name from its own, nor a proved name from one with `@` in
    /// it. So it counts only if both parts name the same person.
    fn take_line(&mut self, event: &Event) {
        let Event { time, detail, .. } = event;
        let (who, reason) = detail.split_once('\t').unwrap_or((detail, ""));
        let source =
            [" claimed of ", ": "].iter().filter_map(|end| Some(reason.split_once(end)?.0));
        let Some(person) = source.map(person).find(|person| person.name == who) else {
            warn!(
                line = detail,
                "a ban of an earlier version is not clear about who is meant: it does not count"
            );
            return;
        };
        let (name, proved) = (person.name.clone(), person.proved);
        let (reason, claim) = (reason.to_owned(), None);
        self.banned.insert(person, Ban { name, proved, time: time.0, reason, claim });
    }

    /// The ban of the person that is responsible for this source.
    pub(crate) fn ban_of(&self, source: &str) -> Option<&Ban> {
        self.banned.get(&person(source))
    }

    /// The latest bans, the latest first.
    pub(crate) fn bans(&self) -> Vec<Ban> {
        let mut bans: Vec<Ban> = self.banned.values().cloned().collect();
        bans.sort_by_key(|ban| std::cmp::Reverse(ban.time));
        bans.truncate(SHOWN);
        bans
    }

    /// Bans a person. Returns what is to be written.
    pub(crate) fn ban(&mut self, person: Person, reason: String) -> BanRecord {
        let (name, proved) = (&*person.name, person.proved);
        warn!(name, proved, reason, "banned");
        let state = BanState::Banned { reason, claim: None };
        let record = BanRecord { person, time: record::time(), state };
        if let Some(ban) = ban(&record) {
            self.banned.insert(record.person.clone(), ban);
        }
        record
    }

    /// Lifts the bans of a name, proved or not. Returns what is to be written, and what was lifted.
    pub(crate) fn lift(&mut self, name: &str, by: &str) -> (Vec<BanRecord>, Vec<Ban>) {
        let of_name = |person: &&Person| person.name == name;
        let people: Vec<Person> = self.banned.keys().filter(of_name).cloned().collect();
        let lifted = people.into_iter().filter_map(|person| self.banned.remove_entry(&person));
        let (time, state) = (record::time(), BanState::Lifted { by: by.to_owned() });
        lifted.map(|(person, ban)| (BanRecord { person, time, state: state.clone() }, ban)).unzip()
    }
}

/// A record as others see it; `None` if the ban is lifted.
pub(super) fn ban(record: &BanRecord) -> Option<Ban> {
    let BanRecord { person: Person { name, proved }, time, state } = record;
    let BanState::Banned { reason, claim } = state else { return None };
    let (name, reason, claim) = (name.clone(), reason.clone(), claim.clone());
    Some(Ban { name, proved: *proved, time: time.0, reason, claim })
}

/// The person that is responsible for a source. Names that workers give themselves have no `@`. So
/// where there is one, the name after it was proved: `w1@node-7` is a worker of `node-7`.
pub(crate) fn person(source: &str) -> Person {
    match source.rsplit_once('@') {
        Some((_, name)) => Person { proved: true, name: name.to_owned() },
        None => Person { proved: false, name: source.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use sprig_store::{Batch, UnixMillis};

    use super::*;

    fn old_lines(lines: &[&str]) -> Standing {
        let store = Store::in_memory().expect("memory");
        let event = |line: &&str| Event {
            time: UnixMillis(1),
            kind: EventKind::Banned,
            detail: (*line).to_owned(),
        };
        let events = lines.iter().map(|line| (NO_JOB, event(line))).collect();
        store.commit(&Batch { events, ..Batch::default() }).expect("written");
        Standing::read(&store).expect("read")
    }

    #[test]
    fn an_old_line_bans_whom_it_means_and_nobody_else() {
        let standing = old_lines(&[
            "liar\tliar claimed of land 0*3: nimber 5; computed again it is 1",
            "node-7\tw1@node-7: the answer to job 1 does not follow from the facts",
            // What `x<TAB>y` was written as.
            "x y\tx\ty claimed of land 0*3: nimber 5; computed again it is 1",
            "victim\ta@victim claimed of land 0*3: nimber 5; computed again it is 1",
        ]);
        for banned in ["liar", "w1@node-7", "w2@node-7"] {
            assert!(standing.ban_of(banned).is_some(), "{banned}");
        }
        // A free name is another person than the same name proved.
        for innocent in ["x y", "x\ty", "victim", "node-7", "w1@liar"] {
            assert!(standing.ban_of(innocent).is_none(), "{innocent}");
        }
    }

    #[test]
    fn a_ban_is_read_back_and_can_be_lifted_for_good() {
        let store = Store::in_memory().expect("memory");
        let person = Person { proved: true, name: "node-7".into() };
        let state = BanState::Banned { reason: "it lied".into(), claim: Some("nimber 2".into()) };
        store.record_bans(&[BanRecord { person, time: UnixMillis(5), state }]).expect("written");
        let mut standing = Standing::read(&store).expect("read");
        assert_eq!(standing.ban_of("w@node-7").map(|ban| ban.time), Some(5));
        assert_eq!(standing.lift("node-8", "boss").1, []);
        let (records, lifted) = standing.lift("node-7", "boss");
        assert_eq!(lifted.iter().map(|ban| &*ban.reason).collect::<Vec<_>>(), ["it lied"]);
        store.record_bans(&records).expect("written");
        for standing in [standing, Standing::read(&store).expect("read")] {
            assert!(standing.ban_of("w@node-7").is_none() && standing.bans().is_empty());
        }
    }

    #[test]
    fn an_old_line_can_be_lifted_too() {
        let store = Store::in_memory().expect("memory");
        let detail = "liar\tliar: it lied".to_owned();
        let event = Event { time: UnixMillis(1), kind: EventKind::Banned, detail };
        store
            .commit(&Batch { events: vec![(NO_JOB, event)], ..Batch::default() })
            .expect("written");
        let (records, _) = Standing::read(&store).expect("read").lift("liar", "boss");
        store.record_bans(&records).expect("written");
        assert!(Standing::read(&store).expect("read").ban_of("liar").is_none());
    }
}
