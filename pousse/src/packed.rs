//! Boards of up to 4 x 4 in two words of 16 bits, for the solver.

use crate::{Board, Insertion, MAX_SOLVED, Player, Side};

/// The markers of the player to move, and those of the opponent. Bit `row * size + column` is a
/// square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Packed {
    pub own: u16,
    pub other: u16,
}

impl Packed {
    /// A board as the player to move sees it.
    pub fn of(board: &Board, to_move: Player) -> Self {
        assert!(board.size() <= MAX_SOLVED, "boards of up to 4 x 4 are packed");
        let bits = |player| {
            let squares = board.squares().iter().enumerate();
            squares.filter(|(_, square)| **square == Some(player)).fold(0, |b, (i, _)| b | 1 << i)
        };
        Self { own: bits(to_move), other: bits(to_move.other()) }
    }

    /// The same board as the opponent sees it.
    pub fn swapped(self) -> Self {
        Self { own: self.other, other: self.own }
    }

    pub fn filled(self) -> u16 {
        self.own | self.other
    }

    pub fn bits(self) -> u32 {
        u32::from(self.own) << 16 | u32::from(self.other)
    }
}

/// The tables of one size of board.
#[derive(Debug)]
pub(crate) struct Tables {
    size: usize,
    /// Every set of markers with its rows and columns exchanged.
    transposed: Vec<u16>,
    /// The markers of a row, put into the first column.
    upright: Vec<u16>,
    /// The markers of both players in a row after the player to move has pushed a marker in, from
    /// the left and from the right. The index is the opponent's markers above those of the player.
    pushed: [Vec<(u16, u16)>; 2],
    /// How many straights a set of markers has.
    straights: Vec<u8>,
    /// The images of the low and the high byte of a set under each symmetry but the identity.
    symmetries: Vec<[Vec<u16>; 2]>,
}

impl Tables {
    pub fn new(size: usize) -> Self {
        assert!((1..=MAX_SOLVED).contains(&size), "boards of up to 4 x 4 are packed");
        let bit = |(row, column): (usize, usize)| 1_u16 << (row * size + column);
        let moved = |set: usize, image: &dyn Fn(usize, usize) -> (usize, usize)| -> u16 {
            let squares = (0..size * size).filter(|i| set >> i & 1 == 1);
            squares.map(|i| bit(image(i / size, i % size))).sum()
        };
        let sets = 1 << (size * size);
        let row = (1 << size) - 1;
        let rows = |set: usize| (0..size).filter(|r| set >> (r * size) & row == row).count();
        let transposed: Vec<u16> = (0..sets).map(|set| moved(set, &|r, c| (c, r))).collect();
        let straights = |set: usize| (rows(set) + rows(transposed[set].into())) as u8;
        let last = size - 1;
        let images: [&dyn Fn(usize, usize) -> (usize, usize); 7] = [
            &|r, c| (r, last - c),
            &|r, c| (last - r, c),
            &|r, c| (last - r, last - c),
            &|r, c| (c, r),
            &|r, c| (c, last - r),
            &|r, c| (last - c, r),
            &|r, c| (last - c, last - r),
        ];
        let symmetries = images.map(|image| {
            [0, 8].map(|low| (0..256).map(|byte| moved(byte << low & (sets - 1), image)).collect())
        });
        let pushed = [false, true]
            .map(|right| (0..1 << (2 * size)).map(|line| pushed(line, size, right)).collect());
        Self {
            size,
            straights: (0..sets).map(straights).collect(),
            upright: transposed[..=row].to_vec(),
            transposed,
            pushed,
            symmetries: symmetries.into(),
        }
    }

    /// All insertions with the board after each, as the opponent sees it, who then moves.
    pub fn options(&self, board: Packed) -> impl Iterator<Item = (Insertion, Packed)> {
        let Packed { own, other } = board;
        let turn = |set: u16| self.transposed[usize::from(set)];
        let (size, row, turned) = (self.size, (1 << self.size) - 1, [turn(own), turn(other)]);
        Insertion::all(size).map(move |insertion| {
            let line = insertion.line - 1;
            let shift = line * size;
            let (upright, right) = match insertion.side {
                Side::Left => (false, 0),
                Side::Right => (false, 1),
                Side::Top => (true, 0),
                Side::Bottom => (true, 1),
            };
            let [a, b] = if upright { turned } else { [own, other] };
            let before = a >> shift & row | (b >> shift & row) << size;
            let (a, b) = self.pushed[right][usize::from(before)];
            let place = |set: u16| {
                if upright { self.upright[usize::from(set)] << line } else { set << shift }
            };
            let kept = !place(row);
            (insertion, Packed { own: other & kept | place(b), other: own & kept | place(a) })
        })
    }

    /// Compares the straights of both players: greater if the player to move has more.
    pub fn straights(&self, board: Packed) -> std::cmp::Ordering {
        self.straights[usize::from(board.own)].cmp(&self.straights[usize::from(board.other)])
    }

    /// The image under the symmetry of the square with this number. Number 0 gives the board
    /// itself.
    pub fn image(&self, symmetry: u8, board: Packed) -> Packed {
        let Some(symmetry) = usize::from(symmetry).checked_sub(1) else { return board };
        let [low, high] = &self.symmetries[symmetry];
        let image = |set: u16| low[usize::from(set & 255)] | high[usize::from(set >> 8)];
        Packed { own: image(board.own), other: image(board.other) }
    }

    /// The images under all symmetries, in the order of their numbers.
    pub fn images(&self, board: Packed) -> impl Iterator<Item = Packed> {
        (0..8).map(move |symmetry| self.image(symmetry, board))
    }

    /// The one board that stands for all boards that differ by a symmetry alone.
    pub fn canonical(&self, board: Packed) -> Packed {
        self.images(board).min_by_key(|image| image.bits()).expect("at least the board itself")
    }
}

/// A row after an insertion: the markers of the player to move, and those of the opponent.
fn pushed(row: usize, size: usize, right: bool) -> (u16, u16) {
    let (mut own, mut other) = (row as u16 & ((1 << size) - 1), (row >> size) as u16);
    let mut marker = (true, false);
    for step in 0..size {
        let square = 1 << if right { size - 1 - step } else { step };
        let here = (own & square != 0, other & square != 0);
        own = if marker.0 { own | square } else { own & !square };
        other = if marker.1 { other | square } else { other & !square };
        marker = here;
        if marker == (false, false) {
            break;
        }
    }
    (own, other)
}
