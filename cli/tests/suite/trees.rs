//! `rct`, `rct-base`, `tree-counts` and `merge`: trees of misère play, with real databases.
#![cfg(feature = "coordinator")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

use crate::common::{
    answer, command, fails, file_in, folder, json, refuses, root, rows, sprig_with_input, text,
};
use sprig_domain::TreeKey;
use sprig_engine::CanonicalPosition;
use sprig_store::{Batch, Contribution, Fact, Kind, Provenance, Source, Status, UnixMillis};

/// A set written as nested sets, options sorted and Nim-heaps written out, so that equal sets are equal texts.
fn expanded(nested: &str) -> String {
    let (set, rest) = expand(nested);
    assert_eq!(rest, "", "`{nested}` goes on after its end");
    set
}

fn expand(text: &str) -> (String, &str) {
    let Some(mut rest) = text.strip_prefix('{') else {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let mut smaller = Vec::new();
        for _ in 0..text[..end].parse().expect("a number") {
            smaller.push(format!("{{{}}}", smaller.concat()));
        }
        return (format!("{{{}}}", smaller.concat()), &text[end..]);
    };
    let mut options = BTreeSet::new();
    while !rest.starts_with('}') {
        let (option, after) = expand(rest.trim_start_matches(';'));
        options.insert((option.len(), option));
        rest = after;
    }
    let options: Vec<String> = options.into_iter().map(|(_, option)| option).collect();
    (format!("{{{}}}", options.concat()), &rest[1..])
}

/// Asks for the trees of a table: position, outcome, nested sets or nothing.
fn check_reference(path: &Path) {
    let folder = folder();
    let rows = rows(path);
    let affordable = |row: &&Vec<String>| !["0*7", "0*9", "0*11", "0*12"].contains(&&*row[0]);
    let rows: Vec<_> = rows.iter().filter(affordable).collect();
    let positions: Vec<_> = rows.iter().map(|row| row[0].as_str()).collect();
    let file = file_in(&folder, "positions.txt", positions.join("\n"));
    let db = text(folder.path().join("db"));
    let lines = answer(&["rct", "--file", &file, "--db", &db]);
    let objects = answer(&["rct", "--file", &file, "--db", &db, "--json"]);
    assert_eq!((lines.lines().count(), objects.lines().count()), (rows.len(), rows.len()));
    for ((row, line), object) in rows.iter().zip(lines.lines()).zip(objects.lines()) {
        let object: serde_json::Value = serde_json::from_str(object).expect("JSON");
        let outcome = if row[1] == "W" { "win" } else { "loss" };
        assert_eq!(object["outcome"], outcome, "{object}");
        let (position, tree) = line.split_once('\t').expect("two columns");
        assert_eq!(position, row[0]);
        let known = row.get(2).filter(|known| !known.is_empty());
        if let Some(known) = known {
            assert_eq!(expanded(tree), expanded(known), "{line}");
        }
    }
}

#[test]
fn trees_are_those_of_the_reference() {
    check_reference(&root().join("testdata/misere.tsv"));
}

#[test]
fn a_tree_is_printed_with_what_it_is_worth() {
    let out = answer(&["rct", "0*4"]);
    for part in ["{3;{1;2;{3;{2}}}}", "c2975571b6d1123552ecb5dd74db9f9a", "loss", "6"] {
        assert!(out.contains(part), "{out}");
    }
    let tree = json(&["rct", "0*2.A|2A", "--json"]);
    assert_eq!(tree["rct"], "{3;{2}}");
    assert_eq!((&tree["factor"], &tree["height"]), (&true.into(), &4.into()));
    assert_eq!(json(&["rct", "22", "--json"])["heap"], 1);
    assert_eq!(json(&["rct", "!", "--json"])["rct"], "0");
}

/// Every option of every tree of the graph is in it, and the outcomes that follow from it are the ones that are said.
#[test]
fn json_gives_the_whole_tree_as_a_graph() {
    fn wins(graph: &serde_json::Value, key: &str) -> bool {
        let options = graph[key].as_array().expect("every tree is there");
        options.is_empty()
            || options.iter().any(|option| !wins(graph, option.as_str().expect("a key")))
    }
    for position in ["0*4", "0*4.2", "0*3.2", "ABC|ABD|CE|DE", "0*2+0*2.A|2A"] {
        let tree = json(&["rct", position, "--json"]);
        let key = tree["key"].as_str().expect("a key");
        let outcome = if wins(&tree["trees"], key) { "win" } else { "loss" };
        assert_eq!(tree["outcome"], outcome, "{tree}");
    }
}

