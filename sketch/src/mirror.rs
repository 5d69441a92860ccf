//! Which boundaries must be read backwards so that a land lies in the plane.
//!
//! A canonical land does not tell mirror images apart: each of its regions may have been turned
//! over. Seen as a graph, its walls are vertices, its letters are edges, and the order of the
//! letters on a wall is known up to direction. Such a graph lies in the plane exactly when every
//! two of its cycles cross an even number of times, and it is enough to ask that of the cycles that
//! one edge closes over a spanning tree. Two of those share at most one path of the tree. If that
//! path is a single wall, its direction does not matter for whether they cross there. Otherwise
//! they cross unless the directions of the walls at the two ends of the path are related in one
//! way: a linear equation. Union-find solves all of them.

use std::collections::BTreeMap;

use crate::SketchError;
use crate::pieces::Pieces;
use crate::union::Union;

/// A letter between two walls: wall and place on it, twice.
type Edge = [(usize, usize); 2];

/// Where a cycle passes each of its walls: the two places.
type Cycle = BTreeMap<usize, [usize; 2]>;

/// Whether each wall must be read backwards, relative to the other walls of its piece.
///
/// # Errors
/// [`SketchError::NotPlane`] when no choice puts the land into the plane.
pub(crate) fn within_pieces(pieces: &Pieces) -> Result<Vec<bool>, SketchError> {
    let walls = pieces.walls.len();
    let mut signs = Union::new(walls);
    let cycles = cycles(walls, &edges(pieces));
    for (i, one) in cycles.iter().enumerate() {
        for other in &cycles[..i] {
            if !relate(one, other, pieces, &mut signs) {
                return Err(SketchError::NotPlane);
            }
        }
    }
    Ok((0..walls).map(|wall| signs.find(wall).1).collect())
}

fn edges(pieces: &Pieces) -> Vec<Edge> {
    let mut first = vec![None; pieces.spots.len()];
    let mut edges = Vec::new();
    for (w, wall) in pieces.walls.iter().enumerate() {
        for (place, corner) in wall.corners.iter().enumerate() {
            match first[corner.spot] {
                None => first[corner.spot] = Some((w, place)),
                Some(other) => edges.push([other, (w, place)]),
            }
        }
    }
    edges
}

/// The cycles that edges close over a spanning forest that was grown breadth first.
fn cycles(walls: usize, edges: &[Edge]) -> Vec<Cycle> {
    // For each wall but the roots: its parent, the place of the edge on that, and the place of the
    // edge on the wall itself.
    let mut up: Vec<Option<(usize, usize, usize)>> = vec![None; walls];
    let mut depth = vec![usize::MAX; walls];
    let mut in_tree = vec![false; edges.len()];
    for root in 0..walls {
        if depth[root] != usize::MAX {
            continue;
        }
        depth[root] = 0;
        let mut queue = std::collections::VecDeque::from([root]);
        while let Some(wall) = queue.pop_front() {
            for (e, &edge) in edges.iter().enumerate() {
                for [(from, there), (to, here)] in [edge, [edge[1], edge[0]]] {
                    if from == wall && depth[to] == usize::MAX {
                        (up[to], depth[to], in_tree[e]) =
                            (Some((from, there, here)), depth[from] + 1, true);
                        queue.push_back(to);
                    }
                }
            }
        }
    }
    let closing = edges.iter().zip(&in_tree).filter(|(_, in_tree)| !**in_tree);
    closing
        .map(|(&[(mut one, mut at_one), (mut other, mut at_other)], _)| {
            let mut cycle = Cycle::new();
            while one != other {
                let deeper = if depth[one] >= depth[other] {
                    (&mut one, &mut at_one)
                } else {
                    (&mut other, &mut at_other)
                };
                let (parent, there, here) = up[*deeper.0].expect("a root is nobody's child");
                cycle.insert(*deeper.0, [*deeper.1, here]);
                (*deeper.0, *deeper.1) = (parent, there);
            }
            cycle.insert(one, [at_one, at_other]);
            cycle
        })
        .collect()
}

/// Takes in that two cycles do not cross. Returns `false` when that contradicts what is known.
fn relate(one: &Cycle, other: &Cycle, pieces: &Pieces, signs: &mut Union) -> bool {
    let mut ends = Vec::new();
    for (&wall, places) in one {
        let Some(others) = other.get(&wall) else { continue };
        let length = pieces.walls[wall].corners.len();
        let shared: Vec<usize> = places.iter().copied().filter(|p| others.contains(p)).collect();
        match shared[..] {
            [] => {
                let turn = |place: usize| (place + length - places[0]) % length;
                if (turn(others[0]) < turn(places[1])) != (turn(others[1]) < turn(places[1])) {
                    return false;
                }
            }
            [shared] => {
                let turn = |pair: &[usize; 2]| {
                    let place = if pair[0] == shared { pair[1] } else { pair[0] };
                    (place + length - shared) % length
                };
                ends.push((wall, turn(places) < turn(others)));
            }
            _ => {}
        }
    }
    match ends[..] {
        [] => true,
        [(u, left_at_u), (w, left_at_w)] => signs.relate(u, w, left_at_u == left_at_w),
        _ => unreachable!("two cycles over a tree share one path, which has two ends"),
    }
}
