//! Brussels Sprouts: crosses, whose free arms are joined by curves.
//!
//! A move joins two free arms by a curve and crosses the curve with a short stroke, so that the new
//! cross has a free arm on each side. So a region is given by the numbers of free arms of its
//! boundaries alone, and regions are independent of each other.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::TooLarge;

/// A start position: crosses on a surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    /// How many crosses.
    pub crosses: u32,
    /// Free arms of each.
    pub arms: u32,
    /// 0: the sphere, or the plane; g > 0: a sphere with g handles; -k: one with k cross-caps.
    pub surface: i32,
}

/// What cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoStart {
    /// Nothing to play with.
    #[error("there must be at least one cross with at least one arm")]
    Nothing,
    /// Numbers that are too large to be drawn.
    #[error("at most {MOST} crosses, arms, handles or cross-caps")]
    TooMuch,
}

/// The largest number of each that is accepted.
pub const MOST: u32 = 1_000_000;

/// The numbers of moves that a game may have: every `step`-th number from the shortest to the
/// longest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lengths {
    /// Moves of the shortest game.
    pub shortest: u64,
    /// Moves of the longest game.
    pub longest: u64,
    /// 1 or 2.
    pub step: u64,
}

impl Start {
    /// A start position of crosses on a surface.
    ///
    /// # Errors
    /// [`NoStart`].
    pub fn new(crosses: u32, arms: u32, surface: i32) -> Result<Self, NoStart> {
        if crosses == 0 || arms == 0 {
            return Err(NoStart::Nothing);
        }
        if crosses > MOST || arms > MOST || surface.unsigned_abs() > MOST {
            return Err(NoStart::TooMuch);
        }
        Ok(Self { crosses, arms, surface })
    }

    /// How long games from here are.
    ///
    /// The number of free arms stays the same, N = crosses · arms, and at the end there is one in
    /// each region. With m moves there are crosses + m crossings, 2m edges and N regions, so that m
    /// = N + crosses − χ, if the surface, of Euler characteristic χ, has been cut open as far as
    /// possible. Every handle that is left uncut makes the game 2 moves shorter, every cross-cap 1.
    /// One free arm alone has no move.
    #[must_use]
    pub fn lengths(&self) -> Lengths {
        let (crosses, arms) = (u64::from(self.crosses), u64::from(self.arms));
        let extra = u64::from(self.surface.unsigned_abs());
        if crosses * arms == 1 {
            return Lengths { shortest: 0, longest: 0, step: 1 };
        }
        let shortest = crosses * (arms + 1) - 2;
        let step = if self.surface < 0 { 1 } else { 2 };
        Lengths { shortest, longest: shortest + step * extra, step }
    }

    /// Whether all games have an odd number of moves, or all an even one; `None` where the players
    /// have a choice.
    #[must_use]
    pub fn parity(&self) -> Option<bool> {
        let Lengths { shortest, longest, step } = self.lengths();
        (step == 2 || shortest == longest).then_some(shortest % 2 == 1)
    }
}

/// A region: its surface, and the free arms of each boundary, ascending.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Region {
    surface: i32,
    arms: Vec<u32>,
}

impl Region {
    /// A region of a surface, numbered as in [`Start::surface`], with the free arms of each of its
    /// boundaries.
    ///
    /// # Panics
    /// Without a boundary, or with one that has no arm.
    #[must_use]
    pub fn new(surface: i32, mut arms: Vec<u32>) -> Self {
        assert!(!arms.is_empty() && !arms.contains(&0), "every boundary has an arm");
        arms.sort_unstable();
        Self { surface, arms }
    }

    /// The regions that a move makes of it, sorted; none on an orientable surface, where nobody has
    /// a choice that matters.
    #[must_use]
    pub fn moves(&self) -> Option<BTreeSet<Vec<Self>>> {
        (self.surface < 0).then(|| options(self).into_iter().collect())
    }
}

