//! Things found by lands.

use std::collections::HashMap;

use super::land::Land;
use super::name::Name;

/// What is noted of reduced lands, each under its name. Tints spare most names.
#[derive(Clone)]
pub(super) struct Index<T>(HashMap<u64, Vec<(Name, T)>>);

impl<T> Default for Index<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> Index<T> {
    /// What is noted of a land.
    pub fn get(&self, land: &Land) -> Option<&T> {
        let same = self.0.get(&land.tint())?;
        let name = land.name();
        same.iter().find(|noted| noted.0 == name).map(|noted| &noted.1)
    }

    /// What is noted of the land with this tint and name.
    pub fn named(&self, tint: u64, name: &Name) -> Option<&T> {
        self.0.get(&tint)?.iter().find(|noted| noted.0 == *name).map(|noted| &noted.1)
    }

    /// Notes something of the land with this tint and name, of which nothing is noted yet.
    pub fn insert(&mut self, tint: u64, name: Name, noted: T) {
        self.0.entry(tint).or_default().push((name, noted));
    }
}
