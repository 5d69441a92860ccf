//! Coordinators and workers as processes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use serde_json::Value;

use super::{command, json, text};

/// A process that does not outlive its test.
pub struct Process(Child);

impl Process {
    /// Runs the program with arguments.
    pub fn start(args: &[&str]) -> Self {
        let mut command = command(args);
        command.stderr(Stdio::null());
        Self::of(command)
    }

    /// Runs a command whose standard error goes where it says.
    pub fn of(mut command: Command) -> Self {
        Self(command.stdout(Stdio::null()).spawn().expect("sprig starts"))
    }

    /// A worker with one thread.
    pub fn worker(url: &str, name: &str) -> Self {
        Self::start(&[
            "worker",
            "--coordinator",
            url,
            "--threads",
            "1",
            "--memory",
            "1G",
            "--name",
            name,
        ])
    }

    /// Sends a signal.
    pub fn signal(&self, signal: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill runs").success());
    }

    /// Waits for its end; gives its exit code.
    pub fn end(mut self) -> Option<i32> {
        self.0.wait().expect("it ends").code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A coordinator with its address.
pub struct Coordinator {
    /// The process.
    pub process: Process,
    /// Where it listens.
    pub url: String,
}

impl Coordinator {
    /// Starts one, and waits until it listens.
    pub fn start(listen: &str, db: &Path) -> Self {
        Self::of(command(&["coordinator", "--listen", listen, "--db", &text(db)]))
    }

    /// Runs a command that is a coordinator, and waits until it listens.
    pub fn of(mut command: Command) -> Self {
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("sprig starts");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let (found, url) = mpsc::channel();
        // Reads on to the end, so that the coordinator can always write.
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let url = line
                    .strip_prefix("sprig: coordinator at ")
                    .and_then(|rest| rest.split(',').next());
                if let Some(url) = url {
                    let _ = found.send(url.to_owned());
                }
            }
        });
        let process = Process(child);
        Self { process, url: url.recv().expect("the coordinator says where it listens") }
    }

    /// What `sprig status` says.
    pub fn status(&self) -> Value {
        json(&["status", "--coordinator", &self.url, "--json"])
    }

    /// Asks until `holds` is true of the status.
    pub fn wait_until(&self, what: &str, holds: impl Fn(&Value) -> bool) {
        for _ in 0..3_000 {
            if holds(&self.status()) {
                return;
            }
            std::thread::yield_now();
        }
        panic!("never came true: {what}: {}", self.status());
    }
}
