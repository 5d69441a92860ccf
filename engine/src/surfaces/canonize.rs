//! The canonical form of lands that are not of the sphere, in the manner of [`crate::canonize`].
//!
//! Letters are ranked by refinement of classes; where a tie remains, a letter of it is put first.
//! Given ranks, every boundary begins where it reads least. With cross-caps each boundary is read
//! in its lesser direction; without them all boundaries of a region are read in the same one. The
//! rest is sorting. Letters that a loop leaves (`AB` on two boundaries) can be exchanged, and are
//! tried once.

use super::bytes::{push_genus, tidy};
use super::face::{Face, push_isolated, read};
use crate::Effort;
use crate::encode::{END_BOUNDARY, END_REGION, LETTER, LETTER_SLOTS, SURFACES};
use crate::rotate::Rotated;

/// Makes keys, in memory that is used again.
#[derive(Default)]
pub(crate) struct Canonizer {
    rotated: Rotated,
    hashes: Vec<u64>,
    near: Vec<u64>,
    least: Vec<u8>,
}

/// An ordered partition of the letters: the number of a letter's class is the number of letters in
/// classes before it.
#[derive(Clone)]
struct Classes(Vec<u8>);

impl Classes {
    /// How many classes there are.
    fn count(&self) -> usize {
        let mut seen = [false; LETTER_SLOTS];
        self.0.iter().for_each(|&class| seen[usize::from(class)] = true);
        seen.iter().filter(|&&is_seen| is_seen).count()
    }

    /// The letters of the first class with several, if there is one.
    fn first_tie(&self) -> Option<Vec<usize>> {
        let mut sizes = [0u8; LETTER_SLOTS];
        self.0.iter().for_each(|&class| sizes[usize::from(class)] += 1);
        let tied = sizes.iter().position(|&size| size > 1)?;
        Some((0..self.0.len()).filter(|&letter| usize::from(self.0[letter]) == tied).collect())
    }

    /// Puts one letter before the others of its class.
    fn individualise(&mut self, letter: usize) {
        let class = self.0[letter];
        for (other, of) in self.0.iter_mut().enumerate() {
            *of += u8::from(*of == class && other != letter);
        }
    }

    /// Splits classes by hashes.
    fn split(&mut self, hashes: &[u64]) {
        let mut order: Vec<usize> = (0..self.0.len()).collect();
        order.sort_unstable_by_key(|&letter| (self.0[letter], hashes[letter]));
        let before = self.0.clone();
        for i in 0..order.len() {
            let letter = order[i];
            let is_tied =
                |last: usize| before[last] == before[letter] && hashes[last] == hashes[letter];
            self.0[letter] = match i.checked_sub(1).map(|i| order[i]).filter(|&last| is_tied(last))
            {
                Some(last) => self.0[last],
                None => i as u8,
            };
        }
    }
}

impl Canonizer {
    /// Appends the key of a reduced, connected land.
    pub fn key(&mut self, land: &[u8], effort: Effort, out: &mut Vec<u8>) {
        let mut faces = read(land);
        let letters = number(&mut faces);
        let mut classes = Classes(vec![0; letters]);
        let mut written = Vec::with_capacity(land.len());
        match effort {
            Effort::Greedy => {
                self.descend(&faces, &mut classes);
                self.write(&faces, &classes, &mut written);
            }
            Effort::Exact => {
                self.least.clear();
                self.search(&faces, classes);
                std::mem::swap(&mut self.least, &mut written);
            }
        }
        tidy(&mut written);
        out.extend_from_slice(&written);
    }

    /// Visits every leaf below `classes` up to equivalence and keeps the least bytes.
    fn search(&mut self, faces: &[Face], mut classes: Classes) {
        self.refine(faces, &mut classes);
        let Some(tie) = classes.first_tie() else {
            let mut written = Vec::new();
            self.write(faces, &classes, &mut written);
            if self.least.is_empty() || written < self.least {
                self.least = written;
            }
            return;
        };
        let mut leaves: Vec<Vec<u8>> = Vec::new();
        for (i, &letter) in tie.iter().enumerate() {
            if tie[..i].iter().any(|&earlier| are_twins(faces, earlier, letter)) {
                continue;
            }
            let mut chosen = classes.clone();
            chosen.individualise(letter);
            let mut leaf = chosen.clone();
            self.descend(faces, &mut leaf);
            let mut written = Vec::new();
            self.write(faces, &leaf, &mut written);
            // Equal bytes under two labellings are an automorphism that maps an earlier letter of
            // this tie to this one and keeps all that were chosen before: the leaves below both are
            // the same.
            if !leaves.contains(&written) {
                leaves.push(written);
                self.search(faces, chosen);
            }
        }
    }

    /// Refines and breaks ties by the first letter at hand until every letter has its rank.
    fn descend(&mut self, faces: &[Face], classes: &mut Classes) {
        loop {
            self.refine(faces, classes);
            let Some(tie) = classes.first_tie() else { return };
            classes.individualise(tie[0]);
        }
    }

