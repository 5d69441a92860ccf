//! Moves become curves that a hand could draw, and the geometry says that they are these moves.

use fastrand::Rng;
use sprig_engine::paper::Reached;
use sprig_engine::{Budget, CanonicalPosition, Position};
use sprig_sketch::Picture;

fn moves(picture: &Picture) -> Vec<(Reached, Option<CanonicalPosition>)> {
    let paper = picture.paper().expect("it was read before");
    let moves = paper.moves(&mut Budget::default()).expect("few");
    let curve = |reached: Reached| {
        let route = picture.route(&paper, &reached.witness);
        let read = route.map(|route| {
            picture.after(&route).unwrap_or_else(|error| {
                panic!("{}: {}: {error}", picture.position, paper.words(&reached.witness))
            })
        });
        (reached, read)
    };
    moves.into_iter().map(curve).collect()
}

#[test]
fn every_move_of_random_games_is_a_curve() {
    let mut dice = Rng::with_seed(17);
    let (mut curves, mut missing) = (0, Vec::new());
    for game in 0..14 {
        let mut position = CanonicalPosition::of(&Position::start(2 + game % 7));
        loop {
            let picture = Picture::of(&position).expect("a picture");
            assert_eq!(picture.paper().expect("read").canonical(), position);
            let mut moves = moves(&picture);
            if moves.is_empty() {
                break;
            }
            for (reached, read) in &moves {
                match read {
                    Some(read) => assert_eq!(read, &reached.drawn, "{position}"),
                    None => missing.push(format!("{position} to {}", reached.child)),
                }
                curves += 1;
            }
            position = moves.swap_remove(dice.usize(..moves.len())).0.child;
        }
    }
    assert!(missing.is_empty(), "{} of {curves}: {missing:#?}", missing.len());
    assert!(curves > 500, "{curves}");
}
