//! A record, played.

use crate::error::{MoveError, MoveProblem, Problem};
use crate::readings::is_over;
use crate::text::Place;
use crate::{Dialect, Readings, Record, RecordError};

/// A record that has been played to its end.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// All readings that are left, with their tables after each move.
    pub readings: Readings,
    /// Whether the game is over: no move is left, in the cheapest reading.
    pub over: bool,
}

/// Plays a record.
///
/// # Errors
/// [`RecordError`] with the place of the first move that no reading takes, or, in the strict
/// dialect, of the last move if several positions are left.
pub fn replay(record: &Record, dialect: Dialect) -> Result<Replayed, RecordError> {
    let mut readings = Readings::start(record.spots, dialect);
    let fail = |number: usize, problem| {
        let (Place { line, column }, written) = &record.moves[number];
        let (number, text) = (number + 1, written.to_string());
        let problem = Problem::Move(MoveError { number, text, problem });
        RecordError { line: *line, column: *column, problem }
    };
    for (number, (_, written)) in record.moves.iter().enumerate() {
        readings = readings.after(written).map_err(|problem| fail(number, problem))?;
    }
    let classes = readings.classes().len();
    if dialect == Dialect::Strict && classes > 1 {
        return Err(fail(record.moves.len() - 1, MoveProblem::Ambiguous(classes)));
    }
    let over = is_over(readings.cheapest().table());
    Ok(Replayed { readings, over })
}
