//! The pages on the paper and on the other seeds say what the program says: every command of theirs
//! is run.
#![cfg(feature = "coordinator")]

use std::process::Command;

use crate::common::{folder, root};

/// The commands of the `console` blocks, with the lines that are shown below each.
fn shown(page: &str) -> Vec<(String, String)> {
    let (mut commands, mut is_inside): (Vec<(String, String)>, bool) = (Vec::new(), false);
    for line in page.lines() {
        match (is_inside, line) {
            (false, "```console") => is_inside = true,
            (true, "```") => is_inside = false,
            (true, _) => match line.strip_prefix("$ ") {
                Some(command) => commands.push((command.to_owned(), String::new())),
                None => {
                    let (_, output) = commands.last_mut().expect("a command stands first");
                    *output += &format!("{line}\n");
                }
            },
            (false, _) => {}
        }
    }
    commands
}

/// Runs every command of a page, of which there are at least `least`.
fn check(page: &str, least: usize) {
    let page = std::fs::read_to_string(root().join(page)).expect("it is there");
    let commands = shown(&page);
    assert!(commands.len() >= least, "{}", commands.len());
    let folder = folder();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_sprig"));
    let folders = [program.parent().expect("a folder").as_os_str().to_owned()];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        folders.iter().cloned().chain(std::env::split_paths(&path).map(Into::into)),
    );
    let path = path.expect("no colon in a folder");
    for (command, wanted) in commands {
        let mut shell = Command::new("bash");
        shell.args(["-c", &command]).current_dir(root()).env("PATH", &path).env("LC_ALL", "C");
        shell.env("DIR", folder.path()).env("XDG_STATE_HOME", folder.path());
        let said = shell.output().expect("bash starts");
        assert_eq!(
            (String::from_utf8_lossy(&said.stdout), said.status.success()),
            (wanted.as_str().into(), true),
            "{command}: {}",
            String::from_utf8_lossy(&said.stderr)
        );
    }
}

#[test]
fn every_command_on_the_paper_says_what_the_page_shows() {
    check("docs/paper.md", 42);
}

#[test]
fn every_command_on_the_seeds_says_what_the_page_shows() {
    check("docs/seeds.md", 30);
}
