//! Codes and positions as people write them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sprig_octal::{Code, Heaps, MOST_TOKENS};

use crate::slow::{Slow, all};

fn code(text: &str) -> Code {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn codes_are_read_and_written() {
    for (typed, written, length) in [
        ("0.77", "0.77", Some(2)),
        (".77", "0.77", Some(2)),
        ("0.137", "0.137", Some(3)),
        ("4.4", "4.4", Some(1)),
        ("4.0", "4.0", Some(0)),
        ("0.000", "0.0", Some(0)),
        ("0.7700", "0.77", Some(2)),
        ("0.0077", "0.0077", Some(4)),
        ("0.3..", "0.3..", None),
        ("0.3333..", "0.3..", None),
        ("0.0133..", "0.013..", None),
        ("4.4..", "4.4..", None),
        ("0.30..", "0.3", Some(1)),
    ] {
        let read = code(typed);
        assert_eq!((read.to_string().as_str(), read.length()), (written, length), "{typed}");
        assert_eq!(read, code(written));
    }
}

#[test]
fn a_text_that_is_no_code_is_refused_with_its_column() {
    for (typed, message) in [
        ("", "column 1: a digit from 0 to 7 is missing"),
        ("3.7", "column 1: the digit before the point is `3`; write 0, or 4"),
        ("x", "column 1: the digit before the point is `x`"),
        ("0", "column 2: a point is missing"),
        ("077", "column 2: a point is missing"),
        ("0,77", "column 2: a point is missing"),
        ("0.", "column 3: a digit from 0 to 7 is missing"),
        (".", "column 2: a digit from 0 to 7 is missing"),
        ("0...", "column 3: a digit from 0 to 7 is missing"),
        ("0.78", "column 4: digit 2 after the point is `8`, and not one of 0 to 7"),
        (".7é", "column 3: digit 2 after the point is `é`"),
        ("0.3.", "column 4: digit 2 after the point is `.`"),
        ("0.3 ", "column 4: digit 2 after the point is ` `"),
        ("0.-1", "column 3: digit 1 after the point is `-`"),
    ] {
        let error = typed.parse::<Code>().expect_err(typed).to_string();
        assert!(error.starts_with(message), "{typed}: {error}");
    }
    let long = format!("0.{}", "1".repeat(1_001));
    let error = long.parse::<Code>().expect_err("it is long").to_string();
    assert_eq!(error, "column 1003: more than 1000 digits; write a shorter code");
    assert_eq!(code(&long[..1_002]).length(), Some(1_000));
}

#[test]
fn moves_are_those_of_the_digits() {
    for digits in all(3) {
        let slow = Slow::new(&digits);
        let code = code(&slow.code());
        for heap in 0..12 {
            let mut met = BTreeSet::new();
            let ended = code.moves(heap, |a, b| {
                assert!(a <= b, "the smaller one first");
                let heaps = [a, b].into_iter().filter(|&heap| heap > 0);
                met.insert(heaps.map(|heap| heap as usize).collect::<Vec<_>>());
                ControlFlow::Continue(())
            });
            let options = slow.options(heap as usize).into_iter();
            let expected: BTreeSet<Vec<usize>> = options
                .map(|mut heaps| {
                    heaps.sort_unstable();
                    heaps
                })
                .collect();
            assert!(ended.is_continue());
            assert_eq!(met, expected, "{code}, a heap of {heap}");
            assert_eq!(code.has_moves(heap), !expected.is_empty(), "{code}, a heap of {heap}");
        }
    }
}

#[test]
fn a_code_without_end_has_moves_of_any_size() {
    let mut left = Vec::new();
    let _ = code("0.03..").moves(5, |a, b| {
        left.push((a, b));
        ControlFlow::Continue(())
    });
    assert_eq!(left, [(0, 3), (0, 2), (0, 1), (0, 0)]);
}

#[test]
fn positions_are_read() {
    for (typed, heaps, written) in [
        ("40", &[40][..], "40"),
        ("12+7", &[7, 12], "7+12"),
        (" 3 + 0+ 3", &[3, 3], "3+3"),
        ("0", &[], "0"),
        ("1000000", &[MOST_TOKENS], "1000000"),
    ] {
        let read: Heaps = typed.parse().unwrap_or_else(|error| panic!("{typed}: {error}"));
        assert_eq!((read.heaps(), read.to_string().as_str()), (heaps, written), "{typed}");
        assert_eq!(read.largest(), heaps.last().copied().unwrap_or(0));
    }
    for (typed, message) in [
        ("", "column 1: a heap is a number of tokens"),
        ("7+", "column 3: a heap is a number of tokens"),
        ("7++2", "column 3: a heap is a number of tokens"),
        ("7 + x", "column 5: a heap is a number of tokens"),
        ("é+3", "column 1: a heap is a number of tokens"),
        ("-3", "column 1: a heap is a number of tokens"),
        ("3 4", "column 2: a heap is a number of tokens"),
        ("7+1000001", "column 3: a heap has at most 1000000 tokens"),
        ("99999999999999999999", "column 1: a heap has at most 1000000 tokens"),
    ] {
        let error = typed.parse::<Heaps>().expect_err(typed).to_string();
        assert!(error.starts_with(message), "{typed}: {error}");
    }
    let many = vec!["1"; 1_001].join("+");
    let error = many.parse::<Heaps>().expect_err("they are many").to_string();
    assert_eq!(error, "column 2001: a position has at most 1000 heaps");
}
