//! Facts as they stand in a database: lands with their nimbers, reduced canonical trees with their
//! options.

use sprig_domain::{LandNimber, TreeKey};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Watched};
use sprig_store::{Kind, Reader, Status, StoreError, Value};

use super::{Unanswered, go_on};

/// Facts that are looked at for one page. What is wanted may be rare, so a page may be empty and
/// have a next one.
const LOOKED_AT: usize = 100_000;
/// Bytes of keys that a page may have, so that it fits into a message.
const BYTES: usize = 1 << 20;

/// Which lands are wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How their texts begin.
    pub prefix: String,
    /// Their nimber; `None`: any.
    pub nimber: Option<Nimber>,
    /// The key of the land after which the page begins; empty for the first page.
    pub after: Vec<u8>,
    /// Most lands of the page.
    pub limit: usize,
}

/// A page of lands.
#[derive(Clone, Debug)]
pub struct LandPage {
    /// In the order of their keys.
    pub lands: Vec<LandNimber>,
    /// The key after which the next page begins, if there may be one.
    pub next: Option<Box<[u8]>>,
}

/// A page of the lands whose nimbers are verified in `store`, in the order of their keys. Looks at
/// `LOOKED_AT` facts at most, so the page may have fewer lands than the limit.
///
/// # Errors
/// When the disk fails, or `watched` was told to stop.
pub fn lands_by_key(
    store: &Reader,
    wanted: &Wanted,
    watched: &Watched,
) -> Result<LandPage, Unanswered> {
    let (mut lands, mut bytes, mut last) = (Vec::new(), 0, None);
    for (number, stored) in store.facts_after(Kind::Nimber, &wanted.after).enumerate() {
        let fact = stored?.fact;
        if lands.len() == wanted.limit || number == LOOKED_AT || bytes > BYTES {
            return Ok(LandPage { lands, next: last });
        }
        go_on(watched)?;
        if let (Value::Nimber(nimber), Status::Verified) = (fact.value, fact.status)
            && wanted.nimber.is_none_or(|wanted| wanted == nimber)
            && let Ok(land) = CanonicalLand::from_key(&fact.subject)
        {
            let text = CanonicalPosition::from_lands([land.clone()]).to_string();
            if text.starts_with(&wanted.prefix) {
                bytes += fact.subject.len();
                lands.push(LandNimber { land, nimber });
            }
        }
        last = Some(fact.subject);
    }
    Ok(LandPage { lands, next: None })
}

/// The options of a reduced canonical tree that is verified in `store`, sorted. If it is another
/// tree plus 1, the options are those of that other tree.
///
/// # Errors
/// When the disk fails.
pub fn options_of(store: &Reader, key: TreeKey) -> Result<Option<Box<[TreeKey]>>, StoreError> {
    let found = store.verified(Kind::Tree, key.without_factor().as_bytes())?;
    Ok(found.and_then(|value| match value {
        Value::Options(options) => Some(options),
        _ => None,
    }))
}
