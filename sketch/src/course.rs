//! Makes a way a good curve: short, smooth, and clear of everything where there is room. What lies
//! to its left and to its right stays there.

use crate::drawn::UNIT;
use crate::obstacles::{Obstacles, foot, holds, meets};
use crate::space::CLEAR;
use crate::vector::Vector;

/// The distance of its points.
const STEP: f64 = UNIT as f64 * 0.3;
/// How often every point moves.
const SWEEPS: usize = 48;
/// Parts of the way keep apart if at least this many points lie between them.
const APART: usize = 4;

/// A way from spot to spot.
pub(crate) struct Course<'a> {
    pub points: Vec<Vector>,
    obstacles: &'a Obstacles,
}

impl<'a> Course<'a> {
    /// A way that touches nothing.
    pub fn new(points: Vec<Vector>, obstacles: &'a Obstacles) -> Self {
        Self { points, obstacles }
    }

    /// Leaves out points, then lets the others move to good places.
    pub fn improve(&mut self) {
        self.shorten();
        for round in 0..SWEEPS {
            if round % 6 == 0 {
                self.thin();
                self.divide();
            }
            for i in 1..self.points.len() - 1 {
                self.ease(i);
            }
        }
    }

    fn ends(&self) -> [Vector; 2] {
        [self.points[0], self.points[self.points.len() - 1]]
    }

    fn room(&self, at: Vector) -> f64 {
        self.obstacles.nearest(at, &self.ends()).0.min(CLEAR)
    }

    /// Leaves out points that are not needed to stay as clear of everything as the way is.
    fn shorten(&mut self) {
        loop {
            let before = self.points.len();
            let mut i = 1;
            while i + 1 < self.points.len() {
                let [a, b, c] = [self.points[i - 1], self.points[i], self.points[i + 1]];
                let room = |share: f64| self.room(a + (c - a) * share);
                let least = room(0.25).min(room(0.5)).min(room(0.75));
                let is_long = (c - a).length() > 6.0 * STEP;
                // A curve from a spot to itself keeps enough points to be a loop.
                let is_needed = self.points.len() <= 5 && self.points[0] == self.ends()[1];
                if is_long || is_needed || least < self.room(b) || self.meets([a, b, c], i) {
                    i += 1;
                } else {
                    self.points.remove(i);
                }
            }
            if self.points.len() == before {
                return;
            }
        }
    }

    /// Leaves out points that are near to their neighbours.
    fn thin(&mut self) {
        let mut i = 1;
        while i + 1 < self.points.len() && self.points.len() > 7 {
            let [a, b, c] = [self.points[i - 1], self.points[i], self.points[i + 1]];
            if (c - a).length() < STEP && !self.meets([a, b, c], i) {
                self.points.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// Puts points between those that are far from each other.
    fn divide(&mut self) {
        let mut points = vec![self.points[0]];
        for pair in self.points.windows(2) {
            let parts = ((pair[1] - pair[0]).length() / STEP).ceil().max(1.0);
            let part = |k: usize| pair[0] + (pair[1] - pair[0]) * (k as f64 / parts);
            points.extend((1..parts as usize).map(part));
            points.push(pair[1]);
        }
        self.points = points;
    }

    /// Moves a point to where the curve bends evenly, and away from what is near.
    fn ease(&mut self, i: usize) {
        let last = self.points.len() - 1;
        let [a, b, c] = [self.points[i - 1], self.points[i], self.points[i + 1]];
        let middle = (a + c) * 0.5;
        let wanted = if i >= 2 && i + 2 <= last {
            let (before, after) = (self.points[i - 2], self.points[i + 2]);
            let even = (a + c) * (4.0 / 6.0) - (before + after) * (1.0 / 6.0);
            even * 0.75 + middle * 0.25
        } else {
            middle
        };
        let mut there = b + (wanted - b) * 0.7;
        let (far, what) = self.nearest(i, there);
        let away = there - what;
        if far < CLEAR && away.length() > 1.0 {
            there += away * ((CLEAR - far) * 0.6 / away.length());
        }
        let least = self.nearest(i, b).0.min(CLEAR * 0.6);
        for _ in 0..4 {
            let is_free = !self.meets([a, b, there], i) && !self.meets([b, there, c], i);
            if is_free && self.nearest(i, there).0 >= least {
                self.points[i] = there;
                return;
            }
            there = b + (there - b) * 0.5;
        }
    }

    /// How far a place of a point of the way is from everything, other parts of the way included.
    fn nearest(&self, i: usize, at: Vector) -> (f64, Vector) {
        let mut nearest = self.obstacles.nearest(at, &self.ends());
        let last = self.points.len() - 1;
        let is_loop = self.points[0] == self.points[last];
        for (k, pair) in self.points.windows(2).enumerate() {
            let apart = if k > i { k - i } else { (i - k).saturating_sub(1) };
            let around = if is_loop { (i + last - k).min(k + last - i) } else { APART };
            if apart < APART || around < APART {
                continue;
            }
            let foot = foot(at, pair[0], pair[1]);
            let far = (at - foot).length();
            if far < nearest.0 {
                nearest = (far, foot);
            }
        }
        nearest
    }

    /// Whether a triangle at a point of the way holds anything, other parts of the way included.
    fn meets(&self, triangle: [Vector; 3], i: usize) -> bool {
        let others = self.points.windows(2).enumerate().any(|(k, line)| {
            let is_here = k + 2 >= i && k <= i + 1;
            match is_here {
                true => [k, k + 1].into_iter().filter(|k| k + 1 < i || *k > i + 1).any(|k| {
                    !triangle.contains(&self.points[k]) && holds(triangle, self.points[k])
                }),
                false => meets(triangle, [line[0], line[1]]),
            }
        });
        others || self.obstacles.meet(triangle)
    }
}
