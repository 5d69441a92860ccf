//! Lands with too many moves to be listed.

use sprig_domain::Node;
use sprig_domain::Outcome;
use sprig_engine::Watched;
use sprig_misere::{Limits, MisereError, Search};
use sprig_trees::TreeError;

use crate::common::position;
use crate::search::{Keeper, NONE, base};

/// One of its options cannot be listed: the one in which the two spots `1` are joined.
const NEAR: &str = "A.B.C.D.E.F.G.H.I.J.K.L.M.N.1.1|AB|CD|EF|GH|IJ|KL|MN";
/// A land that cannot be listed.
const DEAR: &str =
    "1122.1222.2222.1112.11112.11122.11222.12222.22222.1212.12122.11212.21212.121212";

fn search(threads: usize) -> Search {
    Search::new(&base("0*3"), Limits { memory: 1 << 30, threads })
}

#[test]
fn what_needs_no_dear_land_is_solved_all_the_same() {
    let near = position(NEAR);
    let options = near.children().expect("it can be listed");
    let is_dear = |land: &sprig_engine::CanonicalLand| land.check_ways().is_err();
    assert!(options.iter().any(|option| option.lands().iter().any(is_dear)));
    for threads in [1, 3] {
        let search = search(threads);
        let found = search.solve(&near, &Keeper::new(usize::MAX));
        assert_eq!(found, Ok(Some(Outcome::Win)), "{threads}");
        assert!(!search.proof(&near, NONE, &Watched::default()).expect("it is proved").is_empty());
    }
}

#[test]
fn what_rests_on_a_dear_land_is_given_up_and_neither_won_nor_lost() {
    for threads in [1, 3] {
        let search = search(threads);
        let solve = |text: &str| search.solve(&position(text), &Keeper::new(usize::MAX));
        let more = format!("{DEAR}+1");
        for text in [DEAR, &more] {
            let found = solve(text);
            assert!(
                matches!(found, Err(MisereError::Tree(TreeError::TooManyMoves(_)))),
                "{text}: {found:?}"
            );
        }
        // A fact from elsewhere helps.
        assert_eq!(search.learn([Node::new(position(DEAR), false, [])]), Ok(1));
        assert_eq!(solve(DEAR), Ok(Some(Outcome::Loss)));
        assert_eq!(solve(&more), Ok(Some(Outcome::Win)));
    }
}
