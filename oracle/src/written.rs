//! From written positions to cards and back.

use std::collections::{BTreeMap, BTreeSet};

use sprig_engine::{Boundary, Land, Letter, Position, Region, Spot};

use crate::{Card, Row, Table};

impl Table {
    /// Lays a written position on the table, all lands beside each other.
    ///
    /// # Panics
    /// When the position is not of the sphere: rows have no handles or cross-caps.
    #[must_use]
    pub fn of(position: &Position) -> Self {
        assert!(position.is_spherical(), "only positions of the sphere lie on a table");
        let mut table = Self::default();
        for land in &position.0 {
            let mut letters = BTreeMap::new();
            for region in &land.0 {
                let row = region.0.iter();
                let row = row
                    .map(|b| b.0.iter().map(|&s| table.lay(s, &mut letters)).collect())
                    .collect();
                table.rows.push(row);
            }
        }
        table
    }

    fn lay(&mut self, spot: Spot, letters: &mut BTreeMap<Letter, Card>) -> Card {
        let next = self.degrees.last_key_value().map_or(1, |(&card, _)| card + 1);
        let card = match spot {
            Spot::Letter(letter) => *letters.entry(letter).or_insert(next),
            _ => next,
        };
        let degree = match spot {
            Spot::Zero => 0,
            Spot::One => 1,
            Spot::Two | Spot::Letter(_) => 2,
        };
        self.degrees.insert(card, degree);
        card
    }

    /// The written position, split into lands. Dead spots, and boundaries and regions without
    /// living spots, are left out, since they cannot be written; nothing else is reduced.
    #[must_use]
    pub fn to_position(&self) -> Position {
        let mut living = self.clone();
        living.remove_dead_cards();
        living.remove_empty_stacks();
        living.rows.retain(|row| !row.is_empty());
        Position(living.lands().iter().map(|rows| living.write_land(rows)).collect())
    }

    /// The numbers of the rows in groups that share no card.
    fn lands(&self) -> Vec<BTreeSet<usize>> {
        let mut lands: Vec<(BTreeSet<usize>, BTreeSet<Card>)> = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let mut rows = BTreeSet::from([number]);
            let mut cards: BTreeSet<Card> = row.iter().flatten().copied().collect();
            let (touching, mut apart): (Vec<_>, Vec<_>) =
                lands.into_iter().partition(|(_, theirs)| !theirs.is_disjoint(&cards));
            for (their_rows, their_cards) in touching {
                rows.extend(their_rows);
                cards.extend(their_cards);
            }
            apart.push((rows, cards));
            lands = apart;
        }
        let mut lands: Vec<BTreeSet<usize>> = lands.into_iter().map(|(rows, _)| rows).collect();
        lands.sort();
        lands
    }

    fn write_land(&self, rows: &BTreeSet<usize>) -> Land {
        let mut letters = BTreeMap::new();
        let mut write = |card: Card| match (self.degree(card), self.copies(card)) {
            (0, _) => Spot::Zero,
            (1, _) => Spot::One,
            (_, 1) => Spot::Two,
            _ => {
                let next =
                    u16::try_from(letters.len()).expect("a land has fewer than 65,536 letters");
                Spot::Letter(*letters.entry(card).or_insert(Letter(next)))
            }
        };
        let mut region = |row: &Row| {
            Region::spherical(
                row.iter().map(|s| Boundary(s.iter().map(|&card| write(card)).collect())).collect(),
            )
        };
        Land(rows.iter().map(|&row| region(&self.rows[row])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprig_engine::notation;

    #[test]
    fn written_positions_keep_their_text() {
        for text in ["!", "0*3", "1.2", "0*2.AB|AB", "1a1a.2+0.AB|AB", "2ab2ba", "0.A|aBaA|B"] {
            let position = notation::read(text).expect(text);
            assert_eq!(Table::of(&position).to_position().to_string(), text);
        }
    }

    #[test]
    fn full_tables_are_written_without_dead_spots() {
        for (cards, text) in [
            ("1;2;3", "0*3"),
            ("1,3,2,3", "1a1a"),
            ("4,1,3,2/4,2,3,1", "ABCD|ADCB"),
            ("5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2", "A|A+A|A"),
        ] {
            let table: Table = cards.parse().expect(cards);
            assert_eq!(table.to_position().to_string(), text);
        }
    }
}
