//! `--memory` bounds the whole process, on counts of the system and not on ours.
#![cfg(all(feature = "coordinator", target_os = "linux"))]

use std::process::Stdio;

use crate::common::{Said, command, fails};
use serde_json::Value;

/// Runs `sprig` and looks at its memory all the time; returns what it said and the most that was resident, in bytes.
fn watched(args: &[&str]) -> (Said, u64) {
    let mut child = command(args);
    let mut child =
        child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sprig starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("sprig can be waited for").is_none() {
        // It only ever grows, and is gone when the process has ended.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        peak = kilobytes.map_or(peak, |kilobytes: u64| kilobytes << 10);
        std::thread::yield_now();
    }
    (child.wait_with_output().expect("sprig ends").into(), peak)
}

/// The least limit that is not refused, in megabytes, as the refusal says it.
fn least(args: &[&str]) -> u64 {
    refusal(&crate::common::sprig(&[args, &["--memory", "1M"]].concat())).expect("a refusal")
}

/// What a refusal says is needed, in megabytes.
fn refusal(said: &Said) -> Option<u64> {
    let words: Vec<&str> = said.err.split_whitespace().collect();
    let at = words.windows(2).position(|pair| pair == ["at", "least"])?;
    Some(words[at + 2].parse().expect("a number"))
}

#[test]
fn the_whole_process_keeps_within_its_memory() {
    let solve = ["solve", "0*15", "--threads", "1", "--json"];
    let (said, unlimited) = watched(&solve);
    let object: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(object["outcome"], "win", "{}", said.err);
    let least = least(&solve);
    for megabytes in [least, least + 3, least + 8] {
        let mut memory = format!("{megabytes}M");
        let (mut said, mut peak) = watched(&[&solve[..], &["--memory", &memory]].concat());
        let mut megabytes = megabytes;
        // How much of the program itself is resident differs by some megabytes from start to start.
        if let Some(more) = refusal(&said) {
            assert!(more < least + 9, "{}", said.err);
            megabytes = more + 9;
            memory = format!("{megabytes}M");
            (said, peak) = watched(&[&solve[..], &["--memory", &memory]].concat());
        }
        let limited: Value = serde_json::from_str(&said.out).expect("JSON");
        assert_eq!(limited["outcome"], object["outcome"], "{}", said.err);
        assert!(peak <= megabytes << 20, "{peak} bytes within {memory}");
        assert!(peak < unlimited, "{peak} bytes within {memory}, {unlimited} without a limit");
    }
}

#[test]
fn too_little_memory_is_refused_with_what_is_needed() {
    for args in [&["solve", "0*8"][..], &["solve", "0*8", "--workers", "2", "--threads", "2"]] {
        let least = least(args);
        let refused = format!("{}M", least - 9);
        fails_last(&[args, &["--memory", &refused]].concat());
        // How much of the program itself is resident differs by some megabytes from start to start.
        let enough = format!("{}M", least + 1);
        let mut said = crate::common::sprig(&[args, &["--memory", &enough, "--json"]].concat());
        if let Some(more) = refusal(&said) {
            assert!(more < least + 9, "{}", said.err);
            let enough = format!("{}M", more + 9);
            said = crate::common::sprig(&[args, &["--memory", &enough, "--json"]].concat());
        }
        let answer: Value = serde_json::from_str(&said.out).expect("JSON");
        assert_eq!(answer["outcome"], "loss", "{}", said.err);
    }
    fails(
        &["worker", "--coordinator", "http://127.0.0.1:9", "--memory", "1M"],
        &["1 MB of memory are too little", "at least", "--memory"],
    );
}

/// Fails, though it has already said that its database is a temporary one.
fn fails_last(args: &[&str]) {
    let said = crate::common::sprig(args);
    let last = said.err.lines().last().unwrap_or_default();
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{args:?}: {}", said.err);
    assert!(last.contains("too little") && last.contains("at least"), "{args:?}: {}", said.err);
}
