use super::*;
use crate::{Letter, Spot};

fn roundtrip(text: &str) -> String {
    read(text).unwrap_or_else(|e| panic!("{text}: {e}")).to_string()
}

fn problem(text: &str) -> (usize, Problem) {
    let error = read(text).expect_err(text);
    (error.column, error.problem)
}

#[test]
fn glop_style_is_printed_as_it_was_read() {
    for text in [
        "!",
        "0",
        "0*5",
        "0*2.AB|AB",
        "0*3+0.A|0.A",
        "1a1a.2",
        "0.AB|AB+1.AB|AB",
        "2ab2ba",
        "0.A|aBaA|B",
    ] {
        assert_eq!(roundtrip(text), text);
    }
    // Names follow the order of appearance; runs of zeros are counted.
    assert_eq!(roundtrip("0.0.QX|QX"), "0*2.AB|AB");
    assert_eq!(roundtrip("1A1A"), "1a1a");
    assert_eq!(roundtrip("Z(26)m(13)m(13)|Z(26)"), "Aaa|A");
}

#[test]
fn ajs_style_is_read_and_printed() {
    assert_eq!(roundtrip("0.0.AB.}AB.}]!"), "0*2.AB|AB");
    assert_eq!(roundtrip("0.0.0.0.2.}]!"), "0*4.2");
    assert_eq!(roundtrip("0.0.}]22.}]2ab2ba.}]0.0.A.}2A.}]!"), "0*2+22+2ab2ba+0*2.A|2A");
    let position = read("0*2.AB|AB+22").expect("well-formed");
    assert_eq!(Ajs(&position).to_string(), "0.0.AB.}AB.}]22.}]!");
    assert_eq!(Ajs(&Position::default()).to_string(), "!");
}

#[test]
fn names_beyond_the_alphabet_are_numbered() {
    let land: String = (1..=27).map(|k| format!("1Z({k})")).collect();
    let text = format!("{land}|{land}");
    let printed = roundtrip(&text);
    assert!(printed.contains("1Y1Z(26)1Z(27)|"), "{printed}");
    assert_eq!(roundtrip(&printed), printed);
    let private: String = (1..=13).map(|k| format!("m({k})")).collect();
    let reverse: String = (1..=13).rev().map(|k| format!("m({k})")).collect();
    let printed = roundtrip(&format!("{private}1{reverse}1"));
    assert_eq!(printed, "abcdefghijklm(13)1m(13)lkjihgfedcba1");
}

#[test]
fn letters_are_local_to_their_land_and_lower_case_to_its_boundary() {
    let position = read("0.AB|AB+1.AB|AB").expect("well-formed");
    assert_eq!(position.0.len(), 2);
    let letters = position.0[1].occurrences().filter(|o| matches!(o.2, Spot::Letter(_)));
    assert_eq!(letters.map(|o| o.2).max(), Some(Spot::Letter(Letter(1))));
    assert_eq!(roundtrip("1a1a.2a2a"), "1a1a.2a2a");
}

#[test]
fn surfaces_are_read_and_printed() {
    for text in ["0*5@1", "0*2@-2", "AB@-1|AB", "zy.zy", "1z.2z@-3|0*2@1", "0@1000+0@-1000"] {
        assert_eq!(roundtrip(text), text);
    }
    // A surface with no handles is the sphere. Both styles say the same. The case of a letter
    // follows from where it stands.
    assert_eq!(roundtrip("0@0"), "0");
    assert_eq!(roundtrip("0@-0"), "0");
    assert_eq!(roundtrip("AB.AB"), "zy.zy");
    assert_eq!(roundtrip("AB.AB|zy.zy"), "zy.zy|zy.zy");
    assert_eq!(roundtrip("0.0.{1}}AB.{-2}}AB.}]!"), "0*2@1|AB@-2|AB");
    let position = read("0*2@1|AB@-2|AB").expect("well-formed");
    assert_eq!(Ajs(&position).to_string(), "0.0.{1}}AB.{-2}}AB.}]!");
    // From the 13th letter on names have numbers, in each region anew.
    let region: String = (1..=13).map(|k| format!("1n({k})")).collect();
    let printed = roundtrip(&format!("{region}.{region}|{region}.{region}"));
    assert!(printed.contains("1o1n(13).1z1y"), "{printed}");
    assert_eq!(roundtrip(&printed), printed);
}

#[test]
fn mistakes_name_their_place() {
    use Problem::*;
    let count = |name: &str, times, scope| LetterCount { name: name.into(), times, scope };
    for (text, column, expected) in [
        ("", 1, EmptyText),
        ("0 .1", 2, WhiteSpace),
        (" 0", 1, WhiteSpace),
        ("-0", 1, Character('-')),
        ("0é", 2, Character('é')),
        ("0*2.AB|A", 6, count("B", 1, "land")),
        ("AA.A", 4, count("A", 3, "land")),
        ("1a.1a", 2, count("a", 1, "boundary")),
        ("z|z", 1, count("z", 1, "region")),
        ("z.z1z", 5, count("z", 3, "region")),
        ("A.A|A", 5, count("A", 3, "land")),
        ("0..1", 3, EmptyBoundary),
        (".1", 1, EmptyBoundary),
        ("1.", 3, EmptyBoundary),
        ("0||1", 3, EmptyRegion),
        ("|1", 1, EmptyRegion),
        ("1|", 3, EmptyRegion),
        ("1++1", 3, EmptyLand),
        ("+1", 1, EmptyLand),
        ("1+", 3, EmptyLand),
        ("0!", 2, MissingTerminator('.')),
        ("01", 2, ZeroNotAlone),
        ("10", 2, ZeroNotAlone),
        ("00", 2, ZeroNotAlone),
        ("0*", 2, Repeat),
        ("0*0", 2, NoSpots),
        ("0*107", 2, TooManySpots),
        ("0*99999999999999999999999", 2, TooManySpots),
        ("1*2", 2, Repeat),
        ("A(3)", 2, Parenthesis),
        ("Z(3", 2, Parenthesis),
        ("Z(70000)|Z(70000)", 2, Parenthesis),
        ("0*5@", 4, Surface),
        ("@1", 1, MisplacedSurface),
        ("0.@1", 3, MisplacedSurface),
        ("0*2@1.0", 6, BehindSurface('.')),
        ("0@1@1", 4, BehindSurface('@')),
        ("0@1-", 4, BehindSurface('-')),
        ("0@+1", 2, Surface),
        ("0@-", 2, Surface),
        ("0@99999999999", 3, GenusTooLarge),
        ("0@-1001", 3, GenusTooLarge),
        ("0.{1}]!", 6, BehindSurface(']')),
        ("0.}]", 5, MissingTerminator('!')),
        ("0.}!", 4, MissingTerminator(']')),
        ("0}]!", 2, MissingTerminator('.')),
        ("0.]!", 3, MissingTerminator('}')),
        ("0.{1.}]!", 5, Surface),
        ("0{1}}]!", 2, MisplacedSurface),
        ("0.@1}]!", 3, MixedStyles('@')),
        ("0{1", 2, Character('{')),
        ("0.}]!1", 6, MisplacedEnd),
        ("0.|1.}]!", 3, MixedStyles('|')),
        ("}]!", 1, EmptyRegion),
        ("]!", 1, EmptyLand),
    ] {
        let (at, what) = problem(text);
        assert_eq!((at, what), (column, expected), "{text:?}");
    }
    assert!(matches!(problem(&"0".repeat(MAX_TEXT + 1)), (1, TooLong(_))));
    assert!(matches!(problem("0*106.0*106"), (1, TooLarge { .. })));
}
