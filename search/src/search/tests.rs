//! The search on games whose values are known in closed form or by a few lines of brute force.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use super::*;
use crate::game::{Features, Game, Moves, TooMany};
use crate::rules::Canon;
use kayles::Kayles;
use nim::Nim;

#[expect(dead_code, reason = "what it prints is not tested")]
#[path = "../../examples/kayles.rs"]
mod kayles;
#[expect(dead_code, reason = "what it prints is not tested")]
#[path = "../../examples/nim.rs"]
mod nim;

/// The nimbers of rows of 0, 1, 2, .. pins (Guy and Smith 1956).
const KAYLES: [u8; 24] = [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7];

/// Collects facts.
#[derive(Default)]
struct Notes(Mutex<HashMap<Vec<u8>, u8>>);

impl Observer<Found<'_>> for Notes {
    fn proved(&self, Found { land, nimber }: Found<'_>) {
        let before = self.0.lock().expect("no panics").insert(land.to_vec(), nimber.get());
        assert!(before.is_none_or(|n| n == nimber.get()));
    }
}

const ROOMY: Limits = Limits { memory: 1 << 28, threads: 1 };

fn nimber(value: u8) -> Nimber {
    lands::nimber(value)
}

fn outcome(heap: u8) -> Question {
    Question::Outcome { heap: nimber(heap) }
}

fn solve<G: Game>(search: &Search<G>, lands: &[u8], question: Question) -> Verdict {
    let lands: Vec<&[u8]> = lands.chunks(1).collect();
    search.solve(&lands, question, u64::MAX, &Notes::default()).expect("the search succeeds")
}

#[test]
fn nim_heaps_have_their_size_as_nimber() {
    for threads in [1, 3] {
        let search = Search::new(Nim, Limits { threads, ..ROOMY });
        for heap in (1..60).rev() {
            assert_eq!(solve(&search, &[heap], Question::Nimber), Verdict::Nimber(nimber(heap)));
        }
        assert_eq!(solve(&search, &[21, 50, 39], outcome(0)), Verdict::Loss);
        assert_eq!(solve(&search, &[21, 50, 38], outcome(0)), Verdict::Win);
        assert_eq!(solve(&search, &[21, 50, 38], outcome(1)), Verdict::Loss);
        assert_eq!(solve(&search, &[], Question::Nimber), Verdict::Nimber(nimber(0)));
    }
}

#[test]
fn kayles_rows_have_their_published_nimbers() {
    for threads in [1, 4] {
        let search = Search::new(Kayles, Limits { threads, ..ROOMY });
        let notes = Notes::default();
        for row in (1..KAYLES.len()).rev() {
            let answer = search.solve(&[&[row as u8]], Question::Nimber, u64::MAX, &notes);
            assert_eq!(answer, Ok(Verdict::Nimber(nimber(KAYLES[row]))));
        }
        for (land, nimber) in notes.0.into_inner().expect("no panics") {
            assert_eq!(nimber, KAYLES[usize::from(land[0])]);
        }
    }
}

#[test]
fn sums_of_kayles_rows_are_lost_when_their_nim_sum_is_zero() {
    for (i, lands) in
        (0..400u32).map(|i| (i, [i % 23, i / 7 % 23, i / 3 % 23].map(|r| r as u8 + 1)))
    {
        let search = Search::new(Kayles, ROOMY);
        let sum = lands.iter().map(|&row| KAYLES[usize::from(row)]).fold(0, |a, b| a ^ b);
        let heap = (i % 5) as u8;
        let expected = if sum == heap { Verdict::Loss } else { Verdict::Win };
        assert_eq!(solve(&search, &lands, outcome(heap)), expected, "{lands:?} {heap}");
    }
}

#[test]
fn a_search_goes_on_where_its_budget_ended_it() {
    let search = Search::new(Kayles, ROOMY);
    let mut rounds = 0;
    let answer = loop {
        rounds += 1;
        match search
            .solve(&[&[23]], Question::Nimber, 3, &Notes::default())
            .expect("the search succeeds")
        {
            Verdict::Open { .. } => assert!(rounds < 1_000, "a search in pieces ends"),
            answer => break answer,
        }
    };
    assert_eq!(answer, Verdict::Nimber(nimber(KAYLES[23])));
    assert!(rounds > 1);
}

#[test]
fn facts_from_elsewhere_are_used_and_contradictions_refused() {
    let search = Search::new(Kayles, ROOMY);
    for row in 1..23 {
        search.learn(&[row], nimber(KAYLES[usize::from(row)])).expect("no contradiction");
    }
    assert_eq!(solve(&search, &[23], Question::Nimber), Verdict::Nimber(nimber(KAYLES[23])));
    // The row itself, once for each heap that is tried.
    assert!(search.figures().expansions <= 8);
    let refused = search.learn(&[23], nimber(KAYLES[23] ^ 1));
    assert!(matches!(refused, Err(SearchError::Contradiction { land, .. }) if land == [23]));
    search.learn(&[23], nimber(KAYLES[23])).expect("a fact may be learned twice");
}

