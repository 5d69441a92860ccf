//! Facts of others, streamed to a worker at its pace.

use std::ops::Range;
use std::sync::Arc;

use sprig_domain::{Play, Ruleset, TreeKey};
use sprig_proto::{WorkerId, limits, wire};
use sprig_store::{Fact, Kind, Status as Known, StoredFact, Value};
use tokio::sync::mpsc;
use tonic::Status;

use super::Context;
use crate::Trust;
use crate::feed::Feed;
use crate::pages::{Page, Turn};

/// A worker that follows the facts.
#[derive(Clone, Copy)]
pub(super) struct Follower {
    pub(super) worker: WorkerId,
    /// It wants facts of this game and play.
    pub(super) ruleset: Ruleset,
    /// Its own facts from before this number it has forgotten; later ones it knows.
    pub(super) forgotten: u64,
    /// It reads facts from a copy of the database, and is told where they stand.
    pub(super) from_copy: bool,
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
                if tells(&batch) && out.send(Ok(batch)).await.is_err() {
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
            if news || tells(&batch) {
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

fn tells(batch: &wire::FactBatch) -> bool {
    !batch.facts.is_empty() || !batch.stretches.is_empty()
}

/// The facts from `from` up to `end`, or the first of them.
async fn next_batch(
    context: &Context,
    follower: Follower,
    from: u64,
    end: u64,
) -> Result<wire::FactBatch, Status> {
    // What is told where this process believes itself alone is not all that stands there.
    if follower.from_copy && context.trust != Trust::Own {
        return Ok(whereabouts(context, follower, from, end));
    }
    let turn = Arc::new(context.pages.turn().await);
    let Stretches { told, next } = stretches(&context.feed, follower, from, end);
    let mut batch = Batch::new(follower.ruleset);
    batch.0.next = next;
    // What this process proves is verified without a second look, so it must not stand on what
    // others claim. A tree need not be believed: its key and its being reduced are checked by the
    // search that learns it.
    let is_told = |fact: &Fact| {
        context.trust != Trust::Own || fact.status == Known::Verified || fact.kind() == Kind::Tree
    };
    for wire::Stretch { start: mut at, end } in told {
        while at < end {
            let page = page(context, at..end, &turn).await?;
            let until = page.range.end.min(end);
            for StoredFact { fact, sequence } in page.within(&(at..until)) {
                if is_told(fact) && is_of(fact, follower.ruleset) && !batch.add(fact) {
                    batch.0.next = sequence.0;
                    return Ok(batch.0);
                }
            }
            at = until;
        }
    }
    Ok(batch.0)
}

/// The facts of this stretch, or the first of them.
async fn page(
    context: &Context,
    stretch: Range<u64>,
    turn: &Arc<Turn>,
) -> Result<Arc<Page>, Status> {
    // There is but one database, which loses facts now and then.
    let version = (0, context.store.gone());
    if let Some(page) = context.pages.find(stretch.start, version) {
        return Ok(page);
    }
    let (pages, trust, turn) = (Arc::clone(&context.pages), context.trust, Arc::clone(turn));
    let read = context.need(move |store| {
        // Where no claims are told, one that is verified later is told from then on.
        let version = (trust != Trust::Own).then(|| (0, store.gone()));
        let page = pages.page(stretch, version, |from, most| store.facts_from(from, most));
        // Until now others wait, also when nobody wants this any more.
        drop(turn);
        page
    });
    read.await
}

/// A message of facts, and the bytes of their keys.
pub(super) struct Batch(pub(super) wire::FactBatch, usize);

impl Batch {
    pub(super) fn new(ruleset: Ruleset) -> Self {
        let game = wire::Game::from(ruleset.game).into();
        Self(wire::FactBatch { game, ..wire::FactBatch::default() }, 0)
    }

    /// Adds a fact. `false` if the message is full.
    pub(super) fn add(&mut self, fact: &Fact) -> bool {
        let Self(batch, bytes) = self;
        let more = *bytes + size(fact);
        if more > limits::FACT_BYTES || batch.facts.len() == limits::FACTS {
            return false;
        }
        *bytes = more;
        batch.facts.push(sent(fact.clone()));
        true
    }
}

/// Where those facts stand in a copy. They are told now. A copy that has come as far as the
/// database has come by now lacks what was withdrawn until now, and what is withdrawn later the
/// worker is told to forget, like all that it was told.
fn whereabouts(context: &Context, follower: Follower, from: u64, end: u64) -> wire::FactBatch {
    let stretches = stretches(&context.feed, follower, from, end);
    wire::FactBatch {
        facts: Vec::new(),
        next: stretches.next,
        game: wire::Game::from(follower.ruleset.game).into(),
        stretches: stretches.told,
        position: context.store.position(),
    }
}

struct Stretches {
    told: Vec<wire::Stretch>,
    /// Everything below is in them, or not told.
    next: u64,
}

/// The stretches from `from` up to `end` that the follower is told, as many as go into a message.
fn stretches(feed: &Feed, follower: Follower, from: u64, end: u64) -> Stretches {
    let (mut told, mut next) = (Vec::<wire::Stretch>::new(), from);
    let mut room = limits::IN_STRETCHES;
    while next < end {
        if let Some(after) = passed_over(feed, follower, next) {
            next = after;
            continue;
        }
        let border = feed.border(next).unwrap_or(end);
        // Of its own facts it has forgotten the first.
        let known = if next < follower.forgotten { follower.forgotten } else { end };
        let until = border.min(known).min(end).min(next + room);
        room -= until - next;
        match told.last_mut().filter(|last| last.end == next) {
            Some(last) => last.end = until,
            None => told.push(wire::Stretch { start: next, end: until }),
        }
        next = until;
        if room == 0 || told.len() == limits::STRETCHES {
            break;
        }
    }
    Stretches { told, next }
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
pub(super) fn is_of(fact: &Fact, Ruleset { game, play }: Ruleset) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    const NEWCOMER: WorkerId = WorkerId(1);
    const READER: WorkerId = WorkerId(2);

    fn told(feed: &Feed, follower: Follower, from: u64, end: u64) -> (Vec<(u64, u64)>, u64) {
        let Stretches { told, next } = stretches(feed, follower, from, end);
        (told.iter().map(|&wire::Stretch { start, end }| (start, end)).collect(), next)
    }

    #[test]
    fn stretches_leave_out_what_a_follower_knows_or_is_not_told() {
        let feed = Feed::new(5, true);
        feed.admit("reader");
        feed.note(5..9, NEWCOMER, "newcomer");
        feed.note(9..20, READER, "reader");
        feed.note(22..30, WorkerId(3), "reader");
        let normal = Ruleset::default();
        let new = Follower { worker: READER, ruleset: normal, forgotten: 0, from_copy: true };
        assert_eq!(told(&feed, new, 0, 30), (vec![(0, 5), (20, 30)], 30));
        assert_eq!(told(&feed, new, 3, 25), (vec![(3, 5), (20, 25)], 25));
        assert_eq!(told(&feed, new, 6, 8), (vec![], 9));
        // Of its own it has forgotten the first.
        let forgetful = Follower { forgotten: 12, ..new };
        assert_eq!(told(&feed, forgetful, 0, 30), (vec![(0, 5), (9, 12), (20, 30)], 30));
        // Claims of misère play are told at once.
        let misere = Ruleset { play: Play::Misere, ..normal };
        let misere = Follower { ruleset: misere, ..new };
        assert_eq!(told(&feed, misere, 0, 30), (vec![(0, 9), (20, 30)], 30));
        feed.admit("newcomer");
        assert_eq!(told(&feed, new, 0, 30), (vec![(0, 9), (20, 30)], 30));
    }

    #[test]
    fn a_message_has_not_too_many_stretches_and_facts() {
        let all = limits::IN_STRETCHES + 7;
        let (feed, ruleset) = (Feed::new(all, false), Ruleset::default());
        let reader = Follower { worker: READER, ruleset, forgotten: 0, from_copy: true };
        let most = limits::IN_STRETCHES;
        assert_eq!(told(&feed, reader, 0, all), (vec![(0, most)], most));
        assert_eq!(told(&feed, reader, most, all), (vec![(most, all)], all));
        let feed = Feed::new(0, false);
        (0..2_000).for_each(|n| feed.note(2 * n..2 * n + 1, READER, "reader"));
        let (stretches, next) = told(&feed, reader, 0, 4_000);
        assert_eq!((stretches.len(), next), (limits::STRETCHES, 2 * limits::STRETCHES as u64));
    }
}
