//! Looks ahead on boards that are not solved.

use sprig_pousse::{Board, Configuration, Game, Insertion, Player, Repeat, Solver, look_ahead};

fn game(board: &str, to_move: Player) -> Game {
    let board: Board = board.parse().expect("a board");
    Game::new(Configuration { board, to_move }, Repeat::Player)
}

#[test]
fn a_win_in_one_move_is_made_and_one_of_the_other_is_prevented() {
    let won = game("XXXX./...../OOO../...../.....", Player::X);
    let foreseen = look_ahead(&won, 1_000);
    let mut after = won.clone();
    after.play(foreseen.insertion);
    assert_eq!((after.ending().expect("the end").winner, foreseen.wins), (Player::X, Some(true)));
    assert_eq!(foreseen.depth, 1);

    // O threatens the third row. X can push the first column down.
    let threat = game("X..../X..../OOOO./...../.....", Player::X);
    let foreseen = look_ahead(&threat, 20_000);
    assert!(foreseen.depth >= 2, "{foreseen:?}");
    let mut after = threat.clone();
    after.play(foreseen.insertion);
    let loses = Insertion::all(5).any(|reply| {
        let mut end = after.clone();
        end.play(reply);
        end.ending().is_some_and(|ending| ending.winner == Player::O)
    });
    assert!(!loses, "{foreseen:?}");
}

#[test]
fn what_is_seen_to_the_end_is_so() {
    // Every board of three rows that a short game leads to: the solver agrees.
    let mut solver = Solver::new(3, Repeat::Player);
    let (mut seen, mut state) = (0, 1_u64);
    for _ in 0..200 {
        let start = Configuration { board: Board::empty(3), to_move: Player::X };
        let mut game = Game::new(start, Repeat::Player);
        for _ in 0..6 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let insertion = Insertion::all(3).nth((state >> 33) as usize % 12).expect("one of 12");
            if game.ending().is_none() {
                game.play(insertion);
            }
        }
        if game.ending().is_some() {
            continue;
        }
        let foreseen = look_ahead(&game, 3_000);
        assert_eq!(look_ahead(&game, 3_000), foreseen, "the same every time");
        if let Some(wins) = foreseen.wins {
            seen += 1;
            assert_eq!(solver.winner(&game) == game.now().to_move, wins, "{:?}", game.now());
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn it_beats_a_player_who_draws_lots() {
    let (mut won, mut state) = (0, 7_u64);
    for number in 0..10 {
        let start = Configuration { board: Board::empty(5), to_move: Player::X };
        let mut game = Game::new(start, Repeat::Player);
        let own = if number % 2 == 0 { Player::X } else { Player::O };
        while game.ending().is_none() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let lot = Insertion::all(5).nth((state >> 33) as usize % 20).expect("one of 20");
            let looks = || look_ahead(&game, 2_000).insertion;
            let insertion = if game.now().to_move == own { looks() } else { lot };
            game.play(insertion);
        }
        won += u32::from(game.ending().expect("the end").winner == own);
    }
    assert!(won >= 9, "{won} of ten");
}
