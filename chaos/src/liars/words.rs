//! What liars say, by kind.

use std::sync::Arc;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngCore};
use serde::{Deserialize, Serialize};
use sprig_domain::Node;
use sprig_domain::{Fact, Figures, Outcome, Verdict};
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_proto::{Alarm, Answer, FromWorker, GaveUp, LeaseId, Obstacle, Pull, Report, wire};

use super::lore::falsified;
use crate::start::Start;

/// The kinds of lies.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Lie {
    /// True facts, of which one in a few is false: nimbers, trees of lands, lost nodes.
    Facts,
    /// False facts about the goal and its children alone.
    Roots,
    /// All that follows from one false fact; liars of a cluster share it.
    Poison,
    /// Facts that contradict each other.
    Contradictions,
    /// Facts of others, falsified.
    Echo,
    /// False answers without facts.
    Verdict,
    /// Alarms about facts that hold.
    Alarm,
    /// Leases given up, for every reason.
    Failure,
    /// Counters at their end.
    Counters,
    /// Names that look like others; then false facts.
    Names,
    /// Facts that are far too expensive to check.
    Dear,
    /// Answers to leases of others and to leases of no worker.
    Leases,
    /// Reports with numbers twice, backwards and at their end.
    Sequences,
    /// Messages that are none.
    Garbage,
    /// Leases taken, and progress that is none.
    Idle,
    /// The identity of another worker; then false facts.
    Twin,
}

impl Lie {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Facts,
        Self::Roots,
        Self::Poison,
        Self::Contradictions,
        Self::Echo,
        Self::Verdict,
        Self::Alarm,
        Self::Failure,
        Self::Counters,
        Self::Names,
        Self::Dear,
        Self::Leases,
        Self::Sequences,
        Self::Garbage,
        Self::Idle,
        Self::Twin,
    ];
}

/// Facts in a report of a liar.
const CHUNK: usize = 200;

/// Facts of others that a liar keeps.
const KEPT: usize = 1_000;

/// Decides what a liar says, one message after the other.
#[derive(Debug)]
pub struct Mouth {
    /// What it says.
    pub lie: Lie,
    /// What the job is about.
    pub start: Start,
    /// What an honest worker would say.
    pub truth: Arc<Vec<Fact>>,
    /// What it has agreed upon with the other liars.
    pub poison: Arc<Vec<Fact>>,
    /// The lease that it holds.
    pub lease: Option<LeaseId>,
    /// Decides by chance.
    pub dice: SmallRng,
    heard: Vec<Fact>,
    at: usize,
    sequence: u64,
    expansions: u64,
}

impl Mouth {
    /// A liar that has said nothing yet.
    pub fn new(
        lie: Lie,
        start: Start,
        truth: Arc<Vec<Fact>>,
        poison: Arc<Vec<Fact>>,
        dice: SmallRng,
    ) -> Self {
        let (heard, lease) = (Vec::new(), None);
        let (at, sequence, expansions) = (0, 0, 0);
        Self { lie, start, truth, poison, lease, dice, heard, at, sequence, expansions }
    }

    /// A new session begins.
    pub fn begin(&mut self) {
        (self.lease, self.at, self.sequence) = (None, 0, 0);
    }

    /// Remembers facts of others.
    pub fn note(&mut self, facts: Vec<Fact>) {
        self.heard.extend(facts);
        let surplus = self.heard.len().saturating_sub(KEPT);
        self.heard.drain(..surplus);
    }

    /// What it says next.
    pub fn words(&mut self) -> Vec<wire::FromWorker> {
        match self.lie {
            Lie::Facts | Lie::Names | Lie::Twin => self.some_false(),
            Lie::Roots => self.roots(),
            Lie::Poison => {
                let facts = self.next_of(&Arc::clone(&self.poison));
                self.report_then(facts, Self::wrong)
            }
            Lie::Contradictions => self.contradictions(),
            Lie::Echo => {
                let heard = std::mem::take(&mut self.heard);
                let false_ones = heard.iter().filter_map(|fact| falsified(fact, 1));
                let facts: Vec<_> = false_ones.take(CHUNK).collect();
                if facts.is_empty() { Vec::new() } else { vec![self.report(facts)] }
            }
            Lie::Verdict => self.answer(Ok(self.wrong())),
            Lie::Alarm => self.alarm(),
            Lie::Failure => {
                let obstacles = [Obstacle::Memory, Obstacle::Goal, Obstacle::Other];
                let obstacle = *obstacles.choose(&mut self.dice).expect("there are some");
                self.answer(Err(GaveUp { obstacle, reason: "\u{1b}[2Jit is too hard\n".into() }))
            }
            Lie::Counters => self.counters(),
            Lie::Dear => {
                let dear = |spots: usize| Fact::Nimber(dear(spots));
                let facts = (0..3).map(|_| dear(self.dice.random_range(8..=20))).collect();
                vec![self.report(facts)]
            }
            Lie::Leases => self.leases(),
            Lie::Sequences => {
                let numbers = [0, 0, 1, self.sequence, u64::MAX, self.dice.next_u64()];
                self.sequence = *numbers.choose(&mut self.dice).expect("there are some");
                let facts = self.corrupted(20);
                vec![self.report(facts)]
            }
            Lie::Garbage => vec![self.garbage()],
            Lie::Idle => self.progress(|expansions| expansions + 10_000),
        }
    }

