//! Finds who wins, and what positions are worth.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::moves;
use super::{Land, Player, Position, Temper};
use crate::TooLarge;
use crate::partizan::{Class, Heat, Value, Values};

/// Most positions, and most lands, that a solver keeps.
const LIMIT: usize = 500_000;

/// What a position is worth in normal play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worth {
    /// Its canonical form.
    pub value: Value,
    /// Its mean and its temperature.
    pub heat: Heat,
}

/// Solves positions of one of the two games.
pub struct Solver {
    temper: Temper,
    /// Whether the player to move wins, by position, player and play.
    wins: HashMap<(Position, Player, bool), bool, FxBuildHasher>,
    options: HashMap<(Land, Player), Vec<Position>, FxBuildHasher>,
    lands: HashMap<Land, Value, FxBuildHasher>,
    values: Values,
    /// Positions and lands that were looked at.
    looked: Arc<AtomicU64>,
}

impl Solver {
    /// A solver that knows nothing yet.
    #[must_use]
    pub fn new(temper: Temper) -> Self {
        let (wins, options, lands, looked) = Default::default();
        Self { temper, wins, options, lands, values: Values::default(), looked }
    }

    /// The same; counts there the positions and lands that are looked at, for those who wait.
    #[must_use]
    pub fn counting(self, looked: Arc<AtomicU64>) -> Self {
        Self { looked, ..self }
    }

    /// Who wins with best play. In misère play a player who cannot move wins.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn class(&mut self, position: &Position, misere: bool) -> Result<Class, TooLarge> {
        let left = self.wins(position, Player::Left, misere)?;
        let right = self.wins(position, Player::Right, misere)?;
        Ok(Class::new(left, !right))
    }

    /// Whether `player` wins when it is to move.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn wins(
        &mut self,
        position: &Position,
        player: Player,
        misere: bool,
    ) -> Result<bool, TooLarge> {
        let key = (position.clone(), player, misere);
        if let Some(&known) = self.wins.get(&key) {
            return Ok(known);
        }
        if self.wins.len() >= LIMIT {
            return Err(TooLarge { limit: LIMIT, what: "positions" });
        }
        self.looked.fetch_add(1, Relaxed);
        let (mut moved, mut wins) = (false, false);
        'lands: for (i, land) in position.0.iter().enumerate() {
            let rest = Position([&position.0[..i], &position.0[i + 1..]].concat());
            for option in self.options(land, player)? {
                moved = true;
                if !self.wins(&rest.plus(&option.0), player.other(), misere)? {
                    wins = true;
                    break 'lands;
                }
            }
        }
        wins |= misere && !moved;
        self.wins.insert(key, wins);
        Ok(wins)
    }

    /// What a position is worth: the sum over its lands.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn worth(&mut self, position: &Position) -> Result<Worth, TooLarge> {
        let value = self.value(position)?;
        let heat = self.values.heat(value)?;
        Ok(Worth { value, heat })
    }

    fn value(&mut self, position: &Position) -> Result<Value, TooLarge> {
        let mut sum = Value::ZERO;
        for land in &position.0 {
            let value = self.value_of_land(land)?;
            sum = self.values.sum(sum, value)?;
        }
        Ok(sum)
    }

    fn value_of_land(&mut self, land: &Land) -> Result<Value, TooLarge> {
        if let Some(&known) = self.lands.get(land) {
            return Ok(known);
        }
        if self.lands.len() >= LIMIT {
            return Err(TooLarge { limit: LIMIT, what: "lands" });
        }
        self.looked.fetch_add(1, Relaxed);
        let mut both = [Player::Left, Player::Right].map(|player| (player, Vec::new()));
        for (player, values) in &mut both {
            for option in self.options(land, *player)? {
                values.push(self.value(&option)?);
            }
        }
        let [(_, left), (_, right)] = both;
        let value = self.values.of(left, right)?;
        self.lands.insert(land.clone(), value);
        Ok(value)
    }

    /// The different positions that a player can make of a position.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn moves(
        &mut self,
        position: &Position,
        player: Player,
    ) -> Result<BTreeSet<Position>, TooLarge> {
        let mut moves = BTreeSet::new();
        for (i, land) in position.0.iter().enumerate() {
            let rest = Position([&position.0[..i], &position.0[i + 1..]].concat());
            moves.extend(self.options(land, player)?.iter().map(|option| rest.plus(&option.0)));
        }
        Ok(moves)
    }

    /// The different positions that a land becomes by a move of a player.
    fn options(&mut self, land: &Land, player: Player) -> Result<Vec<Position>, TooLarge> {
        let key = (land.clone(), player);
        if let Some(known) = self.options.get(&key) {
            return Ok(known.clone());
        }
        if self.options.len() >= LIMIT {
            return Err(TooLarge { limit: LIMIT, what: "lands" });
        }
        let options = moves::options(land, player, self.temper);
        let options: HashSet<Position, FxBuildHasher> = options.into_iter().collect();
        let mut options: Vec<Position> = options.into_iter().collect();
        options.sort_unstable();
        self.options.insert(key, options.clone());
        Ok(options)
    }

    /// The canonical form of a value as text; see [`Values::text`].
    #[must_use]
    pub fn text(&self, value: Value, longest: usize) -> Option<String> {
        self.values.text(value, longest)
    }

    /// The values that it has met, for further questions about them.
    #[must_use]
    pub fn values(&mut self) -> &mut Values {
        &mut self.values
    }
}
