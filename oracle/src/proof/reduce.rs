//! Reduction: what cannot matter to any game from here is left out, and a land is split where it falls apart.

use super::land::{LETTER, Land, ONE, Region, TWO, Walk};

impl Land {
    /// The reduced lands that this falls apart into.
    pub fn reduced(mut self) -> Vec<Self> {
        let mut seen = vec![0u8; usize::from(self.letters)];
        loop {
            for region in &mut self.regions {
                region.tidy();
            }
            // A region with fewer than two lives has no move.
            self.regions.retain(|region| region.lives() >= 2);
            self.regions.iter_mut().filter(|region| region.lives() <= 3).for_each(Region::scatter);
            seen.fill(0);
            let walks = self.regions.iter().flat_map(|region| &region.walks);
            walks.flatten().for_each(|&spot| seen[usize::from(spot)] += 1);
            let mut changed = false;
            for spot in self.regions.iter_mut().flat_map(|region| &mut region.walks).flatten() {
                // Nothing can happen on the other side of a letter that is seen once.
                if *spot >= LETTER && seen[usize::from(*spot)] == 1 {
                    *spot = TWO;
                    changed = true;
                }
            }
            if !changed {
                return self.lands();
            }
        }
    }

    /// Regions that share letters, directly or through others, belong together.
    fn lands(self) -> Vec<Self> {
        let mut lands: Vec<Self> = Vec::new();
        for region in self.regions {
            let touches = |land: &Self| {
                let theirs = || land.regions.iter().flat_map(Region::letters);
                region.letters().any(|letter| theirs().any(|other| other == letter))
            };
            let mut joined = Self { regions: Vec::new(), letters: self.letters };
            let (touching, apart): (Vec<_>, Vec<_>) = lands.into_iter().partition(touches);
            joined.regions.extend(touching.into_iter().flat_map(|land| land.regions));
            joined.regions.push(region);
            lands = apart;
            lands.push(joined);
        }
        lands
    }
}

impl Region {
    /// Merges a letter with itself where it is passed twice in a row, counts loners, drops empty boundaries.
    fn tidy(&mut self) {
        let loners = &mut self.loners;
        self.walks.retain_mut(|walk| {
            merge(walk);
            match walk[..] {
                [] => {}
                [ONE] => loners[1] += 1,
                [TWO] => loners[2] += 1,
                _ => return true,
            }
            false
        });
    }

    /// With two or three lives there is one move in the region, or two in a row, and which spots are on one boundary makes no
    /// difference: each gets a boundary of its own.
    fn scatter(&mut self) {
        for walk in std::mem::take(&mut self.walks) {
            for (i, &spot) in walk.iter().enumerate() {
                match spot {
                    ONE => self.loners[1] += 1,
                    TWO => self.loners[2] += 1,
                    letter if walk[i + 1..].contains(&letter) => self.loners[2] += 1,
                    letter if walk[..i].contains(&letter) => {}
                    letter => self.walks.push(vec![letter]),
                }
            }
        }
    }
}

/// Where a letter comes twice in a row, around the end too, a curve between would pass the same spots as one beside: it is
/// written once, as a `2`.
fn merge(walk: &mut Walk) {
    while let Some(i) = (0..walk.len())
        .find(|&i| walk.len() > 1 && walk[i] >= LETTER && walk[i] == walk[(i + 1) % walk.len()])
    {
        walk[i] = TWO;
        walk.remove((i + 1) % walk.len());
    }
}
