//! Spans of real processes, taken by a collector that speaks the protocol of OpenTelemetry.
#![cfg(all(feature = "coordinator", feature = "otel"))]

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use crate::common::processes::{Coordinator, Process};
use crate::common::{command, fails, folder, json, text};

/// A span, with what is said of its process.
#[derive(Clone, Debug)]
struct Span {
    service: String,
    name: String,
    trace: Vec<u8>,
    span: Vec<u8>,
    parent: Vec<u8>,
    said: BTreeMap<String, String>,
    error: String,
}

/// Takes spans and keeps them.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Span>>>);

fn words(list: Vec<KeyValue>) -> BTreeMap<String, String> {
    let word = |value: Option<AnyValue>| match value.and_then(|value| value.value) {
        Some(Value::StringValue(text)) => text,
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::BoolValue(is)) => is.to_string(),
        Some(Value::DoubleValue(number)) => number.to_string(),
        other => panic!("{other:?}"),
    };
    list.into_iter().map(|pair| (pair.key, word(pair.value))).collect()
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for process in request.into_inner().resource_spans {
            let of_process = words(process.resource.expect("it says who it is").attributes);
            let spans = process.scope_spans.into_iter().flat_map(|scope| scope.spans);
            self.0.lock().expect("whole").extend(spans.map(|span| {
                assert!(span.start_time_unix_nano <= span.end_time_unix_nano);
                Span {
                    service: of_process["service.name"].clone(),
                    name: span.name,
                    trace: span.trace_id,
                    span: span.span_id,
                    parent: span.parent_span_id,
                    said: words(span.attributes),
                    error: span.status.map(|status| status.message).unwrap_or_default(),
                }
            }));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// Starts a collector; gives its address.
fn collector() -> (Collector, String) {
    let collector = Collector::default();
    let service = TraceServiceServer::new(collector.clone());
    let (found, address) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let incoming = TcpIncoming::bind("127.0.0.1:0".parse().expect("an address"));
            let incoming = incoming.expect("a free port");
            found.send(incoming.local_addr().expect("it is bound")).expect("somebody waits");
            let server = Server::builder().add_service(service);
            server.serve_with_incoming(incoming).await.expect("it serves");
        });
    });
    let address = address.recv_timeout(Duration::from_secs(10)).expect("it listens");
    (collector, format!("http://{address}"))
}

#[test]
fn a_job_is_one_trace_through_all_processes() {
    let (collector, endpoint) = collector();
    let traced = |mut command: Command| {
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint);
        command
    };
    let db = folder();
    let db = text(db.path());
    let coordinator = ["coordinator", "--listen", "127.0.0.1:0", "--db", &db];
    let coordinator = Coordinator::of(traced(command(&coordinator)));
    let mut worker = command(&["worker", "--coordinator", &coordinator.url, "--name", "ash"]);
    worker.args(["--threads", "1"]).stderr(Stdio::null()).env("OTEL_SERVICE_NAME", "my-worker");
    let worker = Process::of(traced(worker));
    let submitted =
        json(&["submit", "0*12", "--wait", "--coordinator", &coordinator.url, "--json"]);
    assert_eq!(submitted["outcome"], "loss", "{submitted}");
    fails(&["cancel", "7", "--coordinator", &coordinator.url], &["7"]);
    // What is left is sent before the end.
    worker.signal("-TERM");
    assert_eq!(worker.end(), Some(0));
    coordinator.process.signal("-TERM");
    assert_eq!(coordinator.process.end(), Some(0));

    let spans = collector.0.lock().expect("whole").clone();
    let named = |name: &str| spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
    let [job] = named("job")[..] else { panic!("{spans:?}") };
    let [lease] = named("lease")[..] else { panic!("{spans:?}") };
    let [search] = named("search")[..] else { panic!("{spans:?}") };
    assert_eq!((&*job.service, &*job.said["sprig.position"]), ("sprig-coordinator", "0*12"));
    assert_eq!((&*job.said["sprig.state"], &*job.error), ("loss", ""));
    assert!(job.said["sprig.expansions"].parse::<u64>().is_ok_and(|number| number > 1_000));
    assert_eq!((&lease.trace, &lease.parent), (&job.trace, &job.span));
    assert_eq!((&*lease.said["sprig.worker"], &*lease.said["sprig.end"]), ("ash", "answered"));
    assert_eq!(search.service, "my-worker", "the environment names it");
    assert_eq!((&search.trace, &search.parent), (&job.trace, &lease.span));
    assert_eq!(search.said["sprig.decided"], "true");
    let checks = named("check of the answer");
    assert!(checks.iter().all(|check| check.parent == job.span), "{checks:?}");
    assert!(!checks.is_empty(), "a checked cluster shows its answers");
    let calls = named("call");
    let refused = calls.iter().filter(|call| !call.error.is_empty()).collect::<Vec<_>>();
    assert!(calls.iter().any(|call| call.said["rpc.method"].ends_with("Clients/Submit")));
    assert!(refused.iter().any(|call| call.error.contains('7')), "{refused:?}");
}

#[test]
fn a_collector_that_cannot_be_used_is_refused_and_one_that_is_away_stops_nothing() {
    let mut bad = command(&["worker", "--coordinator", "http://127.0.0.1:1"]);
    let said = bad.env("OTEL_EXPORTER_OTLP_ENDPOINT", "no address").output().expect("it runs");
    let words = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(2), "{words}");
    assert!(words.contains("OTEL_EXPORTER_OTLP_ENDPOINT"), "{words}");

    let db = folder();
    let db = text(db.path());
    let mut coordinator = command(&["coordinator", "--listen", "127.0.0.1:0", "--db", &db]);
    coordinator.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");
    let coordinator = Coordinator::of(coordinator);
    let _worker = Process::worker(&coordinator.url, "ash");
    let asked = ["submit", "0*7", "--wait", "--coordinator", &coordinator.url, "--json"];
    assert_eq!(json(&asked)["outcome"], "loss");
    coordinator.process.signal("-TERM");
    assert_eq!(coordinator.process.end(), Some(0));
}
