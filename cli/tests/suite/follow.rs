//! Followers, and what becomes of them when the coordinator is gone; all of them as processes.
#![cfg(feature = "coordinator")]

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::processes::{Coordinator, Process};
use crate::common::{Said, answer, command, fails, folder, json, seal_key, sprig, text};
use serde_json::Value;

fn follow(url: &str, copy: &Path) -> Process {
    Process::start(&["follow", "--coordinator", url, "--db", &text(copy), "--name", "copy"])
}

/// An address at which nobody listens.
fn free() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}

/// Waits until the follower has all that the coordinator has in its copy; so many facts.
fn level(coordinator: &Coordinator, copy: &Path) -> u64 {
    coordinator.wait_until("the follower has everything", |status| {
        let follower = &status["followers"][0];
        follower["behind"] == 0 && follower["facts"] == status["facts"] && copy.exists()
    });
    coordinator.status()["facts"].as_u64().expect("a number")
}

fn solve(url: &str, position: &str) {
    let said = json(&["submit", position, "--coordinator", url, "--wait", "--json"]);
    assert!(said["outcome"].is_string(), "{said}");
}

/// What a service said that ended by itself.
fn ends(args: &[&str]) -> Said {
    let mut command = Command::new("timeout");
    command.arg("60").arg(env!("CARGO_BIN_EXE_sprig")).args(args);
    command.env("SPRIG_SEAL_KEY", seal_key()).env_remove("SPRIG_LOG").stdin(Stdio::null());
    command.output().expect("sprig starts").into()
}

/// Expects that a service ends by itself, with code 1, and says all of `parts`.
fn is_refused(args: &[&str], parts: &[&str]) {
    let said = ends(args);
    assert_eq!(said.code, Some(1), "{args:?}: {}", said.err);
    for part in parts {
        assert!(said.err.contains(part), "{args:?}: no `{part}` in: {}", said.err);
    }
}

#[test]
fn a_follower_has_all_facts_answers_and_goes_on_where_it_stopped() {
    let place = folder();
    let [db, copy] = ["db", "copy"].map(|name| place.path().join(name));
    let coordinator = Coordinator::start("127.0.0.1:0", &db);
    let _worker = Process::worker(&coordinator.url, "one");
    solve(&coordinator.url, "0*12");
    let follower = follow(&coordinator.url, &copy);
    let first = level(&coordinator, &copy);
    let [db, copy_text] = [&db, &copy].map(text);
    // Its seals came with the facts: it answers, also while it follows.
    let known = json(&["query", "12", "--db", &copy_text, "--json"]);
    assert_eq!((&known["outcome"], &known["nimber"]), (&"loss".into(), &0.into()));
    // It is killed, misses something, and the coordinator is restarted meanwhile.
    follower.signal("-KILL");
    assert_eq!(follower.end(), None);
    solve(&coordinator.url, "0*14");
    let listen = coordinator.url.strip_prefix("http://").expect("an address").to_owned();
    coordinator.process.signal("-TERM");
    assert_eq!(coordinator.process.end(), Some(0));
    let coordinator = Coordinator::start(&listen, Path::new(&db));
    let follower = follow(&coordinator.url, &copy);
    level(&coordinator, &copy);
    // SIGHUP has a service read its files again, and does not end it.
    follower.signal("-HUP");
    solve(&coordinator.url, "0*16");
    assert!(level(&coordinator, &copy) > first);
    // Nobody else writes to it, and nobody promotes it, as long as it follows.
    fails(&["solve", "5", "--db", &copy_text], &["in use by another process"]);
    fails(&["promote", "--db", &copy_text], &["stop its `sprig follow` first", "in use"]);
    fails(&["promote", "--db", &db], &["it leads, and is in use", "nothing is to be promoted"]);
    follower.signal("-TERM");
    assert_eq!(follower.end(), Some(0));
    fails(&["solve", "5", "--db", &copy_text], &["follows the coordinator", "sprig promote"]);
    fails(&["audit", "--db", &copy_text], &["follows the coordinator", "sprig promote"]);
    is_refused(&["coordinator", "--db", &copy_text, "--listen", "127.0.0.1:0"], &["sprig promote"]);
    coordinator.process.signal("-TERM");
    assert_eq!(coordinator.process.end(), Some(0));
    // Every record of both, job state included.
    let [ours, theirs] = [&copy_text, &db].map(|db| json(&["db", "check", "--db", db, "--json"]));
    for what in ["verified", "claimed", "jobs"] {
        assert_eq!(ours[what], theirs[what], "{what}");
    }
}

