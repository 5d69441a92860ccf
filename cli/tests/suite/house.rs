//! The house rules of ARCHITECTURE.md, each one checked against the sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{cargo, root};
use serde_json::Value;

/// A crate of the workspace, as cargo knows it.
struct Crate {
    name: String,
    /// Its folder, from the root of the repository.
    folder: PathBuf,
    /// Direct dependencies, without those of its tests.
    dependencies: Vec<String>,
    /// Whether it is a program, too.
    is_program: bool,
}

fn crates() -> Vec<Crate> {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let top = PathBuf::from(text(&metadata["workspace_root"]));
    list(&metadata["packages"])
        .iter()
        .map(|package| {
            let manifest = PathBuf::from(text(&package["manifest_path"]));
            let folder = manifest.parent().and_then(|folder| folder.strip_prefix(&top).ok());
            let dependencies = list(&package["dependencies"]);
            let dependencies = dependencies.iter().filter(|d| d["kind"] != "dev");
            let kinds = |target: &Value| list(&target["kind"]).contains(&"bin".into());
            Crate {
                name: text(&package["name"]),
                folder: folder.expect("it lies in the workspace").to_owned(),
                dependencies: dependencies.map(|d| text(&d["name"])).collect(),
                is_program: list(&package["targets"]).iter().any(kinds),
            }
        })
        .collect()
}

/// The folders of some crates; fewer than the first argument are a failure.
fn folders(least: usize, which: impl Fn(&Crate) -> bool) -> Vec<PathBuf> {
    let folders: Vec<_> = crates().into_iter().filter(which).map(|c| c.folder).collect();
    assert!(folders.len() >= least, "{folders:?}");
    folders
}

/// The direct dependencies of each crate of the workspace, without those of its tests.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    crates().into_iter().map(|c| (c.name, c.dependencies)).collect()
}

/// The table of rooms in ARCHITECTURE.md: the cells of each row, by crate.
fn rooms() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = text.lines().filter(|line| line.starts_with("| `")).map(cells);
    rows.filter(|row| row.get(2).is_some_and(|name| name.starts_with("sprig")))
        .map(|row| (row[2].clone(), row))
        .collect()
}

/// Whether a room does no input or output and knows no clock, as its row says.
fn is_pure(row: &[String]) -> bool {
    ["Pure", "no input or output"].iter().any(|word| row[3].contains(word))
}

/// The Rust sources under some folders, with their text.
fn sources(folders: &[PathBuf]) -> Vec<(PathBuf, String)> {
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
        assert!(found.len() > before, "no sources in {}", folder.display());
    }
    found
}

/// The sources of crates, without their tests and examples.
fn in_src(folders: Vec<PathBuf>) -> Vec<PathBuf> {
    folders.into_iter().map(|folder| folder.join("src")).collect()
}

/// Checks that no word occurs in sources that are not tests.
fn assert_absent(folders: &[PathBuf], words: &[&str]) {
    assert_absent_in(sources(folders), words);
}

