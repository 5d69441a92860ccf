//! Boundary lists: published and generated ones, and positions there and back.

use std::path::Path;

use sprig_engine::{CanonicalPosition, Position, notation};
use sprig_hoey::{List, short};
use sprig_oracle::Table;

fn canonical(position: &Position) -> CanonicalPosition {
    CanonicalPosition::of(position)
}

fn position(list: &str) -> Position {
    let read: List = list.parse().unwrap_or_else(|e| panic!("{list}: {e}"));
    read.position().unwrap_or_else(|e| panic!("{list}: {e}"))
}

#[test]
fn the_reference_is_met() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/variants/hoey.tsv");
    let text = std::fs::read_to_string(path).expect("it is there");
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|row| row.split('\t').collect()).collect();
    assert!(rows.len() > 40);
    for row in rows {
        let (list, is_ok, class) = (row[0], row[1], row[2]);
        let checked = list.parse::<List>().and_then(|read| read.check());
        assert_eq!(checked.is_ok(), is_ok == "ok", "{list}: {checked:?}");
        if is_ok == "ok" {
            let wanted = canonical(&notation::read(class).expect(class));
            assert_eq!(canonical(&position(list)), wanted, "{list}");
            // The oracle reads the same table.
            let table: Table = list.parse().expect("a table");
            assert_eq!(canonical(&table.to_position()), wanted, "{list}");
        }
    }
}

#[test]
fn hoeys_own_example_is_read_in_full_and_in_short() {
    let full = "1,6,8,7,4,7,3,9,3,7,8,6,5,6;2/3,9";
    assert_eq!(full.parse::<List>().and_then(|list| list.check()), Ok(()));
    assert_eq!(canonical(&position(full)), canonical(&position("1,8,4,9t,8,5;2")));
}

#[test]
fn short_lists_of_canonical_positions_are_read_back() {
    for start in 1..=4 {
        let start = CanonicalPosition::of(&Position::start(start));
        let mut open = vec![start];
        for _ in 0..3 {
            open = open.iter().flat_map(|p| p.children().expect("few")).collect();
            open.sort();
            open.dedup();
            for reached in &open {
                let list = short(&reached.to_position());
                if list != "!" {
                    assert_eq!(canonical(&position(&list)), *reached, "{list}");
                }
            }
        }
    }
}

#[test]
fn marks_say_what_numbers_do_not() {
    for (list, glop) in [
        ("1;2;3", "0*3"),
        ("1o;2", "1.0"),
        ("1t,2t", "22"),
        ("1,2/1,2", "AB|AB"),
        ("1,8,4,9t,8,5;2", "1a12a1.0"),
        ("1,2,3", "111"),
        ("1o;2o/3;4", "1.1+0*2"),
    ] {
        assert_eq!(
            canonical(&position(list)),
            canonical(&notation::read(glop).expect(glop)),
            "{list}"
        );
    }
    assert_eq!(short(&notation::read("0*2.AB|1AB+1.2").expect("notation")), "1;2;3,4/5,3,4/6o;7t");
}

#[test]
fn what_no_drawing_has_is_named() {
    for (list, wanted) in [
        ("", "the text is empty"),
        ("1,2;3,x/4", "column 7: `x` is no spot"),
        ("1,,2", "column 3: `` is no spot"),
        ("01", "column 1: `01` is no spot"),
        ("1,2t/1", "column 3: a mark in a full list"),
        ("1,1,1,1", "column 1: spot 1 is listed 4 times"),
        ("1,2,3", "column 1: the walks go from 1 to 2 1 times and back 0 times"),
        ("1,3,2,3;3", "column 9: spot 3 is alone in a boundary"),
        ("1,3,2,3/4", "the regions fall into 2 parts"),
        ("1,2,3/1,3,2/4", "the regions fall into 2 parts"),
        ("1/2", "the regions fall into 2 parts"),
        ("1,2;1,3", "the piece of spot 1 has 3 spots - 2 curves + 2 walks"),
        ("1,2;3,4/1,2;3,4", "4 boundaries must be one less than 2 regions and 2 pieces"),
    ] {
        let error = list.parse::<List>().and_then(|read| read.check()).expect_err(list);
        assert!(error.to_string().contains(wanted), "{list}: {error}");
    }
    for (list, wanted) in [
        ("1,2,1,3,1", "column 1: spot 1 is dead"),
        ("1t,1", "column 1: spot 1 is listed twice and needs no mark"),
        ("1o,2", "column 1: spot 1 is not alone in its boundary"),
        ("1,2;1,3", "column 5: spot 1 stands in two boundaries of one region"),
    ] {
        let error = list.parse::<List>().and_then(|read| read.position()).expect_err(list);
        assert!(error.to_string().contains(wanted), "{list}: {error}");
    }
    let long = "1,".repeat(40_000);
    assert!(long.parse::<List>().expect_err("long").to_string().contains("at most 65536"));
}
