//! What the tests share.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::Path;

use sprig_pousse::{Board, Configuration, Game, Insertion, Player, Repeat};

/// The lines of a file in `testdata/variants` that are no comments.
pub fn rows(file: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/variants").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// The start of a game.
pub fn start(size: usize, repeat: Repeat) -> Game {
    Game::new(Configuration { board: Board::empty(size), to_move: Player::X }, repeat)
}

/// A position of a reference.
pub fn configuration(board: &str, to_move: &str) -> Configuration {
    let to_move = if to_move == "X" { Player::X } else { Player::O };
    Configuration { board: board.parse().expect(board), to_move }
}

/// One of the moves on a board.
pub fn any_move(random: &mut fastrand::Rng, size: usize) -> Insertion {
    let all: Vec<_> = Insertion::all(size).collect();
    all[random.usize(..all.len())]
}
