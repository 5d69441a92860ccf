//! Isomorphism of reduced positions, by trying all namings of the letters.
//!
//! Once every letter has a name, the rest is sorting ([`arranged`]). To find the least arranged
//! land over all namings, it would be enough to try every permutation of the letters. It saves time
//! to colour the letters first by an invariant, to number the colours, and to try only permutations
//! within a colour. To do so, each letter of the first colour that several letters share is told
//! apart in turn, and then the colours are computed again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sprig_engine::{Boundary, Land, Letter, Position, Region, Spot};

use crate::Table;
use crate::sheet::Sheet;
use crate::table::least_rotation;

/// The name of an isomorphism class: the least of all ways to write its reduced position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Position);

/// Colours, later names, by letter. Letters of a land are numbered from 0.
type Colours = Vec<u16>;

impl Key {
    pub(crate) fn of(position: &Position) -> Self {
        if position.is_spherical() {
            return Self::of_table(Table::of(position));
        }
        Self::of_written(&Sheet::of(position).reduced().to_position())
    }

    pub(crate) fn of_table(table: Table) -> Self {
        Self::of_written(&table.reduced().to_position())
    }

    /// The key of a position that is reduced.
    pub(crate) fn of_written(position: &Position) -> Self {
        let mut lands: Vec<Land> = position.0.iter().map(canonical).collect();
        lands.sort();
        Self(Position(lands))
    }

    /// The key of one land out of a key.
    pub(crate) fn of_land(land: Land) -> Self {
        Self(Position(vec![land]))
    }

    /// The class, written as its representative.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.0
    }

    /// The class, written as its representative.
    #[must_use]
    pub fn into_position(self) -> Position {
        self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}

/// The least arranged land over all namings that follow the colours.
fn canonical(land: &Land) -> Land {
    let letters = land.occurrences().filter(|o| matches!(o.2, Spot::Letter(_)));
    let letters: BTreeSet<Spot> = letters.map(|o| o.2).collect();
    least_naming(land, refined(land, vec![0; letters.len()]))
}

fn least_naming(land: &Land, colours: Colours) -> Land {
    let Some(shared) = first_shared(&colours) else { return arranged(land, &colours) };
    let tied = (0..colours.len()).filter(|&letter| colours[letter] == shared);
    let told_apart = tied.map(|letter| {
        let mut colours: Colours = colours.iter().map(|colour| 2 * colour + 1).collect();
        colours[letter] -= 1;
        least_naming(land, refined(land, colours))
    });
    told_apart.min().expect("a shared colour has letters")
}

/// The first colour that is not the colour of a single letter.
fn first_shared(colours: &Colours) -> Option<u16> {
    let shared = |colour: &u16| colours.iter().filter(|c| *c == colour).count() > 1;
    colours.iter().copied().filter(shared).min()
}

/// Splits colours by what their letters see, until that splits none. Colours are numbered from 0.
fn refined(land: &Land, mut colours: Colours) -> Colours {
    loop {
        let views: Vec<_> =
            (0..colours.len()).map(|l| (colours[l], view(land, &colours, l))).collect();
        let ranks: BTreeSet<_> = views.iter().collect();
        let ranks: BTreeMap<_, u16> = ranks.into_iter().zip(0..).collect();
        let finer: Colours = views.iter().map(|view| ranks[view]).collect();
        if finer == colours {
            return colours;
        }
        colours = finer;
    }
}

/// What a letter sees: the regions around it, with itself marked.
fn view(land: &Land, colours: &Colours, letter: usize) -> Vec<Region> {
    let itself = Spot::Letter(Letter(u16::try_from(letter).expect("letters are numbered by u16")));
    let mut marked = colours.clone();
    marked[letter] = u16::MAX;
    let around = land.0.iter().filter(|region| region.0.iter().any(|b| b.0.contains(&itself)));
    let mut regions: Vec<Region> = around.map(|region| arranged_region(region, &marked)).collect();
    regions.sort();
    regions
}

/// The land with its letters named by `names`: every region read in the better direction, every
/// boundary rotated to its minimum, boundaries and regions sorted.
fn arranged(land: &Land, names: &Colours) -> Land {
    let mut regions: Vec<Region> =
        land.0.iter().map(|region| arranged_region(region, names)).collect();
    regions.sort();
    Land(regions)
}

fn arranged_region(region: &Region, names: &Colours) -> Region {
    let named = region.0.iter().map(|b| b.0.iter().map(|&spot| renamed(spot, names)).collect());
    let read: Vec<Vec<Spot>> = named.collect();
    let mirrored: Vec<Vec<Spot>> =
        read.iter().map(|boundary| boundary.iter().rev().copied().collect()).collect();
    if region.1.is_orientable() {
        // All boundaries of a region are mirrored together, or none.
        return Region(sorted_boundaries(&read).min(sorted_boundaries(&mirrored)), region.1);
    }
    // With cross-caps, each boundary is mirrored by itself.
    let better =
        |(one, other): (&Vec<Spot>, &Vec<Spot>)| least_rotation(one).min(least_rotation(other));
    let mut boundaries: Vec<Boundary> =
        read.iter().zip(&mirrored).map(better).map(Boundary).collect();
    boundaries.sort();
    Region(boundaries, region.1)
}

fn sorted_boundaries(boundaries: &[Vec<Spot>]) -> Vec<Boundary> {
    let mut sorted: Vec<Boundary> =
        boundaries.iter().map(|b| Boundary(least_rotation(b))).collect();
    sorted.sort();
    sorted
}

fn renamed(spot: Spot, names: &Colours) -> Spot {
    match spot {
        Spot::Letter(letter) => Spot::Letter(Letter(names[usize::from(letter.0)])),
        other => other,
    }
}

#[cfg(test)]
mod tests;
