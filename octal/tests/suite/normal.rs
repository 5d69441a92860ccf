//! Nimbers and their periods.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;

use sprig_octal::{Code, Nimbers, Period, land};
use sprig_search::{Limits, Question, Search, Verdict};

use crate::slow::{Slow, all, sums};

fn up_to(code: &str, most: u32) -> Nimbers {
    let code: Code = code.parse().unwrap_or_else(|error| panic!("{code}: {error}"));
    Nimbers::up_to(&code, most, &AtomicU64::new(0))
}

fn values(nimbers: &Nimbers, most: u32) -> Vec<u32> {
    (0..=most).map(|heap| nimbers.get(heap).expect("worked out")).collect()
}

/// Every move of every sum is played, and nothing is added up.
#[test]
fn nimbers_are_those_of_a_slow_mex() {
    for digits in all(2) {
        let mut slow = Slow::new(&digits);
        let nimbers = up_to(&slow.code(), 0);
        let of = |heap: usize| nimbers.get(heap as u32).expect("it is small") as usize;
        for heap in 0..=12 {
            assert_eq!(of(heap), slow.nimber(&[heap]), "{}, a heap of {heap}", slow.code());
        }
        for sum in sums(6, 2).into_iter().chain(sums(4, 3)) {
            let total = sum.iter().fold(0, |total, &heap| total ^ of(heap));
            assert_eq!(total, slow.nimber(&sum), "{}, {sum:?}", slow.code());
        }
    }
}

/// Nimbers of heaps without any look for periods.
fn plain(slow: &Slow, most: usize) -> Vec<u32> {
    let mut values: Vec<u32> = Vec::new();
    for heap in 0..=most {
        let options = slow.options(heap).into_iter();
        let met: BTreeSet<u32> =
            options.map(|heaps| heaps.iter().fold(0, |sum, &heap| sum ^ values[heap])).collect();
        values.push((0..).find(|nimber| !met.contains(nimber)).expect("finitely many options"));
    }
    values
}

/// What a period says of heaps far behind those that prove it is true, and it is the shortest one
/// from the smallest heap on.
#[test]
fn periods_go_on() {
    let mut proved = 0;
    for digits in all(1).chain(all(2)) {
        let slow = Slow::new(&digits);
        let nimbers = up_to(&slow.code(), 0);
        let Some(Period { length, from, proved_by }) = nimbers.period() else { continue };
        assert!(proved_by <= nimbers.worked_out() && nimbers.worked_out() <= 1_000);
        let most = 2 * (from + length) as usize + 100;
        let plain = plain(&slow, most);
        assert_eq!(values(&nimbers, most as u32), plain, "{}", slow.code());
        let [length, from] = [length, from].map(|number| number as usize);
        assert!(from == 0 || plain[from - 1] != plain[from - 1 + length], "{}", slow.code());
        for shorter in 1..length {
            let is_equal = (from..from + length).all(|n| plain[n] == plain[n + shorter]);
            assert!(!is_equal, "{} has period {shorter}", slow.code());
        }
        proved += 1;
    }
    assert!(proved > 100, "{proved} periods");
}

/// Kayles (the On-Line Encyclopedia of Integer Sequences, A002186).
const KAYLES: [u32; 84] = [
    0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7, 4, 1, 2, 8, 5, 4, 7, 2,
    1, 8, 6, 7, 4, 1, 2, 3, 1, 4, 7, 2, 1, 8, 2, 7, 4, 1, 2, 8, 1, 4, 7, 2, 1, 4, 2, 7, 4, 1, 2, 8,
    1, 4, 7, 2, 1, 8, 6, 7, 4, 1, 2, 8, 1, 4, 7, 2, 1, 8, 2, 7,
];

/// Dawson's chess, 0.137 (the same, A002187).
const DAWSON: [u32; 87] = [
    0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1, 0, 4, 5, 2,
    7, 4, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 4, 5, 5, 2, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1, 0, 4,
    5, 3, 7, 4, 8, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 4, 5, 5, 9, 3,
];

