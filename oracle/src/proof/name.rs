//! Names of lands: equal exactly for isomorphic ones. And tints: equal for isomorphic ones.
//!
//! Isomorphic are lands that differ in the names of letters, the order of regions and boundaries, the rotation of
//! boundaries, and the direction in which all boundaries of a region are read.
//!
//! A *colour* of a letter is a number that does not depend on its name: it is mixed from the colours of the spots around, a few
//! rounds long. All of them together make the *tint* of a land, which costs little: a land whose tint no certified land has is
//! none of those. For the name, letters are *ranked* by colours. If every letter has a rank of its own, ranks name the
//! letters, and the rest is sorting. Where letters share a rank, each of them in turn is put first and the colours are mixed
//! anew; the least of all the lands written so is the name. Colours that happen to be equal cost time and nothing else, and
//! a name is a description of its land, from which it could be drawn again: no proof rests on how well this works.

use super::land::{LETTER, Land, Region, Spot};

/// A name of an isomorphism class of lands.
pub(super) type Name = Box<[Spot]>;

type Colours = Vec<u64>;

/// Between boundaries in a name.
const END_WALK: Spot = 0;
/// Between regions in a name.
const END_REGION: Spot = Spot::MAX;

impl Land {
    /// A number that isomorphic lands have in common.
    pub fn tint(&self) -> u64 {
        let mut colours = vec![1; usize::from(self.letters)];
        let mut tint = 0;
        for _ in 0..2 {
            tint = self.mix_colours(&mut colours);
        }
        tint
    }

    /// The name.
    pub fn name(&self) -> Name {
        self.name_by(vec![1; usize::from(self.letters)])
    }

    /// The least way to write the land with letters in the order of their colours.
    fn name_by(&self, colours: Colours) -> Name {
        let (order, tied) = self.settled(colours);
        if tied.is_empty() {
            return self.written(&order);
        }
        let mut leaves: Vec<Name> = Vec::new();
        let mut names: Vec<Name> = Vec::new();
        for letter in tied {
            let chosen = special(&order, letter);
            let leaf = self.leaf(chosen.clone());
            // If the land reads the same with another letter in place of this one, a symmetry of the land takes one to the
            // other, and leaves those chosen before where they are: then so do all the names below.
            if !leaves.contains(&leaf) {
                leaves.push(leaf);
                names.push(self.name_by(chosen));
            }
        }
        names.into_iter().min().expect("letters are tied")
    }

    /// One way to write the land: of letters that share a colour, the first at hand comes first.
    fn leaf(&self, mut colours: Colours) -> Name {
        loop {
            let (order, tied) = self.settled(colours);
            match tied.first() {
                None => return self.written(&order),
                Some(&letter) => colours = special(&order, letter),
            }
        }
    }

    /// Ranks split by colours until no more letters are told apart, and those letters that share the first shared rank. Split
    /// ranks keep their order.
    fn settled(&self, mut ranks: Colours) -> (Colours, Vec<Spot>) {
        let mut letters: Vec<Spot> = self.regions.iter().flat_map(Region::letters).collect();
        letters.sort_unstable();
        letters.dedup();
        let mut classes = 0;
        loop {
            let mut colours = ranks.clone();
            self.mix_colours(&mut colours);
            let colour = |letter: Spot| (ranks[usize::from(letter)], colours[usize::from(letter)]);
            let mut order: Vec<_> = letters.iter().map(|&letter| colour(letter)).collect();
            order.sort_unstable();
            order.dedup();
            let rank = |letter| order.binary_search(&colour(letter)).expect("listed") as u64;
            let finer: Vec<u64> = letters.iter().map(|&letter| rank(letter)).collect();
            letters.iter().zip(finer).for_each(|(&letter, rank)| ranks[usize::from(letter)] = rank);
            if order.len() == classes || order.len() == letters.len() {
                break;
            }
            classes = order.len();
        }
        let rank = |letter: Spot| ranks[usize::from(letter)];
        let shared = |&l: &Spot| letters.iter().any(|&m| m != l && rank(m) == rank(l));
        let first = letters.iter().copied().filter(shared).map(rank).min();
        let tied = letters.iter().copied().filter(|&l| Some(rank(l)) == first).collect();
        (ranks, tied)
    }

