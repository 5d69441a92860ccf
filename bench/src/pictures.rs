//! What pictures cost, and how good they are.

use std::collections::HashSet;
use std::ops::Range;

use fastrand::Rng;
use serde::Serialize;
use sprig_engine::{CanonicalLand, CanonicalPosition, Position};
use sprig_sketch::{Drawn, Look, Mark, Picture, Sheet, SketchError};

use crate::usage;

/// What a picture promises: up to this many spots, no two are nearer than `PIXELS` in a picture
/// `WIDTH` pixels wide.
const SPOTS: usize = 30;
const PIXELS: f64 = 18.0;
const WIDTH: f64 = 640.0;

/// What was seen when many random lands were drawn.
#[derive(Serialize)]
pub struct Pictures {
    /// The seed of the walks.
    pub seed: u64,
    /// How many lands were drawn.
    pub lands: usize,
    /// Lives of the least and the largest of them.
    pub lives: [u32; 2],
    /// Lands for which there is no picture, with the reason.
    pub failed: Vec<String>,
    /// Crossings in all pictures, by exact predicates.
    pub crossings: usize,
    /// Pictures that, read from their geometry, are the land in its canonical form.
    pub read_back: usize,
    /// CPU milliseconds a picture on one thread: median, 99th percentile, worst.
    pub milliseconds: [f64; 3],
    /// The land that took longest.
    pub slowest: String,
    /// Pictures of at most 30 spots, and those of them in which no two spots are nearer than 18
    /// pixels at a width of 640.
    pub roomy: [usize; 2],
    /// The least distance of two spots in pixels at a width of 640: 1st percentile and median over
    /// the former.
    pub distance: [f64; 2],
}

/// Lands of random games: from a random start position, a random number of random moves.
pub struct Walks {
    choices: Rng,
    lives: Range<u32>,
    waiting: Vec<CanonicalLand>,
    /// No land comes twice.
    seen: HashSet<CanonicalLand>,
}

impl Walks {
    /// Lands with lives in a range.
    pub fn new(seed: u64, lives: Range<u32>) -> Self {
        Self { choices: Rng::with_seed(seed), lives, waiting: Vec::new(), seen: HashSet::new() }
    }
}

impl Iterator for Walks {
    type Item = CanonicalLand;

    fn next(&mut self) -> Option<CanonicalLand> {
        while self.waiting.is_empty() {
            let spots = 2 + self.choices.usize(..19);
            let mut position = CanonicalPosition::of(&Position::start(spots));
            for _ in 0..1 + self.choices.usize(..2 * spots) {
                let Ok(mut children) = position.children() else { break };
                if children.is_empty() {
                    break;
                }
                position = children.swap_remove(self.choices.usize(..children.len()));
            }
            self.waiting = position.lands().to_vec();
            let Self { waiting, lives, seen, .. } = self;
            waiting.retain(|land| lives.contains(&land.lives()) && seen.insert(land.clone()));
        }
        self.waiting.pop()
    }
}

/// A sheet of the pictures of `count` random lands of 8 to 60 lives.
///
/// # Errors
/// When a land cannot be drawn.
pub fn sheet(count: usize, seed: u64) -> Result<String, SketchError> {
    let entries = Walks::new(seed, 8..61).take(count).map(|land| {
        let position = CanonicalPosition::from_lands([land]);
        Ok((Picture::of(&position)?, position.to_string()))
    });
    let entries = entries.collect::<Result<_, _>>()?;
    let title = format!("{count} lands of random games");
    Ok(Sheet { title, entries, columns: 6 }.svg(&Look::default()))
}

/// Draws `count` random lands of 3 to 60 lives and measures the pictures.
pub fn pictures(count: usize, seed: u64) -> Pictures {
    let mut seen = Pictures {
        seed,
        lands: count,
        lives: [u32::MAX, 0],
        failed: Vec::new(),
        crossings: 0,
        read_back: 0,
        milliseconds: [0.0; 3],
        slowest: String::new(),
        roomy: [0; 2],
        distance: [0.0; 2],
    };
    let mut times = Vec::new();
    let mut distances = Vec::new();
    for land in Walks::new(seed, 3..61).take(count) {
        let lives = land.lives();
        seen.lives = [seen.lives[0].min(lives), seen.lives[1].max(lives)];
        let start = usage::cpu().as_secs_f64();
        let drawn = Drawn::of(&land);
        times.push(((usage::cpu().as_secs_f64() - start) * 1e3, land.to_string()));
        match drawn {
            Err(error) => seen.failed.push(error.to_string()),
            Ok(drawn) => {
                seen.crossings += drawn.crossings();
                seen.read_back += usize::from(drawn.check().is_ok());
                if let Some(distance) = least_distance(drawn) {
                    distances.push(distance);
                }
            }
        }
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    distances.sort_by(f64::total_cmp);
    if let Some((_, slowest)) = times.last() {
        seen.slowest.clone_from(slowest);
        seen.milliseconds =
            [50, 99, 100].map(|p| times[(times.len() * p / 100).min(times.len() - 1)].0);
    }
    if !distances.is_empty() {
        seen.roomy = [distances.len(), distances.iter().filter(|d| **d >= PIXELS).count()];
        seen.distance = [1, 50].map(|p| distances[distances.len() * p / 100]);
    }
    seen
}

/// The least distance of two spots in pixels, if the picture has two spots and not too many.
fn least_distance(drawn: Drawn) -> Option<f64> {
    let width = Picture::with(drawn.position.clone(), vec![drawn.clone()]).size;
    let spots: Vec<_> = drawn.vertices.iter().filter(|v| v.mark != Mark::Dead).collect();
    let mut least = f64::INFINITY;
    for (i, one) in spots.iter().enumerate() {
        for other in &spots[..i] {
            let (x, y) = ((one.at.x - other.at.x) as f64, (one.at.y - other.at.y) as f64);
            least = least.min(x.hypot(y));
        }
    }
    let pixels = least * WIDTH / width.x.max(width.y) as f64;
    ((2..=SPOTS).contains(&spots.len())).then_some(pixels)
}
