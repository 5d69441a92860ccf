//! Reference games and positions, from programs that share no code with this one.

use crate::common::{configuration, rows, start};
use sprig_pousse::{Game, MAX_SOLVED, Plain, Player, Record, Repeat, Solver, Value, check};

#[test]
fn games_end_as_the_contest_judged() {
    let rows = rows("pousse_games.tsv");
    assert!(rows.len() >= 42);
    for row in rows {
        let [size, moves, result, board] = &row[..] else { panic!("{row:?}") };
        let text = format!("{size}\n{}\nQUIT\n", moves.replace(' ', "\n"));
        let record = Record::read(&text, Repeat::Player).unwrap_or_else(|e| panic!("{row:?}: {e}"));
        assert_eq!(record.game.ending().expect("it ended").to_string(), *result, "{row:?}");
        assert_eq!(record.game.now().board.to_string(), *board, "{row:?}");
    }
}

#[test]
fn positions_have_the_values_that_others_found() {
    let plains: Vec<_> = (1..=MAX_SOLVED).map(Plain::new).collect();
    let mut solvers: Vec<_> =
        (1..=MAX_SOLVED).map(|size| Solver::new(size, Repeat::Player)).collect();
    let rows = rows("pousse_positions.tsv");
    assert!(rows.len() >= 231);
    for row in rows {
        let [size, board, to_move, plain, plies, truth] = &row[..] else { panic!("{row:?}") };
        let size: usize = size.parse().expect("a number");
        let position = configuration(board, to_move);
        assert_eq!(position.board.check(position.to_move), Ok(()), "{row:?}");
        let value = match plains[size - 1].value(&position) {
            Value::Win(plies) => ("win", plies.to_string()),
            Value::Loss(plies) => ("loss", plies.to_string()),
            Value::Cycle => ("cycle", "0".to_owned()),
        };
        assert_eq!(value, (plain.as_str(), plies.clone()), "{row:?}");
        let mover = position.to_move;
        let winner = solvers[size - 1].winner(&Game::new(position, Repeat::Player));
        assert_eq!(if winner == mover { "win" } else { "loss" }, truth, "{row:?}");
    }
}

#[test]
fn the_first_player_wins_and_it_is_proved() {
    for repeat in [Repeat::Player, Repeat::Board] {
        for size in 1..=MAX_SOLVED {
            let game = start(size, repeat);
            let mut solver = Solver::new(size, repeat);
            assert_eq!(solver.winner(&game), Player::X, "{size} {repeat:?}");
            let checked = check(&game, Player::X, |game| solver.winning_move(game));
            let checked = checked.unwrap_or_else(|e| panic!("{size} {repeat:?}: {e}"));
            assert!(checked.advised > 0 && (size == 1 || checked.tried > 0), "{checked:?}");
        }
    }
}

#[test]
fn every_first_move_wins() {
    for size in 1..=3 {
        let mut solver = Solver::new(size, Repeat::Player);
        for insertion in sprig_pousse::Insertion::all(size) {
            let mut game = start(size, Repeat::Player);
            game.play(insertion);
            assert_eq!(solver.winner(&game), Player::X, "{size}: {insertion}");
        }
    }
}
