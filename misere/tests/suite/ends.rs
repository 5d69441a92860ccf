//! Lands without moves: a game need not tell that they are none.

use std::collections::HashMap;
use std::ops::ControlFlow;

use sprig_domain::Outcome;
use sprig_misere::{Limits, Search};
use sprig_search::{Child, Rules};
use sprig_trees::Base;

/// Grundy's game (1939): a heap is divided into two that are not equal. Heaps of one and two stay where they are.
#[derive(Clone)]
struct Grundy;

impl Rules for Grundy {
    fn children(&self, heap: &[u8], child: &mut Child) -> ControlFlow<()> {
        for less in 1..heap[0].div_ceil(2) {
            child(&[&[less], &[heap[0] - less]])?;
        }
        ControlFlow::Continue(())
    }

    fn size(heap: &[u8]) -> u16 {
        heap[0].into()
    }
}

/// Whether who is to move wins, by the definition alone.
fn win(heaps: &[u8], known: &mut HashMap<Vec<u8>, bool>) -> bool {
    let mut heaps: Vec<u8> = heaps.iter().copied().filter(|&heap| heap > 2).collect();
    heaps.sort_unstable();
    if let Some(&known) = known.get(&heaps) {
        return known;
    }
    let mut win = heaps.is_empty();
    for i in 0..heaps.len() {
        for less in 1..heaps[i].div_ceil(2) {
            let mut child = heaps.clone();
            child[i] -= less;
            child.push(less);
            win = win || !self::win(&child, known);
        }
    }
    known.insert(heaps, win);
    win
}

#[test]
fn lands_without_moves_are_the_end() {
    let mut known = HashMap::new();
    for (largest, threads) in [(0, 1), (0, 2), (2, 1), (7, 2)] {
        let mut base = Base::new(Grundy);
        for heap in 1..=largest {
            base.tree(&[&[heap]]).expect("a heap has few moves");
        }
        let search = Search::taught(&base, Limits { memory: 256 << 20, threads }, &[]);
        let mut lost = Vec::new();
        for a in 1..=14 {
            for b in 1..=a.min(9) {
                for heaps in [vec![a], vec![a, b], vec![a, b, 2], vec![a, b, 6]] {
                    let lands: Vec<&[u8]> = heaps.chunks(1).collect();
                    let found = search.outcome(&lands, &()).expect("it fits").expect("no stop");
                    let expected =
                        if win(&heaps, &mut known) { Outcome::Win } else { Outcome::Loss };
                    assert_eq!(found, expected, "{heaps:?} with trees to {largest}");
                    if heaps.len() == 1 && found == Outcome::Loss {
                        lost.push(a);
                    }
                }
            }
        }
        lost.dedup();
        assert_eq!(lost, [3, 6, 9, 12], "with trees to {largest}");
    }
}
