//! The table: rows of stacks of cards.

use std::collections::BTreeMap;

/// A card. Equal cards, "twins", are occurrences of one spot.
pub type Card = u32;

/// A stack of cards from top to bottom: the cyclic left-hand walk of spots along a boundary.
pub type Stack = Vec<Card>;

/// A row of stacks: the boundaries of one region.
pub type Row = Vec<Stack>;

/// A position on the table: rows of stacks of cards.
///
/// The seed's procedure reads a spot's degree off the table: it is the number of its twins there,
/// and 0 for a card alone in its stack. In a reduced position dead spots and regions without moves
/// have been taken away, and a spot's twins with them, so here every card carries its degree. On a
/// *full* table, from which nothing has been taken away, both always agree. So do "the stack has
/// more than one card" and "the spot has a curve", on which the procedure's optional steps depend.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Table {
    pub(crate) rows: Vec<Row>,
    pub(crate) degrees: BTreeMap<Card, u8>,
}

impl Table {
    /// The start position of the game with `spots` spots: `spots` different cards, each in a stack
    /// of its own, all in one row.
    #[must_use]
    pub fn start(spots: u32) -> Self {
        let cards = 1..=spots;
        Self {
            rows: vec![cards.clone().map(|card| vec![card]).collect()],
            degrees: cards.map(|card| (card, 0)).collect(),
        }
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The cards on the table with their degrees, from 0 to 3; twins are listed once.
    pub fn degrees(&self) -> impl Iterator<Item = (Card, u8)> + '_ {
        self.degrees.iter().map(|(&card, &degree)| (card, degree))
    }

    /// How many twins of `card` lie on the table, itself included.
    #[must_use]
    pub fn copies(&self, card: Card) -> usize {
        self.rows.iter().flatten().flatten().filter(|&&c| c == card).count()
    }

    /// The same table with every stack cut so that it reads least, and with stacks and rows sorted.
    pub(crate) fn sorted(mut self) -> Self {
        for row in &mut self.rows {
            for stack in row.iter_mut() {
                *stack = least_rotation(stack);
            }
            row.sort();
        }
        self.rows.sort();
        self
    }

    pub(crate) fn degree(&self, card: Card) -> u8 {
        self.degrees[&card]
    }

    /// Curve ends that the spots of `row` can still take, a spot counted once.
    pub(crate) fn lives(&self, row: &Row) -> u32 {
        let mut cards: Vec<Card> = row.concat();
        cards.sort_unstable();
        cards.dedup();
        cards.into_iter().map(|card| 3 - u32::from(self.degree(card))).sum()
    }
}

/// The least of the ways to read a cyclic walk.
pub(crate) fn least_rotation<T: Ord + Copy>(walk: &[T]) -> Vec<T> {
    let rotation = |start: usize| walk[start..].iter().chain(&walk[..start]);
    let start = (0..walk.len()).min_by(|&a, &b| rotation(a).cmp(rotation(b)));
    start.map_or(Vec::new(), |start| rotation(start).copied().collect())
}
