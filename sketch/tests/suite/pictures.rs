//! Pictures of many lands, and pictures that were tampered with.

use std::collections::HashSet;

use fastrand::Rng;
use sprig_engine::{CanonicalLand, CanonicalPosition, Position, Surface};
use sprig_sketch::{
    Card, Diagram, Drawn, Fill, Look, Mark, Misread, Picture, Point, Sheet, SketchError, Theme,
    UNIT,
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
    for land in played(150, 5) {
        let drawn = Drawn::of(&land).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(drawn.crossings(), 0, "{land}");
        assert_eq!(drawn.check(), Ok(()), "{land}");
    }
}

#[test]
fn on_other_surfaces_what_a_plane_can_show_is_drawn_and_the_rest_is_refused_in_words() {
    let mut choices = Rng::with_seed(11);
    let (mut lands, mut drawn, mut refused) = (HashSet::new(), 0, 0);
    for genus in [1, 2, -1, -2, -3] {
        for _ in 0..8 {
            let surface = Surface::new(genus).expect("a surface");
            let mut position = CanonicalPosition::of(&Position::start_on(3, surface));
            loop {
                lands.extend(position.lands().iter().filter(|land| !land.is_spherical()).cloned());
                let Some(next) = choices.choice(position.children().expect("few moves")) else {
                    break;
                };
                position = next;
            }
        }
    }
    for land in &lands {
        let alone = CanonicalPosition::from_lands([land.clone()]);
        assert_eq!(Picture::is_defined(&alone), Drawn::of(land).is_ok(), "{land}");
        match Drawn::of(land) {
            Ok(picture) => {
                drawn += 1;
                assert_eq!(picture.check(), Ok(()), "{land}");
                let marks = picture.vertices.iter().filter(|v| matches!(v.mark, Mark::Genus(_)));
                let regions = land.to_land().0;
                let marked = regions.iter().filter(|region| !region.1.is_sphere()).count();
                assert_eq!(marks.count(), marked, "{land}");
            }
            Err(SketchError::OtherSurface(other)) => {
                refused += 1;
                assert_eq!(&other, land);
            }
            Err(error) => panic!("{land}: {error}"),
        }
    }
    assert!(drawn > 40 && refused > 10, "{drawn} drawn, {refused} refused");
    for refused in ["0*2.zy.zy", "0*2.abab"] {
        assert!(!Picture::is_defined(&position(refused)), "{refused}");
        let error = Picture::of(&position(refused)).map(|_| ()).expect_err(refused);
        assert!(error.to_string().contains("in the plane"), "{error}");
    }
}

#[test]
fn a_mark_in_another_region_is_noticed() {
    let mut drawn = Drawn::of(&land("0*3.AB@1|0*4.AB")).expect("a picture");
    let is_mark = |v: &sprig_sketch::Vertex| matches!(v.mark, Mark::Genus(_));
    let mark = drawn.vertices.iter().position(is_mark).expect("a mark");
    for other in 0..drawn.vertices.len() {
        let beside = Point { x: drawn.vertices[other].at.x + 40, y: drawn.vertices[other].at.y };
        let mut moved = drawn.clone();
        moved.vertices[mark].at = beside;
        if moved.check().is_err() {
            drawn.vertices[mark].mark = Mark::Genus(Surface::new(2).expect("a surface"));
            assert!(drawn.check().is_err());
            return;
        }
    }
    panic!("the mark may stand anywhere");
}

#[test]
fn what_is_nested_deeply_can_be_drawn() {
    // An earlier version lost the innermost curves to rounding, or let two spots keep each other
    // from their places.
    for text in [
        "0.1a1a.A|0.A.B|2CB|DEF|DEG|FabcdHdcba|HIJ|CG|IJ",
        "0.AB.CD|2.1aEa.FG|22H|1IJ.KL|MN|MN.CD|EIJ|FGH|AB.KL",
        "0.0.A|0.A.B|0.B.C|0.C.D|0.D.E|0.E.F|0.F.G|0.G.H|0.0.H",
    ] {
        for land in position(text).lands() {
            let drawn = Drawn::of(land).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(drawn.check(), Ok(()), "{land}");
        }
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
    // A curve once through the whole picture, and back to its end.
    let [from, to] = drawn.bounds();
    let last = drawn.curves[0].len() - 1;
    let far = |v: i64| v / 2 * 2;
    drawn.curves[0].insert(last, Point { x: far(from.x - 2 * UNIT), y: far(from.y - 2 * UNIT) });
    drawn.curves[0].insert(last, Point { x: far(to.x + 2 * UNIT), y: far(to.y + 2 * UNIT) });
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
    // The loop at `a` separates A from B. Two boundaries that share two regions form a tube.
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

#[test]
fn a_diagram_holds_each_card_once_and_says_what_it_shows() {
    let card = |text: &str, options: &[usize]| Card {
        picture: Some(Picture::of(&position(text)).expect("a picture")),
        caption: text.to_owned(),
        options: options.to_vec(),
    };
    // From the first card a way passes the row of the second.
    let cards = vec![card("2AB|AB", &[1, 2]), card("22", &[2]), card("!", &[])];
    let svg = Diagram { title: "A tree".to_owned(), cards }.svg(&Look::default());
    assert!(svg.contains("<desc>2AB|AB; 22; !</desc>"), "{svg}");
    assert_eq!(svg.matches("rx=\"8\"").count(), 3);
    assert_eq!(svg.matches("stroke-width=\"1.4\"").count(), 3);
    assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn a_picture_is_not_higher_than_wide() {
    for text in ["0*2", "0.AB|AB", "0.A|0*4.BC|2A.BC", "0*7"] {
        let [from, to] = Drawn::of(&land(text)).expect("a picture").bounds();
        assert!(to.y - from.y <= to.x - from.x, "{text}");
    }
}
