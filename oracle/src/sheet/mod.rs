//! Positions on other surfaces than the sphere, with the slow and obvious rules.
//!
//! A *sheet* is what a [`crate::Table`] is for the sphere: stacks of cards for boundaries of spots,
//! here in faces that have a surface. The moves are those that J. Lemoine and S. Viennot describe
//! in "Sprouts games on compact surfaces" (2008, arXiv:0812.0081). Nothing here is shared with the
//! engine but written positions and the name of a surface.

mod moves;
mod reduce;

use std::collections::BTreeMap;

use sprig_engine::{Boundary, Land, Letter, Position, Region, Spot, Surface};

/// A spot. It occurs wherever its number stands.
pub(crate) type Card = u32;

/// A cyclic walk along a boundary.
pub(crate) type Walk = Vec<Card>;

/// A region: handles if `genus` is positive, cross-caps if it is negative; and its boundaries.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Face {
    pub genus: i16,
    pub walks: Vec<Walk>,
}

/// A position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Sheet {
    pub faces: Vec<Face>,
    /// Curve ends at each spot, by its number.
    pub degrees: Vec<u8>,
}

impl Sheet {
    /// A written position.
    pub fn of(position: &Position) -> Self {
        let mut sheet = Self::default();
        for land in &position.0 {
            let mut letters = BTreeMap::new();
            for Region(boundaries, surface) in &land.0 {
                let mut card = |spot: &Spot| match spot {
                    Spot::Zero => sheet.spot(0),
                    Spot::One => sheet.spot(1),
                    Spot::Two => sheet.spot(2),
                    Spot::Letter(letter) => {
                        *letters.entry(*letter).or_insert_with(|| sheet.spot(2))
                    }
                };
                let walks =
                    boundaries.iter().map(|b| b.0.iter().map(&mut card).collect()).collect();
                sheet.faces.push(Face { genus: surface.genus(), walks });
            }
        }
        sheet
    }

    /// Adds a spot with `degree` curve ends.
    pub fn spot(&mut self, degree: u8) -> Card {
        self.degrees.push(degree);
        Card::try_from(self.degrees.len() - 1).expect("a position has few spots")
    }

    /// How often each spot occurs.
    pub fn passes(&self) -> Vec<u8> {
        let mut passes = vec![0; self.degrees.len()];
        for &card in self.faces.iter().flat_map(|face| face.walks.iter().flatten()) {
            passes[card as usize] += 1;
        }
        passes
    }

    /// The faces in groups that share spots, by number.
    pub fn lands(&self) -> Vec<Vec<usize>> {
        let mut land_of: Vec<usize> = (0..self.faces.len()).collect();
        let mut met: Vec<Option<usize>> = vec![None; self.degrees.len()];
        for (f, face) in self.faces.iter().enumerate() {
            for &card in face.walks.iter().flatten() {
                let first = *met[card as usize].get_or_insert(f);
                let (one, other) = (land_of[first], land_of[f]);
                land_of.iter_mut().filter(|land| **land == other).for_each(|land| *land = one);
            }
        }
        let mut lands: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        land_of.iter().enumerate().for_each(|(f, &land)| lands.entry(land).or_default().push(f));
        lands.into_values().collect()
    }

    /// The written position, split into lands. It must be reduced.
    pub fn to_position(&self) -> Position {
        let passes = self.passes();
        let lands = self.lands();
        let land = |faces: &Vec<usize>| {
            let mut names = BTreeMap::new();
            let mut spot = |&card: &Card| match (self.degrees[card as usize], passes[card as usize])
            {
                (0, _) => Spot::Zero,
                (1, _) => Spot::One,
                (_, 1) => Spot::Two,
                _ => {
                    let next = u16::try_from(names.len()).expect("a land has few letters");
                    Spot::Letter(Letter(*names.entry(card).or_insert(next)))
                }
            };
            let mut region = |&f: &usize| {
                let Face { genus, walks } = &self.faces[f];
                let walks = walks.iter().map(|walk| Boundary(walk.iter().map(&mut spot).collect()));
                let surface = Surface::new((*genus).into()).expect("no more than before the move");
                Region(walks.collect(), surface)
            };
            Land(faces.iter().map(&mut region).collect())
        };
        Position(lands.iter().map(land).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Key, Table};

    fn by_sheet(position: &Position) -> BTreeSet<Key> {
        let mut keys = BTreeSet::new();
        Sheet::of(position).reduced().for_each_option(|option| {
            keys.insert(Key::of_written(&option.reduced().to_position()));
            true
        });
        keys
    }

    /// On the sphere the cards of a sheet are those of the table.
    #[test]
    fn sheets_of_the_sphere_are_tables() {
        let mut count = 0;
        for key in crate::tree(&Position::start(3)) {
            let position = key.position();
            assert_eq!(Key::of_written(&Sheet::of(position).reduced().to_position()), key);
            let mut by_table = BTreeSet::new();
            Table::of(position).reduced().for_each_option(|_, option| {
                by_table.insert(Key::of_table(option));
            });
            assert_eq!(by_sheet(position), by_table, "{position}");
            count += 1;
        }
        assert_eq!(count, 145);
    }

    #[test]
    fn a_curve_around_a_spot_separates_or_not() {
        for (text, children) in [
            ("0*2@1", &["1a1a@1", "0.AB|AB@1", "0.AB@1|AB", "0.zy.zy", "0.AB|AB"][..]),
            ("0*2@-1", &["1a1a@-1", "0.AB@-1|AB", "0.AB|AB", "0.abab"]),
        ] {
            let expected: BTreeSet<Key> = children
                .iter()
                .map(|text| crate::key(&text.parse().expect("well-formed")))
                .collect();
            assert_eq!(by_sheet(&text.parse().expect("well-formed")), expected, "{text}");
        }
    }
}
