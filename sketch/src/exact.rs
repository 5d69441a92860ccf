//! Geometry in whole numbers: nothing is rounded, so every decision is exact.

use std::cmp::Ordering;

/// A point of a picture, in whole steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Point {
    /// To the right.
    pub x: i64,
    /// Downwards.
    pub y: i64,
}

/// Twice the signed area of a triangle.
pub(crate) fn area(a: Point, b: Point, c: Point) -> i64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// Whether `point` lies on the closed segment from `a` to `b`.
pub(crate) fn is_on(point: Point, [a, b]: [Point; 2]) -> bool {
    area(a, b, point) == 0
        && point.x >= a.x.min(b.x)
        && point.x <= a.x.max(b.x)
        && point.y >= a.y.min(b.y)
        && point.y <= a.y.max(b.y)
}

/// Whether two closed segments have a point in common.
pub(crate) fn meet([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    let sides = |p, q, r, s| area(p, q, r).signum() * area(p, q, s).signum();
    if sides(a, b, c, d) < 0 && sides(c, d, a, b) < 0 {
        return true;
    }
    is_on(c, [a, b]) || is_on(d, [a, b]) || is_on(a, [c, d]) || is_on(b, [c, d])
}

/// The order of directions around a point, counter-clockwise in a plane whose y points up.
pub(crate) fn by_direction(a: Point, b: Point) -> Ordering {
    let half = |p: Point| (p.y, p.x) < (0, 0);
    let (half_a, half_b) = (half(a), half(b));
    half_a.cmp(&half_b).then_with(|| (b.x * a.y - b.y * a.x).cmp(&0))
}

/// Whether a point lies inside a closed walk, by the even-odd rule. It must not lie on it.
pub(crate) fn is_inside(point: Point, walk: &[Point]) -> bool {
    let mut inside = false;
    for (i, &a) in walk.iter().enumerate() {
        let b = walk[(i + 1) % walk.len()];
        if (a.y > point.y) != (b.y > point.y) {
            let side = area(a, b, point);
            if (side > 0) == (b.y > a.y) {
                inside = !inside;
            }
        }
    }
    inside
}