/// A sum of regions. Those on orientable surfaces count as no more than a parity: a game of which
/// all plays have an even number of moves may be left out in both plays, and one of an odd number
/// stands for one move.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Sum {
    is_odd: bool,
    regions: Vec<Region>,
}

/// What a position is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worth {
    /// Its nimber, in normal play.
    pub nimber: u32,
    /// Whether the first player wins in misère play.
    pub wins_misere: bool,
}

/// Solves positions on non-orientable surfaces, and positions on other surfaces by their parity.
#[derive(Default)]
pub struct Solver {
    nimbers: HashMap<Region, u32, FxBuildHasher>,
    misere: HashMap<Sum, bool, FxBuildHasher>,
    options: HashMap<Region, Vec<Sum>, FxBuildHasher>,
    looked: Arc<AtomicU64>,
}

/// The most regions and sums that a solver keeps.
const LIMIT: usize = 300_000;

impl Solver {
    /// The same; counts there the regions and sums that are looked at, for those who wait.
    #[must_use]
    pub fn counting(self, looked: Arc<AtomicU64>) -> Self {
        Self { looked, ..self }
    }

    /// What a start position is worth.
    ///
    /// # Errors
    /// [`TooLarge`] on non-orientable surfaces, where games must be searched.
    pub fn start(&mut self, start: Start) -> Result<Worth, TooLarge> {
        if let Some(is_odd) = start.parity() {
            return Ok(Worth { nimber: is_odd.into(), wins_misere: !is_odd });
        }
        // Longer games are out of reach anyway, and the search goes as deep as a game is long.
        if start.lengths().longest > 200 {
            return Err(too_large());
        }
        self.worth(&[Region::new(start.surface, vec![start.arms; start.crosses as usize])])
    }

    /// What regions are worth together.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn worth(&mut self, regions: &[Region]) -> Result<Worth, TooLarge> {
        let sum = sum(regions);
        let nimber = self.nimber_of_sum(&sum)?;
        Ok(Worth { nimber, wins_misere: self.wins_misere(sum)? })
    }

    fn nimber(&mut self, region: &Region) -> Result<u32, TooLarge> {
        if let Some(&known) = self.nimbers.get(region) {
            return Ok(known);
        }
        let mut reached = BTreeSet::new();
        for sum in self.options(region)? {
            reached.insert(self.nimber_of_sum(&sum)?);
        }
        let nimber = (0..).find(|nimber| !reached.contains(nimber)).expect("finitely many options");
        self.nimbers.insert(region.clone(), nimber);
        Ok(nimber)
    }

    fn nimber_of_sum(&mut self, sum: &Sum) -> Result<u32, TooLarge> {
        let regions = sum.regions.iter();
        regions
            .map(|region| self.nimber(region))
            .try_fold(u32::from(sum.is_odd), |sum, nimber| Ok(sum ^ nimber?))
    }

    fn wins_misere(&mut self, sum: Sum) -> Result<bool, TooLarge> {
        if sum.regions.is_empty() {
            return Ok(!sum.is_odd);
        }
        if let Some(&known) = self.misere.get(&sum) {
            return Ok(known);
        }
        if self.misere.len() >= LIMIT {
            return Err(too_large());
        }
        self.looked.fetch_add(1, Relaxed);
        let mut wins = sum.is_odd && !self.wins_misere(Sum { is_odd: false, ..sum.clone() })?;
        for (i, region) in sum.regions.iter().enumerate() {
            if wins {
                break;
            }
            let rest = [&sum.regions[..i], &sum.regions[i + 1..]].concat();
            for option in self.options(region)? {
                let mut regions = [&rest[..], &option.regions].concat();
                regions.sort_unstable();
                let next = Sum { is_odd: sum.is_odd ^ option.is_odd, regions };
                if !self.wins_misere(next)? {
                    wins = true;
                    break;
                }
            }
        }
        self.misere.insert(sum, wins);
        Ok(wins)
    }

    fn options(&mut self, region: &Region) -> Result<Vec<Sum>, TooLarge> {
        if let Some(known) = self.options.get(region) {
            return Ok(known.clone());
        }
        if self.options.len() >= LIMIT {
            return Err(too_large());
        }
        self.looked.fetch_add(1, Relaxed);
        let mut options: Vec<Sum> = options(region).into_iter().map(|child| sum(&child)).collect();
        options.sort_unstable_by(|a, b| (a.is_odd, &a.regions).cmp(&(b.is_odd, &b.regions)));
        options.dedup();
        self.options.insert(region.clone(), options.clone());
        Ok(options)
    }
}

