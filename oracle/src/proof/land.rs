//! Lands, with spots that stand alone counted.

use std::collections::{BTreeMap, BTreeSet};

use sprig_engine::{self as written, Position};

/// Options that are listed at most. Proofs of start positions ask for some thousands of a land.
const MAX_WAYS: u64 = 1 << 17;
/// A region with more boundaries of several spots is not divided, whatever else it has.
const MAX_WALKS: usize = 20;

/// A land has more options than anybody would wait for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a land has a region of {walks} boundaries of several spots and about {ways} ways to move; \
     at most {MAX_WAYS} ways, and {MAX_WALKS} such boundaries, can be checked"
)]
pub struct TooManyMoves {
    walks: usize,
    ways: u64,
}

/// A spot on a walk: [`ONE`], [`TWO`], or a letter.
pub(super) type Spot = u16;

/// A spot of degree 1.
pub(super) const ONE: Spot = 1;
/// A spot of degree 2 that is seen once.
pub(super) const TWO: Spot = 2;
/// The first letter: a spot of degree 2 that is seen twice.
pub(super) const LETTER: Spot = 3;

/// A boundary: its spots in cyclic order, the region on the left hand.
pub(super) type Walk = Vec<Spot>;

/// A region.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Region {
    /// Spots of degree 0, 1 and 2 that are alone on their boundary and are not letters.
    pub loners: [u16; 3],
    /// The other boundaries.
    pub walks: Vec<Walk>,
}

/// Regions; whether they hang together is not said.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Land {
    pub regions: Vec<Region>,
    /// All letters are below this.
    pub letters: Spot,
}

impl Land {
    /// All lands of a written position beside each other.
    pub fn of(position: &Position) -> Self {
        let mut land = Self { regions: Vec::new(), letters: LETTER };
        for written in &position.0 {
            let mut names = BTreeMap::new();
            for region in &written.0 {
                let mut read = Region::default();
                for written::Boundary(walk) in &region.0 {
                    if walk[..] == [written::Spot::Zero] {
                        read.loners[0] += 1;
                        continue;
                    }
                    let spot = |spot: &written::Spot| match *spot {
                        written::Spot::Zero => unreachable!("a 0 stands alone"),
                        written::Spot::One => ONE,
                        written::Spot::Two => TWO,
                        written::Spot::Letter(letter) => {
                            *names.entry(letter).or_insert_with(|| {
                                land.letters += 1;
                                land.letters - 1
                            })
                        }
                    };
                    read.walks.push(walk.iter().map(spot).collect());
                }
                land.regions.push(read);
            }
        }
        land
    }
}

impl Land {
    /// The one land that a written position reduces to.
    ///
    /// # Errors
    /// What it reduces to, if that is not one land.
    pub fn one(position: &Position) -> Result<Self, Position> {
        let mut lands = Self::of(position).reduced();
        match (lands.pop(), lands.is_empty()) {
            (Some(land), true) => Ok(land),
            (last, _) => Err(Position(lands.iter().chain(&last).map(Self::to_written).collect())),
        }
    }

    /// Whether its options can be listed; that is told before any of them is made.
    ///
    /// # Errors
    /// [`TooManyMoves`] if there are too many.
    pub fn manageable(&self) -> Result<(), TooManyMoves> {
        let walks = self.regions.iter().map(|region| region.walks.len()).max().unwrap_or(0);
        if walks > MAX_WALKS {
            return Err(TooManyMoves { walks, ways: u64::MAX });
        }
        let ways = self.regions.iter().map(Region::ways).fold(0, u64::saturating_add);
        if ways > MAX_WAYS { Err(TooManyMoves { walks, ways }) } else { Ok(()) }
    }

    /// Lives of all its spots; a letter counts once. Every move takes at least one.
    pub fn lives(&self) -> usize {
        let mut letters = BTreeSet::new();
        let mut lives = 0;
        for region in &self.regions {
            let [zeros, ones, twos] = region.loners.map(usize::from);
            lives += 3 * zeros + 2 * ones + twos;
            for &spot in region.walks.iter().flatten() {
                lives += match spot {
                    ONE => 2,
                    TWO => 1,
                    letter => usize::from(letters.insert(letter)),
                };
            }
        }
        lives
    }

    /// Names letters in the order in which they come.
    pub fn rename(&mut self) {
        let mut names = BTreeMap::new();
        for spot in self.regions.iter_mut().flat_map(|region| &mut region.walks).flatten() {
            if *spot >= LETTER {
                let next = LETTER + names.len() as Spot;
                *spot = *names.entry(*spot).or_insert(next);
            }
        }
        self.letters = LETTER + names.len() as Spot;
    }

    /// The land as people write it.
    pub fn to_written(&self) -> written::Land {
        let region = |region: &Region| {
            let alone = [written::Spot::Zero, written::Spot::One, written::Spot::Two];
            let loners = alone.into_iter().zip(region.loners);
            let loners = loners.flat_map(|(spot, count)| vec![vec![spot]; count.into()]);
            let spot = |&spot: &Spot| match spot {
                ONE => written::Spot::One,
                TWO => written::Spot::Two,
                letter => written::Spot::Letter(written::Letter(letter - LETTER)),
            };
            let walks = region.walks.iter().map(|walk| walk.iter().map(spot).collect());
            written::Region(loners.chain(walks).map(written::Boundary).collect())
        };
        written::Land(self.regions.iter().map(region).collect())
    }
}

impl Region {
    /// Its letters, as often as they are passed.
    pub fn letters(&self) -> impl Iterator<Item = Spot> + '_ {
        self.walks.iter().flatten().copied().filter(|&spot| spot >= LETTER)
    }

    /// At most so many moves: joins, and for each curve that divides the region every way to share the other boundaries.
    fn ways(&self) -> u64 {
        let (mut curves, mut ends) = (0u64, 0u64);
        for walk in &self.walks {
            let passes = walk.len() as u64;
            let loops = walk.iter().filter(|&&spot| spot == ONE).count() as u64;
            curves += passes * passes.saturating_sub(1) / 2 + loops;
            ends += passes;
        }
        let shares = self.loners.iter().map(|&count| u64::from(count) + 1).product::<u64>();
        let kinds = self.loners.iter().filter(|&&count| count > 0).count() as u64;
        // A curve on a walk leaves the other walks to be shared, a loop at a lone spot leaves all.
        let (others, all) = (self.walks.len().saturating_sub(1), self.walks.len());
        let divisions = curves.saturating_mul(shares << others) + kinds * (shares << all);
        divisions + (ends + kinds) * (ends + kinds)
    }

    /// Lives of its spots; a letter counts once.
    pub fn lives(&self) -> usize {
        let [zeros, ones, twos] = self.loners.map(usize::from);
        let mut lives = 3 * zeros + 2 * ones + twos;
        for (w, walk) in self.walks.iter().enumerate() {
            for (i, &spot) in walk.iter().enumerate() {
                lives += match spot {
                    ONE => 2,
                    TWO => 1,
                    // On the sphere a letter is twice in a region only if it is twice on one boundary.
                    letter => usize::from(!self.walks[w][..i].contains(&letter)),
                };
            }
        }
        lives
    }
}
