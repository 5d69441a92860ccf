//! What the program knows of a position while it plays: from a database, from whole trees of small
//! games, and from a short search.

use std::collections::HashMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use sprig_domain::{Game, Node};
use sprig_domain::{LandNimber, Outcome, Play, Question, Ruleset, Verdict};
use sprig_engine::paper::Reached;
use sprig_engine::{CanonicalLand, CanonicalPosition, Lengths, Position};
use sprig_search::Solver;
use sprig_trees::Base;

/// Bytes that the search may take.
const MEMORY: usize = 256 << 20;

/// The most lives of a position whose game tree is walked, and the most positions of all such
/// trees.
const SMALL: (u32, usize) = (10, 30_000);

/// The start position whose game tree is the base of a search of misère play.
const BASE: usize = 5;

/// The program's knowledge, and its search.
pub struct Mind {
    #[cfg(feature = "coordinator")]
    play: Play,
    /// The time for one answer.
    time: Duration,
    lengths: Lengths,
    known: HashMap<CanonicalPosition, Outcome>,
    search: Search,
    #[cfg(feature = "coordinator")]
    reader: Option<sprig_store::Reader>,
}

enum Search {
    Normal(Box<Solver>),
    /// A thread makes the base while the game begins.
    Preparing(Receiver<Base>),
    Misere(Box<sprig_misere::Search>),
    /// The base could not be made, so there is no search.
    Nothing,
}

/// What is known of a move. The outcome is that of the position after it, for the opponent.
#[derive(Clone, Copy, Debug)]
pub struct Opinion {
    pub outcome: Option<Outcome>,
    /// Moves that are left after this one.
    pub length: Option<u32>,
    /// How near a win is that is not yet proved. Larger is better.
    hope: f64,
}

/// A move that was chosen.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The index of the move among the moves.
    pub at: usize,
    /// What is known of the move.
    pub opinion: Opinion,
}

/// An observer that ends a search at a time.
struct Until(Instant);

impl sprig_search::Observer<LandNimber> for Until {
    fn stop(&self) -> bool {
        Instant::now() >= self.0
    }

    fn proved(&self, _: LandNimber) {}
}

impl sprig_misere::Observer<Node> for Until {
    fn stop(&self) -> bool {
        Instant::now() >= self.0
    }

    fn proved(&self, _: Node) {}
}

impl Mind {
    /// A mind that takes about `time` for an answer.
    pub fn new(rules: Ruleset, time: Duration) -> Self {
        let Ruleset { game, play } = rules;
        let search = match play {
            Play::Normal => {
                let limits = sprig_search::Limits { memory: MEMORY, threads: 1 };
                Search::Normal(Box::new(Solver::of(game, limits)))
            }
            Play::Misere => prepare(game),
        };
        Self {
            #[cfg(feature = "coordinator")]
            play,
            time,
            lengths: game.lengths(play, SMALL.1),
            known: HashMap::new(),
            search,
            #[cfg(feature = "coordinator")]
            reader: None,
        }
    }

    /// The same mind with a database to look into.
    #[cfg(feature = "coordinator")]
    pub fn reading(self, reader: Option<sprig_store::Reader>) -> Self {
        Self { reader, ..self }
    }

    /// What is known of moves, or is found in the time. Without `all` the search ends with the
    /// first winning move.
    pub fn opinions(
        &mut self,
        position: &CanonicalPosition,
        moves: &[Reached],
        all: bool,
    ) -> Vec<Opinion> {
        let deadline = Instant::now() + self.time;
        self.look_up(position);
        let mut opinions: Vec<Opinion> =
            moves.iter().map(|found| self.recall(&found.child)).collect();
        let wins = |opinions: &[Opinion]| {
            opinions.iter().any(|opinion| opinion.outcome == Some(Outcome::Loss))
        };
        let is_open = |opinion: &Opinion| opinion.outcome.is_none();
        if !opinions.iter().any(is_open) || (!all && wins(&opinions)) {
            return opinions;
        }
        // Half of the time goes to the position itself, as a loss decides all of its moves.
        let now = Instant::now();
        let half = now + deadline.saturating_duration_since(now) / 2;
        let (own, _) = self.settle(position, half);
        if own == Some(Outcome::Loss) {
            for (found, opinion) in moves.iter().zip(&mut opinions).filter(|(_, o)| is_open(o)) {
                self.known.insert(found.child.clone(), Outcome::Win);
                opinion.outcome = Some(Outcome::Win);
            }
            return opinions;
        }
        // Each move gets a little time first. The rest of the time follows.
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by_key(|&at| lives(&moves[at].child));
        for share in [4 * moves.len(), 2] {
            for &at in &order {
                let now = Instant::now();
                if now >= deadline || (!all && wins(&opinions)) {
                    return opinions;
                }
                if is_open(&opinions[at]) {
                    let slice = self.time / u32::try_from(share).unwrap_or(u32::MAX);
                    let end = (now + slice).min(deadline);
                    let (outcome, hope) = self.settle(&moves[at].child, end);
                    (opinions[at].outcome, opinions[at].hope) = (outcome, hope);
                }
            }
        }
        opinions
    }

