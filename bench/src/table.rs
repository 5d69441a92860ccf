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
        let tables = if plan.cumulative { "in one solver" } else { "each from empty tables" };
        let medians = match plan.repeats {
            1 => String::new(),
            repeats => format!(", medians of {repeats} runs"),
        };
        format!("{question} {tables}, at most {} MB{medians}", plan.memory >> 20)
    }

    /// How many times less CPU time than SPOTS, where that is a fair question.
    fn ratio(&self, record: &Record, spots: &Peer) -> Option<f64> {
        let fair = self.plan.question == Question::Outcome && !self.plan.cumulative;
        let theirs = spots.seconds.get(&record.position.parse().ok()?)?;
        (fair && record.threads == 1 && record.is_decided())
            .then(|| Some(theirs / record.median(|run| run.cpu_seconds)?))?
    }

    fn row(&self, record: &Record, spots: &Peer) -> Option<[String; HEAD.len()]> {
        let count = |of: fn(&Run) -> u64| record.median(|run| of(run) as f64);
        let whole = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.0}"));
        let (cpu, children) = (record.median(|run| run.cpu_seconds)?, count(|run| run.children)?);
        let lands = count(|run| run.lands)?;
        let peak = record.median(|run| run.peak_bytes.map_or(f64::NAN, |bytes| bytes as f64));
        Some([
            record.position.clone(),
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
            whole(peak.filter(|peak| !peak.is_nan()).map(|peak| peak / f64::from(1 << 20))),
            whole(count(|run| run.collections)),
            record
                .median(|run| run.load.unwrap_or(f64::NAN))
                .map_or("-".into(), |l| format!("{l:.1}")),
            self.ratio(record, spots).map_or("-".into(), |ratio| format!("{ratio:.0}")),
        ])
    }

    /// Sums and geometric means over all positions, for one number of threads.
    fn summary(&self, f: &mut fmt::Formatter<'_>, threads: usize, spots: &Peer) -> fmt::Result {
        let records: Vec<_> = self.records.iter().filter(|r| r.threads == threads).collect();
        let of = |records: &[&Record], of: fn(&Run) -> f64| -> Vec<f64> {
            records.iter().filter_map(|record| record.median(of)).collect()
        };
        if records.iter().all(|record| record.runs.is_empty()) {
            return Ok(());
        }
        let (cpu, children) =
            (of(&records, |run| run.cpu_seconds), of(&records, |run| run.children as f64));
        write!(f, "{threads} thread{}: ", if threads == 1 { "" } else { "s" })?;
        write!(f, "{:.2} CPU seconds in all", cpu.iter().sum::<f64>())?;
        write!(f, "; geometric means: {:.2} CPU seconds", mean(&cpu))?;
        write!(f, ", {:.0} children", mean(&children))?;
        let ratios: Vec<_> = records.iter().filter_map(|r| self.ratio(r, spots)).collect();
        if !ratios.is_empty() {
            write!(f, ", {:.1} x SPOTS over {} n", mean(&ratios), ratios.len())?;
        }
        let single: Vec<_> = self.records.iter().filter(|r| r.threads == 1).collect();
        if threads > 1 && single.len() == records.len() {
            let wall = |records: &[&Record]| mean(&of(records, |run| run.wall_seconds));
            write!(f, ", {:.2} x one thread by the clock", wall(&single) / wall(&records))?;
        }
        writeln!(f)
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

/// The geometric mean. Nothing counts less than a ten-thousandth, so that a zero does not hide the rest.
fn mean(values: &[f64]) -> f64 {
    let logarithms = values.iter().map(|value| value.max(1e-4).ln());
    (logarithms.sum::<f64>() / values.len().max(1) as f64).exp()
}