#[test]
fn with_a_synchronous_follower_nothing_is_acknowledged_without_it() {
    let place = folder();
    let [db, copy] = ["db", "copy"].map(|name| place.path().join(name));
    let listen = ["--listen", "127.0.0.1:0", "--db", &text(&db), "--sync-followers", "1"];
    let coordinator = Coordinator::of(command(&[&["coordinator"][..], &listen].concat()));
    let args = ["submit", "0*8", "--coordinator", &coordinator.url];
    let mut client = command(&args).stdout(Stdio::piped()).spawn().expect("sprig starts");
    coordinator.wait_until("it says so", |status| status["withheld"] == true);
    assert_eq!(client.try_wait().expect("it can be asked"), None, "the job was acknowledged");
    let status = answer(&["status", "--coordinator", &coordinator.url]);
    assert!(status.contains("nothing is acknowledged: 0 of 1 follower is there"), "{status}");
    // What is not acknowledged takes no orders: they would be lost.
    let at = ["--coordinator", &coordinator.url];
    for order in [&["cancel", "1"][..], &["budget", "1", "5s"]] {
        fails(&[order, &at].concat(), &["job 1 is not acknowledged yet"]);
    }
    // Who waits for that can be told to end.
    let other = Process::start(&[&["submit", "0*9"][..], &at].concat());
    let is_there = || answer(&[&["jobs"][..], &at].concat()).contains("0*9");
    assert!((0..3_000).any(|_| is_there()), "it is never submitted");
    other.signal("-INT");
    assert_eq!(other.end(), Some(130));
    let follower = follow(&coordinator.url, &copy);
    assert_eq!(client.wait().expect("it ends").code(), Some(0));
    let _worker = Process::worker(&coordinator.url, "one");
    solve(&coordinator.url, "0*8");
    coordinator.wait_until("it goes on", |status| status["withheld"] == false);
    level(&coordinator, &copy);
    drop(follower);
    // It ends all the same.
    coordinator.process.signal("-TERM");
    assert_eq!(coordinator.process.end(), Some(0));
}

#[test]
fn workers_tell_an_old_coordinator_that_it_leads_no_more() {
    let place = folder();
    let [db, copy] = ["db", "copy"].map(|name| place.path().join(name));
    let [db_text, copy_text] = [&db, &copy].map(text);
    let addresses = [free(), free()];
    let urls = addresses.clone().map(|address| format!("http://{address}"));
    let old = Coordinator::start(&addresses[0], &db);
    let both = urls.join(",");
    let _worker = Process::worker(&both, "one");
    solve(&old.url, "0*12");
    let follower = follow(&both, &copy);
    level(&old, &copy);
    old.process.signal("-KILL");
    old.process.end();
    follower.signal("-TERM");
    assert_eq!(follower.end(), Some(0));
    let promoted = json(&["promote", "--db", &copy_text, "--json"]);
    assert_eq!(promoted["reign"], 1, "{promoted}");
    fails(&["promote", "--db", &copy_text], &["follows no coordinator", "it was promoted"]);
    let new = Coordinator::start(&addresses[1], &copy);
    solve(&new.url, "0*14");
    assert_eq!(new.status()["reign"], 1);
    // A further follower of the new one; one of the old line stays with that line.
    let third = place.path().join("third");
    let further = follow(&new.url, &third);
    level(&new, &third);
    drop(further);
    // The old one comes back while the new one is away: the worker finds it, and it ends.
    new.process.signal("-KILL");
    new.process.end();
    let args = ["coordinator", "--listen", &addresses[0], "--db", &db_text];
    is_refused(&args, &["leads no more", "reign 1 of line", "sprig hand-in"]);
    // And now it knows, whoever asks.
    is_refused(&args, &["leads no more"]);
    let args = ["follow", "--coordinator", &urls[1], "--db", &db_text];
    is_refused(&args, &["follows no coordinator", "new folder", "sprig merge"]);
    // What it has is handed in.
    let merged = json(&["merge", &copy_text, &db_text, "--json"]);
    assert_eq!((&merged["nimbers"], &merged["refuted"]), (&0.into(), &0.into()), "{merged}");
}

