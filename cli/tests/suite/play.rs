//! Games against the program, through a pipe.
#![cfg(feature = "coordinator")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::common::{answer, command, fails, file_in, folder, refuses, sprig_with_input, text};
use serde_json::Value;
use sprig_engine::paper::{Paper, Place, Witness};

/// A person who plays by objects.
struct Person {
    program: Child,
    input: Option<ChildStdin>,
    events: BufReader<ChildStdout>,
}

impl Person {
    fn sit_down(args: &[&str]) -> Self {
        // Time enough on any machine.
        let mut command = command(&[&["play", "--json", "--seconds", "60"], args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut program = command.spawn().expect("sprig starts");
        let input = program.stdin.take();
        let events = BufReader::new(program.stdout.take().expect("a pipe"));
        let mut person = Self { program, input, events };
        assert_eq!(person.hear()["event"], "start");
        person
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.events.read_line(&mut line).expect("it speaks");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next event of this kind.
    fn hear_of(&mut self, kind: &str) -> Value {
        loop {
            let event = self.hear();
            if event["event"] == kind {
                return event;
            }
            assert_ne!(event["event"], "end", "{event}");
        }
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the game goes on");
        writeln!(input, "{line}").expect("it listens");
    }

    /// Plays by hints until the end; gives the last event.
    fn follow_hints(&mut self) -> Value {
        loop {
            let event = self.hear();
            match event["event"].as_str() {
                Some("turn") => self.say("h"),
                Some("hint") => {
                    let said = event["move"].as_str().expect("a text").to_owned();
                    // Words may mean several moves; the number never does.
                    let number = event["number"].to_string();
                    self.say(if said.contains("around") { &number } else { &said });
                }
                Some("refused") => panic!("{event}"),
                Some("end") => return event,
                _ => {}
            }
        }
    }

    fn leave(mut self) {
        self.input = None;
        assert!(self.program.wait().expect("it ends").success());
    }
}

/// The winner of a game by hints.
fn winner(args: &[&str]) -> String {
    let mut person = Person::sit_down(args);
    let end = person.follow_hints();
    person.leave();
    end["winner"].as_str().expect("a winner").to_owned()
}

#[test]
fn who_has_won_wins() {
    // Normal play: 3 to 5 spots are won by who begins. Misère play: 5 are, 3 and 4 are not.
    assert_eq!(winner(&["4"]), "person");
    assert_eq!(winner(&["3", "--second"]), "sprig");
    assert_eq!(winner(&["5", "--misere"]), "person");
    assert_eq!(winner(&["4", "--misere"]), "sprig");
    assert_eq!(winner(&["AB.0|AB.0", "--misere", "--second"]), {
        let outcome = answer(&["solve", "AB.0|AB.0", "--misere"]);
        if outcome.contains("win for") { "sprig" } else { "person" }
    });
}

#[test]
fn a_game_without_moves_is_over_before_it_begins() {
    for (args, end) in [
        (&["play", "!"][..], "who is to move has lost. So I win."),
        (&["play", "!", "--second"], "who is to move has lost. So you win."),
        (&["play", "!", "--misere"], "who is to move has won. So you win."),
    ] {
        let said = answer(args);
        assert!(said.contains("over before it begins") && said.contains(end), "{said}");
    }
}

#[test]
fn the_record_is_the_game() {
    let folder = folder();
    let file = text(folder.path().join("game.jsonl"));
    assert_eq!(winner(&["5", "--record", &file]), "person");
    let lines = std::fs::read_to_string(&file).expect("a record");
    let lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let [head, moves @ .., end] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((&head["record"], &head["position"]), (&"sprig-game-1".into(), &"0*5".into()));
    assert_eq!(
        (end["moves"].as_u64(), &end["winner"]),
        (Some(moves.len() as u64), &"person".into())
    );
    let mut paper = Paper::of(&"0*5".parse().expect("a position"));
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    for (played, by) in moves.iter().zip(["person", "sprig"].into_iter().cycle()) {
        assert_eq!(played["by"], by);
        let regions: Vec<Vec<Vec<u32>>> =
            serde_json::from_value(played["regions"].clone()).expect("numbers");
        assert!(paper.regions().eq(regions.iter().map(|boundaries| &boundaries[..])));
        assert_eq!(played["before"], paper.position().to_string());
        assert_eq!(played["new"], paper.next_number());
        let curve = &played["witness"];
        let place =
            |end: &str| Place { boundary: number(&curve[end][0]), spot: number(&curve[end][1]) };
        let along = curve["along"].as_array().expect("a list").iter().map(number).collect();
        let ends = [place("from"), place("to")];
        let witness = Witness::plain(number(&curve["region"]), ends, along);
        paper = paper.play(&witness).expect("legal");
        assert_eq!(played["after"], paper.position().to_string());
    }
    assert_eq!(paper.position().to_string(), "!");
    // What is there is never touched.
    refuses(&["play", "3", "--record", &file], &["is there already"]);
    fails(&["play", "3", "--record", &text(folder.path().join("no/where"))], &["cannot write"]);
}

#[test]
fn levels_err_as_they_say() {
    for seed in ["1", "2", "3"] {
        let mut person = Person::sit_down(&["4", "--second", "--level", "0", "--seed", seed]);
        let first = person.hear_of("move");
        assert_eq!(
            (&first["by"], &first["opinion"]),
            (&"sprig".into(), &"loses".into()),
            "{first}"
        );
        // So the person has won, and knows how.
        assert_eq!(person.follow_hints()["winner"], "person");
        person.leave();
    }
    let mut person = Person::sit_down(&["4", "--second"]);
    assert_eq!(person.hear_of("move")["opinion"], "wins");
    person.leave();
    refuses(&["play", "4", "--level", "11"], &["11"]);
    let said = sprig_with_input(&["play", "3", "--level", "7", "--seed", "5"], "q\n");
    assert!(said.out.contains("in 3 of 10 moves (seed 5)"), "{}", said.out);
}

#[test]
fn nothing_that_is_said_is_lost_or_ends_the_game() {
    let mut person = Person::sit_down(&["0*4"]);
    person.hear_of("turn");
    for (said, part) in [
        ("1-9", "no living spot 9"),
        ("1-2 around 3", "no curve from 1 to 2"),
        ("-", "neither a command nor a move"),
        ("999", "there are"),
        ("0*3", "no move leads to"),
        ("\u{1b}[2J", "neither"),
        ("u", "no move of yours"),
    ] {
        person.say(said);
        let refused = person.hear();
        assert_eq!(refused["event"], "refused", "{said}: {refused}");
        let message = refused["message"].as_str().expect("a text");
        assert!(message.contains(part) && !message.contains('\u{1b}'), "{said}: {message}");
    }
    // A move, the answer, and both taken back.
    person.say("1-2");
    let turn = person.hear_of("turn");
    assert_ne!(turn["position"], "0*4");
    person.say("u");
    assert_eq!(person.hear()["moves"], 2);
    assert_eq!(person.hear()["position"], "0*4");
    // The list has a number for each move, and values if they are asked for.
    person.say("v");
    let listed = person.hear();
    let moves = listed["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), answer(&["children", "0*4"]).lines().count());
    assert!(moves.iter().any(|found| found["value"] == "wins"), "{listed}");
    person.say("m");
    assert!(person.hear()["moves"][0]["value"].is_null());
    person.say("r");
    let end = person.hear_of("end");
    assert_eq!((&end["winner"], &end["resigned"]), (&"sprig".into(), &true.into()));
    person.leave();
}

#[test]
fn people_are_told_in_words() {
    let said = sprig_with_input(&["play", "2"], "?\n1-2\nm\nh\n\n");
    assert_eq!(said.code, Some(0), "{}", said.err);
    for part in [
        "who cannot move loses",
        "region 1:  1  2",
        "1. You: 1-2, new spot 3",
        "2. I: ",
        "left open",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    // A number of spots is meant, whatever else notation makes of it.
    for (spots, position) in [("1", "0"), ("2", "0*2"), ("12", "0*12")] {
        let said = sprig_with_input(&["play", spots], "q\n");
        assert!(said.out.starts_with(&format!("{position}: ")), "{spots}: {}", said.out);
        assert_eq!(said.err, "");
    }
    refuses(&["play", "107"], &["too many spots"]);
    refuses(&["play", "0"], &["no spots"]);
    let said = sprig_with_input(&["play", "2"], b"\xff\xfe\n1-2\n");
    assert!(
        said.out.contains("neither a command") && said.out.contains("You: 1-2"),
        "{}",
        said.out
    );
    refuses(&["play", "0*2.A"], &["column 5"]);
    let folder = folder();
    let empty = file_in(&folder, "empty", "");
    fails(&["play", "3", "--db", &empty], &["empty"]);
}

#[test]
fn it_says_where_it_does_not_know() {
    let said = sprig_with_input(&["play", "60", "--second"], "");
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("I do not know who wins here"), "{}", said.out);
    // Misère play of 18 spots is a loss, which nobody finds in a second.
    let said = sprig_with_input(&["play", "18", "--misere", "--second"], "");
    assert!(said.out.contains("I do not know who wins here"), "{}", said.out);
}

/// The one record in a file, replayed strictly.
fn replayed(file: &str) -> Value {
    let said = sprig_with_input(&["replay", file, "--strict", "--json"], "");
    assert_eq!(said.code, Some(0), "{}", said.err);
    serde_json::from_str(said.out.lines().next().expect("a game")).expect("JSON")
}

#[test]
fn games_are_kept_as_records_that_replay_reads() {
    let folder = folder();
    let file = text(folder.path().join("game.txt"));
    for (args, winner, first) in [(&["5"][..], 1, "Person"), (&["3", "--second"], 1, "Sprig")] {
        let args = [args, &["--record", &file]].concat();
        self::winner(&args);
        let game = replayed(&file);
        assert_eq!((&game["over"], &game["winner"]), (&true.into(), &winner.into()), "{game}");
        assert_eq!((&game["claim"], &game["players"][0]["name"]), (&"right".into(), &first.into()));
        std::fs::remove_file(&file).expect("it is there");
    }
    // Every move is a line of its own here; taking back and resigning are in it.
    let said = sprig_with_input(&["play", "4", "--record", &file], "1-2\nu\n3-3 around 4\nr\n");
    assert_eq!(said.code, Some(0), "{}", said.err);
    let game = replayed(&file);
    let moves = game["moves"].as_array().expect("a list");
    assert_eq!((&moves[0]["move"], moves.len()), (&"3(5)3[4]".into(), 2));
    assert_eq!((&game["claimed"], &game["over"]), (&2.into(), &false.into()));
    let other = text(folder.path().join("other.txt"));
    refuses(&["play", "0*2.AB|AB", "--record", &other], &["fresh spots", ".jsonl"]);
    assert!(!std::path::Path::new(&other).exists());
}

#[test]
fn games_against_a_proof_are_kept_too() {
    let folder = folder();
    let file = text(folder.path().join("game.txt"));
    for (spots, misere, certificate) in
        [("5", false, "certificates/normal/5.cert"), ("5", true, "certificates/misere/5.cert")]
    {
        let certificate = text(crate::common::root().join(certificate));
        let args =
            ["play-out", spots, "--certificate", &certificate, "--interactive", "--record", &file];
        let args = [&args[..], if misere { &["--misere"] } else { &[] }].concat();
        // The first move, whatever it is, until the game is over.
        let said = sprig_with_input(&args, "1\n".repeat(20));
        assert_eq!(said.code, Some(0), "{}", said.err);
        let game = replayed(&file);
        assert_eq!((&game["over"], &game["claim"]), (&true.into(), &"right".into()), "{game}");
        assert_eq!((&game["winner"], &game["players"][0]["name"]), (&1.into(), &"Sprig".into()));
        refuses(&args, &["is there already"]);
        std::fs::remove_file(&file).expect("it is there");
    }
    let certificate = text(crate::common::root().join("certificates/normal/5.cert"));
    refuses(
        &["play-out", "5", "--certificate", &certificate, "--record", &file],
        &["--interactive"],
    );
}

const BLACK_AND_WHITE: [&str; 2] = ["--variant", "black-and-white"];

#[test]
fn the_new_spot_may_be_left_out_of_black_and_white_alone() {
    // Nimbers 1 and 0: three spots are won by who begins, four by the other.
    for (spots, who) in [("3", "person"), ("4", "sprig")] {
        assert_eq!(winner(&[&[spots][..], &BLACK_AND_WHITE].concat()), who, "{spots} spots");
    }
    assert_eq!(winner(&[&["4", "--misere"][..], &BLACK_AND_WHITE].concat()), "sprig");
    let folder = folder();
    let file = text(folder.path().join("game.jsonl"));
    let args = ["play", "3", "--record", &file];
    let said = sprig_with_input(
        &[&args[..], &BLACK_AND_WHITE].concat(),
        "1-2, without a spot\n3-3 around 1, 2, without a spot\n",
    );
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("You: 1-2, without a spot"), "{}", said.out);
    let kept = std::fs::read_to_string(&file).expect("a record");
    let mut lines = kept.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    assert_eq!(lines.next().expect("a head")["game"], "black-and-white");
    let made = lines.next().expect("a move");
    assert_eq!((&made["new"], &made["witness"]["without_spot"]), (&Value::Null, &true.into()));
    let said = sprig_with_input(&["play", "3"], "1-2, without a spot\n");
    assert!(said.out.contains("--variant black-and-white is the game without"), "{}", said.out);
    let text_file = text(folder.path().join("game.txt"));
    let args = ["play", "3", "--record", &text_file];
    refuses(&[&args[..], &BLACK_AND_WHITE].concat(), &["knows no black-and-white", ".jsonl"]);
    refuses(&[&["play", "0*2@1"][..], &BLACK_AND_WHITE].concat(), &["sphere alone"]);
}
