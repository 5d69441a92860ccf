//! Moves become curves that a hand could draw, and the geometry says that they are these moves.

use fastrand::Rng;
use sprig_engine::paper::{Course, Reached};
use sprig_engine::{Budget, CanonicalPosition, Position, Surface};
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

/// Plays on at random while there are moves, and pictures, which every position of the sphere has.
/// `look` is shown each move, as it was routed and as its drawing was read.
fn play(
    mut position: CanonicalPosition,
    dice: &mut Rng,
    mut look: impl FnMut(&CanonicalPosition, &Reached, Option<&CanonicalPosition>),
) {
    loop {
        let picture = match Picture::of(&position) {
            Ok(picture) => picture,
            Err(error) => {
                assert!(!Picture::is_defined(&position), "{position}: {error}");
                return;
            }
        };
        assert_eq!(picture.paper().expect("read").canonical(), position);
        let mut moves = moves(&picture);
        for (reached, read) in &moves {
            look(&position, reached, read.as_ref());
        }
        if moves.is_empty() {
            return;
        }
        position = moves.swap_remove(dice.usize(..moves.len())).0.child;
    }
}

#[test]
fn every_move_of_random_games_is_a_curve() {
    let mut dice = Rng::with_seed(17);
    let (mut curves, mut missing) = (0, Vec::new());
    for game in 0..14 {
        let start = CanonicalPosition::of(&Position::start(2 + game % 7));
        play(start, &mut dice, |position, reached, read| {
            match read {
                Some(read) => assert_eq!(read, &reached.drawn, "{position}"),
                None => missing.push(format!("{position} to {}", reached.child)),
            }
            curves += 1;
        });
    }
    assert!(missing.is_empty(), "{} of {curves}: {missing:#?}", missing.len());
    assert!(curves > 500, "{curves}");
}

#[test]
fn on_other_surfaces_curves_past_the_mark_are_drawn() {
    let mut dice = Rng::with_seed(3);
    let (mut curves, mut others, mut missing) = (0, 0, Vec::new());
    for genus in [1, -1, 2, -2, 1, -1, -3] {
        let surface = Surface::new(genus).expect("a surface");
        let start = CanonicalPosition::of(&Position::start_on(3, surface));
        play(start, &mut dice, |position, reached, read| {
            match read {
                Some(read) => assert_eq!(read, &reached.drawn, "{position}"),
                None if reached.witness.course == Course::Plain => {
                    missing.push(format!("{position} to {}", reached.child));
                }
                None => others += 1,
            }
            curves += 1;
        });
    }
    assert!(missing.is_empty(), "{} of {curves}: {missing:#?}", missing.len());
    assert!(curves > 50 && others > 10, "{curves}, {others} over handles and through cross-caps");
}
