//! What lands that are known look like.

use rustc_hash::FxHashSet;
use sprig_engine::sketch;

/// Sketches of lands. A land that was never added may seem to be among them.
#[derive(Clone, Default, Debug)]
pub struct Sketches(FxHashSet<u32>);

/// Sketches that are kept, at most. They stand for somewhat more lands.
const KEPT: usize = 1 << 21;

impl Sketches {
    /// Adds a land, if there is room.
    pub fn add(&mut self, land: &[u8]) {
        if !self.is_full() {
            self.0.insert(sketch(land) as u32);
        }
    }

    /// Whether there is no room for more.
    pub fn is_full(&self) -> bool {
        self.0.len() >= KEPT
    }

    /// Whether a land with this sketch was added.
    pub fn may_hold(&self, sketch: u64) -> bool {
        self.0.contains(&(sketch as u32))
    }
}