    /// A verdict that is false.
    fn wrong(&self) -> Verdict {
        match self.start.outcome() {
            Outcome::Win => Verdict::Loss,
            Outcome::Loss => Verdict::Win,
        }
    }

    fn report(&mut self, facts: Vec<Fact>) -> wire::FromWorker {
        let report = Report { game: sprig_domain::Game::Sprouts, sequence: self.sequence, facts };
        self.sequence = self.sequence.wrapping_add(1);
        FromWorker::Report(report).into()
    }

    /// An answer, and the wish for more work. Without a lease, only the wish.
    fn answer(&mut self, verdict: Result<Verdict, GaveUp>) -> Vec<wire::FromWorker> {
        let Some(lease) = self.lease.take() else { return Vec::new() };
        let figures = Figures { expansions: self.expansions, ..Figures::default() };
        let answer = Some(Answer { lease, verdict, figures });
        vec![FromWorker::Pull(Pull { answer, more: true }).into()]
    }

    /// The next of these facts; empty when all were said.
    fn next_of(&mut self, all: &[Fact]) -> Vec<Fact> {
        let facts: Vec<Fact> = all.iter().skip(self.at).take(CHUNK).cloned().collect();
        self.at += facts.len();
        facts
    }

    /// Reports facts. When there is nothing left, answers with this verdict and begins anew.
    fn report_then(
        &mut self,
        facts: Vec<Fact>,
        verdict: impl Fn(&Self) -> Verdict,
    ) -> Vec<wire::FromWorker> {
        if facts.is_empty() {
            self.at = 0;
            return self.answer(Ok(verdict(self)));
        }
        vec![self.report(facts)]
    }

    fn corrupted(&mut self, one_in: u32) -> Vec<Fact> {
        let mut facts = self.next_of(&Arc::clone(&self.truth));
        for fact in &mut facts {
            if self.dice.random_ratio(1, one_in) {
                let by = self.dice.random_range(1..4);
                *fact = falsified(fact, by).unwrap_or_else(|| fact.clone());
            }
        }
        facts
    }

    fn some_false(&mut self) -> Vec<wire::FromWorker> {
        let one_in = *[1, 3, 10, 100, 1000].choose(&mut self.dice).expect("there are some");
        let facts = self.corrupted(one_in);
        self.report_then(facts, |mouth| match mouth.at % 3 {
            0 => mouth.wrong(),
            _ => Verdict::Open { proof: 1, disproof: 1 },
        })
    }

    /// Says of the goal, or of all of its children, what is false.
    fn roots(&mut self) -> Vec<wire::FromWorker> {
        let goal = self.start.position();
        let mut positions = goal.children().unwrap_or_default();
        positions.push(goal);
        let dice = &mut self.dice;
        let facts: Vec<Fact> = positions
            .iter()
            .flat_map(|position| match self.start.misere {
                true => vec![Fact::Loss(Node::new(position.clone(), false, []))],
                false => {
                    let mut any = || Nimber::new(dice.random_range(0..4)).expect("small");
                    let lands = position.lands().iter().cloned();
                    lands
                        .map(|land| sprig_domain::LandNimber { land, nimber: any() }.into())
                        .collect()
                }
            })
            .take(CHUNK)
            .collect();
        let mut words = vec![self.report(facts)];
        words.extend(self.answer(Ok(self.wrong())));
        words
    }

    /// Facts and their opposites: in one report, or in two.
    fn contradictions(&mut self) -> Vec<wire::FromWorker> {
        let facts = self.corrupted(u32::MAX);
        let opposites = facts.iter().filter_map(|fact| falsified(fact, 2)).collect();
        let apart = self.dice.random_bool(0.5);
        if facts.is_empty() {
            self.at = 0;
            return Vec::new();
        }
        if apart {
            return vec![self.report(facts), self.report(opposites)];
        }
        vec![self.report([facts, opposites].concat())]
    }

