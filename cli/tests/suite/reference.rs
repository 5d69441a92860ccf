//! The reference says what the code says.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::common::root;

fn check(folder: &std::path::Path) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sprig"));
    let output = command.args(["reference", "--check"]).arg(folder).output().expect("it starts");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_reference_is_of_todays_code() {
    let (is_fresh, said) = check(&root().join("docs/reference"));
    assert!(is_fresh, "{said}`just pages` writes it");
}

#[test]
fn another_word_makes_it_stale() {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(root().join("docs/reference")).expect("it is there").flatten() {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copied");
    }
    let page = folder.path().join("limits.md");
    let text = fs::read_to_string(&page).expect("it is there");
    fs::write(&page, text.replace("4 MiB", "5 MiB")).expect("written");
    let (is_fresh, said) = check(folder.path());
    assert!(!is_fresh && said.contains("limits.md") && !said.contains("roles.md"), "{said}");
}

/// The names of metrics of Sprig's own in a text, without what a histogram or a query adds to them.
fn metrics(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let ours = ["sprig_coordinator_", "sprig_worker_", "sprig_follower_", "sprig_database_"];
    let ours = [&ours[..], &["sprig_certificate_", "process_"]].concat();
    let names = words.filter(|word| ours.iter().any(|ours| word.starts_with(ours)));
    names.map(|name| name.strip_suffix("_bucket").unwrap_or(name)).collect()
}

#[test]
fn dashboard_and_alerts_ask_for_metrics_that_there_are() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("it is there");
    let there = read("docs/reference/metrics.md");
    let there = metrics(&there);
    assert!(there.contains("sprig_worker_expansions_total") && there.len() > 30, "{there:?}");
    for path in [
        "deploy/prometheus/grafana.json",
        "deploy/prometheus/rules.yml",
        "deploy/prometheus/rules_test.yml",
        "deploy/kubernetes/components/autoscaling/workers.yaml",
        "docs/operations.md",
    ] {
        let text = read(path);
        let lacking: Vec<_> = metrics(&text).difference(&there).copied().collect();
        assert!(lacking.is_empty(), "{path} asks for {lacking:?}");
        assert!(!metrics(&text).is_empty(), "{path}");
    }
}
