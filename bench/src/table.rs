//! A report as a table in Markdown, to be read and to be kept in `docs/performance.md`.

use std::fmt;

use crate::peers::{Peer, peers};
use crate::{Question, Record, Report, Run};

const HEAD: [&str; 15] = [
    "n",
    "threads",
    "answer",
    "CPU s",
    "wall s",
    "expansions",
    "children",
    "us/child",
    "lands",
    "B/land",
    "facts",
    "peak MB",
    "collections",
    "load",
    "x SPOTS",
];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spots = peers().swap_remove(0);
        let processor = self.processor.as_deref().unwrap_or("an unknown processor");
        writeln!(
            f,
            "{} on {} cores of {processor}; {}.\n",
            self.label,
            self.cores,
            self.setting()
        )?;
        let rows: Vec<_> = self.records.iter().filter_map(|r| self.row(r, &spots)).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].len());
            cells.fold(HEAD[column].len().max(2), usize::max)
        };
        let widths: [usize; HEAD.len()] = std::array::from_fn(width);
        line(f, HEAD, &widths)?;
        line(f, widths.map(|width| format!("{}:", "-".repeat(width - 1))), &widths)?;
        rows.into_iter().try_for_each(|row| line(f, row, &widths))?;
        writeln!(f)?;
        self.plan.threads.iter().try_for_each(|&threads| self.summary(f, threads, &spots))
    }
}

impl Report {
    /// How it was measured, in words.
    fn setting(&self) -> String {
        let plan = &self.plan;
        let question = match plan.question {
            Question::Outcome => "outcomes",
            Question::Nimber => "nimbers",
        };
        let tables =
            if plan.cumulative { "in one database" } else { "each from an empty database" };
        let medians = match plan.repeats {
            1 => String::new(),
            repeats => format!(", medians of {repeats} runs"),
        };
        let memory = plan.memory.map_or_else(String::new, |m| format!(", at most {} MB", m >> 20));
        format!("{question} {tables}{memory}{medians}")
    }

    /// How many times less CPU time than SPOTS, where that is a fair question.
    fn ratio(&self, record: &Record, spots: &Peer) -> Option<f64> {
        let plan = &self.plan;
        let fair = plan.question == Question::Outcome && !plan.cumulative && record.threads == 1;
        let theirs = spots.seconds.get(&record.position.parse().ok()?)?;
        let ours = record.median(|run| run.cpu_seconds)?;
        (fair && record.is_decided()).then(|| theirs / ours)
    }

    fn row(&self, record: &Record, spots: &Peer) -> Option<[String; HEAD.len()]> {
        let count = |of: fn(&Run) -> u64| record.median(|run| of(run) as f64);
        let whole = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.0}"));
        let (cpu, children) = (record.median(|run| run.cpu_seconds)?, count(|run| run.children)?);
        let lands = count(|run| run.lands)?;
        let peak = told(record.median(|run| run.peak_bytes.map_or(f64::NAN, |peak| peak as f64)));
        let load = told(record.median(|run| run.load.unwrap_or(f64::NAN)));
        Some([
            record.position.replace('|', "\\|"),
            record.threads.to_string(),
            record.answer()?.to_string(),
            format!("{cpu:.2}"),
            format!("{:.2}", record.median(|run| run.wall_seconds)?),
            whole(count(|run| run.expansions)),
            whole(Some(children)),
            format!("{:.2}", cpu * 1e6 / children.max(1.0)),
            whole(Some(lands)),
            whole(count(|run| run.bytes).map(|bytes| bytes / lands.max(1.0))),
            whole(count(|run| run.facts)),
            whole(peak.map(|peak| peak / f64::from(1 << 20))),
            whole(count(|run| run.collections)),
            load.map_or("-".into(), |load| format!("{load:.1}")),
            self.ratio(record, spots).map_or("-".into(), |ratio| format!("{ratio:.0}")),
        ])
    }

    /// Sums and geometric means over all positions that were decided, for one number of threads.
    fn summary(&self, f: &mut fmt::Formatter<'_>, threads: usize, spots: &Peer) -> fmt::Result {
        let records: Vec<_> =
            self.records.iter().filter(|r| r.threads == threads && r.is_decided()).collect();
        if records.is_empty() {
            return Ok(());
        }
        let all = |of: fn(&Run) -> f64| -> Vec<f64> {
            records.iter().filter_map(|record| record.median(of)).collect()
        };
        let (cpu, children) = (all(|run| run.cpu_seconds), all(|run| run.children as f64));
        let plural = if threads == 1 { "" } else { "s" };
        write!(f, "{threads} thread{plural}, {} decided: ", records.len())?;
        write!(f, "{:.2} CPU seconds in all", cpu.iter().sum::<f64>())?;
        write!(f, "; geometric means: {:.2} CPU seconds", mean(&cpu))?;
        write!(f, ", {:.0} children", mean(&children))?;
        let ratios: Vec<_> = records.iter().filter_map(|r| self.ratio(r, spots)).collect();
        if !ratios.is_empty() {
            write!(f, ", {:.1} x SPOTS over {} n", mean(&ratios), ratios.len())?;
        }
        let gains: Vec<_> = records.iter().filter_map(|record| self.gain(record)).collect();
        if threads > 1 && !gains.is_empty() {
            write!(f, ", {:.2} x one thread by the clock", mean(&gains))?;
        }
        writeln!(f)
    }

    /// How many times sooner than one thread.
    fn gain(&self, record: &Record) -> Option<f64> {
        let same = |r: &&Record| r.threads == 1 && r.position == record.position && r.is_decided();
        let single = self.records.iter().find(same)?.median(|run| run.wall_seconds)?;
        Some(single / record.median(|run| run.wall_seconds)?)
    }
}

/// One line of the table, right-aligned.
fn line<const N: usize>(
    f: &mut fmt::Formatter<'_>,
    cells: [impl fmt::Display; N],
    widths: &[usize; N],
) -> fmt::Result {
    for (cell, width) in cells.iter().zip(widths) {
        write!(f, "| {cell:>width$} ")?;
    }
    writeln!(f, "|")
}

/// A median of figures that the system tells, or `None` where it does not tell them.
fn told(median: Option<f64>) -> Option<f64> {
    median.filter(|value| !value.is_nan())
}

/// The geometric mean. Nothing counts less than a ten-thousandth, so that a zero does not hide the
/// rest.
fn mean(values: &[f64]) -> f64 {
    let logarithms = values.iter().map(|value| value.max(1e-4).ln());
    (logarithms.sum::<f64>() / values.len().max(1) as f64).exp()
}
