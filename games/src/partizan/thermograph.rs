//! Thermographs: how hot a game is, and what it is worth on average.
//!
//! The left wall of a game at temperature t is the greatest right wall of an option of Left, less
//! t; the right wall is the least left wall of an option of Right, plus t. Where the walls meet,
//! the game is frozen, and both go straight up (*Winning Ways*, chapter 6).

use super::{Form, Fraction, Value, Values};
use crate::TooLarge;

/// The mean value and the temperature of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heat {
    /// What many copies of it are worth, divided by their number.
    pub mean: Fraction,
    /// What a move in it is worth; negative for numbers, where neither player wants to move.
    pub temperature: Fraction,
}

/// The units in 1: numbers are counted in these, and smaller fractions do not fit.
const ONE: i64 = 1 << 32;

/// A function of the temperature, in units of 1 / [`ONE`]: points at which it bends, from
/// temperature 0 on, and its slope after the last one.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Wall {
    points: Vec<(i64, i64)>,
    slope: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Walls {
    left: Wall,
    right: Wall,
    /// Where they meet.
    top: i64,
}

impl Wall {
    fn straight(at: i64) -> Self {
        Self { points: vec![(0, at)], slope: 0 }
    }

    fn at(&self, t: i64) -> i64 {
        let after = self.points.partition_point(|point| point.0 <= t);
        let (t0, v0) = self.points[after - 1];
        match self.points.get(after) {
            // All slopes are -1, 0 or 1, except while walls are compared.
            Some(&(t1, v1)) => v0 + (v1 - v0) / (t1 - t0) * (t - t0),
            None => v0 + self.slope * (t - t0),
        }
    }

    /// The wall with its slope increased by `slope` everywhere.
    fn tilted(&self, slope: i64) -> Self {
        let points = self.points.iter().map(|&(t, v)| (t, v + slope * t)).collect();
        Self { points, slope: self.slope + slope }
    }

    fn negative(&self) -> Self {
        let points = self.points.iter().map(|&(t, v)| (t, -v)).collect();
        Self { points, slope: -self.slope }
    }

    /// Temperatures at which this wall, or another one, bends.
    fn bends(&self, other: &Self) -> Vec<i64> {
        let mut bends: Vec<i64> =
            self.points.iter().chain(&other.points).map(|point| point.0).collect();
        bends.sort_unstable();
        bends.dedup();
        bends
    }

    /// The greater one of two walls at every temperature. Slopes differ by 1 at most, so walls
    /// cross at points of the grid.
    fn greater(&self, other: &Self) -> Self {
        let mut bends = self.bends(other);
        let difference = |t: i64| self.at(t) - other.at(t);
        let crossings: Vec<i64> = bends
            .iter()
            .enumerate()
            .filter_map(|(i, &t)| {
                let now = difference(t);
                let crossing = t + now.abs();
                let is_here = bends.get(i + 1).is_none_or(|&next| crossing < next);
                (now != 0 && is_here && difference(crossing) == 0).then_some(crossing)
            })
            .collect();
        bends.extend(crossings);
        bends.sort_unstable();
        bends.dedup();
        let points: Vec<_> = bends.iter().map(|&t| (t, self.at(t).max(other.at(t)))).collect();
        let &(last, value) = points.last().expect("walls begin at 0");
        let slope = self.at(last + 1).max(other.at(last + 1)) - value;
        Self { points, slope }
    }

    /// The wall up to `top`, and straight from there.
    fn below(mut self, top: i64) -> Self {
        let value = self.at(top);
        self.points.retain(|point| point.0 < top);
        self.points.push((top, value));
        self.slope = 0;
        self
    }
}

impl Values {
    /// The mean value and the temperature of a game.
    ///
    /// # Errors
    /// [`TooLarge`], when fractions come up that are too small to be counted.
    pub fn heat(&mut self, value: Value) -> Result<Heat, TooLarge> {
        let scaled = |units: i64| Fraction::new(units, ONE);
        if let Some(number) = self.number(value) {
            let temperature = Fraction::new(-1, number.denominator);
            return Ok(Heat { mean: number, temperature });
        }
        let walls = self.walls(value)?;
        let (mean, temperature) = (scaled(walls.left.at(walls.top)), scaled(walls.top));
        Ok(Heat { mean, temperature })
    }

    fn walls(&mut self, value: Value) -> Result<Walls, TooLarge> {
        if let Some(known) = self.heats.get(&value) {
            return Ok(known.clone());
        }
        let too_small = TooLarge { limit: 32, what: "bits behind the point" };
        let walls = if let Some(number) = self.number(value) {
            let Fraction { numerator, denominator } = number;
            let at = numerator.checked_mul(ONE / denominator.min(ONE)).ok_or(too_small)?;
            if denominator > ONE {
                return Err(too_small);
            }
            Walls { left: Wall::straight(at), right: Wall::straight(at), top: 0 }
        } else {
            let Form { left, right } = self.forms[value.0 as usize].clone();
            let mut best: Option<Wall> = None;
            for option in left {
                let wall = self.walls(option)?.right.tilted(-1);
                best = Some(best.map_or_else(|| wall.clone(), |best| best.greater(&wall)));
            }
            let left = best.expect("a game without options of Left is a number");
            let mut best: Option<Wall> = None;
            for option in right {
                let wall = self.walls(option)?.left.tilted(1).negative();
                best = Some(best.map_or_else(|| wall.clone(), |best| best.greater(&wall)));
            }
            let right = best.expect("a game without options of Right is a number").negative();
            let top = meet(&left, &right).ok_or(too_small)?;
            Walls { left: left.below(top), right: right.below(top), top }
        };
        self.heats.insert(value, walls.clone());
        Ok(walls)
    }
}

/// The temperature from which the left wall is not above the right one; `None` if it is between two
/// points of the grid.
fn meet(left: &Wall, right: &Wall) -> Option<i64> {
    let bends = left.bends(right);
    let gap = |t: i64| left.at(t) - right.at(t);
    for (i, &t) in bends.iter().enumerate() {
        let now = gap(t);
        if now <= 0 {
            return Some(t);
        }
        // The walls come closer by 0, 1 or 2 for each unit of temperature.
        let speed = now - gap(t + 1);
        let meeting = if speed > 0 { t + now / speed } else { continue };
        if bends.get(i + 1).is_none_or(|&next| meeting < next) {
            return (now % speed == 0).then_some(meeting);
        }
    }
    None
}
