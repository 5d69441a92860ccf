//! Positions by number, and the children of lands.

use std::ops::ControlFlow;

use sprig_engine::{CanonicalPosition, Canonizer, Effort, Generator, TooManyMoves};

use crate::lands::{Lands, hash};
use crate::sets::Sets;

/// A position of one [`Positions`]: a single land by its number, every other sum by its number with the top bit set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Name(pub u32);

const SUM: u32 = 1 << 31;

/// Lands and sums of lands met so far, and the means to find their children.
pub(crate) struct Positions {
    pub lands: Lands,
    pub sums: Sets,
    generator: Generator,
    namer: Namer,
    parent: Vec<u8>,
}

impl Name {
    pub fn of_land(land: u32) -> Self {
        Self(land)
    }

    pub fn of_sum(sum: u32) -> Self {
        Self(sum | SUM)
    }

    /// The number of the land, or that of the sum.
    #[inline]
    pub fn split(self) -> Result<u32, u32> {
        if self.0 < SUM { Ok(self.0) } else { Err(self.0 ^ SUM) }
    }
}

impl Positions {
    pub fn new(effort: Effort) -> Self {
        Self {
            lands: Lands::default(),
            sums: Sets::default(),
            generator: Generator::default(),
            namer: Namer::new(effort),
            parent: Vec::new(),
        }
    }

    /// The lands of a position, sorted.
    #[inline]
    pub fn lands_of<'a>(&'a self, position: &'a Name) -> &'a [u32] {
        match position.split() {
            Ok(_) => std::slice::from_ref(&position.0),
            Err(sum) => self.sums.get(sum),
        }
    }

    /// The sum of sorted lands.
    #[inline]
    pub fn sum(&mut self, lands: &[u32]) -> Name {
        name_of(&mut self.sums, lands)
    }

    /// Finds or adds a position.
    pub fn intern(&mut self, position: &CanonicalPosition) -> Name {
        let name =
            |land: &sprig_engine::CanonicalLand| self.namer.name(&mut self.lands, land.key());
        let mut lands: Vec<u32> = position.lands().iter().map(name).collect();
        lands.sort_unstable();
        self.sum(&lands)
    }

    /// Fills `children` with the children of a land, sorted, each once.
    pub fn children(&mut self, land: u32, children: &mut Vec<Name>) -> Result<(), TooManyMoves> {
        children.clear();
        self.parent.clear();
        self.parent.extend_from_slice(self.lands.get(land));
        let mut sum = Vec::new();
        let _ = self.generator.children(&self.parent, |lands| {
            sum.clear();
            sum.extend(lands.iter().map(|raw| self.namer.name(&mut self.lands, raw)));
            sum.sort_unstable();
            children.push(name_of(&mut self.sums, &sum));
            ControlFlow::<()>::Continue(())
        })?;
        children.sort_unstable();
        children.dedup();
        Ok(())
    }
}

#[inline]
fn name_of(sums: &mut Sets, lands: &[u32]) -> Name {
    match *lands {
        [land] => Name::of_land(land),
        _ => Name::of_sum(sums.intern(lands).0),
    }
}

/// Finds the number of a land, with a short memory for lands met lately: about half of all lands were met a moment ago
/// under the same names, and need no key. Entries hold the whole land, so a hit is certain.
struct Namer {
    canonizer: Canonizer,
    recent: Vec<Line>,
}

const LINES: usize = 1 << 13;
const LONGEST: usize = 59;

/// One line of the processor's cache.
#[derive(Clone)]
#[repr(align(64))]
struct Line {
    land: u32,
    length: u8,
    raw: [u8; LONGEST],
}

impl Namer {
    fn new(effort: Effort) -> Self {
        let empty = Line { land: 0, length: 0, raw: [0; LONGEST] };
        Self { canonizer: Canonizer::new(effort), recent: vec![empty; LINES] }
    }

    #[inline]
    fn name(&mut self, lands: &mut Lands, raw: &[u8]) -> u32 {
        let line = &mut self.recent[(hash(raw) >> 32) as usize % LINES];
        if line.raw.get(..line.length.into()) == Some(raw) {
            return line.land;
        }
        let land = lands.intern(self.canonizer.key(raw));
        if let Some(place) = line.raw.get_mut(..raw.len()) {
            place.copy_from_slice(raw);
            line.length = raw.len() as u8;
            line.land = land;
        }
        land
    }
}