#[test]
fn a_coordinator_asks_its_peers_before_it_leads() {
    let place = folder();
    let [db, copy] = ["db", "copy"].map(|name| place.path().join(name));
    let old = Coordinator::start("127.0.0.1:0", &db);
    let follower = follow(&old.url, &copy);
    level(&old, &copy);
    drop(follower);
    // While it leads on, somebody promotes the copy: two lead, until one hears of the other.
    json(&["promote", "--db", &text(&copy), "--json"]);
    let new = Coordinator::start("127.0.0.1:0", &copy);
    old.process.signal("-TERM");
    assert_eq!(old.process.end(), Some(0));
    let listen = ["coordinator", "--listen", "127.0.0.1:0", "--db", &text(&db)];
    is_refused(&[&listen[..], &["--peer", &new.url]].concat(), &["leads no more"]);
    // The new one does not mind the old one, or nobody, among its peers.
    let args = ["coordinator", "--listen", "127.0.0.1:0", "--db", &text(&copy), "--peer", &old.url];
    new.process.signal("-TERM");
    assert_eq!(new.process.end(), Some(0));
    let new = Coordinator::of(command(&args));
    assert_eq!(new.status()["reign"], 1);
}

#[test]
fn what_an_old_coordinator_has_is_handed_in_while_the_new_one_leads() {
    let place = folder();
    let [db, copy, other] = ["db", "copy", "other"].map(|name| place.path().join(name));
    let [db_text, copy_text] = [&db, &copy].map(text);
    let old = Coordinator::start("127.0.0.1:0", &db);
    let worker = Process::worker(&old.url, "one");
    solve(&old.url, "0*12");
    let follower = follow(&old.url, &copy);
    let shared = level(&old, &copy);
    follower.signal("-TERM");
    assert_eq!(follower.end(), Some(0));
    // What comes now comes to the old one alone.
    solve(&old.url, "0*16");
    let all = old.status()["facts"].as_u64().expect("a number");
    assert!(all > shared);
    drop(worker);
    old.process.signal("-KILL");
    old.process.end();
    json(&["promote", "--db", &copy_text, "--json"]);
    let new = Coordinator::start("127.0.0.1:0", &copy);
    let hand_in = ["hand-in", "--db", &db_text, "--coordinator", &new.url];
    let done = json(&[&hand_in[..], &["--json"]].concat());
    assert_eq!((&done["from"], &done["facts"]), (&shared.into(), &(all - shared).into()), "{done}");
    assert_eq!(new.status()["facts"].as_u64(), Some(all));
    assert_eq!(new.status()["bans"], Value::Array(Vec::new()));
    // A second time it does no harm. The old one does the same by itself where it knows the new one, and ends.
    answer(&hand_in);
    let listen = ["coordinator", "--listen", "127.0.0.1:0", "--db", &db_text];
    let by_itself = [&listen[..], &["--peer", &new.url]].concat();
    is_refused(&by_itself, &["handed in to", "leads no more"]);
    let said = ends(&by_itself).err;
    assert!(!said.contains("handed in to"), "it was done: {said}");
    assert_eq!(new.status()["facts"].as_u64(), Some(all));
    // Nobody else's facts, and nothing backwards.
    let another = Coordinator::start("127.0.0.1:0", &other);
    fails(
        &["hand-in", "--db", &db_text, "--coordinator", &another.url],
        &["another line", "sprig merge"],
    );
    fails(
        &["hand-in", "--db", &copy_text, "--coordinator", &new.url],
        &["nothing is to be handed in"],
    );
    let nobody = format!("http://{}", free());
    fails(
        &["hand-in", "--db", &db_text, "--coordinator", &nobody],
        &["is not there", "hand in later"],
    );
    // It solves on with what it got.
    let _worker = Process::worker(&new.url, "two");
    solve(&new.url, "0*16");
}

#[test]
fn who_follows_something_else_is_refused_with_the_remedy() {
    let place = folder();
    let [db, other, copy] = ["db", "other", "copy"].map(|name| place.path().join(name));
    let coordinator = Coordinator::start("127.0.0.1:0", &db);
    let another = Coordinator::start("127.0.0.1:0", &other);
    let follower = follow(&coordinator.url, &copy);
    level(&coordinator, &copy);
    follower.signal("-TERM");
    assert_eq!(follower.end(), Some(0));
    let copy_text = text(&copy);
    let elsewhere = ["follow", "--coordinator", &another.url, "--db", &copy_text];
    is_refused(&elsewhere, &["follows another coordinator's database", "name a new folder"]);
    // A database that leads, and what is no database.
    let leads = ["follow", "--coordinator", &coordinator.url, "--db", &text(&other)];
    is_refused(&leads, &["follows no coordinator", "new folder"]);
    let no_database = place.path().join("mine");
    std::fs::create_dir(&no_database).expect("made");
    std::fs::write(no_database.join("letter"), "dear").expect("written");
    let foreign = ["follow", "--coordinator", &coordinator.url, "--db", &text(&no_database)];
    is_refused(&foreign, &["cannot use", "empty or new directory"]);
    fails(&["promote", "--db", &text(place.path().join("nothing"))], &["no copy", "sprig follow"]);
    fails(&["promote", "--db", &text(&other)], &["follows no coordinator"]);
    // Nothing was lost by any of that.
    let follower = follow(&coordinator.url, &copy);
    level(&coordinator, &copy);
    drop(follower);
    let said = sprig(&["follow", "--coordinator", "nonsense", "--db", &copy_text]);
    assert_eq!((said.code, said.out), (Some(2), String::new()), "{}", said.err);
}