    /// Splits classes until a round splits none.
    fn refine(&mut self, faces: &[Face], classes: &mut Classes) {
        let mut count = classes.count();
        while count < classes.0.len() {
            self.hash(faces, classes);
            classes.split(&self.hashes);
            let finer = classes.count();
            if finer == count {
                return;
            }
            count = finer;
        }
    }

    /// Gives every letter a hash of what surrounds both its places. The direction of reading makes
    /// no difference.
    fn hash(&mut self, faces: &[Face], classes: &Classes) {
        self.hashes.clear();
        self.hashes.resize(classes.0.len(), 0);
        for face in faces {
            let [zeros, ones, twos] = face.isolated.map(u64::from);
            let genus = i64::from(face.surface.genus()) as u64;
            let mut whole = mix(genus << 32 ^ (zeros << 16 | ones << 8 | twos), 1);
            self.near.clear();
            for walk in &face.walks {
                let value = |i: usize| match walk[i].checked_sub(LETTER) {
                    Some(letter) => 16 + u64::from(classes.0[usize::from(letter)]),
                    None => u64::from(walk[i]),
                };
                let start = self.near.len();
                let mut sum = walk.len() as u64;
                for i in 0..walk.len() {
                    let before = value(if i == 0 { walk.len() - 1 } else { i - 1 });
                    let after = value(if i + 1 == walk.len() { 0 } else { i + 1 });
                    let near = mix(value(i), mix(before, 2).wrapping_add(mix(after, 2)));
                    sum = sum.wrapping_add(near);
                    self.near.push(near);
                }
                let around = mix(sum, 3);
                whole = whole.wrapping_add(around);
                self.near[start..].iter_mut().for_each(|near| *near = mix(*near, around));
            }
            let tokens = face.walks.iter().flatten().zip(&self.near);
            for (letter, near) in
                tokens.filter_map(|(t, near)| Some((t.checked_sub(LETTER)?, near)))
            {
                let hash = &mut self.hashes[usize::from(letter)];
                *hash = hash.wrapping_add(mix(*near, whole));
            }
        }
    }

    /// Writes the land whose letters have ranks.
    fn write(&mut self, faces: &[Face], classes: &Classes, out: &mut Vec<u8>) {
        let rank = |&token: &u8| match token.checked_sub(LETTER) {
            Some(letter) => LETTER + classes.0[usize::from(letter)],
            None => token,
        };
        let mut regions: Vec<Vec<u8>> = Vec::with_capacity(faces.len());
        for face in faces {
            let ranked: Vec<Vec<u8>> =
                face.walks.iter().map(|walk| walk.iter().map(rank).collect()).collect();
            let mut region = Vec::new();
            push_genus(face.surface, &mut region);
            push_isolated(face.isolated, &mut region);
            let turns = ranked.iter().any(|walk| walk.len() > 2);
            let mut walks = self.sorted(&ranked, &[false]);
            if turns && face.surface.is_orientable() {
                walks = walks.min(self.sorted(&ranked, &[true]));
            } else if turns {
                walks = self.sorted(&ranked, &[false, true]);
            }
            region.extend_from_slice(&walks);
            regions.push(region);
        }
        regions.sort_unstable();
        out.push(SURFACES);
        out.extend_from_slice(&regions.join(&END_REGION));
    }

    /// Boundaries, each rotated to read least, in the best of the directions; sorted.
    fn sorted(&mut self, walks: &[Vec<u8>], mirrors: &[bool]) -> Vec<u8> {
        let rotated = &mut self.rotated;
        rotated.clear();
        let mut read = |walk: &Vec<u8>| {
            let mut least: Option<Vec<u8>> = None;
            for &mirror in mirrors {
                let (word, mut bytes) = (rotated.add(walk, mirror), Vec::with_capacity(walk.len()));
                rotated.write(&word, &mut bytes);
                least = Some(least.map_or(bytes.clone(), |least| least.min(bytes)));
            }
            least.expect("there is a direction")
        };
        let mut words: Vec<Vec<u8>> = walks.iter().map(&mut read).collect();
        words.sort_unstable();
        words.join(&END_BOUNDARY)
    }
}

/// Numbers letters from 0 in order of appearance; returns how many there are.
fn number(faces: &mut [Face]) -> usize {
    let (mut names, mut next) = ([0u8; 256], LETTER);
    for token in faces.iter_mut().flat_map(|face| face.walks.iter_mut().flatten()) {
        if *token >= LETTER {
            let name = &mut names[usize::from(*token)];
            if *name == 0 {
                *name = next;
                next += 1;
            }
            *token = *name;
        }
    }
    usize::from(next - LETTER)
}

/// Whether two letters stand on two boundaries, each with nothing but the other.
fn are_twins(faces: &[Face], one: usize, other: usize) -> bool {
    let [one, other] = [one, other].map(|letter| LETTER + letter as u8);
    let walks = faces.iter().flat_map(|face| &face.walks);
    walks
        .filter(
            |walk| matches!(walk[..], [a, b] if (a, b) == (one, other) || (a, b) == (other, one)),
        )
        .count()
        == 2
}

fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd6e8_feb8_6659_fd93);
    (product >> 64) as u64 ^ product as u64
}
