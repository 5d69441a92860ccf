//! Challenges, decided as 2-SAT by the strongly connected components of the implications (Aspvall,
//! Plass, Tarjan).
//!
//! A literal is a card: "its value has its colour". Two cards of a row cannot both be wrong, so if
//! one is wrong the other is right. A card is wrong exactly when the card of the other colour is
//! right.

use crate::{Card, Colour, Core, Row, Table, Value};

/// Literals: each value in each colour.
pub(crate) const LITERALS: usize = 2 * Value::COUNT;

/// The answer to a challenge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It can be met: the place, from 0, of the card to turn in each row.
    Possible(Vec<usize>),
    /// It cannot be met.
    Impossible(Core),
}

/// One step of a chain of reasons: in a row, if one card is wrong then another must be right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The number of the row, from 0.
    pub row: usize,
    /// The card that is wrong.
    pub wrong: Card,
    /// The card that must then be right.
    pub right: Card,
}

pub(crate) fn literal(card: Card) -> usize {
    2 * card.value.index() + usize::from(card.colour == Colour::Black)
}

/// The card of the other colour.
pub(crate) fn opposite(card: Card) -> Card {
    Card { colour: card.colour.other(), value: card.value }
}

impl Table {
    /// The steps that the rows allow, both ways between every two cards of a row.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = Reason> {
        self.rows().iter().enumerate().flat_map(|(row, &[a, b, c])| {
            let pairs = [(a, b), (b, a), (a, c), (c, a), (b, c), (c, b)];
            pairs.map(|(wrong, right)| Reason { row, wrong, right })
        })
    }

    /// The colours by which the challenge can be met, in the order of the values; `None` if it
    /// cannot. The time is proportional to the number of rows.
    #[must_use]
    pub fn colours(&self) -> Option<[Colour; Value::COUNT]> {
        let mut implied = vec![Vec::new(); LITERALS];
        for Reason { wrong, right, .. } in self.reasons() {
            implied[literal(opposite(wrong))].push(literal(right));
        }
        let components = components(&implied);
        let mut colours = [Colour::Red; Value::COUNT];
        for value in Value::all() {
            let of = |colour| components[literal(Card { colour, value })];
            let (red, black) = (of(Colour::Red), of(Colour::Black));
            if red == black {
                return None;
            }
            // Components are numbered from what is implied to what implies it.
            colours[value.index()] = if red < black { Colour::Red } else { Colour::Black };
        }
        Some(colours)
    }

    /// Whether the challenge can be met, and how, or why not.
    #[must_use]
    pub fn challenge(&self) -> Answer {
        let Some(colours) = self.colours() else { return Answer::Impossible(Core::of(self)) };
        let wrong = |card: &Card| colours[card.value.index()] != card.colour;
        let turned = |row: &Row| {
            assert!(row.iter().filter(|card| wrong(card)).count() <= 1, "at most one is wrong");
            row.iter().position(wrong).unwrap_or(0)
        };
        Answer::Possible(self.rows().iter().map(turned).collect())
    }
}

/// The strongly connected component of each node, numbered so that edges lead to the same or to a
/// lower number (Tarjan).
fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    struct Walk<'a> {
        edges: &'a [Vec<usize>],
        /// When a node was first met, from 1; and the earliest node known to be in its component.
        met: Vec<usize>,
        low: Vec<usize>,
        time: usize,
        stack: Vec<usize>,
        component: Vec<Option<usize>>,
        components: usize,
    }
    impl Walk<'_> {
        fn visit(&mut self, node: usize) {
            self.time += 1;
            (self.met[node], self.low[node]) = (self.time, self.time);
            self.stack.push(node);
            for &next in &self.edges[node] {
                if self.met[next] == 0 {
                    self.visit(next);
                    self.low[node] = self.low[node].min(self.low[next]);
                } else if self.component[next].is_none() {
                    self.low[node] = self.low[node].min(self.met[next]);
                }
            }
            if self.low[node] == self.met[node] {
                while let Some(top) = self.stack.pop() {
                    self.component[top] = Some(self.components);
                    if top == node {
                        break;
                    }
                }
                self.components += 1;
            }
        }
    }
    let nodes = edges.len();
    let (met, low, component) = (vec![0; nodes], vec![0; nodes], vec![None; nodes]);
    let (time, components) = (0, 0);
    let mut walk = Walk { edges, met, low, time, stack: Vec::new(), component, components };
    for node in 0..nodes {
        if walk.met[node] == 0 {
            walk.visit(node);
        }
    }
    walk.component.into_iter().map(|of| of.expect("every node was visited")).collect()
}
