//! What was measured, and the table that shows it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::markdown::{cell, commas, table};
use crate::Report;
use crate::peers::peers;

/// Why data cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no such file.
    #[error("cannot read {0}: {1}")]
    File(PathBuf, io::Error),
    /// It is no JSON, or not of the shape in question.
    #[error("{0}: {1}")]
    Json(PathBuf, serde_json::Error),
    /// A pointer leads nowhere.
    #[error("{0} has nothing at `{1}`")]
    Nothing(String, String),
    /// No row has that column.
    #[error("no row has `{0}`")]
    Column(String),
    /// It is neither a table nor a list nor an object.
    #[error("{0} is no table: give a list of objects, or an object with `columns` and `rows`")]
    Shape(String),
    /// No file is named.
    #[error("name a file of bench/runs")]
    Unnamed,
}

/// Files of `bench/runs`, and which part of them is asked for.
pub struct Run {
    /// Each file: its name, what it holds, and the value in question.
    files: Vec<(String, Value, Value)>,
    /// The columns to show; empty: all.
    columns: Vec<String>,
}

/// What a file says of itself.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Origin {
    date: Option<String>,
    machine: Option<String>,
    load: Option<Value>,
    commit: Option<Value>,
    command: Option<String>,
    notes: Option<String>,
}

impl Run {
    /// Reads what a page asks for: files, a pointer, columns.
    ///
    /// # Errors
    /// [`RunError`] when a file or a part of it is not there.
    pub fn read(folder: &Path, asked: &str) -> Result<Self, RunError> {
        let (mut names, mut pointer, mut columns) = (Vec::new(), None, Vec::new());
        for word in asked.split_whitespace() {
            if word.starts_with('/') || word == "rounds" {
                pointer = Some(word);
            } else if word.contains(".json") {
                names.push(word);
            } else {
                columns.extend(word.split(',').map(|name| name.replace('_', " ")));
            }
        }
        if names.is_empty() {
            return Err(RunError::Unnamed);
        }
        let files = names.into_iter().map(|name| {
            let whole = whole(folder, name)?;
            let part = match pointer {
                None => whole.clone(),
                Some("rounds") => rounds(&whole),
                Some(pointer) => whole
                    .pointer(pointer)
                    .cloned()
                    .ok_or_else(|| RunError::Nothing(name.to_owned(), pointer.to_owned()))?,
            };
            Ok((name.to_owned(), whole, part))
        });
        Ok(Self { files: files.collect::<Result<_, _>>()?, columns })
    }

    /// The table, and a line for each file that says where it is from. `to` leads to the files.
    ///
    /// # Errors
    /// [`RunError`] when the data have another shape than the page says.
    pub fn markdown(&self, to: &str) -> Result<String, RunError> {
        let mut text = match &self.files[..] {
            [(name, _, part)] => self.one(name, part)?,
            several => {
                let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
                let rows = several.iter().map(|(name, _, part)| with_name(&stem(name), part));
                self.list(rows.collect())?
            }
        };
        for (name, whole, _) in &self.files {
            text += &format!("\n{}\n", origin(whole).said(name, to));
        }
        Ok(text)
    }

    /// The first two columns of a table: CPU seconds by spots.
    pub(super) fn seconds(&self) -> Result<BTreeMap<u32, f64>, RunError> {
        let (name, _, part) = &self.files[0];
        let shape = || RunError::Shape(name.clone());
        let rows = part.get("rows").and_then(Value::as_array).ok_or_else(shape)?;
        let point = |row: &Value| {
            let spots = u32::try_from(row.get(0)?.as_u64()?).ok()?;
            Some((spots, row.get(1)?.as_f64()?))
        };
        rows.iter().map(|row| point(row).ok_or_else(shape)).collect()
    }