#[test]
fn long_trees_are_named_by_their_keys() {
    let key = "c2975571b6d1123552ecb5dd74db9f9a";
    let said = sprig_with_input(&["rct", "--file", "-", "--max-chars", "10"], "0*4\n0*3\n");
    assert_eq!(said.out, format!("0*4\t{key}\n0*3\t1\n"));
    assert_eq!(json(&["rct", "0*5", "--json"])["rct"], serde_json::Value::Null);
}

#[test]
fn what_cannot_be_afforded_is_refused_with_an_estimate() {
    fails(&["rct", "0*9"], &["position `0*9`", "lands", "--max-lands", "rct-base"]);
    fails(&["rct", "0*5", "--max-lands", "1000"], &["about 1e4 lands", "more than 1000"]);
    fails(&["rct", "0*5+0*5+0*5"], &["sum", "--max-lands"]);
    fails(&["rct", "0*3", "--db", "/dev/null"], &["/dev/null"]);
    refuses(&["rct", "0*3.A"], &["position `0*3.A`"]);
}

#[test]
fn game_trees_have_their_published_sizes() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    let published = [("0*2", 18, 10, 5), ("0*3", 145, 55, 7), ("0*4", 1495, 713, 35)];
    for (position, positions, canonical, rcts) in published {
        let counts = json(&["tree-counts", position, "--json", "--db", &db]);
        assert_eq!(counts["positions"], positions);
        assert_eq!(counts["canonical_trees"], canonical);
        assert_eq!(counts["rcts"], rcts);
    }
    assert_eq!(json(&["tree-counts", "1abcde2edcba.2", "--json"])["canonical_trees"], 478);
    // What it found by visiting all positions is what a base finds by adding trees.
    let built = json(&["rct-base", "0*4", "--json", "--db", &db]);
    assert_eq!(built["new_facts"], 0, "{built}");
    assert_eq!(built["lands"], 1188);
}

/// Everything in a database about trees and lands, sorted, whoever found it and when.
fn content(folder: &str) -> Vec<Fact> {
    let store = crate::common::store(folder);
    let kinds = [Kind::Tree, Kind::Rct].into_iter();
    kinds
        .flat_map(|kind| store.facts(kind).map(|f| f.expect("readable").fact).collect::<Vec<_>>())
        .collect()
}

#[test]
fn a_base_is_kept_and_gone_on_from() {
    let folder = folder();
    let [db, other] = ["db", "other"].map(|name| text(folder.path().join(name)));
    let first = json(&["rct-base", "0*4", "--db", &db, "--json"]);
    assert_eq!((&first["lands"], &first["outcome"]), (&1188.into(), &"loss".into()));
    let again = json(&["rct-base", "0*4", "--db", &db, "--json"]);
    assert_eq!(again["new_facts"], 0);
    json(&["rct-base", "0*5", "--db", &db, "--json"]);
    json(&["rct-base", "0*5", "--db", &other, "--threads", "2", "--json"]);
    assert!(content(&db) == content(&other), "in two steps as in one");
    assert_eq!(
        json(&["rct", "0*5", "--db", &db, "--json"])["key"],
        "fe7dbbf9ea2bfc8725c3cbc64cfd745c"
    );
}

#[test]
fn a_base_that_outgrows_its_memory_keeps_what_it_found() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    let args = ["rct-base", "0*6", "--db", &db, "--threads", "1", "--memory", "37M"];
    fails(&args, &["--memory", "position `0*6`"]);
    let kept = content(&db).len();
    assert!(kept > 1000, "{kept}");
    let built = json(&["rct-base", "0*6", "--db", &db, "--json"]);
    assert_eq!(built["lands"], 171_942);
    assert_eq!(
        built["new_facts"].as_u64().map(|new| new as usize + kept),
        Some(content(&db).len())
    );
}

