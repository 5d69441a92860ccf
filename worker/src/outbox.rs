//! Reports that are not acknowledged yet.

use sprig_domain::{Fact, Game};
use std::collections::BTreeMap;

use sprig_proto::{Report, limits};

/// Reports on their way at once. More wait here, so that a slow coordinator is not flooded.
const WINDOW: usize = 64;

/// Bytes of lands and keys that are kept before the search has to wait for the coordinator: some
/// two million facts, which take one thread about half an hour.
const FULL: usize = 64 << 20;

/// Every report until the coordinator has it on disk.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    reports: BTreeMap<u64, (Game, Vec<Fact>)>,
    /// Bytes of lands and keys in them.
    bytes: usize,
    /// The number of the next report.
    next: u64,
    /// Reports below this number have been sent on this connection.
    sent: u64,
}

impl Outbox {
    /// Takes in facts of a game, and cuts them into reports within the limits.
    pub(crate) fn add(&mut self, game: Game, facts: Vec<Fact>) {
        let (mut report, mut bytes) = (Vec::new(), 0);
        for fact in facts {
            let size = fact.size();
            if report.len() == limits::FACTS || bytes + size > limits::FACT_BYTES {
                self.close(game, std::mem::take(&mut report));
                bytes = 0;
            }
            bytes += size;
            report.push(fact);
        }
        if !report.is_empty() {
            self.close(game, report);
        }
    }

    fn close(&mut self, game: Game, report: Vec<Fact>) {
        self.bytes += size(&report);
        self.reports.insert(self.next, (game, report));
        self.next += 1;
    }

    /// What to send now.
    pub(crate) fn due(&mut self) -> Vec<Report> {
        let on_the_way = self.reports.range(..self.sent).count();
        let due: Vec<Report> = self
            .reports
            .range(self.sent..)
            .take(WINDOW.saturating_sub(on_the_way))
            .map(|(&sequence, (game, facts))| Report {
                sequence,
                game: *game,
                facts: facts.clone(),
            })
            .collect();
        self.sent = due.last().map_or(self.sent, |report| report.sequence + 1);
        due
    }

    /// Forgets all reports; their numbers are not used again.
    pub(crate) fn clear(&mut self) {
        self.reports.clear();
        self.bytes = 0;
    }

    /// Has everything sent again, on a new connection.
    pub(crate) fn rewind(&mut self) {
        self.sent = 0;
    }

    /// The facts of a report; empty once it is acknowledged.
    pub(crate) fn report(&self, sequence: u64) -> &[Fact] {
        self.reports.get(&sequence).map_or(&[], |(_, facts)| facts)
    }

    /// Forgets a report that is on disk.
    pub(crate) fn acknowledge(&mut self, sequence: u64) {
        if let Some((_, report)) = self.reports.remove(&sequence) {
            self.bytes -= size(&report);
        }
    }

    /// Whether as much is kept as may be, so that nothing should be added for now.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes > FULL
    }

    /// Whether at least everything has been sent.
    pub(crate) fn is_sent(&self) -> bool {
        self.reports.range(self.sent..).next().is_none()
    }

    /// Reports that are not on disk yet.
    pub(crate) fn len(&self) -> usize {
        self.reports.len()
    }

    /// Whether everything is on disk.
    pub(crate) fn is_empty(&self) -> bool {
        self.reports.is_empty()
    }
}

/// Bytes of lands and keys in a report.
fn size(report: &[Fact]) -> usize {
    report.iter().map(Fact::size).sum()
}

#[cfg(test)]
mod tests {
    use sprig_domain::TreeKey;

    use super::*;

    /// A fact of `keys` keys.
    fn fact(keys: usize) -> Fact {
        let tree = TreeKey::from_bytes([0; size_of::<TreeKey>()]);
        Fact::Tree { tree, options: vec![tree; keys] }
    }

    #[test]
    fn an_outbox_that_was_cleared_is_empty_and_takes_acknowledgements() {
        let mut outbox = Outbox::default();
        while !outbox.is_full() {
            outbox.add(Game::Sprouts, vec![fact(limits::OPTIONS)]);
        }
        outbox.clear();
        assert!(outbox.is_empty() && !outbox.is_full(), "{} bytes of nothing", outbox.bytes);
        outbox.add(Game::Sprouts, vec![fact(1)]);
        let kept = outbox.bytes;
        let due: Vec<u64> = outbox.due().iter().map(|report| report.sequence).collect();
        due.into_iter().for_each(|sequence| outbox.acknowledge(sequence));
        assert_eq!((outbox.bytes, outbox.is_empty()), (0, true), "of {kept}");
    }
}
