//! The smooth curves, and the proof that they do not cross.
//!
//! A curve is a quadratic B-spline: parabolas from the middle of one segment of its control polygon
//! to the middle of the next. Each parabola lies in a triangle: a corner of the polygon and the two
//! middles beside it. If the triangles have nothing in common but their joints, and no spot in
//! them, no curve crosses another, and each lies in the plane like its polygon. That is decided
//! exactly.

use std::collections::HashMap;

use crate::drawn::Drawn;
use crate::exact::{Point, area, is_on, meet};

/// A parabola: where it begins, its control point, where it ends.
pub(crate) type Arc = [Point; 3];

/// The parabolas of a curve from its control points. All but the first and the last have even
/// coordinates, so that middles are whole.
pub(crate) fn arcs(curve: &[Point]) -> Vec<Arc> {
    let middle = |a: Point, b: Point| Point { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    let last = curve.len() - 2;
    (1..=last)
        .map(|i| {
            let from = if i == 1 { curve[0] } else { middle(curve[i - 1], curve[i]) };
            let to = if i == last { curve[i + 1] } else { middle(curve[i], curve[i + 1]) };
            [from, curve[i], to]
        })
        .collect()
}

/// How many pairs of arcs have more in common than a joint, or a spot in them that is not their
/// end.
pub(crate) fn crossings(drawn: &Drawn) -> usize {
    let arcs: Vec<Arc> = drawn.curves.iter().flat_map(|curve| arcs(curve)).collect();
    let spots = drawn.vertices.iter().map(|vertex| [vertex.at; 3]);
    let things: Vec<Arc> = arcs.iter().copied().chain(spots).collect();
    let cell = cell_size(&arcs);
    let mut cells: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (i, thing) in things.iter().enumerate() {
        for key in cells_of(thing, cell) {
            cells.entry(key).or_default().push(i);
        }
    }
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for inside in cells.values() {
        for (k, &i) in inside.iter().enumerate() {
            pairs.extend(inside[..k].iter().map(|&j| (j, i)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let is_bad = |&&(j, i): &&(usize, usize)| touch(&things[j], &things[i]);
    let degenerate = arcs.iter().filter(|[a, b, c]| a == b || b == c || a == c).count();
    pairs.iter().filter(is_bad).count() + degenerate
}

fn cell_size(arcs: &[Arc]) -> i64 {
    let size = |arc: &Arc| {
        let [[x0, x1], [y0, y1]] = bounds(arc);
        (x1 - x0).max(y1 - y0)
    };
    let total: i64 = arcs.iter().map(size).sum();
    (total / (arcs.len() as i64).max(1)).max(1)
}

fn bounds(arc: &Arc) -> [[i64; 2]; 2] {
    let of = |get: fn(&Point) -> i64| {
        let all = arc.each_ref().map(get);
        [all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0)]
    };
    [of(|p| p.x), of(|p| p.y)]
}

fn cells_of(arc: &Arc, cell: i64) -> impl Iterator<Item = (i64, i64)> + use<> {
    let [[x0, x1], [y0, y1]] = bounds(arc).map(|range| range.map(|v| v.div_euclid(cell)));
    (x0..=x1).flat_map(move |x| (y0..=y1).map(move |y| (x, y)))
}

/// Whether two triangles have more in common than one joint.
fn touch(one: &Arc, other: &Arc) -> bool {
    let joints = one.iter().filter(|p| other.contains(p)).count();
    let ends = |arc: &Arc| [arc[0], arc[2]];
    if joints > 0 {
        let shared = ends(one).into_iter().filter(|p| ends(other).contains(p)).count();
        // Both ends are shared if two curves of one arc each join the same spots.
        if shared == 0 || shared != joints {
            return true;
        }
    }
    let sides = |[a, b, c]: &Arc| [[*a, *b], [*b, *c], [*c, *a]];
    for one_side in sides(one) {
        for other_side in sides(other) {
            let joint = one_side.iter().find(|p| other_side.contains(p));
            let is_bad = match joint {
                None => meet(one_side, other_side),
                Some(joint) => {
                    let far = |side: [Point; 2]| if side[0] == *joint { side[1] } else { side[0] };
                    let (p, q) = (far(one_side), far(other_side));
                    p != *joint && q != *joint && (is_on(p, other_side) || is_on(q, one_side))
                }
            };
            if is_bad {
                return true;
            }
        }
    }
    let inside = |point: &Point, [a, b, c]: &Arc| {
        let signs = [area(*a, *b, *point), area(*b, *c, *point), area(*c, *a, *point)];
        signs.iter().all(|s| *s > 0) || signs.iter().all(|s| *s < 0)
    };
    one.iter().any(|point| inside(point, other)) || other.iter().any(|point| inside(point, one))
}
