//! At which row tables become impossible.

use fastrand::Rng;

use crate::{Colourings, Deal, Row, Table, advise, safe_rows};

/// From this row on every table is impossible: 28 cards remain, and at most two of each value can.
pub const LAST_ROW: usize = 14;

/// Where the rows come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layers {
    /// The top of a shuffled deck.
    Deck,
    /// Two players who lay any safe row of their hands as long as they have one.
    Safe,
    /// Two players who lay the advised row.
    Advised,
}

/// How many tables became impossible at each row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ends {
    counts: [u32; LAST_ROW],
}

impl Ends {
    /// Plays games and counts at which row each first becomes impossible.
    #[must_use]
    pub fn of(layers: Layers, games: u32, random: &mut Rng) -> Self {
        let mut ends = Self { counts: [0; LAST_ROW] };
        for _ in 0..games {
            let safe = match layers {
                Layers::Deck => dealt(random),
                Layers::Safe => {
                    played(random, |_, _, safe, random| safe[random.usize(..safe.len())])
                }
                Layers::Advised => {
                    played(random, |table, hand, _, random| advise(table, hand, random)[0].row)
                }
            };
            ends.counts[safe] += 1;
        }
        ends
    }

    /// How many tables became impossible at a row, from 1 to [`LAST_ROW`].
    #[must_use]
    pub fn at(&self, row: usize) -> u32 {
        self.counts[row - 1]
    }

    /// How many tables there were.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The row at which a table becomes impossible, on average; not a number of no tables.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let rows: f64 = (1..=LAST_ROW).map(|row| row as f64 * f64::from(self.at(row))).sum();
        rows / f64::from(self.games())
    }
}

/// How many rows from the top of a shuffled deck can be laid before the table is impossible.
fn dealt(random: &mut Rng) -> usize {
    let mut left = Colourings::all();
    let rows = Deal::table(LAST_ROW, random);
    let is_met = |row: &&Row| {
        left = left.and(row);
        !left.is_empty()
    };
    rows.rows().iter().take_while(is_met).count()
}

/// How many rows two players lay before one has no safe row. `choose` takes the table, the hand, its
/// safe rows and random numbers.
fn played(
    random: &mut Rng,
    choose: impl Fn(&Table, &[crate::Card], &[Row], &mut Rng) -> Row,
) -> usize {
    let mut deal = Deal::new(random);
    let (mut table, mut left) = (Table::default(), Colourings::all());
    for turn in 0.. {
        let player = turn % 2;
        let safe = safe_rows(&left, &deal.hands[player]);
        if safe.is_empty() {
            break;
        }
        let row = choose(&table, &deal.hands[player], &safe, random);
        assert!(deal.play(player, &row), "a row of the hand");
        table.lay(row);
        left = left.and(&row);
        deal.draw(player);
    }
    table.rows().len()
}
