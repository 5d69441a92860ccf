//! The children of lands.

use std::ops::ControlFlow;

use sprig_domain::Game;
use sprig_engine::{CanonicalPosition, Canonizer, Effort, Generator, TooManyMoves};
use sprig_search::kernel::recent::Recent;

use crate::lands::hash;
use crate::names::{Name, Names};

/// Finds children. Owns its scratch memory; one for each thread.
pub(crate) struct Mover {
    generator: Generator,
    canonizer: Canonizer,
    /// Lands met lately: about half of all lands were met a moment ago under the same letters, and need no key.
    recent: Recent<LINES>,
    parent: Vec<u8>,
    sum: Vec<u32>,
}

/// Four megabytes: with fewer lines more keys are made, with more the lines are slower to reach.
const LINES: usize = 1 << 16;

impl Mover {
    pub fn new(game: Game, effort: Effort) -> Self {
        Self {
            generator: game.generator(),
            canonizer: Canonizer::new(effort),
            recent: Recent::default(),
            parent: Vec::new(),
            sum: Vec::new(),
        }
    }

    /// Finds or adds a position.
    pub fn name(&mut self, names: &Names, position: &CanonicalPosition) -> Name {
        let lands = position.lands().iter();
        let mut lands: Vec<u32> = lands.map(|land| self.land(names, land.key())).collect();
        names.sum(&mut lands)
    }

    /// Finds or adds a land, given as bytes of the grammar.
    pub fn land(&mut self, names: &Names, land: &[u8]) -> u32 {
        names.land(self.canonizer.key(land))
    }

    /// Fills `children` with the children of a land, as they come; some come several times.
    pub fn children(
        &mut self,
        names: &Names,
        land: u32,
        children: &mut Vec<Name>,
    ) -> Result<(), TooManyMoves> {
        let Self { generator, canonizer, recent, parent, sum } = self;
        children.clear();
        names.key(land, parent);
        let _ = generator.children(parent, |lands| {
            sum.clear();
            sum.extend(
                lands
                    .tidy()
                    .iter()
                    .map(|raw| recall(recent, raw, |raw| names.land(canonizer.key(raw)))),
            );
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
