//! Children without a name.

use std::sync::atomic::Ordering::Relaxed;

use super::{CHILDREN, Key, LENGTH, LandId, Lands, META, NAMELESS, RAW};
use crate::arena::Chunk;
use crate::filter::Sketch;

impl Lands {
    /// Adds a nameless land; `None` when there is no room.
    pub fn add_nameless(&self, raw: &Key, chunk: &mut Chunk, cell: u32) -> Option<LandId> {
        let words = RAW as usize + raw.words.len();
        let place = self.arena.take(chunk, words)?;
        let record = self.arena.words(place, words);
        record[0].store(raw.sketch.0, Relaxed);
        record[META as usize].store(raw.bytes as u32 | cell << LENGTH, Relaxed);
        record[CHILDREN as usize].store(NAMELESS, Relaxed);
        for (word, &value) in record[RAW as usize..].iter().zip(&raw.words) {
            word.store(value, Relaxed);
        }
        Some(LandId(place))
    }

    /// Whether a land is nameless.
    #[inline]
    pub fn is_nameless(&self, land: LandId) -> bool {
        self.arena.word(land.0 + CHILDREN).load(Relaxed) == NAMELESS
    }

    /// The sketch of a land that is nameless.
    #[inline]
    pub fn nameless(&self, land: LandId) -> Option<Sketch> {
        self.is_nameless(land).then(|| self.sketch(land))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lands::Interned;

    fn key(bytes: &[u8]) -> Key {
        let mut key = Key::default();
        key.set(bytes, Sketch(7));
        key
    }

    fn tables() -> (Lands, LandId) {
        let lands = Lands::new(1 << 20);
        let raw = key(&[7, 3, 1, 4, 1]);
        let child = lands.add_nameless(&raw, &mut Chunk::default(), 12);
        (lands, child.expect("there is room"))
    }

    #[test]
    fn nothing_is_known_of_a_nameless_land() {
        let (lands, child) = tables();
        assert_eq!(lands.possible(child).0, u64::MAX);
        assert!(lands.node(child, 0).is_none() && lands.children(child).is_none());
        assert!(!lands.has_nodes(child));
        assert_eq!((lands.cell(child), lands.nameless(child)), (12, Some(Sketch(7))));
        let mut bytes = Vec::new();
        lands.key(child, &mut bytes);
        assert_eq!(bytes, [7, 3, 1, 4, 1]);
    }

    #[test]
    fn a_nameless_land_is_in_no_table() {
        let (lands, child) = tables();
        assert_eq!(lands.iter().count(), 0);
        let mut chunk = Chunk::default();
        let named = lands.intern(&key(&[7, 3, 1, 4, 1]), &mut chunk, || 12);
        let Interned::New(named) = named else { panic!("a name was there") };
        assert!(named != child && lands.nameless(named).is_none());
    }

    #[test]
    #[should_panic(expected = "a land with a name")]
    fn nothing_is_ever_proved_of_a_nameless_land() {
        let (lands, child) = tables();
        lands.restrict(child, 1);
    }
}
