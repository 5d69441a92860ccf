//! Trees of lands for the commands of misère play: they are looked up, computed, and kept in a
//! database.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use sprig_domain::{Game, Node, TreeKey};
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_proto::Build;
use sprig_store::{
    Batch, Committed, Contribution, Counts, Kind, Provenance, Reader, Source, Status, Store,
    StoreError, UnixMillis,
};
use sprig_trees::{Base, Forest, News, Progress, Sums, Tree, TreeError};

use crate::database::{Database, lost_nodes};
use crate::progress;

/// The trees of one command.
pub struct Trees {
    database: Option<Database>,
    base: Base,
    sums: Sums,
    /// Whether the base has all trees of the database.
    loaded: bool,
    threads: NonZero<usize>,
    /// Facts that this command has added to the database.
    pub new_facts: u64,
}

impl Trees {
    /// Trees with the database in `folder`, which is made if it does not exist. Without a folder
    /// nothing is kept.
    ///
    /// # Errors
    /// As [`Database::open_or_create`].
    pub fn open(folder: Option<&Path>, threads: usize) -> anyhow::Result<Self> {
        let database =
            folder.map(|folder| Database::open_to_answer(Some(folder), usize::MAX)).transpose()?;
        let threads = NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN);
        let (base, sums) = (Base::default(), Sums::default());
        let loaded = database.is_none();
        Ok(Self { database, base, sums, loaded, threads, new_facts: 0 })
    }

    /// The forest that holds the trees.
    pub fn forest(&self) -> &Forest {
        self.base.forest()
    }

    /// The lands whose trees are known, and these trees.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// The forest that holds the trees, and their sums, to compute more of both.
    pub fn forest_and_sums(&mut self) -> (&mut Forest, &mut Sums) {
        (self.base.forest_mut(), &mut self.sums)
    }

    /// The lands of the base, with their trees.
    pub fn lands(&self) -> impl Iterator<Item = (CanonicalLand, Tree)> + '_ {
        self.base.facts()
    }

    /// How many facts the database holds. None without a database.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn counts(&self) -> anyhow::Result<Counts> {
        let counts = self.database.as_ref().map(|database| database.store.counts());
        Ok(counts.transpose()?.unwrap_or_default())
    }

    /// The lost nodes of misère play that the database knows.
    ///
    /// # Errors
    /// When the disk fails, or what it holds does not fit together.
    pub fn lost_nodes(&self) -> anyhow::Result<Vec<Node>> {
        let nodes = self.database.as_ref().map(|database| lost_nodes(&database.store));
        Ok(nodes.transpose()?.unwrap_or_default())
    }

    /// The progress of the base.
    pub fn progress(&self) -> Progress {
        self.base.progress()
    }

    /// The RCT of a land if it is in the database and verified. This reads no more than it must.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn known(&mut self, land: &CanonicalLand) -> anyhow::Result<Option<TreeKey>> {
        let Some(Database { store, .. }) = &self.database else { return Ok(None) };
        if store.verified(Kind::Rct, land.key())?.is_none() {
            return Ok(None);
        }
        let tree = sprig_audit::tree_of(store, self.base.forest_mut(), land.key())?;
        Ok(tree.map(|tree| self.base.forest().key(tree)))
    }

    /// The sum of trees that [`Trees::known`] or [`Trees::build`] gave. If it might take more than
    /// `limit` other trees, the error is a bound of their number.
    pub fn sum(&mut self, keys: &[TreeKey], limit: f64) -> Result<Tree, f64> {
        let forest = self.base.forest_mut();
        let trees = keys.iter().map(|&key| forest.find(key).expect("it was given before"));
        let trees: Vec<Tree> = trees.collect();
        // A tree alone takes no work, whatever its size.
        let bound = if trees.len() > 1 { Sums::bound(forest, &trees) } else { 0.0 };
        if bound > limit {
            return Err(bound);
        }
        let sums = &mut self.sums;
        Ok(trees.into_iter().fold(Tree::ZERO, |total, tree| sums.add(forest, total, tree)))
    }

    /// Brings all trees of the database into the base.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn load(&mut self) -> anyhow::Result<()> {
        if !self.loaded
            && let Some(Database { store, .. }) = &self.database
        {
            self.base = sprig_audit::base_of(store)?;
            self.sums = Sums::default();
            self.loaded = true;
        }
        Ok(())
    }

    /// Finds the RCTs of the lands of a position, and of all lands that these can lead to. Gives
    /// those of the position. What the base knows is used, and new trees are written to the
    /// database as they are found. `go_on` is asked every few thousand lands.
    ///
    /// # Errors
    /// When the disk fails, the database contradicts a tree, or a land has too many moves.
    /// `TreeError::Stopped` when `go_on` breaks.
    pub fn build(
        &mut self,
        position: &CanonicalPosition,
        mut go_on: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> anyhow::Result<Vec<TreeKey>> {
        self.load()?;
        let Self { database, base, threads, new_facts, .. } = self;
        let store = database.as_ref().map(|database| &*database.store);
        let mut line = progress::Progress::start(&position.to_string());
        let mut written = Ok(());
        let mut watch = |news: &News<'_>| {
            line.show_base(news.progress());
            match write(store, news) {
                Ok(more) => *new_facts += more,
                Err(error) => {
                    written = Err(error);
                    return ControlFlow::Break(());
                }
            }
            go_on(news.progress())
        };
        // Each land is built by itself, as the sum of them all may be too large.
        let lands =
            position.lands().iter().map(|land| CanonicalPosition::from_lands([land.clone()]));
        let found = lands.map(|land| base.build(&land, *threads, &mut watch));
        let found = found.collect::<Result<Vec<Tree>, TreeError>>();
        written?;
        Ok(found?.into_iter().map(|tree| base.forest().key(tree)).collect())
    }
}

