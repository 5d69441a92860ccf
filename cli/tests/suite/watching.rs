//! Long commands that are no search say how far they are, and end with what they know when a person
//! wishes it.
#![cfg(feature = "coordinator")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use crate::common::command;

/// Runs a command with lines of progress until one has a part, interrupts it, and gives that line
/// and what it said last.
fn interrupted(args: &[&str], how: &str, part: &str) -> (String, String) {
    let mut command = command(args);
    command.args(["--progress", how]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("sprig starts");
    let mut lines =
        BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let progress =
        lines.find(|line| line.contains(part)).unwrap_or_else(|| panic!("{args:?}: no {part}"));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let last = lines.last().unwrap_or_default();
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{args:?}: {last}");
    let mut out = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut out).expect("text");
    assert_eq!(out, "", "{args:?}");
    (progress, last)
}

fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
}

#[test]
fn lengths_of_games_are_watched() {
    let args = ["length", "0*5+0*2", "--max-positions", "100000000"];
    let (progress, last) = interrupted(&args, "plain=0", "normal play");
    holds(&progress, &["sprig: 0*2+0*5, normal play: ", " positions looked at, ", "/s"]);
    holds(
        &last,
        &[
            "sprig: interrupted: ",
            " positions looked at; ",
            "shortest game has 14 moves, the longest 19",
        ],
    );
    let (progress, _) = interrupted(&args, "json=0", "\"done\"");
    let line: serde_json::Value = serde_json::from_str(&progress).expect("JSON");
    assert_eq!(
        (&line["position"], &line["counted"]),
        (&"0*2+0*5, all games".into(), &"positions looked at".into())
    );
    assert!(line["done"].as_u64() > Some(0) && line["per_second"].is_u64(), "{line}");
}

#[test]
fn coloured_positions_are_watched() {
    let (progress, last) =
        interrupted(&["antwerp", "6", "--hot"], "plain=0", "positions and lands");
    holds(&progress, &["sprig: 0W*6: ", " positions and lands looked at, ", "/s"]);
    holds(&last, &["interrupted: ", " looked at; who wins `6` is not found yet"]);
}

#[test]
fn quotients_are_watched() {
    let (progress, last) = interrupted(&["quotient", "0*4"], "plain=0", "sums played out");
    holds(&progress, &["sprig: misère quotient of 0*4: ", " sums played out, ", "/s"]);
    holds(&last, &["interrupted: ", " sums played out; ", " classes", "there may be more"]);
}

#[test]
fn crosses_are_watched() {
    let args = ["brussels", "12", "--surface=-3"];
    let (progress, last) = interrupted(&args, "plain=0", "regions and sums");
    let about = "sprig: 12 crosses of 4 arms on a sphere with 3 cross-caps: ";
    holds(&progress, &[about, " regions and sums looked at, ", "/s"]);
    holds(&last, &["interrupted: ", " regions and sums looked at; who wins is not found yet"]);
}

#[test]
fn octal_games_are_watched() {
    let (progress, last) =
        interrupted(&["octal", "0.007", "1000000"], "plain=0", " of 1,000,000 heaps");
    holds(&progress, &["sprig: nimbers of 0.007: ", " of 1,000,000 heaps worked out, ", "/s"]);
    holds(&last, &["interrupted: ", " heaps worked out; no period is proved yet"]);
    let args = ["octal", "0.137", "300+299+298", "--misere"];
    let (progress, last) = interrupted(&args, "plain=0", "lost sums");
    holds(
        &progress,
        &["sprig: 298+299+300 in misère play: ", " heaps and lost sums found, ", "/s"],
    );
    holds(&last, &["interrupted: ", " lost sums found; who wins is not found yet"]);
}

#[test]
fn surfaces_are_watched() {
    let small = ["--handles", "0", "--cross-caps", "1"];
    let args = [&["surfaces", "6", "--trees", "100000000"][..], &small].concat();
    let (progress, last) = interrupted(&args, "plain=0", "canonical trees");
    holds(&progress, &["sprig: canonical trees of 6 spots: ", " lands looked at, ", "/s"]);
    holds(
        &last,
        &["interrupted: ", "2 of 2 surfaces are solved: 0*6 loss, nimber 0; 0*6@-1 loss, nimber 0"],
    );
    // While the second one is searched, the first is known.
    let args = [&["surfaces", "12", "--trees", "0"][..], &small].concat();
    let (progress, last) = interrupted(&args, "plain=0", "2 of 2");
    holds(&progress, &["sprig: 0*12@-1, 2 of 2: "]);
    holds(&last, &["interrupted: 1 of 2 surfaces are solved: 0*12 loss, nimber 0; "]);
}

#[test]
fn random_games_with_cards_are_watched() {
    let (progress, last) =
        interrupted(&["cards", "8", "--games", "1000000"], "plain=0", "1,000,000 games");
    holds(&progress, &["sprig: cards for 8 spots: ", " of 1,000,000 games, ", "/s"]);
    holds(&last, &["interrupted: ", " of 1,000,000 games; they needed ", " rows at most"]);
}
