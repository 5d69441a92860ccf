//! Facts of others, streamed to a worker at its pace.

use std::time::Duration;

use sprig_proto::{WorkerId, limits, wire};
use sprig_store::{Sequence, StoredFact, Value};
use tokio::sync::mpsc;
use tonic::Status;

use super::Desk;

/// How long new facts are gathered before a worker is sent them.
const GATHER: Duration = Duration::from_millis(20);

/// Sends facts from `from` on, those of `worker` left out, until the worker goes away. What has been read waits for the
/// worker, so no more than one batch is held for it.
pub(super) async fn send(
    desk: Desk,
    worker: WorkerId,
    mut from: u64,
    out: mpsc::Sender<Result<wire::FactBatch, Status>>,
) {
    let mut total = desk.feed.follow();
    // The worker waits to hear that it has everything there was at the beginning, even if that is nothing.
    let mut news = true;
    loop {
        let Some(end) = *total.borrow_and_update() else { return };
        while from < end || news {
            let batch = match next_batch(&desk, worker, from, end).await {
                Ok(batch) => batch,
                Err(status) => return drop(out.send(Err(status)).await),
            };
            from = batch.next;
            if news || !batch.facts.is_empty() {
                news = from < end;
                if out.send(Ok(batch)).await.is_err() {
                    return;
                }
            }
        }
        tokio::select! {
            biased;
            changed = total.changed() => if changed.is_err() { return },
            () = out.closed() => return,
        }
        // What is committed meanwhile goes with it: one message for many commits.
        tokio::time::sleep(GATHER).await;
    }
}

/// The facts from `from` up to `end`, or the first of them.
async fn next_batch(
    desk: &Desk,
    worker: WorkerId,
    mut from: u64,
    end: u64,
) -> Result<wire::FactBatch, Status> {
    while let Some(after) = desk.feed.own(worker, from) {
        from = after;
    }
    if from >= end {
        return Ok(wire::FactBatch { facts: Vec::new(), next: from });
    }
    let stored = desk.ask(move |store| store.facts_from(Sequence(from), limits::FACTS)).await?;
    let mut batch =
        wire::FactBatch { facts: Vec::new(), next: if stored.is_empty() { end } else { from } };
    let mut bytes = 0;
    for StoredFact { fact, sequence } in stored {
        bytes += fact.subject.len();
        if bytes > limits::FACT_BYTES {
            break;
        }
        batch.next = sequence.0 + 1;
        if let Value::Nimber(nimber) = fact.value
            && desk.feed.own(worker, sequence.0).is_none()
        {
            batch.facts.push(wire::Fact { land: fact.subject.into(), nimber: nimber.get().into() });
        }
    }
    Ok(batch)
}
