//! The search on games whose values are known in closed form or by a few lines of brute force.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use sprig_engine::TooManyMoves;

use super::*;
use crate::game::{Features, Keys, Moves};

/// Kayles (Dudeney 1908): rows of pins; a move takes one pin or two neighbours and may split the row. The value of a row
/// of 1, 2, 3, .. pins is 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, .. (Guy and Smith 1956).
struct Kayles;

const KAYLES: [u8; 24] = [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7];

/// Nim: heaps. The value of a heap is its size.
struct Nim;

/// Lands are single bytes already.
struct Same;

impl Keys for Same {
    fn key<'a>(&'a mut self, raw: &'a [u8]) -> &'a [u8] {
        raw
    }
}

fn size(land: &[u8]) -> Features {
    Features { size: land[0].into(), coarse: 1, fine: 1 }
}

impl Game for Kayles {
    type Moves = Self;
    type Keys = Same;
    fn moves(&self) -> Self {
        Self
    }
    fn keys(&self) -> Same {
        Same
    }
    fn sketch(land: &[u8]) -> u64 {
        u64::from(land[0]) << 32
    }
    fn features(land: &[u8]) -> Features {
        size(land)
    }
}

impl Moves for Kayles {
    fn children<B>(
        &mut self,
        key: &[u8],
        mut visit: impl FnMut(u32, &mut dyn Iterator<Item = (&[u8], u64)>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooManyMoves> {
        for taken in 1..=key[0].min(2) {
            for left in 0..=key[0] - taken {
                let rows = [[left], [key[0] - taken - left]];
                let rows = rows.iter().filter(|row| row[0] > 0);
                let way = u32::from(taken) << 8 | u32::from(left);
                let flow = visit(way, &mut rows.map(|row| (&row[..], Self::sketch(row))));
                if flow.is_break() {
                    return Ok(flow);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Game for Nim {
    type Moves = Self;
    type Keys = Same;
    fn moves(&self) -> Self {
        Self
    }
    fn keys(&self) -> Same {
        Same
    }
    fn sketch(land: &[u8]) -> u64 {
        u64::from(land[0]) << 32
    }
    fn features(land: &[u8]) -> Features {
        size(land)
    }
}

impl Moves for Nim {
    fn children<B>(
        &mut self,
        key: &[u8],
        mut visit: impl FnMut(u32, &mut dyn Iterator<Item = (&[u8], u64)>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooManyMoves> {
        for left in 0..key[0] {
            let heap = [left];
            let heap = (left > 0).then_some((&heap[..], Self::sketch(&heap)));
            let flow = visit(left.into(), &mut heap.into_iter());
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Collects facts.
#[derive(Default)]
struct Notes(Mutex<HashMap<Vec<u8>, u8>>);

impl Listener for Notes {
    fn stop(&self) -> bool {
        false
    }
    fn proved(&self, land: &[u8], nimber: u8) {
        let before = self.0.lock().expect("no panics").insert(land.to_vec(), nimber);
        assert!(before.is_none_or(|n| n == nimber));
    }
}

const ROOMY: Limits = Limits { memory: 1 << 30, threads: 1 };

fn solve<G: Game>(search: &Search<G>, lands: &[u8], ask: Ask) -> Answer {
    let lands: Vec<&[u8]> = lands.chunks(1).collect();
    search.solve(&lands, ask, u64::MAX, &Notes::default()).expect("the search succeeds")
}

#[test]
fn nim_heaps_have_their_size_as_nimber() {
    for threads in [1, 3] {
        let search = Search::new(Nim, Limits { threads, ..ROOMY }, &[]);
        for heap in (1..60).rev() {
            assert_eq!(solve(&search, &[heap], Ask::Nimber), Answer::Nimber(heap));
        }
        assert_eq!(solve(&search, &[21, 50, 39], Ask::Outcome { heap: 0 }), Answer::Loss);
        assert_eq!(solve(&search, &[21, 50, 38], Ask::Outcome { heap: 0 }), Answer::Win);
        assert_eq!(solve(&search, &[21, 50, 38], Ask::Outcome { heap: 1 }), Answer::Loss);
        assert_eq!(solve(&search, &[], Ask::Nimber), Answer::Nimber(0));
    }
}

#[test]
fn kayles_rows_have_their_published_nimbers() {
    for threads in [1, 4] {
        let search = Search::new(Kayles, Limits { threads, ..ROOMY }, &[]);
        let notes = Notes::default();
        for row in (1..KAYLES.len()).rev() {
            let answer = search.solve(&[&[row as u8]], Ask::Nimber, u64::MAX, &notes);
            assert_eq!(answer, Ok(Answer::Nimber(KAYLES[row])));
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
        let search = Search::new(Kayles, ROOMY, &[]);
        let sum = lands.iter().map(|&row| KAYLES[usize::from(row)]).fold(0, |a, b| a ^ b);
        let heap = (i % 5) as u8;
        let expected = if sum == heap { Answer::Loss } else { Answer::Win };
        assert_eq!(solve(&search, &lands, Ask::Outcome { heap }), expected, "{lands:?} {heap}");
    }
}

#[test]
fn a_search_goes_on_where_its_budget_ended_it() {
    let search = Search::new(Kayles, ROOMY, &[]);
    let mut rounds = 0;
    let answer = loop {
        rounds += 1;
        match search
            .solve(&[&[23]], Ask::Nimber, 3, &Notes::default())
            .expect("the search succeeds")
        {
            Answer::Open(_) => assert!(rounds < 1_000, "a search in pieces ends"),
            answer => break answer,
        }
    };
    assert_eq!(answer, Answer::Nimber(KAYLES[23]));
    assert!(rounds > 1);
}

#[test]
fn facts_from_elsewhere_are_used_and_contradictions_refused() {
    let search = Search::new(Kayles, ROOMY, &[]);
    for row in 1..23 {
        search.learn(&[row], KAYLES[usize::from(row)]).expect("no contradiction");
    }
    assert_eq!(solve(&search, &[23], Ask::Nimber), Answer::Nimber(KAYLES[23]));
    // The row itself, once for each heap that is tried.
    assert!(search.figures().expansions <= 8);
    let refused = search.learn(&[23], KAYLES[23] ^ 1);
    assert!(matches!(refused, Err(Failure::Conflict { land, .. }) if land == [23]));
    search.learn(&[23], KAYLES[23]).expect("a fact may be learned twice");
}

#[test]
fn two_lies_about_one_land_are_noticed() {
    let search = Search::new(Kayles, ROOMY, &[]);
    search.learn(&[4], 6).expect("nothing speaks against it yet");
    search.learn(&[4], 1).expect_err("two nimbers for one land");
}

#[test]
fn one_thread_takes_the_same_steps_in_every_run() {
    let steps = || {
        let search = Search::new(Kayles, ROOMY, &[]);
        solve(&search, &[23, 22, 19], Ask::Nimber);
        let figures = search.figures();
        (figures.expansions, figures.children, figures.facts, figures.lands)
    };
    assert_eq!(steps(), steps());
}

#[test]
fn tables_that_cannot_hold_one_expansion_are_an_error() {
    let search = Search::new(Kayles, Limits { memory: 1 << 10, threads: 2 }, &[]);
    let answer = search.solve(&[&[23]], Ask::Nimber, u64::MAX, &Notes::default());
    assert_eq!(answer, Err(Failure::Memory { wanted: Limits::least_memory(2) }));
}

#[test]
fn facts_take_little_room_and_outlive_forgetting() {
    let search = Search::new(Nim, ROOMY, &[]);
    for _ in 0..2 {
        // Learned twice: a fact that is known takes no room at all.
        for heap in (1..60).chain(1..60) {
            search.learn(&[heap], heap).expect("no contradiction");
        }
        assert!(search.figures().bytes < 4 << 20, "facts share their memory");
        assert_eq!(search.figures().lands, 59);
        assert_eq!(solve(&search, &[59], Ask::Nimber), Answer::Nimber(59));
        search.forget();
    }
}

/// Nim, but the moves of one heap are too many to be listed.
struct DearNim(u8);

impl Game for DearNim {
    type Moves = Self;
    type Keys = Same;
    fn moves(&self) -> Self {
        Self(self.0)
    }
    fn keys(&self) -> Same {
        Same
    }
    fn sketch(land: &[u8]) -> u64 {
        Nim::sketch(land)
    }
    fn features(land: &[u8]) -> Features {
        size(land)
    }
}

impl Moves for DearNim {
    fn children<B>(
        &mut self,
        key: &[u8],
        visit: impl FnMut(u32, &mut dyn Iterator<Item = (&[u8], u64)>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TooManyMoves> {
        if key[0] == self.0 {
            return Err(TooManyMoves { boundaries: 99, ways: u64::MAX });
        }
        Nim.children(key, visit)
    }
}

#[test]
fn what_needs_no_dear_land_is_solved_all_the_same() {
    for (threads, dear) in [(1, 7), (3, 7), (1, 20), (3, 20)] {
        let solve = |lands: &[u8], ask| {
            let search = Search::new(DearNim(dear), Limits { threads, ..ROOMY }, &[]);
            let lands: Vec<&[u8]> = lands.chunks(1).collect();
            search.solve(&lands, ask, 100_000, &Notes::default())
        };
        for heap in 1..dear {
            // A heap has as many options as tokens; all but one of 30 can be listed.
            assert_eq!(solve(&[30], Ask::Outcome { heap }), Ok(Answer::Win), "{dear} {heap}");
            assert_eq!(solve(&[heap], Ask::Nimber), Ok(Answer::Nimber(heap)));
        }
        assert_eq!(solve(&[dear, 5, dear], Ask::Outcome { heap: 5 }), Ok(Answer::Loss));
        assert_eq!(solve(&[dear, dear, 5, 6], Ask::Nimber), Ok(Answer::Nimber(3)));
    }
}

#[test]
fn what_rests_on_a_dear_land_is_given_up_and_neither_won_nor_lost() {
    for threads in [1, 3] {
        for (lands, ask) in [
            (&[7][..], Ask::Outcome { heap: 3 }),
            (&[7], Ask::Outcome { heap: 7 }),
            (&[7, 3], Ask::Nimber),
            // Every option but the dear one is won.
            (&[9], Ask::Outcome { heap: 9 }),
            (&[9], Ask::Nimber),
            (&[9, 11, 2], Ask::Outcome { heap: 0 }),
        ] {
            let search = Search::new(DearNim(7), Limits { threads, ..ROOMY }, &[]);
            let sum: Vec<&[u8]> = lands.chunks(1).collect();
            let answer = search.solve(&sum, ask, 100_000, &Notes::default());
            let why = TooManyMoves { boundaries: 99, ways: u64::MAX };
            assert_eq!(answer, Err(Failure::TooManyMoves(why)), "{lands:?} {ask:?}");
            // A fact from elsewhere helps.
            search.learn(&[7], 7).expect("nothing was concluded about it");
            let answer = search.solve(&sum, ask, 100_000, &Notes::default());
            let sum = lands.iter().fold(0, |sum, land| sum ^ land);
            let expected = match ask {
                Ask::Nimber => Answer::Nimber(sum),
                Ask::Outcome { heap } if heap == sum => Answer::Loss,
                Ask::Outcome { .. } => Answer::Win,
            };
            assert_eq!(answer, Ok(expected), "{lands:?} {ask:?}");
        }
    }
}
