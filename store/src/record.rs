//! Facts as their families hold them.

use sprig_domain::TreeKey;
use sprig_domain::{Game, Play, Ruleset};
use sprig_engine::Nimber;

use crate::bytes::{Malformed, Reader, put_varint};
use crate::fact::{Fact, Kind, Sequence, Status, StoredFact, Value};
use crate::seal::Seal;
use crate::tables::{FACTS, LOSSES, RCTS, TREES};

/// What the keys of a family begin with: the game, the play and the surface.
pub(crate) type Rules = [u8; 3];
const SPROUTS: u8 = 1;
const BLACK_AND_WHITE: u8 = 2;
/// The first byte of a game that this program does not know.
pub(crate) const UNKNOWN_GAME: u8 = BLACK_AND_WHITE + 1;
const NORMAL: u8 = 0;
const MISERE: u8 = 1;
/// The sphere. Other surfaces are reserved: lands on the sphere keep their keys.
const SPHERE: u8 = 0;
/// A tree is the same in every game.
const MISERE_PLAY_OF_ANY_GAME: Rules = [0, MISERE, SPHERE];

/// The byte of a game.
pub(crate) const fn game_byte(game: Game) -> u8 {
    match game {
        Game::Sprouts => SPROUTS,
        Game::BlackAndWhite => BLACK_AND_WHITE,
    }
}

/// The game that has this byte.
pub(crate) fn game(byte: u8) -> Result<Game, Malformed> {
    Game::ALL.into_iter().find(|&game| game_byte(game) == byte).ok_or(Malformed)
}

/// The bytes of a ruleset.
pub(crate) const fn rules(ruleset: Ruleset) -> Rules {
    let play = match ruleset.play {
        Play::Normal => NORMAL,
        Play::Misere => MISERE,
    };
    [game_byte(ruleset.game), play, SPHERE]
}

/// The ruleset that has these bytes.
pub(crate) fn ruleset([game, play, surface]: Rules) -> Result<Ruleset, Malformed> {
    let play = match (play, surface) {
        (NORMAL, SPHERE) => Play::Normal,
        (MISERE, SPHERE) => Play::Misere,
        _ => return Err(Malformed),
    };
    Ok(Ruleset { game: self::game(game)?, play })
}

const NIMBER_BITS: u8 = 0b0011_1111;
const VERIFIED_BIT: u8 = 0b0100_0000;
/// Says that the record ends with a seal. It is never set without [`VERIFIED_BIT`].
const SEALED_BIT: u8 = 0b1000_0000;
const _: () = assert!(Nimber::LIMIT as usize == NIMBER_BITS as usize + 1, "a nimber has six bits");

/// What a record says of whether its fact was checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Mark {
    /// Nothing: the fact is claimed.
    Claimed,
    /// A bit says that it was checked, as programs before seals wrote it. Every program can set a
    /// bit.
    Bit,
    /// The record carries a seal that was not made with our secret.
    Foreign,
    /// The record carries our seal.
    Own,
}

impl Mark {
    /// The status of the fact here.
    pub(crate) fn status(self) -> Status {
        if self == Self::Own { Status::Verified } else { Status::Claimed }
    }
}

impl From<Status> for Mark {
    fn from(status: Status) -> Self {
        match status {
            Status::Claimed => Self::Claimed,
            Status::Verified => Self::Own,
        }
    }
}

