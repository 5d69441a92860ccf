//! Points and displacements. They use only operations that give the same bits on every machine: no
//! sines, no powers.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A point, or a displacement.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Vector {
    pub x: f64,
    pub y: f64,
}

impl Vector {
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    pub fn cross(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }

    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// A quarter turn clockwise: for a step along a curve, the way to its right.
    pub fn right(self) -> Self {
        Self::new(self.y, -self.x)
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl AddAssign for Vector {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Vector {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }
}

/// Steps of the grid in a unit. A place on the grid has at most 52 bits, so it is a number of the
/// machine without rounding, and so is the difference of two.
const STEPS: f64 = (1u64 << 42) as f64;
/// Places of the grid lie within this many units of the origin.
const FAR: f64 = 1024.0;
/// A bound of the error of [`area`] on the grid, as a part of the sum of its two products.
const ROUNDING: f64 = 4e-16;

impl Vector {
    /// The nearest place of the grid.
    pub fn on_grid(self) -> Self {
        let snap = |v: f64| (v.clamp(-FAR, FAR) * STEPS).round() / STEPS;
        Self::new(snap(self.x), snap(self.y))
    }
}

/// Twice the area of a triangle, positive when it is counter-clockwise. Its sign may be wrong when
/// the triangle is thin: then [`turn`] is asked.
pub(crate) fn area(a: Vector, b: Vector, c: Vector) -> f64 {
    (b - a).cross(c - a)
}

/// Whether a triangle is counter-clockwise (`Greater`), flat, or clockwise. This is exact for
/// places on the grid.
pub(crate) fn turn(a: Vector, b: Vector, c: Vector) -> Ordering {
    let (one, other) = (b - a, c - a);
    let (left, right) = (one.x * other.y, one.y * other.x);
    let area = left - right;
    if area.abs() > ROUNDING * (left.abs() + right.abs()) {
        return area.total_cmp(&0.0);
    }
    let whole = |v: f64| (v * STEPS) as i128;
    (whole(one.x) * whole(other.y)).cmp(&(whole(one.y) * whole(other.x)))
}

/// Whether a triangle is counter-clockwise. This is exact for places on the grid.
pub(crate) fn is_left(a: Vector, b: Vector, c: Vector) -> bool {
    turn(a, b, c) == Ordering::Greater
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::{STEPS, Vector, area, turn};

    #[test]
    fn thin_triangles_are_told_from_flat_ones() {
        let step = 1.0 / STEPS;
        let (a, b) = (Vector::new(-900.0, -900.0), Vector::new(900.0 + step, 900.0 + step));
        let on = Vector::new(13.0, 13.0);
        let beside = Vector::new(13.0, 13.0 + step);
        assert_eq!([turn(a, b, on), turn(a, b, beside)], [Ordering::Equal, Ordering::Greater]);
        assert_eq!(turn(b, a, beside), Ordering::Less);
        // Floating-point numbers of the machine do not show this turn.
        let near = Vector::new(-900.0 + 2.0 * step, -900.0 + 3.0 * step);
        assert_eq!(turn(a, near, b), turn(near, b, a));
        assert!(area(a, near, b) < 0.0 && turn(a, near, b) == Ordering::Less);
    }

    #[test]
    fn the_grid_is_exact() {
        let place = Vector::new(1.0 / 3.0, -1023.3).on_grid();
        assert_eq!(place, place.on_grid());
        assert_eq!((place.x * STEPS) as i128 as f64 / STEPS, place.x);
        assert_eq!((place.y * STEPS).fract(), 0.0);
    }
}
