//! Pousse in the browser: every move with its value, games against the solver, records that are
//! judged.

use std::collections::BTreeMap;

use crate::common::Server;
use sprig_gateway::Limits;
use sprig_pousse::{Analyst, Board, Configuration, Game, Insertion, Plain, Player, Repeat, Solver};

fn start(size: usize) -> Game {
    let start = Configuration { board: Board::empty(size), to_move: Player::X };
    Game::new(start, Repeat::Player)
}

/// The links of a page that begin in some way, as addresses.
fn links(page: &str, begins: &str) -> Vec<String> {
    let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    links.map(|link| link.replace("&amp;", "&")).filter(|link| link.starts_with(begins)).collect()
}

/// What a page has that shows a table of moves.
const TABLE: &str = "aria-label=\"Moves\"";

/// The rows of the table of moves: move, value, how.
fn valued(page: &str) -> BTreeMap<String, (String, String)> {
    let (_, table) = page.split_once(TABLE).expect("a table of moves");
    let rows = table.split("<tr><td>").skip(1).map(|row| {
        let cells: Vec<String> = row.split("</td>").take(3).map(text).collect();
        (cells[0].clone(), (cells[1].clone(), cells[2].clone()))
    });
    rows.collect()
}

/// What stands between the tags.
fn text(markup: &str) -> String {
    markup.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect()
}

#[test]
fn every_move_has_the_value_of_the_solver() {
    let server = Server::start(Limits::default());
    for (size, moves) in [(1, ""), (2, "T1"), (3, ""), (3, "L1 T2 B3 R1"), (4, "L1.T2,B3 r1")] {
        let path = format!("/pousse?size={size}&moves={}", moves.replace(' ', "+"));
        // On a busy machine the values of a 4 x 4 board take more than one visit; they are worked out meanwhile.
        let mut visits = (0..10).map(|_| server.get(&path));
        let said = visits.find(|said| said.status != 200 || said.body.contains(TABLE));
        let said = said.expect("the values are there at last");
        assert_eq!(said.status, 200, "{path}: {}", said.body);
        let mut game = start(size);
        for word in moves.split([' ', '.', ',']).filter(|word| !word.is_empty()) {
            game.play(Insertion::read(word, size).expect("a move"));
        }
        let plain = Plain::new(size);
        let mut analyst = Analyst { solver: Solver::new(size, Repeat::Player), plain };
        let found = valued(&said.body);
        assert_eq!(found.len(), 4 * size, "{path}");
        for choice in analyst.choices(&game) {
            let (value, how) = &found[&choice.insertion.to_string()];
            assert_eq!(
                value,
                if choice.wins { "win" } else { "loss" },
                "{path}: {}",
                choice.insertion
            );
            let told = match (choice.after.ending(), choice.plies()) {
                (Some(_), _) => "at once".to_owned(),
                (None, Some(plies)) => format!("in {plies} moves"),
                (None, None) => "only by repetition".to_owned(),
            };
            assert_eq!(how, &told, "{path}: {}", choice.insertion);
        }
        // Each can be made in the table, and at its end of the board.
        let on = links(&said.body, &path_with_more(size, &game_words(moves)));
        assert_eq!(on.len(), 8 * size, "{path}: {on:?}");
    }
}

fn game_words(moves: &str) -> String {
    let words = moves.split([' ', '.', ',']).filter(|word| !word.is_empty());
    words.map(str::to_ascii_uppercase).collect::<Vec<_>>().join(".")
}

/// How addresses begin that go on from these moves.
fn path_with_more(size: usize, words: &str) -> String {
    let dot = if words.is_empty() { "" } else { "." };
    format!("/pousse?size={size}&side=both&moves={words}{dot}")
}

#[test]
fn sprig_never_gives_a_won_game_away() {
    let server = Server::start(Limits::default());
    let mut dice = fastrand::Rng::with_seed(4);
    // X wins every board; the visitor plays O at random.
    for game in 0..12 {
        let mut path = format!("/pousse?size={}&side=o", 2 + game % 2);
        loop {
            let said = server.get(&path);
            if said.status == 303 {
                path = said.location().expect("Sprig moves").to_owned();
                continue;
            }
            assert_eq!(said.status, 200, "{path}: {}", said.body);
            assert!(!said.body.contains("You have won"), "{path}");
            if said.body.contains("Sprig has won.") {
                let record = links(&said.body, "/pousse/record?").remove(0);
                assert!(server.get(&record).body.contains("X wins: "), "{record}");
                break;
            }
            assert!(said.body.contains("You are O. Your move."), "{path}");
            assert!(!said.body.contains("badge win"), "values are shown to who wants them: {path}");
            assert!(said.body.contains("Show values"), "{path}");
            // Before the visitor's first move there is nothing to take back.
            let made = path.matches('.').count();
            assert_eq!(said.body.contains("Take back"), made > 0, "{path}");
            let moves = links(&said.body, &format!("{path}."));
            path = moves[dice.usize(..moves.len())].clone();
        }
    }
    let shown = server.get("/pousse?size=2&side=x&hints=on&moves=").body;
    assert!(shown.contains("You can win from here") && shown.contains("badge win"), "{shown}");
    let begin = server.get("/pousse").body;
    assert!(begin.contains("<h1>Pousse</h1>") && begin.contains("You play"), "{begin}");
    assert!(server.get("/").body.contains("href=\"/pousse\""), "the first page leads there");
}

