//! The engine for Python: what `sprig_engine/__init__.py` gives its users.
//!
//! All of it releases Python's lock while it thinks, and hears Ctrl-C.

mod check;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sprig_engine::notation::{self, NotationError};
use sprig_engine::{Budget, CanonicalPosition, Position, Watched};
use sprig_sketch::{Board, Look, Picture, Point, SketchError, Theme};

create_exception!(sprig_engine, SprigError, PyValueError, "What is asked for cannot be done.");
create_exception!(sprig_engine, NoPositionError, SprigError, "A text that is no position.");
create_exception!(sprig_engine, MisdrawnError, SprigError, "A curve that is no move.");
create_exception!(sprig_engine, TooDearError, SprigError, "What would take too long, or cannot be drawn.");
create_exception!(sprig_engine, RefusedError, SprigError, "A certificate that proves nothing.");

/// A move: the child, the move in words, and the position that the curve makes of the picture.
type Move = (String, String);

fn read(text: &str) -> PyResult<CanonicalPosition> {
    let no_position = |error: NotationError| {
        let column = error.column;
        Python::attach(|py| {
            let error = NoPositionError::new_err(error.to_string());
            // An exception of ours takes attributes.
            let _ = error.value(py).setattr("column", column);
            error
        })
    };
    Ok(CanonicalPosition::of(&notation::read(text).map_err(no_position)?))
}

fn too_dear(error: impl ToString) -> PyErr {
    TooDearError::new_err(error.to_string())
}