    /// One round of mixing. Returns a colour of the whole land.
    fn mix_colours(&self, colours: &mut Colours) -> u64 {
        let mut mixed = vec![0u64; colours.len()];
        let mut land = 0u64;
        let colour =
            |spot: Spot| if spot < LETTER { spot.into() } else { colours[usize::from(spot)] };
        for region in &self.regions {
            let [zeros, ones, twos] = region.loners.map(u64::from);
            // What each of both directions makes of the region.
            let mut read = [mix(zeros, ones << 32 | twos); 2];
            for walk in &region.walks {
                let mut walked = [0u64; 2];
                for (before, spot, after) in neighbours(walk) {
                    let [a, b, c] = [before, spot, after].map(colour);
                    walked[0] = walked[0].wrapping_add(mix(mix(a, b), c));
                    walked[1] = walked[1].wrapping_add(mix(mix(c, b), a));
                }
                read[0] = read[0].wrapping_add(mix(walked[0], 2));
                read[1] = read[1].wrapping_add(mix(walked[1], 2));
            }
            let both = read.map(|way| mix(way, 3));
            let whole = both[0].wrapping_add(both[1]);
            land = land.wrapping_add(mix(whole, 4));
            for walk in &region.walks {
                let mut walked = [0u64; 2];
                for (before, spot, after) in neighbours(walk) {
                    let [a, b, c] = [before, spot, after].map(colour);
                    walked[0] = walked[0].wrapping_add(mix(mix(a, b), c));
                    walked[1] = walked[1].wrapping_add(mix(mix(c, b), a));
                }
                for (before, spot, after) in neighbours(walk) {
                    if spot >= LETTER {
                        let [a, b, c] = [before, spot, after].map(colour);
                        // The same from both directions, so that it does not matter which comes first.
                        let one = mix(mix(mix(mix(a, b), c), walked[0]), read[0]);
                        let other = mix(mix(mix(mix(c, b), a), walked[1]), read[1]);
                        let seen = mix(one, 5).wrapping_add(mix(other, 5));
                        let mixed = &mut mixed[usize::from(spot)];
                        *mixed = mixed.wrapping_add(mix(seen, 6));
                    }
                }
            }
        }
        for (colour, mixed) in colours.iter_mut().zip(mixed) {
            *colour = mix(*colour, mixed);
        }
        land
    }

    /// The land written with letters named by the order of their colours, all of which are different.
    fn written(&self, colours: &Colours) -> Name {
        let mut order: Vec<Spot> = self.regions.iter().flat_map(Region::letters).collect();
        order.sort_unstable_by_key(|&letter| colours[usize::from(letter)]);
        order.dedup();
        let mut names = vec![0; usize::from(self.letters)];
        for (name, &letter) in (LETTER..).zip(&order) {
            names[usize::from(letter)] = name;
        }
        let mut regions: Vec<Vec<Spot>> =
            self.regions.iter().map(|region| region.written(&names)).collect();
        regions.sort_unstable();
        regions.join(&END_REGION).into()
    }
}

impl Region {
    /// The region in the direction in which it reads least.
    fn written(&self, names: &[Spot]) -> Vec<Spot> {
        let name = |&spot: &Spot| if spot < LETTER { spot } else { names[usize::from(spot)] };
        let mut walks: Vec<Vec<Spot>> =
            self.walks.iter().map(|walk| walk.iter().map(name).collect()).collect();
        let one_way = self.written_one_way(&walks);
        walks.iter_mut().for_each(|walk| walk.reverse());
        one_way.min(self.written_one_way(&walks))
    }

    fn written_one_way(&self, walks: &[Vec<Spot>]) -> Vec<Spot> {
        let mut walks: Vec<Vec<Spot>> =
            walks.iter().map(|walk| crate::table::least_rotation(walk)).collect();
        walks.sort_unstable();
        let mut written = self.loners.to_vec();
        for walk in walks {
            written.extend(walk);
            written.push(END_WALK);
        }
        written
    }
}

/// The ranks with one letter before those it shared its rank with.
fn special(ranks: &Colours, letter: Spot) -> Colours {
    let mut ranks: Colours = ranks.iter().map(|rank| 2 * rank + 1).collect();
    ranks[usize::from(letter)] -= 1;
    ranks
}

/// The spots of a walk between their neighbours.
fn neighbours(walk: &[Spot]) -> impl Iterator<Item = (Spot, Spot, Spot)> {
    let length = walk.len();
    (0..length).map(move |i| (walk[(i + length - 1) % length], walk[i], walk[(i + 1) % length]))
}

/// A number that depends on both (after SplitMix64).
fn mix(a: u64, b: u64) -> u64 {
    let mut z =
        a.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(b).wrapping_add(0x2545_f491_4f6c_dd1d);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
