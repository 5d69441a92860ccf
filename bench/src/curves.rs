//! Random games in which every move is drawn as a curve, and read back from the picture.

use fastrand::Rng;
use serde::Serialize;
use sprig_engine::{Budget, CanonicalPosition, Position};
use sprig_sketch::Picture;

use crate::usage;

/// Fresh spots with which games begin.
const SPOTS: std::ops::RangeInclusive<usize> = 2..=8;

/// What was seen when random games were drawn to their end.
#[derive(Serialize)]
pub struct Curves {
    /// The seed of the games.
    pub seed: u64,
    /// How many games, from 2 to 8 spots.
    pub games: usize,
    /// Positions that came up.
    pub positions: usize,
    /// Their moves: one for each canonical child of each position.
    pub moves: usize,
    /// Moves for which no curve was found, with the position.
    pub missing: Vec<String>,
    /// Curves that, read from the picture by their points, are not the move.
    pub misread: Vec<String>,
    /// CPU milliseconds from the picture and the move to the curve: median, 95th and 99th
    /// percentile, worst.
    pub route_milliseconds: [f64; 4],
    /// CPU milliseconds from the points of a curve to the position that it leads to: median, 95th
    /// and 99th percentile, worst.
    pub read_milliseconds: [f64; 4],
}

/// Plays random games. Every move of every position is drawn and read. The game goes on with one of
/// them.
///
/// # Panics
/// When a position has no picture.
pub fn curves(games: usize, seed: u64) -> Curves {
    let mut seen = Curves {
        seed,
        games,
        positions: 0,
        moves: 0,
        missing: Vec::new(),
        misread: Vec::new(),
        route_milliseconds: [0.0; 4],
        read_milliseconds: [0.0; 4],
    };
    let (mut routes, mut reads) = (Vec::new(), Vec::new());
    let mut dice = Rng::with_seed(seed);
    for game in 0..games {
        let spots = SPOTS.start() + game % SPOTS.count();
        let mut position = CanonicalPosition::of(&Position::start(spots));
        loop {
            let picture = Picture::of(&position).expect("what is played can be drawn");
            let paper = picture.paper().expect("it was read before it was shown");
            let moves = paper.moves(&mut Budget::default()).expect("they are few");
            seen.positions += 1;
            if moves.is_empty() {
                break;
            }
            for reached in &moves {
                seen.moves += 1;
                let words = || format!("{position}: {}", paper.words(&reached.witness));
                let begin = usage::cpu();
                let route = picture.route(&paper, &reached.witness);
                let routed = usage::cpu();
                routes.push((routed - begin).as_secs_f64() * 1e3);
                let Some(route) = route else {
                    seen.missing.push(words());
                    continue;
                };
                let read = picture.after(&route);
                reads.push((usage::cpu() - routed).as_secs_f64() * 1e3);
                if read.as_ref() != Ok(&reached.drawn) {
                    seen.misread.push(words());
                }
            }
            position = moves[dice.usize(..moves.len())].child.clone();
        }
    }
    seen.route_milliseconds = ranks(routes);
    seen.read_milliseconds = ranks(reads);
    seen
}

/// Median, 95th and 99th percentile, worst.
fn ranks(mut times: Vec<f64>) -> [f64; 4] {
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len() - 1));
    match times[..] {
        [] => [0.0; 4],
        _ => [50, 95, 99, 100].map(|percent| at(percent).copied().unwrap_or_default()),
    }
}
