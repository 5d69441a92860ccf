//! Which game is played on positions of Sprouts.

use anyhow::ensure;
use clap::Args;
use sprig_domain::{Game, NotAsked};
use sprig_engine::paper::{Paper, Reached};
use sprig_engine::{Budget, CanonicalPosition, Unlisted};

/// For each child of a position one move of the game that leads to it.
///
/// # Errors
/// [`Unlisted`].
pub fn moves(game: Game, paper: &Paper) -> Result<Vec<Reached>, Unlisted> {
    let budget = &mut Budget::default();
    match game {
        Game::Sprouts => paper.moves(budget),
        Game::BlackAndWhite => paper.moves_black_and_white(budget),
    }
}

/// The game, for commands that know several.
#[derive(Args)]
pub struct Variant {
    /// The game: `sprouts`, or `black-and-white`, where the mover may leave the new spot out
    #[arg(long, value_name = "GAME", default_value = "sprouts")]
    variant: Game,
}

impl Variant {
    /// The game.
    pub fn game(&self) -> Game {
        self.variant
    }

    /// Refuses positions that the game does not have.
    ///
    /// # Errors
    /// With the remedy.
    pub fn check(&self, position: &CanonicalPosition) -> anyhow::Result<()> {
        ensure!(self.variant.has(position), NotAsked::Surface(self.variant));
        Ok(())
    }

    /// For each child of a position one move of the game that leads to it.
    ///
    /// # Errors
    /// [`Unlisted`].
    pub fn moves(&self, paper: &Paper) -> Result<Vec<Reached>, Unlisted> {
        moves(self.variant, paper)
    }
}
