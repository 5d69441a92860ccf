//! A real server, and what it says.
#![allow(dead_code, reason = "each test file uses its part")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;
use sprig_coordinator::access::{Tokens, hash_of};
use sprig_coordinator::{Config, Coordinator, Protection, Trust};
use sprig_domain::{Game, Goal, JobId};
use sprig_gateway::{Gateway, Limits, Replica, Source};
use sprig_proto::{Access, Client, Job, Role, TOKEN_CHARS, Token, Visitors};
use sprig_store::{Batch, Secret, Store};
use tempfile::TempDir;

mod network;

/// A server on a database or a coordinator. On an empty database, what it knows are the whole trees of small positions.
pub struct Server {
    pub address: SocketAddr,
    _folder: TempDir,
    /// There until the end.
    runtime: Option<tokio::runtime::Runtime>,
    coordinator: Option<Coordinator>,
    /// How the coordinator lets the gateway in.
    access: Access,
}

/// The token of a role, where tokens are asked for.
pub fn secret(role: Role) -> String {
    format!("{role}{}", "-".repeat(TOKEN_CHARS))
}

/// What came back.
pub struct Said {
    pub status: u16,
    pub head: String,
    /// The head as it was sent.
    pub raw: String,
    pub body: String,
}

/// As `sprig explore` ends: a thread that waits for the coordinator would wait for ever once
/// nothing moves the connection any more.
impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_millis(200));
        }
    }
}

impl Server {
    /// On an empty database.
    pub fn start(limits: Limits) -> Self {
        Self::on(&Batch::default(), limits)
    }

