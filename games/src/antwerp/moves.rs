//! The moves of a player.

use super::position::{Boundary, Land, Position, Region, Spot};
use super::{Player, Temper};

/// The positions that a land becomes by a move of `player`; some come several times.
pub(super) fn options(land: &Land, player: Player, temper: Temper) -> Vec<Position> {
    let names = land.0.iter().flatten().flatten().map(|spot| spot.name);
    let next = names.max().unwrap_or(0) + 1;
    let mut maker = Maker { land, player, temper, next, options: Vec::new() };
    for (number, region) in land.0.iter().enumerate() {
        maker.joins(number, region);
        maker.divisions(number, region);
    }
    maker.options
}

struct Maker<'a> {
    land: &'a Land,
    player: Player,
    temper: Temper,
    /// The first name that no spot has. A move gives three at most.
    next: u16,
    options: Vec<Position>,
}

/// What becomes of a spot at which a curve ends; `None` if that was its last life.
fn touched(spot: Spot, name: u16) -> Option<Spot> {
    match spot.degree {
        0 => Some(Spot { degree: 1, ..spot }),
        1 => Some(Spot { degree: 2, name, ..spot }),
        _ => None,
    }
}

impl Maker<'_> {
    fn joins(&mut self, number: usize, region: &Region) {
        for b in 0..region.len() {
            for a in 0..b {
                for i in 0..region[a].len() {
                    for j in 0..region[b].len() {
                        self.join(number, region, (a, i), (b, j));
                    }
                }
            }
        }
    }

    fn join(&mut self, number: usize, region: &Region, a: (usize, usize), b: (usize, usize)) {
        let ends = [region[a.0][a.1], region[b.0][b.1]];
        if !ends.iter().all(|end| self.player.may_use(end.colour)) {
            return;
        }
        let mut joined = Boundary::new();
        for (number, ((boundary, at), end)) in [a, b].into_iter().zip(ends).enumerate() {
            let walk = &region[boundary];
            let now = touched(end, self.next + 1 + number as u16);
            joined.extend(now);
            joined.extend(walk[at + 1..].iter().chain(&walk[..at]));
            if end.degree > 0 {
                joined.extend(now);
            }
            joined.push(self.new_spot());
        }
        let rest = region.iter().enumerate().filter(|(i, _)| *i != a.0 && *i != b.0);
        let region = rest.map(|(_, boundary)| boundary.clone()).chain([joined]).collect();
        self.offer(number, vec![region], ends);
    }

    fn divisions(&mut self, number: usize, region: &Region) {
        for (b, boundary) in region.iter().enumerate() {
            for i in 0..boundary.len() {
                for j in i..boundary.len() {
                    self.divide(number, region, b, i, j);
                }
            }
        }
    }

    fn divide(&mut self, number: usize, region: &Region, b: usize, i: usize, j: usize) {
        let walk = &region[b];
        let ends = [walk[i], walk[j]];
        let is_one_spot = i == j || (ends[0].name != 0 && ends[0].name == ends[1].name);
        if is_one_spot && ends[0].degree > 1
            || !ends.iter().all(|end| self.player.may_use(end.colour))
        {
            return;
        }
        let z = self.new_spot();
        let (mut near, mut far) = (vec![z], vec![z]);
        if i == j {
            // Two ends of the curve at once: a spot of degree 0 occurs on both sides.
            if ends[0].degree == 0 {
                let twice = Spot { degree: 2, name: self.next + 1, ..ends[0] };
                near.push(twice);
                far.push(twice);
            }
            far.extend(walk[i + 1..].iter().chain(&walk[..i]));
        } else {
            let [u, v] = [0, 1].map(|end| touched(ends[end], self.next + 1 + end as u16));
            near.extend(u);
            near.extend(&walk[i + 1..j]);
            near.extend(v);
            far.extend(v);
            far.extend(walk[j + 1..].iter().chain(&walk[..i]));
            far.extend(u);
        }
        let others: Vec<&Boundary> =
            region.iter().enumerate().filter(|(other, _)| *other != b).map(|(_, w)| w).collect();
        for chosen in 0..1u64 << others.len() {
            let (mut here, mut there) = (vec![near.clone()], vec![far.clone()]);
            for (i, &boundary) in others.iter().enumerate() {
                let side = if chosen >> i & 1 == 1 { &mut here } else { &mut there };
                side.push(boundary.clone());
            }
            self.offer(number, vec![here, there], ends);
        }
    }

    fn new_spot(&self) -> Spot {
        Spot { name: self.next, degree: 2, colour: self.temper.new_spot(self.player) }
    }

    /// Takes an option in which these regions stand for the one of this number.
    fn offer(&mut self, number: usize, mut made: Vec<Region>, ends: [Spot; 2]) {
        let others = self.land.0.iter().enumerate().filter(|(i, _)| *i != number);
        made.extend(others.map(|(_, region)| region.clone()));
        // A spot that gets its third curve end dies wherever it occurs.
        let dead = ends.map(|end| if end.degree == 2 { end.name } else { 0 });
        for boundary in made.iter_mut().flatten() {
            boundary.retain(|spot| spot.name == 0 || !dead.contains(&spot.name));
        }
        self.options.push(Position::of(made));
    }
}
