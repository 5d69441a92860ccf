//! Tables for people.

use std::io;

use terminal_size::{Width, terminal_size_of};

use crate::failure::escaped;

/// The mark that replaces what was cut off.
const CUT: &str = "..";

/// Rows under a heading. Columns are as wide as they need to be, with two blanks between them. If
/// standard output is a terminal that is too narrow, columns are left out, first those of `spare`
/// in their order, and then the widest column is cut. Cells may come from strangers, so nothing in
/// them reaches the terminal as a command.
pub fn table<const N: usize>(
    heading: [&str; N],
    spare: &[&str],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let width = terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into());
    within(width.unwrap_or(usize::MAX), heading, spare, rows)
}

fn within<const N: usize>(
    width: usize,
    heading: [&str; N],
    spare: &[&str],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let rows = rows.map(|row| row.map(|cell| escaped(&cell)));
    let rows: Vec<_> = std::iter::once(heading.map(str::to_owned)).chain(rows).collect();
    let mut widths: [usize; N] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    });
    let mut shown = [true; N];
    let total = |widths: &[usize; N], shown: &[bool; N]| {
        let columns = widths.iter().zip(shown).filter(|(_, shown)| **shown);
        columns.map(|(width, _)| width + 2).sum::<usize>().saturating_sub(2)
    };
    for name in spare {
        if total(&widths, &shown) > width
            && let Some(column) = heading.iter().position(|heading| heading == name)
        {
            shown[column] = false;
        }
    }
    let excess = total(&widths, &shown).saturating_sub(width);
    if let Some(widest) = (0..N).filter(|&column| shown[column]).max_by_key(|&c| widths[c]) {
        widths[widest] = widths[widest].saturating_sub(excess).max(heading[widest].len());
    }
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).zip(shown).filter(|(_, shown)| *shown);
        let cells = cells.map(|((cell, width), _)| format!("{:width$}", cut(cell, width)));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// The cell, with a mark if its end is cut off.
fn cut(cell: &str, width: usize) -> String {
    if cell.chars().count() <= width {
        return cell.to_owned();
    }
    let kept: String = cell.chars().take(width.saturating_sub(CUT.len())).collect();
    kept + CUT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[[&str; 3]]) -> impl Iterator<Item = [String; 3]> {
        rows.iter().map(|row| row.map(str::to_owned)).collect::<Vec<_>>().into_iter()
    }

    const HEADING: [&str; 3] = ["JOB", "POSITION", "BUILD"];
    const ROWS: [[&str; 3]; 2] =
        [["1", "0*14.1a1a.2b2b", "sprig 0.1.0 linux x86_64"], ["12", "!", "-"]];

    #[test]
    fn columns_are_aligned() {
        let expected = "JOB  POSITION        BUILD\n\
                        1    0*14.1a1a.2b2b  sprig 0.1.0 linux x86_64\n\
                        12   !               -\n";
        assert_eq!(within(usize::MAX, HEADING, &["BUILD"], rows(&ROWS)), expected);
    }

    #[test]
    fn a_narrow_terminal_loses_columns_and_then_ends() {
        let expected = "JOB  POSITION\n1    0*14.1a1a.2b2b\n12   !\n";
        assert_eq!(within(25, HEADING, &["BUILD"], rows(&ROWS)), expected);
        let expected = "JOB  POSITION\n1    0*14.1a1..\n12   !\n";
        assert_eq!(within(15, HEADING, &["BUILD"], rows(&ROWS)), expected);
    }

    #[test]
    fn a_cell_gives_the_terminal_no_orders() {
        let evil = ["\x1b]0;mine\x07\x1b[2J", "a\nsprig: job 1 win", "\u{9b}2J"];
        let text = within(usize::MAX, HEADING, &[], rows(&[evil]));
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        assert!(text.contains("\\u{1b}]0;mine"), "{text}");
    }
}