#[test]
fn kayles_and_dawson_have_their_published_nimbers() {
    assert_eq!(values(&up_to("0.77", 83), 83), KAYLES);
    assert_eq!(values(&up_to("0.771", 83), 83), KAYLES);
    assert_eq!(values(&up_to("0.137", 86), 86), DAWSON);
    // Splitting rows is the same game with a token more, as the same source says.
    for code in ["4.4", "4.41", "4.42", "4.43", "4.6", "4.61", "4.62", "4.63"] {
        assert_eq!(values(&up_to(code, 84), 84)[1..], KAYLES, "{code}");
    }
    assert_eq!(values(&up_to("0.07", 87), 87)[1..], DAWSON);
    for code in [".4", ".401", ".402", ".403", ".42", ".421", ".422", ".423"] {
        assert_eq!(values(&up_to(code, 88), 88)[2..], DAWSON, "{code}");
    }
}

/// Lengths and last exceptions as the On-Line Encyclopedia of Integer Sequences has them: A002186,
/// A002187, A071434, A071435, A071452, A071453, A071074 and A125829.
#[test]
fn published_periods_are_proved() {
    for (code, length, last_exception) in [
        ("0.77", 12, Some(70)),
        ("0.137", 34, Some(51)),
        ("0.07", 34, Some(52)),
        ("0.1377", 24, Some(140)),
        ("0.177", 20, Some(496)),
        ("0.11377", 32, Some(186)),
        ("0.0177", 32, Some(187)),
        ("0.117", 48, Some(46)),
        ("0.7777", 24, Some(141)),
        ("0.115", 14, Some(0)),
        // One, two or three tokens are taken: heaps count modulo 4.
        ("0.333", 4, None),
        ("0.3", 2, None),
        ("0.0", 1, None),
        ("4.0", 2, Some(0)),
    ] {
        let digits = code.trim_end_matches('0').len() as u32 - 2;
        let from = last_exception.map_or(0, |last| last + 1);
        let proved_by = 2 * from.max(1) + 2 * length + digits - 1;
        let period = up_to(code, 2_000).period().expect(code);
        assert_eq!(period, Period { length, from, proved_by }, "{code}");
    }
}

/// One heap less than the theorem asks for proves nothing.
#[test]
fn a_period_is_said_only_when_it_is_proved() {
    let needed = 2 * 497 + 2 * 20 + 3 - 1;
    assert_eq!(up_to("0.177", needed - 1).period(), None);
    assert_eq!(up_to("0.177", needed).period().map(|period| period.proved_by), Some(needed));
    // No period is known of 0.007, Treblecross.
    assert_eq!(up_to("0.007", 3_000).period(), None);
}

#[test]
fn nim_has_no_period() {
    let nim = up_to("0.3..", 2_000);
    assert_eq!(values(&nim, 2_000), (0..=2_000).collect::<Vec<_>>());
    assert_eq!((nim.period(), nim.get(2_001)), (None, None));
    // Taking more than one may also split the heap, and nothing changes.
    assert_eq!(values(&up_to("0.7..", 1_000), 300), (0..=300).collect::<Vec<_>>());
}

/// The same rules, as the search of any game takes them.
#[test]
fn the_search_agrees() {
    for code in ["0.77", "0.137", "4.37", "0.3..", "0.156"] {
        let nimbers = up_to(code, 0);
        let code: Code = code.parse().expect("a code");
        let search = Search::new(code.clone(), Limits { memory: 64 << 20, threads: 1 });
        for heap in 0..=30 {
            match search.solve(&[&land(heap)], Question::Nimber, u64::MAX, &()) {
                Ok(Verdict::Nimber(nimber)) => {
                    assert_eq!(Some(nimber.get().into()), nimbers.get(heap), "{code}, {heap}");
                }
                other => panic!("{code}, {heap}: {other:?}"),
            }
        }
    }
}
