//! Certificates: few facts that prove who wins, taken out of the database when they are asked for.
//!
//! It is what `sprig certify` does, within the limits of an answer. What comes out need not be
//! believed: whoever takes it checks it, in the browser or with `sprig verify`.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use sprig_certificate::{Claim, Fact, Facts, Form, Header, Loss, Play as Rule};
use sprig_certify::{CertifyError, Extract, Losses, Nimbers, Rules, Settings, Written};
use sprig_domain::{Node, Play};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position, Watched};
use sprig_store::{Kind as FactKind, Status, StoreError, Value};
use sprig_trees::{Base, News};
use tokio::sync::Semaphore;

use crate::asked::Asked;
use crate::cache::Cache;
use crate::desk::Desk;
use crate::problem::{Kind, Problem};
use crate::replica::Snapshot;
use crate::source::{Source, broken, stopped};

/// Most verified facts among which a certificate is looked for: all of them are read.
const KNOWN: u64 = 500_000;
/// How long a proof that was found is made smaller, the changes between two looks at the clock, and
/// how many of these rounds are worth their time for each fact.
const SMALLER: Duration = Duration::from_secs(1);
const CHANGES: u64 = 64;
const ROUNDS: usize = 4;
/// Lands of so many lives need no facts: their nimbers are found by plain recursion.
const SMALL: u16 = 12;
/// Spots of the base of misère play. The next larger one takes minutes.
const BASE: usize = 5;
/// Bytes of certificates that are kept.
const KEPT: usize = 32 << 20;

/// What was proved, and how it is written down.
pub(crate) struct Proof {
    /// Packed by gzip.
    pub(crate) packed: Bytes,
    /// The text in it.
    pub(crate) text: String,
    pub(crate) header: Header,
}

/// Where proofs are found, one at a time.
pub(crate) struct Proofs {
    kept: Cache<(CanonicalPosition, Play), Proof>,
    turn: Semaphore,
}

impl Default for Proofs {
    fn default() -> Self {
        Self { kept: Cache::new(KEPT), turn: Semaphore::new(1) }
    }
}

impl Desk {
    /// Whether proofs can be asked for here at all.
    pub(crate) fn has_proofs(&self) -> bool {
        matches!(self.source, Source::Database(_))
    }

    /// A proof of who wins.
    pub(crate) async fn proof(&self, asked: &Asked) -> Result<Arc<Proof>, Problem> {
        let Source::Database(replica) = &self.source else {
            let detail = "a coordinator is asked here, which lists no facts";
            let remedy = "ask an explorer that reads a database: `sprig explore --db`";
            return Err(Problem::new(Kind::NotFound, detail, remedy));
        };
        let key = (asked.canonical.clone(), asked.play);
        if let Some(kept) = self.proofs.kept.get(&key) {
            return Ok(kept);
        }
        if self.answer(asked).await?.outcome.is_none() {
            return Err(unproved(asked));
        }
        let turn = tokio::time::timeout(crate::desk::TURN, self.proofs.turn.acquire()).await;
        let Ok(Ok(_turn)) = turn else { return Err(crate::desk::busy()) };
        // Who asked before may have asked for the same.
        if let Some(kept) = self.proofs.kept.get(&key) {
            return Ok(kept);
        }
        let (snapshot, asked) = (replica.now(), asked.clone());
        let found = self.work(move |watched| match asked.play {
            Play::Normal => of_nimbers(&snapshot, &asked, watched),
            Play::Misere => of_losses(&snapshot, &asked, watched),
        });
        let proof = Arc::new(found.await?);
        let bytes = proof.text.len() + proof.packed.len();
        self.proofs.kept.keep(key, Arc::clone(&proof), bytes);
        Ok(proof)
    }
}

fn of_nimbers(snapshot: &Snapshot, asked: &Asked, watched: Arc<Watched>) -> Result<Proof, Problem> {
    let known = verified(snapshot, FactKind::Nimber, &watched, |subject, value| match value {
        Value::Nimber(nimber) => Some((subject, nimber)),
        _ => None,
    })?;
    let claim = sprig_certify::Claim::Outcome;
    let settings = settings(&watched);
    let extract = Extract::<Nimbers>::new(known, &[], &asked.canonical, claim, settings);
    let mut extract = extract.map_err(|error| unfound(asked, &error))?;
    smaller(&mut extract, asked, &watched)?;
    let claim = match extract.nimber() {
        None => Claim::Win,
        Some(Nimber::ZERO) => Claim::Loss,
        Some(nimber) => Claim::Nimber(nimber),
    };
    let fact = |(land, nimber): (CanonicalLand, _)| Fact { land: written([&land]), nimber };
    let facts: Vec<Fact> = extract.facts().map(fact).collect();
    let position = asked.canonical.to_position();
    let header = Header {
        game: sprig_certificate::Game::Sprouts,
        play: Rule::Normal,
        position,
        claim,
        facts: facts.len() as u64,
    };
    put_down(header, &Facts::Nimbers(facts))
}

