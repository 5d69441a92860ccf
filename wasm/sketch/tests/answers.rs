//! Questions, asked as a page asks them.

use sprig_engine::CanonicalPosition;
use sprig_wasm_sketch::answer;

fn said(question: &str) -> String {
    let answer = answer(question);
    answer.strip_prefix("ok\n").unwrap_or_else(|| panic!("{question}: {answer}")).to_owned()
}

#[test]
fn what_is_asked_is_answered() {
    assert_eq!(said("canon\n0.0.QX~XQ"), "0*2.AB|AB");
    let moves = said("moves\n0*3");
    let children: Vec<&str> =
        moves.lines().map(|line| line.split_once('\t').expect("two").0).collect();
    let three = CanonicalPosition::of(&"0*3".parse().expect("a position"));
    let expected: Vec<_> = three.children().expect("few").iter().map(ToString::to_string).collect();
    assert_eq!(children, expected);
    assert!(said("draw\nprint\noff\n0*3").starts_with("<svg "));
    for child in children {
        let points = said(&format!("route\n0*3\n{child}"));
        let read = said(&format!("stroke\n0*3\n{points}"));
        assert_eq!(read.lines().next(), Some(child));
        assert!(moves.contains(read.lines().nth(1).expect("its words")), "{read}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_in_one_line() {
    for question in [
        "",
        "canon",
        "what\n0*3",
        "canon\n0*2.AX",
        "canon\n0*999999999999",
        "moves\n0*3.1aAaB|0*3.AB",
        "draw\npink\non\n0*3",
        "stroke\n0*3\nx",
        "stroke\n0*3\nnan,nan;inf,0",
        "stroke\n0*3\n0,0;1,1",
        "route\n0*3\n0*9",
        "canon\n\u{0}\u{1f300}",
    ] {
        let words = answer(question);
        assert!(words.starts_with("no ") && !words.contains('\n'), "{question:?}: {words}");
    }
}
