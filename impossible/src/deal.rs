//! The deck: shuffled and dealt.

use fastrand::Rng;

use crate::{Card, Colour, Value};

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
}
