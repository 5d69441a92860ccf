//! Points and displacements. Only operations that give the same bits on every machine: no sines, no
//! powers.

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

/// Twice the area of a triangle, positive when it is counter-clockwise.
pub(crate) fn area(a: Vector, b: Vector, c: Vector) -> f64 {
    (b - a).cross(c - a)
}
