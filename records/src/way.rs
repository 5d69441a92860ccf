//! The ways to draw a curve between two spots of a full table.

use sprig_oracle::{Card, Cut, Move, Row, Stack, Table};

/// A corner: where a curve can end.
#[derive(Clone, Copy)]
struct Corner {
    stack: usize,
    card: usize,
}

/// A way to draw a curve, without the choice of the side on which other pieces come to lie.
pub(crate) struct Way<'a> {
    row: &'a Row,
    number: usize,
    corners: [Corner; 2],
    /// Whether a `!` belongs at each end.
    marks: [bool; 2],
    lives: &'a dyn Fn(Card) -> bool,
    ends: [Card; 2],
}

/// A side of a dividing curve.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The cards that the procedure takes to the new row.
    Taken,
    /// The cards that stay.
    Left,
}

impl<'a> Way<'a> {
    /// All ways to join two spots, or to draw a loop if both are the same.
    pub(crate) fn all(
        table: &'a Table,
        ends: [Card; 2],
        lives: &'a dyn Fn(Card) -> bool,
        degree: &dyn Fn(Card) -> u8,
    ) -> Vec<Self> {
        let mut ways = Vec::new();
        if !ends.iter().all(|&end| lives(end)) {
            return ways;
        }
        for (number, row) in table.rows().iter().enumerate() {
            let marked = |corner: Corner, card| {
                degree(card) == 2 && higher_is_left(&row[corner.stack], corner.card)
            };
            let (from, to) = (corners(row, ends[0]), corners(row, ends[1]));
            for (&a, &b) in from.iter().flat_map(|a| to.iter().map(move |b| (a, b))) {
                let marks = [marked(a, ends[0]), marked(b, ends[1])];
                ways.push(Self { row, number, corners: [a, b], marks, lives, ends });
            }
        }
        ways
    }

    /// The live spots of the region, ascending.
    pub(crate) fn region(&self) -> Vec<Card> {
        live(self.row.iter().flatten(), self.lives)
    }

    /// Whether a `!` belongs at each end.
    pub(crate) fn marks(&self) -> [bool; 2] {
        self.marks
    }

    /// The move, if the curve joins two pieces.
    pub(crate) fn joining(&self) -> Option<Move> {
        let [a, b] = self.corners;
        (a.stack != b.stack).then(|| {
            let cut = |corner: Corner| Cut { stack: corner.stack, cards: corner.card };
            Move::Joining { row: self.number, a: cut(a), b: cut(b) }
        })
    }

    /// The move, if the curve divides the region, with the other stacks that go to the new row.
    pub(crate) fn dividing(&self, along: Vec<usize>) -> Option<Move> {
        let [a, b] = self.corners;
        (a.stack == b.stack).then(|| {
            let stack = Cut { stack: a.stack, cards: a.card };
            Move::Dividing { row: self.number, stack, take: self.take(), along }
        })
    }

    /// How many cards are taken from the stack: all from the one corner to the other.
    fn take(&self) -> usize {
        let [a, b] = self.corners;
        let stack = self.row[a.stack].len();
        (b.card + stack - a.card) % stack + 1
    }

    /// The live spots of the divided piece that have a corner on this side and none on the other,
    /// ascending.
    pub(crate) fn own(&self, side: Side) -> Vec<Card> {
        let start = self.corners[0];
        let mut walk = self.row[start.stack].clone();
        walk.rotate_left(start.card);
        let (taken, left) = walk.split_at(self.take());
        let (own, other) = if side == Side::Taken { (taken, left) } else { (left, taken) };
        let mut own = live(own, self.lives);
        own.retain(|card| !self.ends.contains(card) && !other.contains(card));
        own
    }

    /// The other pieces that have live spots: the numbers of their stacks, and these spots,
    /// ascending.
    pub(crate) fn pieces(&self) -> Vec<(usize, Vec<Card>)> {
        let [a, b] = self.corners;
        let stacks = self.row.iter().enumerate().filter(|&(s, _)| s != a.stack && s != b.stack);
        stacks
            .map(|(s, stack)| (s, live(stack, self.lives)))
            .filter(|(_, cards)| !cards.is_empty())
            .collect()
    }

    /// The dividing move with just these pieces on `side`. Pieces without live spots stay where
    /// they are.
    pub(crate) fn with(&self, side: Side, pieces: &[usize]) -> Option<Move> {
        let along = match side {
            Side::Taken => pieces.to_vec(),
            Side::Left => {
                let all = self.pieces().into_iter().map(|(stack, _)| stack);
                all.filter(|stack| !pieces.contains(stack)).collect()
            }
        };
        self.dividing(along)
    }
}

/// The live ones of some cards, each once, ascending.
fn live<'a>(cards: impl IntoIterator<Item = &'a Card>, lives: &dyn Fn(Card) -> bool) -> Vec<Card> {
    let mut live: Vec<Card> = cards.into_iter().copied().filter(|&card| lives(card)).collect();
    live.sort_unstable();
    live.dedup();
    live
}

fn corners(row: &Row, card: Card) -> Vec<Corner> {
    let stacks = row.iter().enumerate();
    let corners = stacks.flat_map(|(stack, cards)| {
        let here = cards.iter().enumerate().filter(move |&(_, &c)| c == card);
        here.map(move |(card, _)| Corner { stack, card })
    });
    corners.collect()
}

/// Whether an ant that comes to this corner sees the higher neighbour on its left. A stack is
/// walked with the left hand on the boundary, so an ant that looks at the boundary has the previous
/// card on its left.
fn higher_is_left(stack: &Stack, card: usize) -> bool {
    let before = stack[(card + stack.len() - 1) % stack.len()];
    before > stack[(card + 1) % stack.len()]
}
