//! How large a game tree is, before it is walked.

use std::collections::BTreeMap;

use sprig_engine::{CanonicalPosition, shape};
use sprig_search::{Sprouts, TooMany};

use crate::children::Mover;
use crate::error::{TreeError, too_many};
use crate::names::Names;

/// How many lands a game tree has, and what a base of them costs on one thread. These are orders of
/// magnitude.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Different lands.
    pub lands: f64,
    /// Memory of a base, in bytes.
    pub bytes: f64,
    /// CPU time of a base on a machine of 2026, in seconds.
    pub seconds: f64,
}

/// Lands whose children are looked at.
const SAMPLE: usize = 4000;

/// Measured on the trees of 5, 6 and 7 spots: bytes a land, seconds a land and life.
const BYTES: f64 = 100.0;
const SECONDS: f64 = 2e-6;

impl Estimate {
    /// Makes an estimate from the upper part of the game tree.
    ///
    /// Lands are counted by their lives. Every move takes a life, so a row is complete when all
    /// rows above it have been looked at. Going down, rows first grow and then shrink; the
    /// logarithm of the growth falls, and falls faster with each row, by about 1.35 / (lives of the
    /// position) more. The rows that were not counted are guessed from that.
    ///
    /// # Errors
    /// [`TreeError::TooManyMoves`].
    pub fn of(position: &CanonicalPosition) -> Result<Self, TreeError> {
        let rows = upper_rows(position)?;
        let lives = rows.first().map_or(0, |row| row.0) as f64;
        let lands = rows.iter().map(|row| row.1).sum::<f64>() + rest(&rows, 1.35 / lives.max(1.0));
        Ok(Self { lands, bytes: lands * BYTES, seconds: lands * lives * SECONDS })
    }
}

/// Lives and number of lands of the rows that can be counted, from the top. When all rows can be
/// counted, the last one has no lives.
fn upper_rows(position: &CanonicalPosition) -> Result<Vec<(u32, f64)>, TreeError> {
    let (names, mut mover) = (Names::new(1), Mover::new(&Sprouts::default()));
    let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let (mut met, mut key) = (0, Vec::new());
    let mut sort = |rows: &mut BTreeMap<u32, Vec<u32>>| {
        while met < names.lands() as u32 {
            names.key(met, &mut key);
            rows.entry(shape(&key).lives.into()).or_default().push(met);
            met += 1;
        }
    };
    mover.name(&names, position);
    sort(&mut rows);
    let (mut counted, mut children, mut looked_at) = (Vec::new(), Vec::new(), 0);
    while let Some((lives, row)) = rows.pop_last() {
        counted.push((lives, row.len() as f64));
        looked_at += row.len();
        if looked_at > SAMPLE && counted.len() > 3 {
            return Ok(counted);
        }
        for land in row {
            let found = mover.children(&names, land, &mut children);
            found.map_err(|TooMany| too_many(Sprouts::default(), &names, land))?;
            sort(&mut rows);
        }
    }
    counted.push((0, 0.0));
    Ok(counted)
}

/// Lands in the rows below those that were counted.
fn rest(rows: &[(u32, f64)], acceleration: f64) -> f64 {
    let [.., (_, a), (_, b), (lives, c)] = *rows else { return 0.0 };
    if lives == 0 {
        return 0.0;
    }
    let mut growth = (c / b).ln();
    let mut fall = ((b / a).ln() - growth).max(acceleration);
    let (mut row, mut sum) = (c, 0.0);
    for _ in 0..lives {
        fall += acceleration;
        growth -= fall;
        row *= growth.exp();
        sum += row;
    }
    sum
}
