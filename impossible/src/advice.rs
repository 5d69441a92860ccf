//! What to play: the safe row that leaves the opponent the fewest colourings.
//!
//! A row is *safe* if the challenge can still be met after it. Between players who see through
//! every challenge, the first player without a safe row loses. So a good row takes safe rows from
//! the opponent.

use fastrand::Rng;

use crate::{Card, Colourings, Deal, HAND, Row, Table};

/// How many hands of the opponent are tried for rows that leave equally few colourings.
const SAMPLES: u32 = 30;

/// With more colourings left than this, nearly every hand has a safe row, and samples would tell
/// nothing.
const SAMPLED: u32 = 256;

/// A row of the hand, and what it does.
#[derive(Clone, PartialEq, Debug)]
pub struct Advised {
    /// The row.
    pub row: Row,
    /// How many colourings are left after it; 0 if it makes the table impossible.
    pub colourings: u32,
    /// How many of the sampled hands of the opponent had no safe row after it; counted only for the
    /// best.
    pub stuck: u32,
}

/// The different rows of a hand.
fn rows(hand: &[Card]) -> Vec<Row> {
    let mut hand = hand.to_vec();
    hand.sort_unstable();
    let mut rows = Vec::new();
    for a in 0..hand.len() {
        for b in a + 1..hand.len() {
            for c in b + 1..hand.len() {
                rows.push([hand[a], hand[b], hand[c]]);
            }
        }
    }
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The rows of a hand after which the challenge can still be met.
#[must_use]
pub fn safe_rows(left: &Colourings, hand: &[Card]) -> Vec<Row> {
    let safe = |row: &Row| !left.and(row).is_empty();
    rows(hand).into_iter().filter(safe).collect()
}

/// Whether a hand has a row after which the challenge can still be met.
fn has_safe_row(left: &Colourings, hand: &[Card]) -> bool {
    (0..hand.len()).any(|a| {
        (a + 1..hand.len()).any(|b| {
            let thirds = &hand[b + 1..];
            thirds.iter().any(|&third| !left.and(&[hand[a], hand[b], third]).is_empty())
        })
    })
}

/// The rows of a hand, the best first: safe ones before others, fewest colourings first, ties by
/// how often the opponent has no safe row when the unseen cards are dealt at random.
#[must_use]
pub fn advise(table: &Table, hand: &[Card], random: &mut Rng) -> Vec<Advised> {
    let left = Colourings::of(table);
    let mut advised: Vec<Advised> = rows(hand)
        .into_iter()
        .map(|row| Advised { row, colourings: left.and(&row).count(), stuck: 0 })
        .collect();
    advised.sort_by_key(|of| (of.colourings == 0, of.colourings));
    let best = advised.first().map_or(0, |of| of.colourings);
    let ties = advised.iter().filter(|of| of.colourings == best).count();
    if (1..=SAMPLED).contains(&best) && ties > 1 {
        let mut unseen: Vec<Card> = Deal::all().collect();
        for card in table.rows().iter().flatten().chain(hand) {
            let place = unseen.iter().position(|of| of == card).expect("a card of the deck");
            unseen.swap_remove(place);
        }
        for of in &mut advised[..ties] {
            let left = left.and(&of.row);
            for _ in 0..SAMPLES {
                random.shuffle(&mut unseen);
                let theirs = &unseen[..unseen.len().min(HAND)];
                of.stuck += u32::from(!has_safe_row(&left, theirs));
            }
        }
        advised[..ties].sort_by_key(|of| std::cmp::Reverse(of.stuck));
    }
    advised
}

/// The result of many games of the adviser against a player that plays any safe row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Match {
    /// Games played.
    pub games: u32,
    /// Games that the adviser won.
    pub won: u32,
    /// Rows on the table when a player had no safe row, of all games together.
    pub rows: u32,
}

/// Plays games; the players begin in turn. A player without a safe row has lost, for both see
/// through every challenge.
#[must_use]
pub fn play_match(games: u32, random: &mut Rng) -> Match {
    let mut result = Match { games, ..Match::default() };
    for game in 0..games {
        let mut deal = Deal::new(random);
        let mut table = Table::default();
        let adviser = (game % 2) as usize;
        let mut player = 0;
        loop {
            let safe = safe_rows(&Colourings::of(&table), &deal.hands[player]);
            if safe.is_empty() {
                break;
            }
            let row = if player == adviser {
                advise(&table, &deal.hands[player], random)[0].row
            } else {
                safe[random.usize(..safe.len())]
            };
            assert!(deal.play(player, &row), "a row of the hand");
            table.lay(row);
            deal.draw(player);
            player = 1 - player;
        }
        result.won += u32::from(player != adviser);
        result.rows += table.rows().len() as u32;
    }
    result
}