    /// On a database with these facts and jobs.
    pub fn on(batch: &Batch, limits: Limits) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let secret = Secret::new([7; Secret::BYTES]);
        let store = Store::open(folder.path(), &secret).expect("a database");
        store.commit(batch).expect("written");
        drop(store);
        let replica =
            Replica::open(folder.path().into(), secret, Game::Sprouts).expect("it can be read");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        Self::of(Source::Database(Arc::new(replica)), limits, folder, runtime)
    }

    /// On a coordinator with an empty database and no workers.
    pub fn on_cluster() -> Self {
        Self::on_cluster_with(&Batch::default())
    }

    /// On a coordinator with these facts and jobs.
    pub fn on_cluster_with(batch: &Batch) -> Self {
        Self::on_coordinator(batch, Access::default(), false)
    }

    /// On a coordinator with an empty database, behind a network that carries nothing once it is `silent`.
    pub fn on_cluster_behind(silent: &Arc<AtomicBool>) -> Self {
        let mut server = Self::on_cluster();
        let runtime = server.runtime.as_ref().expect("it has not ended");
        let url = runtime.block_on(network::before(&server.url(), silent));
        let client = runtime.block_on(Client::connect(&url)).expect("it answers");
        let source = Source::Cluster(Box::new(client), Game::Sprouts);
        let gateway = Self::listen(runtime, source, Limits::default());
        server.address = gateway.local_addr().expect("an address");
        runtime.spawn(gateway.serve(std::future::pending()));
        server
    }

    /// On a coordinator that asks for tokens. The gateway itself has the token that may do
    /// everything; visitors may steer if they are let.
    pub fn on_closed_cluster(is_steered: bool) -> Self {
        let token = Token::new(&secret(Role::Admin)).expect("long enough");
        let access = Access { token: Some(token), ..Access::default() };
        Self::on_coordinator(&Batch::default(), access, is_steered)
    }

    fn on_coordinator(batch: &Batch, access: Access, is_steered: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Arc::new(Store::open(folder.path(), &Secret::random()).expect("a database"));
        store.commit(batch).expect("written");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let line = |role: Role| format!("{role} its-{role} {}\n", hash_of(&secret(role)));
        let tokens = Tokens::parse(&Role::ALL.map(line).concat()).expect("well formed");
        let tokens = access.token.is_some().then_some(tokens);
        let config = Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            store,
            protection: Protection { tokens, ..Protection::default() },
            trust: Trust::Checked,
        };
        let coordinator = runtime.block_on(Coordinator::start(config)).expect("it starts");
        let url = coordinator.url();
        let client = Client::connect_with(&url, &access);
        let client = runtime.block_on(client).expect("it answers");
        let visitors = is_steered.then(|| {
            runtime.block_on(Visitors::connect(&url, &access)).expect("it asks for tokens")
        });
        let source = Source::Cluster(Box::new(client), Game::Sprouts);
        let gateway = Self::listen(&runtime, source, Limits::default());
        let gateway = match visitors {
            Some(visitors) => gateway.steered_by(visitors),
            None => gateway,
        };
        let mut server = Self::serve(gateway, folder, runtime);
        (server.coordinator, server.access) = (Some(coordinator), access);
        server
    }

    fn of(
        source: Source,
        limits: Limits,
        folder: TempDir,
        runtime: tokio::runtime::Runtime,
    ) -> Self {
        let gateway = Self::listen(&runtime, source, limits);
        Self::serve(gateway, folder, runtime)
    }

    fn listen(runtime: &tokio::runtime::Runtime, source: Source, limits: Limits) -> Gateway {
        let here = SocketAddr::from(([127, 0, 0, 1], 0));
        runtime.block_on(Gateway::listen(here, source, limits)).expect("a port")
    }

    fn serve(gateway: Gateway, folder: TempDir, runtime: tokio::runtime::Runtime) -> Self {
        let address = gateway.local_addr().expect("an address");
        runtime.spawn(gateway.serve(std::future::pending()));
        let (runtime, access) = (Some(runtime), Access::default());
        Self { address, _folder: folder, runtime, coordinator: None, access }
    }

    /// Asks the coordinator itself, by the token of the gateway.
    pub fn directly<T>(&self, ask: impl AsyncFnOnce(Client) -> T) -> T {
        let url = self.url();
        let runtime = self.runtime.as_ref().expect("it has not ended");
        runtime.block_on(async {
            ask(Client::connect_with(&url, &self.access).await.expect("it answers")).await
        })
    }

    /// The address of the coordinator.
    pub fn url(&self) -> String {
        self.coordinator.as_ref().expect("a coordinator").url()
    }

    /// Submits a job to the coordinator.
    pub fn submit(&self, goal: Goal) {
        self.directly(async |mut client| client.submit(goal, 0).await).expect("submitted");
    }

    /// The job, as the coordinator tells it.
    pub fn job(&self, id: u64) -> Job {
        let jobs = self.directly(async |mut client| client.jobs(Some(JobId(id + 1)), 1).await);
        jobs.expect("told").pop().expect("a job")
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        stream
    }

    /// Sends bytes, and reads until the server closes.
    pub fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // It may have hung up in the middle, which is its right.
        let _ = stream.write_all(bytes);
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        String::from_utf8_lossy(&said).into_owned()
    }

    pub fn ask(&self, line: &str, headers: &str) -> Said {
        self.ask_with(line, headers, "")
    }

    /// Asks with a body, whose length stands in the headers.
    pub fn ask_with(&self, line: &str, headers: &str, body: &str) -> Said {
        let text =
            format!("{line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n{body}");
        let said = self.send(text.as_bytes());
        let (head, body) = said.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{line}: {said}"));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        Said {
            status,
            head: head.to_ascii_lowercase(),
            raw: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub fn get(&self, path: &str) -> Said {
        self.ask(&format!("GET {path}"), "")
    }

    /// The body, which is no text.
    pub fn bytes(&self, path: &str) -> Vec<u8> {
        let mut stream = self.connect();
        let ask = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.write_all(ask.as_bytes()).expect("sent");
        let mut said = Vec::new();
        stream.read_to_end(&mut said).expect("said");
        let end = said.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        assert!(said.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&said));
        said.split_off(end + 4)
    }

    pub fn json(&self, path: &str) -> Value {
        let said = self.get(path);
        assert_eq!(said.status, 200, "{path}: {}", said.body);
        serde_json::from_str(&said.body).unwrap_or_else(|e| panic!("{path}: {e}: {}", said.body))
    }
}

impl Said {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// Where it leads, in the letters in which it was said.
    pub fn location(&self) -> Option<&str> {
        let lines = self.raw.lines();
        lines
            .filter_map(|line| line.split_once(": "))
            .find_map(|(name, value)| name.eq_ignore_ascii_case("location").then_some(value))
    }

    /// The problem, which must be whole.
    pub fn problem(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.head);
        let problem: Value = serde_json::from_str(&self.body).expect("JSON");
        assert_eq!(problem["status"], self.status);
        for field in ["type", "title", "detail", "remedy"] {
            assert!(problem[field].as_str().is_some_and(|text| !text.is_empty()), "{problem}");
        }
        problem
    }
}