    fn alarm(&mut self) -> Vec<wire::FromWorker> {
        let about = if self.heard.is_empty() { self.truth.as_slice() } else { &self.heard };
        let Some(fact) = about.choose(&mut self.dice).cloned() else { return Vec::new() };
        let alarm = match fact {
            Fact::Nimber(fact) => Alarm {
                game: sprig_domain::Game::Sprouts,
                about: sprig_proto::Proved::Nimber {
                    land: fact.land,
                    possible: 1 << self.dice.random_range(5..64),
                },
            },
            fact => Alarm {
                game: sprig_domain::Game::Sprouts,
                about: sprig_proto::Proved::Misere(fact),
            },
        };
        vec![FromWorker::Alarm(alarm).into()]
    }

    fn progress(&mut self, next: impl Fn(u64) -> u64) -> Vec<wire::FromWorker> {
        let Some(lease) = self.lease else { return Vec::new() };
        self.expansions = next(self.expansions);
        let figures = Figures { expansions: self.expansions, ..Figures::default() };
        vec![FromWorker::Progress { lease, figures }.into()]
    }

    fn counters(&mut self) -> Vec<wire::FromWorker> {
        let Some(lease) = self.lease else { return Vec::new() };
        let mut any = || *[0, 1, u64::MAX, u64::MAX - 1].choose(&mut self.dice).expect("some");
        let figures = Figures {
            expansions: any(),
            generations: any(),
            children: any(),
            lands: any(),
            nodes: any(),
            facts: any(),
            bytes: any(),
            collections: any(),
            proof: u32::MAX,
            disproof: u32::MAX,
        };
        vec![FromWorker::Progress { lease, figures }.into()]
    }

    fn leases(&mut self) -> Vec<wire::FromWorker> {
        let own = self.lease.map_or(0, |lease| lease.epoch);
        let epoch = *[own, own, 0, self.dice.next_u64()].choose(&mut self.dice).expect("some");
        let lease = LeaseId { epoch, number: self.dice.random_range(0..8) };
        let verdict = Ok(self.wrong());
        let figures = Figures::default();
        let answer = Some(Answer { lease, verdict, figures });
        let pull = FromWorker::Pull(Pull { answer, more: self.dice.random_bool(0.5) });
        vec![pull.into(), FromWorker::Progress { lease, figures }.into()]
    }

    fn garbage(&mut self) -> wire::FromWorker {
        let mut bytes = vec![0; self.dice.random_range(0..64)];
        self.dice.fill_bytes(&mut bytes);
        let fact = |fact| wire::Fact { fact: Some(fact) };
        let nimber = self.dice.next_u32();
        let fact = match self.dice.random_range(0..6) {
            0 => fact(wire::fact::Fact::Nimber(wire::fact::Nimber { land: bytes, nimber })),
            1 => fact(wire::fact::Fact::Loss(bytes)),
            2 => {
                let (tree, options) = (bytes.clone(), bytes);
                fact(wire::fact::Fact::Tree(wire::fact::Tree { tree, options }))
            }
            3 => {
                let (land, tree) = (bytes.clone(), bytes);
                fact(wire::fact::Fact::Rct(wire::fact::Rct { land, tree }))
            }
            4 => wire::Fact { fact: None },
            _ => return wire::FromWorker { message: None },
        };
        let game = wire::Game::Sprouts.into();
        let report = wire::Report { sequence: self.sequence, facts: vec![fact], game };
        wire::FromWorker { message: Some(wire::from_worker::Message::Report(report)) }
    }
}

/// A region with this many boundaries, no two alike: with 20 there are over ten million ways to
/// divide it, each with as many replies. Its nimber is unknown.
pub fn dear(boundaries: usize) -> sprig_domain::LandNimber {
    let position = dear_position(boundaries);
    sprig_domain::LandNimber { land: position.lands()[0].clone(), nimber: Nimber::ZERO }
}

/// The position of the land that `dear` makes.
pub fn dear_position(boundaries: usize) -> CanonicalPosition {
    let boundary = |i: usize| format!("{}{}", "1".repeat(i % 5), "2".repeat(2 + i / 5));
    let text = (0..boundaries).map(boundary).collect::<Vec<_>>().join(".");
    CanonicalPosition::of(&text.parse::<Position>().expect("it is written well"))
}
