//! The RCTs of every land that can arise from a position.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use sprig_domain::Game as Variant;
use sprig_engine::Watched;
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_search::{Game, Sprouts, TooMany};

use crate::children::Mover;
use crate::error::{TreeError, too_many};
use crate::forest::{Forest, Tree};
use crate::helpers::Helpers;
use crate::names::{Name, Names};
use crate::news::News;
use crate::values::Values;
use crate::walk::{Unfinished, Walk};

/// Lands of a game, and their RCTs: of [`Sprouts`], or of any other [`Game`].
///
/// Inside, lands of Sprouts have their greedy keys: rarely two numbers stand for one land, which
/// only costs time. Facts that leave the base ([`Base::facts`]) have exact keys.
pub struct Base<G: Game = Sprouts> {
    game: G,
    names: Names,
    mover: Mover<G>,
    values: Values,
}

/// Tables of lands: several times as many as the threads that are to be expected.
const TABLES: usize = 16;

/// How far [`Base::build`] has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Lands met.
    pub met: usize,
    /// Lands whose RCT is known.
    pub known: usize,
    /// Different RCTs, without their factor 1.
    pub trees: usize,
    /// Bytes held.
    pub bytes: usize,
}

impl Progress {
    pub(crate) fn of(names: &Names, values: &Values) -> Self {
        let (met, bytes) = (names.lands(), names.bytes() + values.bytes());
        Self { met, known: values.known, trees: values.forest.len(), bytes }
    }
}

/// A base of Sprouts.
impl Default for Base {
    fn default() -> Self {
        Self::of(Variant::Sprouts)
    }
}

impl<G: Game> Base<G> {
    /// The base of a game, without any lands.
    #[must_use]
    pub fn new(game: G) -> Self {
        let (names, mover) = (Names::new(TABLES), Mover::new(&game));
        Self { game, names, mover, values: Values::default() }
    }

    /// The rules of the game of its lands.
    #[must_use]
    pub fn rules(&self) -> &G {
        &self.game
    }

    /// Finds the RCTs of all lands that a game from a sum of lands can lead to, and the RCT of the
    /// sum.
    ///
    /// # Errors
    /// [`TooMany`] when the moves of a land cannot be listed. What was found is kept.
    pub fn tree(&mut self, lands: &[&[u8]]) -> Result<Tree, TooMany> {
        let root = self.mover.sum(&self.names, lands.iter().copied());
        match self.walk(root, NonZeroUsize::MIN, |_| ControlFlow::Continue(())) {
            Ok(tree) => Ok(tree),
            Err(Unfinished::TooMany { .. }) => Err(TooMany),
            Err(Unfinished::Stopped) => unreachable!("nobody said stop"),
        }
    }

    /// Gives a position and every land that can arise from it its RCT.
    fn walk(
        &mut self,
        root: Name,
        threads: NonZeroUsize,
        mut watch: impl FnMut(&News<'_>) -> ControlFlow<()>,
    ) -> Result<Tree, Unfinished> {
        let Self { game, names, mover, values } = self;
        let mut lands = Vec::new();
        names.lands_of(root, &mut lands);
        Helpers::with(game, threads.get() - 1, names, |helpers| {
            let mut walk = Walk { names, values, mover, helpers, watch: &mut watch, listed: 0 };
            lands.iter().try_for_each(|&land| walk.land(land))
        })?;
        Ok(values.position(names, root))
    }

    /// How far the base has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress::of(&self.names, &self.values)
    }

    /// The trees of the base.
    #[must_use]
    pub fn forest(&self) -> &Forest {
        &self.values.forest
    }

    /// The trees of the base, to add to.
    pub fn forest_mut(&mut self) -> &mut Forest {
        &mut self.values.forest
    }

    /// The RCT of the land with this key ([`Game::keys`]), if it is known.
    #[must_use]
    pub fn rct(&self, key: &[u8]) -> Option<Tree> {
        self.values.land(self.names.find(key)?)
    }

    /// The key ([`Game::keys`]) of every land that has an RCT, with that; in no particular order.
    pub fn keyed_facts(&self) -> impl Iterator<Item = (Vec<u8>, Tree)> + '_ {
        self.values.lands().map(move |(land, tree)| {
            let mut key = Vec::new();
            self.names.key(land, &mut key);
            (key, tree)
        })
    }
}

impl Base {
    /// The base of a game on positions of Sprouts, without any lands.
    #[must_use]
    pub fn of(game: Variant) -> Self {
        Self::new(Sprouts(game))
    }

    /// The game of its lands.
    #[must_use]
    pub fn game(&self) -> Variant {
        self.game.0
    }

    /// Finds the RCTs of all lands that a game from `position` can lead to, and the RCT of the
    /// position, on this number of threads.
    ///
    /// Calls `watch` every few thousand lands, and at the end, with what was found since the last
    /// call. When `watch` breaks, the build ends, and the next one goes on where this one ended.
    ///
    /// # Errors
    /// [`TreeError::TooManyMoves`], [`TreeError::Stopped`].
    pub fn build(
        &mut self,
        position: &CanonicalPosition,
        threads: NonZeroUsize,
        mut watch: impl FnMut(&News<'_>) -> ControlFlow<()>,
    ) -> Result<Tree, TreeError> {
        let root = self.mover.name(&self.names, position);
        let tree = self.walk(root, threads, &mut watch).map_err(|why| match why {
            Unfinished::Stopped => TreeError::Stopped { lands: self.values.known },
            Unfinished::TooMany { land } => too_many(self.game, &self.names, land),
        })?;
        let Self { names, values, .. } = self;
        // At the end there is nothing left to stop.
        let _ = watch(&News::of(names, values));
        values.mark_told();
        Ok(tree)
    }

    /// Every land that has an RCT, with that, in no particular order. A land may come twice.
    pub fn facts(&self) -> impl Iterator<Item = (CanonicalLand, Tree)> + '_ {
        let mut key = Vec::new();
        self.values.lands().map(move |(land, tree)| {
            self.names.key(land, &mut key);
            (CanonicalLand::from_reduced(&key), tree)
        })
    }

