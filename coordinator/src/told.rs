//! Facts as messages. What is on disk was checked when it came.

use prost::Message;
use prost::bytes::{Bytes, BytesMut};
use sprig_domain::{Game, Play, Ruleset, TreeKey};
use sprig_proto::wire;
use sprig_store::{Fact, Kind, Status, StoredFact, Value};

/// A fact as it is told.
#[derive(Debug)]
pub(crate) struct Told {
    /// Its place in the log.
    pub(crate) sequence: u64,
    game: Game,
    pub(crate) kind: Kind,
    pub(crate) status: Status,
    /// Its message. Those of a page share their memory.
    pub(crate) message: Bytes,
}

impl Told {
    /// Whether it says something under these rules.
    pub(crate) fn is_of(&self, rules: Ruleset) -> bool {
        is_of(self.kind, self.game, rules)
    }
}

/// Whether facts of a kind about a game say something under these rules. Trees are those of every
/// game.
pub(crate) fn is_of(kind: Kind, about: Game, Ruleset { game, play }: Ruleset) -> bool {
    match kind {
        Kind::Nimber => play == Play::Normal && about == game,
        Kind::Tree => play == Play::Misere,
        Kind::Rct | Kind::Loss => play == Play::Misere && about == game,
    }
}

/// Facts as they are told.
pub(crate) fn encoded(facts: Vec<StoredFact>) -> Vec<Told> {
    let told = facts.into_iter().map(|StoredFact { sequence, fact }| {
        let (game, kind, status) = (fact.game, fact.kind(), fact.status);
        let told = Told { sequence: sequence.0, game, kind, status, message: Bytes::new() };
        (told, sent(fact))
    });
    let told: Vec<_> = told.collect();
    let all = told.iter().map(|(_, message)| message.encoded_len()).sum();
    let mut messages = BytesMut::with_capacity(all);
    let told = told.into_iter().map(|(told, message)| {
        message.encode(&mut messages).expect("there is room for all");
        Told { message: messages.split().freeze(), ..told }
    });
    told.collect()
}

/// Bytes of lands and keys.
pub(crate) fn size(fact: &Fact) -> usize {
    let keys = match &fact.value {
        Value::Options(options) => options.len(),
        Value::Nimber(_) | Value::Rct(_) | Value::Loss => 1,
    };
    fact.subject.len() + keys * size_of::<TreeKey>()
}

/// A fact as a message.
pub(crate) fn sent(fact: Fact) -> wire::Fact {
    use wire::fact::{Fact as Any, Nimber, Rct, Tree};
    let subject = fact.subject.into();
    let fact = match fact.value {
        Value::Nimber(nimber) => Any::Nimber(Nimber { land: subject, nimber: nimber.get().into() }),
        Value::Options(options) => {
            let options = options.iter().flat_map(|option| *option.as_bytes()).collect();
            Any::Tree(Tree { tree: subject, options })
        }
        Value::Rct(tree) => Any::Rct(Rct { land: subject, tree: tree.as_bytes().to_vec() }),
        Value::Loss => Any::Loss(subject),
    };
    wire::Fact { fact: Some(fact) }
}