impl Kind {
    /// The family that holds the facts of this kind.
    pub(crate) fn family(self) -> &'static str {
        match self {
            Self::Nimber => FACTS,
            Self::Tree => TREES,
            Self::Rct => RCTS,
            Self::Loss => LOSSES,
        }
    }

    /// What keys of facts of this kind begin with in a game.
    pub(crate) fn rules(self, game: Game) -> Rules {
        match self {
            Self::Nimber => rules(Ruleset { game, play: Play::Normal }),
            Self::Tree => MISERE_PLAY_OF_ANY_GAME,
            Self::Rct | Self::Loss => rules(Ruleset { game, play: Play::Misere }),
        }
    }

    /// The game under which a fact of this kind is stored: trees belong to no game.
    pub(crate) fn game(self, game: Game) -> Game {
        if self == Self::Tree { Game::default() } else { game }
    }

    /// The key of a subject in the family.
    pub(crate) fn key(self, game: Game, subject: &[u8]) -> Vec<u8> {
        [&self.rules(game)[..], subject].concat()
    }

    /// The game and the subject of a key.
    pub(crate) fn subject(self, key: &[u8]) -> Result<(Game, &[u8]), Malformed> {
        let of = |game| key.strip_prefix(&self.rules(game)).map(|subject| (game, subject));
        Game::ALL.into_iter().find_map(of).ok_or(Malformed)
    }
}

/// The value of a subject in the family of its kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FactRecord {
    pub(crate) value: Value,
    pub(crate) mark: Mark,
    pub(crate) sequence: Sequence,
}

impl FactRecord {
    pub(crate) fn status(&self) -> Status {
        self.mark.status()
    }

    /// The fact about `subject` in a game, from its record.
    pub(crate) fn about(self, game: Game, subject: &[u8]) -> StoredFact {
        let status = self.status();
        let Self { value, sequence, .. } = self;
        StoredFact { sequence, fact: Fact { game, subject: subject.into(), value, status } }
    }

    /// The record about `subject`, sealed if the fact is verified. A fact that was marked by others
    /// is written as a claim.
    pub(crate) fn encode(&self, game: Game, subject: &[u8], seal: &Seal) -> Vec<u8> {
        let sealed = self.status() == Status::Verified;
        let marks = if sealed { SEALED_BIT | VERIFIED_BIT } else { 0 };
        let nimber = if let Value::Nimber(nimber) = self.value { nimber.get() } else { 0 };
        let mut out = vec![nimber | marks];
        put_varint(&mut out, self.sequence.0);
        match &self.value {
            Value::Nimber(_) | Value::Loss => {}
            Value::Options(options) => options.iter().for_each(|key| out.extend(key.as_bytes())),
            Value::Rct(tree) => out.extend(tree.as_bytes()),
        }
        if sealed {
            out.extend(seal.tag(game, subject, &self.value));
        }
        out
    }

    /// Reads the record about `subject`, and compares its seal with ours.
    pub(crate) fn decode(
        kind: Kind,
        game: Game,
        subject: &[u8],
        record: &[u8],
        seal: &Seal,
    ) -> Result<Self, Malformed> {
        let first = *record.first().ok_or(Malformed)?;
        let (record, tag) = match (first & SEALED_BIT != 0, first & VERIFIED_BIT != 0) {
            (true, true) => {
                record.split_last_chunk().map(|(r, &tag)| (r, Some(tag))).ok_or(Malformed)?
            }
            (true, false) => return Err(Malformed),
            (false, _) => (record, None),
        };
        let mut reader = Reader::new(record);
        let nimber = reader.byte()? & NIMBER_BITS;
        if kind != Kind::Nimber && nimber != 0 {
            return Err(Malformed);
        }
        let sequence = Sequence(reader.varint()?);
        let value = match kind {
            Kind::Nimber => Value::Nimber(decode_nimber(nimber)?),
            Kind::Tree => {
                let mut options = Vec::new();
                while !reader.is_empty() {
                    options.push(TreeKey::from_bytes(reader.array()?));
                }
                Value::Options(options.into())
            }
            Kind::Rct => Value::Rct(TreeKey::from_bytes(reader.array()?)),
            Kind::Loss => Value::Loss,
        };
        reader.end()?;
        let mark = match tag {
            None if first & VERIFIED_BIT == 0 => Mark::Claimed,
            None => Mark::Bit,
            Some(tag) if tag == seal.tag(game, subject, &value) => Mark::Own,
            Some(_) => Mark::Foreign,
        };
        Ok(Self { value, mark, sequence })
    }
}

pub(crate) fn decode_nimber(byte: u8) -> Result<Nimber, Malformed> {
    Nimber::new(byte.into()).map_err(|_| Malformed)
}