    /// Marks everything that is known now as no news for the `watch` of the next [`Base::build`]:
    /// it came from where news go.
    pub fn mark_told(&mut self) {
        self.values.mark_told();
    }

    /// Takes in the RCT of a land, given as canonical bytes, from a source that is trusted like
    /// this program. For other sources there is [`Base::check`].
    ///
    /// # Errors
    /// [`TreeError::Contradiction`] when another RCT is known.
    ///
    /// # Panics
    /// When the bytes do not follow the grammar of lands.
    pub fn learn(&mut self, land: &[u8], tree: Tree) -> Result<(), TreeError> {
        let number = self.mover.land(&self.names, land);
        match self.values.land(number) {
            Some(known) => self.agree(&CanonicalLand::from_reduced(land), tree, known),
            None => {
                self.values.set_land(number, tree);
                Ok(())
            }
        }
    }

    /// Finds the RCT of the land itself, from those of its children, and compares.
    ///
    /// Where children are not known, it finds their RCTs, too, so offer lands with fewer lives
    /// first.
    ///
    /// # Errors
    /// [`TreeError::Contradiction`] when the land has another RCT, [`TreeError::TooManyMoves`].
    pub fn check(&mut self, land: &CanonicalLand, tree: Tree) -> Result<(), TreeError> {
        let position = CanonicalPosition::from_lands([land.clone()]);
        let actual = self.build(&position, NonZeroUsize::MIN, |_| ControlFlow::Continue(()))?;
        self.agree(land, tree, actual)
    }

    /// Whether the land has this RCT, as follows from those of its children in one step; `None` if
    /// one of them is not known.
    ///
    /// # Errors
    /// [`TreeError::TooManyMoves`].
    pub fn follows(&mut self, land: &CanonicalLand, tree: Tree) -> Result<Option<bool>, TreeError> {
        let mut children = Vec::new();
        let number = self.mover.land(&self.names, land.key());
        let found = self.mover.children(&self.names, number, &mut children);
        found.map_err(|TooMany| too_many(self.game, &self.names, number))?;
        Ok(self.tree_of(children).map(|found| found == tree))
    }

    /// The RCTs of lands, each as it follows from those of its children in one step. The children
    /// are found on `threads` threads. A result is `None` where a child is not known, where there
    /// are too many children to list, or where it was told to stop before.
    pub fn trees_of(
        &mut self,
        lands: &[CanonicalLand],
        threads: NonZeroUsize,
        watched: &Watched,
    ) -> Vec<Option<Tree>> {
        let (game, names) = (self.game, &self.names);
        let share = lands.len().div_ceil(threads.get()).max(1);
        let found: Vec<Option<Vec<Name>>> = std::thread::scope(|scope| {
            let find = |lands: &[CanonicalLand]| {
                let mut mover = Mover::new(&game);
                let children = lands.iter().map(|land| {
                    if !watched.step() {
                        return None;
                    }
                    let (number, mut children) = (mover.land(names, land.key()), Vec::new());
                    mover.children(names, number, &mut children).ok().map(|()| children)
                });
                children.collect::<Vec<_>>()
            };
            let threads: Vec<_> =
                lands.chunks(share).map(|lands| scope.spawn(move || find(lands))).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().flat_map(join).collect()
        });
        found.into_iter().map(|children| self.tree_of(children?)).collect()
    }

    /// The RCT of a land with these children, if theirs are known.
    fn tree_of(&mut self, children: Vec<Name>) -> Option<Tree> {
        let (mut lands, mut options) = (Vec::new(), Vec::with_capacity(children.len()));
        for child in children {
            self.names.lands_of(child, &mut lands);
            if lands.iter().any(|&land| self.known(land).is_none()) {
                return None;
            }
            options.push(self.values.position(&self.names, child));
        }
        Some(self.values.forest.reduce(&mut options))
    }

    /// The RCT of a land, even if it is known under another number only.
    fn known(&mut self, land: u32) -> Option<Tree> {
        let Self { names, mover, values, .. } = self;
        values.land(land).or_else(|| {
            let mut key = Vec::new();
            names.key(land, &mut key);
            let exact = CanonicalLand::from_reduced(&key);
            let tree = values.land(mover.land(names, exact.key()))?;
            values.set_land(land, tree);
            Some(tree)
        })
    }

    fn agree(&self, land: &CanonicalLand, claimed: Tree, actual: Tree) -> Result<(), TreeError> {
        if claimed == actual {
            return Ok(());
        }
        let [claimed, actual] = [claimed, actual].map(|tree| self.forest().key(tree));
        Err(TreeError::Contradiction { land: Box::new(land.clone()), claimed, actual })
    }
}
