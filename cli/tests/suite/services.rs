//! How the program lives beside others: signals, limits of memory and files, health pages under pressure, logs, its manager.
#![cfg(all(feature = "coordinator", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "waits for other processes")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Said, command, folder, seal_key, sprig, text};
use serde_json::Value;

/// A process that does not outlive its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a coordinator with a health page; its address and that of the page.
fn coordinator(mut command: Command) -> (Process, [String; 2]) {
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let process = Process(child);
    let mut word = |what: &str| loop {
        let mut line = String::new();
        assert_ne!(stderr.read_line(&mut line).expect("text"), 0, "it has ended");
        if let Some(rest) = line.strip_prefix(&format!("sprig: {what} at http://")) {
            let end = rest.find([',', '/', '\n']).unwrap_or(rest.len());
            break rest[..end].to_owned();
        }
    };
    let found = [word("coordinator"), word("metrics")];
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    (process, found)
}

fn healthy(address: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    write!(stream, "GET /healthz HTTP/1.1\r\nhost: here\r\n\r\n").expect("written");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("text");
    response
}

/// CPU time of a process so far, in hundredths of a second.
fn cpu(process: &Process) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.0.id())).expect("it runs");
    let fields: Vec<_> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    fields[11].parse::<u64>().expect("user") + fields[12].parse::<u64>().expect("system")
}

#[test]
fn silent_connections_do_not_hold_the_health_page_back() {
    let db = folder();
    let path = text(db.path());
    let args =
        ["coordinator", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--db", &path];
    let (_coordinator, [_, page]) = coordinator(command(&args));
    let silent: Vec<_> = (0..40).map(|_| TcpStream::connect(&page).expect("it listens")).collect();
    let begin = Instant::now();
    assert!(healthy(&page).starts_with("HTTP/1.1 200 "));
    assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    drop(silent);
}

#[test]
fn a_health_page_without_files_waits_and_does_not_spin() {
    let db = folder();
    let script = "ulimit -n 64; exec \"$0\" coordinator --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --db \"$1\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_sprig")]).arg(db.path()).env_remove("SPRIG_LOG");
    shell.env("SPRIG_SEAL_KEY", seal_key());
    let (process, [address, page]) = coordinator(shell);
    let taken: Vec<_> = (0..80).map_while(|_| TcpStream::connect(&address).ok()).collect();
    let _waiting = TcpStream::connect(&page).expect("the system takes it");
    std::thread::sleep(Duration::from_millis(500));
    let before = cpu(&process);
    std::thread::sleep(Duration::from_secs(2));
    assert!(cpu(&process) - before < 50, "it spins");
    drop(taken);
    assert!(healthy(&page).starts_with("HTTP/1.1 200 "));
}

/// Starts a long search with a temporary database in `folder`, and waits until it is at work: its log of facts grows.
fn searching(folder: &Path, mut command: Command) -> Child {
    command.args(["solve", "0*60", "--threads", "1", "--memory", "256M"]).env("TMPDIR", folder);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    while logged(folder) < 10_000 {
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// Bytes in the logs of the databases in a folder.
fn logged(folder: &Path) -> u64 {
    let databases = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = databases.flat_map(|database| fs::read_dir(database.path()).into_iter().flatten());
    let logs = files.flatten().filter(|file| file.path().extension().is_some_and(|e| e == "log"));
    logs.filter_map(|log| log.metadata().ok()).map(|metadata| metadata.len()).sum()
}

fn signal(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().expect("kill runs").success());
}

#[test]
fn a_closed_terminal_ends_a_search_softly() {
    let folder = folder();
    // Whoever runs the tests may ignore the signal, and that is inherited.
    let mut listening = Command::new("env");
    listening.args(["--default-signal=HUP", env!("CARGO_BIN_EXE_sprig")]).env_remove("SPRIG_LOG");
    let child = searching(folder.path(), listening);
    signal(&child, "-HUP");
    let said: Said = child.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(130), "{}", said.err);
    assert!(said.err.contains("interrupted: "), "{}", said.err);
    assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 0, "the database is gone");
}