fn of_losses(snapshot: &Snapshot, asked: &Asked, watched: Arc<Watched>) -> Result<Proof, Problem> {
    let spots = sprig_misere::base_of(&asked.canonical);
    if spots > BASE {
        let detail = format!("its proof stands on the trees of {spots} spots, which take minutes");
        return Err(Problem::too_dear(detail, "sprig certify --misere"));
    }
    let of = Position::start(BASE);
    let base = base(&of, &watched)?;
    let known = verified(snapshot, FactKind::Loss, &watched, |subject, _| {
        // What a database holds can be read; if not, the proof misses it.
        Node::decode(&subject).ok()
    })?;
    let losses = Losses::new(base, known, &[]).map_err(|error| unfound(asked, &error))?;
    let extract = Extract::<Losses>::new(losses, &asked.canonical, settings(&watched));
    let mut extract = extract.map_err(|error| unfound(asked, &error))?;
    smaller(&mut extract, asked, &watched)?;
    let claim = if extract.is_loss() { Claim::Loss } else { Claim::Win };
    let loss = |node: Written| Loss {
        lands: written(node.lands.lands()),
        sums: node.sums.iter().map(|sum| written(sum.lands())).collect(),
    };
    let facts = extract.facts().map_err(|error| unfound(asked, &error))?;
    let facts: Vec<Loss> = facts.into_iter().map(loss).collect();
    let (play, position) = (Rule::Misere { base: of }, asked.canonical.to_position());
    let header = Header {
        game: sprig_certificate::Game::Sprouts,
        play,
        position,
        claim,
        facts: facts.len() as u64,
    };
    put_down(header, &Facts::Losses(facts))
}

/// The trees of all lands of the game tree of a position.
fn base(of: &Position, watched: &Watched) -> Result<Base, Problem> {
    let mut base = Base::default();
    let go_on = |_: &News<'_>| match watched.step() {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let built = base.build(&CanonicalPosition::of(of), NonZero::<usize>::MIN, go_on);
    built.map_err(|_| stopped())?;
    Ok(base)
}

/// The verified facts of a kind, as `take` takes them.
fn verified<T>(
    snapshot: &Snapshot,
    kind: FactKind,
    watched: &Watched,
    take: impl Fn(Box<[u8]>, Value) -> Option<T>,
) -> Result<Vec<T>, Problem> {
    let count = snapshot.worth.verified.of(kind);
    if count > KNOWN {
        let detail = format!(
            "the proof would be looked for among {count} facts, and it is among at most {KNOWN}"
        );
        return Err(Problem::too_dear(detail, "sprig certify"));
    }
    let mut taken = Vec::new();
    for stored in snapshot.reader.facts(kind) {
        let fact = stored.map_err(|error: StoreError| broken(&error))?.fact;
        if !watched.step() {
            return Err(stopped());
        }
        if fact.status == Status::Verified {
            taken.extend(take(fact.subject, fact.value));
        }
    }
    Ok(taken)
}

fn settings(watched: &Arc<Watched>) -> Settings {
    Settings {
        game: sprig_domain::Game::Sprouts,
        small: SMALL,
        seed: 1,
        watched: Arc::clone(watched),
    }
}

/// Makes a proof smaller for a moment.
fn smaller<R: Rules>(
    extract: &mut Extract<R>,
    asked: &Asked,
    watched: &Watched,
) -> Result<(), Problem> {
    let begin = Instant::now();
    for _ in 0..ROUNDS * extract.size() {
        if begin.elapsed() > SMALLER || watched.is_stopped() {
            break;
        }
        let left = (1.0 - begin.elapsed().as_secs_f64() / SMALLER.as_secs_f64()).max(0.0);
        extract.minimize(CHANGES, left * left).map_err(|error| unfound(asked, &error))?;
    }
    Ok(())
}

/// Lands as a written position.
fn written<'a>(lands: impl IntoIterator<Item = &'a CanonicalLand>) -> Position {
    Position(lands.into_iter().map(CanonicalLand::to_land).collect())
}

fn put_down(header: Header, facts: &Facts) -> Result<Proof, Problem> {
    let put = |form| {
        let mut bytes = Vec::new();
        sprig_certificate::write(&header, facts, form, &mut bytes).map(|()| bytes)
    };
    // Memory takes what is written, and certificates are text.
    let failed = |_| Problem::new(Kind::Failed, "the proof cannot be written", "ask again");
    let packed = put(Form::Gzip).map_err(failed)?.into();
    let text = String::from_utf8(put(Form::Text).map_err(failed)?).unwrap_or_default();
    Ok(Proof { packed, text, header })
}

/// The certificate of a position as a file: without what some systems do not allow in a name.
pub(crate) fn file_name(asked: &Asked) -> String {
    let text = asked.canonical.to_string();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = text.chars().map(plain).take(60).collect();
    format!("{}-{name}.cert", asked.play.name())
}

fn unproved(asked: &Asked) -> Problem {
    let detail = format!("no proof of who wins `{}` is known here", asked.canonical);
    Problem::new(Kind::NotFound, detail, "`sprig solve` may find one")
}

fn unfound(asked: &Asked, error: &CertifyError) -> Problem {
    match error {
        CertifyError::Missing(_) => unproved(asked),
        CertifyError::Stopped => stopped(),
        CertifyError::TooManyMoves(_) | CertifyError::Unlisted(_) | CertifyError::NoLand(_) => {
            Problem::too_dear(error.to_string(), "sprig certify")
        }
        error => {
            tracing::error!("{error}");
            let remedy = "see the log of the process that you asked";
            Problem::new(Kind::Failed, "the facts contradict each other", remedy)
        }
    }
}
