//! What the database has of lands, for the checks of claims about others.

use sprig_engine::Nimber;
use sprig_search::step::{Finding, Inspector};
use sprig_store::{Kind, Status, Store, StoreError, Value};

/// An inspector of steps on a database. One per thread.
pub struct Lookup<'a> {
    store: &'a Store,
    inspector: Inspector,
}

impl<'a> Lookup<'a> {
    pub fn new(store: &'a Store) -> Self {
        Self { store, inspector: Inspector::default() }
    }

    /// Whether a claim follows from the verified facts of the database.
    ///
    /// What it had at the first look counts; later facts about those lands are not seen.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn step(&mut self, land: &[u8], nimber: Nimber) -> Result<Finding, StoreError> {
        let Self { store, inspector } = self;
        inspector.inspect(land, nimber, &mut |key: &[u8]| verified(store, key))
    }

    /// Looks again at what the database has.
    pub fn forget(&mut self) {
        self.inspector.refresh();
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
