//! The slow description against the fast one, against checked values, and against mutated proofs.

mod against_engine;
mod black_and_white;
mod common;
mod full_games;
mod misere_mutations;
mod mutations;
mod reference;
mod seed_game;
mod surfaces;
mod trees;