/// A pipe that nobody opens to write holds the import in the kernel, where the first signal is not seen.
#[test]
fn the_second_signal_ends_what_the_first_one_cannot() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let mut import = Command::new(env!("CARGO_BIN_EXE_sprig"));
    import.args(["import", "--db"]).arg(folder.path().join("db")).arg(&pipe);
    let mut child = import.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let start = Instant::now();
    while child.try_wait().expect("it is there").is_none() {
        assert!(start.elapsed() < Duration::from_secs(30), "it does not end");
        std::thread::sleep(Duration::from_millis(100));
        if child.try_wait().expect("it is there").is_none() {
            signal(&child, "-TERM");
        }
    }
}

#[test]
fn a_search_under_nohup_goes_on() {
    let folder = folder();
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_sprig")]);
    let mut child = searching(folder.path(), shell);
    signal(&child, "-HUP");
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().expect("it can be asked").is_none(), "it goes on");
    signal(&child, "-TERM");
    let said: Said = child.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(130), "{}", said.err);
}

#[test]
fn memory_keeps_to_the_limit_of_the_process() {
    // 3 GiB of address space: half of that is more than this machine's share only where it is large.
    let script = "ulimit -v 1048576; exec \"$0\" solve '0*8' --threads 1";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_sprig")]).env_remove("SPRIG_LOG");
    let said: Said = shell.output().expect("sh starts").into();
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.err.contains("memory 512 MB, half of what"), "{}", said.err);
    assert!(said.err.contains("ulimit -v"), "{}", said.err);
}

/// A control group of version 1 with a limit, where this machine lets us make one.
struct Group(std::path::PathBuf);

impl Group {
    fn make(bytes: usize) -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = own.lines().find_map(|line| line.split_once(":memory:"))?.1.to_owned();
        let parent = Path::new("/sys/fs/cgroup/memory").join(own.trim_start_matches('/'));
        let group = Self(parent.join(format!("sprig-test-{}", std::process::id())));
        fs::create_dir(&group.0).ok()?;
        fs::write(group.0.join("memory.limit_in_bytes"), bytes.to_string()).ok()?;
        Some(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Nothing is left to be done if the system keeps it.
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn memory_keeps_to_the_limit_of_a_control_group() {
    let Some(group) = Group::make(100 << 20) else {
        return eprintln!("no memory group of version 1 can be made here");
    };
    let script = "echo $$ > \"$1/cgroup.procs\"; exec \"$0\" solve '0*18' --threads 1 --json";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_sprig")]).arg(&group.0);
    let said: Said = shell.output().expect("sh starts").into();
    assert_eq!(said.code, Some(0), "it is not killed: {}", said.err);
    assert!(said.err.contains("memory 50 MB"), "{}", said.err);
    assert!(said.err.contains("memory.limit_in_bytes"), "{}", said.err);
}

#[test]
fn a_manager_is_told_and_programs_can_read_the_log() {
    let folder = folder();
    let socket = folder.path().join("notify");
    let manager = UnixDatagram::bind(&socket).expect("bound");
    manager.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
    let db = text(folder.path().join("db"));
    let mut command = command(&["coordinator", "--listen", "127.0.0.1:0"]);
    command.env("NOTIFY_SOCKET", &socket).env("SPRIG_LOG_FORMAT", "json").env("SPRIG_DB", &db);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut buffer = [0; 100];
    let mut heard = || {
        let length = manager.recv(&mut buffer).expect("a word");
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    };
    assert_eq!(heard(), "READY=1");
    signal(&child, "-TERM");
    assert_eq!(heard(), "STOPPING=1");
    let said: Said = child.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.err.lines().count() >= 2, "{}", said.err);
    for line in said.err.lines() {
        let object: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(object["level"].is_string(), "{object}");
    }
    let mut command = crate::common::command(&["worker", "--coordinator", "http://127.0.0.1:1"]);
    let said: Said = command.env("SPRIG_LOG_FORMAT", "xml").output().expect("it starts").into();
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.err.contains("text or json"), "{}", said.err);
    assert_eq!(sprig(&["version"]).code, Some(0));
}
