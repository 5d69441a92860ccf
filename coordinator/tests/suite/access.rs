//! Access, over real gRPC: every call that the protocol has, by every role.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sprig_coordinator::access::{Tokens, hash_of};
use sprig_coordinator::{Config, Coordinator, Copies, Protection, Trust};
use sprig_domain::{Figures, Game, Goal, JobId, Question};
use sprig_engine::{CanonicalPosition, Position};
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{
    Access, Build, Client, ClientError, FromWorker, Hello, JobOrder, Role, TOKEN_CHARS, Token,
    WorkerId, wire,
};
use sprig_store::{Secret, Store};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Code, Request};
use tonic_prost::ProstCodec;

/// Every call, and the roles that may make it, in this order: read, submit, worker, follower,
/// admin. A new call needs a row here.
const EXPECTED: &[(&str, [bool; 5])] = &[
    ("Clients/Greet", [true, true, true, true, true]),
    ("Clients/Status", [true, true, false, false, true]),
    ("Clients/Watch", [true, true, false, false, true]),
    ("Clients/Look", [true, true, false, false, true]),
    ("Clients/Verified", [true, true, false, false, true]),
    ("Clients/Lands", [true, true, false, false, true]),
    ("Clients/Tree", [true, true, false, false, true]),
    ("Clients/Query", [true, true, false, false, true]),
    ("Clients/Moves", [true, true, false, false, true]),
    ("Clients/Jobs", [true, true, false, false, true]),
    ("Clients/Submit", [false, true, false, false, true]),
    ("Clients/Order", [false, true, false, false, true]),
    ("Clients/Drain", [false, false, false, false, true]),
    ("Clients/Unban", [false, false, false, false, true]),
    ("Workers/Work", [false, false, true, false, true]),
    ("Workers/Facts", [false, false, true, false, true]),
    ("Copies/Facts", [false, false, true, false, true]),
    ("Followers/Follow", [false, false, false, true, true]),
    ("Followers/Reigning", [true, true, true, true, true]),
];

fn secret(role: Role) -> String {
    format!("{role}{}", "-".repeat(TOKEN_CHARS))
}

fn tokens() -> Tokens {
    let line = |role: Role| format!("{role} its-{role} {}\n", hash_of(&secret(role)));
    Tokens::parse(&Role::ALL.map(line).concat()).expect("well formed")
}

async fn start(protection: Protection) -> (Coordinator, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a directory");
    let store =
        Arc::new(Store::open(dir.path(), &Secret::new([7; Secret::BYTES])).expect("a database"));
    let listen = "127.0.0.1:0".parse().expect("an address");
    let config = Config { listen, store, protection, trust: Trust::Checked };
    (Coordinator::start(config).await.expect("it starts"), dir)
}

async fn closed() -> (Coordinator, tempfile::TempDir) {
    start(Protection { tokens: Some(tokens()), ..Protection::default() }).await
}

/// The calls of the protocol, as `Service/Call`, read from its text.
fn calls_of_the_protocol() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/proto/sprig/v1");
    let mut calls = Vec::new();
    for file in std::fs::read_dir(folder).expect("the protocol").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("text");
        let mut service = "";
        for line in text.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("service ") {
                service = rest.split([' ', '{']).next().expect("a name");
            } else if let Some(rest) = line.strip_prefix("rpc ") {
                calls.push(format!("{service}/{}", rest.split('(').next().expect("a name").trim()));
            }
        }
    }
    calls.sort();
    calls
}

/// Makes a call with an empty message. Returns the code that it was refused with, if it was.
async fn call(channel: &Channel, name: &str, authorization: Option<&str>) -> Option<Code> {
    let mut grpc = tonic::client::Grpc::new(channel.clone());
    grpc.ready().await.expect("connected");
    let mut request = Request::new(tokio_stream::once(()));
    if let Some(value) = authorization {
        request.metadata_mut().insert("authorization", value.parse().expect("plain"));
    }
    let path = PathAndQuery::try_from(format!("/sprig.v1.{name}")).expect("a path");
    let answer = grpc.streaming(request, path, ProstCodec::<(), ()>::default()).await;
    answer.err().map(|status| status.code())
}

