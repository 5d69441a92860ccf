//! Which game is played on positions of Sprouts.

use clap::Args;
use sprig_domain::Game;

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
}
