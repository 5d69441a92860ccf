//! Where people want the searches of a job to go.
//!
//! The wishes of a job have a record of their own, and only if there are any. Programs that know
//! nothing of wishes pass over it.

use sprig_domain::{JobId, Outcome, Wish, WishEnd, WishKind};

use crate::Job;
use crate::bytes::{Malformed, Reader, put_bytes, put_varint};
use crate::goal::{decode_goal, encode_goal};
use crate::job::BY_GOAL;

/// Layout of the record; its first byte.
const LAYOUT: u8 = 1;

/// Second byte of its key. No goal begins with it, and earlier programs pass over all keys that
/// begin like those of goals.
const WISHES: u8 = 0xfe;

const PIN: u8 = 0;
const BOOST: u8 = 1;
const BAN: u8 = 2;

const HOLDS: u8 = 0;
const WON: u8 = 1;
const LOST: u8 = 2;
const EXPIRED: u8 = 3;
const WITHDRAWN: u8 = 4;
const GAVE_UP: u8 = 5;

/// Key of the wishes for a job.
pub(crate) fn wishes_key(id: JobId) -> [u8; 10] {
    let mut key = [WISHES; 10];
    key[0] = BY_GOAL;
    key[2..].copy_from_slice(&id.0.to_be_bytes());
    key
}

/// Whether a key is that of wishes.
pub(crate) fn are_wishes(key: &[u8]) -> bool {
    key.starts_with(&[BY_GOAL, WISHES])
}

/// The record of the wishes for a job.
pub(crate) fn encode(job: &Job) -> Vec<u8> {
    let mut out = vec![LAYOUT];
    for wish in &job.wishes {
        put_varint(&mut out, wish.number.into());
        out.push(match wish.kind {
            WishKind::Pin => PIN,
            WishKind::Boost => BOOST,
            WishKind::Ban => BAN,
        });
        put_bytes(&mut out, &encode_goal(&wish.at));
        put_bytes(&mut out, wish.by.as_bytes());
        put_varint(&mut out, wish.made);
        put_varint(&mut out, wish.until.unwrap_or_default());
        put_varint(&mut out, wish.expansions);
        match &wish.end {
            None => out.push(HOLDS),
            Some(WishEnd::Decided(Outcome::Win)) => out.push(WON),
            Some(WishEnd::Decided(Outcome::Loss)) => out.push(LOST),
            Some(WishEnd::Expired) => out.push(EXPIRED),
            Some(WishEnd::Withdrawn) => out.push(WITHDRAWN),
            Some(WishEnd::GaveUp(reason)) => {
                out.push(GAVE_UP);
                put_bytes(&mut out, reason.as_bytes());
            }
        }
    }
    out
}

/// The wishes for a job.
pub(crate) fn decode(record: &[u8]) -> Result<Vec<Wish>, Malformed> {
    let mut reader = Reader::new(record);
    if reader.byte()? != LAYOUT {
        return Err(Malformed);
    }
    let mut wishes = Vec::new();
    while !reader.is_empty() {
        let number = u32::try_from(reader.varint()?).map_err(|_| Malformed)?;
        let kind = match reader.byte()? {
            PIN => WishKind::Pin,
            BOOST => WishKind::Boost,
            BAN => WishKind::Ban,
            _ => return Err(Malformed),
        };
        let (at, by) = (decode_goal(reader.bytes()?)?, reader.string()?);
        let (made, until) = (reader.varint()?, Some(reader.varint()?).filter(|&until| until > 0));
        let expansions = reader.varint()?;
        let end = match reader.byte()? {
            HOLDS => None,
            WON => Some(WishEnd::Decided(Outcome::Win)),
            LOST => Some(WishEnd::Decided(Outcome::Loss)),
            EXPIRED => Some(WishEnd::Expired),
            WITHDRAWN => Some(WishEnd::Withdrawn),
            GAVE_UP => Some(WishEnd::GaveUp(reader.string()?)),
            _ => return Err(Malformed),
        };
        wishes.push(Wish { number, kind, at, by, made, until, expansions, end });
    }
    Ok(wishes)
}
