//! Whether the coordinator can be reached, and how it is.

use sprig_proto::{ClientError, ClusterStatus};

use super::Finding;
use crate::connect::Credentials;
use crate::failure::escaped;

/// Whether the credentials can be used.
pub fn access(credentials: &Credentials) -> Finding {
    match credentials.access() {
        Ok(access) => {
            let by = match (&access.tls, &access.token) {
                (Some(tls), _) if tls.own.is_some() => "with a certificate",
                (_, Some(_)) => "with a token",
                _ => "without a name",
            };
            let line = if access.tls.is_some() { "over TLS" } else { "in the open" };
            Finding::good("access", format!("we come {by}, {line}"))
        }
        Err(error) => Finding::error("access", &error),
    }
}

/// Whether the coordinator answers, and what it complains of.
pub async fn cluster(credentials: &Credentials, url: &str) -> Vec<Finding> {
    let mut client = match credentials.connect(url).await {
        Ok(client) => client,
        Err(error) => return vec![Finding::error("coordinator", &error)],
    };
    match client.status().await {
        Ok(status) => told(url, &status),
        Err(ClientError::Refused(reason)) => vec![Finding::warning(
            "coordinator",
            format!("it is there, and does not tell us how it is: {}", escaped(reason.message())),
            "ask again with a token or certificate of the role read",
        )],
        Err(error) => vec![Finding::error("coordinator", &error.into())],
    }
}

fn told(url: &str, status: &ClusterStatus) -> Vec<Finding> {
    let facts = status.facts;
    let there = format!("{} at {url}, {facts} facts", escaped(&status.build.id));
    let mut findings = vec![Finding::good("coordinator", there)];
    if status.suspended {
        findings.push(Finding::warning(
            "trust",
            "every claim is being looked at, nobody works meanwhile",
            "wait some minutes; `sprig workers` says who was banned",
        ));
    }
    if status.withheld {
        findings.push(Finding::bad(
            "followers",
            format!(
                "nothing is acknowledged: {} of {} are there",
                status.followers.len(),
                status.sync_followers
            ),
            "start the follower, or the coordinator without --sync-followers",
        ));
    } else if let Some(last) = status.followers.iter().max_by_key(|follower| follower.behind) {
        let detail =
            format!("{}, the last one {} facts behind", status.followers.len(), last.behind);
        findings.push(Finding::good("followers", detail));
    }
    if status.drained {
        let detail = "the coordinator is drained: nothing is granted";
        findings.push(Finding::warning("work", detail, "`sprig drain --end`, when work may go on"));
    }
    let waiting = status.jobs.iter().filter(|job| job.waiting.is_some()).count();
    let workers = status.workers.len();
    findings.push(if waiting > 0 && workers == 0 {
        let detail = format!("{waiting} jobs wait, and no worker is connected");
        Finding::bad("workers", detail, "start workers, and look into their logs")
    } else {
        Finding::good("workers", format!("{workers} are connected, {waiting} jobs wait"))
    });
    let others: Vec<_> =
        status.workers.iter().filter(|worker| worker.build != status.build.id).collect();
    if let Some(first) = others.first() {
        findings.push(Finding::warning(
            "versions",
            format!(
                "{} workers are another program than the coordinator, as {} ({})",
                others.len(),
                escaped(&first.name),
                escaped(&first.build)
            ),
            "they work together; install the same one when it suits you",
        ));
    }
    if !status.bans.is_empty() {
        let detail = format!("{} names are banned", status.bans.len());
        let remedy = "`sprig workers` says why; test the memory of those machines";
        findings.push(Finding::warning("bans", detail, remedy));
    }
    findings
}
