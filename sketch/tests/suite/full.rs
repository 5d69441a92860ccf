//! Full drawings of random games, and lists that are none.

use fastrand::Rng;
use sprig_engine::CanonicalPosition;
use sprig_oracle::Table;
use sprig_sketch::{Look, Mark, Misread, Picture, Sheet, SketchError, Theme, Walks};

fn table(text: &str) -> Table {
    text.parse().expect(text)
}

fn full(table: &Table) -> (CanonicalPosition, Vec<Walks>) {
    (CanonicalPosition::of(&table.to_position()), table.rows().to_vec())
}

fn drawn(text: &str) -> Result<Picture, SketchError> {
    let (position, regions) = full(&table(text));
    Picture::full(&position, regions)
}

/// The tables of a random game, from its start to its end.
fn game(spots: u32, choices: &mut Rng) -> Vec<Table> {
    let mut tables = vec![Table::start(spots)];
    loop {
        let (mut next, mut count) = (None, 0);
        tables[tables.len() - 1].for_each_option(|_, option| {
            count += 1;
            if choices.usize(..count) == 0 {
                next = Some(option);
            }
        });
        let Some(next) = next else { return tables };
        tables.push(next);
    }
}

fn names(picture: &Picture) -> Vec<u32> {
    let vertices = picture.lands.iter().flat_map(|placed| &placed.drawn.vertices);
    let name = |mark: &Mark| match mark {
        Mark::Spot(name) => name.parse().expect("a number"),
        other => panic!("{other:?}"),
    };
    vertices.map(|vertex| name(&vertex.mark)).collect()
}

/// Checks what no drawing code of its own says: how many curves, spots and faces there are.
fn check(picture: &Picture, spots: u32, moves: u32) {
    let drawn = &picture.lands[0].drawn;
    assert_eq!(drawn.crossings(), 0);
    assert_eq!(drawn.check(), Ok(()));
    let mut numbers = names(picture);
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=spots + moves).collect::<Vec<_>>(), "each number once");
    assert_eq!(drawn.curves.len(), 2 * moves as usize);
}

#[test]
fn whole_games_are_drawn_and_every_spot_stays_where_it_is() {
    let mut choices = Rng::with_seed(3);
    for spots in (1..=7).chain(1..=5) {
        let tables = game(spots, &mut choices);
        let (position, list) = full(&tables[tables.len() - 1]);
        assert!(position.lands().is_empty());
        let pieces = 1 + list.iter().map(|region| region.len() - 1).sum::<usize>();
        let drawn = Picture::game(tables.iter().map(full).collect());
        let pictures = drawn.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(pictures.len(), tables.len());
        let last = &pictures[tables.len() - 1];
        let (places, curves) = (&last.lands[0].drawn.vertices, &last.lands[0].drawn.curves);
        assert_eq!(places.len() + list.len(), curves.len() + 1 + pieces, "Euler's formula");
        for (moves, (picture, table)) in (0..).zip(pictures.iter().zip(&tables)) {
            check(picture, spots, moves);
            assert_eq!((picture.read(), picture.size), (Ok(full(table).0), last.size));
            let drawn = &picture.lands[0].drawn;
            for vertex in &drawn.vertices {
                assert!(places.iter().any(|v| v.at == vertex.at && v.mark == vertex.mark));
            }
            assert!(drawn.curves.iter().all(|curve| curves.contains(curve)));
        }
    }
}

#[test]
fn curves_that_join_the_same_spots_are_told_apart() {
    // Two and three curves between two spots; the game of the cards; Hoey's four moves.
    for text in [
        "1",
        "1;2;3",
        "1,2/2,1",
        "1,2/1,2/1,2",
        "1,2;3/2,1",
        "5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2",
        "8,6,2,6,1,6,8,7,4,7,3,7;5",
        "8,6,1,6,2,6,8,7,3,7,4,7;5",
        "8,6,1,6,2,6,8,7,4,7,3,7;5",
    ] {
        match drawn(text) {
            Ok(picture) => assert_eq!(picture.lands[0].drawn.check(), Ok(()), "{text}"),
            Err(error) => panic!("{text}: {error}"),
        }
    }
}

