//! Tables in Markdown.

/// A table. Its cells may hold any character.
pub fn table<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let line = |cells: [String; N]| {
        let cells = cells.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = line(head.map(str::to_owned));
    text += &line(head.map(|_| "---".to_owned()));
    text.extend(rows.map(line));
    text
}

/// The text as code, whatever it holds.
pub fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Prose on one line, with a full stop.
pub fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace('<', "&lt;");
    if text.is_empty() || text.ends_with(['.', ':', '?', '`', ')']) { text } else { text + "." }
}
