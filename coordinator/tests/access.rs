//! Who may do what, over real gRPC: every call that the protocol has, by every role.

use std::path::Path;
use std::sync::Arc;

use sprig_coordinator::access::{Tokens, hash_of};
use sprig_coordinator::{Config, Coordinator, Protection, Trust};
use sprig_proto::{Access, Client, ClientError, JobId, JobOrder, Role, TOKEN_CHARS, Token};
use sprig_store::Store;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Code, Request};
use tonic_prost::ProstCodec;

/// Every call, and who may make it: in this order read, submit, worker, admin. A new call needs a row here.
const EXPECTED: &[(&str, [bool; 4])] = &[
    ("Clients/Greet", [true, true, true, true]),
    ("Clients/Status", [true, true, false, true]),
    ("Clients/Watch", [true, true, false, true]),
    ("Clients/Query", [true, true, false, true]),
    ("Clients/Moves", [true, true, false, true]),
    ("Clients/Jobs", [true, true, false, true]),
    ("Clients/Submit", [false, true, false, true]),
    ("Clients/Order", [false, true, false, true]),
    ("Clients/Drain", [false, false, false, true]),
    ("Workers/Work", [false, false, true, true]),
    ("Workers/Facts", [false, false, true, true]),
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
    let store = Arc::new(Store::open(dir.path()).expect("a database"));
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

/// Makes a call with an empty message; the code it was refused with, if it was.
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
    let connect = || async {
        Channel::from_shared(coordinator.url()).expect("an address").connect().await.expect("open")
    };
    for (name, allowed) in EXPECTED {
        let channel = connect().await;
        for (role, allowed) in Role::ALL.into_iter().zip(allowed) {
            let code = call(&channel, name, Some(&format!("Bearer {}", secret(role)))).await;
            let refused = code == Some(Code::PermissionDenied);
            assert_eq!(refused, !allowed, "{role} calls {name}: {code:?}");
            assert_ne!(code, Some(Code::Unauthenticated), "{role} calls {name}");
            // A call without a row in the coordinator's own table would be one that nobody may make.
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
    let channel = connect().await;
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

// Takes the ten seconds that everybody has.
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
