//! The house rules of ARCHITECTURE.md, each one checked against the sources.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::root;
use serde_json::Value;

/// What cargo says with these arguments.
fn cargo(args: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(args).current_dir(root()).output().expect("cargo starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The direct dependencies of each crate of the workspace, without those of its tests.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--no-deps", "--format-version", "1"]))
            .expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list").iter();
    packages
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("a list").iter();
            let names =
                dependencies.filter(|d| d["kind"] != "dev").filter_map(|d| d["name"].as_str());
            (
                package["name"].as_str().expect("a name").to_owned(),
                names.map(str::to_owned).collect(),
            )
        })
        .collect()
}

/// The table of rooms in ARCHITECTURE.md: crate, and which crates it may import.
fn rooms() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = text.lines().filter(|line| line.starts_with("| `")).map(cells);
    rows.filter(|row| row.get(2).is_some_and(|name| name.starts_with("sprig")))
        .map(|row| (row[2].clone(), row[4].split(", ").map(str::to_owned).collect()))
        .collect()
}

/// The Rust sources under some folders, with their text.
fn sources(folders: &[&str]) -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                // A test that re-executes itself talks to its parent through standard output.
                if !path.ends_with("src/tests") {
                    collect(&path, found);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("sources are text");
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    for folder in folders {
        let before = found.len();
        collect(&root().join(folder), &mut found);
        assert!(found.len() > before, "no sources in {folder}");
    }
    found
}

/// Checks that no word occurs in sources that are not tests.
fn assert_absent(folders: &[&str], words: &[&str]) {
    let is_test = |path: &Path| path.iter().any(|part| part == "tests" || part == "tests.rs");
    for (path, text) in sources(folders).into_iter().filter(|(path, _)| !is_test(path)) {
        // What stands behind `//` is talk.
        for (number, line) in
            text.lines().map(|line| line.split("//").next().unwrap_or("")).enumerate()
        {
            for word in words {
                assert!(!line.contains(word), "{}:{}: `{word}`", path.display(), number + 1);
            }
        }
    }
}

#[test]
fn crates_import_what_their_room_allows() {
    let (rooms, dependencies) = (rooms(), dependencies());
    assert!(rooms.keys().eq(dependencies.keys()), "ARCHITECTURE.md names {:?}", rooms.keys());
    for (name, dependencies) in dependencies {
        for dependency in dependencies.iter().filter(|d| d.starts_with("sprig-")) {
            let short = dependency.trim_start_matches("sprig-");
            assert!(
                rooms[&name].iter().any(|allowed| allowed == short),
                "{name} imports {dependency}"
            );
        }
    }
}

#[test]
fn rocksdb_is_named_by_the_store_alone() {
    for (name, dependencies) in dependencies() {
        assert_eq!(dependencies.iter().any(|d| d == "rocksdb"), name == "sprig-store", "{name}");
    }
    assert_absent(
        &[
            "engine",
            "search",
            "misere/src",
            "foreign",
            "oracle",
            "oracle",
            "certificate",
            "certify",
            "proto",
            "audit",
            "coordinator",
            "worker",
            "cli/src",
        ],
        &["rocksdb::"],
    );
}

#[test]
fn a_worker_can_be_built_without_rocksdb() {
    let tree = cargo(&[
        "tree",
        "--package",
        "sprig",
        "--no-default-features",
        "--edges",
        "normal,build",
        "--offline",
    ]);
    assert!(tree.contains("sprig-worker"), "{tree}");
    assert!(!tree.contains("rocksdb"), "{tree}");
}

#[test]
fn thinking_does_no_input_or_output_and_knows_no_clock() {
    let words = [
        "std::fs",
        "std::net",
        "std::io",
        "std::env",
        "std::process",
        "std::time",
        "Instant::",
        "SystemTime",
        "async ",
    ];
    assert_absent(
        &[
            "engine/src",
            "search/src",
            "misere/src",
            "oracle/src",
            "certify/src",
            "campaign/src",
            "pousse/src",
            "impossible/src",
        ],
        &words,
    );
    for name in ["sprig-engine", "sprig-search", "sprig-oracle", "sprig-certify"] {
        for dependency in ["tokio", "tonic", "tracing", "rand"] {
            assert!(
                !dependencies()[name].iter().any(|d| d == dependency),
                "{name} imports {dependency}"
            );
        }
    }
}

#[test]
fn the_oracle_shares_no_rules_with_the_engine() {
    let rules = ["Canonical", "Canonizer", "Generator", "Effort", "sprig_search", "sprig_certify"];
    assert_absent(&["oracle/src", "certificate/src"], &rules);
    // What `sprig verify` runs, from the file to the verdict.
    for file in ["cli/src/certificate.rs", "cli/src/commands/verify.rs"] {
        let text = fs::read_to_string(root().join(file)).expect("it is there");
        for rule in rules {
            assert!(!text.contains(rule), "{file}: {rule}");
        }
    }
    assert_eq!(dependencies()["sprig-oracle"], ["sprig-engine", "thiserror"]);
}

#[test]
fn only_the_command_line_prints() {
    let folders = [
        "engine/src",
        "search/src",
        "pousse/src",
        "impossible/src",
        "oracle/src",
        "foreign/src",
        "certificate/src",
        "certify/src",
        "store/src",
        "proto/src",
        "audit/src",
        "coordinator/src",
        "worker/src",
    ];
    assert_absent(&folders, &["println!", "eprint", "dbg!"]);
}

#[test]
fn nothing_is_unsafe() {
    let folders = [
        "engine/src",
        "search/src",
        "pousse/src",
        "impossible/src",
        "oracle/src",
        "foreign/src",
        "certificate/src",
        "certify/src",
        "store/src",
        "proto/src",
        "audit/src",
        "coordinator/src",
        "worker/src",
        "cli/src",
        "sim",
        "chaos",
    ];
    assert_absent(&folders, &["unsafe {", "unsafe fn", "unsafe impl", "transmute"]);
}

#[test]
fn files_are_one_thing() {
    for (path, text) in sources(&[
        "engine",
        "search",
        "misere",
        "foreign",
        "campaign",
        "pousse",
        "impossible",
        "oracle",
        "certificate",
        "certify",
        "store",
        "proto",
        "audit",
        "coordinator",
        "worker",
        "cli",
        "bench",
        "sim",
        "chaos",
        "fuzz/src",
        "fuzz/targets",
    ]) {
        assert!(text.lines().count() <= 500, "{}: {} lines", path.display(), text.lines().count());
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut pages = vec![
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "deploy/README.md",
        "testdata/README.md",
    ]
    .into_iter()
    .map(|page| root().join(page))
    .collect::<Vec<_>>();
    for folder in ["docs", "docs/decisions"] {
        let entries = fs::read_dir(root().join(folder))
            .expect("it is there")
            .flatten()
            .map(|entry| entry.path());
        pages.extend(
            entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")),
        );
    }
    for page in pages {
        let text = fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if link.is_empty() || link.contains("://") {
                continue;
            }
            let target = page.parent().expect("a folder").join(link);
            assert!(target.exists(), "{}: {link}", page.display());
        }
    }
}
