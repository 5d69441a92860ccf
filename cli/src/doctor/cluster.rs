//! Whether the coordinator can be reached, and how it is.

use sprig_ask::{plural, with_verb};
use sprig_proto::{ClientError, ClusterStatus, Code};

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
        Err(error) => Finding::error(
            "access",
            &error,
            "name files that are there and are yours alone (--tls-ca, --tls-cert, --tls-key, --token-file)",
        ),
    }
}

/// Whether the coordinator answers, and what it complains of.
pub async fn cluster(credentials: &Credentials, url: &str) -> Vec<Finding> {
    let mut client = match credentials.connect(url).await {
        Ok(client) => client,
        Err(error) => return vec![unheard(&error)],
    };
    match client.status().await {
        Ok(status) => told(url, &status),
        Err(ClientError::Refused(reason)) => vec![Finding::warning(
            "coordinator",
            format!("it is there, and does not tell us how it is: {}", escaped(reason.message())),
            "ask again with a token or certificate of the role read",
        )],
        Err(error) => vec![unheard(&error.into())],
    }
}

/// The finding where the coordinator does not answer as it should.
fn unheard(error: &anyhow::Error) -> Finding {
    let otherwise = match error.downcast_ref() {
        Some(ClientError::Refused(status))
            if [Code::Unauthenticated, Code::PermissionDenied].contains(&status.code()) =>
        {
            "ask its owner for a token (`sprig token read NAME`) or a certificate, and name it (--token-file, --tls-cert)"
        }
        Some(ClientError::Mismatch(_) | ClientError::Malformed(_)) => {
            "install the same sprig on both sides"
        }
        Some(ClientError::Address(_)) => "correct --coordinator and the files for it",
        _ => "check the address, and look into the log of the coordinator",
    };
    Finding::error("coordinator", error, otherwise)
}

fn told(url: &str, status: &ClusterStatus) -> Vec<Finding> {
    let facts = plural(status.facts, "fact");
    let there = format!("{} at {url}, {facts}", escaped(&status.build.id));
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
                "nothing is acknowledged: {} of {} there",
                status.followers.len(),
                with_verb(status.sync_followers, "follower", ["is", "are"])
            ),
            "start the follower, or the coordinator without --sync-followers",
        ));
    } else if let Some(last) = status.followers.iter().max_by_key(|follower| follower.behind) {
        let detail = format!(
            "{}, the last one {} behind",
            status.followers.len(),
            plural(last.behind, "fact")
        );
        findings.push(Finding::good("followers", detail));
    }
    if status.drained {
        let detail = "the coordinator is drained: nothing is granted";
        findings.push(Finding::warning("work", detail, "`sprig drain --end`, when work may go on"));
    }
    // More workers would not help those that are held.
    let is_short = |job: &&sprig_proto::Job| job.waiting.as_ref().is_some_and(|why| !why.is_held());
    let waiting = status.jobs.iter().filter(is_short).count();
    let workers = status.workers.len();
    let wait = with_verb(waiting, "job", ["waits", "wait"]);
    findings.push(if waiting > 0 && workers == 0 {
        let detail = format!("{wait}, and no worker is connected");
        Finding::bad("workers", detail, "start workers, and look into their logs")
    } else {
        let there = with_verb(workers, "worker", ["is", "are"]);
        Finding::good("workers", format!("{there} connected, {wait}"))
    });
    let others: Vec<_> =
        status.workers.iter().filter(|worker| worker.build != status.build.id).collect();
    if let Some(first) = others.first() {
        findings.push(Finding::warning(
            "versions",
            format!(
                "{} another program than the coordinator, as {} ({})",
                with_verb(others.len(), "worker", ["is", "are"]),
                escaped(&first.name),
                escaped(&first.build)
            ),
            "they work together; install the same one when it suits you",
        ));
    }
    if !status.bans.is_empty() {
        let detail = format!("{} banned", with_verb(status.bans.len(), "name", ["is", "are"]));
        let remedy = "`sprig workers` says why; test the memory of those machines";
        findings.push(Finding::warning("bans", detail, remedy));
    }
    findings
}
