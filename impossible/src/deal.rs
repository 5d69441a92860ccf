//! The deck: shuffled and dealt.

use fastrand::Rng;

use crate::{Card, Colour, Row, Table, Value};

/// Cards in a full hand.
pub const HAND: usize = 7;

/// A shuffled deck, dealt to two players.
#[derive(Clone, Debug)]
pub struct Deal {
    /// The hands of the first player and of the second.
    pub hands: [Vec<Card>; 2],
    /// The other cards; the next to be drawn is the last.
    pub deck: Vec<Card>,
}

impl Deal {
    /// Shuffles and deals.
    #[must_use]
    pub fn new(random: &mut Rng) -> Self {
        let mut deck: Vec<Card> = Self::all().collect();
        random.shuffle(&mut deck);
        let mut hand = || deck.split_off(deck.len() - HAND);
        Self { hands: [hand(), hand()], deck }
    }

    /// The 52 cards, each colour and value twice.
    pub fn all() -> impl Iterator<Item = Card> {
        Value::all().flat_map(|value| {
            let card = |colour| Card { colour, value };
            let (red, black) = (card(Colour::Red), card(Colour::Black));
            [red, red, black, black]
        })
    }

    /// A player draws three cards, or what is left.
    pub fn draw(&mut self, player: usize) {
        let left = self.deck.len().saturating_sub(3);
        self.hands[player].extend(self.deck.split_off(left).into_iter().rev());
    }

    /// Takes the cards of a row out of a hand. Says whether the hand holds them; if not, it stays as
    /// it is.
    #[must_use]
    pub fn play(&mut self, player: usize, row: &Row) -> bool {
        let mut hand = self.hands[player].clone();
        for card in row {
            let Some(place) = hand.iter().position(|of| of == card) else { return false };
            hand.remove(place);
        }
        self.hands[player] = hand;
        true
    }

    /// A table with rows from the top of a shuffled deck, as many as there are cards for.
    #[must_use]
    pub fn table(rows: usize, random: &mut Rng) -> Table {
        let mut deck: Vec<Card> = Self::all().collect();
        random.shuffle(&mut deck);
        let rows = deck.chunks_exact(3).take(rows).map(|row| [row[0], row[1], row[2]]);
        rows.collect::<Vec<Row>>().into()
    }
}