fn assert_absent_in(found: Vec<(PathBuf, String)>, words: &[&str]) {
    let is_test = |path: &Path| path.iter().any(|part| part == "tests" || part == "tests.rs");
    for (path, text) in found.into_iter().filter(|(path, _)| !is_test(path)) {
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
                rooms[&name][4].split(", ").any(|allowed| allowed == short),
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
    assert_absent(&folders(20, |c| c.name != "sprig-store"), &["rocksdb::"]);
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
    let rooms = rooms();
    let pure = |c: &Crate| is_pure(&rooms[&c.name]);
    assert_absent(&in_src(folders(12, pure)), &words);
    for Crate { name, dependencies, .. } in crates().into_iter().filter(pure) {
        for dependency in ["tokio", "tonic", "tracing", "rand"] {
            assert!(!dependencies.iter().any(|d| d == dependency), "{name} imports {dependency}");
        }
    }
}

#[test]
fn what_blocks_goes_through_one_seam() {
    let words = ["spawn_blocking", "block_in_place", "blocking_recv", "blocking_send"];
    // Nobody follows a simulated coordinator.
    let followers = root().join("coordinator/src/service/followers.rs");
    let mut found = sources(&["coordinator/src", "worker/src"].map(PathBuf::from));
    found.retain(|(path, _)| *path != followers);
    assert_absent_in(found, &words);
}

#[test]
fn each_noun_is_defined_once() {
    let nouns = [
        "TreeKey",
        "LandNimber",
        "Ruleset",
        "Play",
        "Goal",
        "Question",
        "Outcome",
        "Conclusion",
        "Figures",
        "JobId",
        "JobState",
    ];
    // The checkers share nothing with what they check, other games have rules of their own, a command is
    // named as people type it, and the runs of the benchmark are JSON.
    let own = [
        "oracle/",
        "certificate/",
        "pousse/",
        "impossible/",
        "cli/src/commands/",
        "bench/src/job.rs",
    ];
    let mut found: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    for (path, text) in sources(&folders(22, |_| true)) {
        let path = path.strip_prefix(root()).expect("under the root").to_owned();
        if own.iter().any(|folder| path.to_string_lossy().starts_with(folder)) {
            continue;
        }
        for line in text.lines() {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            let is_public = words.first() == Some(&"pub");
            let defined =
                words.windows(2).find(|pair| ["enum", "struct", "type"].contains(&pair[0]));
            let Some(noun) = defined.and_then(|pair| nouns.iter().find(|noun| **noun == pair[1]))
            else {
                continue;
            };
            if is_public {
                found.entry(noun).or_default().push(path.clone());
            }
        }
    }
    for noun in nouns {
        let places = found.get(noun).map_or(&[][..], Vec::as_slice);
        assert!(matches!(places, [one] if one.starts_with("domain")), "{noun}: {places:?}");
    }
}

#[test]
fn there_is_one_kernel() {
    let kernel = Path::new("search/src/kernel");
    let (kernel, others): (Vec<_>, Vec<_>) = sources(&["search/src".into(), "misere/src".into()])
        .into_iter()
        .partition(|(path, _)| path.starts_with(root().join(kernel)) || path.starts_with(kernel));
    assert!(kernel.len() > 8, "{} files", kernel.len());
    // It knows no game: nothing of the search around it, and nothing of Sprouts.
    assert_absent_in(kernel, &["crate::", "sprig_engine", "sprig_trees"]);
    // A second interner would claim slots, a second tally would sum proof numbers, a second drive would join threads.
    let twins = ["compare_exchange", "WeakSum::", "resume_unwind", "stack_size", "align(64)"];
    assert_absent_in(others, &twins);
    // How a search is told to end, and what bounds it, is said there, too.
    // (The gateway has limits of its own: those of HTTP.)
    let all = sources(&folders(21, |c| !c.folder.ends_with("gateway")));
    for noun in ["pub trait Observer", "pub struct Limits"] {
        let defines = |text: &str| text.lines().any(|line| line.starts_with(noun));
        let mut places = all.iter().filter(|(_, text)| defines(text)).map(|(path, _)| path);
        assert!(places.next().is_some_and(|path| path.ends_with("kernel/drive.rs")), "{noun}");
        assert_eq!(places.next(), None, "{noun}");
    }
}

#[test]
fn the_oracle_shares_no_rules_with_the_engine() {
    let rules = ["Canonical", "Canonizer", "Generator", "Effort", "sprig_search", "sprig_certify"];
    let checkers = ["oracle/src", "certificate/src", "verify/src", "wasm/src"];
    assert_absent(&checkers.map(PathBuf::from), &rules);
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
    let libraries = in_src(folders(18, |c| !c.is_program));
    assert_absent(&libraries, &["println!", "eprint", "dbg!"]);
}

#[test]
fn nothing_is_unsafe() {
    let all = folders(22, |_| true);
    assert_absent(&all, &["unsafe {", "unsafe fn", "unsafe impl", "transmute"]);
    // What WebAssembly exports and imports has names that the linker keeps. To say so is `unsafe`,
    // and nothing else that the lint refuses.
    let others = folders(22, |c| !c.folder.starts_with("wasm"));
    assert_absent(&others, &["#[unsafe(", "unsafe extern"]);
    for of in crates() {
        let manifest = root().join(&of.folder).join("Cargo.toml");
        let text = fs::read_to_string(&manifest).expect("it is there");
        let is_free = !text.contains("[lints]\nworkspace = true");
        assert_eq!(is_free, of.folder.starts_with("wasm"), "{}", manifest.display());
    }
    // What Python is given has such names, too: the macros of PyO3 write them, and nobody else does.
    let words = ["unsafe {", "unsafe fn", "unsafe impl", "transmute", "#[unsafe(", "unsafe extern"];
    assert_absent(&[PathBuf::from("python/engine/src")], &words);
}

#[test]
fn files_are_one_thing() {
    // The fuzzer and the engine for Python are workspaces of their own.
    let mut all = folders(22, |_| true);
    all.extend(["fuzz/src", "fuzz/targets", "python/engine/src"].map(PathBuf::from));
    for (path, text) in sources(&all) {
        assert!(text.lines().count() <= 500, "{}: {} lines", path.display(), text.lines().count());
    }
}

#[test]
fn nothing_looks_outside_the_repository() {
    let mut seen = 0;
    for of in crates() {
        for (path, text) in sources(std::slice::from_ref(&of.folder)) {
            let path = path.strip_prefix(root()).expect("it lies in the repository");
            for (number, line) in text.lines().enumerate() {
                // A path is meant from the file in an attribute or where a file is included, and
                // else from the crate or the root.
                let from = if line.contains("include_") || line.contains("#[path") {
                    path.parent().expect("a folder")
                } else if line.contains("root()") {
                    Path::new("")
                } else {
                    &of.folder
                };
                let depth = from.components().count();
                for named in line.split('"').skip(1).step_by(2) {
                    let ups = named.split('/').filter(|&part| part == "..").count();
                    seen += ups;
                    assert!(ups <= depth, "{}:{}: `{named}`", path.display(), number + 1);
                }
            }
        }
    }
    assert!(seen > 10, "{seen} steps up");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut pages = vec![
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "deploy/README.md",
        "deploy/kubernetes/README.md",
        "deploy/slurm/README.md",
        "python/README.md",
        "testdata/README.md",
    ]
    .into_iter()
    .map(|page| root().join(page))
    .collect::<Vec<_>>();
    for folder in ["docs", "docs/decisions", "docs/reference", "bench"] {
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

#[test]
fn every_page_stands_in_the_book() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("it is there");
    let mut seen = 0;
    for folder in ["docs", "docs/decisions", "docs/reference"] {
        for entry in fs::read_dir(root().join(folder)).expect("it is there").flatten() {
            let path = entry.path();
            let inside = path.strip_prefix(root().join("docs")).expect("it lies there").to_owned();
            let is_page = path.extension().is_some_and(|extension| extension == "md");
            if is_page && inside != Path::new("SUMMARY.md") {
                let link = format!("]({})", inside.display());
                assert!(summary.contains(&link), "docs/SUMMARY.md lacks {}", inside.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "{seen} pages");
}

/// The words of a name: `FollowerHello` is `follower hello`.
fn words_of(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

#[test]
fn the_glossary_has_the_public_nouns() {
    let glossary = fs::read_to_string(root().join("docs/glossary.md")).expect("it is there");
    // The nouns stand in emphasis; plurals count. Code may hold any character.
    let prose: String = glossary.split('`').step_by(2).collect();
    let prose = prose.split_whitespace().collect::<Vec<_>>().join(" ");
    let known: Vec<_> = prose.split('*').skip(1).step_by(2).map(str::to_lowercase).collect();
    let has = |noun: &str| known.iter().any(|known| known == noun || *known == format!("{noun}s"));
    let mut missing = Vec::new();
    let mut seen = 0;
    let mut ask = |noun: String, place: &str| {
        seen += 1;
        if !has(&noun) {
            missing.push(format!("{noun} ({place})"));
        }
    };
    for file in ["clients", "workers", "followers", "game"] {
        let path = root().join(format!("proto/proto/sprig/v1/{file}.proto"));
        for line in fs::read_to_string(path).expect("it is there").lines() {
            let mut words = line.split_whitespace();
            if ["message", "enum"].contains(&words.next().unwrap_or("")) && !line.starts_with(' ') {
                ask(words_of(words.next().expect("a name").trim_end_matches("{}")), file);
            }
        }
    }
    let store = fs::read_to_string(root().join("store/src/lib.rs")).expect("it is there");
    for line in store.lines().filter_map(|line| line.strip_prefix("pub use ")) {
        let names = line.split("::").last().unwrap_or("").trim_matches(['{', '}', ';', ' ']);
        for name in names.split(',').map(|name| name.trim().trim_matches(['{', '}', ';', ' '])) {
            if name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase) {
                ask(words_of(name), "store");
            }
        }
    }
    assert!(seen > 60, "{seen} nouns");
    assert!(missing.is_empty(), "docs/glossary.md lacks {}", missing.join(", "));
}