fn too_large() -> TooLarge {
    TooLarge { limit: LIMIT, what: "regions or sums of them" }
}

/// Makes a sum of regions.
fn sum(regions: &[Region]) -> Sum {
    let mut sum = Sum::default();
    for region in regions {
        if region.surface < 0 {
            // One free arm alone has no move, whatever the surface.
            if region.arms != [1] {
                sum.regions.push(region.clone());
            }
        } else {
            // As in [`Start::lengths`]: N free arms on b boundaries end after N + b - 2 moves, or
            // 2 more for a handle that is cut.
            let arms: u32 = region.arms.iter().sum();
            sum.is_odd ^= (arms + region.arms.len() as u32) % 2 == 1;
        }
    }
    sum.regions.sort_unstable();
    sum
}

/// Every way to move in a region of a non-orientable surface, each with its regions sorted; ways
/// may repeat.
fn options(region: &Region) -> Vec<Vec<Region>> {
    let Region { surface, ref arms } = *region;
    let caps = -surface;
    let new =
        |surface: i32, others: &[u32], more: &[u32]| Region::new(surface, [others, more].concat());
    let mut options = Vec::new();
    for b in 0..arms.len() {
        for a in 0..b {
            let mut others = arms.clone();
            others.remove(b);
            others.remove(a);
            options.push(vec![new(surface, &others, &[arms[a] + arms[b]])]);
        }
    }
    for b in 0..arms.len() {
        let mut others = arms.clone();
        let whole = others.remove(b);
        if whole < 2 {
            continue;
        }
        // A curve through one cross-cap leaves one boundary, as before.
        let mut left = Vec::new();
        if caps >= 2 {
            left.push(1 - caps);
        }
        if caps % 2 == 1 {
            left.push((caps - 1) / 2);
        }
        options.extend(left.into_iter().map(|left| vec![new(left, &others, &[whole])]));
        for one in 1..whole {
            let other = whole - one;
            // After a curve along a handle, or through two cross-caps, the region stays in one
            // piece.
            let mut left = Vec::new();
            if caps >= 3 {
                left.push(2 - caps);
            }
            if caps % 2 == 0 {
                left.push((caps - 2) / 2);
            }
            options.extend(left.into_iter().map(|left| vec![new(left, &others, &[one, other])]));
            // After any other curve there are two sides. Each gets some of the other boundaries,
            // and some of the surface.
            let mut surfaces: Vec<(i32, i32)> =
                (1..caps).map(|part| (-part, part - caps)).collect();
            for handles in (0..).take_while(|handles| 2 * handles < caps) {
                surfaces.push((handles, 2 * handles - caps));
                surfaces.push((2 * handles - caps, handles));
            }
            for chosen in subsets(&others) {
                for &(here, there) in &surfaces {
                    let sides = [new(here, &chosen.0, &[one]), new(there, &chosen.1, &[other])];
                    options.push(Vec::from(sides));
                }
            }
        }
    }
    options.iter_mut().for_each(|regions| regions.sort_unstable());
    options
}

/// Every way to share out sorted numbers between two sides.
fn subsets(numbers: &[u32]) -> BTreeSet<(Vec<u32>, Vec<u32>)> {
    let mut ways = BTreeSet::from([(Vec::new(), Vec::new())]);
    for &number in numbers {
        let before = std::mem::take(&mut ways);
        for (one, other) in before {
            ways.insert(([&one[..], &[number]].concat(), other.clone()));
            ways.insert((one, [&other[..], &[number]].concat()));
        }
    }
    ways
}