#[test]
fn lists_that_are_no_drawing_are_refused() {
    for text in ["1/2", "1,2,3", "1;1,2", "1,2;3/3", "1,2,1,2/1,2", "1,2/2,1;3,4/4,3,1,2"] {
        assert_eq!(drawn(text).map(|_| ()), Err(SketchError::NotPlane), "{text}");
    }
}

#[test]
fn another_list_than_the_drawn_one_is_noticed() {
    let [a, b] = ["8,6,2,6,1,6,8,7,4,7,3,7;5", "8,6,1,6,2,6,8,7,3,7,4,7;5"];
    let (mut one, other) = (drawn(a).expect("a picture"), drawn(b).expect("a picture"));
    assert_eq!(one.position, other.position, "the rest of the game is the same");
    one.lands[0].drawn.full = other.lands[0].drawn.full.clone();
    assert_eq!(one.lands[0].drawn.check(), Err(Misread::List));
}

#[test]
fn lists_of_different_games_are_drawn_each_by_itself() {
    let [a, b] = ["1,3,2,3", "8,6,2,6,1,6,8,7,4,7,3,7;5"].map(|text| full(&table(text)));
    let pictures = Picture::game(vec![a, b]).expect("pictures");
    let alone =
        ["1,3,2,3", "8,6,2,6,1,6,8,7,4,7,3,7;5"].map(|text| drawn(text).expect("a picture"));
    assert_eq!(pictures, alone);
}

#[test]
fn an_ending_tells_survivors_neighbours_and_pharisees_apart() {
    let whole = drawn("5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2").expect("a picture");
    let count = |svg: &str, shape: &str| svg.matches(shape).count();
    for theme in [Theme::Light, Theme::Dark, Theme::Print] {
        let svg = whole.clone().ended(&[]).svg(&Look { theme, labels: true });
        assert!(svg.contains("; 2 survivors; 4 dead neighbours; 0 pharisees."), "{svg}");
        // Each shape stands once more in the legend.
        assert_eq!([count(&svg, "<circle "), count(&svg, "<rect x=")], [2 + 1, 4 + 1], "{svg}");
        assert_eq!(count(&svg, "Z\" fill="), 1, "{svg}");
    }
    let svg = whole.ended(&[1, 2, 3, 4]).svg(&Look::default());
    assert!(svg.contains("; 2 survivors; 0 dead neighbours; 4 pharisees."), "{svg}");
    assert_eq!([count(&svg, "<rect x="), count(&svg, "Z\" fill=")], [1, 4 + 1], "{svg}");
}

#[test]
fn the_last_move_is_shown_and_no_number_is_missing() {
    let lists = ["1,3,2,4/4,2,3,1", "5,1,3,2,4/5,4,1/4,2,3,1"].map(|text| full(&table(text)));
    let pictures = Picture::game(lists.to_vec()).expect("pictures");
    let shown = pictures[1].svg(&Look::default());
    assert!(shown.contains("<title>Sprouts drawing 5,1,3,2,4/5,4,1/4,2,3,1</title>"), "{shown}");
    assert!(
        shown.contains("a whole drawing of 5 spots and 6 curves, 2 of the spots dead"),
        "{shown}"
    );
    let is_move = |line: &&str| line.contains("stroke-width=\"4.2\"");
    let last = shown.lines().find(is_move).expect("the curves of the move");
    assert_eq!(last.matches('M').count(), 2, "both halves of the curve: {last}");
    assert!(pictures[0].svg(&Look::default()).lines().find(is_move).is_none());
}

#[test]
fn captions_of_games_have_all_their_glyphs() {
    let picture = drawn("1;2").expect("a picture");
    let captions = ["2 spots, misère play: win", "1. 1!(3@2)!2[4-6,9] ?!: loss", "1: 1,2/2,1;3"];
    let entries = captions.map(|caption| (picture.clone(), caption.to_owned()));
    let svg = Sheet { title: String::new(), entries: entries.to_vec(), columns: 1 };
    // What has no glyph is a box.
    assert!(!svg.svg(&Look::default()).contains("M0 0H3V6H0Z"));
}
