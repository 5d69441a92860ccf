//! Tables in Markdown.

use serde_json::Value;

/// A table whose columns of numbers are aligned at their right.
pub(super) fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let is_number = |column: usize| {
        rows.iter().all(|row| {
            let cell = row[column].trim_start_matches(['>', '-', '~', ' ', '*']);
            cell.is_empty() || cell.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    let rules = (0..head.len()).map(|column| if is_number(column) { "--:" } else { "---" });
    let mut text = line(head.iter().map(String::as_str));
    text += &line(rules);
    for row in rows {
        text += &line(row.iter().map(String::as_str));
    }
    text
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cells: Vec<String> = cells.map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A value as a cell: thousands with commas, lists with blanks.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(is) => if *is { "yes" } else { "no" }.to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_u64() {
            Some(number) => commas(number),
            // Seconds and ratios: what a clock knows.
            None => number.as_f64().map_or_else(|| number.to_string(), decimals),
        },
        Value::Array(list) if list.is_empty() => "none".to_owned(),
        Value::Array(list) => list.iter().map(cell).collect::<Vec<_>>().join(" "),
        Value::Object(_) => value.to_string(),
    }
}

fn decimals(number: f64) -> String {
    if number.abs() < 100.0 { format!("{number:.2}") } else { format!("{number:.0}") }
}

pub(super) fn commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_read_well() {
        for (value, text) in [
            (json!(1_234_567), "1,234,567"),
            (json!(999), "999"),
            (json!(1.021), "1.02"),
            (json!(341.4), "341"),
            (json!(null), ""),
            (json!("0.20"), "0.20"),
            (json!([1, 2000]), "1 2,000"),
            (json!([]), "none"),
        ] {
            assert_eq!(cell(&value), text);
        }
    }

    #[test]
    fn numbers_stand_at_the_right() {
        let rows = [["a|b", "1"], ["c", ""]].map(|row| row.map(str::to_owned).to_vec());
        let text = table(&["x".to_owned(), "y".to_owned()], &rows);
        assert_eq!(text, "| x | y |\n| --- | --: |\n| a\\|b | 1 |\n| c |  |\n");
    }
}