    fn one(&self, name: &str, part: &Value) -> Result<String, RunError> {
        match part {
            Value::Array(list) => self.list(list.clone()),
            Value::Object(object) if object.contains_key("rows") => self.rows(name, object),
            Value::Object(object) if object.contains_key("plan") => Ok(report(part, name)?),
            Value::Object(object) if object.values().all(Value::is_object) => {
                let rows = object.iter().map(|(key, value)| with_name(key, value));
                self.list(rows.collect())
            }
            Value::Object(object) => {
                let shown = object.iter().filter(|(_, value)| !value.is_object());
                let mut rows: Vec<_> =
                    shown.map(|(key, value)| vec![words(key), cell(value)]).collect();
                if !self.columns.is_empty() {
                    let known = std::mem::take(&mut rows);
                    for column in &self.columns {
                        let row = known.iter().find(|row| row[0] == *column);
                        let row = row.ok_or_else(|| RunError::Column(column.clone()))?;
                        rows.push(row.clone());
                    }
                }
                Ok(table(&["".to_owned(), "".to_owned()], &rows))
            }
            _ => Err(RunError::Shape(name.to_owned())),
        }
    }

    /// An object with `columns` and `rows`.
    fn rows(&self, name: &str, object: &Map<String, Value>) -> Result<String, RunError> {
        let shape = || RunError::Shape(name.to_owned());
        let list = |key| object.get(key).and_then(Value::as_array).ok_or_else(shape);
        let head: Vec<String> = list("columns")?.iter().map(cell).collect();
        let mut rows = Vec::new();
        for row in list("rows")? {
            let row: Vec<String> = row.as_array().ok_or_else(shape)?.iter().map(cell).collect();
            if row.len() != head.len() {
                return Err(shape());
            }
            rows.push(row);
        }
        let Some(shown) = self.chosen(&head)? else { return Ok(table(&head, &rows)) };
        let pick = |row: &Vec<String>| shown.iter().map(|&place| row[place].clone()).collect();
        let rows: Vec<Vec<String>> = rows.iter().map(pick).collect();
        Ok(table(&pick(&head), &rows))
    }

    /// Objects, each a row.
    fn list(&self, rows: Vec<Value>) -> Result<String, RunError> {
        let mut keys: Vec<String> = Vec::new();
        for key in rows.iter().filter_map(Value::as_object).flat_map(Map::keys) {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        let head: Vec<String> = keys.iter().map(|key| words(key)).collect();
        let shown = self.chosen(&head)?.unwrap_or_else(|| (0..head.len()).collect());
        let text = |row: &Value| -> Vec<String> {
            shown
                .iter()
                .map(|&place| row.get(&keys[place]).map_or_else(String::new, cell))
                .collect()
        };
        let rows: Vec<_> = rows.iter().map(text).collect();
        let head: Vec<_> = shown.iter().map(|&place| head[place].clone()).collect();
        Ok(table(&head, &rows))
    }

    /// The places of the columns that are asked for.
    fn chosen(&self, head: &[String]) -> Result<Option<Vec<usize>>, RunError> {
        let place = |column: &String| {
            let place = head.iter().position(|name| name.eq_ignore_ascii_case(column));
            place.ok_or_else(|| RunError::Column(column.clone()))
        };
        let places = self.columns.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        Ok((!places.is_empty()).then_some(places))
    }
}

fn words(key: &str) -> String {
    key.replace('_', " ")
}

fn with_name(key: &str, value: &Value) -> Value {
    let mut row = value.as_object().cloned().unwrap_or_default();
    row.insert(" ".to_owned(), key.into());
    Value::Object(row)
}

/// What a file holds: one value, or with JSON Lines a list of them.
fn whole(folder: &Path, name: &str) -> Result<Value, RunError> {
    if !name.ends_with(".jsonl") {
        return read(folder, name);
    }
    let path = folder.join(name);
    let text = fs::read_to_string(&path).map_err(|error| RunError::File(path.clone(), error))?;
    let lines = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>();
    lines.map(Value::Array).map_err(|error| RunError::Json(path, error))
}

/// A file as one JSON value.
fn read<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<T, RunError> {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).map_err(|error| RunError::File(path.clone(), error))?;
    serde_json::from_str(&text).map_err(|error| RunError::Json(path, error))
}

/// The rounds of a journal of `sprig-chaos`, counted together.
fn rounds(lines: &Value) -> Value {
    let lines = lines.as_array().map_or(&[][..], Vec::as_slice);
    let rounds: Vec<_> = lines.iter().filter(|line| line.get("round").is_some()).collect();
    let length =
        |line: &Value, key: &str| line.get(key).and_then(Value::as_array).map_or(0, Vec::len);
    let sum = |of: &dyn Fn(&Value) -> usize| rounds.iter().map(|line| of(line)).sum::<usize>();
    let misere = |line: &Value| {
        let starts = line.get("starts").and_then(Value::as_array);
        starts.map_or(0, |starts| starts.iter().filter(|start| start["misere"] == true).count())
    };
    json!({
        "rounds": rounds.len(),
        "jobs": sum(&|line| length(line, "starts")),
        "of_misère_play": sum(&misere),
        "bans": sum(&|line| length(line, "banned")),
        "violations": sum(&|line| length(line, "violations")),
    })
}

