//! What a build has found since it was last looked at: what is to be written to a database.

use sprig_engine::{Canonizer, Effort};

use crate::base::Progress;
use crate::forest::{Forest, Tree};
use crate::names::Names;
use crate::values::Values;

/// Trees and lands that are new. Each is told once.
///
/// Write the trees first, in their order: options come before the trees that have them.
pub struct News<'a> {
    names: &'a Names,
    values: &'a Values,
}

impl<'a> News<'a> {
    pub(crate) fn of(names: &'a Names, values: &'a Values) -> Self {
        Self { names, values }
    }

    /// How far the build has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress::of(self.names, self.values)
    }

    /// The forest that the trees are in.
    #[must_use]
    pub fn forest(&self) -> &'a Forest {
        &self.values.forest
    }

    /// New trees without factor 1, options before the trees that have them.
    pub fn trees(&self) -> impl Iterator<Item = Tree> + 'a {
        self.values.forest.trees().skip(self.values.told_trees)
    }

    /// Lands, as canonical bytes, whose RCT is new; a land may come twice.
    pub fn lands(&self) -> impl Iterator<Item = (Box<[u8]>, Tree)> + 'a {
        let (names, values) = (self.names, self.values);
        let (mut canonizer, mut key) = (Canonizer::new(Effort::Exact), Vec::new());
        values.untold_lands.iter().map(move |&land| {
            names.key(land, &mut key);
            let tree = values.land(land).expect("a land without RCT is no news");
            (canonizer.key(&key).into(), tree)
        })
    }
}
