//! What the database has of lands, for the checks of claims about others.

use std::collections::HashMap;

use sprig_engine::Nimber;
use sprig_search::step::{Finding, Inspector};
use sprig_store::{Kind, Status, Store, StoreError, Value};

/// Lands remembered; some 100 bytes each. Children of similar lands are similar.
const REMEMBERED: usize = 1 << 19;

/// An inspector of steps on a database. One per thread.
pub struct Lookup<'a> {
    store: &'a Store,
    inspector: Inspector,
    remembered: HashMap<Box<[u8]>, Option<Nimber>>,
}

impl<'a> Lookup<'a> {
    pub fn new(store: &'a Store) -> Self {
        Self { store, inspector: Inspector::default(), remembered: HashMap::new() }
    }

    /// Whether a claim follows from the verified facts of the database.
    ///
    /// What it had at the first look counts; later facts about those lands are not seen.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn step(&mut self, land: &[u8], nimber: Nimber) -> Result<Finding, StoreError> {
        let Self { store, inspector, remembered } = self;
        inspector.inspect(land, nimber, &mut |key: &[u8]| {
            if let Some(&known) = remembered.get(key) {
                return Ok(known);
            }
            let known = verified(store, key)?;
            if remembered.len() == REMEMBERED {
                remembered.clear();
            }
            remembered.insert(key.into(), known);
            Ok(known)
        })
    }

    /// Looks again at what the database has.
    pub fn forget(&mut self) {
        self.remembered.clear();
    }
}

/// The nimber of a land, if it is verified.
///
/// # Errors
/// When the disk fails.
pub fn verified(store: &Store, land: &[u8]) -> Result<Option<Nimber>, StoreError> {
    let fact = store.fact(Kind::Nimber, land)?.map(|known| known.fact);
    Ok(fact.and_then(|fact| match fact.value {
        Value::Nimber(nimber) if fact.status == Status::Verified => Some(nimber),
        _ => None,
    }))
}
