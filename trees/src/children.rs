//! The children of lands.

use std::ops::ControlFlow;

use sprig_domain::hash;
use sprig_engine::{CanonicalPosition, Canonizer, Effort};
use sprig_search::kernel::recent::Recent;
use sprig_search::{Game, Keys, Moves, Sprouts, TooMany};

use crate::names::{Name, Names};

/// Finds children. It owns its scratch memory: make one for each thread.
pub(crate) struct Mover<G: Game = Sprouts> {
    moves: G::Moves,
    keys: G::Keys,
    /// Lands met lately: about half of all lands were met a moment ago with the same letters, and
    /// need no key.
    recent: Recent<LINES>,
    parent: Vec<u8>,
    sum: Vec<u32>,
}

/// Four megabytes: with fewer lines more keys are made, with more the lines are slower to reach.
const LINES: usize = 1 << 16;

impl Mover {
    /// Finds children of Sprouts by their exact keys.
    pub fn exact() -> Self {
        Self::with(Sprouts::default().moves(), Canonizer::new(Effort::Exact))
    }

    /// Finds or adds a position.
    pub fn name(&mut self, names: &Names, position: &CanonicalPosition) -> Name {
        self.sum(names, position.lands().iter().map(|land| land.key()))
    }
}

impl<G: Game> Mover<G> {
    pub fn new(game: &G) -> Self {
        Self::with(game.moves(), game.keys())
    }

    fn with(moves: G::Moves, keys: G::Keys) -> Self {
        Self { moves, keys, recent: Recent::default(), parent: Vec::new(), sum: Vec::new() }
    }

    /// Finds or adds a sum of lands.
    pub fn sum<'a>(&mut self, names: &Names, lands: impl Iterator<Item = &'a [u8]>) -> Name {
        let mut lands: Vec<u32> = lands.map(|land| self.land(names, land)).collect();
        names.sum(&mut lands)
    }

    /// Finds or adds a land, given as raw bytes.
    pub fn land(&mut self, names: &Names, land: &[u8]) -> u32 {
        names.land(self.keys.key(land))
    }

    /// Fills `children` with the children of a land, as they come; some come several times.
    pub fn children(
        &mut self,
        names: &Names,
        land: u32,
        children: &mut Vec<Name>,
    ) -> Result<(), TooMany> {
        let Self { moves, keys, recent, parent, sum } = self;
        children.clear();
        names.key(land, parent);
        let _ = moves.tidied(parent, |lands| {
            sum.clear();
            sum.extend(lands.map(|raw| recall(recent, raw, |raw| names.land(keys.key(raw)))));
            children.push(names.sum(sum));
            ControlFlow::<()>::Continue(())
        })?;
        Ok(())
    }
}

/// The number of a land, from memory or else from `find`.
#[inline]
fn recall(recent: &mut Recent<LINES>, raw: &[u8], find: impl FnOnce(&[u8]) -> u32) -> u32 {
    let hash = (hash(raw) >> 32) as u32;
    if let Some(land) = recent.get(hash, raw) {
        return land;
    }
    let land = find(raw);
    recent.set(hash, raw, land);
    land
}
