//! Depth-first proof-number search (df-pn) of the true outcome, with the rule of repetition.
//!
//! In games that repeat, values depend on the configurations met before, which is the trouble of
//! searches. Pousse has none: an insertion that fills a square makes all that was met before
//! irrelevant. So a node is a board, the player to move, and the set of configurations met since
//! the last such insertion. Equal nodes have equal values. After an insertion that fills a square
//! the set is empty, and the board can be turned, mirrored, and seen by the player to move.

use std::cmp::Ordering;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::packed::{Packed, Tables};
use crate::{Configuration, Game, Insertion, MAX_SOLVED, Player, Repeat};

/// A proof or disproof number that cannot be reached, as the opposite is proved.
const INFINITE: u32 = u32::MAX;

/// A node of the search.
#[derive(Clone, Copy, Debug)]
struct Node {
    board: Packed,
    /// Whether the player to move made the first move after the last insertion that filled a
    /// square.
    first: bool,
    /// The hashes of what was met: as the player to move sees it, and as the opponent does.
    met: [Hash; 2],
}

/// The hash of a set of codes. Each code has a random number, and these are added without carry.
///
/// A table cannot hold such sets. With 96 bits and a few million nodes, the chance that two sets
/// have the same hash is below 10^-15. A proof is checked with the sets themselves.
type Hash = [u32; 3];

/// What tells nodes apart: the board, and the set of what was met, as the player to move sees them.
type Key = (u32, Hash);

/// The least work that is left to prove a win of the player to move, and to prove a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Numbers {
    win: u32,
    loss: u32,
}

const WON: Numbers = Numbers { win: 0, loss: INFINITE };
const LOST: Numbers = Numbers { win: INFINITE, loss: 0 };
const OPEN: Numbers = Numbers { win: 1, loss: 1 };

/// Where an insertion leads: to the end, or to a node.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// The game ends. The numbers are the opponent's.
    End(Numbers),
    /// A square was filled.
    Fresh(Node),
    /// The board has as many markers as before.
    Same(Node),
}

/// Finds the true outcomes of positions on one size of board.
#[derive(Debug)]
pub struct Solver {
    size: usize,
    repeat: Repeat,
    tables: Tables,
    known: HashMap<Key, Numbers, FxBuildHasher>,
    expansions: u64,
}

/// A configuration as a number, with the markers of one player first. Whether that player is to
/// move counts only if the rule of repetition says so.
fn code(board: Packed, to_move: bool, repeat: Repeat) -> u64 {
    let seen = if to_move { board } else { board.swapped() };
    u64::from(seen.bits()) | u64::from(to_move && repeat == Repeat::Player) << 32
}

