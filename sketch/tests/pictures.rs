//! Pictures of many lands, and pictures that were tampered with.

use std::collections::HashSet;

use fastrand::Rng;
use sprig_engine::{CanonicalLand, CanonicalPosition, Position};
use sprig_sketch::{
    Drawn, Fill, Look, Mark, Misread, Picture, Point, Sheet, SketchError, Theme, UNIT,
};

fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

fn land(text: &str) -> CanonicalLand {
    position(text).lands()[0].clone()
}

/// Different lands of 3 to 60 lives from random games.
fn played(count: usize, seed: u64) -> HashSet<CanonicalLand> {
    let mut choices = Rng::with_seed(seed);
    let mut lands = HashSet::new();
    while lands.len() < count {
        let spots = 2 + choices.usize(..11);
        let mut position = CanonicalPosition::of(&Position::start(spots));
        for _ in 0..1 + choices.usize(..2 * spots) {
            let mut children = position.children().expect("few moves");
            if children.is_empty() {
                break;
            }
            position = children.swap_remove(choices.usize(..children.len()));
            lands.extend(
                position.lands().iter().filter(|land| (3..61).contains(&land.lives())).cloned(),
            );
        }
    }
    lands
}

#[test]
fn what_is_played_can_be_drawn_and_reads_as_it_is() {
    for land in played(300, 5) {
        let drawn = Drawn::of(&land).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(drawn.crossings(), 0, "{land}");
        assert_eq!(drawn.check(), Ok(()), "{land}");
    }
}

#[test]
fn the_same_position_has_the_same_picture() {
    for text in ["0*2.AB|AB+0*3.1a2a.1", "0.A.BC|0*2.A|0*3.D|EF|EFD.BC", "0*40", "!"] {
        let (one, other) = (Picture::of(&position(text)), Picture::of(&position(text)));
        assert_eq!(one, other);
        let picture = one.expect("a picture");
        assert_eq!(picture.read(), Ok(position(text)));
        assert!(picture.size.x > 0 && picture.size.y > 0);
    }
}

#[test]
fn a_spot_in_another_region_is_noticed() {
    let mut drawn = Drawn::of(&land("0*3.AB|0*4.AB")).expect("a picture");
    let inside = drawn.faces[1].alone[0];
    drawn.vertices[inside].at = Point { x: 100 * UNIT, y: 0 };
    let Err(Misread::Other(read)) = drawn.check() else { panic!("{:?}", drawn.check()) };
    assert_ne!(*read, position("0*3.AB|0*4.AB"));
}

#[test]
fn a_crossing_is_noticed() {
    let mut drawn = Drawn::of(&land("0*3.AB|0*4.AB")).expect("a picture");
    let middle = drawn.curves[0].len() / 2;
    drawn.curves[0][middle] = Point { x: 100 * UNIT, y: 100 * UNIT };
    drawn.curves[1][1] = Point { x: 100 * UNIT, y: -100 * UNIT };
    let other = drawn.curves[1].len() - 2;
    drawn.curves[1][other] = Point { x: -100 * UNIT, y: 100 * UNIT };
    assert!(drawn.crossings() > 0);
    assert_eq!(drawn.check(), Err(Misread::Crossing));
}

#[test]
fn a_wrong_filling_is_noticed() {
    let mut drawn = Drawn::of(&land("0*3.AB|0*4.AB")).expect("a picture");
    drawn.faces[1].fill = Fill::Dead;
    assert_eq!(drawn.check(), Err(Misread::Fill));
}

#[test]
fn a_curve_that_ends_nowhere_is_noticed() {
    let mut drawn = Drawn::of(&land("0*3.AB|0*4.AB")).expect("a picture");
    drawn.curves[0][0].x += 2;
    assert!(matches!(drawn.check(), Err(Misread::Astray)), "{:?}", drawn.check());
}

#[test]
fn what_does_not_lie_in_the_plane_is_refused() {
    // The loop at `a` parts A from B; two boundaries that see each other twice are a tube.
    for text in ["0*3.1aAaB|0*3.AB", "0*3.AB.CD|0*4.AB.CD"] {
        assert_eq!(Drawn::of(&land(text)), Err(SketchError::NotPlane), "{text}");
    }
}

#[test]
fn many_fresh_spots_are_a_counted_group() {
    let marks = |text| {
        let drawn = Drawn::of(&land(text)).expect("a picture");
        drawn.vertices.into_iter().map(|vertex| vertex.mark).collect::<Vec<_>>()
    };
    assert_eq!(marks("0*12").len(), 12);
    assert_eq!(marks("0*40"), [Mark::Group(40)]);
}

#[test]
fn svg_is_well_formed_and_says_what_it_shows() {
    let picture = Picture::of(&position("0*2.AB|AB+0*13+12")).expect("a picture");
    for theme in [Theme::Light, Theme::Dark, Theme::Print] {
        for labels in [true, false] {
            let svg = picture.svg(&Look { theme, labels });
            let title = format!("<title>Sprouts position {}</title>", picture.position);
            assert!(svg.contains(&title) && svg.contains("<desc>Shows a land of"), "{svg}");
            for (open, close) in [("<g ", "</g>"), ("<svg ", "</svg>"), ("<defs>", "</defs>")] {
                assert_eq!(svg.matches(open).count(), svg.matches(close).count(), "{open}");
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
    let entries = vec![(picture.clone(), "0*2".to_owned()), (picture, "12".to_owned())];
    let sheet = Sheet { title: "Two".to_owned(), entries, columns: 1 };
    assert!(sheet.svg(&Look::default()).contains("<desc>0*2; 12</desc>"));
}
