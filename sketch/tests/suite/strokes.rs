//! Curves that a person draws into a picture: which move they are, and why they are none.

use sprig_engine::CanonicalPosition;
use sprig_sketch::{Mark, Misdrawn, Picture, Point, UNIT};

fn picture(text: &str) -> Picture {
    Picture::of(&CanonicalPosition::of(&text.parse().expect("a position"))).expect("a picture")
}

/// The places of the spots of a picture that have this many curve ends.
fn spots(picture: &Picture, degree: usize) -> Vec<Point> {
    let places = picture.lands.iter().flat_map(|placed| {
        let is_meant = move |v: &&sprig_sketch::Vertex| v.mark != Mark::Dead && v.degree == degree;
        let there = move |at: Point| Point { x: at.x + placed.offset.x, y: at.y + placed.offset.y };
        placed.drawn.vertices.iter().filter(is_meant).map(move |vertex| there(vertex.at))
    });
    places.collect()
}

/// Points along straight ways, as a hand leaves them: some steps off.
fn drawn(stops: &[Point]) -> Vec<Point> {
    let mut points = Vec::new();
    for pair in stops.windows(2) {
        for step in 0..30 {
            let part = |a: i64, b: i64| a + (b - a) * step / 30 + step * 7 % 40;
            points.push(Point { x: part(pair[0].x, pair[1].x), y: part(pair[0].y, pair[1].y) });
        }
    }
    points.extend(stops.last());
    points
}

fn after(picture: &Picture, stops: &[Point]) -> Result<String, Misdrawn> {
    picture.after(&drawn(stops)).map(|position| position.to_string())
}

fn canonical(text: &str) -> String {
    CanonicalPosition::of(&text.parse().expect("a position")).to_string()
}

#[test]
fn a_curve_between_two_spots_joins_them() {
    let two = picture("0*2");
    let ends = spots(&two, 0);
    assert_eq!(after(&two, &ends), Ok(canonical("1a1a")));
    // A small mistake at the ends does not matter.
    let near = ends.iter().map(|at| Point { x: at.x + UNIT / 5, y: at.y - UNIT / 5 });
    assert_eq!(after(&two, &near.collect::<Vec<_>>()), Ok(canonical("1a1a")));
}

#[test]
fn a_loop_has_inside_what_it_goes_around() {
    let three = picture("0*3");
    let ends = spots(&three, 0);
    let (first, other) = (ends[0], ends[1]);
    // A square that begins at one spot, around another one or around nothing.
    let beyond = Point { x: 2 * other.x - first.x, y: 2 * other.y - first.y };
    let aside = |from: Point, part: i64| Point {
        x: (from.x + (other.y - first.y) / part),
        y: (from.y - (other.x - first.x) / part),
    };
    let around = [first, aside(other, 2), beyond, aside(other, -2), first];
    assert_eq!(after(&three, &around), Ok(canonical("0.AB|0.AB")));
    let alone = Point { x: (first.x + other.x) / 2, y: (first.y + other.y) / 2 };
    let around = [first, aside(alone, 4), alone, aside(alone, -4), first];
    assert_eq!(after(&three, &around), Ok(canonical("0*2.AB|AB")));
}

#[test]
fn every_straight_curve_that_touches_nothing_is_a_move() {
    let (mut moves, mut refused) = (0, 0);
    for text in
        ["0*5", "0*2.AB|AB", "0*3.AB|0.2.AC|BC.1", "0.ABC|ABD|CD", "1ab2bc1ca", "0.A|0*3.A+0*2"]
    {
        let picture = picture(text);
        let children = picture.position.children().expect("few");
        let places: Vec<Point> = (0..3).flat_map(|degree| spots(&picture, degree)).collect();
        for (i, &from) in places.iter().enumerate() {
            for &to in &places[i + 1..] {
                match picture.after(&drawn(&[from, to])) {
                    Ok(child) => {
                        moves += 1;
                        assert!(children.contains(&child), "{text}: {child}");
                    }
                    Err(Misdrawn::Crossing | Misdrawn::Lands) => refused += 1,
                    Err(error) => panic!("{text}: {error}"),
                }
            }
        }
    }
    assert!(moves > 20 && refused > 5, "{moves} moves, {refused} refused");
}

#[test]
fn what_is_no_move_is_refused_with_its_reason() {
    let two = picture("0*2+0*3.AB|AB");
    let ends = spots(&two, 0);
    let nowhere = Point { x: -9 * UNIT, y: -9 * UNIT };
    assert_eq!(after(&two, &[nowhere, ends[0]]), Err(Misdrawn::Begin));
    assert_eq!(after(&two, &[ends[0], nowhere]), Err(Misdrawn::End));
    assert_eq!(two.after(&ends[..1]), Err(Misdrawn::Points(1)));
    let said = [1, 0].map(|points| Misdrawn::Points(points).to_string());
    assert!(said[0].starts_with("the curve has 1 point;"), "{}", said[0]);
    assert!(said[1].starts_with("the curve has 0 points;"), "{}", said[1]);
    let lands: Vec<_> = [&two.lands[0], &two.lands[1]]
        .map(|placed| {
            let at = placed.drawn.vertices[0].at;
            Point { x: at.x + placed.offset.x, y: at.y + placed.offset.y }
        })
        .into();
    assert_eq!(after(&two, &lands), Err(Misdrawn::Lands));
    // A curve that crosses itself.
    let [a, b] = [ends[0], ends[1]];
    let (x, y) = (b.x - a.x, b.y - a.y);
    let at =
        |u: i64, v: i64| Point { x: a.x + (u * x - v * y) / 10, y: a.y + (u * y + v * x) / 10 };
    assert_eq!(after(&two, &[a, at(7, 4), at(7, -4), at(3, 3), b]), Err(Misdrawn::Crossing));
    // A spot with one life cannot have a loop, and a group has no single spots.
    let loops = picture("0.AB|AB");
    let one = spots(&loops, 2)[0];
    let away = Point { x: one.x + UNIT, y: one.y };
    assert_eq!(after(&loops, &[one, away, one]), Err(Misdrawn::Lives));
    let many = picture("0*20");
    let at = spots(&many, 0)[0];
    assert_eq!(
        after(&many, &[at, Point { x: at.x + 2 * UNIT, y: at.y }, at]),
        Err(Misdrawn::Group)
    );
}
