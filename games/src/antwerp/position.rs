//! Positions with coloured spots, without what cannot matter.

use std::fmt;

use super::Player;

/// The colour of a spot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Colour {
    /// A colour that both players may use.
    White,
    /// A colour that only Left may use.
    Blue,
    /// A colour that only Right may use.
    Red,
}

/// A spot, as it occurs on a boundary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Spot {
    /// Its name, if it occurs in two places; else 0.
    pub name: u16,
    /// Curve ends, 0 to 2.
    pub degree: u8,
    pub colour: Colour,
}

/// A boundary: its spots in cyclic order.
pub(super) type Boundary = Vec<Spot>;

/// A region: its boundaries.
pub(super) type Region = Vec<Boundary>;

/// Regions that share spots, directly or through others. Equal lands are the same position;
/// isomorphic ones are mostly equal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Land(pub(super) Vec<Region>);

/// A sum of lands, without what neither player can ever use.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position(pub(super) Vec<Land>);

impl Spot {
    fn lives(self) -> u32 {
        3 - u32::from(self.degree)
    }
}

impl Position {
    /// The position of white spots and nothing else.
    #[must_use]
    pub fn start(spots: usize) -> Self {
        let spot = Spot { name: 0, degree: 0, colour: Colour::White };
        Self::of(vec![vec![vec![spot]; spots]])
    }

    /// The lands.
    #[must_use]
    pub fn lands(&self) -> &[Land] {
        &self.0
    }

    /// Curve ends that its spots can still take.
    #[must_use]
    pub fn lives(&self) -> u32 {
        let spots = self.0.iter().flat_map(|land| &land.0).flatten().flatten();
        // A spot that occurs twice has one life.
        let halves: u32 = spots.map(|spot| if spot.name == 0 { 2 * spot.lives() } else { 1 }).sum();
        halves / 2
    }

    /// The position with these regions.
    pub(super) fn of(mut regions: Vec<Region>) -> Self {
        reduce(&mut regions);
        let mut lands = Vec::new();
        while let Some(first) = regions.pop() {
            let mut land = vec![first];
            let mut at = 0;
            while at < land.len() {
                let names = names(&land[at]);
                let is_tied = |region: &mut Region| {
                    self::names(region).iter().any(|name| names.contains(name))
                };
                land.extend(regions.extract_if(.., is_tied));
                at += 1;
            }
            lands.push(Land(in_order(land)));
        }
        lands.sort_unstable();
        Self(lands)
    }

    /// The position with other lands beside it.
    pub(super) fn plus(&self, lands: &[Land]) -> Self {
        let mut lands = [&self.0[..], lands].concat();
        lands.sort_unstable();
        Self(lands)
    }
}

fn names(region: &Region) -> Vec<u16> {
    region.iter().flatten().map(|spot| spot.name).filter(|&name| name != 0).collect()
}

/// Takes away what no move can use, until there is nothing left to take: places beside another
/// place of the same spot, empty boundaries, and regions in which neither player has two lives to
/// join.
fn reduce(regions: &mut Vec<Region>) {
    loop {
        let before = regions.clone();
        for boundary in regions.iter_mut().flatten() {
            boundary.dedup_by(|a, b| a.name != 0 && a.name == b.name);
            while boundary.len() > 1
                && boundary[0].name != 0
                && boundary.first().map(|spot| spot.name) == boundary.last().map(|spot| spot.name)
            {
                boundary.pop();
            }
        }
        regions.iter_mut().for_each(|region| region.retain(|boundary| !boundary.is_empty()));
        regions.retain(|region| [Player::Left, Player::Right].iter().any(|&p| has_move(region, p)));
        let all: Vec<u16> = regions.iter().flat_map(names).collect();
        for spot in regions.iter_mut().flatten().flatten() {
            if all.iter().filter(|&&name| name == spot.name).count() < 2 {
                spot.name = 0;
            }
        }
        if *regions == before {
            return;
        }
    }
}

