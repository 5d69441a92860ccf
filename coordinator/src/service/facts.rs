//! Facts of others, streamed to a worker at its pace.

use std::sync::Arc;

use sprig_domain::{Play, Ruleset, TreeKey};
use sprig_proto::{WorkerId, limits, wire};
use sprig_store::{Fact, Kind, Sequence, Status as Known, StoredFact, Value};
use tokio::sync::mpsc;
use tonic::Status;

use super::Context;
use crate::Trust;
use crate::feed::Feed;

/// A worker that follows the facts.
#[derive(Clone, Copy)]
pub(super) struct Follower {
    pub(super) worker: WorkerId,
    /// It wants facts of this game and play.
    pub(super) ruleset: Ruleset,
    /// Its own facts from before this number it has forgotten; later ones it knows.
    pub(super) forgotten: u64,
}

/// Sends facts from `from` on, without the follower's own, until it goes away. A batch that was
/// read waits for the worker, so no more than one is held for it.
pub(super) async fn send(
    context: Context,
    follower: Follower,
    mut from: u64,
    out: mpsc::Sender<Result<wire::FactBatch, Status>>,
) {
    // The worker waits to hear that it has everything that there was at the beginning, even if
    // there was nothing.
    let mut news = true;
    let here = context.feed.subscribe();
    // A worker that comes back may have passed over facts that are told by now. To hear them twice
    // does no harm.
    let mut seen = if from > 0 { 0 } else { context.feed.told() };
    loop {
        let Some(end) = context.feed.total() else { return };
        // Only claims about nimbers are looked at, so only these have waited.
        let (late, now) = context.feed.told_late(seen, from);
        seen = now;
        for stretch in late.into_iter().filter(|_| follower.ruleset.play == Play::Normal) {
            let mut at = stretch.start;
            while at < stretch.end {
                let batch = match next_batch(&context, follower, at, stretch.end).await {
                    Ok(batch) => batch,
                    Err(status) => return drop(out.send(Err(status)).await),
                };
                at = batch.next;
                let batch = wire::FactBatch { next: from, ..batch };
                if !batch.facts.is_empty() && out.send(Ok(batch)).await.is_err() {
                    return;
                }
            }
        }
        while from < end || news {
            let batch = match next_batch(&context, follower, from, end).await {
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
            () = context.feed.changed(end, seen) => {}
            () = out.closed() => return,
        }
        // What is committed meanwhile goes into the same message: one for many commits.
        tokio::time::sleep(here.gather()).await;
    }
}

/// The facts from `from` up to `end`, or the first of them.
async fn next_batch(
    context: &Context,
    follower: Follower,
    mut from: u64,
    end: u64,
) -> Result<wire::FactBatch, Status> {
    while let Some(after) = passed_over(&context.feed, follower, from) {
        from = after;
    }
    let game = wire::Game::from(follower.ruleset.game).into();
    if from >= end {
        return Ok(wire::FactBatch { facts: Vec::new(), next: from, game });
    }
    let turn = Arc::clone(&context.tellers).acquire_owned().await;
    let turn = turn.expect("turns are never closed");
    // What is told late comes in many short stretches.
    let most = usize::try_from(end - from).map_or(limits::FACTS, |left| left.min(limits::FACTS));
    let stored = context.need(move |store| {
        let stored = store.facts_from(Sequence(from), most);
        // Reading ends the turn, also when nobody waits for what was read.
        drop(turn);
        stored
    });
    let stored = stored.await?;
    let mut batch = wire::FactBatch {
        facts: Vec::new(),
        next: if stored.is_empty() { end } else { from },
        game,
    };
    let mut bytes = 0;
    for StoredFact { fact, sequence } in stored {
        if sequence.0 >= end {
            batch.next = end;
            break;
        }
        // What this process proves is verified without a second look, so it must not stand on what
        // others claim. A tree need not be believed: its key and its being reduced are checked by
        // the search that learns it.
        let told = context.trust != Trust::Own
            || fact.status == Known::Verified
            || fact.kind() == Kind::Tree;
        let passed_over = passed_over(&context.feed, follower, sequence.0).is_some();
        if told && is_of(&fact, follower.ruleset) && !passed_over {
            bytes += size(&fact);
            if bytes > limits::FACT_BYTES {
                break;
            }
            batch.facts.push(sent(fact));
        }
        batch.next = sequence.0 + 1;
    }
    Ok(batch)
}

/// What is verified under these rules, as a page. `stored` holds facts from a sequence number on,
/// at most as many as are read at once.
pub(super) fn verified(stored: Vec<StoredFact>, rules: Ruleset) -> wire::VerifiedPage {
    let is_full = stored.len() == limits::FACTS;
    let (mut page, mut bytes) = (wire::VerifiedPage::default(), 0);
    for StoredFact { fact, sequence } in stored {
        if fact.status == Known::Verified && is_of(&fact, rules) {
            bytes += size(&fact);
            if bytes > limits::FACT_BYTES && !page.facts.is_empty() {
                return wire::VerifiedPage { next: sequence.0, ..page };
            }
            page.facts.push(sent(fact));
        }
        page.next = sequence.0 + 1;
    }
    wire::VerifiedPage { next: if is_full { page.next } else { 0 }, ..page }
}

/// The end of the facts around this one that the follower is not told: it has found them itself,
/// or a newcomer claims them.
fn passed_over(feed: &Feed, follower: Follower, sequence: u64) -> Option<u64> {
    let (end, own) = feed.untold(follower.worker, sequence)?;
    let is_known =
        if own { sequence >= follower.forgotten } else { follower.ruleset.play == Play::Normal };
    is_known.then_some(end)
}

/// Whether a fact says something under these rules. Trees are those of every game.
fn is_of(fact: &Fact, Ruleset { game, play }: Ruleset) -> bool {
    match fact.kind() {
        Kind::Nimber => play == Play::Normal && fact.game == game,
        Kind::Tree => play == Play::Misere,
        Kind::Rct | Kind::Loss => play == Play::Misere && fact.game == game,
    }
}

/// Bytes of lands and keys.
pub(crate) fn size(fact: &Fact) -> usize {
    let keys = match &fact.value {
        Value::Options(options) => options.len(),
        Value::Nimber(_) | Value::Rct(_) | Value::Loss => 1,
    };
    fact.subject.len() + keys * size_of::<TreeKey>()
}

/// A fact as a message. What is on disk was checked when it came.
pub(crate) fn sent(fact: Fact) -> wire::Fact {
    use wire::fact::{Fact as Any, Nimber, Rct, Tree};
    let subject = fact.subject.into();
    let fact = match fact.value {
        Value::Nimber(nimber) => Any::Nimber(Nimber { land: subject, nimber: nimber.get().into() }),
        Value::Options(options) => {
            let options = options.iter().flat_map(|option| *option.as_bytes()).collect();
            Any::Tree(Tree { tree: subject, options })
        }
        Value::Rct(tree) => Any::Rct(Rct { land: subject, tree: tree.as_bytes().to_vec() }),
        Value::Loss => Any::Loss(subject),
    };
    wire::Fact { fact: Some(fact) }
}
