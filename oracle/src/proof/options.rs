//! All moves of a land.
//!
//! A curve from spot x to spot y with a new spot z on it. If x and y are on different boundaries `x X` and `y Y`, these become
//! the one boundary `x X x z y Y y z`. If they are on one boundary `x X y Y`, the region is divided: `x X y z` bounds one
//! side and `y Y x z` the other, and each of the other boundaries goes to either side. A spot whose third curve end this is
//! is dead, and is left out wherever it was passed; one of degree 0 is passed only once after a join.

use super::land::{LETTER, Land, ONE, Region, Spot, Walk};

/// An end of a curve, before the move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// A spot of this degree that stands alone.
    Alone(usize),
    /// The spot at this place of this walk.
    On(usize, usize),
}

impl Land {
    /// Calls `visit` with every option, not reduced, until it says `false`; returns whether it never did. Options may be
    /// isomorphic.
    pub fn all_options(&self, mut visit: impl FnMut(Self) -> bool) -> bool {
        (0..self.regions.len()).all(|r| self.joins(r, &mut visit) && self.divisions(r, &mut visit))
    }

    fn joins(&self, r: usize, visit: &mut impl FnMut(Self) -> bool) -> bool {
        let region = &self.regions[r];
        let mut ends: Vec<End> = (0..3).filter(|&d| region.loners[d] > 0).map(End::Alone).collect();
        for (w, walk) in region.walks.iter().enumerate() {
            ends.extend((0..walk.len()).map(|i| End::On(w, i)));
        }
        let apart = |a, b| match (a, b) {
            (End::On(walk, _), End::On(other, _)) => walk != other,
            // Of spots that look the same it takes two.
            (End::Alone(x), End::Alone(y)) => x != y || region.loners[x] > 1,
            _ => true,
        };
        ends.iter()
            .enumerate()
            .all(|(i, &a)| ends[i..].iter().all(|&b| !apart(a, b) || visit(self.join(r, a, b))))
    }

    fn join(&self, r: usize, a: End, b: End) -> Self {
        let mut land = self.clone();
        let z = land.new_letter();
        let mut joined = Walk::new();
        for end in [a, b] {
            match end {
                End::Alone(degree) => {
                    land.regions[r].loners[degree] -= 1;
                    match degree {
                        0 => joined.push(ONE),
                        1 => joined.extend([land.new_letter(); 2]),
                        _ => {}
                    }
                }
                End::On(w, i) => {
                    let walk = std::mem::take(&mut land.regions[r].walks[w]);
                    let x = land.reach(walk[i]);
                    joined.extend(x);
                    joined.extend(walk[i + 1..].iter().chain(&walk[..i]));
                    joined.extend(x);
                }
            }
            joined.push(z);
        }
        land.regions[r].walks.push(joined);
        land.bury([a, b].map(|end| self.regions[r].spot(end)));
        land
    }

    fn divisions(&self, r: usize, visit: &mut impl FnMut(Self) -> bool) -> bool {
        let region = &self.regions[r];
        // A loop takes two lives.
        let mut loners = (0..2).filter(|&d| region.loners[d] > 0).map(End::Alone);
        loners.all(|end| self.divide(r, end, end, visit))
            && region.walks.iter().enumerate().all(|(w, walk)| {
                (0..walk.len()).all(|i| {
                    (i..walk.len()).all(|j| {
                        let (x, y) = (walk[i], walk[j]);
                        // A letter that is passed twice is one spot, with one life.
                        let can_join = if i == j { x == ONE } else { x < LETTER || x != y };
                        !can_join || self.divide(r, End::On(w, i), End::On(w, j), visit)
                    })
                })
            })
    }

    /// Visits the options in which a curve from `a` to `b`, on one boundary, divides the region: one for every way to share the
    /// other boundaries.
    fn divide(&self, r: usize, a: End, b: End, visit: &mut impl FnMut(Self) -> bool) -> bool {
        let mut land = self.clone();
        let z = land.new_letter();
        let (mut near, mut far) = (Walk::new(), Walk::new());
        match (a, b) {
            (End::On(w, i), End::On(_, j)) => {
                let walk = std::mem::take(&mut land.regions[r].walks[w]);
                let (between, beyond) = match j - i {
                    0 => (&[][..], [&walk[i + 1..], &walk[..i]].concat()),
                    _ => (&walk[i + 1..j], [&walk[j + 1..], &walk[..i]].concat()),
                };
                // A loop uses up both lives of its spot.
                let x = if i == j { None } else { land.reach(walk[i]) };
                let y = if i == j { None } else { land.reach(walk[j]) };
                near.extend(x.iter().chain(between).chain(&y));
                far.extend(y.iter().chain(&beyond).chain(&x));
            }
            (End::Alone(degree), _) | (_, End::Alone(degree)) => {
                land.regions[r].loners[degree] -= 1;
                if degree == 0 {
                    let x = land.new_letter();
                    near.push(x);
                    far.push(x);
                }
            }
        }
        near.push(z);
        far.push(z);
        let others = std::mem::take(&mut land.regions[r]);
        let dead = [a, b].map(|end| self.regions[r].spot(end));
        others.shares(|mut one, mut other| {
            one.walks.push(near.clone());
            other.walks.push(far.clone());
            let mut option = land.clone();
            option.regions[r] = one;
            option.regions.push(other);
            option.bury(dead);
            visit(option)
        })
    }

    /// What a spot of a walk becomes that a curve reaches: a letter, if it is still alive.
    fn reach(&mut self, spot: Spot) -> Option<Spot> {
        (spot == ONE).then(|| self.new_letter())
    }

    fn new_letter(&mut self) -> Spot {
        self.letters += 1;
        self.letters - 1
    }

    /// Takes out letters, wherever they are.
    fn bury(&mut self, dead: [Option<Spot>; 2]) {
        for letter in dead.into_iter().flatten().filter(|&spot| spot >= LETTER) {
            for walk in self.regions.iter_mut().flat_map(|region| &mut region.walks) {
                walk.retain(|&spot| spot != letter);
            }
        }
    }
}

impl Region {
    fn spot(&self, end: End) -> Option<Spot> {
        match end {
            End::Alone(_) => None,
            End::On(walk, place) => Some(self.walks[walk][place]),
        }
    }

    /// Calls `visit` with every way to share the boundaries between two regions, until it says `false`; returns whether it
    /// never did.
    fn shares(&self, mut visit: impl FnMut(Self, Self) -> bool) -> bool {
        let walks: Vec<&Walk> = self.walks.iter().filter(|walk| !walk.is_empty()).collect();
        let [zeros, ones, twos] = self.loners;
        (0..=zeros).all(|z| {
            (0..=ones).all(|o| {
                (0..=twos).all(|t| {
                    (0..1u32 << walks.len()).all(|chosen| {
                        let side = |side| {
                            let mine = |w: &usize| chosen >> w & 1 == side;
                            (0..walks.len()).filter(mine).map(|w| walks[w].clone()).collect()
                        };
                        let one = Self { loners: [z, o, t], walks: side(1) };
                        let loners = [zeros - z, ones - o, twos - t];
                        visit(one, Self { loners, walks: side(0) })
                    })
                })
            })
        })
    }
}
