//! A game of a person against the program.

use fastrand::Rng;

use crate::{Answer, Card, Deal, Row, Table, advise};

/// From this row on the program challenges also what can be met. Challenges of fewer rows are met at
/// sight.
pub const BLUFFED_FROM: usize = 4;

/// Who plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Player {
    /// The person.
    Person,
    /// The program.
    Program,
}

impl Player {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Person => Self::Program,
            Self::Program => Self::Person,
        }
    }
}

/// A game up to a row. The cards follow from its seed, and what the program does from the seed and
/// the rows, so that a game can be told by its seed and its rows.
#[derive(Clone, Debug)]
pub struct Game {
    seed: u64,
    /// The first hand is the person's.
    deal: Deal,
    table: Table,
    to_lay: Player,
}

impl Game {
    /// Deals.
    #[must_use]
    pub fn new(seed: u64, begins: Player) -> Self {
        let deal = Deal::new(&mut Rng::with_seed(seed));
        Self { seed, deal, table: Table::default(), to_lay: begins }
    }

    /// The rows on the table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Who lays the next row.
    #[must_use]
    pub fn to_lay(&self) -> Player {
        self.to_lay
    }

    /// The cards in the person's hand.
    #[must_use]
    pub fn hand(&self) -> &[Card] {
        &self.deal.hands[Player::Person as usize]
    }

    /// How many cards can still be drawn.
    #[must_use]
    pub fn deck(&self) -> usize {
        self.deal.deck.len()
    }

    /// Lays the row of the player whose turn it is. That the row before was not challenged is clear
    /// then, and its player draws. Says whether the player holds the cards; if not, nothing changes.
    #[must_use]
    pub fn lay(&mut self, row: Row) -> bool {
        let player = self.to_lay;
        let is_held = self.deal.play(player as usize, &row);
        if is_held {
            if !self.table.rows().is_empty() {
                self.deal.draw(player.other() as usize);
            }
            self.table.lay(row);
            self.to_lay = player.other();
        }
        is_held
    }

    /// The row that the program lays: the advised one, or, where none is safe, the one whose core
    /// has the most rows, which is hardest to see.
    #[must_use]
    pub fn answer(&self) -> Row {
        let hand = &self.deal.hands[Player::Program as usize];
        let advised = advise(&self.table, hand, &mut self.random());
        let is_safe = advised[0].colourings > 0;
        let unsafe_rows = advised.iter().map(|of| of.row).filter(|_| !is_safe);
        let seen_in = |row: &Row| {
            let mut table = self.table.clone();
            table.lay(*row);
            match table.challenge() {
                Answer::Impossible(core) => core.rows.len(),
                Answer::Possible(_) => 0,
            }
        };
        unsafe_rows.max_by_key(seen_in).unwrap_or(advised[0].row)
    }

    /// Whether the program challenges the last row, which the person has laid: always if it makes
    /// the table impossible, and from row [`BLUFFED_FROM`] on `bluff` times in a hundred if not.
    #[must_use]
    pub fn is_challenged(&self, bluff: u32) -> bool {
        let bluffs = || self.random().u32(..100) < bluff;
        self.table.colours().is_none() || self.table.rows().len() >= BLUFFED_FROM && bluffs()
    }

    /// Random numbers for what the program does now.
    fn random(&self) -> Rng {
        // An odd constant of full width keeps the streams of neighbouring rows and seeds apart.
        let rows = self.table.rows().len() as u64 + 1;
        Rng::with_seed(self.seed.wrapping_add(rows.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Colourings, HAND, safe_rows};

    /// A game in which the person lays any safe row, up to the first row of somebody without one.
    fn played(seed: u64, begins: Player) -> Game {
        let mut game = Game::new(seed, begins);
        while game.table().colours().is_some() {
            let row = match game.to_lay() {
                Player::Program => game.answer(),
                Player::Person => {
                    assert_eq!(game.hand().len(), HAND, "three cards were drawn");
                    let safe = safe_rows(&Colourings::of(game.table()), game.hand());
                    let first = [game.hand()[0], game.hand()[1], game.hand()[2]];
                    safe.first().copied().unwrap_or(first)
                }
            };
            assert!(game.lay(row));
            // 38 cards after the deal; who laid the last row has yet to draw.
            let rows = game.table().rows().len();
            assert_eq!(game.deck(), 41_usize.saturating_sub(3 * rows));
        }
        game
    }

    #[test]
    fn a_game_follows_from_its_seed_and_its_rows() {
        for seed in 0..30 {
            let begins = if seed % 2 == 0 { Player::Person } else { Player::Program };
            let game = played(seed, begins);
            let mut again = Game::new(seed, begins);
            for row in game.table().rows() {
                if again.to_lay() == Player::Program {
                    assert_eq!(again.answer(), *row);
                }
                assert!(again.lay(*row));
            }
            assert_eq!(again.hand(), game.hand());
            assert!(game.is_challenged(0), "it is impossible");
        }
    }

    #[test]
    fn a_row_that_is_not_held_changes_nothing() {
        let mut game = Game::new(1, Player::Person);
        let card = game.hand()[0];
        let (hand, deck) = (game.hand().to_vec(), game.deck());
        assert!(!game.lay([card; 3]), "nobody holds three of a kind and colour");
        assert_eq!((game.hand(), game.deck(), game.to_lay()), (&hand[..], deck, Player::Person));
    }

    #[test]
    fn a_bluff_is_as_frequent_as_it_was_asked_for() {
        let (mut bluffs, mut rows) = ([0; 3], 0);
        for seed in 0..400 {
            let game = played(seed, Player::Person);
            let mut again = Game::new(seed, Player::Person);
            for row in game.table().rows() {
                assert!(again.lay(*row));
                if again.to_lay() == Player::Program && again.table().colours().is_some() {
                    let is_late = again.table().rows().len() >= BLUFFED_FROM;
                    rows += u32::from(is_late);
                    for (count, bluff) in bluffs.iter_mut().zip([0, 20, 100]) {
                        let is_challenged = again.is_challenged(bluff);
                        assert!(is_late || !is_challenged, "a challenge of few rows");
                        *count += u32::from(is_challenged);
                    }
                }
            }
        }
        assert_eq!((bluffs[0], bluffs[2]), (0, rows));
        assert!((15 * rows..25 * rows).contains(&(100 * bluffs[1])), "{bluffs:?} of {rows}");
    }

    #[test]
    fn a_program_without_a_safe_row_hides_it_well() {
        let mut found = 0;
        for seed in 0..200 {
            let game = played(seed, Player::Person);
            if game.to_lay() == Player::Program {
                continue;
            }
            // The program has laid the last row, which is impossible.
            let Answer::Impossible(core) = game.table().challenge() else { panic!("{game:?}") };
            let rows = game.table().rows();
            let mut before = Game::new(seed, Player::Person);
            assert!(rows[..rows.len() - 1].iter().all(|row| before.lay(*row)));
            let hand = &before.deal.hands[1];
            assert!(safe_rows(&Colourings::of(&before.table), hand).is_empty(), "it had none");
            let mut first = before.table.clone();
            first.lay([hand[0], hand[1], hand[2]]);
            let Answer::Impossible(other) = first.challenge() else { panic!("{first}") };
            assert!(core.rows.len() >= other.rows.len());
            found += 1;
        }
        assert!(found > 10, "{found}");
    }
}
