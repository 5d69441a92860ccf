//! Reductions that keep the game tree up to isomorphism, and the split into lands.
//!
//! They run in one pass, in this order (Applegate, Jacobson and Sleator 1991, section 3; Lemoine
//! and Viennot 2010):
//!
//! 1. dead spots are gone and a letter beside itself has become a `2`
//!    ([`crate::work::push_merging`]);
//! 2. regions with fewer than 2 lives are dropped: no curve can be drawn there;
//! 3. a letter whose other occurrence was dropped becomes a `2`;
//! 4. a region with 2 or 3 lives forgets which spots share a boundary, and a letter twice in it
//!    becomes one `2`: how many curves can be drawn there does not depend on its boundaries, so
//!    every spot gets its own ([`crate::region::write`]);
//! 5. regions that share no letter, directly or through others, become different lands.
//!
//! No step changes the lives of another region, so the order is final and nothing is done twice.

use crate::encode::{END_REGION, LETTER, TWO};
use crate::generate::Lands;
use crate::region::{self, Wall};
use crate::sketch::Sketch;
use crate::split::{NOWHERE, Places, Split, place};
use crate::work::Work;

/// What the parts of a land count for.
#[derive(Default)]
pub(crate) struct Survey {
    pub places: Places,
    /// What each boundary counts for.
    pub walls: Vec<Wall>,
    /// The lives of each region.
    pub lives: Vec<u16>,
}

impl Survey {
    pub fn take(&mut self, land: &Work) {
        self.places.clear();
        self.places.resize(land.letters, [NOWHERE; 2]);
        self.walls.clear();
        self.lives.clear();
        for (r, region) in land.regions.iter().enumerate() {
            let [zeros, ones, twos] = region.isolated.map(u16::from);
            let mut lives = 3 * zeros + 2 * ones + twos;
            for span in &land.boundaries[region.boundaries.range()] {
                let walk = &land.tokens[..span.end as usize];
                let wall = Wall::last(walk, span.start as usize);
                lives += wall.lives;
                self.walls.push(wall);
                for &token in &walk[span.start as usize..] {
                    if token >= LETTER {
                        place(&mut self.places, token, r);
                    }
                }
            }
            self.lives.push(lives);
        }
    }
}

/// Reduces whole lands. It owns its scratch memory.
#[derive(Default)]
pub(crate) struct Reducer {
    survey: Survey,
    split: Split,
}

impl Reducer {
    /// Reduces `land` and appends the bytes of every land of it to `lands`.
    pub fn split(&mut self, land: &mut Work, lands: &mut Lands) {
        let Self { survey, split } = self;
        survey.take(land);
        split.find(&survey.places, &survey.lives);
        for wall in &mut survey.walls {
            let walk = &mut land.tokens[..wall.span.end as usize];
            let start = wall.span.start as usize;
            for token in &mut walk[start..] {
                if *token >= LETTER {
                    let places = survey.places[usize::from(*token - LETTER)];
                    if places.iter().any(|&r| r == NOWHERE || split.is_dropped(r)) {
                        *token = TWO;
                    }
                }
            }
            *wall = Wall::last(walk, start);
        }
        for root in 0..land.regions.len() as u8 {
            let (start, mut sketch) = (lands.bytes.len(), Sketch::default());
            for r in usize::from(root)..land.regions.len() {
                if !split.is_in(r as u8, root) {
                    continue;
                }
                if lands.bytes.len() > start {
                    lands.bytes.push(END_REGION);
                }
                let region = &land.regions[r];
                let walls = survey.walls[region.boundaries.range()].iter();
                let written = region::write(&land.tokens, region.isolated, walls, &mut lands.bytes);
                sketch.region(written.expect("a region that is not dropped has lives"));
            }
            lands.end(start, sketch);
        }
    }
}