/// Adds a code to the hash of a set.
fn add(set: Hash, code: u64) -> Hash {
    let split_mix = |seed: u64| {
        let mut z = code.wrapping_add(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    };
    let (a, b) = (split_mix(1 << 40), split_mix(1 << 41));
    [set[0] ^ a as u32, set[1] ^ (a >> 32) as u32, set[2] ^ b as u32]
}

impl Node {
    fn key(&self) -> Key {
        (self.board.bits(), self.met[0])
    }
}

impl Solver {
    /// A solver that knows nothing yet.
    ///
    /// # Panics
    /// On a board that is larger than 4 x 4.
    #[must_use]
    pub fn new(size: usize, repeat: Repeat) -> Self {
        assert!((1..=MAX_SOLVED).contains(&size), "boards of up to 4 x 4 are solved");
        let tables = Tables::new(size);
        Self { size, repeat, tables, known: HashMap::default(), expansions: 0 }
    }

    /// How many nodes were looked at. A node counts each time.
    #[must_use]
    pub fn expansions(&self) -> u64 {
        self.expansions
    }

    /// The winner of a game, if both play as well as they can from now on.
    ///
    /// # Panics
    /// When the game has another board or another rule of repetition than this solver.
    pub fn winner(&mut self, game: &Game) -> Player {
        if let Some(ending) = game.ending() {
            return ending.winner;
        }
        let images: Vec<_> = (0..8).map(|symmetry| self.node(game, symmetry)).collect();
        let decided = images.iter().filter_map(|(node, _)| self.known.get(&node.key()).copied());
        let decided = decided.into_iter().find(|of| of.win == 0 || of.loss == 0);
        let numbers = decided.unwrap_or_else(|| {
            let least = images.into_iter().min_by_key(|(node, _)| node.board.bits());
            let (node, mut path) = least.expect("eight images");
            self.search(node, Numbers { win: INFINITE, loss: INFINITE }, &mut path, 0)
        });
        let mover = game.now().to_move;
        if numbers.win == 0 { mover } else { mover.other() }
    }

    /// A winning move, if one is known. After [`Solver::winner`] the winner always knows one,
    /// whatever the loser plays.
    ///
    /// # Panics
    /// As [`Solver::winner`].
    #[must_use]
    pub fn winning_move(&self, game: &Game) -> Option<Insertion> {
        let board = Packed::of(&game.now().board, game.now().to_move);
        (0..8).find_map(|symmetry| {
            let (node, path) = self.node(game, symmetry);
            let options = self.options(&node, &path);
            let (found, _) = options.iter().find(|(_, next)| self.numbers(next).loss == 0)?;
            let (_, image) = self.tables.options(node.board).find(|(of, _)| of == found)?;
            let mut options = self.tables.options(board);
            let same = options.find(|&(_, next)| self.tables.image(symmetry, next) == image);
            same.map(|(insertion, _)| insertion)
        })
    }

    /// The image of a game under a symmetry: its node, and the codes of what was met, as the player
    /// to move sees them.
    fn node(&self, game: &Game, symmetry: u8) -> (Node, Vec<u64>) {
        assert_eq!((self.size, self.repeat), (game.now().board.size(), game.repeat()), "one game");
        let image =
            |of: &Configuration| self.tables.image(symmetry, Packed::of(&of.board, of.to_move));
        let mover = game.now().to_move;
        let seen_by = |player: Player| {
            game.met().map(move |met| code(image(met), met.to_move == player, self.repeat))
        };
        let hash = |player| seen_by(player).fold(Hash::default(), add);
        let met = [hash(mover), hash(mover.other())];
        (Node { board: image(game.now()), first: true, met }, seen_by(mover).collect())
    }

    fn fresh(&self, board: Packed) -> Node {
        let board = self.tables.canonical(board);
        let met = [true, false].map(|first| add(Hash::default(), code(board, first, self.repeat)));
        Node { board, first: true, met }
    }

    /// Where the insertions lead, each place once. If an insertion wins at once, only that one is
    /// given.
    fn options(&self, node: &Node, path: &[u64]) -> Vec<(Insertion, Next)> {
        let mut options = Vec::with_capacity(16);
        let mut keys = Vec::with_capacity(16);
        for (insertion, board) in self.tables.options(node.board) {
            let next = match self.tables.straights(board) {
                Ordering::Less => return vec![(insertion, Next::End(LOST))],
                Ordering::Greater => Next::End(WON),
                Ordering::Equal if self.wins_at_once(board) => Next::End(WON),
                Ordering::Equal if board.filled() != node.board.filled() => {
                    Next::Fresh(self.fresh(board))
                }
                Ordering::Equal if path.contains(&code(board, !node.first, self.repeat)) => {
                    Next::End(WON)
                }
                Ordering::Equal => {
                    let [own, other] = node.met;
                    let met = [
                        add(other, code(board, true, self.repeat)),
                        add(own, code(board, false, self.repeat)),
                    ];
                    Next::Same(Node { board, first: !node.first, met })
                }
            };
            if let Next::Fresh(node) | Next::Same(node) = next {
                if keys.contains(&node.key()) {
                    continue;
                }
                keys.push(node.key());
            }
            options.push((insertion, next));
        }
        options
    }

    /// Whether the player to move has an insertion that wins by straights. This look one move ahead
    /// makes the search three times as fast.
    fn wins_at_once(&self, board: Packed) -> bool {
        self.tables.options(board).any(|(_, next)| self.tables.straights(next) == Ordering::Less)
    }

    fn numbers(&self, next: &Next) -> Numbers {
        match next {
            Next::End(numbers) => *numbers,
            Next::Fresh(node) | Next::Same(node) => {
                self.known.get(&node.key()).copied().unwrap_or(OPEN)
            }
        }
    }

    /// Searches until one of the numbers reaches its limit. `path[since..]` is what was met.
    fn search(&mut self, node: Node, limit: Numbers, path: &mut Vec<u64>, since: usize) -> Numbers {
        self.expansions += 1;
        let options = self.options(&node, &path[since..]);
        loop {
            // A win needs one lost option, and a loss needs all options won.
            let mut numbers = Numbers { win: INFINITE, loss: 0 };
            let (mut best, mut second) = (0, INFINITE);
            for (index, (_, next)) in options.iter().enumerate() {
                let of = self.numbers(next);
                numbers.loss = numbers.loss.saturating_add(of.win);
                if of.loss < numbers.win {
                    second = numbers.win;
                    numbers.win = of.loss;
                    best = index;
                } else {
                    second = second.min(of.loss);
                }
            }
            if numbers.win >= limit.win || numbers.loss >= limit.loss {
                self.known.insert(node.key(), numbers);
                return numbers;
            }
            let of = self.numbers(&options[best].1);
            // A limit a quarter above the second best keeps the search from going back and forth.
            let beyond = second.saturating_add(second / 4).saturating_add(1);
            let limit = Numbers {
                win: limit.loss.saturating_sub(numbers.loss - of.win),
                loss: limit.win.min(beyond),
            };
            match options[best].1 {
                Next::End(_) => unreachable!("what is decided reaches no limit"),
                Next::Fresh(child) => {
                    let since = path.len();
                    path.push(code(child.board, true, self.repeat));
                    self.search(child, limit, path, since);
                    path.truncate(since);
                }
                Next::Same(child) => {
                    path.push(code(child.board, child.first, self.repeat));
                    self.search(child, limit, path, since);
                    path.pop();
                }
            }
        }
    }
}
