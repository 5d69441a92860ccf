//! The page of the metrics that Prometheus reads.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;
use sprig_coordinator::{Coordinator, Protection, Trust};
use sprig_store::{Store, UnixMillis};

use super::markdown::{code, sentence, table};
use crate::health::{self, Watched};

const INTRO: &str = "\
# Metrics

What `--metrics ADDR` shows under `/metrics`, in the format of OpenMetrics. `/healthz` says whether the process answers,
`/readyz` whether it can do its work. [Operations](../operations.md#what-to-watch) says which of these to watch.
`sprig_coordinator_worker_expansions` has a value for each connected worker,
`sprig_certificate_end_timestamp_seconds` (when it ends, in seconds since 1970) one for each
certificate that a process uses: `own`, `authority`, `client authority`. Both are missing below.
";

pub fn page() -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut page = INTRO.to_owned();
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let store = Arc::new(Store::in_memory()?);
    let protection = Protection::default();
    let config = sprig_coordinator::Config { listen, store, protection, trust: Trust::Checked };
    page += &runtime.block_on(async {
        let coordinator = Coordinator::start(config).await?;
        let section = section("A coordinator", &coordinator.watcher()).await;
        coordinator.shutdown().await?;
        section
    })?;
    page += &runtime.block_on(section("A worker", &Arc::<sprig_worker::Pulse>::default()))?;
    page += &runtime.block_on(section("A follower", &Arc::<sprig_follower::Pulse>::default()))?;
    page += "\n## A process with a database: coordinators and followers\n\n";
    let folder = tempfile::tempdir()?;
    sprig_store::note_backup(folder.path(), UnixMillis::now())?;
    page += &rows(|registry| health::disk(folder.path(), registry))?;
    page += "\n## Every process\n\n";
    page += &rows(health::of_process)?;
    Ok(page)
}

async fn section(title: &str, watched: &impl Watched) -> anyhow::Result<String> {
    let mut registry = Registry::default();
    anyhow::ensure!(watched.register(&mut registry).await, "no reply");
    Ok(format!("\n## {title}\n\n{}", listed(&registry)?))
}

fn rows(register: impl FnOnce(&mut Registry)) -> anyhow::Result<String> {
    let mut registry = Registry::default();
    register(&mut registry);
    listed(&registry)
}

/// Name, kind and meaning of everything in a registry.
fn listed(registry: &Registry) -> anyhow::Result<String> {
    let mut encoded = String::new();
    text::encode(&mut encoded, registry).context("cannot encode")?;
    let mut rows = Vec::new();
    for line in encoded.lines() {
        let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' '))
        else {
            continue;
        };
        let kind = encoded.lines().find_map(|line| line.strip_prefix(&format!("# TYPE {name} ")));
        let kind = kind.unwrap_or_default();
        let shown = match kind {
            "counter" => format!("{name}_total"),
            "info" => format!("{name}_info"),
            _ => name.to_owned(),
        };
        rows.push([code(&shown), kind.to_owned(), sentence(help)]);
    }
    Ok(table(["metric", "kind", "meaning"], rows.into_iter()))
}
