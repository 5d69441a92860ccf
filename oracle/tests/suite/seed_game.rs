//! The worked game of the card procedure, `2+ 1(3)2 1(4)2 1(5)4 2(6)3`, line by line.

use sprig_oracle::{Cut, Move, Table};

/// Plays a move and returns the tables after its steps, `(number, table)`; skipped steps are
/// missing.
fn steps(table: &Table, played: &Move) -> (Table, Vec<(u32, String)>) {
    let mut steps = Vec::new();
    let after = table.play_watched(played, |step, table| steps.push((step, table.to_string())));
    (after.expect("the move is legal"), steps)
}

fn lines(lines: &[(u32, &str)]) -> Vec<(u32, String)> {
    lines.iter().map(|&(step, line)| (step, line.to_owned())).collect()
}

fn cut(stack: usize, cards: usize) -> Cut {
    Cut { stack, cards }
}

fn dividing(row: usize, stack: Cut, take: usize) -> Move {
    Move::Dividing { row, stack, take, along: vec![] }
}

#[test]
fn the_worked_game_replays_step_by_step() {
    let table = Table::start(2);
    assert_eq!(table.to_string(), "1;2");

    // (3). The text lays the new card "on top", but prints it at the bottom in steps 4 and 5:
    // `1,3;2,3` and `1,3,2,3`. Stacks are cyclic, so that is the same; here the procedure is
    // followed to the letter.
    let joining = Move::Joining { row: 0, a: cut(0, 0), b: cut(1, 0) };
    let (table, seen) = steps(&table, &joining);
    assert_eq!(seen, lines(&[(1, "1;2"), (4, "3,1;3,2"), (5, "3,1,3,2")]));

    // (4)
    let (table, seen) = steps(&table, &dividing(0, cut(0, 1), 3));
    assert_eq!(
        seen,
        lines(&[
            (1, "1,3,2,3"),
            (2, "1,3,2,3,1"),
            (3, "1,3,2/3,1"),
            (4, "1,3,2/2,3,1"),
            (5, "4,1,3,2/4,2,3,1"),
        ])
    );

    // (5)
    let (table, seen) = steps(&table, &dividing(0, cut(0, 1), 4));
    assert_eq!(
        seen,
        lines(&[
            (1, "1,3,2,4/4,2,3,1"),
            (2, "1,3,2,4,1/4,2,3,1"),
            (3, "1,3,2,4/1/4,2,3,1"),
            (4, "1,3,2,4/4,1/4,2,3,1"),
            (5, "5,1,3,2,4/5,4,1/4,2,3,1"),
        ])
    );

    // (6)
    let (table, seen) = steps(&table, &dividing(2, cut(0, 1), 2));
    assert_eq!(
        seen,
        lines(&[
            (1, "5,1,3,2,4/5,4,1/2,3,1,4"),
            (2, "5,1,3,2,4/5,4,1/2,3,1,4,2"),
            (3, "5,1,3,2,4/5,4,1/2,3/1,4,2"),
            (4, "5,1,3,2,4/5,4,1/2,3/3,1,4,2"),
            (5, "5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2"),
        ])
    );

    // The game is over: 5 and 6 survive, and no region holds both.
    table.for_each_option(|played, _| panic!("{played:?} is still possible"));
    assert_eq!(sprig_oracle::reduce(&table.to_position()).to_string(), "!");
}

#[test]
fn stacks_of_the_same_row_may_go_along() {
    // A loop at 1 with spot 2 inside and spot 3 outside.
    let played = Move::Dividing { row: 0, stack: cut(0, 0), take: 1, along: vec![1] };
    let (_, seen) = steps(&Table::start(3), &played);
    assert_eq!(
        seen,
        lines(&[
            (1, "1;2;3"),
            (2, "1,1;2;3"),
            (3, "1/1;2;3"),
            (5, "4,1/4,1;2;3"),
            (6, "4,1;2/4,1;3")
        ])
    );
}

#[test]
fn joining_plays_twins_where_there_is_a_curve() {
    let table: Table = "1,3,2,3;4".parse().expect("well-formed");
    let (_, seen) = steps(&table, &Move::Joining { row: 0, a: cut(0, 2), b: cut(1, 0) });
    assert_eq!(
        seen,
        lines(&[
            (1, "2,3,1,3;4"),
            (2, "2,3,1,3,2;4"),
            (4, "5,2,3,1,3,2;5,4"),
            (5, "5,2,3,1,3,2,5,4")
        ])
    );
}

#[test]
fn illegal_moves_are_refused() {
    use sprig_oracle::OracleError::{NoTwin, NotOnTable};
    let table: Table = "4,1,3,2/4,2,3,1".parse().expect("well-formed");
    for (played, error) in [
        // 3 can take one curve end, but not both ends of a loop.
        (dividing(0, cut(0, 2), 1), NoTwin(3)),
        (dividing(0, cut(0, 0), 0), NotOnTable),
        (dividing(0, cut(0, 0), 5), NotOnTable),
        (dividing(0, cut(0, 4), 1), NotOnTable),
        (dividing(2, cut(0, 0), 1), NotOnTable),
        (Move::Joining { row: 0, a: cut(0, 0), b: cut(0, 1) }, NotOnTable),
        (Move::Joining { row: 0, a: cut(0, 0), b: cut(1, 0) }, NotOnTable),
        (Move::Dividing { row: 0, stack: cut(0, 0), take: 2, along: vec![0] }, NotOnTable),
        (Move::Dividing { row: 0, stack: cut(0, 0), take: 2, along: vec![1] }, NotOnTable),
    ] {
        assert_eq!(table.play(&played), Err(error), "{played:?}");
    }
}
