//! Health and metrics of real processes, over plain HTTP.
#![allow(clippy::disallowed_methods, reason = "waits for other processes")]
#![cfg(feature = "coordinator")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use crate::common::{answer, command, folder, refuses, text};

/// A process that does not outlive its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a process that says where it listens and where its metrics are; what stands behind each of `words`.
fn start(args: &[&str], words: &[&str]) -> (Process, Vec<String>) {
    let mut child =
        command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("sprig starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let process = Process(child);
    let mut found = Vec::new();
    while found.len() < words.len() {
        let mut line = String::new();
        assert_ne!(stderr.read_line(&mut line).expect("text"), 0, "{args:?} has ended");
        let rest = words.iter().find_map(|word| line.strip_prefix(&format!("sprig: {word} at ")));
        found.extend(rest.and_then(|rest| rest.trim().split(',').next()).map(str::to_owned));
    }
    // Reads on to the end, so that the process can always write.
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    (process, found)
}

/// Starts a coordinator with metrics; its address and theirs.
fn lead(db: &str) -> (Process, [String; 2]) {
    let args = ["coordinator", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--db", db];
    let (process, found) = start(&args, &["coordinator", "metrics"]);
    (process, found.try_into().expect("both are told"))
}

/// The whole response to a request.
fn get(metrics: &str, path: &str) -> String {
    let address = metrics.trim_start_matches("http://").trim_end_matches("/metrics");
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n").expect("written");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("text");
    response
}

#[test]
fn a_cluster_shows_how_it_is_doing() {
    let db = folder();
    let path = text(db.path());
    let (_coordinator, [url, metrics]) = lead(&path);
    let (url, metrics) = (&url, &metrics);
    for path in ["/healthz", "/readyz"] {
        assert!(get(metrics, path).starts_with("HTTP/1.1 200 "), "{path}");
    }
    assert!(get(metrics, "/secrets").starts_with("HTTP/1.1 404 "));

    let worker = [
        "worker",
        "--coordinator",
        url,
        "--threads",
        "1",
        "--memory",
        "256M",
        "--metrics",
        "127.0.0.1:0",
    ];
    let (_worker, found) = start(&worker, &["metrics"]);
    answer(&["submit", "0*8", "--coordinator", url, "--wait"]);
    let quiet = [
        "sprig_coordinator_workers 1",
        "sprig_coordinator_jobs_running 0",
        "sprig_coordinator_jobs_spent 0",
        "sprig_coordinator_jobs_paused 0",
        "sprig_coordinator_suspended 0",
        "sprig_coordinator_orders_waiting 0",
        "sprig_coordinator_oldest_wait_seconds 0.0",
        "# EOF",
    ];
    // The worker is told to stop after the answer, so that an order may wait for a moment.
    let mut shown = get(metrics, "/metrics");
    let end = Instant::now() + Duration::from_secs(10);
    while let Some(line) = quiet.iter().find(|line| !shown.lines().any(|l| l == **line)) {
        assert!(Instant::now() < end, "{line}: {shown}");
        sleep(Duration::from_millis(20));
        shown = get(metrics, "/metrics");
    }
    let value = |shown: &str, name: &str| -> f64 {
        let line = shown.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("{name}: {shown}")).parse().expect("a number")
    };
    let [reported, new] = ["facts_reported_total", "facts_new_total"]
        .map(|name| value(&shown, &format!("sprig_coordinator_{name}")));
    assert!(0.0 < new && new <= reported, "{shown}");
    assert!(value(&shown, "sprig_coordinator_commit_seconds_count") >= 2.0, "{shown}");
    for name in ["cpu_seconds_total", "resident_memory_bytes", "start_time_seconds"] {
        assert!(value(&shown, &format!("process_{name}")) > 0.0, "{shown}");
    }
    assert!(value(&shown, "sprig_database_bytes") > 1000.0, "{shown}");
    assert!(value(&shown, "sprig_database_disk_free_bytes") > 0.0, "{shown}");
    assert!(!shown.contains("sprig_database_backup_timestamp_seconds"), "there is none: {shown}");
    let backups = folder();
    answer(&["backup", "--db", &path, "--to", &text(backups.path())]);
    let since = |shown: &str, name: &str| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
        since.as_secs_f64() - value(shown, name)
    };
    let after = get(metrics, "/metrics");
    let age = since(&after, "sprig_database_backup_timestamp_seconds");
    assert!((0.0..600.0).contains(&age), "{age}: {after}");
    assert!(!shown.contains("claims_verified_total 0"), "the answer was shown: {shown}");
    assert!(get(&found[0], "/readyz").starts_with("HTTP/1.1 200 "));
    let shown = get(&found[0], "/metrics");
    assert!(shown.contains("sprig_worker_connected 1"), "{shown}");
}

