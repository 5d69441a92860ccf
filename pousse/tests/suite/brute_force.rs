//! The fast code against the rules, in the plainest way that there is.

use std::collections::HashMap;

use crate::common::{any_move, start};
use sprig_pousse::{
    Board, Configuration, Game, Insertion, Plain, Player, ProofError, Reason, Repeat, Solver,
    Value, check,
};

/// A game that forgets nothing.
struct Remembering {
    all: Vec<Configuration>,
}

impl Remembering {
    fn repeats(&self, next: &Configuration, repeat: Repeat) -> bool {
        self.all.iter().any(|met| {
            met.board == next.board && (met.to_move == next.to_move || repeat == Repeat::Board)
        })
    }
}

#[test]
fn what_is_forgotten_is_never_repeated() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut repetitions = 0;
    for round in 0..1000 {
        let repeat = if round % 2 == 0 { Repeat::Player } else { Repeat::Board };
        let mut game = start(random.usize(2..=4), repeat);
        let mut remembering = Remembering { all: vec![game.now().clone()] };
        while game.ending().is_none() {
            game.play(any_move(&mut random, game.now().board.size()));
            let repeated = remembering.repeats(game.now(), repeat);
            let ended = game.ending().is_some_and(|ending| ending.reason == Reason::Repetition);
            assert_eq!(ended, repeated, "{:?}", game.now());
            repetitions += u32::from(repeated);
            remembering.all.push(game.now().clone());
        }
    }
    assert!(repetitions > 20, "{repetitions} games ended by repetition");
}

/// Winners by all that can matter: the position, and what was met since a square was filled.
type Winners = HashMap<(Configuration, Vec<Configuration>), Player>;

/// The winner, by trying everything, moves that end the game first; none when that takes too long.
fn winner(game: &Game, known: &mut Winners, budget: &mut u32) -> Option<Player> {
    let mut met: Vec<_> = game.met().cloned().collect();
    met.sort();
    let key = (game.now().clone(), met);
    if let Some(&winner) = known.get(&key) {
        return Some(winner);
    }
    *budget = budget.checked_sub(1)?;
    let mover = game.now().to_move;
    let mut options = Vec::new();
    for insertion in Insertion::all(game.now().board.size()) {
        let mut next = game.clone();
        next.play(insertion);
        match next.ending() {
            Some(ending) if ending.winner == mover => return Some(mover),
            Some(_) => {}
            None => options.push(next),
        }
    }
    let mut result = mover.other();
    for next in options {
        if winner(&next, known, budget)? == mover {
            result = mover;
            break;
        }
    }
    known.insert(key, result);
    Some(result)
}

#[test]
fn the_solver_agrees_with_trying_everything() {
    let mut random = fastrand::Rng::with_seed(2);
    for repeat in [Repeat::Player, Repeat::Board] {
        // One solver for all, so that what it keeps is used in other games with other pasts.
        let mut solver = Solver::new(3, repeat);
        let (mut late, mut with_past) = (0, 0);
        let mut known = Winners::new();
        while late < 200 {
            let mut game = start(3, repeat);
            for _ in 0..random.usize(6..14) {
                if game.ending().is_none() {
                    game.play(any_move(&mut random, 3));
                }
            }
            let empty = game.now().board.squares().iter().filter(|s| s.is_none()).count();
            if game.ending().is_some() || empty > 2 {
                continue;
            }
            let Some(winner) = winner(&game, &mut known, &mut 2000) else { continue };
            assert_eq!(solver.winner(&game), winner, "{repeat:?} {game:?}");
            late += 1;
            with_past += u32::from(game.met().count() > 1);
            let checked = check(&game, winner, |game| solver.winning_move(game));
            assert!(checked.is_ok(), "{checked:?} {game:?}");
        }
        assert!(with_past > 30, "{with_past} games with a past that matters");
    }
}

/// All boards of a size that are not over.
fn boards(size: usize) -> Vec<Board> {
    let squares = size * size;
    let board = |mut number: usize| {
        let mut text = String::new();
        for square in 0..squares {
            if square > 0 && square % size == 0 {
                text.push('/');
            }
            text.push(['.', 'X', 'O'][number % 3]);
            number /= 3;
        }
        text.parse::<Board>().expect("a board")
    };
    let all = (0..3_usize.pow(squares as u32)).map(board);
    all.filter(|board| board.straights().dominant().is_none()).collect()
}

#[test]
fn plain_values_are_the_least_that_the_rules_allow() {
    for size in 1..=3 {
        let boards = boards(size);
        let mover = Player::X;
        // Where each insertion leads, seen again by X, who then is to move; none where X has won or
        // lost at once.
        let mirrored = |board: &Board| {
            let swap = |c| match c {
                'X' => 'O',
                'O' => 'X',
                other => other,
            };
            let text: String = board.to_string().chars().map(swap).collect();
            text.parse::<Board>().expect("a board")
        };
        let mut options = HashMap::new();
        for board in &boards {
            let results = Insertion::all(size).map(|insertion| {
                let next = board.insert(insertion, mover);
                (next.straights().dominant(), mirrored(&next))
            });
            options.insert(board.clone(), results.collect::<Vec<_>>());
        }
        let mut values: HashMap<Board, Value> = HashMap::new();
        for plies in 1_u8.. {
            let mut found = Vec::new();
            for board in boards.iter().filter(|board| !values.contains_key(board)) {
                let of = |next: &(Option<Player>, Board)| match next.0 {
                    Some(winner) if winner == mover => Some(Value::Loss(0)),
                    Some(_) => Some(Value::Win(0)),
                    None => values.get(&next.1).copied(),
                };
                let options = &options[board];
                if options.iter().any(|next| matches!(of(next), Some(Value::Loss(_)))) {
                    found.push((board.clone(), Value::Win(plies)));
                } else if options.iter().all(|next| matches!(of(next), Some(Value::Win(_)))) {
                    found.push((board.clone(), Value::Loss(plies)));
                }
            }
            if found.is_empty() {
                break;
            }
            values.extend(found);
        }
        let plain = Plain::new(size);
        for board in boards {
            let value = values.get(&board).copied().unwrap_or(Value::Cycle);
            let position = Configuration { board, to_move: mover };
            assert_eq!(plain.value(&position), value, "{}", position.board);
        }
    }
}

#[test]
fn bad_advice_is_no_proof() {
    let game = start(3, Repeat::Player);
    let mut solver = Solver::new(3, Repeat::Player);
    assert_eq!(solver.winner(&game), Player::X);
    // A proof of the opposite.
    let opposite = check(&game, Player::O, |game| solver.winning_move(game));
    assert!(opposite.is_err());
    // Nothing advised.
    let none = check(&game, Player::X, |_| None);
    assert!(matches!(none, Err(ProofError::NoAdvice { .. })), "{none:?}");
    // The first move of the board, wherever another is needed.
    let first = check(&game, Player::X, |_| Insertion::all(3).next());
    assert!(matches!(first, Err(ProofError::Lost { .. })), "{first:?}");
}