/// Killed at any moment, again and again, a base is what it would have been.
#[test]
fn a_killed_base_goes_on() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    let args = ["rct-base", "0*6", "--db", &db, "--threads", "1"];
    // Facts are kept in batches, and a kill may strike before the first is written as a whole.
    let mut kept = 0;
    for written in (1..).map(|times| times * 200_000) {
        if kept > 4000 {
            break;
        }
        let mut child = command(&args).stdout(Stdio::null()).spawn().expect("sprig starts");
        let grown = || {
            let files = std::fs::read_dir(&db).into_iter().flatten().flatten();
            files.filter_map(|file| file.metadata().ok()).any(|file| file.len() > written)
        };
        while !grown() {
            assert_eq!(child.try_wait().expect("a process"), None, "it ended before it was killed");
            std::thread::yield_now();
        }
        child.kill().expect("killed");
        child.wait().expect("gone");
        kept = content(&db).len();
    }
    let built = json(&["rct-base", "0*6", "--db", &db, "--json"]);
    assert_eq!((&built["lands"], &built["trees"]), (&171_942.into(), &24_593.into()));
    assert_eq!(built["new_facts"], 171_942 + 24_593 - kept);
}

#[test]
fn bases_computed_apart_merge_into_what_one_run_finds() {
    let folder = folder();
    let [left, right, both] = ["left", "right", "both"].map(|name| text(folder.path().join(name)));
    answer(&["rct-base", "0*3.AB|0.AB", "--db", &left]);
    answer(&["rct-base", "1abcde2edcba.2", "--db", &right]);
    answer(&["solve", "0*5", "--db", &right]);
    answer(&["rct-base", "1abcde2edcba.2", "--db", &both]);
    answer(&["rct-base", "0*3.AB|0.AB", "--db", &both]);
    let merged = json(&["merge", &left, &right, "--json"]);
    assert!(merged["trees"].as_u64() > Some(0) && merged["rcts"].as_u64() > Some(0), "{merged}");
    assert!(merged["nimbers"].as_u64() > Some(0) && merged["known"].as_u64() > Some(0), "{merged}");
    assert!(content(&left) == content(&both));
    assert_eq!(json(&["query", "0*5", "--db", &left, "--json"])["outcome"], "win");
    // A second time there is nothing new, and who found what is not forgotten.
    let again = json(&["merge", &left, &right, "--json"]);
    assert_eq!(again["trees"].as_u64().zip(again["rcts"].as_u64()), Some((0, 0)));
    let [a, b] = [&left, &right].map(crate::common::store);
    for fact in b.facts(Kind::Nimber).map(|stored| stored.expect("readable").fact) {
        let [a, b] =
            [&a, &b].map(|db| db.provenance(fact.kind(), &fact.subject).expect("readable"));
        assert_eq!(a.expect("merged").source, b.expect("there").source);
    }
}

#[test]
fn a_database_is_not_merged_into_itself_and_a_mistake_makes_none() {
    let folder = folder();
    let [db, absent] = ["db", "absent"].map(|name| text(folder.path().join(name)));
    answer(&["rct-base", "0*1", "--db", &db]);
    fails(&["merge", &db, &db], &["into itself"]);
    fails(&["merge", &absent, &text(folder.path().join("nothing"))], &["there is no database"]);
    refuses(&["rct", "0*3.A", "--db", &absent], &["position `0*3.A`"]);
    assert!(!Path::new(&absent).exists());
}

/// A database with facts that nobody checked.
fn forge(folder: &str, facts: Vec<Fact>) {
    let store = crate::common::store(folder);
    let source = Source { worker: "eve".into(), build: "none".into() };
    let provenance = Provenance { source, job: None, time: UnixMillis(0) };
    let contributions = vec![Contribution { provenance, facts, exclusions: vec![] }];
    store.commit(&Batch { contributions, ..Batch::default() }).expect("its form is right");
}

fn land(text: &str) -> Vec<u8> {
    let position = text.parse().expect("a position");
    CanonicalPosition::of(&position).lands()[0].key().to_vec()
}

fn key(position: &str) -> TreeKey {
    let tree = json(&["rct", position, "--json"]);
    let digits = tree["key"].as_str().expect("a key");
    TreeKey::from_bytes(u128::from_str_radix(digits, 16).expect("hexadecimal").to_be_bytes())
}