fn origin(whole: &Value) -> Origin {
    let own = whole.get("plan").map(|_| {
        serde_json::from_value::<Report>(whole.clone()).map(|report| Origin {
            machine: report.processor.clone(),
            load: Some(load(&report).into()),
            commit: Some(report.label.into()),
            ..Origin::default()
        })
    });
    if let Some(Ok(origin)) = own {
        return origin;
    }
    // A journal may say it in its first line.
    let first = whole.as_array().and_then(|lines| lines.first()).unwrap_or(whole);
    serde_json::from_value(first.clone()).unwrap_or_default()
}

impl Origin {
    fn said(&self, name: &str, to: &str) -> String {
        let mut said = format!("Data: [{name}]({to}/{name})");
        let load = self.load.as_ref().map(|load| match load {
            Value::Array(range) => {
                let mut range: Vec<_> = range.iter().map(Value::to_string).collect();
                range.dedup();
                format!("load {}", range.join(" to "))
            }
            other => format!("load {}", cell(other)),
        });
        let commit = self.commit.as_ref().filter(|commit| commit.is_string());
        let commit = commit.map(|commit| format!("commit {}", cell(commit)));
        let parts = [self.date.clone(), self.machine.clone(), load, commit];
        for part in parts.into_iter().flatten() {
            said += &format!("; {part}");
        }
        if let Some(command) = &self.command {
            said += &format!("; `{command}`");
        }
        said += ".";
        if let Some(notes) = &self.notes {
            said += &format!(" {}.", notes.trim_end_matches('.'));
        }
        said
    }
}

/// The least and the largest load of the runs of a report.
fn load(report: &Report) -> String {
    let runs = report.records.iter().flat_map(|record| &record.runs);
    let loads: Vec<f64> = runs.filter_map(|run| run.load).collect();
    let least = loads.iter().copied().fold(f64::INFINITY, f64::min);
    let most = loads.iter().copied().fold(0.0, f64::max);
    if loads.is_empty() { "unknown".to_owned() } else { format!("{least:.1} to {most:.1}") }
}

/// A report of `sprig bench --json`.
fn report(value: &Value, name: &str) -> Result<String, RunError> {
    let report: Report = serde_json::from_value(value.clone())
        .map_err(|error| RunError::Json(PathBuf::from(name), error))?;
    let spots = peers().swap_remove(0);
    let head = [
        "position",
        "threads",
        "answer",
        "CPU s",
        "wall s",
        "expansions",
        "children",
        "µs a child",
        "facts",
        "peak MB",
        "SPOTS, CPU s",
    ];
    let mut rows = Vec::new();
    for record in &report.records {
        let Some(cpu) = record.median(|run| run.cpu_seconds) else { continue };
        let count = |of: fn(&crate::Run) -> u64| {
            record.median(|run| of(run) as f64).map_or(0, |count| count as u64)
        };
        let peak = record.median(|run| run.peak_bytes.map_or(f64::NAN, |bytes| bytes as f64));
        let peak = peak.filter(|peak| peak.is_finite());
        let peer = record.position.parse().ok().and_then(|n: u32| spots.seconds.get(&n));
        let children = count(|run| run.children);
        rows.push(vec![
            record.position.clone(),
            record.threads.to_string(),
            record.answer().map_or_else(String::new, |answer| answer.to_string()),
            format!("{cpu:.2}"),
            record.median(|run| run.wall_seconds).map_or_else(String::new, |s| format!("{s:.2}")),
            commas(count(|run| run.expansions)),
            commas(children),
            format!("{:.2}", cpu * 1e6 / (children as f64).max(1.0)),
            commas(count(|run| run.facts)),
            peak.map_or_else(String::new, |peak| commas((peak / f64::from(1 << 20)) as u64)),
            peer.map_or_else(String::new, |seconds| seconds.to_string()),
        ]);
    }
    Ok(table(&head.map(str::to_owned), &rows))
}
