//! Tables and charts of the pages, rendered from what was measured.
//!
//! A page says between which lines a table stands and of which data:
//!
//! ```text
//! <!-- runs: 2026-11-22-peers.json -->
//! <!-- /runs -->
//! ```
//!
//! The files are in `bench/runs`. After them may come a JSON pointer to the value in question
//! (`/damages`; `/0` is the first line of a file of JSON Lines; `rounds` counts such lines
//! together), and the columns to show, with commas. What is written between the two lines is what
//! [`Run`] makes of that.

mod markdown;
mod run;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::peers;
use crate::plot::{self, Series};

pub use run::{Run, RunError};

/// Where the data lie, from the root of the repository.
const RUNS: &str = "bench/runs";

/// The charts, and the CPU seconds by spots that are drawn beside the peers.
const CHARTS: [(&str, &str); 1] = [("docs/performance.svg", "2026-11-22-chart.json")];

/// Folders that hold no pages of ours.
const FOREIGN: [&str; 3] = ["target", "node_modules", ".git"];

const BEGIN: &str = "<!-- runs: ";
const END: &str = "<!-- /runs -->";

/// Why a page cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// A file cannot be read.
    #[error("cannot read {0}: {1}")]
    File(PathBuf, io::Error),
    /// What a page asks for cannot be shown.
    #[error("{page}, line {line}: {error}")]
    Run {
        /// The page.
        page: PathBuf,
        /// The line that asks, from 1.
        line: usize,
        /// What is wrong.
        error: RunError,
    },
    /// A table begins and does not end.
    #[error("{page}, line {line}: no `{END}` follows")]
    Open {
        /// The page.
        page: PathBuf,
        /// The line where the table begins, from 1.
        line: usize,
    },
    /// A chart cannot be drawn.
    #[error("chart {0}: {1}")]
    Chart(&'static str, RunError),
}

/// A page or a chart, as it is and as it shall be.
pub struct Page {
    /// Where it lies.
    pub path: PathBuf,
    /// What stands there now; empty where there is no such file.
    pub is: String,
    /// What the data say.
    pub shall: String,
}

/// Every page that shows data, and every chart, of the repository at `root`.
///
/// # Errors
/// [`PageError`] names the page and the line.
pub fn pages(root: &Path) -> Result<Vec<Page>, PageError> {
    let mut found = Vec::new();
    collect(root, &mut found)?;
    found.sort();
    let mut pages = Vec::new();
    for path in found {
        let is = read(&path)?;
        if is.contains(BEGIN) {
            let shall = rendered(root, &path, &is)?;
            pages.push(Page { path, is, shall });
        }
    }
    for (path, report) in CHARTS {
        let shall = chart(root, report).map_err(|error| PageError::Chart(path, error))?;
        let path = root.join(path);
        let is = fs::read_to_string(&path).unwrap_or_default();
        pages.push(Page { path, is, shall });
    }
    Ok(pages)
}

fn read(path: &Path) -> Result<String, PageError> {
    fs::read_to_string(path).map_err(|error| PageError::File(path.to_owned(), error))
}

/// Every Markdown file below a folder.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), PageError> {
    let wrong = |error| PageError::File(folder.to_owned(), error);
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !FOREIGN.contains(&name.as_str()) && !name.starts_with('.') {
            collect(&path, found)?;
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    Ok(())
}

/// The page with every table rendered anew.
fn rendered(root: &Path, page: &Path, text: &str) -> Result<String, PageError> {
    let inside = page.strip_prefix(root).unwrap_or(page);
    let up = "../".repeat(inside.components().count().saturating_sub(1));
    let (mut shall, mut fenced) = (String::new(), false);
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        shall += line;
        shall.push('\n');
        fenced ^= line.starts_with("```");
        let asked = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->"));
        let Some(asked) = asked.filter(|_| !fenced) else { continue };
        let wrong = |error| PageError::Run { page: inside.to_owned(), line: number, error };
        let run = Run::read(&root.join(RUNS), asked).map_err(wrong)?;
        shall += &format!("\n{}\n", run.markdown(&format!("{up}{RUNS}")).map_err(wrong)?);
        if !lines.any(|(line, _)| line == END) {
            return Err(PageError::Open { page: inside.to_owned(), line: number });
        }
        shall += END;
        shall.push('\n');
    }
    Ok(shall)
}

/// The chart of Sprig's CPU seconds beside the peers.
fn chart(root: &Path, name: &str) -> Result<String, RunError> {
    let run = Run::read(&root.join(RUNS), name)?;
    let mut series: Vec<Series> = peers::peers().into_iter().map(Series::from).collect();
    series.push(Series { name: "Sprig".to_owned(), seconds: run.seconds()? });
    let source = format!("Sprig: bench/runs/{name}. Others: bench/peers.json.");
    Ok(plot::svg(&series, &source))
}
