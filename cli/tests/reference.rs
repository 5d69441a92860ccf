//! The reference says what the code says.

mod common;

use std::fs;
use std::process::Command;

use common::root;

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