#[tokio::test]
async fn every_call_is_made_by_its_roles_alone() {
    let mut expected: Vec<&str> = EXPECTED.iter().map(|(name, _)| *name).collect();
    expected.sort_unstable();
    assert_eq!(calls_of_the_protocol(), expected, "each call needs a row in EXPECTED");

    let (coordinator, _dir) = closed().await;
    let protection = Protection { tokens: Some(tokens()), ..Protection::default() };
    let (_, nothing) = tokio::sync::watch::channel(None);
    let copies = Copies::start(([127, 0, 0, 1], 0).into(), protection, nothing, Arc::default());
    let copies = copies.await.expect("it listens");
    let connect = async |name: &str| {
        let url = if name.starts_with("Copies/") { copies.url() } else { coordinator.url() };
        Channel::from_shared(url).expect("an address").connect().await.expect("open")
    };
    for (name, allowed) in EXPECTED {
        let channel = connect(name).await;
        for (role, allowed) in Role::ALL.into_iter().zip(allowed) {
            let code = call(&channel, name, Some(&format!("Bearer {}", secret(role)))).await;
            let refused = code == Some(Code::PermissionDenied);
            assert_eq!(refused, !allowed, "{role} calls {name}: {code:?}");
            assert_ne!(code, Some(Code::Unauthenticated), "{role} calls {name}");
            // A call without a row in the coordinator's own table would be refused to every role.
            assert_ne!(code, Some(Code::Unimplemented), "{role} calls {name}");
        }
        let admin = secret(Role::Admin);
        for wrong in [
            None,
            Some(String::new()),
            Some("Bearer".into()),
            Some("Bearer ".into()),
            Some(format!("Bearer {}x", admin)),
            Some(format!("Bearer {}", &admin[1..])),
            Some(format!("Basic {admin}")),
            Some(format!("Bearer {}", hash_of(&admin))),
        ] {
            let code = call(&channel, name, wrong.as_deref()).await;
            assert_eq!(code, Some(Code::Unauthenticated), "{wrong:?} calls {name}");
        }
    }
    let channel = connect("Clients").await;
    let admin = format!("Bearer {}", secret(Role::Admin));
    assert_eq!(call(&channel, "Clients/Erase", Some(&admin)).await, Some(Code::Unimplemented));
}

#[tokio::test]
async fn the_client_shows_its_token() {
    let (coordinator, _dir) = closed().await;
    let url = coordinator.url();
    let refused = Client::connect(&url).await.unwrap_err();
    assert!(refused.to_string().contains("--token-file"), "{refused}");
    let access = |role| Access {
        token: Some(Token::new(&secret(role)).expect("long enough")),
        ..Access::default()
    };
    let mut reader = Client::connect_with(&url, &access(Role::Read)).await.expect("let in");
    reader.status().await.expect("a reader reads");
    let Err(ClientError::Refused(status)) = reader.order(JobId(1), JobOrder::Cancel).await else {
        panic!("a reader has cancelled a job")
    };
    assert_eq!(status.code(), Code::PermissionDenied);
    assert!(status.message().contains("its-read (read)"), "{}", status.message());
}

#[tokio::test]
async fn whoever_calls_without_end_is_slowed_down() {
    let (coordinator, _dir) = start(Protection::default()).await;
    let channel = Channel::from_shared(coordinator.url()).expect("an address");
    let channel = channel.connect().await.expect("open");
    let mut slowed = false;
    for _ in 0..10_000 {
        slowed = call(&channel, "Clients/Erase", None).await == Some(Code::ResourceExhausted);
        if slowed {
            break;
        }
    }
    assert!(slowed, "ten thousand calls were taken");
    // Others are not concerned.
    Client::connect(&coordinator.url()).await.expect("connected").status().await.expect("answered");
}

// Takes the ten seconds that every connection has.
#[tokio::test]
async fn whoever_connects_and_says_nothing_is_hung_up_on() {
    let (coordinator, _dir) = start(Protection::default()).await;
    let mut silent = TcpStream::connect(coordinator.local_addr()).await.expect("accepted");
    let mut said = Vec::new();
    // Whether it ends in order or by a reset: it ends.
    let _ = silent.read_to_end(&mut said).await;
}

#[tokio::test]
async fn a_header_without_end_is_refused() {
    let (coordinator, _dir) = start(Protection::default()).await;
    let channel = Channel::from_shared(coordinator.url()).expect("an address");
    let channel = channel.connect().await.expect("open");
    let long = format!("Bearer {}", "x".repeat(1 << 20));
    assert!(call(&channel, "Clients/Greet", Some(&long)).await.is_some());
    Client::connect(&coordinator.url()).await.expect("connected").status().await.expect("answered");
}

/// The tokens of all roles but one.
fn without(role: Role) -> Protection {
    let line = |role: Role| format!("{role} its-{role} {}\n", hash_of(&secret(role)));
    let lines: String = Role::ALL.into_iter().filter(|r| *r != role).map(line).collect();
    Protection {
        tokens: Some(Tokens::parse(&lines).expect("well formed")),
        ..Protection::default()
    }
}