#[test]
fn two_lies_about_one_land_are_noticed() {
    let search = Search::new(Kayles, ROOMY);
    search.learn(&[4], nimber(6)).expect("nothing speaks against it yet");
    search.learn(&[4], nimber(1)).expect_err("two nimbers for one land");
}

#[test]
fn one_thread_takes_the_same_steps_in_every_run() {
    let steps = || {
        let search = Search::new(Kayles, ROOMY);
        solve(&search, &[23, 22, 19], Question::Nimber);
        let figures = search.figures();
        (figures.expansions, figures.children, figures.facts, figures.lands)
    };
    assert_eq!(steps(), steps());
}

#[test]
fn tables_that_cannot_hold_one_expansion_are_an_error() {
    let search = Search::new(Kayles, Limits { memory: 1 << 10, threads: 2 });
    let answer = search.solve(&[&[23]], Question::Nimber, u64::MAX, &Notes::default());
    assert_eq!(answer, Err(SearchError::Memory { wanted: Limits::least_memory(2) }));
}

#[test]
fn facts_take_little_room_and_outlive_forgetting() {
    let search = Search::new(Nim, ROOMY);
    for _ in 0..2 {
        // Learned twice: a fact that is known takes no room at all.
        for heap in (1..60).chain(1..60) {
            search.learn(&[heap], nimber(heap)).expect("no contradiction");
        }
        assert!(search.figures().bytes < 4 << 20, "facts share their memory");
        assert_eq!(search.figures().lands, 59);
        assert_eq!(solve(&search, &[59], Question::Nimber), Verdict::Nimber(nimber(59)));
        search.forget();
    }
}

/// Nim in which the moves of one heap are too many to be listed.
struct DearNim(u8);

impl Game for DearNim {
    type Moves = Self;
    type Keys = Canon<Nim>;
    fn moves(&self) -> Self {
        Self(self.0)
    }
    fn keys(&self) -> Canon<Nim> {
        Nim.keys()
    }
    fn sketch(land: &[u8]) -> u64 {
        <Nim as Game>::sketch(land)
    }
    fn features(land: &[u8]) -> Features {
        <Nim as Game>::features(land)
    }
}

impl Moves for DearNim {
    fn children<B>(
        &mut self,
        key: &[u8],
        visit: impl FnMut(u32, &mut dyn Iterator<Item = (&[u8], u64)>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooMany> {
        if key[0] == self.0 {
            return Err(TooMany);
        }
        Moves::children(&mut Nim.moves(), key, visit)
    }
}

#[test]
fn what_needs_no_dear_land_is_solved_all_the_same() {
    for (threads, dear) in [(1, 7), (3, 7), (1, 20), (3, 20)] {
        let solve = |lands: &[u8], question| {
            let search = Search::new(DearNim(dear), Limits { threads, ..ROOMY });
            let lands: Vec<&[u8]> = lands.chunks(1).collect();
            search.solve(&lands, question, 100_000, &Notes::default())
        };
        for heap in 1..dear {
            // A heap has as many options as tokens. Of the 30 heaps, all but one can be listed.
            assert_eq!(solve(&[30], outcome(heap)), Ok(Verdict::Win), "{dear} {heap}");
            assert_eq!(solve(&[heap], Question::Nimber), Ok(Verdict::Nimber(nimber(heap))));
        }
        assert_eq!(solve(&[dear, 5, dear], outcome(5)), Ok(Verdict::Loss));
        assert_eq!(solve(&[dear, dear, 5, 6], Question::Nimber), Ok(Verdict::Nimber(nimber(3))));
    }
}

#[test]
fn what_rests_on_a_dear_land_is_given_up_and_neither_won_nor_lost() {
    for threads in [1, 3] {
        for (lands, question) in [
            (&[7][..], outcome(3)),
            (&[7], outcome(7)),
            (&[7, 3], Question::Nimber),
            // Every option is won but the one that cannot be listed.
            (&[9], outcome(9)),
            (&[9], Question::Nimber),
            (&[9, 11, 2], outcome(0)),
        ] {
            let search = Search::new(DearNim(7), Limits { threads, ..ROOMY });
            let sum: Vec<&[u8]> = lands.chunks(1).collect();
            let answer = search.solve(&sum, question, 100_000, &Notes::default());
            let why = SearchError::TooManyMoves { land: vec![7] };
            assert_eq!(answer, Err(why), "{lands:?} {question:?}");
            // A fact from elsewhere helps.
            search.learn(&[7], nimber(7)).expect("nothing was concluded about it");
            let answer = search.solve(&sum, question, 100_000, &Notes::default());
            let sum = lands.iter().fold(0, |sum, land| sum ^ land);
            let expected = match question {
                Question::Nimber => Verdict::Nimber(nimber(sum)),
                Question::Outcome { heap } if heap == nimber(sum) => Verdict::Loss,
                Question::Outcome { .. } => Verdict::Win,
            };
            assert_eq!(answer, Ok(expected), "{lands:?} {question:?}");
        }
    }
}