#[test]
fn a_bad_game_is_refused_with_its_place() {
    let server = Server::start(Limits::default());
    for (query, parts) in [
        ("size=5", &["`size`", "from 1 to 4"][..]),
        ("size=0", &["`size`", "from 1 to 4"]),
        ("size=x", &["`size`", "from 1 to 4"]),
        ("size=3&side=y", &["`side`", "both, x, o"]),
        ("size=3&colour=x", &["`colour`", "size, side, moves, hints"]),
        ("size=3&moves=L1+T4", &["move 2: ", "`T4`", "names line 4", "write moves"]),
        ("size=3&moves=L1+X1", &["move 2: ", "`X1`", "is no move"]),
        ("size=3&moves=%3Cb%3E", &["move 1: ", "&lt;b&gt;"]),
        (
            "size=2&moves=T1.B2.L2.R1",
            &["move 4: ", "`R1`", "after the end: X wins: straights 1:0", "take it"],
        ),
    ] {
        let said = server.get(&format!("/pousse?{query}"));
        assert_eq!(said.status, 400, "{query}: {}", said.body);
        let seen = said.body.replace("<code>", "`").replace("</code>", "`");
        for part in parts {
            assert!(seen.contains(part), "{query}: no {part} in {seen}");
        }
    }
    // As many moves as fit into an address and no more than a game has here.
    let mut words = vec!["T1"; 401];
    words.iter_mut().skip(1).step_by(2).for_each(|word| *word = "B1");
    let said = server.get(&format!("/pousse?size=3&moves={}", words.join(".")));
    assert_eq!(said.status, 400, "{}", said.body);
}

#[test]
fn records_are_judged_with_place_and_remedy() {
    let server = Server::start(Limits::default());
    let ask = |record: &str, more: &str| {
        let record = record
            .replace('\n', "%0D%0A")
            .replace(' ', "+")
            .replace('<', "%3C")
            .replace('>', "%3E");
        server.get(&format!("/pousse/record?record={record}{more}"))
    };
    let form = server.get("/pousse/record").body;
    assert!(form.contains("<textarea") && form.contains("Judge"), "{form}");
    for (record, more, part) in [
        ("2\nT1\nB2\nL2\nQUIT\n", "", "X wins: straights 1:0."),
        ("3 B3 B3 T3 L2 B1 L1 B1 T1 QUIT", "", "X wins: repetition by O."),
        ("4 L1", "", "Unfinished: O is to move."),
        ("100 L1 L1", "", "Unfinished: X is to move."),
        ("1 L1", "&repeat=board", "X wins: straights 2:0."),
    ] {
        let said = ask(record, more);
        assert!(said.status == 200 && said.body.contains(part), "{record}: {}", said.body);
        let leads_on = !links(&said.body, "/pousse?size=").is_empty();
        assert_eq!(leads_on, !record.starts_with("100") && more.is_empty(), "{record}");
    }
    for (record, place, part) in [
        ("4\nL1\nL5", "Line 3, column 1", "`L5` names line 5"),
        ("4 L1 X1", "Line 1, column 6", "`X1` is no move"),
        ("", "Line 1, column 1", "begins with the size of its board"),
        ("101", "Line 1, column 1", "begins with the size of its board"),
        ("2 T1 B2 L2 R1", "Line 1, column 12", "comes after the end"),
        ("2 QUIT T1", "Line 1, column 8", "comes after QUIT"),
        ("4 <script>", "Line 1, column 3", "`&lt;script>`"),
    ] {
        let said = ask(record, "");
        assert_eq!(said.status, 400, "{record}: {}", said.body);
        let seen = said.body.replace("&gt;", ">").replace("<code>", "`").replace("</code>", "`");
        for part in [place, part, "What to do: ", "<textarea"] {
            assert!(seen.contains(part), "{record}: no {part} in {seen}");
        }
        assert!(!said.body.contains("<script>"), "{record}");
        // What was pasted is still there, to be mended.
        let kept = record.replace('<', "&lt;").replace('>', "&gt;");
        assert!(said.body.replace('\r', "").contains(&kept), "{record}: {}", said.body);
    }
    let long = ask(&"L1 ".repeat(2_000), "");
    assert!(long.status == 414 && long.body.contains("sprig pousse judge"), "{}", long.body);
}