fn as_role(role: Role) -> Access {
    Access { token: Some(Token::new(&secret(role)).expect("long enough")), ..Access::default() }
}

#[tokio::test]
async fn a_token_that_is_taken_back_ends_what_it_has_opened() {
    let (coordinator, _dir) = closed().await;
    let url = coordinator.url();
    let mut reader = Client::connect_with(&url, &as_role(Role::Read)).await.expect("let in");
    let mut boss = Client::connect_with(&url, &as_role(Role::Admin)).await.expect("let in");
    let goal = Goal::normal(CanonicalPosition::of(&Position::start(40)), Question::Nimber);
    let job = boss.submit(goal, 0).await.expect("submitted");
    let mut watched = reader.watch(job.id).await.expect("watched");
    watched.next().await.expect("told");
    let mut worker = Session::open(&url, Role::Worker).await;
    worker.hear().await.expect("welcomed");

    // A protection that cannot be used is not taken, and the old tokens count on.
    assert!(coordinator.reload(Protection::default()).is_err());
    coordinator.reload(without(Role::Submit)).expect("taken");
    reader.status().await.expect("a reader is still known");

    let begun = Instant::now();
    coordinator.reload(without(Role::Read)).expect("taken");
    let mut ended = watched.next().await;
    while let Ok(Some(_)) = ended {
        ended = watched.next().await;
    }
    assert!(ended.unwrap_err().to_string().contains("no longer known"));
    assert!(reader.status().await.is_err(), "on the connection that is still open");
    assert!(Client::connect_with(&url, &as_role(Role::Read)).await.is_err());
    coordinator.reload(without(Role::Worker)).expect("taken");
    let status = worker.hear().await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated, "{}", status.message());
    // The session has ended on this side, too, although the worker has not hung up.
    while !boss.status().await.expect("known").workers.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // Callers whose tokens were taken away and are there again come in again.
    Client::connect_with(&url, &as_role(Role::Read)).await.expect("let in");
    coordinator.shutdown().await.expect("it ends");
}

/// A session of a worker that says hello and no more.
struct Session {
    _out: mpsc::UnboundedSender<wire::FromWorker>,
    incoming: tonic::Streaming<wire::ToWorker>,
}

impl Session {
    async fn open(url: &str, role: Role) -> Self {
        let channel = Channel::from_shared(url.to_owned()).expect("an address");
        let channel = channel.connect().await.expect("open");
        let mut calls = WorkersClient::new(as_role(role).line(channel));
        let (out, outgoing) = mpsc::unbounded_channel();
        let hello = Hello {
            build: Build::here(),
            name: "w".into(),
            worker: WorkerId(1),
            threads: 1,
            holding: None,
            figures: Figures::default(),
            games: vec![Game::Sprouts],
            reign: None,
            looks: false,
        };
        out.send(FromWorker::Hello(hello).into()).expect("open");
        let session = calls.work(UnboundedReceiverStream::new(outgoing)).await.expect("let in");
        Self { _out: out, incoming: session.into_inner() }
    }

    async fn hear(&mut self) -> Result<wire::ToWorker, tonic::Status> {
        self.incoming.message().await?.ok_or_else(|| tonic::Status::ok("closed"))
    }
}

#[test]
fn the_page_tells_the_limits_that_hold() {
    let page = include_str!("../../../docs/security.md").replace(',', "");
    use sprig_proto::limits::*;
    for words in [
        format!("{CONNECTIONS} connections"),
        format!("{BEGINNERS} of one address"),
        format!("{STREAMS} streams a connection"),
        format!("{RESETS} resets"),
        format!("{} KB of headers", HEADER_BYTES >> 10),
        format!("{} MB a message", MESSAGE_BYTES >> 20),
        format!("{FACTS} facts"),
        format!("{LANDS} lands a position"),
        format!("{} KB a land", KEY_BYTES >> 10),
        format!("{} KB of text", TEXT_BYTES >> 10),
        format!("{CALLS_PER_SECOND} calls a second"),
        format!("{CALLS_AT_ONCE} calls at once"),
        format!("{MESSAGES_PER_SECOND} messages a second"),
        format!("{MESSAGES_AT_ONCE} messages at once"),
        format!("{QUERIES} queries at once"),
        format!("{ORDERS} orders wait"),
    ] {
        assert!(page.contains(&words), "docs/security.md does not say `{words}`");
    }
}