#[test]
fn forged_facts_stay_claims_or_stop_the_merge() {
    let folder = folder();
    let good = text(folder.path().join("good"));
    answer(&["rct-base", "0*3", "--db", &good]);
    let before = content(&good);
    let unknown = TreeKey::from_bytes([2; 16]);
    // A true tree at the wrong land; a tree that is not stored; options that make a key, but no reduced tree: {0; 2} is 1;
    // options that are not known.
    for (name, fact, refuted) in [
        ("wrong", Fact::rct(&land("0*4"), key("0*2")), 0),
        ("absent", Fact::rct(&land("0*4"), unknown), 0),
        ("reducible", tree_of([key("!"), key("0.AB|AB")]), 1),
        ("orphan", tree_of([unknown]), 0),
    ] {
        let [into, forged] =
            ["into", "from"].map(|end| text(folder.path().join(name.to_owned() + end)));
        answer(&["merge", &into, &good]);
        forge(&forged, vec![fact]);
        let merged = json(&["merge", &into, &forged, "--json"]);
        assert_eq!(
            (&merged["claimed"], &merged["refuted"]),
            (&1.into(), &refuted.into()),
            "{name}"
        );
        let mut verified = content(&into);
        verified.retain(|fact| fact.status == Status::Verified);
        assert!(verified == before, "{name}");
    }

    // At a land that is known, or in bytes that are no land and no node, a look is enough.
    for (name, fact, says) in [
        ("known", Fact::rct(&land("0*3"), key("0*1")), "land `0*3`"),
        ("no land", Fact::rct(b"\xff", TreeKey::ZERO), "no land"),
        ("no node", Fact::loss(b"\xff"), "node"),
    ] {
        let db = text(folder.path().join(name));
        forge(&db, vec![fact]);
        fails(&["merge", &good, &db, "--trust"], &[says, "is not merged"]);
    }
    assert!(content(&good) == before, "nothing false came in");
}

/// These options with the key that they make.
fn tree_of<const N: usize>(mut options: [TreeKey; N]) -> Fact {
    options.sort_unstable();
    Fact::tree(TreeKey::of_sorted(&options), options)
}

#[test]
fn what_is_counted_can_be_listed() {
    let list = |args: &[&str]| {
        let found = json(&[&["tree-counts"], args, &["--json"]].concat());
        found["list"].as_array().expect("a list").clone()
    };
    // Section 2.9 of the paper: two positions of the game of 3 spots are no Nim-heaps.
    let wild = list(&["0*3", "--list", "non-heaps"]);
    let wild: Vec<_> = wild.iter().map(|l| (l["position"].as_str(), l["rct"].as_str())).collect();
    assert_eq!(wild, [(Some("0*2"), Some("{2}")), (Some("0*2.AB|AB"), Some("{1;{2}}"))]);
    assert_eq!(list(&["0*3", "--list", "canonical"]).len(), 55);
    assert_eq!(list(&["0*3", "--list", "rcts"]).len(), 7);
    let positions = list(&["0*3", "--list", "positions"]);
    assert_eq!(positions.len(), 145);
    // Section 5.1: the position with the fewest lives that is no Nim-heap.
    let least = &list(&["0*4", "--list", "non-heaps"])[0];
    assert_eq!((&least["lives"], &least["rct"]), (&5.into(), &"{2}".into()));
    let canonical = answer(&["canon", "ABC|ABD|CE|DE"]);
    assert_eq!(least["position"].as_str(), Some(canonical.trim_end()));
    // Each tree that is listed is that of its position.
    for listed in list(&["0*3", "--list", "canonical"]) {
        let position = listed["position"].as_str().expect("text");
        let found = json(&["rct", position, "--canonical", "--json"]);
        assert_eq!((&found["rct"], &found["outcome"]), (&listed["rct"], &listed["outcome"]));
        if !listed["canonical_tree"].is_null() {
            assert_eq!(found["canonical_tree"], listed["canonical_tree"], "{position}");
        }
    }
    let table = answer(&["tree-counts", "0*2", "--list", "rcts"]);
    assert!(table.contains("LIVES  POSITION"), "{table}");
}
