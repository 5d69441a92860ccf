//! Questions and answers, as lines of text.

use std::cell::RefCell;
use std::fmt::Write;

use sprig_engine::notation::read;
use sprig_engine::{Budget, CanonicalPosition};
use sprig_sketch::{Board, Look, Misdrawn, Picture, Point, Theme};

thread_local! {
    /// The position that was played on last: a hand draws more than once.
    static BOARD: RefCell<Option<Board>> = const { RefCell::new(None) };
}

/// Answers a question. Its lines are what is asked for, then about what; the first line of the answer
/// is `ok` or says after `no ` what is wrong.
///
/// | question | answer |
/// |---|---|
/// | `canon`, a position | its canonical form |
/// | `moves`, a position | a line for each move: the child, a tabulator, the move in words |
/// | `draw`, a theme, `on` or `off` for labels, a position | its picture as SVG |
/// | `stroke`, a position, points | the child that the stroke leads to, and the move in words |
/// | `route`, a position, a child | the points of a curve for the move to that child |
///
/// Points are written as `x,y;x,y;..` in units of the picture's `viewBox`. Moves, strokes and routes
/// are about the canonical form of the position.
#[must_use]
pub fn answer(question: &str) -> String {
    let lines: Vec<&str> = question.lines().collect();
    let found = match lines[..] {
        ["canon", position] => canonical(position).map(|position| position.to_string()),
        ["moves", position] => on_board(position, moves),
        ["draw", theme, labels, position] => drawn(theme, labels, position),
        ["stroke", position, points] => on_board(position, |board| stroke(board, points)),
        ["route", position, child] => route(position, child),
        _ => Err("there is no such question".to_owned()),
    };
    match found {
        Ok(words) => format!("ok\n{words}"),
        Err(words) => format!("no {}", words.replace('\n', " ")),
    }
}

fn canonical(text: &str) -> Result<CanonicalPosition, String> {
    let position = read(&text.replace('~', "|")).map_err(|error| error.to_string())?;
    Ok(CanonicalPosition::of(&position))
}

/// Something about a position to play on.
fn on_board(
    text: &str,
    of: impl FnOnce(&Board) -> Result<String, String>,
) -> Result<String, String> {
    let position = canonical(text)?;
    BOARD.with_borrow_mut(|kept| {
        let is_kept = kept.as_ref().is_some_and(|board| board.picture.position == position);
        if !is_kept {
            let board = Board::of(&position, &mut Budget::default());
            *kept = Some(board.map_err(|error| error.to_string())?);
        }
        // It was put there, or was there.
        kept.as_ref().map_or_else(|| Err("there is no position".to_owned()), of)
    })
}

fn moves(board: &Board) -> Result<String, String> {
    let mut lines = String::new();
    for reached in &board.moves {
        // Texts take what is written.
        let _ = writeln!(lines, "{}\t{}", reached.child, board.words(reached));
    }
    Ok(lines)
}

fn drawn(theme: &str, labels: &str, text: &str) -> Result<String, String> {
    let themes = [("light", Theme::Light), ("dark", Theme::Dark), ("print", Theme::Print)];
    let found = themes.iter().find(|(name, _)| *name == theme);
    let theme = found.map(|(_, theme)| *theme).ok_or("there is no such theme")?;
    let picture = Picture::of(&canonical(text)?).map_err(|error| error.to_string())?;
    Ok(picture.svg(&Look { theme, labels: labels != "off" }))
}

fn stroke(board: &Board, points: &str) -> Result<String, String> {
    let points = Point::read_all(points).ok_or("the points are no curve")?;
    let reached = board.read(&points).map_err(|error: Misdrawn| error.to_string())?;
    Ok(format!("{}\n{}", reached.child, board.words(reached)))
}

fn route(text: &str, child: &str) -> Result<String, String> {
    let (position, child) = (canonical(text)?, canonical(child)?);
    let picture = Picture::of(&position).map_err(|error| error.to_string())?;
    let picture = picture.towards(&child, &mut Budget::default());
    let curve = picture.map_err(|error| error.to_string())?.curve;
    curve.map(|points| Point::write_all(&points)).ok_or_else(|| "no curve is found".to_owned())
}