#[test]
fn a_follower_whose_disk_is_full_ends_and_has_lost_nothing() {
    let place = folder();
    let [db, copy] = ["db", "copy"].map(|name| place.path().join(name));
    let coordinator = Coordinator::start("127.0.0.1:0", &db);
    let follower = follow(&coordinator.url, &copy);
    level(&coordinator, &copy);
    follower.signal("-TERM");
    assert_eq!(follower.end(), Some(0));
    let _worker = Process::worker(&coordinator.url, "one");
    solve(&coordinator.url, "0*14");
    // No file may have more than 40 kB: the same error as a full disk.
    let script = "trap '' XFSZ; ulimit -f 80; exec \"$@\"";
    let mut limited = Command::new("timeout");
    limited.args(["60", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_sprig"), "follow"]);
    limited.args(["--coordinator", &coordinator.url, "--db", &text(&copy)]);
    limited.env("SPRIG_SEAL_KEY", seal_key()).env_remove("SPRIG_LOG").stdin(Stdio::null());
    let said: Said = limited.output().expect("it starts").into();
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.err.contains("no space left"), "{}", said.err);
    assert!(said.err.contains("make room and start again"), "{}", said.err);
    // Room again.
    let _follower = follow(&coordinator.url, &copy);
    level(&coordinator, &copy);
    let known = json(&["query", "14", "--db", &text(&copy), "--json"]);
    assert_eq!(known["outcome"], "loss", "{known}");
}

#[test]
fn a_follower_needs_its_role_and_shows_its_lag() {
    let place = folder();
    let [db, copy] = ["db", "copy"].map(|name| place.path().join(name));
    let tokens = text(place.path().join("tokens"));
    let token = |role: &str| {
        let file = text(place.path().join(role));
        answer(&["token", role, &format!("a-{role}"), "--tokens", &tokens, "--out", &file]);
        file
    };
    let [worker, follower, reader] = ["worker", "follower", "read"].map(token);
    let listen =
        ["coordinator", "--listen", "127.0.0.1:0", "--db", &text(&db), "--tokens", &tokens];
    let coordinator = Coordinator::of(command(&listen));
    let args = ["follow", "--coordinator", &coordinator.url, "--db", &text(&copy)];
    let by = |file: &str| [&args[..], &["--token-file", file]].concat().join(" ");
    let split = |args: String| args.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for file in [&worker, &reader] {
        let args = split(by(file));
        is_refused(&args.iter().map(|arg| &**arg).collect::<Vec<_>>(), &["refused this follower"]);
    }
    let metrics = free();
    let args = split(format!("{} --metrics {metrics}", by(&follower)));
    let _follower = Process::start(&args.iter().map(|arg| &**arg).collect::<Vec<_>>());
    let begun = Instant::now();
    // On a busy machine it may take seconds until it has everything.
    let there = ["connected 1\n", "facts 0", "behind 0", "lag_seconds 0."];
    let is_there = |page: &str| {
        there.iter().all(|figure| page.contains(&format!("\nsprig_follower_{figure}")))
    };
    while !get(&metrics).is_some_and(|page| is_there(&page)) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", get(&metrics));
        std::thread::yield_now();
    }
    let status = ["status", "--coordinator", &coordinator.url, "--token-file", &reader, "--json"];
    assert_eq!(
        json(&status)["followers"][0]["name"],
        Value::from(format!("{}@a-follower", host()))
    );
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
    name.trim().to_owned()
}

/// The page of metrics at an address, if somebody answers.
fn get(address: &str) -> Option<String> {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n").ok()?;
    let mut page = String::new();
    stream.read_to_string(&mut page).ok()?;
    Some(page)
}
