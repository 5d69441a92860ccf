//! The rules of a game in their shortest form.

use std::ops::ControlFlow;

use crate::game::{Features, Game, Keys, Moves, TooMany};
use crate::lands::hash;

/// The rules of an impartial game whose positions fall into sums of independent *lands*.
///
/// A land is a string of fewer than 1,366 bytes that the game reads and writes as it likes, and every play must end.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use sprig_search::{Child, Limits, Question, Rules, Search, Verdict};
///
/// /// Heaps, from which one, three or four tokens are taken.
/// #[derive(Clone)]
/// struct Take134;
///
/// impl Rules for Take134 {
///     fn children(&self, heap: &[u8], child: &mut Child) -> ControlFlow<()> {
///         for taken in [1, 3, 4].into_iter().filter(|&taken| taken <= heap[0]) {
///             child(&[&[heap[0] - taken]])?;
///         }
///         ControlFlow::Continue(())
///     }
///
///     fn size(heap: &[u8]) -> u16 {
///         heap[0].into()
///     }
/// }
///
/// # fn main() -> Result<(), sprig_search::SearchError> {
/// let search = Search::new(Take134, Limits { memory: 64 << 20, threads: 2 });
/// // Two heaps of 100 and 99 tokens: who begins wins.
/// assert_eq!(search.solve(&[&[100], &[99]], Question::OUTCOME, u64::MAX, &())?, Verdict::Win);
/// // The nimbers of the heaps go 0, 1, 0, 1, 2, 3, 2 and so on, with period 7 (Berlekamp, Conway and Guy 1982).
/// let nimber = search.solve(&[&[7 * 14 + 4]], Question::Nimber, u64::MAX, &())?;
/// assert!(matches!(nimber, Verdict::Nimber(two) if two.get() == 2));
/// # Ok(())
/// # }
/// ```
pub trait Rules: Clone + Send + Sync + 'static {
    /// Calls `child` with the lands of each position that a move in `land` leads to; with none of them at the end of the
    /// game. A position may come several times. Stops as soon as `child` breaks (`child(&lands)?`).
    ///
    /// The same land must have the same children in the same order whenever it is asked. None has 1,024 lands or more.
    fn children(&self, land: &[u8], child: &mut Child) -> ControlFlow<()>;

    /// About how many moves are left in a land. The search begins with what looks short; no proof depends on it.
    fn size(land: &[u8]) -> u16;

    /// Brings a land into a form in which lands that are alike have equal bytes, so that each is searched once. Whatever it
    /// does, the land must remain an equal game, and a second time must change nothing. An empty land is no land.
    fn canonize(_land: &mut Vec<u8>) {}
}

/// What [`Rules::children`] calls with the lands of a child.
pub type Child<'a> = dyn FnMut(&[&[u8]]) -> ControlFlow<()> + 'a;

impl<R: Rules> Game for R {
    type Moves = Listing<R>;
    type Keys = Canon<R>;

    fn moves(&self) -> Listing<R> {
        Listing { rules: self.clone(), lands: Vec::new() }
    }

    fn keys(&self) -> Canon<R> {
        Canon { key: Vec::new(), rules: std::marker::PhantomData }
    }

    fn sketch(land: &[u8]) -> u64 {
        let mut land = land.to_vec();
        R::canonize(&mut land);
        sketch(&land)
    }

    fn features(land: &[u8]) -> Features {
        // An empty land is none, and no rules are asked about it.
        Features::of_size(if land.is_empty() { 0 } else { R::size(land) })
    }
}

/// The sketch of a land in its canonical form.
fn sketch(land: &[u8]) -> u64 {
    u64::from(hash(land)) << 32
}

/// Lists the moves of [`Rules`].
pub struct Listing<R> {
    rules: R,
    /// The lands of a child, canonized; of these the first ones are in use.
    lands: Vec<Vec<u8>>,
}

impl<R: Rules> Moves for Listing<R> {
    fn children<B>(
        &mut self,
        key: &[u8],
        mut visit: impl FnMut(u32, &mut dyn Iterator<Item = (&[u8], u64)>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooMany> {
        let Self { rules, lands } = self;
        let (mut way, mut broken) = (0, None);
        if key.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let _ = rules.children(key, &mut |child| {
            // Rules that do not stop at once do no harm.
            if broken.is_some() {
                return ControlFlow::Break(());
            }
            if lands.len() < child.len() {
                lands.resize_with(child.len(), Vec::new);
            }
            for (land, bytes) in lands.iter_mut().zip(child) {
                land.clear();
                land.extend_from_slice(bytes);
                R::canonize(land);
            }
            let there = lands[..child.len()].iter().filter(|land| !land.is_empty());
            match visit(way, &mut there.map(|land| (&land[..], sketch(land)))) {
                ControlFlow::Continue(()) => way += 1,
                ControlFlow::Break(with) => broken = Some(with),
            }
            if broken.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        Ok(broken.map_or(ControlFlow::Continue(()), ControlFlow::Break))
    }
}

/// Makes keys for [`Rules`].
pub struct Canon<R> {
    key: Vec<u8>,
    rules: std::marker::PhantomData<fn() -> R>,
}

impl<R: Rules> Keys for Canon<R> {
    fn key<'a>(&'a mut self, raw: &'a [u8]) -> &'a [u8] {
        self.key.clear();
        self.key.extend_from_slice(raw);
        R::canonize(&mut self.key);
        &self.key
    }
}
