//! The page of the wire's messages, from the files that define them.

use super::markdown::{code, sentence, table};

/// The files that `proto/build.rs` reads, too.
const FILES: [(&str, &str); 4] = [
    ("clients.proto", include_str!("../../../proto/proto/sprig/v1/clients.proto")),
    ("workers.proto", include_str!("../../../proto/proto/sprig/v1/workers.proto")),
    ("followers.proto", include_str!("../../../proto/proto/sprig/v1/followers.proto")),
    ("game.proto", include_str!("../../../proto/proto/sprig/v1/game.proto")),
];

const INTRO: &str = "\
# Messages

The services and messages of the wire, from `proto/proto/sprig/v1`. [The cluster](../cluster.md) says who says what
when; [roles](roles.md) who may call what; [limits](limits.md) how much a message may hold. What was published stays:
fields are added, never changed.
";

/// A message, an enum or a service.
struct Item {
    kind: &'static str,
    name: String,
    about: String,
    rows: Vec<[String; 3]>,
}

pub fn page() -> String {
    let mut text = INTRO.to_owned();
    for (name, source) in FILES {
        text += &format!("\n## {name}\n");
        for Item { kind, name, about, rows } in items(source) {
            text += &format!("\n### {kind} {name}\n\n");
            if !about.is_empty() {
                text += &format!("{}\n\n", sentence(&about));
            }
            let head = match kind {
                "service" => ["call", "request and reply", "meaning"],
                "enum" => ["value", "number", "meaning"],
                _ => ["field", "type", "meaning"],
            };
            text += &match rows.is_empty() {
                true => "Nothing.\n".to_owned(),
                false => table(head, rows.into_iter()),
            };
        }
    }
    text
}

/// The names of everything that a file defines.
#[cfg(test)]
pub fn names() -> Vec<String> {
    FILES.iter().flat_map(|(_, source)| items(source)).map(|item| item.name).collect()
}

fn items(source: &str) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    // The index of each open item, the innermost last. None stands for a `oneof`.
    let mut open: Vec<Option<usize>> = Vec::new();
    let (mut about, mut choice) = (String::new(), String::new());
    for line in source.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix("//") {
            about = format!("{about} {}", words.trim());
            continue;
        }
        let said = std::mem::take(&mut about);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [kind @ ("message" | "enum" | "service"), name, ..] => {
                let kind = ["message", "enum", "service"].into_iter().find(|k| *k == kind);
                let outer = open.iter().rev().flatten().next();
                let name = name.trim_end_matches("{}");
                let name = match outer.map(|&place| &found[place]) {
                    Some(outer) => format!("{}.{name}", outer.name),
                    None => name.to_owned(),
                };
                found.push(Item {
                    kind: kind.unwrap_or("message"),
                    name,
                    about: said,
                    rows: vec![],
                });
                if !line.ends_with('}') {
                    open.push(Some(found.len() - 1));
                }
            }
            ["oneof", name, ..] => {
                choice = format!("one of `{name}`");
                open.push(None);
            }
            ["}"] => {
                open.pop();
                choice.clear();
            }
            ["reserved", ..]
            | ["option", ..]
            | ["syntax", ..]
            | ["package", ..]
            | ["import", ..] => {}
            _ => {
                let Some(&place) = open.iter().rev().flatten().next() else { continue };
                if let Some(mut row) = row(line, found[place].kind) {
                    let said = [choice.as_str(), said.trim()];
                    let said: Vec<_> = said.into_iter().filter(|part| !part.is_empty()).collect();
                    row[2] = sentence(&said.join(": "));
                    found[place].rows.push(row);
                }
            }
        }
    }
    found
}

/// The row of a field, a value or a call. Its comment is added later.
fn row(line: &str, kind: &str) -> Option<[String; 3]> {
    if kind == "service" {
        let (name, rest) = line.strip_prefix("rpc ")?.split_once('(')?;
        let (request, rest) = rest.split_once(')')?;
        let reply = rest.trim().strip_prefix("returns (")?.split_once(')')?.0;
        return Some([code(name), format!("{request} → {reply}"), String::new()]);
    }
    let (name, number) = line.trim_end_matches(';').split_once(" = ")?;
    let (type_of, name) = name.rsplit_once(' ').unwrap_or(("", name));
    let shown = if kind == "enum" { number.to_owned() } else { type_of.to_owned() };
    Some([code(name), shown, String::new()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_found() {
        let names = names();
        for name in ["Clients", "Submission", "JobOrder.Cancel", "Fact.Nimber", "Game", "OnDisk"] {
            assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
        }
        let calls = FILES.iter().map(|(_, source)| source.matches("  rpc ").count()).sum::<usize>();
        let found = FILES.iter().flat_map(|(_, source)| items(source));
        let services = found.filter(|item| item.kind == "service");
        assert_eq!(services.map(|item| item.rows.len()).sum::<usize>(), calls);
    }
}
