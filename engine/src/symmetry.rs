//! Symmetries of a land. Of moves that they map to one another, only one is generated.
//!
//! A symmetry is a permutation of the places of a land that leaves the land as it is: a boundary
//! turned onto itself, letters exchanged, a region mirrored, regions exchanged. Each symmetry here
//! is exact: it is evident, or was read off two wordings of the land with equal bytes. Not all need
//! be found. One that is missing only makes a child come twice.

use crate::canonize::{Scribe, descend};
use crate::encode::LETTER;
use crate::refine::{Classes, Refiner};
use crate::twins::{Loners, Loops};
use crate::work::{Span, Work};

/// Most places of a land for which symmetries are looked for: pairs of places are kept in a square
/// table.
const MOST_PLACES: usize = 256;

/// Generators of a group of symmetries of a land, and the pairs of places met so far.
///
/// A *place* is the number of a token of the land, or, after all tokens, 3 times the number of a
/// region plus the degree of its isolated spots.
#[derive(Default)]
pub(crate) struct Symmetries {
    places: usize,
    /// Permutations of the places, one after the other.
    generators: Vec<u16>,
    /// Whether a pair of places was met: of joins, then of divisions.
    met: Vec<bool>,
    stack: Vec<[u16; 2]>,
    // Scratch memory for finding generators.
    contracted: Work,
    loops: Loops,
    loners: Loners,
    refiner: Refiner,
    scribe: Scribe,
    /// Classes with a tie, from the first to the last that was broken.
    ties: Vec<Classes>,
    first: Wording,
    other: Wording,
}

/// A land written by ranks, and where its regions and tokens stand in the land.
#[derive(Default)]
struct Wording {
    bytes: Vec<u8>,
    regions: Vec<u16>,
    tokens: Vec<u16>,
}

impl Symmetries {
    /// Finds symmetries of a land.
    pub fn find(&mut self, land: &Work) {
        self.generators.clear();
        self.places = land.tokens.len() + 3 * land.regions.len();
        if self.places > MOST_PLACES {
            return;
        }
        self.contracted.copy(land);
        let singles = self.loops.contract(&mut self.contracted);
        self.loners.find(&self.contracted);
        self.add_turns(land);
        self.add_loops(land);
        self.add_loners(singles);
        self.add_wordings(singles);
        if !self.generators.is_empty() {
            self.met.clear();
            self.met.resize(2 * self.places * self.places, false);
        }
    }

    /// Whether a symmetry maps this pair of places to one that was asked for before.
    pub fn is_repeat(&mut self, divides: bool, pair: [usize; 2]) -> bool {
        if self.generators.is_empty() {
            return false;
        }
        let places = self.places;
        let at = |[a, b]: [u16; 2]| {
            (usize::from(divides) * places + usize::from(a.min(b))) * places + usize::from(a.max(b))
        };
        let pair = pair.map(|place| place as u16);
        if std::mem::replace(&mut self.met[at(pair)], true) {
            return true;
        }
        self.stack.push(pair);
        while let Some(pair) = self.stack.pop() {
            for generator in self.generators.chunks_exact(places) {
                let image = pair.map(|place| generator[usize::from(place)]);
                if !std::mem::replace(&mut self.met[at(image)], true) {
                    self.stack.push(image);
                }
            }
        }
        false
    }

    /// Adds the permutation that maps the first place of each pair to the second, and leaves the
    /// others.
    fn add(&mut self, pairs: impl IntoIterator<Item = (usize, usize)>) {
        let start = self.generators.len();
        self.generators.extend(0..self.places as u16);
        let map = &mut self.generators[start..];
        let mut moved = false;
        for (from, to) in pairs {
            map[from] = to as u16;
            moved |= from != to;
        }
        if !moved {
            self.generators.truncate(start);
        }
    }

    /// Boundaries turned onto themselves.
    fn add_turns(&mut self, land: &Work) {
        for span in &land.boundaries {
            let walk = &land.tokens[span.range()];
            let turned = |by: usize| walk[by..].iter().chain(&walk[..by]);
            if let Some(by) = (1..walk.len()).find(|&by| walk.iter().eq(turned(by))) {
                let start = span.start as usize;
                self.add((0..walk.len()).map(|i| (start + i, start + (i + by) % walk.len())));
            }
        }
    }

