//! Sprouts as the search sees it.

use std::ops::ControlFlow;

use sprig_domain::Game as Name;
use sprig_engine::{Canonizer, Effort, Generator, TooManyMoves};

use crate::game::{Features, Game, Keys, Moves, TooMany};

/// What earlier searches have taught about lands by their features; made by `sprig-bench train`.
pub const KNOWLEDGE: &[u8] = include_bytes!("prior/sprouts.bin");

/// A game on positions of Sprouts, by its name. Lands are bytes of the greedy canonical form; raw
/// ones are reduced lands in the grammar of canonical forms.
#[derive(Clone, Copy, Default)]
pub struct Sprouts(pub Name);

impl Sprouts {
    /// Why the moves of a land cannot be listed.
    ///
    /// # Panics
    /// When they can.
    #[must_use]
    pub fn too_many(self, land: &[u8]) -> TooManyMoves {
        let flow = self.0.generator().children(land, |_| ControlFlow::Break(()));
        flow.expect_err("a land has the same moves whenever it is asked")
    }
}

impl Game for Sprouts {
    type Moves = Generator;
    type Keys = Canonizer;

    fn moves(&self) -> Generator {
        self.0.generator()
    }

    fn keys(&self) -> Canonizer {
        Canonizer::new(Effort::Greedy)
    }

    fn sketch(land: &[u8]) -> u64 {
        sprig_engine::sketch(land)
    }

    fn features(land: &[u8]) -> Features {
        let shape = sprig_engine::shape(land);
        let coarse = u32::from(shape.regions)
            | u32::from(shape.boundaries) << 8
            | u32::from(shape.twos) << 16;
        let fine = 1
            + (u64::from(shape.letters)
                | u64::from(shape.private) << 8
                | u64::from(shape.zeros) << 16);
        Features { size: shape.lives, coarse: coarse + 1, fine }
    }
}

impl Moves for Generator {
    fn children<B>(
        &mut self,
        key: &[u8],
        mut visit: impl FnMut(u32, &mut dyn Iterator<Item = (&[u8], u64)>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooMany> {
        let flow = Self::children(self, key, |lands| visit(lands.way(), &mut lands.sketched()));
        flow.map_err(|_| TooMany)
    }

    fn tidied<B>(
        &mut self,
        key: &[u8],
        mut visit: impl FnMut(&mut dyn Iterator<Item = &[u8]>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooMany> {
        let flow = Self::children(self, key, |lands| visit(&mut lands.tidy().iter()));
        flow.map_err(|_| TooMany)
    }

    fn child<T>(
        &mut self,
        key: &[u8],
        way: u32,
        mut visit: impl FnMut(&mut dyn Iterator<Item = (&[u8], u64)>) -> T,
    ) -> Option<T> {
        Self::child(self, key, way).map(|lands| visit(&mut lands.sketched()))
    }
}

impl Keys for Canonizer {
    fn tidy(raw: &mut [u8]) {
        sprig_engine::tidy(raw);
    }

    fn key<'a>(&'a mut self, raw: &'a [u8]) -> &'a [u8] {
        Self::key(self, raw)
    }
}