#[test]
fn a_worker_without_coordinator_lives_but_is_not_ready() {
    let args = ["worker", "--coordinator", "http://127.0.0.1:1", "--metrics", "127.0.0.1:0"];
    let (_worker, found) = start(&args, &["metrics"]);
    assert!(get(&found[0], "/healthz").starts_with("HTTP/1.1 200 "));
    assert!(get(&found[0], "/readyz").starts_with("HTTP/1.1 503 "));
    refuses(&["worker", "--metrics", "nonsense"], &["`nonsense`", "127.0.0.1:9425"]);
}

#[test]
fn a_job_that_nobody_takes_shows_how_long_it_waits() {
    let db = folder();
    let (_coordinator, [url, metrics]) = lead(&text(db.path()));
    let (url, metrics) = (&url, &metrics);
    answer(&["submit", "0*9", "--coordinator", url]);
    let begun = Instant::now();
    let waited = || -> f64 {
        let shown = get(metrics, "/metrics");
        let name = "sprig_coordinator_oldest_wait_seconds ";
        let line = shown.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{shown}")).parse().expect("seconds")
    };
    while waited() < 0.3 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not wait");
        sleep(Duration::from_millis(50));
    }
    answer(&["cancel", "1", "--coordinator", url]);
    assert_eq!(waited().to_bits(), 0.0_f64.to_bits());
}

#[test]
fn certificates_show_when_they_end() {
    let (db, tls) = (folder(), folder());
    let dir = text(tls.path());
    answer(&["certs", &dir]);
    let file = |name: &str| format!("{dir}/{name}");
    let (path, cert, key) = (text(db.path()), file("coordinator.pem"), file("coordinator.key"));
    let ca = file("ca.pem");
    let args = [
        &["coordinator", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--db", &path][..],
        &["--tls-cert", &cert, "--tls-key", &key, "--tls-client-ca", &ca],
    ];
    let (_coordinator, found) = start(&args.concat(), &["metrics"]);
    let (own, own_key) = (file("worker.pem"), file("worker.key"));
    let args = [
        &["worker", "--coordinator", "https://127.0.0.1:1", "--metrics", "127.0.0.1:0"][..],
        &["--tls-ca", &ca, "--tls-cert", &own, "--tls-key", &own_key],
    ];
    let (_worker, worker) = start(&args.concat(), &["metrics"]);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    for (metrics, holders) in
        [(&found[0], ["own", "client authority"]), (&worker[0], ["own", "authority"])]
    {
        let shown = get(metrics, "/metrics");
        for holder in holders {
            let name =
                format!("sprig_certificate_end_timestamp_seconds{{certificate=\"{holder}\"}} ");
            let line = shown.lines().find_map(|line| line.strip_prefix(&name));
            let end: f64 = line.unwrap_or_else(|| panic!("{name}{shown}")).parse().expect("a time");
            // `sprig certs` makes those of the authority for ten years, the others for one.
            let years = (end - now.as_secs_f64()) / (365.25 * 86400.0);
            let expected = if holder == "own" { 0.9..1.1 } else { 9.9..10.1 };
            assert!(expected.contains(&years), "{holder}: {years}");
        }
    }
}