    /// The two letters of a loop exchanged, on both sides.
    fn add_loops(&mut self, land: &Work) {
        for (i, span) in land.boundaries.iter().enumerate() {
            let token = land.tokens[span.start as usize];
            if !self.loops.is_loop(token) {
                continue;
            }
            let is_other = |span: &&Span| land.tokens[span.range()].contains(&token);
            if let Some(other) = land.boundaries[i + 1..].iter().find(is_other) {
                let (a, b) = (span.start as usize, other.start as usize);
                self.add([(a, a + 1), (a + 1, a), (b, b + 1), (b + 1, b)]);
            }
        }
    }

    /// Two single letters exchanged that stand alone on their boundaries in the same two regions.
    fn add_loners(&mut self, singles: usize) {
        let land = std::mem::take(&mut self.contracted);
        for a in 0..singles {
            let twin = (a + 1..singles).find(|&b| self.loners.are_twins(a as u8, b as u8));
            if let Some(b) = twin {
                let [a, b] = [a, b].map(|letter| alone(&land, LETTER + letter as u8));
                self.add(a.into_iter().zip(b).chain(b.into_iter().zip(a)));
            }
        }
        self.contracted = land;
    }

    /// Symmetries that show when the land is worded twice: with regions read in a mirror, and with
    /// another letter put first where refinement leaves a tie.
    fn add_wordings(&mut self, singles: usize) {
        let mut classes = Classes::default();
        classes.reset(singles, self.contracted.letters);
        // Goes down the first path. Classes with ties are kept, to come back to the other letters.
        self.ties.clear();
        while !self.refiner.refine(&self.contracted, &self.loners, &mut classes) {
            self.ties.push(classes.clone());
            let letter = classes.first_tie()[0];
            classes.individualise(letter);
        }
        let (mut first, mut other) =
            (std::mem::take(&mut self.first), std::mem::take(&mut self.other));
        self.word(&classes, &mut first);
        for region in 0..self.contracted.regions.len() {
            let (forward, backward) = (&mut other.regions, &mut other.tokens);
            forward.clear();
            backward.clear();
            if self.scribe.mirror(&self.contracted, region, forward, backward) {
                self.add_tokens(singles, &[], &[], forward, backward);
            }
        }
        while let Some(tie) = self.ties.pop() {
            for &letter in &tie.first_tie()[1..] {
                classes.clone_from(&tie);
                classes.individualise(letter);
                descend(&mut self.refiner, &self.contracted, &self.loners, &mut classes);
                self.word(&classes, &mut other);
                if other.bytes == first.bytes {
                    self.add_tokens(
                        singles,
                        &first.regions,
                        &other.regions,
                        &first.tokens,
                        &other.tokens,
                    );
                }
            }
        }
        (self.first, self.other) = (first, other);
    }

    fn word(&mut self, classes: &Classes, wording: &mut Wording) {
        self.scribe.write(&self.contracted, classes);
        wording.bytes.clone_from(&self.scribe.written);
        wording.regions.clear();
        wording.tokens.clear();
        self.scribe.sources(&self.contracted, &mut wording.regions, &mut wording.tokens);
    }

    /// Adds the symmetry that maps regions and tokens of one wording to those of another.
    fn add_tokens(
        &mut self,
        singles: usize,
        from_regions: &[u16],
        to_regions: &[u16],
        from: &[u16],
        to: &[u16],
    ) {
        let land = std::mem::take(&mut self.contracted);
        let first_isolated = land.tokens.len();
        let is_loop =
            |token: usize| usize::from(land.tokens[token]) >= usize::from(LETTER) + singles;
        let tokens = from.iter().zip(to).flat_map(|(&from, &to)| {
            let (from, to) = (usize::from(from), usize::from(to));
            assert_eq!(is_loop(from), is_loop(to), "equal bytes stand for equal spots");
            // A contracted loop stands for itself and the token after it.
            std::iter::once((from, to)).chain(is_loop(from).then_some((from + 1, to + 1)))
        });
        let isolated = from_regions.iter().zip(to_regions).flat_map(|(&from, &to)| {
            let place =
                move |region: u16, degree| first_isolated + 3 * usize::from(region) + degree;
            (0..3).map(move |degree| (place(from, degree), place(to, degree)))
        });
        self.add(tokens.chain(isolated));
        self.contracted = land;
    }
}

/// The regions of a letter that is alone on both its boundaries.
fn alone(land: &Work, token: u8) -> [usize; 2] {
    let is_it = |span: &&Span| span.len() == 1 && land.tokens[span.start as usize] == token;
    let mut spans = land.boundaries.iter().filter(is_it).map(|span| span.start as usize);
    [(); 2].map(|()| spans.next().expect("a letter stands on two boundaries"))
}