    /// The best of the moves: one that wins soon, or else one that is unknown, or else the one that
    /// loses late.
    pub fn best(moves: &[Reached], opinions: &[Opinion]) -> Option<Choice> {
        let rank = |&at: &usize| {
            let Opinion { outcome, length, hope } = opinions[at];
            let (lives, length) =
                (f64::from(lives(&moves[at].child)), f64::from(length.unwrap_or(0)));
            match outcome {
                Some(Outcome::Loss) => (2, -length, -lives),
                None => (1, hope, -lives),
                Some(Outcome::Win) => (0, length, lives),
            }
        };
        let order = |a: &usize, b: &usize| {
            let ((a, x, y), (b, z, w)) = (rank(a), rank(b));
            a.cmp(&b).then(x.total_cmp(&z)).then(y.total_cmp(&w))
        };
        let at = (0..moves.len()).max_by(order)?;
        Some(Choice { at, opinion: opinions[at] })
    }

    /// A move that is known to lose, if there is one.
    pub fn worse(opinions: &[Opinion], random: &mut fastrand::Rng) -> Option<Choice> {
        let loses = |&at: &usize| opinions[at].outcome == Some(Outcome::Win);
        let losing: Vec<usize> = (0..opinions.len()).filter(loses).collect();
        let at = random.choice(losing)?;
        Some(Choice { at, opinion: opinions[at] })
    }

    /// Takes over what a database knows of the children of a position.
    fn look_up(&mut self, position: &CanonicalPosition) {
        #[cfg(feature = "coordinator")]
        if let Some(reader) = &self.reader
            && let Ok(moves) =
                sprig_coordinator::moves(reader, position, self.play, &std::sync::Arc::default())
        {
            let sure = moves.into_iter().filter(|found| found.verified);
            let sure = sure.filter_map(|found| Some((found.child, found.outcome?)));
            self.known.extend(sure);
        }
        let _ = position;
    }

    /// What is known of a position without a search.
    fn recall(&mut self, position: &CanonicalPosition) -> Opinion {
        let small = lives(position) <= SMALL.0;
        let length = if small { self.lengths.of(position) } else { None };
        let outcome = length.map(|length| Outcome::from(length.wins));
        let outcome = outcome.or_else(|| self.known.get(position).copied());
        Opinion { outcome, length: length.map(|length| length.moves), hope: 0.0 }
    }

    /// The outcome of a position, if it is found in time. If not, the number says how near a loss
    /// is.
    fn settle(&mut self, position: &CanonicalPosition, end: Instant) -> (Option<Outcome>, f64) {
        if let Opinion { outcome: Some(outcome), .. } = self.recall(position) {
            return (Some(outcome), 0.0);
        }
        if let Search::Preparing(base) = &self.search {
            match base.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(base) => {
                    let limits = sprig_search::Limits { memory: MEMORY, threads: 1 };
                    let search = sprig_misere::Search::new(&base, limits);
                    self.search = Search::Misere(Box::new(search));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => return (None, 0.0),
                Err(mpsc::RecvTimeoutError::Disconnected) => self.search = Search::Nothing,
            }
        }
        let (outcome, hope) = match &self.search {
            Search::Normal(solver) => {
                match solver.solve(position, Question::OUTCOME, u64::MAX, &Until(end)) {
                    Ok(Verdict::Win) => (Some(Outcome::Win), 0.0),
                    Ok(Verdict::Loss) => (Some(Outcome::Loss), 0.0),
                    Ok(Verdict::Open { proof, disproof }) => {
                        (None, f64::from(proof) / f64::from(disproof.max(1)))
                    }
                    // A position that cannot be searched stays unknown.
                    Ok(Verdict::Nimber(_)) | Err(_) => (None, 0.0),
                }
            }
            Search::Misere(search) => match search.solve(position, &Until(end)) {
                Ok(Some(outcome)) => (Some(outcome), 0.0),
                Ok(None) | Err(_) => (None, 0.0),
            },
            Search::Preparing(_) | Search::Nothing => (None, 0.0),
        };
        if let Some(outcome) = outcome {
            self.known.insert(position.clone(), outcome);
        }
        (outcome, hope)
    }
}

/// Makes the base of misère play on a thread of its own. The thread ends with the process.
fn prepare(game: Game) -> Search {
    let (sender, base) = mpsc::channel();
    let make = move || {
        let mut base = Base::of(game);
        let start = CanonicalPosition::of(&Position::start(BASE));
        if base.build(&start, NonZero::<usize>::MIN, |_| ControlFlow::Continue(())).is_ok() {
            // A game that has ended needs no base.
            let _ = sender.send(base);
        }
    };
    match thread::Builder::new().name("base".into()).spawn(make) {
        Ok(_) => Search::Preparing(base),
        Err(_) => Search::Nothing,
    }
}

/// Lives of a position.
fn lives(position: &CanonicalPosition) -> u32 {
    position.lands().iter().map(CanonicalLand::lives).sum()
}