/// Thinks without Python's lock, until it is done or somebody presses Ctrl-C.
fn think<T: Send>(
    py: Python<'_>,
    thought: impl FnOnce(&mut Budget<'_>) -> PyResult<T> + Send,
) -> PyResult<T> {
    let watched = Watched::default();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    py.detach(|| {
        std::thread::scope(|scope| {
            let task = scope.spawn(|| {
                let found = thought(&mut Budget::default().until(watched.flag()));
                is_done.store(true, std::sync::atomic::Ordering::Release);
                found
            });
            let interrupted = check::wait(&is_done, || watched.stop());
            match task.join() {
                Ok(found) => interrupted.and(found),
                Err(_) => Err(SprigError::new_err("this is a bug; please tell the makers of Sprig")),
            }
        })
    })
}

/// The canonical form of a position.
#[pyfunction]
fn canon(py: Python<'_>, position: &str) -> PyResult<String> {
    py.detach(|| Ok(read(position)?.to_string()))
}

/// The lands of the canonical form, and the lives of each.
#[pyfunction]
fn lands(py: Python<'_>, position: &str) -> PyResult<Vec<(String, u32)>> {
    py.detach(|| {
        let position = read(position)?;
        let land = |land: &sprig_engine::CanonicalLand| {
            (CanonicalPosition::from_lands([land.clone()]).to_string(), land.lives())
        };
        Ok(position.lands().iter().map(land).collect())
    })
}

/// The canonical children, sorted.
#[pyfunction]
fn children(py: Python<'_>, position: &str) -> PyResult<Vec<String>> {
    let position = read(position)?;
    think(py, |budget| {
        let children = position.children_within(budget).map_err(too_dear)?;
        Ok(children.iter().map(ToString::to_string).collect())
    })
}

/// For each canonical child one move that leads to it, in words of the position as it is written.
#[pyfunction]
fn moves(py: Python<'_>, position: &str) -> PyResult<Vec<Move>> {
    read(position)?;
    let written: Position = notation::read(position).map_err(too_dear)?;
    think(py, |budget| {
        let paper = sprig_engine::paper::Paper::of(&written);
        let moves = paper.moves(budget).map_err(too_dear)?;
        Ok(moves.iter().map(|m| (m.child.to_string(), paper.words(&m.witness))).collect())
    })
}

/// The picture of a position as SVG, with the curve of the move to a child if one is given.
#[pyfunction]
#[pyo3(signature = (position, theme, labels, child))]
fn draw(
    py: Python<'_>,
    position: &str,
    theme: &str,
    labels: bool,
    child: Option<&str>,
) -> PyResult<String> {
    let themes = [("light", Theme::Light), ("dark", Theme::Dark), ("print", Theme::Print)];
    let theme = themes.iter().find(|(name, _)| *name == theme).ok_or_else(|| {
        SprigError::new_err(format!("there is no theme `{theme}`; take light, dark or print"))
    })?;
    let look = Look { theme: theme.1, labels };
    let (position, child) = (read(position)?, child.map(read).transpose()?);
    think(py, |budget| {
        let mut picture = Picture::of(&position).map_err(undrawn)?;
        if let Some(child) = child {
            picture = picture.towards(&child, budget).map_err(too_dear)?;
            if picture.curve.is_none() {
                return Err(without_curve(&position, &child, budget));
            }
        }
        Ok(picture.svg(&look))
    })
}

/// Why no curve leads to a child: it is none, or its move cannot be shown.
fn without_curve(
    position: &CanonicalPosition,
    child: &CanonicalPosition,
    budget: &mut Budget<'_>,
) -> PyErr {
    match position.children_within(budget) {
        Err(why) => too_dear(why),
        Ok(children) if children.contains(child) => TooDearError::new_err(format!(
            "no curve in `{position}` leads to `{child}`: not every move can be shown in a picture"
        )),
        Ok(_) => SprigError::new_err(format!("no move in `{position}` leads to `{child}`")),
    }
}

fn undrawn(error: SketchError) -> PyErr {
    TooDearError::new_err(error.to_string())
}

/// A curve for the move to a child, as points in units of the picture's `viewBox`; none where none is
/// found.
#[pyfunction]
fn route(py: Python<'_>, position: &str, child: &str) -> PyResult<Option<Vec<(f64, f64)>>> {
    let (position, child) = (read(position)?, read(child)?);
    think(py, |budget| {
        let picture = Picture::of(&position).map_err(undrawn)?;
        let curve = picture.towards(&child, budget).map_err(too_dear)?.curve;
        Ok(curve.map(|curve| curve.iter().map(|at| at.in_units()).collect()))
    })
}

/// Which move a curve is that is drawn into the picture of a position.
#[pyfunction]
fn stroke(py: Python<'_>, position: &str, points: Vec<(f64, f64)>) -> PyResult<Move> {
    let position = read(position)?;
    let points: Option<Vec<Point>> = points.iter().map(|&at| Point::of_units(at)).collect();
    let points = points.ok_or_else(|| MisdrawnError::new_err("a point is too far away"))?;
    think(py, |budget| {
        let board = Board::of(&position, budget).map_err(too_dear)?;
        let read = board.read(&points).map_err(|error| MisdrawnError::new_err(error.to_string()))?;
        Ok((read.child.to_string(), board.words(read)))
    })
}

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    for (name, error) in [
        ("SprigError", py.get_type::<SprigError>()),
        ("NoPositionError", py.get_type::<NoPositionError>()),
        ("MisdrawnError", py.get_type::<MisdrawnError>()),
        ("TooDearError", py.get_type::<TooDearError>()),
        ("RefusedError", py.get_type::<RefusedError>()),
    ] {
        module.add(name, error)?;
    }
    module.add_function(wrap_pyfunction!(canon, module)?)?;
    module.add_function(wrap_pyfunction!(lands, module)?)?;
    module.add_function(wrap_pyfunction!(children, module)?)?;
    module.add_function(wrap_pyfunction!(moves, module)?)?;
    module.add_function(wrap_pyfunction!(draw, module)?)?;
    module.add_function(wrap_pyfunction!(route, module)?)?;
    module.add_function(wrap_pyfunction!(stroke, module)?)?;
    module.add_function(wrap_pyfunction!(check::verify, module)?)
}
