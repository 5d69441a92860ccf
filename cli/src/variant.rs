//! Which game is played on positions of Sprouts.

use clap::Args;
use sprig_domain::{Game, NotAsked};
use sprig_engine::CanonicalPosition;

use crate::failure::Usage;

/// The name of a game in certificates.
pub fn certified(game: Game) -> sprig_certificate::Game {
    match game {
        Game::Sprouts => sprig_certificate::Game::Sprouts,
        Game::BlackAndWhite => sprig_certificate::Game::BlackAndWhite,
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
    /// The game that was chosen.
    pub fn game(&self) -> Game {
        self.variant
    }

    /// Refuses positions that the game does not have.
    ///
    /// # Errors
    /// The position, with the remedy.
    pub fn check(&self, position: &CanonicalPosition) -> anyhow::Result<()> {
        match self.variant.has(position) {
            true => Ok(()),
            false => Err(Usage(NotAsked::Surface(self.variant).to_string()).into()),
        }
    }
}
