//! Facts of others, streamed to a worker at its pace.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use sprig_domain::{Play, Ruleset};
use sprig_proto::{WorkerId, limits, wire};
use sprig_store::{Kind, Status as Known, StoredFact};
use tokio::sync::mpsc;
use tonic::Status;

use super::Context;
use crate::Trust;
use crate::authors::Stretch;
use crate::feed::Feed;
use crate::pages::{Page, Turn};
use crate::told::{Told, is_of, sent, size};

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
    let _here = context.feed.subscribe();
    // A worker that comes back may have passed over facts that are told by now. To hear them twice
    // does no harm.
    let mut seen = if from > 0 { 0 } else { context.feed.told() };
    loop {
        // A worker that asks anew hears that it has everything, also while it rests.
        if !news {
            tokio::select! {
                biased;
                () = context.feed.awake(follower.worker) => {}
                () = out.closed() => return,
            }
        }
        let Some(end) = context.feed.total() else { return };
        let (late, now) = context.feed.told_late(seen, from);
        seen = now;
        let mut late = told_late(follower, late);
        while !late.is_empty() {
            let batch = match next_batch(&context, follower, &mut late).await {
                Ok(batch) => wire::FactBatch { next: from, ..batch },
                Err(status) => return drop(out.send(Err(status)).await),
            };
            if tells(&batch) && out.send(Ok(batch)).await.is_err() {
                return;
            }
        }
        while from < end || news {
            let Stretches { told, next } = stretches(&context.feed, follower, from, end);
            let mut told = told.into();
            let batch = match next_batch(&context, follower, &mut told).await {
                Ok(batch) => batch,
                Err(status) => return drop(out.send(Err(status)).await),
            };
            from = told.front().map_or(next, |left| left.start);
            if news || tells(&batch) {
                news = from < end;
                if out.send(Ok(wire::FactBatch { next: from, ..batch })).await.is_err() {
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
        tokio::time::sleep(context.feed.gather()).await;
    }
}

fn tells(batch: &wire::FactBatch) -> bool {
    !batch.facts.is_empty() || !batch.stretches.is_empty()
}

/// A message of the facts of these stretches, or of the first of them. What it says is taken off them.
async fn next_batch(
    context: &Context,
    follower: Follower,
    stretches: &mut VecDeque<wire::Stretch>,
) -> Result<wire::FactBatch, Status> {
    // What is told where this process believes itself alone is not all that stands there.
    if follower.from_copy && context.trust != Trust::Own {
        return Ok(whereabouts(context, follower, stretches));
    }
    let turn = Arc::new(context.pages.turn().await);
    let mut batch = Batch::new(follower.ruleset);
    // What this process proves is verified without a second look, so it must not stand on what
    // others claim. A tree need not be believed: its key and its being reduced are checked by the
    // search that learns it.
    let is_told = |fact: &Told| {
        context.trust != Trust::Own || fact.status == Known::Verified || fact.kind == Kind::Tree
    };
    while let Some(stretch) = stretches.front_mut() {
        let page = page(context, stretch.start..stretch.end, &turn).await?;
        let until = page.range.end.min(stretch.end);
        for fact in page.within(&(stretch.start..until)) {
            if is_told(fact) && fact.is_of(follower.ruleset) && !batch.add(fact) {
                stretch.start = fact.sequence;
                return Ok(batch.0);
            }
        }
        stretch.start = until;
        if until >= stretch.end {
            stretches.pop_front();
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

/// A message of facts, and their bytes.
pub(super) struct Batch(pub(super) wire::FactBatch, usize);

impl Batch {
    pub(super) fn new(ruleset: Ruleset) -> Self {
        let game = wire::Game::from(ruleset.game).into();
        Self(wire::FactBatch { game, ..wire::FactBatch::default() }, 0)
    }

    /// Adds a fact. `false` if the message is full.
    pub(super) fn add(&mut self, fact: &Told) -> bool {
        let Self(batch, bytes) = self;
        let more = *bytes + fact.message.len();
        let is_full = more > limits::FACT_BYTES || batch.facts.len() == limits::FACTS;
        if is_full && !batch.facts.is_empty() {
            return false;
        }
        *bytes = more;
        batch.facts.push(fact.message.clone());
        true
    }
}

/// Where those facts stand in a copy. They are told now. A copy that has come as far as the
/// database has come by now lacks what was withdrawn until now, and what is withdrawn later the
/// worker is told to forget, like all that it was told.
fn whereabouts(
    context: &Context,
    follower: Follower,
    stretches: &mut VecDeque<wire::Stretch>,
) -> wire::FactBatch {
    let (mut told, mut room) = (Vec::new(), limits::IN_STRETCHES);
    while room > 0
        && told.len() < limits::STRETCHES
        && let Some(stretch) = stretches.front_mut()
    {
        let end = stretch.end.min(stretch.start + room);
        room -= end - stretch.start;
        told.push(wire::Stretch { start: stretch.start, end });
        stretch.start = end;
        if end == stretch.end {
            stretches.pop_front();
        }
    }
    wire::FactBatch {
        facts: Vec::new(),
        next: 0,
        game: wire::Game::from(follower.ruleset.game).into(),
        stretches: told,
        position: context.store.position(),
    }
}

struct Stretches {
    told: Vec<wire::Stretch>,
    /// Everything below is in them, or not told.
    next: u64,
}

/// What the follower is told late, in order.
fn told_late(follower: Follower, late: Vec<Stretch>) -> VecDeque<wire::Stretch> {
    let late = late.into_iter().filter(|_| follower.ruleset.play == Play::Normal);
    let is_known =
        |it: &Stretch| it.worker == follower.worker && it.range.start >= follower.forgotten;
    let mut late: Vec<_> = late.filter(|it| !is_known(it)).map(|it| it.range).collect();
    late.sort_unstable_by_key(|range| range.start);
    let mut told = VecDeque::<wire::Stretch>::new();
    for Range { start, end } in late {
        match told.back_mut().filter(|last| last.end == start) {
            Some(last) => last.end = end,
            None => told.push_back(wire::Stretch { start, end }),
        }
    }
    told
}

/// The stretches from `from` up to `end` that the follower is told, as many as go into a message.
fn stretches(feed: &Feed, follower: Follower, from: u64, end: u64) -> Stretches {
    let (mut told, mut next, mut room) = (Vec::new(), from, limits::IN_STRETCHES);
    let end = end.min(from + room);
    let Follower { worker, forgotten, .. } = follower;
    let authors = feed.authors();
    let mut untold = authors.own(worker, forgotten, &(from..end));
    // Only claims about nimbers are looked at, so only these wait.
    if follower.ruleset.play == Play::Normal {
        untold.extend(authors.waiting(worker, &(from..end)));
        untold.sort_unstable_by_key(|range| range.start);
    }
    drop(authors);
    untold.push(end..end);
    for Range { start, end } in untold {
        if next < start {
            let until = start.min(next + room);
            if told.len() == limits::STRETCHES || room == 0 {
                break;
            }
            told.push(wire::Stretch { start: next, end: until });
            room -= until - next;
            next = until;
            if until < start {
                break;
            }
        }
        next = next.max(end);
    }
    Stretches { told, next }
}

/// What is verified under these rules, as a page. `stored` holds facts from a sequence number on,
/// at most as many as are read at once.
pub(super) fn verified(stored: Vec<StoredFact>, rules: Ruleset) -> wire::VerifiedPage {
    let is_full = stored.len() == limits::FACTS;
    let (mut page, mut bytes) = (wire::VerifiedPage::default(), 0);
    for StoredFact { fact, sequence } in stored {
        if fact.status == Known::Verified && is_of(fact.kind(), fact.game, rules) {
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
        feed.note(5..9, NEWCOMER, "newcomer", true);
        feed.note(9..20, READER, "reader", true);
        feed.note(22..30, WorkerId(3), "reader", true);
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
    fn what_is_told_late_comes_in_order_and_without_the_followers_own() {
        let late = |start, worker| Stretch { range: start..start + 2, worker };
        let late =
            vec![late(8, NEWCOMER), late(2, READER), late(4, NEWCOMER), late(6, WorkerId(3))];
        let ruleset = Ruleset::default();
        let reader = Follower { worker: READER, ruleset, forgotten: 0, from_copy: false };
        let told = |follower, late: &[Stretch]| {
            let told = told_late(follower, late.to_vec()).into_iter();
            told.map(|wire::Stretch { start, end }| (start, end)).collect::<Vec<_>>()
        };
        assert_eq!(told(reader, &late), [(4, 10)]);
        assert_eq!(told(Follower { forgotten: 4, ..reader }, &late), [(2, 10)]);
        let misere = Ruleset { play: Play::Misere, ..ruleset };
        assert_eq!(told(Follower { ruleset: misere, ..reader }, &late), []);
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
        (0..2_000).for_each(|n| feed.note(2 * n..2 * n + 1, READER, "reader", true));
        let (stretches, next) = told(&feed, reader, 0, 4_000);
        assert_eq!((stretches.len(), next), (limits::STRETCHES, 2 * limits::STRETCHES as u64 + 1));
    }
}
