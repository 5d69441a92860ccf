//! Sends spans to a collector of OpenTelemetry, where the environment names one.
//!
//! The library's own way from `tracing` to spans gives them identities of its choice. Here they
//! have those of [`trace`](sprig_proto::trace), so that the spans of several processes meet in one
//! trace; queue, protocol and settings are the library's.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue, Value};
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchSpanProcessor, SpanData, SpanEvents, SpanLinks, SpanProcessor,
};
use tokio::runtime::Runtime;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Subscriber, warn};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::failure::Usage;

/// The environment variables that name a collector, as in <https://opentelemetry.io/docs/specs/otel/protocol/exporter>.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
/// Turns everything off.
const DISABLED: &str = "OTEL_SDK_DISABLED";

/// How long the last spans may take on their way.
const FAREWELL: Duration = Duration::from_secs(2);

/// What sends, and the runtime on which its connection lives.
static SENDER: OnceLock<(BatchSpanProcessor, Runtime)> = OnceLock::new();

/// The layer that sends spans, if the environment names a collector. `part` is what this process is
/// of a cluster.
///
/// # Errors
/// When what the environment says of the collector cannot be used.
pub fn start(part: &str) -> Result<Option<Spans>, Usage> {
    let is_set = |name: &&&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let Some(named) = ENDPOINTS.iter().find(is_set) else { return Ok(None) };
    if std::env::var(DISABLED).is_ok_and(|value| value.eq_ignore_ascii_case("true")) {
        return Ok(None);
    }
    let refused = |error: &dyn fmt::Display| {
        Usage(format!("{named} names no collector of OpenTelemetry that can be used: {error}"))
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("telemetry")
        .enable_all()
        .build()
        .map_err(|error| refused(&error))?;
    let within = runtime.enter();
    let exporter = SpanExporter::builder().with_tonic().build().map_err(|error| refused(&error))?;
    drop(within);
    let mut processor = BatchSpanProcessor::builder(exporter).build();
    processor.set_resource(&resource(part));
    SENDER.get_or_init(|| (processor, runtime));
    let version = env!("CARGO_PKG_VERSION");
    let scope = InstrumentationScope::builder("sprig").with_version(version).build();
    Ok(Some(Spans { scope }))
}

/// Sends what is left, before the process ends.
pub fn end() {
    if let Some((processor, _)) = SENDER.get()
        && let Err(error) = processor.shutdown_with_timeout(FAREWELL)
    {
        warn!("the last spans did not reach the collector: {error}");
    }
}

/// What is said of this process.
fn resource(part: &str) -> Resource {
    let builder = Resource::builder()
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_attribute(KeyValue::new("process.pid", i64::from(std::process::id())));
    let found = builder.build();
    let name = found.get(&"service.name".into()).map(|name| name.to_string());
    if name.is_some_and(|name| !name.starts_with("unknown_service")) {
        return found;
    }
    let attributes = found.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let attributes: Vec<_> = attributes.collect();
    let builder = Resource::builder_empty().with_attributes(attributes);
    builder.with_service_name(format!("sprig-{part}")).build()
}

/// Sends the spans that end.
pub struct Spans {
    scope: InstrumentationScope,
}

/// A span that has not ended.
struct Open {
    name: &'static str,
    begun: SystemTime,
    trace: u128,
    span: u64,
    parent: u64,
    /// Whether the parent is of another process.
    is_remote: bool,
    serves: bool,
    error: Option<String>,
    attributes: Vec<KeyValue>,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut open = Open {
            name: span.name(),
            begun: SystemTime::now(),
            trace: 0,
            span: 0,
            parent: 0,
            is_remote: false,
            serves: false,
            error: None,
            attributes: Vec::new(),
        };
        attributes.record(&mut open);
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            values.record(open);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let (Some(open), Some((sender, _))) =
            (span.extensions_mut().remove::<Open>(), SENDER.get())
        else {
            return;
        };
        sender.on_end(open.ended(self.scope.clone()));
    }
}

impl Open {
    fn ended(self, scope: InstrumentationScope) -> SpanData {
        // What has no identity gets one at random.
        let trace = if self.trace == 0 { fastrand::u128(1..) } else { self.trace };
        let span = if self.span == 0 { fastrand::u64(1..) } else { self.span };
        let (trace, flags) = (TraceId::from(trace), TraceFlags::SAMPLED);
        let kind = if self.serves { SpanKind::Server } else { SpanKind::Internal };
        SpanData {
            span_context: SpanContext::new(
                trace,
                SpanId::from(span),
                flags,
                false,
                TraceState::default(),
            ),
            parent_span_id: SpanId::from(self.parent),
            parent_span_is_remote: self.is_remote,
            span_kind: kind,
            name: Cow::Borrowed(self.name),
            start_time: self.begun,
            end_time: SystemTime::now(),
            attributes: self.attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: self.error.map_or(Status::Unset, Status::error),
            instrumentation_scope: scope,
        }
    }

    fn add(&mut self, field: &Field, value: impl Into<Value>) {
        self.attributes.push(KeyValue::new(field.name(), value));
    }
}

impl Visit for Open {
    fn record_u128(&mut self, field: &Field, value: u128) {
        match field.name() {
            "trace.id" => self.trace = value,
            _ => self.add(field, value.to_string()),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "trace.span" => self.span = value,
            "trace.parent" => self.parent = value,
            // Values have a sign.
            _ => self.add(field, i64::try_from(value).unwrap_or(i64::MAX)),
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        match field.name() {
            "trace.remote" => self.is_remote = value,
            "trace.serves" => self.serves = value,
            _ => self.add(field, value),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "error" => self.error = Some(value.to_owned()),
            _ if value.is_empty() => {}
            _ => self.add(field, value.to_owned()),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format!("{value:?}"));
    }
}