/// Whether a player has two lives in a region.
fn has_move(region: &Region, player: Player) -> bool {
    let mut met = Vec::new();
    let mut lives = 0;
    for spot in region.iter().flatten().filter(|spot| player.may_use(spot.colour)) {
        if spot.name == 0 || !met.contains(&spot.name) {
            met.push(spot.name);
            lives += spot.lives();
        }
    }
    lives >= 2
}

/// A land with its regions, boundaries and names in an order that depends on names as little as
/// possible. Where names still decide, the same land may be kept twice, which costs time.
fn in_order(mut land: Vec<Region>) -> Vec<Region> {
    let most = land.iter().flat_map(names).max().unwrap_or(0);
    // What a name looks like: at first nothing is known, then where it stands.
    let mut looks = vec![0u64; usize::from(most) + 1];
    for _ in 0..3 {
        let mut next = vec![0u64; looks.len()];
        for region in &land {
            let walks: Vec<Vec<u64>> = region.iter().map(|b| words(b, &looks)).collect();
            let seen = hash(&least_walks(&walks).concat());
            for (boundary, walk) in region.iter().zip(&walks) {
                for (i, spot) in boundary.iter().enumerate().filter(|(_, spot)| spot.name != 0) {
                    let ahead: Vec<u64> = walk[i..].iter().chain(&walk[..i]).copied().collect();
                    let mut back = ahead.clone();
                    back[1..].reverse();
                    let place = hash(&[&ahead.min(back)[..], &[seen]].concat());
                    let look = &mut next[usize::from(spot.name)];
                    *look = look.wrapping_add(place);
                }
            }
        }
        looks = next;
    }
    for region in &mut land {
        let turned = |boundary: &Boundary| least_turn(boundary, &looks);
        let ahead: Region = sorted(region.iter().map(turned).collect(), &looks);
        let back = region.iter().map(|b| turned(&b.iter().rev().copied().collect()));
        let back: Region = sorted(back.collect(), &looks);
        let key = |region: &Region| region.iter().map(|b| words(b, &looks)).collect::<Vec<_>>();
        *region = if key(&back) < key(&ahead) { back } else { ahead };
    }
    land.sort_by_key(|region| region.iter().map(|b| words(b, &looks)).collect::<Vec<_>>());
    let mut given = vec![0; looks.len()];
    let mut next = 1;
    for spot in land.iter_mut().flatten().flatten().filter(|spot| spot.name != 0) {
        let name = &mut given[usize::from(spot.name)];
        if *name == 0 {
            *name = next;
            next += 1;
        }
        spot.name = *name;
    }
    land
}

/// A boundary with the looks of spots in place of their names.
fn words(boundary: &Boundary, looks: &[u64]) -> Vec<u64> {
    let word = |spot: &Spot| {
        let look = if spot.name == 0 { 0 } else { looks[usize::from(spot.name)] | 1 };
        hash(&[look, u64::from(spot.degree), spot.colour as u64])
    };
    boundary.iter().map(word).collect()
}

fn rotations<T: Copy>(walk: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    (0..walk.len()).map(|i| walk[i..].iter().chain(&walk[..i]).copied().collect())
}

fn least_turn(boundary: &Boundary, looks: &[u64]) -> Boundary {
    rotations(boundary).min_by_key(|turned| words(turned, looks)).unwrap_or_default()
}

fn sorted(mut region: Region, looks: &[u64]) -> Region {
    region.sort_by_key(|boundary| words(boundary, looks));
    region
}

/// The walks of a region, each turned to where it reads least, in order, in the better of both
/// directions.
fn least_walks(walks: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let in_order = |walks: Vec<Vec<u64>>| {
        let turned = walks.iter().map(|walk| rotations(walk).min().unwrap_or_default());
        let mut walks: Vec<Vec<u64>> = turned.collect();
        walks.sort_unstable();
        walks
    };
    let back = walks.iter().map(|walk| walk.iter().rev().copied().collect()).collect();
    in_order(walks.to_vec()).min(in_order(back))
}

/// Mixes numbers to one (the step of SplitMix64).
fn hash(words: &[u64]) -> u64 {
    words.iter().fold(words.len() as u64, |sum, &word| {
        let mut mixed = (sum ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::White => "W",
            Self::Blue => "b",
            Self::Red => "r",
        })
    }
}