/// Takes the trees of `other` over into `store`, and the verified trees of lands.
///
/// # Errors
/// When a disk fails, or the two databases contradict each other.
pub fn take_over(store: &Store, other: &Reader) -> anyhow::Result<()> {
    for group in other.groups() {
        let (provenance, stored) = group?;
        // The number of a job means nothing in another database.
        let provenance = Provenance { job: None, ..provenance };
        let facts = stored.into_iter().map(|stored| stored.fact);
        let facts = facts.filter(|fact| match fact.kind() {
            Kind::Tree => true,
            Kind::Rct => fact.status == Status::Verified,
            Kind::Nimber | Kind::Loss => false,
        });
        let facts = facts.collect();
        let contributions = vec![Contribution { provenance, facts, exclusions: Vec::new() }];
        store.commit(&Batch { contributions, ..Batch::default() })?;
    }
    Ok(())
}

/// The answer to a build that asks whether to go on.
pub fn flow(go_on: bool) -> ControlFlow<()> {
    if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// Whether a build was told to stop.
pub fn stopped<T>(found: &anyhow::Result<T>) -> bool {
    let error = found.as_ref().err().and_then(|error| error.downcast_ref());
    matches!(error, Some(TreeError::Stopped { .. }))
}

/// Commits what a build has found. Gives the number of facts that are new.
fn write(store: Option<&Store>, news: &News<'_>) -> Result<u64, StoreError> {
    let Some(store) = store else { return Ok(0) };
    let contributions = vec![Contribution {
        provenance: provenance("rct-base"),
        facts: sprig_audit::facts_of(Game::Sprouts, news),
        exclusions: Vec::new(),
    }];
    let Committed { facts, .. } = store.commit(&Batch { contributions, ..Batch::default() })?;
    Ok(facts.end.0 - facts.start.0)
}

/// The provenance of facts that this command finds. `name` says what the command does.
pub fn provenance(name: &str) -> Provenance {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let source = Source { worker: name.to_owned(), build: Build::here().id };
    Provenance { source, job: None, time: UnixMillis(now.as_millis() as u64) }
}
